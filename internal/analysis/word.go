package analysis

import (
	"context"
	"regexp"
	"strings"

	"github.com/limpet-sh/limpet/internal/parse"
	"github.com/limpet-sh/limpet/internal/quote"
	"mvdan.cc/sh/v3/syntax"
)

// noContext is for parsing, which is bounded by the size of a script.
var noContext = context.Background()

// word returns the value of a word, where it is known to be one word.
func (z *analyzer) word(w *syntax.Word) Word {
	if w == nil {
		return Word{Known: true}
	}
	var b strings.Builder
	for i, p := range w.Parts {
		if !constant(&b, p, false, i == 0) {
			return Word{Text: z.text(w)}
		}
	}
	return Word{Text: b.String(), Known: true}
}

// constant adds the value of a part of a word, and reports whether it is known.
func constant(b *strings.Builder, p syntax.WordPart, quoted, first bool) bool {
	switch p := p.(type) {
	case *syntax.Lit:
		if !quoted && (strings.ContainsAny(p.Value, "*?{") || p.Value != "[" && strings.Contains(p.Value, "[") || first && strings.HasPrefix(p.Value, "~")) {
			return false
		}
		unescape(b, p.Value, quoted)
		return true
	case *syntax.SglQuoted:
		if p.Dollar {
			b.WriteString(quote.UnescapeANSI(p.Value))
		} else {
			b.WriteString(p.Value)
		}
		return true
	case *syntax.DblQuoted:
		for _, q := range p.Parts {
			if !constant(b, q, true, false) {
				return false
			}
		}
		return true
	}
	return false
}

// unescape adds literal text without its backslashes.
func unescape(b *strings.Builder, s string, quoted bool) {
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) && (!quoted || strings.IndexByte("$`\"\\\n", s[i+1]) >= 0) {
			if i++; s[i] == '\n' {
				continue
			}
		}
		b.WriteByte(s[i])
	}
}

func (z *analyzer) text(n syntax.Node) string {
	from, to := int(n.Pos().Offset()), int(n.End().Offset())
	if from < 0 || to > len(z.src) || from > to {
		return ""
	}
	return z.src[from:to]
}

// node walks a node of the tree. Chains are walked one by one, not into the depth
// that they have in the tree.
func (z *analyzer) node(n syntax.Node) {
	syntax.Walk(n, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.Stmt:
			if chain, ok := n.Cmd.(*syntax.BinaryCmd); ok {
				z.chain(n, chain)
				return false
			}
			return z.statement(n)
		case *syntax.CmdSubst:
			if text, ok := parse.Unparsed(n); ok {
				z.inner(text, z.via, z.at(n.Pos()))
				return false
			}
		case *syntax.ParamExp:
			return z.param(n)
		case *syntax.ArithmExp:
			z.expression(n.X)
			return false
		case *syntax.BinaryTest:
			z.test(n)
		case *syntax.UnaryTest:
			if n.Op == syntax.TsVarSet || n.Op == syntax.TsRefVar {
				z.named(n.X, n)
			}
		case *syntax.Assign:
			z.assign(n)
		}
		return true
	})
}

// chain walks a && b && c, or a | b | c.
func (z *analyzer) chain(s *syntax.Stmt, b *syntax.BinaryCmd) {
	var list []*syntax.Stmt
	for {
		z.redirections(s)
		list = append(list, b.Y)
		s = b.X
		next, ok := s.Cmd.(*syntax.BinaryCmd)
		if !ok {
			break
		}
		b = next
	}
	z.node(s)
	for i := len(list) - 1; i >= 0; i-- {
		z.node(list[i])
	}
}

// param notes what an expansion ${…} does besides reading a variable.
func (z *analyzer) param(p *syntax.ParamExp) bool {
	at := z.at(p.Pos())
	if p.Param != nil && p.Excl && p.Names == 0 && p.Param.Value != "" {
		z.evaluates(p.Param.Value, at)
	}
	if p.Index != nil {
		z.expression(p.Index)
	}
	if p.Slice != nil {
		z.expression(p.Slice.Offset)
		z.expression(p.Slice.Length)
	}
	if p.Repl != nil {
		z.alternative(p.Repl.Orig)
		z.alternative(p.Repl.With)
	}
	if p.Exp != nil {
		switch p.Exp.Op {
		case syntax.AssignUnset, syntax.AssignUnsetOrNull:
			if p.Param != nil {
				z.sets(p.Param.Value, z.word(p.Exp.Word), at)
			}
		case syntax.OtherParamOps:
			if lit := p.Exp.Word.Lit(); lit == "P" {
				z.opaque(at, "a value is expanded as a prompt, which may run commands")
			}
			return false
		}
		z.alternative(p.Exp.Word)
	}
	return false
}

