package regex

import (
	"strconv"
	"strings"
	"unicode"
)

// escape parses what begins with a backslash, outside of brackets.
func (p *perl) escape() (n *node, repeatable bool, err error) {
	if p.pos+1 == len(p.src) {
		return nil, false, perlError("\\ at end of pattern")
	}
	c := p.src[p.pos+1]
	if s, ok, err := p.setEscape(); ok || err != nil {
		if err != nil {
			return nil, false, err
		}
		return p.exactly(s), true, nil
	}
	p.pos += 2
	switch c {
	case 'b':
		return assertion(atWordEdge), true, nil
	case 'B':
		return assertion(atNotWordEdge), true, nil
	case 'A', 'G':
		return textStart(p.flags), true, nil
	case 'z':
		return textEnd(p.flags), true, nil
	case 'Z':
		if p.flags&Lines != 0 {
			return textEnd(p.flags), true, nil
		}
		multiline := p.flags & Multiline
		p.flags &^= Multiline
		n = p.dollar()
		p.flags |= multiline
		return n, true, nil
	case 'K':
		return &node{op: opKeep}, false, nil
	case 'R':
		crlf := cat(p.exactly(single('\r')), p.exactly(single('\n')))
		return (&node{op: opAtomic}).nested(alt(crlf, p.exactly(verticalSpace))), true, nil
	case 'X':
		mark := p.exactly(ofTable(unicode.M))
		return cat(p.dot(true), repeat(mark, 0, -1)), true, nil
	case 'g', 'k':
		n, err = p.groupReference(c)
		return n, true, err
	}
	if c >= '1' && c <= '9' {
		p.pos--
		begin := p.pos
		index, _ := p.number()
		if index < 10 || index <= p.group-p.first {
			return p.reference(p.first + index), true, nil
		}
		p.pos = begin
	} else {
		p.pos--
	}
	r, err := p.charEscape()
	return p.char(r), true, err
}

// groupReference parses what follows \g or \k.
func (p *perl) groupReference(kind byte) (*node, error) {
	end := ""
	switch {
	case p.accept("{"):
		end = "}"
	case kind == 'k' && p.accept("<"):
		end = ">"
	case kind == 'k' && p.accept("'"):
		end = "'"
	case kind == 'k':
		return nil, perlError("\\k is not followed by a braced, angle-bracketed, or quoted name")
	}
	begin := p.pos
	back := p.accept("-")
	index, ok := p.number()
	if !ok || !p.accept(end) {
		p.pos = begin
		if end == "" {
			return nil, perlError("a numbered reference must not be zero")
		}
		return p.namedReference(end)
	}
	if back {
		index = p.group - p.first + 1 - index
	}
	if index <= 0 {
		return nil, perlError("reference to non-existent subpattern")
	}
	return p.reference(p.first + index), nil
}

var (
	horizontalSpace = set{{'\t', '\t'}, {' ', ' '}, {0xa0, 0xa0}, {0x1680, 0x1680}, {0x180e, 0x180e}, {0x2000, 0x200a}, {0x202f, 0x202f}, {0x205f, 0x205f}, {0x3000, 0x3000}}
	verticalSpace   = set{{'\n', '\r'}, {0x85, 0x85}, {0x2028, 0x2029}}
)

// setEscape parses an escape that stands for a set, if one is next.
func (p *perl) setEscape() (s set, ok bool, err error) {
	bytes := p.flags&Bytes != 0
	c := p.src[p.pos+1]
	switch c {
	case 'd', 'D', 'w', 'W', 's', 'S':
		s = p.shorthand(c)
	case 'h', 'H':
		s = horizontalSpace
	case 'v', 'V':
		s = verticalSpace
	case 'N':
		s = single('\n')
	case 'p', 'P':
		p.pos += 2
		return p.property(c == 'P')
	default:
		return nil, false, nil
	}
	p.pos += 2
	if c >= 'A' && c <= 'Z' {
		s = s.complement(bytes)
	}
	return s, true, nil
}

// shorthand returns the set of \d, \w or \s, or of their complements.
func (p *perl) shorthand(c byte) set {
	wide := p.flags&Unicode != 0 && p.flags&Bytes == 0
	switch c {
	case 'd', 'D':
		if wide {
			return ofTable(unicode.Nd)
		}
		return ascii["digit"]
	case 'w', 'W':
		return wordSet(!wide)
	}
	if wide {
		return union(ascii["space"], ofTable(unicode.White_Space))
	}
	return ascii["space"]
}

// property parses the name of a Unicode property, of which \p has been read.
func (p *perl) property(negative bool) (set, bool, error) {
	if p.pos == len(p.src) {
		return nil, false, perlError("malformed \\P or \\p sequence")
	}
	name := p.src[p.pos : p.pos+1]
	p.pos++
	if name == "{" {
		var ok bool
		if name, _, ok = strings.Cut(p.rest(), "}"); !ok {
			return nil, false, perlError("malformed \\P or \\p sequence")
		}
		p.pos += len(name) + 1
	}
	if rest, ok := strings.CutPrefix(name, "^"); ok {
		name, negative = rest, !negative
	}
	s, ok := propertySet(name)
	if !ok {
		return nil, false, perlError("unknown property after \\P or \\p")
	}
	if negative {
		s = s.complement(p.flags&Bytes != 0)
	}
	return s, true, nil
}

