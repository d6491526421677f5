package quote

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// A Dialect is a set of backslash escapes.
type Dialect uint8

const (
	InANSI   Dialect = iota // bash's $'…'
	InEcho                  // bash's echo -e
	InB                     // bash's printf %b
	InFormat                // the format of bash's printf
	GNUEcho                 // GNU's echo -e
	GNUB                    // GNU's printf %b
	GNUForm                 // the format of GNU's printf
)

// dialects has what distinguishes the dialects.
var dialects = [...]struct {
	quotes  string // further characters that a backslash quotes
	upperE  bool   // \E is \e
	zero    int    // most digits of \0
	octal   bool   // \1 to \7 begin an octal number
	control bool   // \cX is a control character
	stop    bool   // \c ends everything
	unicode bool   // \u and \U
	braces  bool   // \x{…}
	exact   bool   // \u and \U have 4 and 8 digits, and not of every number
}{
	InANSI:   {quotes: `'"?`, upperE: true, zero: 3, octal: true, control: true, unicode: true, braces: true},
	InEcho:   {upperE: true, zero: 4, stop: true, unicode: true},
	InB:      {upperE: true, zero: 4, octal: true, stop: true, unicode: true},
	InFormat: {quotes: `'"?`, upperE: true, zero: 3, octal: true, unicode: true},
	GNUEcho:  {zero: 4, octal: true, stop: true},
	GNUB:     {quotes: `"`, zero: 4, octal: true, stop: true, unicode: true, exact: true},
	GNUForm:  {quotes: `"`, zero: 3, octal: true, stop: true, unicode: true, exact: true},
}

// An Outcome is what is to be said of an escape.
type Outcome uint8

const (
	Fine    Outcome = iota
	Stop            // it was \c: the output ends here
	NoHex           // \x without digits
	NoDigit         // \u or \U without enough digits
	NoChar          // \u or \U with a number that is not allowed
)

// Next decodes the escape that s begins with, appends what it stands for to
// dst, and returns how many bytes of s it takes. What is no escape stands for
// itself; so do those whose outcome is not [Fine].
func (d Dialect) Next(dst []byte, s string) (out []byte, n int, outcome Outcome) {
	if len(s) < 2 {
		return append(dst, s...), len(s), Fine
	}
	t := &dialects[d]
	switch c := s[1]; {
	case strings.IndexByte(letters, c) >= 0:
		return append(dst, controls[strings.IndexByte(letters, c)]), 2, Fine
	case c == '\\', strings.IndexByte(t.quotes, c) >= 0:
		return append(dst, c), 2, Fine
	case c == 'e', c == 'E' && t.upperE:
		return append(dst, '\x1b'), 2, Fine
	case c == '0':
		v, k := number(s[1:], 3, t.zero)
		return append(dst, byte(v)), 1 + k, Fine
	case '1' <= c && c <= '7' && t.octal:
		v, k := number(s[1:], 3, 3)
		return append(dst, byte(v)), 1 + k, Fine
	case c == 'c' && t.stop:
		return dst, 2, Stop
	case c == 'c' && t.control:
		return control(dst, s)
	case c == 'x':
		return d.hex(dst, s)
	case (c == 'u' || c == 'U') && t.unicode:
		return d.character(dst, s)
	}
	return append(dst, s[:2]...), 2, Fine
}

// number reads a number of at most limit digits of bits bits each, and returns
// how many there are.
func number(s string, bits, limit int) (v uint32, n int) {
	for n < limit && n < len(s) {
		digit := digitOf(s[n])
		if digit >= 1<<bits {
			break
		}
		v = v<<bits | digit
		n++
	}
	return v, n
}

// digitOf returns the value of a hexadecimal digit, or 16 for other characters.
func digitOf(c byte) uint32 {
	switch {
	case '0' <= c && c <= '9':
		return uint32(c - '0')
	case 'a' <= c|0x20 && c|0x20 <= 'f':
		return uint32(c|0x20-'a') + 10
	}
	return 16
}

func control(dst []byte, s string) ([]byte, int, Outcome) {
	if len(s) < 3 {
		return append(dst, s...), len(s), Fine
	}
	c, n := s[2], 3
	if c == '\\' && len(s) > 3 && s[3] == '\\' {
		n = 4
	}
	if c == '?' {
		return append(dst, 0x7f), n, Fine
	}
	return append(dst, c&0x1f), n, Fine
}

func (d Dialect) hex(dst []byte, s string) ([]byte, int, Outcome) {
	if dialects[d].braces && len(s) > 2 && s[2] == '{' {
		v, k := number(s[3:], 4, len(s))
		n := 3 + k
		if n < len(s) && s[n] == '}' {
			n++
		}
		return append(dst, byte(v)), n, Fine
	}
	v, k := number(s[2:], 4, 2)
	if k == 0 {
		return append(dst, s[:2]...), 2, NoHex
	}
	return append(dst, byte(v)), 2 + k, Fine
}

func (d Dialect) character(dst []byte, s string) ([]byte, int, Outcome) {
	limit := 4
	if s[1] == 'U' {
		limit = 8
	}
	v, k := number(s[2:], 4, limit)
	exact := dialects[d].exact
	switch {
	case k == 0, exact && k < limit:
		return append(dst, s[:2]...), 2, NoDigit
	case exact && (v < 0xa0 && v != '$' && v != '@' && v != '`' || 0xd800 <= v && v <= 0xdfff):
		return append(dst, s[:2+k]...), 2 + k, NoChar
	case exact && v > utf8.MaxRune:
		return append(dst, s[:2+k]...), 2 + k, Fine
	}
	return appendUTF8(dst, v), 2 + k, Fine
}

// appendUTF8 appends v as UTF-8 was before it was restricted to Unicode:
// surrogates and numbers of 31 bits have forms, larger ones none.
func appendUTF8(dst []byte, v uint32) []byte {
	if v < 0x80 {
		return append(dst, byte(v))
	}
	for n, limit := 2, uint32(0x800); n <= 6; n, limit = n+1, limit<<5 {
		if v >= limit {
			continue
		}
		dst = append(dst, byte(0xff<<(8-n))|byte(v>>(6*(n-1))))
		for i := n - 2; i >= 0; i-- {
			dst = append(dst, 0x80|byte(v>>(6*i))&0x3f)
		}
		return dst
	}
	return dst
}

// Append appends s with its escapes decoded to dst. It reports whether an
// escape has ended the output.
func (d Dialect) Append(dst []byte, s string) (out []byte, stopped bool) {
	for {
		i := strings.IndexByte(s, '\\')
		if i < 0 {
			return append(dst, s...), false
		}
		dst = append(dst, s[:i]...)
		var n int
		var outcome Outcome
		if dst, n, outcome = d.Next(dst, s[i:]); outcome == Stop {
			return dst, true
		}
		s = s[i+n:]
	}
}

// UnescapeANSI decodes the text of $'…'. It ends at the first escape that
// stands for NUL, which no shell word can have.
func UnescapeANSI(s string) string {
	if strings.IndexByte(s, '\\') < 0 {
		return s
	}
	b, _ := InANSI.Append(make([]byte, 0, len(s)), s)
	if i := bytes.IndexByte(b, 0); i >= 0 {
		b = b[:i]
	}
	return string(b)
}

// UnescapeEcho appends the text of bash's echo -e to dst. It reports whether
// \c has ended the output.
func UnescapeEcho(dst []byte, s string) (out []byte, stopped bool) {
	return InEcho.Append(dst, s)
}
