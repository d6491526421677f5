package unparse

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/limpet-sh/limpet/internal/parse/scan"
)

// ifClause prints elif as an if within else, as bash keeps it.
func (p *printer) ifClause(c *syntax.IfClause) {
	depth := 0
	for {
		p.write("if ")
		p.skip++
		p.list(c.Cond)
		p.semicolon()
		p.write(" then\n")
		p.indent += p.level()
		p.list(c.Then)
		p.flush()
		p.indent -= p.level()
		if c.Else == nil {
			break
		}
		c = c.Else
		p.semicolon()
		p.newline("else\n")
		p.indent += p.level()
		if c.ThenPos.IsValid() {
			p.begin()
			depth++
			continue
		}
		p.list(c.Then)
		p.flush()
		p.indent -= p.level()
		break
	}
	p.semicolon()
	p.newline("fi")
	for range depth {
		p.flush()
		p.indent -= p.level()
		p.semicolon()
		p.newline("fi")
	}
}

func (p *printer) whileClause(c *syntax.WhileClause) {
	if c.Until {
		p.write("until ")
	} else {
		p.write("while ")
	}
	p.skip++
	p.list(c.Cond)
	p.flush()
	p.semicolon()
	p.write(" do\n")
	p.indent += p.level()
	p.list(c.Do)
	p.flush()
	p.indent -= p.level()
	p.semicolon()
	p.newline("done")
}

func (p *printer) forClause(c *syntax.ForClause) {
	switch loop := c.Loop.(type) {
	case *syntax.WordIter:
		p.iteration(c, loop)
		p.write(";")
	case *syntax.CStyleLoop:
		p.write("for ((" + strings.Join(p.sections(loop), "; ") + "))")
	}
	p.newline("do\n")
	p.indent += p.level()
	p.list(c.Do)
	p.flush()
	p.semicolon()
	p.indent -= p.level()
	p.newline("done")
}

// iteration prints for or select up to its words.
func (p *printer) iteration(c *syntax.ForClause, loop *syntax.WordIter) {
	keyword := "for "
	if c.Select {
		keyword = "select "
	}
	words := make([]string, len(loop.Items))
	for i, w := range loop.Items {
		words[i] = p.word(w)
	}
	if !loop.InPos.IsValid() {
		words = []string{`"$@"`}
	}
	p.write(keyword + loop.Name.Value + " in " + strings.Join(words, " "))
}

// sections returns the three expressions of for ((…)); bash makes 1 of an
// empty one.
func (p *printer) sections(loop *syntax.CStyleLoop) []string {
	var inner pieces
	for _, x := range []syntax.ArithmExpr{loop.Init, loop.Cond, loop.Post} {
		inner.index(p, x)
	}
	start, end := int(loop.Lparen.Offset())+2, int(loop.Rparen.Offset())
	var sections []string
	section := func(end int) {
		text := strings.TrimLeft(p.raw(start, end, inner), " \t\n")
		if text == "" {
			text = "1"
		}
		sections = append(sections, text)
		start = end + 1
	}
	for i := range scan.Plain(p.src, start, end, true) {
		if p.src[i] == ';' {
			section(i)
		}
	}
	section(end)
	return sections
}

func (p *printer) caseClause(c *syntax.CaseClause) {
	p.write("case " + p.word(c.Word) + " in ")
	p.indent += p.level()
	for _, item := range c.Items {
		p.newline("")
		for i, w := range item.Patterns {
			if i > 0 {
				p.write(" | ")
			}
			p.write(p.word(w))
		}
		p.write(")\n")
		p.indent += p.level()
		p.list(item.Stmts)
		p.indent -= p.level()
		p.flush()
		p.newline(item.Op.String())
	}
	p.indent -= p.level()
	p.newline("esac")
}

// test prints an expression within [[ ]].
func (p *printer) test(x syntax.TestExpr, negated bool) {
	for {
		not, ok := x.(*syntax.UnaryTest)
		if !ok || not.Op != syntax.TsNot {
			break
		}
		x, negated = not.X, !negated
	}
	// ! binds to the first term of a list, which the tree has below it.
	if b, ok := x.(*syntax.BinaryTest); ok && (b.Op == syntax.AndTest || b.Op == syntax.OrTest) {
		p.test(b.X, negated)
		p.write(" " + b.Op.String() + " ")
		p.test(b.Y, false)
		return
	}
	if negated {
		p.write("! ")
	}
	switch x := x.(type) {
	case *syntax.Word:
		p.write("-n " + p.word(x))
	case *syntax.ParenTest:
		p.write("( ")
		p.test(x.X, false)
		p.write(" )")
	case *syntax.UnaryTest:
		p.write(p.operator(x.OpPos) + " ")
		p.operand(x.X)
	case *syntax.BinaryTest:
		p.operand(x.X)
		p.write(" " + x.Op.String() + " ")
		p.operand(x.Y)
	}
}

// operand prints an operand.
func (p *printer) operand(x syntax.TestExpr) {
	if w, ok := x.(*syntax.Word); ok {
		p.write(p.word(w))
		return
	}
	p.test(x, false)
}

// operator returns the unary operator at a position as it is written there:
// some have two names.
func (p *printer) operator(pos syntax.Pos) string {
	return p.src[pos.Offset() : pos.Offset()+2]
}
