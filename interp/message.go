package interp

import (
	"fmt"
	"strings"

	"github.com/limpet-sh/limpet/internal/quote"
)

// errorf prints a message as bash prints errors: after the shell's or script's
// name and the line.
func (sh *Shell) errorf(format string, args ...any) {
	if sh.x.halted.Load() {
		return
	}
	sh.message(fmt.Sprintf(format, args...))
}

// warnf is errorf for what is no failure.
func (sh *Shell) warnf(format string, args ...any) { sh.errorf(format, args...) }

func (sh *Shell) message(text string) {
	name := sh.scriptName()
	if sh.interactive() {
		_ = sh.write(2, []byte(name+": "+text+"\n"))
		return
	}
	_ = sh.write(2, []byte(fmt.Sprintf("%s: line %d: %s\n", name, sh.line, text)))
}

// scriptName is what messages call the source that is running: the first element
// of BASH_SOURCE, or $0 where there is none.
func (sh *Shell) scriptName() string {
	switch {
	case sh.file != "":
		return sh.file
	case len(sh.frames) > 0:
		return sh.environmentName()
	}
	return sh.name
}

// complain is errorf for a builtin, whose name comes before the message.
func (sh *Shell) complain(name, format string, args ...any) {
	sh.errorf("%s: %s", name, fmt.Sprintf(format, args...))
}

// trace prints text as set -x prints commands.
func (sh *Shell) trace(text string) {
	if sh.hooks&hookTrace == 0 || sh.tracing {
		return
	}
	sh.tracing = true
	defer func() { sh.tracing = false }()
	fd := 2
	if v := sh.lookup("BASH_XTRACEFD"); v.isSet() {
		if n, ok := plainInt(v.text(sh)); ok && sh.fd(int(n)) != nil {
			fd = int(n)
		}
	}
	_ = sh.write(fd, []byte(sh.tracePrefix()+text+"\n"))
}

// tracePrefix is PS4, expanded, with its first character once for each level of
// nesting.
func (sh *Shell) tracePrefix() string {
	ps4 := sh.get("PS4")
	if strings.ContainsAny(ps4, "$`\\") {
		status, line, subst := sh.status, sh.line, sh.substStatus
		ps4 = sh.expandPrompt(ps4)
		if sh.pending == ctlDiscard {
			sh.pending = ctlNone
		}
		sh.status, sh.line, sh.substStatus = status, line, subst
	}
	if ps4 == "" {
		return ""
	}
	first := ps4[:skipChars(ps4, 1)]
	return strings.Repeat(first, sh.evals) + ps4
}

// traceWords traces a simple command.
func (sh *Shell) traceWords(argv []string) {
	words := make([]string, len(argv))
	for i, w := range argv {
		words[i] = quote.Trace(w)
	}
	sh.trace(strings.Join(words, " "))
}

// traceAssign traces an assignment.
func (sh *Shell) traceAssign(name string, add bool, s string) {
	op := "="
	if add {
		op = "+="
	}
	if s == "" {
		sh.trace(name + op)
		return
	}
	sh.trace(name + op + quote.Trace(s))
}

// traced runs an assignment, and traces it.
func (a *assignment) traced(sh *Shell) bool {
	if sh.hooks&hookTrace == 0 {
		return a.run(sh)
	}
	if a.isList {
		sh.trace(a.name + "=" + a.source)
		return a.run(sh)
	}
	s := a.value(sh)
	if sh.pending != ctlNone {
		return false
	}
	name := a.name
	if a.index != nil {
		name += "[" + a.index.raw + "]"
	}
	sh.traceAssign(name, a.add, s)
	b := *a
	b.value = constant(s)
	return b.general(sh)
}

// traceDeclaration traces declare and its kin.
func (sh *Shell) traceDeclaration(variant string, list []declared) {
	words := []string{variant}
	for i, d := range list {
		a := d.assign
		switch {
		case a == nil:
			words = append(words, quote.Trace(d.word))
		case a.isList:
			words = append(words, quote.Trace(a.name))
		default:
			s := a.value(sh)
			op := "="
			if a.add {
				op = "+="
			}
			b := *a
			b.value = constant(s)
			b.run = b.general
			list[i].assign = &b
			words = append(words, quote.Trace(a.name+op+s))
		}
	}
	sh.trace(strings.Join(words, " "))
	for _, d := range list {
		if d.assign != nil && d.assign.isList {
			sh.trace(d.assign.name + "=" + d.assign.source)
		}
	}
}
