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

	around     string                        // the word, or what is quoted in it, that is being compiled
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
		judges := false
		switch s.Cmd.(type) {
		case *syntax.TestClause, *syntax.ArithmCmd:
			judges = true
		}
		return func(sh *Shell) ctl {
			if sh.due() {
				if k := sh.poll(); k != ctlNone {
					return k
				}
			}
			outer := sh.line
			if line > 0 {
				sh.line, sh.errLine = line, line
			}
			quiet := b2i(sh.hooks&hookErrexit != 0) // Bash: ! shields what it negates only from a set -e before it
			sh.quiet += quiet
			out := run(sh)
			sh.quiet -= quiet
			if k == ordinary {
				sh.piped, sh.lastStatus = false, sh.status
			}
			if out == ctlNone || out == ctlBreak || out == ctlContinue {
				sh.status = b2i(sh.status == 0)
				sh.line = outer
			}
			if judges { // Bash: PIPESTATUS has what ! makes of these
				sh.piped, sh.lastStatus = false, sh.status
			}
			return out
		}
	case k == ordinary:
		return func(sh *Shell) ctl {
			if sh.due() {
				if k := sh.poll(); k != ctlNone {
					return k
				}
			}
			outer, armed := sh.line, sh.hooks
			sh.line, sh.errLine = line, line
			k := run(sh)
			sh.piped, sh.lastStatus = false, sh.status
			if k != ctlNone {
				return k
			}
			if sh.status != 0 && sh.hooks&hookError != 0 {
				k = sh.onError(line, armed)
			}
			sh.line = outer
			return k
		}
	case k == pipeline:
		return func(sh *Shell) ctl {
			if sh.due() {
				if k := sh.poll(); k != ctlNone {
					return k
				}
			}
			armed := sh.hooks
			k := run(sh)
			if sh.status != 0 && sh.hooks&hookError != 0 && k == ctlNone {
				return sh.onError(sh.errLine, armed)
			}
			return k
		}
	}
	return func(sh *Shell) ctl {
		if sh.due() {
			if k := sh.poll(); k != ctlNone {
				return k
			}
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
	case *syntax.CaseClause:
		return c.endLine(cmd.Word)
	case *syntax.ForClause:
		if _, bad := badVariable(cmd); !bad {
			return c.lineOf(cmd)
		}
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
		return keepingLine(0, c.ifClause(cmd)), compound
	case *syntax.WhileClause:
		return c.whileClause(cmd), compound
	case *syntax.ForClause:
		return c.forClause(cmd), compound
	case *syntax.CaseClause:
		return keepingLine(c.at, c.caseClause(cmd)), compound
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

func (c *compiler) arithCommand(cmd *syntax.ArithmCmd) node {
	text := c.text(cmd.Left, cmd.Right)
	if len(text) >= 2 {
		text = text[2:]
	}
	expr := c.shownArith(text, 0)
	describe := func() string { return "((" + text + "))" }
	line := c.at
	return func(sh *Shell) ctl {
		sh.begins(describe)
		if sh.hooks&hookCommand != 0 {
			if k, run := sh.beforeCommand(line); !run {
				return k
			}
		}
		n := expr.run(sh)
		if sh.pending != ctlNone {
			return sh.takeArith()
		}
		sh.status = b2i(n == 0)
		return ctlNone
	}
}

// takeArith is take for commands that fail, and no more, when their expression
// does, but for the expansions in it.
func (sh *Shell) takeArith() ctl {
	k := sh.take()
	if k == ctlDiscard && !sh.abandoned && !sh.lost {
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
