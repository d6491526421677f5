package parse

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/limpet-sh/limpet/internal/parse/scan"
)

// Operators of parameter expansions that package syntax does not know.
const (
	ToggleFirst syntax.ParExpOperator = 1<<20 + iota // ${a~pattern}
	ToggleAll                                        // ${a~~pattern}
)

// Marks in comments, which no tree has otherwise.
const (
	appendMark   = "+="
	unparsedMark = "`"
)

// Appends reports whether e is [index]+=value.
func Appends(e *syntax.ArrayElem) bool {
	return len(e.Comments) > 0 && e.Comments[len(e.Comments)-1].Text == appendMark
}

// Unparsed returns the text of a command substitution that bash parses only
// when it runs it, where that makes a difference: commands in backquotes and
// behind $(( may be wrong, and others may hold aliases.
func Unparsed(c *syntax.CmdSubst) (text string, ok bool) {
	if len(c.Last) == 0 {
		return "", false
	}
	return strings.CutPrefix(c.Last[0].Text, unparsedMark)
}

// BadSubstitution returns the text of an expansion ${…} that bash reads, and
// refuses when it expands it.
func BadSubstitution(p *syntax.ParamExp) (text string, ok bool) {
	if p.Flags == nil {
		return "", false
	}
	return p.Flags.Value, true
}

// A param says what to put into a parameter expansion that was edited.
type param struct {
	bad       bool
	text      span // the expansion with its braces
	name      span // of the parameter, if it was edited
	excl      bool
	index     bool // a subscript was edited
	subscript span
	op        syntax.ParExpOperator
	slice     []span // offset and length, if they were edited
}

func (p param) put(n *syntax.ParamExp, r *repair, at lines) {
	if p.bad {
		*n = syntax.ParamExp{
			Dollar: n.Dollar, Rbrace: at.pos(p.text.end - 1), Param: n.Param,
			Flags: &syntax.Lit{ValuePos: at.pos(p.text.start), ValueEnd: at.pos(p.text.end), Value: r.src[p.text.start:p.text.end]},
		}
		return
	}
	if p.name.end > 0 {
		n.Param = &syntax.Lit{ValuePos: at.pos(p.name.start), ValueEnd: at.pos(p.name.end), Value: r.src[p.name.start:p.name.end]}
		n.Length = false
	}
	if p.index {
		n.Index = r.literal(p.subscript, at)
	}
	if p.op != 0 && n.Exp != nil {
		n.Exp.Op = p.op
	}
	if len(p.slice) > 0 && n.Slice != nil {
		n.Slice.Offset = r.literal(p.slice[0], at)
		if len(p.slice) > 1 {
			n.Slice.Length = r.literal(p.slice[1], at)
		}
	}
}

// mendParam mends the parameter expansion in a range. What bash will not
// expand becomes a marked node.
func (r *repair) mendParam(start, end int) {
	if p, ok := r.params[start]; ok && p.bad || r.accepts(": \"", start, end, "\"") {
		return
	}
	before := len(r.edits.late)
	if p, ok := r.divide(start, end); ok && r.accepts(": \"", start, end, "\"") {
		note(&r.params, start, p)
		return
	}
	r.edits.late = r.edits.late[:before]
	r.bad(start, end)
}

// bad makes a marked node of an expansion that bash reads and does not expand.
func (r *repair) bad(start, end int) {
	r.edits.replace(start, end, "${_}")
	note(&r.params, start, param{bad: true, text: span{start, end}})
}

// divide finds the parts of an expansion and replaces those that the parser
// may not accept.
func (r *repair) divide(start, end int) (p param, ok bool) {
	r.spent += end - start
	i, last := start+2, end-1
	src := r.src
	p.text = span{start, end}
	if i < last && src[i] == '!' && i+1 < last {
		i++
	} else if src[i] == '#' && i+1 < last && isParameter(src[i+1:last]) {
		i++
	}
	name := span{i, i + nameLen(src[i:last])}
	if name.end == name.start {
		return p, false
	}
	i = name.end
	if i < last && src[i] == '[' {
		close := scan.SubscriptEnd(src[:last], i)
		if close < 0 {
			return p, false
		}
		if text := src[i+1 : close]; text != "@" && text != "*" {
			r.edits.replace(i+1, close, "_")
			p.index, p.subscript = true, span{i + 1, close}
		}
		i = close + 1
	}
	switch op := src[i:last]; {
	case op == "":
	case strings.IndexByte("-=?+:#%/^,~@", op[0]) < 0:
		return p, false
	case strings.HasPrefix(op, "~~"):
		r.edits.replace(i, i+2, "^^")
		p.op = ToggleAll
	case op[0] == '~':
		r.edits.replace(i, i+1, "^")
		p.op = ToggleFirst
	case op[0] == ':' && (len(op) == 1 || strings.IndexByte("-=?+", op[1]) < 0):
		p.slice = r.divideSlice(i, last)
		return p, p.slice != nil
	}
	if src[name.start] == '#' && name.end < last {
		r.edits.replace(name.start, name.end, "_")
		p.name = name
	}
	return p, true
}

// divideSlice replaces the expressions of ${a:offset:length}. There is none
// in ${a:}, which bash refuses.
func (r *repair) divideSlice(colon, last int) []span {
	if colon+1 == last {
		return nil
	}
	parts := []span{{colon + 1, last}}
	depth := 0
	for i := range scan.Plain(r.src, colon+1, last, true) {
		switch c := r.src[i]; {
		case c == '(' || c == '?':
			depth++
		case c == ')' || c == ':' && depth > 0:
			depth--
		case c == ':' && len(parts) == 1:
			parts = []span{{colon + 1, i}, {i + 1, last}}
		}
	}
	for _, s := range parts {
		r.edits.replace(s.start, s.end, "0")
	}
	return parts
}

// isParameter reports whether text names a parameter, with a subscript or not.
func isParameter(text string) bool {
	n := nameLen(text)
	isName := n > 0 && (text[0] == '_' || text[0]|0x20 >= 'a' && text[0]|0x20 <= 'z')
	return n > 0 && (n == len(text) || isName && text[n] == '[' && text[len(text)-1] == ']')
}

// nameLen returns the length of the name of a parameter at the start of text.
func nameLen(text string) int {
	n := 0
	for n < len(text) && (text[n] == '_' || 'a' <= text[n]|0x20 && text[n]|0x20 <= 'z' || '0' <= text[n] && text[n] <= '9') {
		n++
	}
	if n == 0 && text != "" && strings.IndexByte("@*#?-$!", text[0]) >= 0 {
		n = 1
	}
	return n
}
