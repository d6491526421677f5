package interp

import (
	"strings"

	"github.com/limpet-sh/limpet/internal/quote"
)

// trace prints text as set -x prints commands.
func (sh *Shell) trace(text string) {
	if sh.hooks&hookTrace == 0 || sh.tracing {
		return
	}
	sh.tracing = true
	defer func() { sh.tracing = false }()
	fd := 2
	if sh.traceFD > 0 && sh.fd(sh.traceFD) != nil {
		fd = sh.traceFD
	}
	_ = sh.write(fd, []byte(sh.tracePrefix()+text+"\n"))
}

// setTraceFD makes the value of BASH_XTRACEFD, or standard error where it has
// none, what traces are written to.
func (sh *Shell) setTraceFD(v *variable) {
	if v.flags&vSet == 0 || v.text(sh) == "" {
		if sh.traceFD > 0 { // Bash: the descriptor is closed
			sh.setFD(sh.traceFD, nil).release()
		}
		sh.traceFD = 0
		return
	}
	n, ok := plainInt(v.text(sh))
	if !ok || sh.fd(int(n)) == nil {
		sh.errorf("BASH_XTRACEFD: %s: invalid value for trace file descriptor", v.text(sh))
		return
	}
	sh.traceFD = int(n)
}

// tracePrefix is PS4, expanded, with its first character once for each level of
// nesting. Where it cannot be expanded it is shown as it is.
func (sh *Shell) tracePrefix() string {
	ps4 := sh.get("PS4")
	if strings.ContainsAny(ps4, "$`\\") {
		status, line, subst := sh.status, sh.line, sh.substStatus
		text := sh.expandPrompt(ps4)
		if sh.pending == ctlNone {
			ps4 = text
		} else if sh.pending != ctlStop {
			sh.pending, sh.abandoned = ctlNone, false
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

// traced runs an assignment, and traces it: a list as it is written.
func (a *assignment) traced(sh *Shell) bool {
	if sh.hooks&hookTrace == 0 {
		return a.run(sh)
	}
	if a.isList {
		sh.trace(a.source())
		return a.run(sh)
	}
	s := a.value(sh)
	if sh.pending != ctlNone {
		return false
	}
	sh.traceAssign(a.target(), a.add, s)
	b := *a
	b.value = constant(s)
	return b.general(sh)
}

// target returns what a assigns to: a name or name[subscript].
func (a *assignment) target() string {
	if a.index != nil {
		return a.name + "[" + a.index.raw + "]"
	}
	return a.name
}

// traceDeclaration traces declare and its kin, whose assignments it expands:
// lists are shown first, and export and readonly show the others again.
func (sh *Shell) traceDeclaration(variant string, list []declared) {
	words := []string{variant}
	var again []func()
	for i, d := range list {
		a := d.assign
		switch {
		case a == nil:
			words = append(words, quote.Trace(d.word))
		case a.isList:
			list[i].assign = a.expanded(sh, declaresAssoc(list))
			if sh.pending == ctlNone {
				sh.trace(list[i].assign.listed(sh))
			}
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
			words = append(words, quote.Trace(a.target()+op+s))
			again = append(again, func() { sh.traceAssign(a.target(), a.add, s) })
		}
		if sh.pending != ctlNone {
			return
		}
	}
	sh.trace(strings.Join(words, " "))
	if variant == "export" || variant == "readonly" {
		for _, show := range again {
			show()
		}
	}
}

// listed returns an expanded list as declarations show it, its values quoted.
func (a *assignment) listed(sh *Shell) string {
	var values []string
	for i := range a.array {
		e := &a.array[i]
		if e.index == nil {
			for _, s := range e.values(sh, nil) {
				values = append(values, quote.Single(s))
			}
			continue
		}
		op := "]="
		if e.add {
			op = "]+="
		}
		values = append(values, "["+quote.Single(e.index.key(sh))+op+quote.Single(e.value(sh)))
	}
	op := "=("
	if a.add {
		op = "+=("
	}
	return a.name + op + strings.Join(values, " ") + ")"
}
