package unparse

import (
	"cmp"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/limpet-sh/limpet/internal/parse"
	"github.com/limpet-sh/limpet/internal/parse/scan"
	"github.com/limpet-sh/limpet/internal/quote"
)

// word returns a word as bash keeps it.
func (p *printer) word(w *syntax.Word) string {
	if w == nil {
		return ""
	}
	if len(w.Parts) == 1 {
		if lit, ok := w.Parts[0].(*syntax.Lit); ok {
			return lit.Value
		}
	}
	var inner pieces
	inner.word(p, w)
	return p.raw(int(w.Pos().Offset()), int(w.End().Offset()), inner)
}

// A piece is a part of a word that does not print as it is written.
type piece struct {
	start, end int
	text       string
}

type pieces []piece

func (ps *pieces) add(n syntax.Node, text string) {
	*ps = append(*ps, piece{int(n.Pos().Offset()), int(n.End().Offset()), text})
}

func (ps *pieces) word(p *printer, w *syntax.Word) {
	if w != nil {
		ps.parts(p, w.Parts, false)
	}
}

// parts finds the pieces within the parts of a word.
func (ps *pieces) parts(p *printer, parts []syntax.WordPart, quoted bool) {
	for _, part := range parts {
		switch part := part.(type) {
		case *syntax.SglQuoted:
			text := "'" + part.Value + "'"
			if part.Dollar {
				text = quote.Single(quote.UnescapeANSI(part.Value))
			}
			ps.add(part, text)
		case *syntax.DblQuoted:
			if part.Dollar {
				start := int(part.Pos().Offset())
				*ps = append(*ps, piece{start, start + 1, ""})
			}
			ps.parts(p, part.Parts, true)
		case *syntax.ParamExp:
			ps.param(p, part, quoted)
		case *syntax.CmdSubst:
			// Bash parses what is in backquotes, and what could be arithmetic,
			// only when it runs it.
			_, unparsed := parse.Unparsed(part)
			if !part.Backquotes && !unparsed && !strings.HasPrefix(p.src[part.Pos().Offset():], "$((") {
				ps.add(part, "$("+p.substitution(part.Stmts)+")")
			}
		case *syntax.ProcSubst:
			ps.add(part, part.Op.String()+p.substitution(part.Stmts)+")")
		case *syntax.ArithmExp:
			ps.index(p, part.X)
		}
	}
}

// param finds the pieces within ${…}.
func (ps *pieces) param(p *printer, n *syntax.ParamExp, quoted bool) {
	ps.index(p, n.Index)
	if n.Slice != nil {
		ps.index(p, n.Slice.Offset)
		ps.index(p, n.Slice.Length)
	}
	if n.Repl != nil {
		ps.word(p, n.Repl.Orig)
		ps.word(p, n.Repl.With)
	}
	if n.Exp == nil || n.Exp.Word == nil {
		return
	}
	start := len(*ps)
	ps.parts(p, n.Exp.Word.Parts, quoted)
	switch n.Exp.Op {
	case syntax.RemSmallPrefix, syntax.RemLargePrefix, syntax.RemSmallSuffix, syntax.RemLargeSuffix:
		return
	}
	// Within double quotes, single quotes would be kept in the value.
	for i, part := range n.Exp.Word.Parts {
		if sq, ok := part.(*syntax.SglQuoted); ok && quoted && sq.Dollar {
			for j := range (*ps)[start:] {
				if (*ps)[start+j].start == int(sq.Left.Offset()) {
					(*ps)[start+j].text = quote.UnescapeANSI(n.Exp.Word.Parts[i].(*syntax.SglQuoted).Value)
				}
			}
		}
	}
}

// index finds the pieces within an expression. Its tree may be deep.
func (ps *pieces) index(p *printer, x syntax.ArithmExpr) {
	stack := []syntax.ArithmExpr{x}
	for len(stack) > 0 {
		x := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		switch x := x.(type) {
		case *syntax.BinaryArithm:
			stack = append(stack, x.X, x.Y)
		case *syntax.UnaryArithm:
			stack = append(stack, x.X)
		case *syntax.ParenArithm:
			stack = append(stack, x.X)
		case *syntax.Word:
			ps.word(p, x)
		}
	}
}

// substitution lays out the commands of $(…), on their own.
func (p *printer) substitution(stmts []*syntax.Stmt) string {
	inner := printer{src: p.src, limit: p.limit, substituted: true}
	inner.list(stmts)
	if inner.err != nil {
		p.err = inner.err
	}
	text := inner.b.String()
	if strings.HasPrefix(text, "(") {
		return " " + text // not $((
	}
	return text
}

// between returns what stands between two positions, the first of which is
// that of an opening token of the given length.
func (p *printer) between(open syntax.Pos, length int, closing syntax.Pos, x syntax.ArithmExpr) string {
	var inner pieces
	inner.index(p, x)
	return p.raw(int(open.Offset())+length, int(closing.Offset()), inner)
}

// subscript returns what stands between the brackets around x.
func (p *printer) subscript(x syntax.ArithmExpr) string {
	var inner pieces
	inner.index(p, x)
	open := strings.LastIndexByte(p.src[:x.Pos().Offset()], '[')
	return p.raw(open+1, scan.SubscriptEnd(p.src, open), inner)
}

// assignEnd returns where an assignment ends. Without a value, the tree does
// not tell it from where its subscript ends.
func (p *printer) assignEnd(a *syntax.Assign) int {
	if a.Value == nil && a.Index != nil {
		open := int(a.Name.End().Offset())
		end := scan.SubscriptEnd(p.src, open) + 1
		for _, c := range []byte("+=") {
			if end < len(p.src) && p.src[end] == c {
				end++
			}
		}
		return end
	}
	if a.Value == nil && a.Append {
		return int(a.End().Offset()) + 1
	}
	return int(a.End().Offset())
}

// raw returns a range of the source with pieces put in, and without escaped
// newlines elsewhere.
func (p *printer) raw(start, end int, inner pieces) string {
	slices.SortFunc(inner, func(a, b piece) int { return cmp.Compare(a.start, b.start) })
	var b strings.Builder
	for _, piece := range inner {
		if piece.start < start || piece.end > end {
			continue
		}
		joined(&b, p.src[start:piece.start])
		b.WriteString(piece.text)
		start = piece.end
	}
	joined(&b, p.src[start:end])
	return b.String()
}

// joined writes text without the newlines that backslashes escape.
func joined(b *strings.Builder, text string) {
	for {
		i := strings.IndexByte(text, '\\')
		if i < 0 || i+1 == len(text) {
			b.WriteString(text)
			return
		}
		if text[i+1] == '\n' {
			b.WriteString(text[:i])
		} else {
			b.WriteString(text[:i+2])
		}
		text = text[i+2:]
	}
}
