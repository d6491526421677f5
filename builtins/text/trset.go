package text

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/limpet-sh/limpet/builtins"
)

// A trElement is a part of a string of tr: count times a byte, or one of the
// classes of letters by case, which stands for its bytes in order.
type trElement struct {
	char  byte
	count uint64 // of char; endless for [c*]
	class string // of a class other than digits and single bytes, or ""
	equiv bool   // written as [=c=]
	chars []byte // of a class or a range, instead of char
}

// length is the number of bytes that the element stands for; none for [c*].
func (e *trElement) length() uint64 {
	switch {
	case e.chars != nil:
		return uint64(len(e.chars))
	case e.count == endless:
		return 0
	}
	return e.count
}

// isCase reports whether the element is [:upper:] or [:lower:].
func (e *trElement) isCase() bool { return e.class == "upper" || e.class == "lower" }

// A trSet is a parsed string of tr.
type trSet []trElement

func (s trSet) length() (n uint64) {
	for i := range s {
		n += s[i].length()
	}
	return n
}

// indefinite returns how many [c*] there are.
func (s trSet) indefinite() (n int) {
	for i := range s {
		if s[i].count == endless {
			n++
		}
	}
	return n
}

// members returns which bytes are in the set.
func (s trSet) members() (in [256]bool) {
	for i := range s {
		if s[i].chars == nil {
			in[s[i].char] = true
		}
		for _, b := range s[i].chars {
			in[b] = true
		}
	}
	return in
}

// A trRun is a byte that is repeated.
type trRun struct {
	char  byte
	count uint64
}

// runs returns the bytes of the set in order.
func (s trSet) runs() []trRun {
	var list []trRun
	for i := range s {
		if s[i].chars == nil {
			list = append(list, trRun{s[i].char, s[i].length()})
		}
		for _, b := range s[i].chars {
			list = append(list, trRun{b, 1})
		}
	}
	return list
}

// A trParser parses a string of tr, whose escapes are resolved first.
type trParser struct {
	text    []byte
	escaped []bool
	set     trSet
	warn    func(string)
}

// parseTrSet parses a string of tr. warn is called for what is not portable.
func parseTrSet(s string, warn func(string)) (trSet, error) {
	p := trParser{warn: warn}
	p.unescape(s)
	i := 0
	for i < len(p.text) {
		if i+2 < len(p.text) {
			next, err := p.construct(i)
			if err != nil {
				return nil, err
			}
			if next > i {
				i = next
				continue
			}
		}
		p.set = append(p.set, trElement{char: p.text[i], count: 1})
		i++
	}
	return p.set, nil
}

func (p *trParser) unescape(s string) {
	for i := 0; i < len(s); i++ {
		b, escaped := s[i], false
		if b == '\\' && i+1 < len(s) {
			escaped = true
			i++
			b = s[i]
			if j := strings.IndexByte("abfnrtv", b); j >= 0 {
				b = "\a\b\f\n\r\t\v"[j]
			} else if '0' <= b && b <= '7' {
				n := 1
				for n < 3 && i+n < len(s) && '0' <= s[i+n] && s[i+n] <= '7' {
					n++
				}
				if n == 3 && b > '3' {
					p.warn(fmt.Sprintf("the ambiguous octal escape \\%s is being\n\tinterpreted as the 2-byte sequence \\0%s, %c", s[i:i+3], s[i:i+2], s[i+2]))
					n = 2
				}
				v, _ := strconv.ParseUint(s[i:i+n], 8, 8)
				b = byte(v)
				i += n - 1
			}
		} else if b == '\\' {
			p.warn("an unescaped backslash at end of string is not portable")
		}
		p.text = append(p.text, b)
		p.escaped = append(p.escaped, escaped)
	}
}

// is reports whether byte i is b and means what b means.
func (p *trParser) is(i int, b byte) bool {
	return i < len(p.text) && p.text[i] == b && !p.escaped[i]
}

// construct parses what begins at i and is more than a byte. It returns i if
// there is no such thing.
func (p *trParser) construct(i int) (next int, err error) {
	if p.is(i, '[') {
		if p.is(i+1, ':') || p.is(i+1, '=') {
			if end := p.closing(i+2, p.text[i+1]); end > 0 {
				if ok, err := p.bracket(i, end); ok || err != nil {
					return end + 2, err
				}
			}
		}
		if next, err := p.repeat(i); next > i || err != nil {
			return next, err
		}
	}
	if p.is(i+1, '-') {
		return i + 3, p.rangeOf(p.text[i], p.text[i+2])
	}
	return i, nil
}

// closing finds delim and a bracket, from i on.
func (p *trParser) closing(i int, delim byte) int {
	for ; i+1 < len(p.text); i++ {
		if p.is(i, delim) && p.is(i+1, ']') {
			return i
		}
	}
	return 0
}

