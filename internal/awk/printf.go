package awk

import (
	"bytes"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// A spec is a conversion specification of a format.
type spec struct {
	minus, plus, space, alt, zero bool
	width, prec                   int // prec is -1 where there is none
	verb                          byte
}

// A formatter carries out a format.
type formatter struct {
	m      *machine
	layout string
	args   []value
	used   int  // arguments taken in their order
	placed bool // some argument was named by its position
}

// sprintf appends args to b in the format layout.
func (m *machine) sprintf(b []byte, layout string, args []value) []byte {
	f := formatter{m: m, layout: layout, args: args}
	for i := 0; i < len(layout); {
		j := strings.IndexByte(layout[i:], '%')
		if j < 0 {
			return m.append(b, view(layout[i:]))
		}
		b = m.append(b, view(layout[i:i+j]))
		i += j
		m.poll(1)
		b, i = f.conversion(b, i)
	}
	return b
}

// conversion carries out the conversion that begins at i, and returns where the
// format goes on.
func (f *formatter) conversion(b []byte, i int) ([]byte, int) {
	start := i
	s, position, i := f.spec(i + 1)
	if i >= len(f.layout) {
		return append(b, f.layout[start:]...), i
	}
	s.verb = f.layout[i]
	i++
	switch s.verb {
	case '%':
		return append(b, '%'), i
	case 'c', 'd', 'i', 'o', 'x', 'X', 'u', 'e', 'E', 'f', 'F', 'g', 'G', 'a', 'A', 's':
	default:
		return append(b, f.layout[start:i]...), i
	}
	if size := max(s.width, s.prec); size > counted {
		f.m.room(2 * size)
		f.m.poll(size >> 8)
	}
	return f.m.convert(b, &s, f.arg(position, i)), i
}

// spec parses what stands between the percent sign and the verb of a conversion.
// Like gawk it takes flags, sizes and the modifiers of C in any order.
func (f *formatter) spec(i int) (s spec, position, end int) {
	s.prec = -1
	if n, end := digits(f.layout, i); end > i && end < len(f.layout) && f.layout[end] == '$' {
		position, i = n, end+1
	}
	for i < len(f.layout) {
		switch c := f.layout[i]; {
		case c == '.':
			if s.prec, i = f.size(i + 1); s.prec < 0 {
				s.prec = -1
			}
			if i < len(f.layout) && f.layout[i] == '-' { // a negative precision is none
				_, i = digits(f.layout, i+1)
				s.prec = -1
			}
		case c == '*' || c >= '1' && c <= '9':
			if s.width, i = f.size(i); s.width < 0 {
				s.minus, s.width = true, -s.width
			}
		case s.flag(c) || strings.IndexByte("hlLqjzt", c) >= 0:
			i++
		default:
			return s, position, i
		}
	}
	return s, position, i
}

// flag notes the flag c, if it is one.
func (s *spec) flag(c byte) bool {
	switch c {
	case '-':
		s.minus = true
	case '+':
		s.plus = true
	case ' ':
		s.space = true
	case '#':
		s.alt = true
	case '0':
		s.zero = true
	case '\'': // the locale groups no digits
	default:
		return false
	}
	return true
}

// digits returns the number at i, and where it ends.
func digits(s string, i int) (n, end int) {
	for i < len(s) && isDigit(s[i]) {
		n = min(n*10+int(s[i]-'0'), math.MaxInt32)
		i++
	}
	return n, i
}

// size returns the width or precision at i: a number, or an argument.
func (f *formatter) size(i int) (n, end int) {
	if i >= len(f.layout) || f.layout[i] != '*' {
		return digits(f.layout, i)
	}
	position := 0
	if n, end := digits(f.layout, i+1); end > i+1 && end < len(f.layout) && f.layout[end] == '$' {
		position = n
		i = end
	}
	v := f.arg(position, i+1)
	return int(clamp(v.num(), math.MinInt32, math.MaxInt32)), i + 1
}

// arg returns the argument at a position, or the next; end is where its
// specification ends, for the message about there being none.
func (f *formatter) arg(position, end int) *value {
	at := f.used
	if position > 0 {
		at = position - 1
		f.placed = true
	} else {
		f.used++
	}
	if f.placed && f.used > 0 {
		f.m.fatal("must use `count$' on all formats or none")
	}
	if at < len(f.args) {
		return &f.args[at]
	}
	f.m.fatal("not enough arguments to satisfy format string\n\t`%s'\n\t%s^ ran out for this one",
		f.layout, strings.Repeat(" ", max(0, end-1)))
	return nil
}

// convert appends v as s has it.
func (m *machine) convert(b []byte, s *spec, v *value) []byte {
	switch s.verb {
	case 's':
		return m.padded(b, s, m.truncated(s, m.str(v)))
	case 'c':
		return m.padded(b, s, m.character(v))
	}
	n := v.num()
	if special, ok := infOrNaN(n); ok {
		return append(b, special...) // whatever the width
	}
	switch s.verb {
	case 'd', 'i':
		return s.integer(b, math.Trunc(n))
	case 'o', 'x', 'X', 'u':
		return s.unsigned(b, math.Trunc(n))
	}
	return s.float(b, n)
}

func (m *machine) truncated(s *spec, text string) string {
	if s.prec < 0 || s.prec >= len(text) {
		return text
	}
	return text[:prefixLen(view(text), s.prec)]
}

// character returns what %c prints: the character that a number stands for, or
// the first of a string.
func (m *machine) character(v *value) string {
	n := v.n
	switch v.k {
	case number:
	case input:
		var ok bool
		if n, ok = looksNumeric(v.s); ok {
			break
		}
		fallthrough
	default:
		s := m.str(v)
		if s == "" {
			return "\x00"
		}
		return s[:runeLen(s)]
	}
	r := rune(clamp(n, -1, 1<<30))
	if utf8.ValidRune(r) {
		return string(r)
	}
	return string([]byte{byte(int64(clamp(n, -1<<62, 1<<62)))})
}

// padded appends text, in a field of s.width characters.
func (m *machine) padded(b []byte, s *spec, text string) []byte {
	pad := 0
	if s.width > 0 {
		pad = max(0, s.width-utf8.RuneCountInString(text))
	}
	if !s.minus {
		b = appendPad(b, ' ', pad)
	}
	b = m.append(b, view(text))
	if s.minus {
		b = appendPad(b, ' ', pad)
	}
	return b
}

func appendPad(b []byte, c byte, n int) []byte {
	if n <= 0 {
		return b
	}
	return append(b, bytes.Repeat([]byte{c}, n)...)
}

// integer appends n, a whole number.
func (s *spec) integer(b []byte, n float64) []byte {
	sign := s.sign(n < 0)
	digits := strconv.FormatFloat(math.Abs(n), 'f', 0, 64)
	if s.prec == 0 && n == 0 {
		digits = ""
	}
	return s.number(b, sign, digits)
}

func (s *spec) sign(negative bool) string {
	switch {
	case negative:
		return "-"
	case s.plus:
		return "+"
	case s.space:
		return " "
	}
	return ""
}

// unsigned appends n in octal, decimal or hexadecimal. A number that does not
// fit is printed as %g has it.
func (s *spec) unsigned(b []byte, n float64) []byte {
	var u uint64
	switch {
	case n >= 0 && n < 1<<64:
		u = uint64(n)
	case n < 0 && n >= -1<<63:
		u = uint64(int64(n))
	default:
		s.verb = 'g'
		return s.float(b, n)
	}
	base := map[byte]int{'o': 8, 'x': 16, 'X': 16, 'u': 10}[s.verb]
	digits := strconv.FormatUint(u, base)
	prefix := ""
	switch {
	case s.verb == 'X':
		digits = strings.ToUpper(digits)
		if s.alt && u != 0 {
			prefix = "0X"
		}
	case s.verb == 'x' && s.alt && u != 0:
		prefix = "0x"
	case s.verb == 'o' && s.alt && u != 0 && s.prec <= len(digits):
		digits = "0" + digits
	}
	if s.prec == 0 && u == 0 {
		digits = ""
	}
	return s.number(b, prefix, digits)
}

// number appends a whole number, with its sign or prefix.
func (s *spec) number(b []byte, sign, digits string) []byte {
	zeros := max(0, s.prec-len(digits))
	pad := max(0, s.width-len(sign)-zeros-len(digits))
	if s.zero && !s.minus && s.prec < 0 {
		zeros, pad = zeros+pad, 0
	}
	if !s.minus {
		b = appendPad(b, ' ', pad)
	}
	b = append(b, sign...)
	b = appendPad(b, '0', zeros)
	b = append(b, digits...)
	if s.minus {
		b = appendPad(b, ' ', pad)
	}
	return b
}

// float appends n as %e, %f, %g or %a has it.
func (s *spec) float(b []byte, n float64) []byte {
	verb, prec := s.verb|0x20, s.prec
	if prec < 0 && verb != 'a' {
		prec = 6
	}
	n2 := math.Abs(n)
	var text string
	switch verb {
	case 'a':
		text = hexFloat(n2, prec)
	case 'g':
		text = s.general(n2, max(prec, 1))
	default:
		text = strconv.FormatFloat(n2, verb, prec, 64)
		if s.alt && prec == 0 {
			text += "."
		}
	}
	if s.verb < 'a' {
		text = strings.ToUpper(text)
	}
	sign := s.sign(math.Signbit(n))
	pad := max(0, s.width-len(sign)-len(text))
	switch {
	case s.minus:
		b = append(append(b, sign...), text...)
		return appendPad(b, ' ', pad)
	case s.zero:
		b = appendPad(append(b, sign...), '0', pad)
		return append(b, text...)
	}
	b = append(appendPad(b, ' ', pad), sign...)
	return append(b, text...)
}

// general returns n as %g has it.
func (s *spec) general(n float64, prec int) string {
	if !s.alt {
		return strconv.FormatFloat(n, 'g', prec, 64)
	}
	e := strconv.FormatFloat(n, 'e', prec-1, 64)
	exp, _ := strconv.Atoi(e[strings.IndexByte(e, 'e')+1:])
	if exp < -4 || exp >= prec {
		if prec == 1 {
			return strings.Replace(e, "e", ".e", 1)
		}
		return e
	}
	text := strconv.FormatFloat(n, 'f', prec-1-exp, 64)
	if prec-1-exp == 0 {
		text += "."
	}
	return text
}

// hexFloat returns n as %a has it: with a one-digit exponent where C has one.
func hexFloat(n float64, prec int) string {
	text := strconv.FormatFloat(n, 'x', prec, 64)
	mantissa, exp, _ := strings.Cut(text, "p")
	if len(exp) == 3 && exp[1] == '0' {
		exp = exp[:1] + exp[2:]
	}
	return mantissa + "p" + exp
}
