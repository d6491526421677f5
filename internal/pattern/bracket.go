package pattern

import (
	"slices"
	"strings"

	"github.com/limpet-sh/limpet/internal/wchar"
)

// A set is the characters that a bracket expression matches.
type set struct {
	not     bool
	ranges  []span            // of folded characters
	classes []func(rune) bool // asked for the character as it is
}

// A span is the characters from lo to hi, in the order of code points.
type span struct{ lo, hi rune }

// has reports whether s matches r, whose folded form is folded.
func (s *set) has(r, folded rune) bool {
	for _, x := range s.ranges {
		if x.lo <= folded && folded <= x.hi {
			return !s.not
		}
	}
	for _, in := range s.classes {
		if in(r) {
			return !s.not
		}
	}
	return s.not
}

// never is a range's bound that is no character: an unknown collating symbol.
const never = -1

// bracket parses a bracket expression behind its opening bracket. It returns
// nil where there is no closing one.
func (p *parser) bracket() *set {
	if p.pos > p.close {
		return nil
	}
	s := &set{}
	if r := p.at(0); r == '!' || r == '^' {
		s.not = true
		p.pos++
	}
	c := p.next()
	for c != 0 {
		if c == '[' && p.at(0) == '=' && p.at(1) != 0 && p.at(2) == '=' && p.at(3) == ']' {
			s.add(p.fold(p.at(1)), p.fold(p.at(1)))
			p.pos += 4
			c = p.next() // Bash: a bracket that follows is one more character.
			continue
		}
		if c == '[' && p.at(0) == ':' && p.class(s) {
			if c = p.next(); c == ']' {
				return s
			}
			continue
		}
		lo, ok := p.bound(c)
		if !ok {
			return nil
		}
		hi := lo
		if c = p.next(); c == '-' && p.at(0) != ']' {
			if hi, ok = p.bound(p.next()); !ok {
				return nil
			}
			c = p.next()
		}
		s.add(lo, hi)
		if c == ']' {
			return s
		}
	}
	return nil
}

// add adds the characters from lo to hi to s: none, where a bound is [never].
func (s *set) add(lo, hi rune) {
	if lo != never && lo <= hi {
		s.ranges = append(s.ranges, span{lo, hi})
	}
}

// bound returns the character that c, which has been consumed, stands for or
// begins. It fails at the end of the pattern.
func (p *parser) bound(c rune) (rune, bool) {
	switch {
	case c == '[' && p.at(0) == '.':
		if r, ok := p.collating(); ok {
			return r, true
		}
	case c == '\\':
		c = p.next()
	}
	return p.fold(c), c != 0
}

// until returns the symbols from i places ahead to the delimiter of a
// subexpression such as [:alpha:].
func (p *parser) until(delim rune) ([]rune, bool) {
	rest := p.text[p.pos+1:]
	for i := 0; i+1 < len(rest); i++ {
		if rest[i] == delim && rest[i+1] == ']' {
			return rest[:i], true
		}
	}
	p.again += len(rest)
	return nil, false
}

// class consumes a character class and adds it to s. A class that does not
// exist has no characters.
func (p *parser) class(s *set) bool {
	name, ok := p.until(':')
	if !ok {
		return false
	}
	p.pos += len(name) + 3
	unquoted := strings.TrimSuffix(Unquote(string(name)+"]"), "]") // also of a backslash at its end
	if in := p.classNamed(unquoted); in != nil {
		s.classes = append(s.classes, in)
	}
	return true
}

func (p *parser) classNamed(name string) func(rune) bool {
	in := wchar.Class(name)
	switch name { // Bash: two classes that POSIX does not have.
	case "word":
		in = func(r rune) bool { return r == '_' || wchar.IsAlnum(r) }
	case "ascii":
		in = func(r rune) bool { return r < 0x80 }
	}
	if in != nil && p.bytes {
		return func(r rune) bool { return r < 0x80 && in(r) }
	}
	return in
}

// collating consumes a collating symbol and returns the character it names, or
// [never].
func (p *parser) collating() (rune, bool) {
	name, ok := p.until('.')
	if !ok {
		return 0, false
	}
	p.pos += len(name) + 3
	if len(name) == 1 {
		return p.fold(name[0]), true
	}
	if i := slices.Index(collatingNames, string(name)); i >= 0 {
		return p.fold(rune(i)), true
	}
	return never, true
}

// collatingNames has the names that POSIX (XBD 6.1, Portable Character Set)
// gives to the characters of ASCII, by their codes.
var collatingNames = []string{
	"NUL", "SOH", "STX", "ETX", "EOT", "ENQ", "ACK", "alert",
	"backspace", "tab", "newline", "vertical-tab", "form-feed", "carriage-return", "SO", "SI",
	"DLE", "DC1", "DC2", "DC3", "DC4", "NAK", "SYN", "ETB",
	"CAN", "EM", "SUB", "ESC", "IS4", "IS3", "IS2", "IS1",
	"space", "exclamation-mark", "quotation-mark", "number-sign", "dollar-sign", "percent-sign", "ampersand", "apostrophe",
	"left-parenthesis", "right-parenthesis", "asterisk", "plus-sign", "comma", "hyphen", "period", "slash",
	"zero", "one", "two", "three", "four", "five", "six", "seven",
	"eight", "nine", "colon", "semicolon", "less-than-sign", "equals-sign", "greater-than-sign", "question-mark",
	"commercial-at", "A", "B", "C", "D", "E", "F", "G",
	"H", "I", "J", "K", "L", "M", "N", "O",
	"P", "Q", "R", "S", "T", "U", "V", "W",
	"X", "Y", "Z", "left-square-bracket", "backslash", "right-square-bracket", "circumflex", "underscore",
	"grave-accent", "a", "b", "c", "d", "e", "f", "g",
	"h", "i", "j", "k", "l", "m", "n", "o",
	"p", "q", "r", "s", "t", "u", "v", "w",
	"x", "y", "z", "left-brace", "vertical-line", "right-brace", "tilde", "DEL",
}
