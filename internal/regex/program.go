package regex

import (
	"slices"
	"unicode"
	"unicode/utf8"
)

// An alphabet divides the characters into classes that no set of an expression
// tells apart. The last class stands for either end of the text.
type alphabet struct {
	bytes   bool
	ascii   [256]uint16 // class of each byte below 0x80 or, where bytes is set, of each byte
	bounds  []rune      // where each class interval begins, in order
	class   []uint16    // the class of each interval
	kind    []kind      // of each class
	size    int         // number of classes, with the end
	shift   uint        // 1<<shift is at least size
	members []rune      // one character of each class
}

// kind is what conditions ask of a character.
type kind uint8

const (
	kindWord kind = 1 << iota
	kindNewline
	kindEnd
)

func newAlphabet(root *node, flags Flags) *alphabet {
	a := &alphabet{bytes: flags&Bytes != 0}
	word := wordSet(a.bytes)
	var sets []set
	seen, chars := make(map[*span]bool), make(map[span]bool)
	asserts := false
	walk(root, func(n *node) {
		asserts = asserts || n.op == opAssert || n.op == opLook
		switch {
		case n.op != opSet:
		case len(n.set) == 1 && !chars[n.set[0]]:
			chars[n.set[0]] = true
			sets = append(sets, n.set)
		case len(n.set) > 1 && !seen[&n.set[0]]:
			seen[&n.set[0]] = true
			sets = append(sets, n.set)
		}
	})
	if asserts {
		sets = append(sets, word, single('\n'))
	}
	a.divide(sets)
	for i := range a.members {
		lo := a.members[i]
		if asserts && word.has(lo) {
			a.kind[i] |= kindWord
		}
		if asserts && lo == '\n' {
			a.kind[i] |= kindNewline
		}
	}
	a.kind[a.size-1] = kindEnd
	for b := range a.ascii {
		r := rune(b)
		if b >= utf8.RuneSelf {
			r += rawByte
		}
		a.ascii[b] = a.lookup(r)
	}
	for 1<<a.shift < a.size {
		a.shift++
	}
	return a
}

// walk calls do for n and every node below it.
func walk(n *node, do func(*node)) {
	do(n)
	for _, s := range n.subs {
		walk(s, do)
	}
}

// divide finds the classes that the sets need. Intervals that are in the same
// sets are of one class.
func (a *alphabet) divide(sets []set) {
	cuts := []rune{0, rawByte}
	for _, s := range sets {
		for _, p := range s {
			cuts = append(cuts, p.lo, p.hi+1)
		}
	}
	slices.Sort(cuts)
	a.bounds = slices.Compact(cuts)
	in := make([]uint64, len(a.bounds)) // a fingerprint of the sets that each interval is in
	for i, s := range sets {
		h := mix(uint64(i) + 1)
		for _, p := range s {
			from, _ := slices.BinarySearch(a.bounds, p.lo)
			to, _ := slices.BinarySearch(a.bounds, p.hi+1)
			for k := from; k < to; k++ {
				in[k] += h
			}
		}
	}
	classes := make(map[uint64]uint16)
	a.class = make([]uint16, len(a.bounds))
	for k, lo := range a.bounds {
		c, ok := classes[in[k]]
		if !ok {
			c = uint16(len(classes))
			classes[in[k]] = c
			a.members = append(a.members, lo)
		}
		a.class[k] = c
	}
	a.size = len(classes) + 1
	a.kind = make([]kind, a.size)
}

// mix spreads the bits of x.
func mix(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// lookup returns the class of r.
func (a *alphabet) lookup(r rune) uint16 {
	i, found := slices.BinarySearch(a.bounds, r)
	if !found {
		i--
	}
	return a.class[i]
}

// next returns the class of the character at the start of b and its length.
func (a *alphabet) next(b []byte) (uint16, int) {
	if b[0] < utf8.RuneSelf || a.bytes {
		return a.ascii[b[0]], 1
	}
	if r, n := utf8.DecodeRune(b); r != unicode.ReplacementChar || n > 1 {
		return a.lookup(r), n
	}
	return a.ascii[b[0]], 1
}

// last is next for the end of b.
func (a *alphabet) last(b []byte) (uint16, int) {
	c := b[len(b)-1]
	if c < utf8.RuneSelf || a.bytes {
		return a.ascii[c], 1
	}
	if r, n := utf8.DecodeLastRune(b); r != unicode.ReplacementChar || n > 1 {
		return a.lookup(r), n
	}
	return a.ascii[c], 1
}

// before returns the kind of what stands before position i of b.
func (a *alphabet) before(b []byte, i int) kind {
	if i == 0 {
		return kindEnd
	}
	c, _ := a.last(b[:i])
	return a.kind[c]
}

// after returns the kind of what stands at position i of b.
func (a *alphabet) after(b []byte, i int) kind {
	if i == len(b) {
		return kindEnd
	}
	c, _ := a.next(b[i:])
	return a.kind[c]
}

// holds reports whether a position fits a, between characters of the kinds
// before and after.
func (a at) holds(before, after kind) bool {
	was, is := before&kindWord != 0, after&kindWord != 0
	switch a {
	case atTextStart:
		return before&kindEnd != 0
	case atTextEnd:
		return after&kindEnd != 0
	case atLineStart:
		return before&(kindEnd|kindNewline) != 0
	case atLineEnd:
		return after&(kindEnd|kindNewline) != 0
	case atWordEdge:
		return was != is
	case atNotWordEdge:
		return was == is
	case atWordStart:
		return !was && is
	case atWordEnd:
		return was && !is
	case atNotWordBefore:
		return !was
	}
	return !is
}