// bracket adds a class or an equivalence class, unless it is none but looks
// like a repeat.
func (p *trParser) bracket(i, end int) (ok bool, err error) {
	name := string(p.text[i+2 : end])
	isClass := p.text[i+1] == ':'
	switch {
	case name == "" && isClass:
		return false, fmt.Errorf("missing character class name '[::]'")
	case name == "":
		return false, fmt.Errorf("missing equivalence class character '[==]'")
	case isClass && asciiClass(name) != nil:
		p.set = append(p.set, trElement{class: name, chars: classBytes(asciiClass(name))})
		return true, nil
	case !isClass && len(name) == 1:
		p.set = append(p.set, trElement{char: name[0], count: 1, equiv: true})
		return true, nil
	case p.looksLikeRepeat(i + 2):
		return false, nil
	case isClass:
		return false, fmt.Errorf("invalid character class %s", builtins.QuoteLocale(name))
	}
	return false, fmt.Errorf("%s: equivalence class operand must be a single character", showTr(p.text[i+2:end]))
}

// looksLikeRepeat reports whether a star, digits and a bracket begin at i.
func (p *trParser) looksLikeRepeat(i int) bool {
	if !p.is(i, '*') {
		return false
	}
	for i++; i < len(p.text); i++ {
		if p.text[i] < '0' || p.text[i] > '9' || p.escaped[i] {
			return p.is(i, ']')
		}
	}
	return false
}

// repeat adds [c*n], and returns i where there is none.
func (p *trParser) repeat(i int) (next int, err error) {
	if !p.is(i+2, '*') {
		return i, nil
	}
	for end := i + 3; end < len(p.text); end++ {
		if !p.is(end, ']') {
			continue
		}
		digits := string(p.text[i+3 : end])
		e := trElement{char: p.text[i+1], count: endless}
		if digits != "" {
			base := 10
			if digits[0] == '0' {
				base = 8
			}
			n, err := strconv.ParseUint(digits, base, 63)
			if err != nil {
				return i, fmt.Errorf("invalid repeat count %s in [c*n] construct", builtins.QuoteLocale(digits))
			}
			if n > 0 {
				e.count = n
			}
		}
		p.set = append(p.set, e)
		return end + 1, nil
	}
	return i, nil
}

func (p *trParser) rangeOf(lo, hi byte) error {
	if lo > hi {
		return fmt.Errorf("range-endpoints of '%s-%s' are in reverse collating sequence order",
			showTr([]byte{lo}), showTr([]byte{hi}))
	}
	e := trElement{chars: make([]byte, 0, int(hi)-int(lo)+1)}
	for b := int(lo); b <= int(hi); b++ {
		e.chars = append(e.chars, byte(b))
	}
	p.set = append(p.set, e)
	return nil
}

// showTr returns bytes as the messages of tr have them.
func showTr(text []byte) string {
	var s strings.Builder
	for _, b := range text {
		switch i := strings.IndexByte("\\\a\b\f\n\r\t\v", b); {
		case i >= 0:
			s.WriteString([]string{`\\`, `\a`, `\b`, `\f`, `\n`, `\r`, `\t`, `\v`}[i])
		case b >= ' ' && b < 127:
			s.WriteByte(b)
		default:
			fmt.Fprintf(&s, `\%03o`, b)
		}
	}
	return s.String()
}

// asciiClass returns the predicate of a POSIX class over bytes, of which those
// above 127 are in none; nil where there is no such class.
func asciiClass(name string) func(byte) bool {
	switch name {
	case "alnum":
		return func(b byte) bool { return isAlpha(b) || isDigit(b) }
	case "alpha":
		return isAlpha
	case "blank":
		return isBlank
	case "cntrl":
		return func(b byte) bool { return b < ' ' || b == 127 }
	case "digit":
		return isDigit
	case "graph":
		return func(b byte) bool { return b > ' ' && b < 127 }
	case "lower":
		return func(b byte) bool { return 'a' <= b && b <= 'z' }
	case "print":
		return func(b byte) bool { return b >= ' ' && b < 127 }
	case "punct":
		return func(b byte) bool { return b > ' ' && b < 127 && !isAlpha(b) && !isDigit(b) }
	case "space":
		return isSpace
	case "upper":
		return func(b byte) bool { return 'A' <= b && b <= 'Z' }
	case "xdigit":
		return func(b byte) bool { return isDigit(b) || 'a' <= lower(b) && lower(b) <= 'f' }
	}
	return nil
}

func isAlpha(b byte) bool { return 'a' <= lower(b) && lower(b) <= 'z' }
func isDigit(b byte) bool { return '0' <= b && b <= '9' }
func isBlank(b byte) bool { return b == ' ' || b == '\t' }
func isSpace(b byte) bool { return b == ' ' || '\t' <= b && b <= '\r' }

func classBytes(in func(byte) bool) []byte {
	var list []byte
	for b := range 256 {
		if in(byte(b)) {
			list = append(list, byte(b))
		}
	}
	return list
}
