package regex

// A token is a lexical element of a POSIX pattern.
type token uint8

const (
	tokEnd token = iota
	tokChar
	tokStar
	tokPlus
	tokQuestion
	tokBrace
	tokOpen
	tokClose
	tokAlt
	tokBracket
	tokDot
	tokCaret
	tokDollar
	tokBackref
	tokEscape // \w and its like, \<
	tokTrailing
)

// token returns the next token and its length.
func (p *parser) token() (token, int) {
	if p.pos == len(p.src) {
		return tokEnd, 0
	}
	ru := &p.rules
	c := p.src[p.pos]
	if c == '\\' {
		if p.pos+1 == len(p.src) {
			return tokTrailing, 1
		}
		return p.escaped(p.src[p.pos+1]), 2
	}
	switch {
	case c == '*':
		return tokStar, 1
	case c == '+' && ru.barePlus:
		return tokPlus, 1
	case c == '?' && ru.barePlus:
		return tokQuestion, 1
	case c == '{' && ru.bare && ru.interval && p.pos != p.brace:
		return tokBrace, 1
	case c == '(' && ru.bare:
		return tokOpen, 1
	case c == ')' && ru.bare:
		return tokClose, 1
	case c == '|' && ru.bareAlt:
		return tokAlt, 1
	case c == '[':
		return tokBracket, 1
	case c == '.':
		return tokDot, 1
	case c == '^' && (ru.anchors || p.caretAnchors()):
		return tokCaret, 1
	case c == '$' && (ru.anchors || p.dollarAnchors()):
		return tokDollar, 1
	}
	return tokChar, 1
}

func (p *parser) escaped(c byte) token {
	ru := &p.rules
	switch {
	case c == '+' && !ru.barePlus:
		return tokPlus
	case c == '?' && !ru.barePlus:
		return tokQuestion
	case c == '{' && !ru.bare && ru.interval:
		return tokBrace
	case c == '(' && !ru.bare:
		return tokOpen
	case c == ')' && !ru.bare:
		return tokClose
	case c == '|' && !ru.bareAlt:
		return tokAlt
	case c >= '1' && c <= '9' && !ru.escapes:
		return tokBackref
	case c == 'b' && !ru.yWordEdge, c == 'y' && ru.yWordEdge:
		return tokEscape
	}
	switch c {
	case 'w', 'W', 's', 'S', 'B', '<', '>', '`', '\'':
		return tokEscape
	}
	return tokChar
}

// caretAnchors reports whether a ^ here is an anchor in a basic expression.
func (p *parser) caretAnchors() bool {
	if p.pos == 0 {
		return true
	}
	return p.pos >= 2 && p.src[p.pos-2] == '\\' && (p.src[p.pos-1] == '(' || p.src[p.pos-1] == '|') && !p.escapedBackslash(p.pos-2)
}

// escapedBackslash reports whether the backslash at pos is itself escaped.
func (p *parser) escapedBackslash(pos int) bool {
	n := 0
	for pos-n-1 >= 0 && p.src[pos-n-1] == '\\' {
		n++
	}
	return n%2 == 1
}

// dollarAnchors reports whether a $ here is an anchor in a basic expression.
func (p *parser) dollarAnchors() bool {
	rest := p.src[p.pos+1:]
	return rest == "" || len(rest) >= 2 && rest[0] == '\\' && (rest[1] == ')' || rest[1] == '|')
}
