package regex

import "slices"

// A nodeOp is a kind of [node].
type nodeOp uint8

const (
	opEmpty   nodeOp = iota
	opFail           // matches nothing
	opSet            // one character of set
	opCat            // subs in order
	opAlt            // one of subs
	opRepeat         // subs[0], from min to max times
	opGroup          // subs[0], as group index
	opAssert         // the position fits at
	opBackref        // what group index matched
	opLook           // subs[0] matches here, or does not
	opAtomic         // the first way that subs[0] matches
	opKeep           // the match begins here
	opIf             // group index is set, or is not
)

// A node is a part of an expression.
type node struct {
	op       nodeOp
	at       at
	lazy     bool
	negative bool // opLook, opIf
	behind   bool // opLook
	fold     bool // opBackref
	index    int
	min, max int // max is -1 where there is no bound
	depth    int
	size     int // nodes, up to hugeNode
	set      set
	subs     []*node
}

// maxDepth bounds the nesting of expressions, and so the recursion over them.
const maxDepth = 1000

// hugeNode bounds the size of the groups that are copied to the places of
// back-references, which may be in other groups.
const hugeNode = 1000

// An at is a condition on a position.
type at uint8

const (
	atTextStart at = iota
	atTextEnd
	atLineStart
	atLineEnd
	atWordEdge
	atNotWordEdge
	atWordStart
	atWordEnd
	atNotWordBefore
	atNotWordAfter
)

func assertion(a at) *node { return &node{op: opAssert, at: a} }

func lineStart(f Flags) *node {
	if f&Multiline != 0 {
		return assertion(atLineStart)
	}
	return assertion(atTextStart)
}

func lineEnd(f Flags) *node {
	if f&Multiline != 0 {
		return assertion(atLineEnd)
	}
	return assertion(atTextEnd)
}

// textStart returns the start of the text or, where each line is one, of a line.
func textStart(f Flags) *node {
	if f&Lines != 0 {
		return assertion(atLineStart)
	}
	return assertion(atTextStart)
}

func textEnd(f Flags) *node {
	if f&Lines != 0 {
		return assertion(atLineEnd)
	}
	return assertion(atTextEnd)
}

func (n *node) nested(subs ...*node) *node {
	n.subs = subs
	n.size = 1
	for _, s := range subs {
		n.depth = max(n.depth, s.depth+1)
		n.size = min(n.size+s.size+1, hugeNode)
	}
	return n
}

// cat returns the nodes in sequence.
func cat(list ...*node) *node {
	var flat []*node
	for _, n := range list {
		switch n.op {
		case opEmpty:
		case opCat:
			flat = append(flat, n.subs...)
		default:
			flat = append(flat, n)
		}
	}
	switch len(flat) {
	case 0:
		return &node{op: opEmpty}
	case 1:
		return flat[0]
	}
	return (&node{op: opCat}).nested(flat...)
}

// alt returns the choice between the nodes.
func alt(list ...*node) *node {
	switch len(list) {
	case 0:
		return &node{op: opFail}
	case 1:
		return list[0]
	}
	return (&node{op: opAlt}).nested(list...)
}

// repeat returns n from lo to hi times.
func repeat(n *node, lo, hi int) *node {
	if n.op == opRepeat && n.min <= 1 && n.max == -1 && lo <= 1 && hi == -1 && !n.lazy {
		return (&node{op: opRepeat, min: min(lo, n.min), max: -1}).nested(n.subs...)
	}
	return (&node{op: opRepeat, min: lo, max: hi}).nested(n)
}

// factor returns the choice between the nodes. Where there are many and they
// begin with the same characters, those are matched once, so that thousands of
// words cost what the first characters cost. The order of alternatives is not
// kept; it does not matter where no node has a group.
func factor(list []*node) *node {
	if len(list) < 8 || slices.ContainsFunc(list, func(n *node) bool { return !plain(n) }) {
		return alt(list...)
	}
	words := make([][]*node, len(list))
	for i, n := range list {
		words[i] = []*node{n}
		if n.op == opCat {
			words[i] = n.subs
		}
		if n.op == opEmpty {
			words[i] = nil
		}
	}
	return trie(words, 0)
}

// plain reports whether n is a sequence of characters.
func plain(n *node) bool {
	switch n.op {
	case opSet, opEmpty:
		return true
	case opCat:
		return !slices.ContainsFunc(n.subs, func(s *node) bool { return s.op != opSet })
	}
	return false
}

// trieDepth bounds how many leading characters are shared.
const trieDepth = 100

func trie(words [][]*node, depth int) *node {
	var alts []*node
	byFirst := make(map[rune][][]*node)
	var order []rune
	empty := false
	for _, w := range words {
		switch {
		case len(w) == 0:
			empty = true
		case depth >= trieDepth:
			alts = append(alts, cat(w...))
		default:
			r := w[0].set[0].lo
			if _, ok := byFirst[r]; !ok {
				order = append(order, r)
			}
			byFirst[r] = append(byFirst[r], w)
		}
	}
	for _, r := range order {
		group := byFirst[r]
		if len(group) == 1 {
			alts = append(alts, cat(group[0]...))
			continue
		}
		head := group[0][0]
		var same [][]*node
		for _, w := range group {
			if slices.Equal(w[0].set, head.set) {
				same = append(same, w[1:])
			} else {
				alts = append(alts, cat(w...))
			}
		}
		alts = append(alts, cat(head, trie(same, depth+1)))
	}
	if empty {
		alts = append(alts, &node{op: opEmpty})
	}
	return alt(alts...)
}

// approximate returns an expression without back-references and look-around
// that matches wherever n does, and whether it matches nowhere else.
func approximate(n *node) (*node, bool) {
	groups := make(map[int]*node)
	if n.op == opCat {
		last := n.subs[len(n.subs)-1]
		if last.op == opLook && !last.behind && !last.negative {
			// What must follow the match is not part of it, but must be there.
			n = cat(append(slices.Clone(n.subs[:len(n.subs)-1]), last.subs[0])...)
			n, _ = approx(n, groups)
			return n, false
		}
	}
	return approx(n, groups)
}

func approx(n *node, groups map[int]*node) (*node, bool) {
	switch n.op {
	case opBackref:
		if g, ok := groups[n.index]; ok && g.size < hugeNode {
			return g, false
		}
		return (&node{op: opRepeat, max: -1}).nested(&node{op: opSet, set: set{{0, rawByte + 0xff}}}), false
	case opLook, opKeep, opIf:
		return &node{op: opEmpty}, false
	}
	if len(n.subs) == 0 {
		return n, true
	}
	out := *n
	subs := make([]*node, len(n.subs))
	exact := n.op != opAtomic
	for i, s := range n.subs {
		sub, ok := approx(s, groups)
		subs[i] = sub
		exact = exact && ok
	}
	if exact {
		subs = n.subs
	}
	out.nested(subs...)
	if n.op == opGroup {
		groups[n.index] = loose(out.subs[0])
	}
	if n.op == opAtomic {
		return out.subs[0], false
	}
	return &out, exact
}

// loose returns n without its conditions on positions.
func loose(n *node) *node {
	if n.op == opAssert {
		return &node{op: opEmpty}
	}
	if len(n.subs) == 0 {
		return n
	}
	out := *n
	subs := make([]*node, len(n.subs))
	for i, s := range n.subs {
		subs[i] = loose(s)
	}
	return out.nested(subs...)
}
