package regex

import (
	"slices"
	"unicode"
	"unicode/utf8"
)

// rawByte is where the characters begin that stand for bytes which are not part
// of valid UTF-8: byte b is rawByte+b.
const rawByte = unicode.MaxRune + 1

// A span is a range of characters, both ends included.
type span struct{ lo, hi rune }

// A set is a set of characters: spans in order that do not touch.
type set []span

func single(r rune) set { return set{{r, r}} }

// has reports whether r is in s.
func (s set) has(r rune) bool {
	i, found := slices.BinarySearchFunc(s, r, func(p span, r rune) int {
		switch {
		case p.hi < r:
			return -1
		case p.lo > r:
			return 1
		}
		return 0
	})
	return found && i < len(s)
}

// only returns the one character of s, if it has one.
func (s set) only() (rune, bool) {
	if len(s) == 1 && s[0].lo == s[0].hi {
		return s[0].lo, true
	}
	return 0, false
}

// normalize sorts the spans of s and joins those that touch.
func normalize(s set) set {
	slices.SortFunc(s, func(a, b span) int { return int(a.lo) - int(b.lo) })
	out := s[:0]
	for _, p := range s {
		if n := len(out); n > 0 && p.lo <= out[n-1].hi+1 {
			out[n-1].hi = max(out[n-1].hi, p.hi)
			continue
		}
		out = append(out, p)
	}
	return out
}

// union returns what is in any of the sets.
func union(sets ...set) set {
	return normalize(slices.Concat(sets...))
}

// complement returns the valid characters that are not in s.
func (s set) complement(bytes bool) set {
	var out set
	next := rune(0)
	for _, p := range s {
		if p.lo > next {
			out = append(out, span{next, p.lo - 1})
		}
		next = p.hi + 1
	}
	if next <= unicode.MaxRune {
		out = append(out, span{next, unicode.MaxRune})
		next = rawByte
	}
	out = clip(out, unicode.MaxRune)
	if !bytes {
		return out
	}
	for b := rune(rawByte + utf8.RuneSelf); b <= rawByte+0xff; b++ {
		if !s.has(b) {
			out = append(out, span{b, b})
		}
	}
	return normalize(out)
}

// clip returns the part of s up to last.
func clip(s set, last rune) set {
	var out set
	for _, p := range s {
		if p.lo <= last {
			out = append(out, span{p.lo, min(p.hi, last)})
		}
	}
	return out
}

// without returns s without r.
func (s set) without(r rune) set {
	var out set
	for _, p := range s {
		if r < p.lo || r > p.hi {
			out = append(out, p)
			continue
		}
		if p.lo < r {
			out = append(out, span{p.lo, r - 1})
		}
		if p.hi > r {
			out = append(out, span{r + 1, p.hi})
		}
	}
	return out
}

// fold returns s with the other cases of its characters.
func (s set) fold() set {
	out := slices.Clone(s)
	for _, p := range s {
		if p.hi-p.lo < 64 {
			out = foldSpan(out, p)
			continue
		}
		for _, cased := range unicode.CaseRanges {
			lo, hi := max(p.lo, rune(cased.Lo)), min(p.hi, rune(cased.Hi))
			if lo <= hi {
				out = foldSpan(out, span{lo, hi})
			}
		}
	}
	return normalize(out)
}

// foldSpan adds the other cases of the characters of p to s.
func foldSpan(s set, p span) set {
	for r := p.lo; r <= min(p.hi, unicode.MaxRune); r++ {
		for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
			s = append(s, span{f, f})
		}
	}
	return s
}

// ofTable returns the characters of Unicode tables.
func ofTable(tables ...*unicode.RangeTable) set {
	var out set
	add := func(lo, hi, stride rune) {
		if stride == 1 {
			out = append(out, span{lo, hi})
			return
		}
		for r := lo; r <= hi; r += stride {
			out = append(out, span{r, r})
		}
	}
	for _, t := range tables {
		for _, r := range t.R16 {
			add(rune(r.Lo), rune(r.Hi), rune(r.Stride))
		}
		for _, r := range t.R32 {
			add(rune(r.Lo), rune(r.Hi), rune(r.Stride))
		}
	}
	return normalize(out)
}

