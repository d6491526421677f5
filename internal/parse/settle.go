package parse

import (
	"cmp"
	"slices"
	"sort"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// settle moves the positions below root to where things are in the source, and
// puts in what was edited away.
func (r *repair) settle(root any, parsed rewriting) {
	moved := len(parsed.pieces) > 0
	if !moved && r.cmd.Start == 0 && r.cmd.Line == 1 && !r.misordered {
		return
	}
	at := newLines(r.src, r.cmd.Start, r.cmd.End, r.cmd.Line)
	if moved || r.cmd.Start > 0 || r.cmd.Line > 1 {
		move := visitor{pos: func(p syntax.Pos) syntax.Pos { return at.pos(parsed.original(int(p.Offset()))) }}
		if r.encoded {
			move.text = decode
		}
		move.visit(root)
	}
	if moved || r.misordered {
		slices.SortFunc(r.restored, func(a, b span) int { return cmp.Compare(a.start, b.start) })
		put := visitor{node: func(n any) { r.put(n, at) }}
		put.visit(root)
	}
}

// put puts into a node what was edited away.
func (r *repair) put(n any, at lines) {
	switch n := n.(type) {
	case *syntax.Lit:
		if r.isRestored(n.ValuePos, n.ValueEnd) {
			n.Value = r.text(n.ValuePos, n.ValueEnd)
		}
	case *syntax.Stmt:
		if n.Cmd != nil && r.nothing[int(n.Cmd.Pos().Offset())] {
			n.Cmd = nil
		}
		unchain(n)
	case *syntax.TestClause:
		n.X = ordered(n.X)
	case *syntax.ExtGlob:
		if r.empty[int(n.Pattern.Pos().Offset())] {
			n.Pattern.Value = ""
		}
	case *syntax.SglQuoted:
		if r.isRestored(n.Left, n.Right) {
			n.Value = r.src[n.Left.Offset()+1 : n.Right.Offset()]
		}
	case *syntax.ArithmExp:
		n.X = r.expression(n.X, at)
	case *syntax.ArithmCmd:
		n.X = r.expression(n.X, at)
	case *syntax.CStyleLoop:
		n.Init, n.Cond, n.Post = r.expression(n.Init, at), r.expression(n.Cond, at), r.expression(n.Post, at)
	case *syntax.Assign:
		n.Index = r.expression(n.Index, at)
		if n.Name != nil && n.Array != nil {
			end := int(n.Name.ValuePos.Offset()) + len(n.Name.Value)
			if s, ok := r.lists[end]; ok {
				n.Name.ValueEnd = at.pos(end)
				n.Index = r.literal(s, at)
			}
		}
	case *syntax.ArrayElem:
		if n.Index != nil && r.appends[int(n.Index.Pos().Offset())] {
			n.Comments = append(n.Comments, syntax.Comment{Hash: n.Index.Pos(), Text: appendMark})
		}
		n.Index = r.expression(n.Index, at)
	case *syntax.ParamExp:
		if p, ok := r.params[int(n.Pos().Offset())]; ok {
			p.put(n, r, at)
		}
	case *syntax.CmdSubst:
		if s, ok := r.unparsed[int(n.Left.Offset())]; ok {
			n.Stmts = nil
			n.Last = []syntax.Comment{{Hash: at.pos(s.start), Text: unparsedMark + unquoted(r.src[s.start:s.end], r.quoting[int(n.Left.Offset())])}}
		}
	case *syntax.Redirect:
		if s, ok := r.bodies[int(n.Word.Pos().Offset())]; ok && (n.Op == syntax.Hdoc || n.Op == syntax.DashHdoc) {
			n.Hdoc = r.literal(s, at)
		}
	}
}

// isRestored reports whether a literal overlaps with what was hidden.
func (r *repair) isRestored(start, end syntax.Pos) bool {
	from, to := int(start.Offset()), int(end.Offset())
	i := sort.Search(len(r.restored), func(i int) bool { return r.restored[i].end > from })
	return i < len(r.restored) && r.restored[i].start < to
}

func (r *repair) text(start, end syntax.Pos) string {
	return strings.ReplaceAll(r.src[start.Offset():end.Offset()], "\\\n", "")
}

// expression returns x, or the raw text in whose place it stands.
func (r *repair) expression(x syntax.ArithmExpr, at lines) syntax.ArithmExpr {
	if x == nil {
		return nil
	}
	if s, ok := r.raw[int(x.Pos().Offset())]; ok {
		return r.literal(s, at)
	}
	return x
}

// literal returns a word of one literal with the text of s as it is.
func (r *repair) literal(s span, at lines) *syntax.Word {
	return &syntax.Word{Parts: []syntax.WordPart{
		&syntax.Lit{ValuePos: at.pos(s.start), ValueEnd: at.pos(s.end), Value: r.src[s.start:s.end]},
	}}
}

// unquoted returns s without the backslashes in front of special characters.
func unquoted(s, special string) string {
	if special == "" || strings.IndexByte(s, '\\') < 0 {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) && strings.IndexByte(special, s[i+1]) >= 0 {
			i++
		}
		b.WriteByte(s[i])
	}
	return b.String()
}
