package interp

import (
	"slices"
	"strings"

	"github.com/limpet-sh/limpet/internal/unparse"
	"mvdan.cc/sh/v3/syntax"
)

// A simpleCommand is a compiled simple command.
type simpleCommand struct {
	assigns []*assignment
	args    fields
	count   int
	redirs  []*redirection
	name    string // of the command, where it is literal
	id      int    // of that name
	builtin *builtin
	line    int
	source  func() string
}

// simple compiles a simple command: assignments, words, redirections. (bash
// manual, Simple Command Expansion)
func (c *compiler) simple(s *syntax.Stmt, cmd *syntax.CallExpr) node {
	sc := &simpleCommand{redirs: c.redirections(s.Redirs), count: len(cmd.Args), line: c.at, source: c.describe(s)}
	for _, as := range cmd.Assigns {
		sc.assigns = append(sc.assigns, c.assignment(as))
	}
	if len(cmd.Args) == 0 {
		return sc.assignOnly()
	}
	sc.args = c.fields(cmd.Args)
	if w := cmd.Args[0]; isConstant(w) && !hasGlob(w) && !hasBraces(w) {
		sc.name = c.word(w)(nil)
		sc.id = c.id(sc.name)
		sc.builtin = c.names.builtin(sc.name)
	}
	run := sc.run
	if len(sc.assigns) == 0 && len(sc.redirs) == 0 {
		run = sc.plain
	}
	if keyword := c.keywordForm(s, cmd); keyword != nil {
		return func(sh *Shell) ctl {
			if sh.opts&optKeyword != 0 {
				return keyword(sh)
			}
			return run(sh)
		}
	}
	return run
}

// keywordForm compiles a simple command as set -k has it, with the assignments
// among its arguments in front; nil where there are none.
func (c *compiler) keywordForm(s *syntax.Stmt, cmd *syntax.CallExpr) node {
	var form syntax.CallExpr
	for i, w := range cmd.Args {
		if as := wordAssign(w); as != nil && i > 0 {
			form.Assigns = append(form.Assigns, as)
		} else {
			form.Args = append(form.Args, w)
		}
	}
	if len(form.Assigns) == 0 {
		return nil
	}
	form.Assigns = append(slices.Clone(cmd.Assigns), form.Assigns...)
	return c.simple(s, &form)
}

// wordAssign returns the assignment that a word looks like, or nil.
func wordAssign(w *syntax.Word) *syntax.Assign {
	lit, ok := w.Parts[0].(*syntax.Lit)
	if !ok {
		return nil
	}
	name, value, ok := strings.Cut(lit.Value, "=")
	if !ok || !isName(name) {
		return nil
	}
	pos := lit.ValuePos
	at := syntax.NewPos(pos.Offset()+uint(len(name))+1, pos.Line(), pos.Col()+uint(len(name))+1)
	rest := slices.Clone(w.Parts)
	rest[0] = &syntax.Lit{ValuePos: at, ValueEnd: lit.ValueEnd, Value: value}
	return &syntax.Assign{Name: &syntax.Lit{ValuePos: pos, ValueEnd: at, Value: name}, Value: &syntax.Word{Parts: rest}}
}

// describe returns what makes the text of a command as BASH_COMMAND and jobs
// have it, without what stands around it.
func (c *compiler) describe(s *syntax.Stmt) func() string {
	src := c.src
	return func() string {
		plain := *s
		plain.Negated, plain.Background, plain.Coprocess = false, false, false
		plain.Semicolon = syntax.Pos{}
		text, err := unparse.Command(&plain, src, maxFunctionText)
		if err != nil {
			return ""
		}
		return text
	}
}

