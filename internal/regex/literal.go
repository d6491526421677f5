package regex

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// A literal is what every match of an expression contains, in either case where
// it is folded.
type literal struct {
	text   []byte
	prefix bool // matches begin with it
	whole  bool // it is all that the expression matches
	folded *folded
}

// required returns the longest literal that every match of n contains.
func required(n *node, flags Flags) literal {
	fold := flags&IgnoreCase != 0
	info := literals(n, fold)
	best := info.best
	switch {
	case info.exact:
		best = info.prefix
	case len(info.prefix)+1 >= len(best) && info.prefix != "":
		best = info.prefix
	}
	if best == "" {
		return literal{}
	}
	l := literal{text: []byte(best), prefix: best == info.prefix}
	l.whole = info.exact && !info.conditional && (flags&Bytes != 0 || utf8.ValidString(best))
	if fold && bytes.ContainsFunc(l.text, isLetter) {
		if len(l.text) > maxFolded {
			l.text, l.whole = l.text[:maxFolded], false
		}
		l.folded = newFolded(l.text)
	}
	return l
}

// literalInfo is what is known of the strings that an expression matches.
type literalInfo struct {
	exact          bool // they are all equal to prefix
	conditional    bool // whether they match depends on their surroundings
	prefix, suffix string
	best           string // the longest that is known to occur in all
}

// maxLiteral bounds the length of literals.
const maxLiteral = 1 << 12

// literals returns what is known of n. Where fold is true, letters of ASCII are
// those that match in either case, in lower case.
func literals(n *node, fold bool) literalInfo {
	switch n.op {
	case opEmpty:
		return literalInfo{exact: true}
	case opAssert:
		return literalInfo{exact: true, conditional: true}
	case opSet:
		if r, ok := n.set.only(); ok && !(fold && isLetter(r)) {
			return exactly(encode(r))
		}
		if s := n.set; fold && len(s) == 2 && isLetter(s[0].lo) && (s[1] == span{s[0].lo + 'a' - 'A', s[0].lo + 'a' - 'A'}) {
			return exactly(encode(s[1].lo))
		}
	case opGroup:
		return literals(n.subs[0], fold)
	case opCat:
		info := literalInfo{exact: true}
		for _, s := range n.subs {
			info = info.then(literals(s, fold))
		}
		return info
	case opRepeat:
		sub := literals(n.subs[0], fold)
		if n.min == 0 {
			return literalInfo{conditional: sub.conditional}
		}
		if sub.exact && n.min == n.max && len(sub.prefix)*n.min <= maxLiteral {
			info := exactly(strings.Repeat(sub.prefix, n.min))
			info.conditional = sub.conditional
			return info
		}
		sub.exact = false
		return sub
	case opAlt:
		for _, s := range n.subs {
			if literals(s, fold).conditional {
				return literalInfo{conditional: true}
			}
		}
	}
	return literalInfo{}
}

func isLetter(r rune) bool { return 'A' <= r && r <= 'Z' || 'a' <= r && r <= 'z' }

func exactly(s string) literalInfo {
	return literalInfo{exact: true, prefix: s, suffix: s, best: s}
}

// then returns what is known of a string of a followed by one of b.
func (a literalInfo) then(b literalInfo) literalInfo {
	out := literalInfo{exact: a.exact && b.exact, conditional: a.conditional || b.conditional, prefix: a.prefix, suffix: b.suffix}
	if a.exact {
		out.prefix += b.prefix
	}
	if b.exact {
		out.suffix = a.suffix + b.suffix
	}
	for _, s := range []string{a.best, b.best, a.suffix + b.prefix} {
		if len(s) > len(out.best) {
			out.best = s
		}
	}
	if len(out.prefix) > maxLiteral || len(out.suffix) > maxLiteral {
		return literalInfo{conditional: out.conditional}
	}
	return out
}

// encode returns the bytes of a character.
func encode(r rune) string {
	if r >= rawByte {
		return string([]byte{byte(r - rawByte)})
	}
	return string(r)
}
