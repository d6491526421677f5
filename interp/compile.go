package interp

import (
	"fmt"

	"github.com/limpet-sh/limpet/internal/unparse"
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

	at         int                           // the line of the command that is being compiled
	spans      map[*syntax.Stmt]unparse.Span // of the commands of a substitution, after its first line
	procSubsts int                           // how many process substitutions have been compiled
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

func (c *compiler) endLine(n syntax.Node) int { return int(n.End().Line()) + c.line }

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

// bare compiles a command with its redirections and nothing else around it.
func (c *compiler) bare(s *syntax.Stmt) node {
	run, _ := c.redirecting(s)
	return run
}

func (c *compiler) redirecting(s *syntax.Stmt) (node, kind) {
	before, at := c.procSubsts, c.at
	if line := c.commandLine(s); line > 0 {
		c.at = line
	}
	defer func() { c.at = at }()
	run, k := c.command(s)
	if len(s.Redirs) > 0 && !redirectsItself(s.Cmd) {
		run = c.redirected(s.Redirs, run)
	}
	if c.procSubsts > before {
		run = closingSubsts(run)
	}
	return run, k
}

// foreground compiles a command without its &.
func (c *compiler) foreground(s *syntax.Stmt) node {
	run, k := c.redirecting(s)
	line := c.commandLine(s)
	switch {
	case s.Negated:
		return func(sh *Shell) ctl {
			if sh.steps--; sh.steps < 0 || sh.proc.notice.Load() {
				if k := sh.poll(); k != ctlNone {
					return k
				}
			}
			if line > 0 {
				sh.line = line
			}
			quiet := b2i(sh.hooks&hookErrexit != 0) // Bash: ! shields what it negates only from a set -e before it
			sh.quiet += quiet
			out := run(sh)
			sh.quiet -= quiet
			if k == ordinary {
				sh.piped, sh.lastStatus = false, sh.status
			}
			if out == ctlNone {
				sh.status = b2i(sh.status == 0)
			}
			return out
		}
	case k == ordinary:
		return func(sh *Shell) ctl {
			if sh.steps--; sh.steps < 0 || sh.proc.notice.Load() {
				if k := sh.poll(); k != ctlNone {
					return k
				}
			}
			sh.line = line
			k := run(sh)
			sh.piped, sh.lastStatus = false, sh.status
			if sh.status != 0 && sh.hooks&hookError != 0 && k == ctlNone {
				return sh.onError(line)
			}
			return k
		}
	case k == pipeline:
		return func(sh *Shell) ctl {
			if sh.steps--; sh.steps < 0 || sh.proc.notice.Load() {
				if k := sh.poll(); k != ctlNone {
					return k
				}
			}
			k := run(sh)
			if sh.status != 0 && sh.hooks&hookError != 0 && k == ctlNone {
				return sh.onError(sh.line)
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
		if line > 0 {
			sh.line = line
		}
		return run(sh)
	}
}

// commandLine returns the line that LINENO has for a command, where bash's
// parser stood when it knew what the command was: after the second word of a
// simple command, at the end of a subshell. It is 0 for commands that do not
// change LINENO.
func (c *compiler) commandLine(s *syntax.Stmt) int {
	line := c.sourceLine(s)
	span, ok := c.spans[s]
	if !ok || line == 0 {
		return line
	}
	switch s.Cmd.(type) {
	case *syntax.Subshell, *syntax.ArithmCmd, *syntax.TestClause:
		return span.Last
	}
	return min(span.First+line-c.lineOf(s), span.Last)
}

func (c *compiler) sourceLine(s *syntax.Stmt) int {
	switch cmd := s.Cmd.(type) {
	case nil:
		return c.simpleLine(nil, nil, s.Redirs)
	case *syntax.CallExpr:
		return c.simpleLine(cmd.Assigns, cmd.Args, s.Redirs)
	case *syntax.DeclClause:
		return c.simpleLine(cmd.Args, []*syntax.Word{{Parts: []syntax.WordPart{cmd.Variant}}}, s.Redirs)
	case *syntax.LetClause:
		return c.endLine(cmd.Exprs[0])
	case *syntax.Subshell, *syntax.ArithmCmd:
		return c.endLine(cmd)
	case *syntax.TestClause:
		return c.endLine(cmd.X)
	case *syntax.CaseClause, *syntax.ForClause:
		return c.lineOf(cmd)
	}
	return 0
}

// simpleLine is commandLine for a simple command: bash's parser looks at what
// follows a first word, and not at what follows an assignment or a redirection.
func (c *compiler) simpleLine(assigns []*syntax.Assign, words []*syntax.Word, redirs []*syntax.Redirect) int {
	if len(words) == 0 || len(assigns) > 0 && assigns[0].Pos().Offset() < words[0].Pos().Offset() {
		switch {
		case len(assigns) > 0:
			return c.endLine(assigns[0])
		case len(redirs) > 0:
			return c.endLine(redirs[0].Word)
		}
		return 0
	}
	if len(redirs) > 0 && redirs[0].Pos().Offset() < words[0].Pos().Offset() {
		return c.endLine(redirs[0].Word)
	}
	line := c.endLine(words[0])
	next := syntax.Pos{}
	if len(redirs) > 0 {
		next, line = redirs[0].OpPos, max(line, int(redirs[0].OpPos.Line())+c.line)
	}
	var second syntax.Node
	switch {
	case len(words) > 1:
		second = words[1]
	case len(assigns) > 0: // of declare and its kin
		second = assigns[0]
	}
	if second != nil && (!next.IsValid() || second.Pos().Offset() < next.Offset()) {
		line = c.endLine(second)
	}
	return line
}

// redirectsItself reports whether cmd applies its redirections itself.
func redirectsItself(cmd syntax.Command) bool {
	switch cmd.(type) {
	case nil, *syntax.CallExpr, *syntax.DeclClause, *syntax.Subshell:
		return true
	}
	return false
}

// A kind says what is done about the status of a command.
type kind uint8

const (
	compound kind = iota // nothing: those that it consists of have seen to it
	ordinary             // errexit looks at it, and PIPESTATUS has it
	pipeline             // errexit looks at it
)

// command compiles what a statement runs.
func (c *compiler) command(s *syntax.Stmt) (node, kind) {
	switch cmd := s.Cmd.(type) {
	case nil:
		return c.simple(s, &syntax.CallExpr{}), ordinary
	case *syntax.CallExpr:
		return c.simple(s, cmd), ordinary
	case *syntax.DeclClause:
		return c.declaration(s, cmd), ordinary
	case *syntax.BinaryCmd:
		if cmd.Op == syntax.Pipe || cmd.Op == syntax.PipeAll {
			return c.pipeline(s), pipeline
		}
		return c.andOr(cmd), compound
	case *syntax.Block:
		return c.block(cmd.Stmts), compound
	case *syntax.Subshell:
		return c.subshell(s, cmd), ordinary
	case *syntax.IfClause:
		return c.ifClause(cmd), compound
	case *syntax.WhileClause:
		return c.whileClause(cmd), compound
	case *syntax.ForClause:
		return c.forClause(cmd), compound
	case *syntax.CaseClause:
		return c.caseClause(cmd), compound
	case *syntax.FuncDecl:
		return c.funcDecl(cmd), compound
	case *syntax.ArithmCmd:
		return c.arithCommand(cmd), ordinary
	case *syntax.LetClause:
		return c.letClause(cmd), ordinary
	case *syntax.TestClause:
		return c.testClause(cmd), ordinary
	case *syntax.TimeClause:
		return c.timeClause(cmd), compound
	case *syntax.CoprocClause:
		return c.coproc(cmd), compound
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
		return c.cStyle(loop, body)
	case *syntax.WordIter:
		if cmd.Select {
			return c.selectClause(loop, body)
		}
		return c.forIn(loop, body)
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
		if !sh.hold(16 * len(words)) {
			return sh.take()
		}
		defer sh.hold(-16 * len(words))
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
			if sh.steps--; sh.steps < 0 {
				if k := sh.poll(); k != ctlNone {
					return k
				}
			}
			if !sh.forCommand(func() bool { return sh.assignLoop(id, w) }) {
				sh.status = 1
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
	init := c.arithText(c.arithSource(loop.Init), 1)
	cond := c.arithText(c.arithSource(loop.Cond), 1)
	post := c.arithText(c.arithSource(loop.Post), 1)
	line := c.at
	texts := unparse.Sections(loop, c.src)
	describe := make([]func() string, len(texts))
	for i, text := range texts {
		describe[i] = func() string { return "((" + text + "))" }
	}
	eval := func(sh *Shell, e arith, which int) (int64, ctl) {
		sh.begins(describe[which])
		if sh.hooks&hookCommand != 0 {
			sh.line = line
			if k, run := sh.beforeCommand(line); !run {
				return 0, k
			}
			sh.trace("(( " + texts[which] + " ))")
		}
		n := sh.named("((", e)
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
		for turns := 0; ; turns = 1 {
			n, k := eval(sh, cond, 1)
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
		empty    bool
		op       syntax.CaseOperator
	}
	word := c.word(cmd.Word)
	arms := make([]arm, len(cmd.Items))
	for i, item := range cmd.Items {
		arms[i].body, arms[i].empty, arms[i].op = c.block(item.Stmts), len(item.Stmts) == 0, item.Op
		for _, p := range item.Patterns {
			arms[i].patterns = append(arms[i].patterns, c.matcher(p))
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

func (c *compiler) arithCommand(cmd *syntax.ArithmCmd) node {
	text := c.text(cmd.Left, cmd.Right)
	if len(text) >= 2 {
		text = text[2:]
	}
	eval := c.arithText(text, 0)
	describe := func() string { return "((" + text + "))" }
	line := c.at
	return func(sh *Shell) ctl {
		sh.begins(describe)
		if sh.hooks&hookCommand != 0 {
			if k, run := sh.beforeCommand(line); !run {
				return k
			}
			sh.trace("(( " + text + " ))")
		}
		n := sh.named("((", eval)
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
	if k == ctlDiscard && !sh.abandoned {
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
