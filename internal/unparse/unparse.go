// Package unparse writes commands as bash writes them: functions in declare -f
// and type, single commands in BASH_COMMAND, jobs and traces. The layout is
// that of print_cmd.c in bash 5.2, with its peculiarities, such as the blank
// after a brace and here-documents that come late.
package unparse

import (
	"errors"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/limpet-sh/limpet/internal/parse"
)

// ErrTooLong reports text longer than the limit given. The layout of deeply
// nested commands grows with the square of their size.
var ErrTooLong = errors.New("command text too long")

const indentation = 4

// Function returns the definition of a function as declare -f prints it,
// without a newline at the end. Positions in body refer to src. The result is
// at most limit bytes; zero does not bound it.
func Function(name string, body *syntax.Stmt, src string, limit int) (string, error) {
	return define(&printer{src: src, limit: limit}, name, body)
}

// Source returns what defines the function again: what [Function] does, but for
// what bash prints otherwise than it reads it.
func Source(name string, body *syntax.Stmt, src string, limit int) (string, error) {
	return define(&printer{src: src, limit: limit, exact: true}, name, body)
}

func define(p *printer, name string, body *syntax.Stmt) (string, error) {
	if reserved(name) {
		p.write("function ")
	}
	p.write(name + " () \n{ \n")
	p.functionBody(body)
	return p.result()
}

// Exported returns the value of the environment variable that passes a function
// on. It is bounded as [Function] is.
func Exported(body *syntax.Stmt, src string, limit int) (string, error) {
	p := printer{src: src, limit: limit, flat: true}
	p.write("() { ")
	p.functionBody(body)
	return p.result()
}

// Command returns a command on as few lines as bash uses for BASH_COMMAND and
// for jobs. It is bounded as [Function] is.
func Command(s *syntax.Stmt, src string, limit int) (string, error) {
	p := printer{src: src, limit: limit}
	p.stmt(s)
	return p.result()
}

// List returns several commands as [Command] does.
func List(stmts []*syntax.Stmt, src string, limit int) (string, error) {
	p := printer{src: src, limit: limit}
	p.list(stmts)
	return p.result()
}

// Head returns the first line of a loop or a case command, as bash shows it
// in BASH_COMMAND and in traces before each turn, or "" for other commands.
func Head(c syntax.Command, src string) string {
	p := printer{src: src}
	switch c := c.(type) {
	case *syntax.ForClause:
		if iter, ok := c.Loop.(*syntax.WordIter); ok {
			p.iteration(c, iter)
		}
	case *syntax.CaseClause:
		p.write("case " + p.word(c.Word) + " in ")
	}
	return p.b.String()
}

// A Span is the lines of a command, counted from 0.
type Span struct{ First, Last int }

// Spans returns on which lines commands stand that bash keeps as text, such as
// those of $(…), and those within them. It is bounded as [Function] is.
func Spans(stmts []*syntax.Stmt, src string, limit int) (map[*syntax.Stmt]Span, error) {
	p := printer{src: src, limit: limit, substituted: true, spans: map[*syntax.Stmt]Span{}}
	p.list(stmts)
	return p.spans, p.err
}

// Sections returns the three expressions of a for loop as bash shows them: 1
// where there is none.
func Sections(loop *syntax.CStyleLoop, src string) []string {
	p := printer{src: src}
	return p.sections(loop)
}

// Assign returns an assignment as bash shows it in traces, a list with its
// values on one line.
func Assign(a *syntax.Assign, src string) string {
	p := printer{src: src}
	return p.assign(a)
}

// Word returns a word as bash keeps it: without escaped newlines, with the
// text of $'…' decoded and commands in it laid out.
func Word(w *syntax.Word, src string) string {
	p := printer{src: src}
	return p.word(w)
}

// reserved reports whether a function's name must be introduced by function.
func reserved(name string) bool {
	return syntax.IsKeyword(name)
}

// functionBody prints what stands between the braces of a function, and the
// closing one.
func (p *printer) functionBody(body *syntax.Stmt) {
	p.function++
	p.indent += p.level()
	block, ok := body.Cmd.(*syntax.Block)
	if ok {
		p.list(block.Stmts)
	} else {
		p.stmt(body)
	}
	p.flush()
	p.indent -= p.level()
	p.function--
	if ok && len(body.Redirs) > 0 {
		p.newline("} ")
		p.redirects(body.Redirs)
	} else {
		p.newline("}")
		p.wasHeredoc = false
	}
}

