package interp

import (
	"strings"

	"github.com/limpet-sh/limpet/internal/unparse"
	"github.com/limpet-sh/limpet/limits"
	"mvdan.cc/sh/v3/syntax"
)

// function returns the function called name, or nil.
func (sh *Shell) function(name string) *function {
	id, ok := sh.names.lookup(name)
	if !ok || id >= len(sh.funcs) {
		return nil
	}
	return sh.funcs[id]
}

// A function is a defined function.
type function struct {
	name     string
	body     node
	decl     *syntax.FuncDecl
	source   string // that the positions of decl refer to
	file     string
	line     int
	bodyLine int
	exported bool
	trace    bool
	readonly bool
}

func (c *compiler) funcDecl(cmd *syntax.FuncDecl) node {
	name := cmd.Name.Value
	if strings.ContainsAny(name, "$`'\"\\") {
		return func(sh *Shell) ctl { return sh.badIdentifier(name) }
	}
	id := c.id(name)
	inner := &compiler{names: c.names, src: c.src, file: c.file, line: c.line, spans: c.spans}
	body := inner.stmt(cmd.Body)
	file, line, bodyLine, src := c.file, c.lineOf(cmd), c.lineOf(cmd.Body), c.src
	return func(sh *Shell) ctl {
		if old := sh.funcs[id]; old != nil && old.readonly {
			sh.errorf("%s: readonly function", name)
			sh.status = 1
			return ctlNone
		}
		if sh.strict() && !isName(name) {
			return sh.badIdentifier(name)
		}
		if b := c.names.builtin(name); b != nil && b.special && sh.opts&optPosix != 0 {
			sh.errorf("`%s': is a special builtin", name)
			sh.status = 2
			return ctlExit
		}
		f := &function{name: name, body: body, decl: cmd, source: src, file: file, line: line, bodyLine: bodyLine}
		if old := sh.funcs[id]; old != nil {
			f.exported, f.trace = old.exported, old.trace
			if f.exported {
				sh.env = nil
			}
		} else if !sh.hold(512) {
			return sh.take()
		}
		sh.setFunc(id, f)
		sh.status = 0
		return ctlNone
	}
}

// call calls a function.
func (sh *Shell) call(f *function, argv []string) ctl {
	if sh.funcNest > 0 && sh.nested() >= sh.funcNest {
		sh.errorf("%s: maximum function nesting level exceeded (%d)", f.name, sh.funcNest)
		sh.status = 1
		return ctlDiscard
	}
	if !sh.enter() {
		return sh.take()
	}
	held := sh.paramsHeld
	sh.paramsHeld = 0
	if !sh.holdParams(16 * (len(argv) - 1)) { // the words are charged by the command
		sh.depth--
		return sh.take()
	}
	params := make([]string, len(argv)-1)
	copy(params, argv[1:])
	sh.frames = append(sh.frames, frame{name: f.name, file: f.file, line: sh.line, caller: sh.file, params: sh.params, paramsHeld: held, locals: len(sh.locals), isFunc: true, loops: sh.loops, getopt: sh.getopt})
	errLine := sh.errLine
	sh.params, sh.loops, sh.file, sh.line = params, 0, f.file, f.bodyLine
	k, run := ctlNone, true
	if sh.hooks&hookFunction != 0 {
		k, run = sh.enterFunction(f)
	}
	if run {
		k = f.body(sh)
	}
	if sh.hooks&hookReturn != 0 {
		k = sh.leaveFunction(k)
	}
	fr := &sh.frames[len(sh.frames)-1]
	if sh.ownsOptind(fr.locals) {
		sh.getopt = fr.getopt
	}
	if fr.locals < len(sh.locals) {
		sh.unwind(fr.locals)
	}
	sh.hold(-sh.paramsHeld)
	sh.params, sh.paramsHeld, sh.loops, sh.file, sh.line = fr.params, fr.paramsHeld, fr.loops, fr.caller, fr.line
	sh.errLine = errLine
	if fr.suspended != nil {
		sh.restoreTraps()
	}
	*fr = frame{}
	sh.frames = sh.frames[:len(sh.frames)-1]
	sh.depth--
	switch k {
	case ctlReturn:
		k = ctlNone
	case ctlBreak, ctlContinue: // Bash: only loops of the function count
		k = ctlNone
	}
	return k
}

// ownsOptind reports whether a function, whose local variables begin at mark, has
// an OPTIND of its own.
func (sh *Shell) ownsOptind(mark int) bool {
	mark = min(mark, len(sh.locals)) // an exit has brought all back
	for i := range sh.locals[mark:] {
		if sh.locals[mark+i].id == idOPTIND {
			return true
		}
	}
	for i := mark - 1; i >= 0 && sh.locals[i].by == byCall; i-- {
		if sh.locals[i].id == idOPTIND {
			return true
		}
	}
	return false
}

// maxFunctionText bounds the text of one function.
const maxFunctionText = 8 << 20

// printFunction returns a function as declare -f prints it.
func (sh *Shell) printFunction(f *function) string {
	text, err := unparse.Function(f.name, f.decl.Body, f.source, maxFunctionText)
	if err != nil {
		sh.stop(sh.x.meter.Exceed(limits.Memory))
		return ""
	}
	return text
}

// nested returns how many functions are running.
func (sh *Shell) nested() int {
	n := 0
	for i := range sh.frames {
		if sh.frames[i].isFunc {
			n++
		}
	}
	return n
}
