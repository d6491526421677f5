package yq

import "strings"

// mergeFlags say how * merges.
type mergeFlags struct {
	appendLists bool // members of sequences are added
	deepLists   bool // sequences are merged member by member
	onlyOld     bool // only what is on the left already
	assign      assign
}

// multiplying is * for numbers, strings and collections.
func multiplying(f mergeFlags) func(*Machine, scope, *Expr) []*Node {
	return func(m *Machine, s scope, e *Expr) []*Node {
		return m.pairs(s.reading(), e, pairing{pair: func(a, b *Node) *Node { return m.multiply(s, a, b, f) }})
	}
}

func (m *Machine) multiply(s scope, a, b *Node, f mergeFlags) *Node {
	if b.Tag == tagNull {
		return m.copy(a)
	}
	collection := b.Kind == Mapping || b.Kind == Sequence
	if !collection || a.Kind != b.Kind && a.Tag != tagNull {
		return m.times(a, b)
	}
	out := m.copy(a)
	if a.Head == "" && a.Lead == "" {
		out.Lead, out.Head = b.Lead, b.Head
	}
	if a.Foot == "" {
		out.Foot = b.Foot
	}
	w := walk{keepAlias: true, keys: true, exact: true}
	depth := len(b.path())
	for _, n := range m.descend(nil, s.writing(), b, w, f.deepLists) {
		m.mergeOne(s.writing(), out, n, n.path()[depth:], f)
	}
	return out
}

// mergeOne merges the node n, which path leads to, into out.
func (m *Machine) mergeOne(s scope, out, n *Node, path []any, f mergeFlags) {
	w := walk{keepAlias: true, exact: true, onlyOld: f.onlyOld}
	targets := m.follow(s, out, path, w, n.isKey)
	for _, target := range targets {
		switch {
		case f.appendLists && n.Kind == Sequence:
			if sum := m.plus(s, m.copy(target), n); sum != nil {
				m.take(target, sum, assign{})
			}
		case n.Kind == Scalar, n.Kind == Alias, n.Kind == Sequence && !f.deepLists:
			m.take(target, n, f.assign)
		case !f.assign.nullOnly || target.Tag == tagNull:
			target.adorn(n, f.assign)
		}
	}
}

// maxRepeat bounds the result of a repeated string.
const maxRepeat = 10 << 20

// times is * for scalars.
func (m *Machine) times(a, b *Node) *Node {
	left, right := a.guess(), b.guess()
	switch {
	case left == tagInt && right == tagInt:
		out := m.bare(a)
		m.setInt(out, a, b, '*')
		return out
	case numeric(left) && numeric(right):
		out := m.bare(a)
		x, y := floats(a, b)
		setFloat(out, a, x*y)
		return out
	case left == tagStr && right == tagInt, left == tagInt && right == tagStr:
		return m.repeat(a, b)
	}
	fail("cannot multiply %s with %s", a.Tag, b.Tag)
	return nil
}

// repeat is * for a string and a number, in any order.
func (m *Machine) repeat(a, b *Node) *Node {
	text, count := b, a
	if a.Tag == tagStr {
		text, count = a, b
	}
	out := m.bare(a)
	out.adorn(text, assign{})
	n, err := integer(count.Value)
	check(err)
	switch {
	case n < 0:
		fail("cannot repeat string by a negative number (%d)", n)
	case n > 0 && len(text.Value) > maxRepeat/n:
		fail("result of repeating string (%d bytes) by %d would exceed %d bytes", len(text.Value), n, maxRepeat)
	}
	m.grow(n * len(text.Value))
	out.Value = strings.Repeat(text.Value, n)
	return out
}
