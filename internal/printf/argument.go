package printf

import (
	"math"
	"strings"
	"unicode/utf8"

	"github.com/limpet-sh/limpet/internal/quote"
)

func quoted(s string) string { return quote.Locale(s) }

// arg consumes an argument; a missing one is empty.
func (r *run) arg() string {
	if len(r.args) == 0 {
		return ""
	}
	s := r.args[0]
	r.args = r.args[1:]
	return s
}

// signed consumes an argument that is an integer.
func (r *run) signed() int64 {
	s := r.arg()
	if c, ok := r.character(s); ok {
		return c
	}
	i, n := parseInteger(s)
	v := int64(i.magnitude)
	switch {
	case i.negative && i.magnitude > 1<<63:
		v, i.overflow = math.MinInt64, true
	case i.negative:
		v = -v
	case i.magnitude > math.MaxInt64:
		v, i.overflow = math.MaxInt64, true
	}
	r.check(s, n, i.overflow)
	return v
}

// unsigned consumes an argument that is an integer without a sign; a negative
// one wraps around.
func (r *run) unsigned() uint64 {
	s := r.arg()
	if c, ok := r.character(s); ok {
		return uint64(c)
	}
	i, n := parseInteger(s)
	r.check(s, n, i.overflow)
	if i.negative && !i.overflow {
		return -i.magnitude
	}
	return i.magnitude
}

// real consumes an argument that is a floating point number.
func (r *run) real() Real {
	s := r.arg()
	if c, ok := r.character(s); ok {
		return Int(c)
	}
	x, n, overflow := ParseReal(s)
	r.check(s, n, overflow)
	return x
}

// character returns the code of the character that follows a quote.
func (r *run) character(s string) (int64, bool) {
	if s == "" || s[0] != '\'' && s[0] != '"' || r.GNU && len(s) == 1 {
		return 0, false
	}
	if len(s) == 1 {
		return 0, true
	}
	c, n := utf8.DecodeRuneInString(s[1:])
	if c == utf8.RuneError && n == 1 || r.Bytes {
		c, n = rune(s[1]), 1
	}
	if rest := s[1+n:]; r.GNU && rest != "" {
		r.warn("warning: %s: character(s) following character constant have been ignored", rest)
	}
	return int64(c), true
}

// check explains what is wrong with the number s, of which n bytes have been
// understood.
func (r *run) check(s string, n int, overflow bool) {
	switch {
	case s == "":
	case r.GNU && overflow:
		r.ok = false
		r.warn("%s: Numerical result out of range", quoted(s))
	case r.GNU && n == 0:
		r.ok = false
		r.warn("%s: expected a numeric value", quoted(s))
	case r.GNU && n < len(s):
		r.ok = false
		r.warn("%s: value not completely converted", quoted(s))
	case r.GNU:
	case n < len(s):
		r.ok = false
		kind := "number"
		if strings.HasPrefix(s, "0x") {
			kind = "hex number"
		} else if len(s) > 1 && s[0] == '0' && '0' <= s[1] && s[1] <= '9' {
			kind = "octal number"
		}
		r.warn("%s: invalid %s", s, kind)
	case overflow:
		r.outOfRange(s)
	}
}

func (r *run) outOfRange(s string) {
	r.warn("warning: %s: Numerical result out of range", s)
}

// An integer is the result of strtoumax.
type integer struct {
	negative  bool
	magnitude uint64 // the largest if overflow
	overflow  bool
}

// space returns the length of the white space that s begins with.
func space(s string) int {
	return len(s) - len(strings.TrimLeft(s, " \t\n\v\f\r"))
}

// parseInteger reads a number in C's notation: decimal, octal after 0,
// hexadecimal after 0x. It returns how many bytes that takes, 0 if there is no
// number.
func parseInteger(s string) (v integer, n int) {
	i := space(s)
	if i < len(s) && (s[i] == '-' || s[i] == '+') {
		v.negative = s[i] == '-'
		i++
	}
	base := uint64(10)
	if strings.HasPrefix(s[i:], "0") {
		base = 8
		if i+2 < len(s) && s[i+1]|0x20 == 'x' && digit(s[i+2]) < 16 {
			base = 16
			i += 2
		}
	}
	for ; i < len(s) && uint64(digit(s[i])) < base; i++ {
		n = i + 1
		if d := uint64(digit(s[i])); v.magnitude > (math.MaxUint64-d)/base {
			v.overflow = true
		} else {
			v.magnitude = v.magnitude*base + d
		}
	}
	if v.overflow {
		v.magnitude = math.MaxUint64
	}
	if n == 0 {
		v = integer{}
	}
	return v, n
}

// digit returns the value of a hexadecimal digit, or 16 for other characters.
func digit(c byte) int {
	switch {
	case '0' <= c && c <= '9':
		return int(c - '0')
	case 'a' <= c|0x20 && c|0x20 <= 'f':
		return int(c|0x20-'a') + 10
	}
	return 16
}
