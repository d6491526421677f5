package dateparse

import (
	"math"
	"strings"
)

// A kind is the kind of a token: one of those below, or for a character that
// has no meaning of its own, that character.
type kind rune

const (
	end      kind = -1 - iota
	unknown       // a word that has no meaning
	unsigned      // 12
	signed        // +12
	fraction      // 1.5
	offset        // +1.5
	meridian      // am, pm
	month
	weekday
	ordinal   // next, third
	zoneName  // a zone by name, standard time
	zoneDST   // a zone by name, daylight saving time
	zoneLocal // an abbreviation of the local zone
	dst       // the word dst
	unit      // of time; see token.unit
	shift     // tomorrow
	ago
	tee // T: a military zone, or what separates date and time
)

// A token is a word or number of the text.
type token struct {
	kind     kind
	value    int64 // its meaning; for numbers, the integer part
	nanos    int   // of fraction and offset
	digits   int   // of unsigned and signed
	negative bool
	unit     byte // y M d h m s
}

// numeric reports whether the token is a whole number.
func (t token) numeric() bool { return t.kind == unsigned || t.kind == signed }

// A lexer divides text into tokens.
type lexer struct {
	text  string
	local map[string]int64 // abbreviations of the local zone: 1 is daylight saving time
}

func (l *lexer) skipSpace() {
	l.text = strings.TrimLeft(l.text, " \t\n\v\f\r")
}

func (l *lexer) next() token {
	for {
		l.skipSpace()
		if l.text == "" {
			return token{kind: end}
		}
		c := l.text[0]
		switch {
		case c == '+' || c == '-':
			l.text = l.text[1:]
			l.skipSpace()
			if l.text != "" && digit(l.text[0]) {
				return l.number(true, c == '-')
			}
		case digit(c):
			return l.number(false, false)
		case letter(c):
			return l.word()
		case c != '(':
			l.text = l.text[1:]
			return token{kind: kind(c)}
		case !l.comment():
			return token{kind: end}
		}
	}
}

// comment skips a comment between parentheses, which nest.
func (l *lexer) comment() bool {
	depth := 0
	for i := 0; i < len(l.text); i++ {
		switch l.text[i] {
		case '(':
			depth++
		case ')':
			depth--
		}
		if depth == 0 {
			l.text = l.text[i+1:]
			return true
		}
	}
	l.text = ""
	return false
}

func (l *lexer) number(sign, negative bool) token {
	t := token{kind: unsigned, negative: negative}
	if sign {
		t.kind = signed
	}
	for t.digits < len(l.text) && digit(l.text[t.digits]) {
		d := int64(l.text[t.digits] - '0')
		if t.value > (math.MaxInt64-d)/10 {
			l.text = ""
			return token{kind: unknown}
		}
		t.value = t.value*10 + d
		t.digits++
	}
	if negative {
		t.value = -t.value
	}
	l.text = l.text[t.digits:]
	if len(l.text) > 1 && (l.text[0] == '.' || l.text[0] == ',') && digit(l.text[1]) {
		t.kind = fraction
		if sign {
			t.kind = offset
		}
		t.nanos = l.nanos(negative)
		if negative && t.nanos > 0 {
			t.value, t.nanos = t.value-1, 1e9-t.nanos
		}
	}
	return t
}

// nanos reads the digits after a point; it rounds towards minus infinity.
func (l *lexer) nanos(negative bool) int {
	n, i := 0, 1
	for scale := 100_000_000; scale > 0; scale /= 10 {
		if i < len(l.text) && digit(l.text[i]) {
			n += int(l.text[i]-'0') * scale
			i++
		}
	}
	lost := false
	for ; i < len(l.text) && digit(l.text[i]); i++ {
		lost = lost || l.text[i] != '0'
	}
	l.text = l.text[i:]
	if lost && negative {
		n++
	}
	return n
}

func (l *lexer) word() token {
	n := 0
	for n < len(l.text) && (letter(l.text[n]) || l.text[n] == '.') {
		n++
	}
	word := strings.ToUpper(l.text[:min(n, 19)])
	l.text = l.text[n:]
	return l.lookup(word)
}

func digit(c byte) bool  { return c >= '0' && c <= '9' }
func letter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }
