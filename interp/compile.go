package interp

import (
	"fmt"

	"mvdan.cc/sh/v3/syntax"
)

// A node is a compiled command. Running it sets sh.status.
type node func(sh *Shell) ctl

// A compiler turns syntax trees into closures. What it makes holds numbers of
// names and no state: shells on many goroutines may run it at once.
type compiler struct {
	names *nameTable
	src   string // the source, which the positions of the tree refer to
	file  string
	line  int // added to the line numbers of the tree

	procSubsts int // how many process substitutions have been compiled
}

func (c *compiler) id(name string) int { return c.names.id(name) }

// text returns the source between two positions.
func (c *compiler) text(from, to syntax.Pos) string {
	i, j := int(from.Offset()), int(to.Offset())
	if i > j || j > len(c.src) {
		return ""
	}
	return c.src[i:j]
}

func (c *compiler) lineOf(n syntax.Node) int { return int(n.Pos().Line()) + c.line }

// block compiles a list of commands.
func (c *compiler) block(list []*syntax.Stmt) node {
	nodes := make([]node, len(list))
	for i, s := range list {
		nodes[i] = c.stmt(s)
	}
	switch len(nodes) {
	case 0:
		return func(sh *Shell) ctl { return ctlNone }
	case 1:
		return nodes[0]
	case 2:
		a, b := nodes[0], nodes[1]
		return func(sh *Shell) ctl {
			if k := a(sh); k != ctlNone {
				return k
			}
			return b(sh)
		}
	}
	return func(sh *Shell) ctl {
		for _, n := range nodes {
			if k := n(sh); k != ctlNone {
				return k
			}
		}
		return ctlNone
	}
}

// stmt compiles one command with what stands around it.
func (c *compiler) stmt(s *syntax.Stmt) node {
	if s.Coprocess {
		return c.coproc(&syntax.CoprocClause{Coproc: s.Position, Stmt: s})
	}
	if s.Background {
		return c.background(s)
	}
	return c.foreground(s)
}

// foreground compiles a command without its &.
func (c *compiler) foreground(s *syntax.Stmt) node {
	before := c.procSubsts
	run, checked := c.command(s)
	if len(s.Redirs) > 0 && !isSimple(s.Cmd) {
		run = c.redirected(s.Redirs, run)
	}
	if c.procSubsts > before {
		run = closingSubsts(run)
	}
	line := c.lineOf(s)
	if s.Cmd != nil {
		line = c.lineOf(s.Cmd)
	}
	switch {
	case s.Negated:
		return func(sh *Shell) ctl {
			if sh.steps--; sh.steps < 0 || sh.proc.notice.Load() {
				if k := sh.poll(); k != ctlNone {
					return k
				}
			}
			sh.line = line
			sh.quiet++
			k := run(sh)
			sh.quiet--
			if k == ctlNone {
				sh.status = b2i(sh.status == 0)
			}
			return k
		}
	case checked:
		return func(sh *Shell) ctl {
			if sh.steps--; sh.steps < 0 || sh.proc.notice.Load() {
				if k := sh.poll(); k != ctlNone {
					return k
				}
			}
			sh.line = line
			k := run(sh)
			if sh.status != 0 && sh.hooks&hookError != 0 && k == ctlNone {
				return sh.onError(line)
			}
			return k
		}
	}
	return func(sh *Shell) ctl {
		if sh.steps--; sh.steps < 0 || sh.proc.notice.Load() {
			if k := sh.poll(); k != ctlNone {
				return k
			}
		}
		sh.line = line
		return run(sh)
	}
}

// isSimple reports whether cmd applies its redirections itself.
func isSimple(cmd syntax.Command) bool {
	switch cmd.(type) {
	case nil, *syntax.CallExpr, *syntax.DeclClause:
		return true
	}
	return false
}

// command compiles what a statement runs. The second result says whether
// errexit looks at the status.
func (c *compiler) command(s *syntax.Stmt) (run node, checked bool) {
	switch cmd := s.Cmd.(type) {
	case nil:
		return c.simple(s, &syntax.CallExpr{}), true
	case *syntax.CallExpr:
		return c.simple(s, cmd), true
	case *syntax.DeclClause:
		return c.declaration(s, cmd), true
	case *syntax.BinaryCmd:
		if cmd.Op == syntax.Pipe || cmd.Op == syntax.PipeAll {
			return c.pipeline(s), true
		}
		return c.andOr(cmd), false
	case *syntax.Block:
		return c.block(cmd.Stmts), false
	case *syntax.Subshell:
		return c.subshell(cmd), true
	case *syntax.IfClause:
		return c.ifClause(cmd), false
	case *syntax.WhileClause:
		return c.whileClause(cmd), false
	case *syntax.ForClause:
		return c.forClause(cmd), false
	case *syntax.CaseClause:
		return c.caseClause(cmd), false
	case *syntax.FuncDecl:
		return c.funcDecl(cmd), false
	case *syntax.ArithmCmd:
		return c.arithCommand(cmd), true
	case *syntax.LetClause:
		return c.letClause(cmd), true
	case *syntax.TestClause:
		return c.testClause(cmd), true
	case *syntax.TimeClause:
		return c.timeClause(cmd), false
	case *syntax.CoprocClause:
		return c.coproc(cmd), false
	}
	panic(fmt.Sprintf("interp: no such command: %T", s.Cmd))
}

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
			sh.status = 0
			if last != nil {
				return last(sh)
			}
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
		sh.status = 0
		if last != nil {
			return last(sh)
		}
		return ctlNone
	}
}

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
	body := c.loop(cmd.Do)
	switch loop := cmd.Loop.(type) {
	case *syntax.CStyleLoop:
		return c.cStyle(cmd, loop, body)
	case *syntax.WordIter:
		if cmd.Select {
			return c.selectClause(loop, body)
		}
		return c.forIn(cmd, loop, body)
	}
	panic(fmt.Sprintf("interp: no such loop: %T", cmd.Loop))
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

func (c *compiler) forIn(cmd *syntax.ForClause, loop *syntax.WordIter, body node) node {
	items, text := c.items(loop)
	name := loop.Name.Value
	id := c.id(name)
	head := "for " + name + " in " + text
	line := c.lineOf(cmd)
	return func(sh *Shell) ctl {
		words := items(sh, nil)
		if sh.pending != ctlNone {
			return sh.take()
		}
		if !sh.hold(16 * len(words)) {
			return sh.take()
		}
		defer sh.hold(-16 * len(words))
		sh.loops++
		defer func() { sh.loops-- }()
		sh.status = 0
		for _, w := range words {
			if sh.hooks&hookCommand != 0 {
				if k := sh.beforeCommand(func() string { return head }, line); k != ctlNone {
					return k
				}
				sh.trace(head)
			}
			if sh.steps--; sh.steps < 0 {
				if k := sh.poll(); k != ctlNone {
					return k
				}
			}
			if !sh.assignLoop(id, w) {
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

func (c *compiler) cStyle(cmd *syntax.ForClause, loop *syntax.CStyleLoop, body node) node {
	init := c.arithText(c.arithSource(loop.Init), 1)
	cond := c.arithText(c.arithSource(loop.Cond), 1)
	post := c.arithText(c.arithSource(loop.Post), 1)
	line := c.lineOf(cmd)
	texts := [3]string{c.arithSource(loop.Init), c.arithSource(loop.Cond), c.arithSource(loop.Post)}
	eval := func(sh *Shell, e arith, which int) (int64, ctl) {
		if sh.hooks&hookCommand != 0 {
			sh.line = line
			if k := sh.beforeCommand(func() string { return "((" + texts[which] + "))" }, line); k != ctlNone {
				return 0, k
			}
			if texts[which] != "" {
				sh.trace("(( " + texts[which] + " ))")
			}
		}
		n := e(sh)
		if sh.pending != ctlNone {
			k := sh.take()
			sh.status = 1
			if k == ctlDiscard {
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
		if _, k := eval(sh, init, 0); k != ctlNone {
			_, out := sh.after(k)
			return out
		}
		sh.status = 0
		for {
			n, k := eval(sh, cond, 1)
			if k != ctlNone {
				_, out := sh.after(k)
				return out
			}
			if n == 0 {
				return ctlNone
			}
			if sh.steps--; sh.steps < 0 {
				if k := sh.poll(); k != ctlNone {
					return k
				}
			}
			if k := body(sh); k != ctlNone {
				if end, out := sh.after(k); end {
					return out
				}
			}
			if _, k := eval(sh, post, 2); k != ctlNone {
				_, out := sh.after(k)
				return out
			}
		}
	}
}

func (c *compiler) caseClause(cmd *syntax.CaseClause) node {
	type arm struct {
		patterns []matcher
		body     node
		op       syntax.CaseOperator
	}
	word := c.word(cmd.Word)
	arms := make([]arm, len(cmd.Items))
	for i, item := range cmd.Items {
		arms[i].body, arms[i].op = c.block(item.Stmts), item.Op
		for _, p := range item.Patterns {
			arms[i].patterns = append(arms[i].patterns, c.matcher(p))
		}
	}
	head := "case " + c.text(cmd.Word.Pos(), cmd.Word.End()) + " in "
	line := c.lineOf(cmd)
	return func(sh *Shell) ctl {
		if sh.hooks&hookCommand != 0 {
			if k := sh.beforeCommand(func() string { return head }, line); k != ctlNone {
				return k
			}
			sh.trace(head[:len(head)-1])
		}
		s := word(sh)
		if sh.pending != ctlNone {
			return sh.take()
		}
		sh.status = 0
		fall := false
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
		return ctlNone
	}
}

func (c *compiler) arithCommand(cmd *syntax.ArithmCmd) node {
	text := c.text(cmd.Left, cmd.Right)
	if len(text) >= 2 {
		text = text[2:]
	}
	eval := c.arithText(text, 0)
	line := c.lineOf(cmd)
	return func(sh *Shell) ctl {
		if sh.hooks&hookCommand != 0 {
			if k := sh.beforeCommand(func() string { return "((" + text + "))" }, line); k != ctlNone {
				return k
			}
			sh.trace("((" + text + "))")
		}
		n := eval(sh)
		if sh.pending != ctlNone {
			return sh.takeArith()
		}
		sh.status = b2i(n == 0)
		return ctlNone
	}
}

// takeArith is take for commands that fail, and no more, when their expression
// does.
func (sh *Shell) takeArith() ctl {
	k := sh.take()
	if k == ctlDiscard {
		sh.status = 1
		return ctlNone
	}
	return k
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}