// stmt prints a command with its redirections.
func (p *printer) stmt(s *syntax.Stmt) {
	p.begin()
	if p.spans != nil {
		first, whole := p.line, s
		defer func() { p.spans[whole] = Span{first, p.line} }()
	}
	negated, timed, posix := s.Negated, false, false
	for {
		tc, ok := s.Cmd.(*syntax.TimeClause)
		if !ok {
			break
		}
		timed, posix = true, posix || tc.PosixFormat
		if tc.Stmt == nil {
			s = &syntax.Stmt{}
			break
		}
		s = tc.Stmt
		negated = negated != s.Negated
	}
	if timed {
		p.write("time ")
		if posix {
			p.write("-p ")
		}
	}
	if negated {
		p.write("! ")
	}
	p.command(s)
}

func (p *printer) command(s *syntax.Stmt) {
	redirs := s.Redirs
	switch c := s.Cmd.(type) {
	case nil:
		p.redirects(redirs)
		return
	case *syntax.CallExpr, *syntax.DeclClause, *syntax.LetClause:
		p.simple(s)
		return
	case *syntax.BinaryCmd:
		p.binary(c)
	case *syntax.Block:
		p.block(c)
	case *syntax.Subshell:
		p.write("( ")
		p.skip++
		p.list(c.Stmts)
		p.flush()
		p.write(" )")
	case *syntax.IfClause:
		p.ifClause(c)
	case *syntax.WhileClause:
		p.whileClause(c)
	case *syntax.ForClause:
		p.forClause(c)
	case *syntax.CaseClause:
		p.caseClause(c)
	case *syntax.ArithmCmd:
		p.write("((" + p.between(c.Left, 2, c.Right, c.X) + "))")
	case *syntax.TestClause:
		p.write("[[ ")
		p.test(c.X, false)
		p.write(" ]]")
	case *syntax.FuncDecl:
		p.nested(c, redirs)
		return
	case *syntax.CoprocClause:
		p.coproc(c)
	}
	if len(redirs) > 0 {
		p.write(" ")
		p.redirects(redirs)
	}
}

// nested prints a function within other commands.
func (p *printer) nested(c *syntax.FuncDecl, redirs []*syntax.Redirect) {
	body := *c.Body
	body.Redirs = append(body.Redirs[:len(body.Redirs):len(body.Redirs)], redirs...)
	p.write("function " + c.Name.Value + " () \n")
	p.margin()
	p.write("{ \n")
	p.functionBody(&body)
}

func (p *printer) coproc(c *syntax.CoprocClause) {
	name := "COPROC "
	switch {
	case c.Name != nil:
		name = p.word(c.Name) + " "
	case p.exact: // before a simple command the name would be its first word
		name = ""
	}
	p.write("coproc " + name)
	p.skip++
	p.stmt(c.Stmt)
}

// simple prints words, and behind them redirections.
func (p *printer) simple(s *syntax.Stmt) {
	var words []string
	switch c := s.Cmd.(type) {
	case *syntax.CallExpr:
		for _, a := range c.Assigns {
			words = append(words, p.assign(a))
		}
		for _, w := range c.Args {
			words = append(words, p.word(w))
		}
	case *syntax.DeclClause:
		words = append(words, c.Variant.Value)
		for _, a := range c.Args {
			words = append(words, p.assign(a))
		}
	case *syntax.LetClause:
		words = append(words, p.raw(int(c.Pos().Offset()), int(c.End().Offset()), nil))
	}
	p.write(strings.Join(words, " "))
	if len(s.Redirs) > 0 {
		if len(words) > 0 {
			p.write(" ")
		}
		p.redirects(s.Redirs)
	}
}

func (p *printer) assign(a *syntax.Assign) string {
	if a.Array == nil {
		var pieces pieces
		pieces.index(p, a.Index)
		pieces.word(p, a.Value)
		return p.raw(int(a.Pos().Offset()), p.assignEnd(a), pieces)
	}
	var b strings.Builder
	head := pieces{}
	head.index(p, a.Index)
	b.WriteString(p.raw(int(a.Pos().Offset()), int(a.Array.Lparen.Offset()), head))
	b.WriteByte('(')
	for i, e := range a.Array.Elems {
		if i > 0 {
			b.WriteByte(' ')
		}
		if e.Index != nil {
			b.WriteString("[" + p.subscript(e.Index) + "]")
			if parse.Appends(e) {
				b.WriteByte('+')
			}
			b.WriteByte('=')
		}
		if e.Value != nil {
			b.WriteString(p.word(e.Value))
		}
	}
	b.WriteByte(')')
	return b.String()
}