func propertySet(name string) (set, bool) {
	if t, ok := unicode.Categories[name]; ok {
		return ofTable(t), true
	}
	if t, ok := unicode.Scripts[name]; ok {
		return ofTable(t), true
	}
	switch name {
	case "Any":
		return set{{0, unicode.MaxRune}}, true
	case "L&":
		return ofTable(unicode.Lu, unicode.Ll, unicode.Lt), true
	case "Xan":
		return ofTable(unicode.L, unicode.N), true
	case "Xwd":
		return union(ofTable(unicode.L, unicode.N), single('_')), true
	case "Xps", "Xsp":
		return union(horizontalSpace, verticalSpace), true
	}
	return nil, false
}

// charEscape consumes an escape that stands for a character, of which the
// backslash has been read.
func (p *perl) charEscape() (rune, error) {
	c := p.src[p.pos]
	const letters, values = "abefnrt", "\a\b\x1b\f\n\r\t"
	switch {
	case c == 'x':
		p.pos++
		return p.hexadecimal()
	case c == 'o' && strings.HasPrefix(p.rest(), "o{"):
		p.pos += 2
		return p.braced(8)
	case c >= '0' && c <= '7':
		n := rune(0)
		for i := 0; i < 3 && p.pos < len(p.src) && p.src[p.pos] >= '0' && p.src[p.pos] <= '7'; i++ {
			n = n*8 + rune(p.src[p.pos]-'0')
			p.pos++
		}
		return p.code(n), nil
	case c == 'c':
		p.pos++
		if p.pos == len(p.src) {
			return 0, perlError("\\c at end of pattern")
		}
		p.pos++
		return rune(strings.ToUpper(p.src[p.pos-1 : p.pos])[0] ^ 0x40), nil
	}
	if i := strings.IndexByte(letters, c); i >= 0 {
		p.pos++
		return rune(values[i]), nil
	}
	if c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' {
		return 0, perlError("unrecognized character follows \\")
	}
	return p.rune(), nil
}

// code returns the character with the number n.
func (p *perl) code(n rune) rune {
	if p.flags&Bytes != 0 && n >= 0x80 {
		return rawByte + n&0xff
	}
	return n
}

func (p *perl) hexadecimal() (rune, error) {
	if p.accept("{") {
		return p.braced(16)
	}
	end := p.pos
	for end < len(p.src) && end < p.pos+2 && strings.IndexByte("0123456789abcdefABCDEF", p.src[end]) >= 0 {
		end++
	}
	n, _ := strconv.ParseInt("0"+p.src[p.pos:end], 16, 32)
	p.pos = end
	return p.code(rune(n)), nil
}

func (p *perl) braced(base int) (rune, error) {
	digits, _, ok := strings.Cut(p.rest(), "}")
	n, err := strconv.ParseInt(digits, base, 64)
	if !ok || err != nil {
		return 0, perlError("non-hex character in \\x{} (closing brace missing?)")
	}
	if n > unicode.MaxRune {
		return 0, perlError("character code point value in \\x{} or \\o{} is too large")
	}
	p.pos += len(digits) + 1
	return p.code(rune(n)), nil
}

// class parses a bracket expression, whose [ is next.
func (p *perl) class() (*node, error) {
	p.pos++
	negated := p.accept("^")
	bytes := p.flags&Bytes != 0
	var s set
	for first := true; ; first = false {
		if p.pos == len(p.src) {
			return nil, perlError("missing terminating ] for character class")
		}
		if p.src[p.pos] == ']' && !first {
			p.pos++
			break
		}
		items, err := p.classItem()
		if err != nil {
			return nil, err
		}
		s = append(s, items...)
	}
	s = normalize(s)
	if p.flags&IgnoreCase != 0 {
		s = s.fold()
	}
	if negated {
		s = s.complement(bytes)
	}
	return p.exactly(s), nil
}

// classItem parses a class, a range or a character in brackets.
func (p *perl) classItem() (set, error) {
	if rest := p.rest(); strings.HasPrefix(rest, "[:") && strings.Contains(rest, ":]") {
		return p.posixClass()
	}
	lo, s, err := p.classChar()
	if err != nil || s != nil {
		return s, err
	}
	rest := p.rest()
	if len(rest) < 2 || rest[0] != '-' || rest[1] == ']' {
		return single(lo), nil
	}
	begin := p.pos
	p.pos++
	hi, s, err := p.classChar()
	switch {
	case err != nil:
		return nil, err
	case s != nil:
		p.pos = begin
		return single(lo), nil
	case hi < lo:
		return nil, perlError("range out of order in character class")
	}
	return set{{lo, hi}}, nil
}

// classChar parses one character, or an escape that stands for a set.
func (p *perl) classChar() (rune, set, error) {
	if p.src[p.pos] != '\\' {
		return p.rune(), nil, nil
	}
	if p.pos+1 == len(p.src) {
		return 0, nil, perlError("\\ at end of pattern")
	}
	if s, ok, err := p.setEscape(); ok || err != nil {
		return 0, s, err
	}
	p.pos++
	if p.accept("b") {
		return '\b', nil, nil
	}
	r, err := p.charEscape()
	return r, nil, err
}

func (p *perl) posixClass() (set, error) {
	name, _, _ := strings.Cut(p.src[p.pos+2:], ":]")
	p.pos += len(name) + 4
	name, negated := strings.CutPrefix(name, "^")
	s, ok := class(name, true)
	if name == "word" {
		s, ok = wordSet(true), true
	}
	if !ok {
		return nil, perlError("unknown POSIX class name")
	}
	if negated {
		s = s.complement(p.flags&Bytes != 0)
	}
	return s, nil
}