// ascii has the members of the POSIX classes in the C locale.
var ascii = map[string]set{
	"alpha":  {{'A', 'Z'}, {'a', 'z'}},
	"digit":  {{'0', '9'}},
	"alnum":  {{'0', '9'}, {'A', 'Z'}, {'a', 'z'}},
	"upper":  {{'A', 'Z'}},
	"lower":  {{'a', 'z'}},
	"space":  {{'\t', '\r'}, {' ', ' '}},
	"blank":  {{'\t', '\t'}, {' ', ' '}},
	"punct":  {{'!', '/'}, {':', '@'}, {'[', '`'}, {'{', '~'}},
	"print":  {{' ', '~'}},
	"graph":  {{'!', '~'}},
	"cntrl":  {{0, 0x1f}, {0x7f, 0x7f}},
	"xdigit": {{'0', '9'}, {'A', 'F'}, {'a', 'f'}},
}

// wideSpace is white space outside ASCII, without the spaces at which lines do
// not break.
var wideSpace = set{{0x1680, 0x1680}, {0x2000, 0x2006}, {0x2008, 0x200a}, {0x2028, 0x2029}, {0x205f, 0x205f}, {0x3000, 0x3000}}

// titleDigraphs are in title case, which counts as upper and as lower case.
var titleDigraphs = set{{0x1c5, 0x1c5}, {0x1c8, 0x1c8}, {0x1cb, 0x1cb}, {0x1f2, 0x1f2}}

// class returns the members of a POSIX class, and whether there is one of that
// name.
func class(name string, bytes bool) (set, bool) {
	s, ok := ascii[name]
	if !ok || bytes {
		return s, ok
	}
	switch name {
	case "alpha", "alnum":
		s = union(s, wideAlpha())
	case "upper":
		s = union(s, ofTable(unicode.Lu, unicode.Lt, unicode.Other_Uppercase))
	case "lower":
		s = union(s, ofTable(unicode.Ll, unicode.Other_Lowercase), titleDigraphs)
	case "space":
		s = union(s, wideSpace)
	case "blank":
		s = union(s, wideSpace.without(0x2028).without(0x2029))
	case "print", "graph", "punct":
		s = union(s, wideGraph())
		if name == "print" {
			s = union(s, wideSpace.without(0x2028).without(0x2029))
		}
		if name == "punct" {
			s = subtract(s, union(ascii["alnum"], wideAlpha()))
		}
	case "cntrl":
		s = union(s, set{{0x80, 0x9f}, {0x2028, 0x2029}})
	}
	return s, true
}

// wideAlpha returns the letters, and digits that are not ASCII's, beyond ASCII.
func wideAlpha() set {
	s := ofTable(unicode.L, unicode.Nl, unicode.Nd, unicode.Other_Alphabetic)
	return subtract(s, set{{0, 0x7f}})
}

// wideGraph returns the visible characters beyond ASCII.
func wideGraph() set {
	s := ofTable(unicode.L, unicode.M, unicode.N, unicode.P, unicode.S, unicode.Cf, unicode.Co, set2table(0xa0, 0xa0), set2table(0x2007, 0x2007), set2table(0x202f, 0x202f))
	return subtract(s, set{{0, 0x7f}})
}

func set2table(lo, hi uint16) *unicode.RangeTable {
	return &unicode.RangeTable{R16: []unicode.Range16{{Lo: lo, Hi: hi, Stride: 1}}}
}

// subtract returns what is in a and not in b.
func subtract(a, b set) set {
	var out set
	for _, p := range a {
		lo := p.lo
		for _, q := range b {
			if q.hi < lo || q.lo > p.hi {
				continue
			}
			if q.lo > lo {
				out = append(out, span{lo, q.lo - 1})
			}
			lo = q.hi + 1
		}
		if lo <= p.hi {
			out = append(out, span{lo, p.hi})
		}
	}
	return out
}

// wordSet returns the characters of words: letters, digits and the underscore.
func wordSet(bytes bool) set {
	s, _ := class("alnum", bytes)
	return union(s, single('_'))
}

// decode returns the character at the start of b, which is not empty, and how
// many bytes it takes.
func decode(b []byte, bytes bool) (rune, int) {
	if b[0] < utf8.RuneSelf {
		return rune(b[0]), 1
	}
	if bytes {
		return rawByte + rune(b[0]), 1
	}
	if r, n := utf8.DecodeRune(b); n > 1 {
		return r, n
	}
	return rawByte + rune(b[0]), 1
}

// decodeLast is decode for the end of b.
func decodeLast(b []byte, bytes bool) (rune, int) {
	last := b[len(b)-1]
	if last < utf8.RuneSelf {
		return rune(last), 1
	}
	if bytes {
		return rawByte + rune(last), 1
	}
	if r, n := utf8.DecodeLastRune(b); n > 1 {
		return r, n
	}
	return rawByte + rune(last), 1
}