// alternative walks a word within an expansion. In one that is quoted, single
// quotes are no quotes: what is between them is expanded too.
func (z *analyzer) alternative(w *syntax.Word) {
	if w == nil {
		return
	}
	z.node(w)
	z.quotes(w)
}

// quotes walks what stands between single quotes as if they were not there.
func (z *analyzer) quotes(n syntax.Node) {
	syntax.Walk(n, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.SglQuoted:
			z.raw(n.Value, z.at(n.Pos()))
		case *syntax.Lit:
			z.raw(n.Value, z.at(n.Pos()))
		}
		return true
	})
}

// raw walks text that is expanded as a here-document is.
func (z *analyzer) raw(text string, at Position) {
	if !strings.ContainsAny(text, "$`") || z.deep >= maxNested {
		return
	}
	w, err := parse.Document(text, parse.Mode{})
	if err != nil || w == nil {
		z.opaque(at, "an expansion that cannot be read")
		return
	}
	outer, fix := z.src, z.fix
	z.src, z.fix = text, &at
	z.deep++
	z.node(w)
	z.deep--
	z.src, z.fix = outer, fix
}

var identifier = regexp.MustCompile(`[A-Za-z_][A-Za-z_0-9]*`)

// expression walks an arithmetic expression, whose variables are evaluated as
// expressions in turn, with the command substitutions of their subscripts.
func (z *analyzer) expression(x syntax.ArithmExpr) {
	if w, word := x.(*syntax.Word); x != nil && (!word || w != nil) {
		z.assigned(z.text(x), z.at(x.Pos()))
	}
	stack := []syntax.ArithmExpr{x}
	for len(stack) > 0 {
		x := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		switch x := x.(type) {
		case nil:
		case *syntax.BinaryArithm:
			stack = append(stack, x.Y, x.X)
		case *syntax.UnaryArithm:
			stack = append(stack, x.X)
		case *syntax.ParenArithm:
			stack = append(stack, x.X)
		case *syntax.Word:
			if x == nil {
				continue
			}
			z.node(x)
			z.quotes(x)
			z.names(z.text(x), z.at(x.Pos()))
		default:
			z.node(x)
		}
	}
}

// assigns matches what an expression sets: a name before an operator that assigns, or
// beside one that counts.
var assigns = regexp.MustCompile(`([A-Za-z_][A-Za-z_0-9]*)(?:\[[^\n]*\])?\s*(?:(?:[-+*/%&|^]|<<|>>)?=(=?)|\+\+|--)|(?:\+\+|--)\s*([A-Za-z_][A-Za-z_0-9]*)`)

// assigned notes the variables that the text of an expression sets.
func (z *analyzer) assigned(text string, at Position) {
	for _, m := range assigns.FindAllStringSubmatch(text, -1) {
		if m[2] == "" { // and does not compare
			z.out.Variables = append(z.out.Variables, Name{at, m[1] + m[3]})
		}
	}
}

// names notes the variables that text evaluates.
func (z *analyzer) names(text string, at Position) {
	for _, name := range identifier.FindAllString(text, -1) {
		z.evaluates(name, at)
	}
}

func (z *analyzer) evaluates(name string, at Position) {
	if _, ok := z.evaluated[name]; !ok {
		z.evaluated[name] = at
	}
}

// test notes the expressions of [[ ]].
func (z *analyzer) test(n *syntax.BinaryTest) {
	switch n.Op {
	case syntax.TsEql, syntax.TsNeq, syntax.TsLeq, syntax.TsGeq, syntax.TsLss, syntax.TsGtr:
		for _, x := range []syntax.TestExpr{n.X, n.Y} {
			if w, ok := x.(*syntax.Word); ok {
				z.expression(w)
			}
		}
	}
}

// named notes a variable whose name is a word: a subscript in it is evaluated.
func (z *analyzer) named(x syntax.TestExpr, n syntax.Node) {
	w, ok := x.(*syntax.Word)
	if !ok {
		return
	}
	if !z.word(w).Known {
		z.opaque(z.at(n.Pos()), "the name of a variable is computed")
	}
	z.evaluates("", z.at(n.Pos()))
	z.quotes(w)
}