// plain runs a command that is words alone.
func (sc *simpleCommand) plain(sh *Shell) ctl {
	sh.begins(sc.source)
	if sh.hooks&hookCommand != 0 {
		if k, run := sh.beforeCommand(sc.line); !run {
			return k
		}
	}
	argv := sc.args(sh, sh.takeArgs())
	if sh.pending != ctlNone {
		sh.giveArgs(argv)
		return sh.takeExpansion()
	}
	held, ok := sh.holdWords(argv)
	if !ok {
		return sh.take()
	}
	if len(argv) == 0 {
		sh.giveArgs(argv)
		sh.status, sh.last = max(sh.substStatus, 0), ""
		return ctlNone
	}
	if sh.hooks&hookTrace != 0 {
		sh.traceWords(argv)
	}
	var k ctl
	if sh.x.hooks == nil {
		k = sc.dispatch(sh, argv)
	} else {
		k = sh.watched(sh.kind(argv[0]), argv, func() ctl { return sc.dispatch(sh, argv) })
	}
	if sh.dead != nil {
		sc.tellDeath(sh)
	}
	sh.last = argv[len(argv)-1]
	sh.giveArgs(argv)
	sh.hold(-held)
	return k
}

// tellDeath tells that the program has been killed.
func (sc *simpleCommand) tellDeath(sh *Shell) {
	dead := sh.dead
	sh.dead = nil
	sh.reap(func(int) string { return sc.source() }, dead)
}

// takeArgs returns an empty slice for the words of a command, and giveArgs takes
// it back for the next one.
func (sh *Shell) takeArgs() []string {
	args := sh.args
	sh.args = nil
	sh.substStatus = -1
	return args[:0]
}

func (sh *Shell) giveArgs(args []string) {
	if cap(args) > 1024 {
		sh.args = nil
		return
	}
	clear(args)
	sh.args = args[:0]
}

// run runs a command with assignments or redirections before it.
func (sc *simpleCommand) run(sh *Shell) ctl {
	sh.begins(sc.source)
	if sh.hooks&hookCommand != 0 {
		if k, run := sh.beforeCommand(sc.line); !run {
			return k
		}
	}
	argv := sc.args(sh, sh.takeArgs())
	if sh.pending != ctlNone {
		sh.giveArgs(argv)
		return sh.takeExpansion()
	}
	held, ok := sh.holdWords(argv)
	if !ok {
		return sh.take()
	}
	var k ctl
	if sh.x.hooks == nil || len(argv) == 0 {
		k = sc.withWords(sh, argv)
	} else {
		k = sh.watched(sh.kind(argv[0]), argv, func() ctl { return sc.withWords(sh, argv) })
	}
	if sh.dead != nil {
		sc.tellDeath(sh)
	}
	if len(argv) > 0 {
		sh.last = argv[len(argv)-1]
	}
	sh.giveArgs(argv)
	sh.hold(-held)
	return k
}

func (sc *simpleCommand) withWords(sh *Shell, argv []string) ctl {
	if len(argv) == 0 { // the words have expanded to nothing
		return sc.withoutWords(sh)
	}
	b := sc.builtin
	if sc.name == "" {
		b = sh.names.builtin(argv[0])
	}
	if argv[0] == "exec" && b != nil && sh.function(argv[0]) == nil {
		return sc.exec(sh, argv)
	}
	mark := len(sh.locals)
	if len(sc.assigns) > 0 {
		special := b != nil && b.special && sh.opts&optPosix != 0
		scoped := special && (b.name == "eval" || b.name == "unset" || b.name == "." || b.name == "source")
		for _, a := range sc.assigns {
			if !sh.prefix(a, special && !scoped) {
				sh.unwind(mark)
				k := sh.takeAssign()
				if k == ctlExit && special {
					sh.status = sh.fatalStatus()
				}
				return k
			}
		}
		switch {
		case scoped:
			defer sh.mergePrefix(mark)
		case b != nil && assignsThrough[b.name] && sh.function(argv[0]) == nil:
			defer sh.assignThrough(mark, b.name)()
		default:
			defer sh.unwindPrefix(mark)
		}
	}
	if sh.hooks&hookTrace != 0 {
		sh.traceWords(argv)
	}
	if sc.inChild(sh) && sc.isProgram(sh, argv) {
		return sh.sub(func(sub *Shell) ctl { return sc.redirectedProgram(sub, argv) })
	}
	sh.leaves = b == nil && (len(argv) == 0 || sh.function(argv[0]) == nil)
	restore, ok := sh.redirect(sc.redirs)
	sh.leaves = false
	if !ok {
		return sh.redirectFailed(b)
	}
	if keepsRedirections(argv) && b != nil && sh.function(argv[0]) == nil {
		k := sc.dispatch(sh, argv)
		restore.keep()
		return k
	}
	defer restore.undo(sh)
	return sc.dispatch(sh, argv)
}

// keepsRedirections reports whether argv is exec without a program, called through
// command.
func keepsRedirections(argv []string) bool {
	n := len(argv) - 1
	if n > 0 && argv[n] == "--" {
		n--
	}
	if n < 1 || argv[n] != "exec" {
		return false
	}
	for _, w := range argv[:n] {
		if w != "command" && w != "--" && w != "-p" {
			return false
		}
	}
	return true
}

// isProgram reports whether argv names neither a function nor a builtin.
func (sc *simpleCommand) isProgram(sh *Shell, argv []string) bool {
	if b := sh.names.builtin(argv[0]); b != nil && !(sh.disabled != nil && sh.disabled[b.name]) {
		return false
	}
	return sh.function(argv[0]) == nil
}

// inChild reports whether it matters that the redirections of a program are made
// in its process, and not in the shell: they may fail, or change the shell.
func (sc *simpleCommand) inChild(sh *Shell) bool {
	for _, r := range sc.redirs {
		if !r.plain || !r.fixed && sh.opts&optNounset != 0 {
			return true
		}
	}
	return false
}

// redirectedProgram makes the redirections and runs the program, in a subshell.
func (sc *simpleCommand) redirectedProgram(sub *Shell, argv []string) ctl {
	sub.leaves = true
	restore, ok := sub.redirect(sc.redirs)
	if !ok {
		return sub.redirectFailed(nil)
	}
	defer restore.undo(sub)
	k := sub.program(argv)
	if sub.dead != nil {
		sc.tellDeath(sub)
	}
	return k
}

// redirectFailed is what becomes of a command one of whose redirections failed.
func (sh *Shell) redirectFailed(b *builtin) ctl {
	if sh.pending != ctlNone {
		return sh.take()
	}
	sh.status = 1
	if b != nil && b.special && sh.opts&optPosix != 0 && !sh.interactive() {
		return ctlExit
	}
	return ctlNone
}

// dispatch runs the command that argv names: a function, a builtin or a program.
func (sc *simpleCommand) dispatch(sh *Shell, argv []string) ctl {
	var f *function
	b := sc.builtin
	if sc.name != "" && argv[0] == sc.name {
		f = sh.funcs[sc.id]
	} else {
		f = sh.function(argv[0])
		b = sh.names.builtin(argv[0])
	}
	switch {
	case argv[0] != "" && argv[0][0] == '%' && sh.stageLevel != sh.level():
		return sh.runBuiltin(sh.names.builtin("fg"), argv)
	case f != nil && !(b != nil && b.special && sh.opts&optPosix != 0):
		for i := max(0, len(sh.locals)-len(sc.assigns)); i < len(sh.locals); i++ {
			if l := &sh.locals[i]; l.by == byPrefix {
				l.by = byCall
			}
		}
		return sh.call(f, argv)
	case b != nil && !(sh.disabled != nil && sh.disabled[b.name]):
		return sh.runBuiltin(b, argv)
	}
	return sh.program(argv)
}

// exec runs the exec builtin, whose redirections stay.
func (sc *simpleCommand) exec(sh *Shell, argv []string) ctl {
	if sh.hooks&hookTrace != 0 {
		sh.traceWords(argv)
	}
	restore, ok := sh.redirect(sc.redirs)
	if !ok {
		if sh.pending != ctlNone {
			return sh.take()
		}
		sh.status = 1
		if !sh.interactive() && sh.opts&optPosix != 0 {
			return ctlExit
		}
		return ctlNone
	}
	mark := len(sh.locals)
	for _, a := range sc.assigns {
		if !sh.prefix(a, false) {
			sh.unwind(mark)
			return sh.takeAssign()
		}
	}
	k := builtinExec(sh, argv[1:])
	if k != ctlNone || len(argv) == 1 || len(argv) == 2 && argv[1] == "--" {
		restore.keep()
	} else {
		restore.undo(sh)
	}
	sh.unwind(mark)
	return k
}
