package regex

import (
	"github.com/limpet-sh/limpet/internal/wchar"
)

// escape parses one of GNU's operators.
func (p *parser) escape() (n *node, repeatable bool) {
	c := p.src[p.pos+1]
	p.pos += 2
	bytes := p.flags&Bytes != 0
	switch c {
	case 'w':
		return p.exactly(wordSet(bytes)), true
	case 'W':
		return p.exactly(wordSet(bytes).complement(bytes)), true
	case 's':
		s, _ := class("space", bytes)
		return p.exactly(s), true
	case 'S':
		s, _ := class("space", bytes)
		return p.exactly(s.complement(bytes)), true
	case 'b', 'y':
		return assertion(atWordEdge), false
	case 'B':
		return assertion(atNotWordEdge), false
	case '<':
		return assertion(atWordStart), false
	case '>':
		return assertion(atWordEnd), false
	case '`':
		return textStart(p.flags), false
	}
	return textEnd(p.flags), false
}

// awkEscape consumes what follows a backslash in awk.
func (p *parser) awkEscape() rune {
	c := p.src[p.pos]
	if c >= '0' && c <= '7' {
		n := rune(0)
		for i := 0; i < 3 && p.pos < len(p.src) && p.src[p.pos] >= '0' && p.src[p.pos] <= '7'; i++ {
			n = n*8 + rune(p.src[p.pos]-'0')
			p.pos++
		}
		return n & 0xff
	}
	if c == 'x' {
		if n, size := hexEscape(p.src[p.pos+1:]); size > 0 {
			p.pos += 1 + size
			return n
		}
	}
	const letters, values = "abfnrtv", "\a\b\f\n\r\t\v"
	for i := range len(letters) {
		if letters[i] == c {
			p.pos++
			return rune(values[i])
		}
	}
	return p.rune()
}

// hexEscape returns the value of the one or two hexadecimal digits that s begins
// with, and their number.
func hexEscape(s string) (n rune, size int) {
	for size < 2 && size < len(s) && wchar.IsXdigit(rune(s[size])) {
		d := rune(s[size])
		if d > '9' {
			d = d&0xf + 9
		}
		n = n<<4 | d&0xf
		size++
	}
	return n, size
}
