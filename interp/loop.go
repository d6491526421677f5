package interp

import (
	"fmt"

	"github.com/limpet-sh/limpet/internal/unparse"
	"mvdan.cc/sh/v3/syntax"
)

// loop compiles the body of a loop.
func (c *compiler) loop(list []*syntax.Stmt) node { return c.block(list) }

// after says what a loop does when its body or condition has ended with k:
// whether it ends, and with what.
func (sh *Shell) after(k ctl) (end bool, out ctl) {
	switch k {
	case ctlNone:
		return false, ctlNone
	case ctlBreak:
		if sh.levels--; sh.levels > 0 {
			return true, k
		}
		return true, ctlNone
	case ctlContinue:
		if sh.levels--; sh.levels > 0 {
			return true, k
		}
		return false, ctlNone
	}
	return true, k
}

func (c *compiler) whileClause(cmd *syntax.WhileClause) node {
	cond, body, until := c.condition(cmd.Cond), c.loop(cmd.Do), cmd.Until
	return func(sh *Shell) ctl {
		sh.loops++
		defer func() { sh.loops-- }()
		status := 0
		for {
			k := cond(sh)
			if k == ctlNone && (sh.status == 0) == until {
				sh.status = status
				return ctlNone
			}
			if k == ctlNone {
				k = body(sh)
				status = sh.status
			}
			if k != ctlNone {
				if end, out := sh.after(k); end {
					return out
				}
			}
		}
	}
}

func (c *compiler) forClause(cmd *syntax.ForClause) node {
	if name, bad := badVariable(cmd); bad {
		return func(sh *Shell) ctl { return sh.badIdentifier(name) }
	}
	body := c.loop(cmd.Do)
	switch loop := cmd.Loop.(type) {
	case *syntax.CStyleLoop:
		return keepingLine(c.at, c.cStyle(loop, body))
	case *syntax.WordIter:
		if cmd.Select {
			return keepingLine(c.at, c.selectClause(loop, body))
		}
		return keepingLine(c.at, c.forIn(loop, body))
	}
	panic(fmt.Sprintf("interp: no such loop: %T", cmd.Loop))
}

// keepingLine runs a command on a line of its own, and makes what it does to the line of
// the reader end with it.
func keepingLine(line int, run node) node {
	return func(sh *Shell) ctl {
		lost, outer := sh.lostLine, sh.line
		if line > 0 {
			sh.line = line
		}
		k := run(sh)
		if sh.lostLine = lost; k == ctlNone {
			sh.line = outer
		}
		return k
	}
}

// badVariable returns the variable of a loop that has an invalid name.
func badVariable(cmd *syntax.ForClause) (name string, bad bool) {
	loop, ok := cmd.Loop.(*syntax.WordIter)
	if !ok {
		return "", false
	}
	return loop.Name.Value, !isName(loop.Name.Value)
}

// badIdentifier reports an invalid name of a loop's variable or of a function.
func (sh *Shell) badIdentifier(name string) ctl {
	sh.errorf("`%s': not a valid identifier", name)
	if sh.strict() {
		sh.status = usageStatus
		return ctlExit
	}
	return sh.done(1)
}

// items compiles the words of a for or select loop: the positional parameters
// where it has none.
func (c *compiler) items(loop *syntax.WordIter) (fields, string) {
	if !loop.InPos.IsValid() {
		return func(sh *Shell, dst []string) []string { return append(dst, sh.params...) }, `"$@"`
	}
	text := ""
	for i, w := range loop.Items {
		if i > 0 {
			text += " "
		}
		text += c.text(w.Pos(), w.End())
	}
	return c.fields(loop.Items), text
}

func (c *compiler) forIn(loop *syntax.WordIter, body node) node {
	line := c.at
	items, text := c.items(loop)
	name := loop.Name.Value
	id := c.id(name)
	head := "for " + name + " in " + text
	describe := func() string { return head }
	return func(sh *Shell) ctl {
		words := items(sh, nil)
		if sh.pending != ctlNone {
			return sh.take()
		}
		held, ok := sh.holdWords(words)
		if !ok {
			return sh.take()
		}
		defer func() { sh.hold(-held) }()
		sh.loops++
		defer func() { sh.loops-- }()
		if len(words) == 0 {
			sh.status = 0
		}
		for _, w := range words {
			sh.begins(describe)
			if sh.hooks&hookCommand != 0 {
				if k, run := sh.beforeCommand(line); !run {
					return k
				}
				sh.trace(head)
			}
			if sh.due() {
				if k := sh.poll(); k != ctlNone {
					return k
				}
			}
			if !sh.forCommand(func() bool { return sh.assignLoop(id, w) }) {
				sh.status = 1
				if sh.pending == ctlNone && sh.strict() {
					sh.status = sh.fatalStatus()
					return ctlExit
				}
				return sh.take()
			}
			if k := body(sh); k != ctlNone {
				if end, out := sh.after(k); end {
					return out
				}
			}
		}
		return ctlNone
	}
}

func (c *compiler) cStyle(loop *syntax.CStyleLoop, body node) node {
	line := c.at
	texts := unparse.Sections(loop, c.src)
	exprs := make([]shownArith, len(texts)) // the beginning, the condition, the step
	describe := make([]func() string, len(texts))
	for i, text := range texts {
		exprs[i] = c.shownArith(text, 1)
		describe[i] = func() string { return "((" + text + "))" }
	}
	eval := func(sh *Shell, which int) (int64, ctl) {
		sh.line = line
		sh.begins(describe[which])
		if sh.hooks&hookCommand != 0 {
			if k, run := sh.beforeCommand(line); !run {
				return 0, k
			}
		}
		n := exprs[which].run(sh)
		if sh.pending != ctlNone {
			k := sh.take()
			sh.status = 1
			if k == ctlDiscard && !sh.lost {
				k = ctlBreak // of this loop alone
				sh.levels = 1
			}
			return 0, k
		}
		return n, ctlNone
	}
	return func(sh *Shell) ctl {
		sh.loops++
		defer func() { sh.loops-- }()
		if _, k := eval(sh, 0); k != ctlNone {
			_, out := sh.after(k)
			return out
		}
		for turns := 0; ; turns = 1 {
			n, k := eval(sh, 1)
			if k != ctlNone {
				_, out := sh.after(k)
				return out
			}
			if n == 0 {
				if turns == 0 {
					sh.status = 0
				}
				return ctlNone
			}
			if sh.due() {
				if k := sh.poll(); k != ctlNone {
					return k
				}
			}
			if k := body(sh); k != ctlNone {
				if end, out := sh.after(k); end {
					return out
				}
			}
			if _, k := eval(sh, 2); k != ctlNone {
				_, out := sh.after(k)
				return out
			}
		}
	}
}
