package interp

import "mvdan.cc/sh/v3/syntax"

// condition compiles a list whose status decides something; errexit does not
// apply to it.
func (c *compiler) condition(list []*syntax.Stmt) node {
	run := c.block(list)
	return func(sh *Shell) ctl {
		sh.quiet++
		k := run(sh)
		sh.quiet--
		return k
	}
}

// andOr compiles a chain of && and ||, which the parser nests to the left.
func (c *compiler) andOr(cmd *syntax.BinaryCmd) node {
	type link struct {
		run node
		and bool // joined to what is before it by &&
	}
	var chain []link
	for {
		chain = append(chain, link{c.stmt(cmd.Y), cmd.Op == syntax.AndStmt})
		left, ok := cmd.X.Cmd.(*syntax.BinaryCmd)
		if !ok || left.Op == syntax.Pipe || left.Op == syntax.PipeAll || cmd.X.Negated || cmd.X.Background || len(cmd.X.Redirs) > 0 {
			chain = append(chain, link{run: c.stmt(cmd.X)})
			break
		}
		cmd = left
	}
	if len(chain) == 2 {
		x, y, and := chain[1].run, chain[0].run, chain[0].and
		return func(sh *Shell) ctl {
			sh.quiet++
			k := x(sh)
			sh.quiet--
			if k != ctlNone || (sh.status == 0) != and {
				return k
			}
			return y(sh)
		}
	}
	return func(sh *Shell) ctl {
		for i := len(chain) - 1; i >= 0; i-- {
			if i < len(chain)-1 && (sh.status == 0) != chain[i].and {
				continue
			}
			if i == 0 {
				return chain[0].run(sh)
			}
			sh.quiet++
			k := chain[i].run(sh)
			sh.quiet--
			if k != ctlNone {
				return k
			}
		}
		return ctlNone
	}
}

func (c *compiler) ifClause(cmd *syntax.IfClause) node {
	type branch struct{ cond, then node }
	var branches []branch
	var last node // else
	for ; cmd != nil; cmd = cmd.Else {
		if len(cmd.Cond) == 0 {
			last = c.block(cmd.Then)
			break
		}
		branches = append(branches, branch{c.condition(cmd.Cond), c.block(cmd.Then)})
	}
	if len(branches) == 1 {
		cond, then := branches[0].cond, branches[0].then
		return func(sh *Shell) ctl {
			if k := cond(sh); k != ctlNone {
				return k
			}
			if sh.status == 0 {
				return then(sh)
			}
			if last != nil {
				return last(sh) // which sees the status of the condition
			}
			sh.status = 0
			return ctlNone
		}
	}
	return func(sh *Shell) ctl {
		for i := range branches {
			if k := branches[i].cond(sh); k != ctlNone {
				return k
			}
			if sh.status == 0 {
				return branches[i].then(sh)
			}
		}
		if last != nil {
			return last(sh)
		}
		sh.status = 0
		return ctlNone
	}
}

func (c *compiler) caseClause(cmd *syntax.CaseClause) node {
	type arm struct {
		patterns []matcher
		body     node
		empty    bool
		op       syntax.CaseOperator
	}
	word := c.word(cmd.Word)
	arms := make([]arm, len(cmd.Items))
	for i, item := range cmd.Items {
		arms[i].body, arms[i].empty, arms[i].op = c.block(item.Stmts), len(item.Stmts) == 0, item.Op
		for _, p := range item.Patterns {
			arms[i].patterns = append(arms[i].patterns, c.matcher(p, false))
		}
	}
	head := "case " + c.text(cmd.Word.Pos(), cmd.Word.End()) + " in "
	describe := func() string { return head }
	line := c.at
	return func(sh *Shell) ctl {
		sh.begins(describe)
		if sh.hooks&hookCommand != 0 {
			if k, run := sh.beforeCommand(line); !run {
				return k
			}
			sh.trace(head[:len(head)-1])
		}
		s := word(sh)
		if sh.pending != ctlNone {
			return sh.take()
		}
		held, ok := sh.holdText(s)
		if !ok {
			return sh.take()
		}
		defer func() { sh.hold(-held) }()
		fall, none := false, true
		for i := range arms {
			a := &arms[i]
			hit := fall
			for j := 0; j < len(a.patterns) && !hit; j++ {
				hit = a.patterns[j](sh, s)
				if sh.pending != ctlNone {
					return sh.take()
				}
			}
			fall = false
			if !hit {
				continue
			}
			if none = false; a.empty {
				sh.status = 0
			}
			if k := a.body(sh); k != ctlNone {
				return k
			}
			switch a.op {
			case syntax.Fallthrough:
				fall = true
			case syntax.Resume:
			default:
				return ctlNone
			}
		}
		if none {
			sh.status = 0
		}
		return ctlNone
	}
}
