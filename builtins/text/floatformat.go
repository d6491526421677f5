package text

import (
	"bytes"
	"fmt"
	"math/big"
	"strconv"
	"strings"

	"github.com/limpet-sh/limpet/builtins"
)

// A floatFormat is a format of printf with one directive for a floating point
// number, and what stands around it.
type floatFormat struct {
	prefix, suffix       string
	minus, plus, alt     bool
	zero, space, grouped bool
	width, precision     int // precision -1 where there is none
	verb                 byte
}

// parseFloatFormat parses the argument of seq -f.
func parseFloatFormat(format string) (*floatFormat, error) {
	f := &floatFormat{precision: -1}
	quoted := builtins.QuoteLocale(format)
	rest, found := cutDirective(format, &f.prefix)
	if !found {
		return nil, fmt.Errorf("format %s has no %% directive", quoted)
	}
	rest, err := f.parse(rest)
	if err != nil {
		return nil, err
	}
	rest = strings.TrimPrefix(rest, "L")
	if rest == "" {
		return nil, fmt.Errorf("format %s ends in %%", quoted)
	}
	f.verb = rest[0]
	if strings.IndexByte("efgEFG", f.verb) < 0 {
		return nil, fmt.Errorf("format %s has unknown %%%c directive", quoted, f.verb)
	}
	if _, more := cutDirective(rest[1:], &f.suffix); more {
		return nil, fmt.Errorf("format %s has too many %% directives", quoted)
	}
	return f, nil
}

// cutDirective sets *text to what stands before the first directive, with %%
// made %, and returns what follows its %.
func cutDirective(format string, text *string) (rest string, found bool) {
	var b strings.Builder
	defer func() { *text = b.String() }()
	for i := 0; i < len(format); i++ {
		if format[i] == '%' {
			if i++; i == len(format) || format[i] != '%' {
				return format[i:], true
			}
		}
		b.WriteByte(format[i])
	}
	return "", false
}

// parse parses the flags, the width and the precision.
func (f *floatFormat) parse(s string) (rest string, err error) {
	for ; s != ""; s = s[1:] {
		switch s[0] {
		case '-':
			f.minus = true
		case '+':
			f.plus = true
		case '#':
			f.alt = true
		case '0':
			f.zero = true
		case ' ':
			f.space = true
		case '\'':
			f.grouped = true
		default:
			return f.parseNumbers(s)
		}
	}
	return s, nil
}

func (f *floatFormat) parseNumbers(s string) (rest string, err error) {
	number := func() (n int, err error) {
		digits := s[:len(s)-len(strings.TrimLeft(s, "0123456789"))]
		s = s[len(digits):]
		if digits == "" {
			return 0, nil
		}
		n64, err := strconv.ParseInt(digits, 10, 31)
		if err != nil {
			return 0, fmt.Errorf("invalid width or precision: %s", builtins.QuoteLocale(digits))
		}
		return int(n64), nil
	}
	if f.width, err = number(); err != nil {
		return s, err
	}
	if strings.HasPrefix(s, ".") {
		s = s[1:]
		f.precision, err = number()
	}
	return s, err
}

// size is an upper bound for the length of the text of a number but for its
// digits before the point.
func (f *floatFormat) size() int {
	return max(f.width, f.precision+8) + len(f.prefix) + len(f.suffix)
}

// append appends x in the format, prefix and suffix included.
func (f *floatFormat) append(buf []byte, x *big.Float) []byte {
	buf = append(buf, f.prefix...)
	buf = f.appendNumber(buf, x)
	return append(buf, f.suffix...)
}

func (f *floatFormat) appendNumber(buf []byte, x *big.Float) []byte {
	precision := f.precision
	if precision < 0 {
		precision = 6
	}
	if precision == 0 && f.verb|0x20 == 'g' {
		precision = 1
	}
	var text []byte
	switch {
	case x.IsInf():
		text = []byte("inf")
		if f.verb < 'a' {
			text = []byte("INF")
		}
	case f.verb|0x20 == 'f':
		text = new(big.Float).Abs(x).Append(nil, 'f', precision)
	default:
		text = new(big.Float).Abs(x).Append(nil, f.verb, precision)
	}
	if f.alt && precision == 0 && f.verb|0x20 != 'g' && !x.IsInf() {
		text = append(text, '.')
	}
	sign := ""
	switch {
	case x.Signbit():
		sign = "-"
	case f.plus:
		sign = "+"
	case f.space:
		sign = " "
	}
	pad := max(f.width-len(sign)-len(text), 0)
	switch {
	case f.minus:
		buf = append(append(buf, sign...), text...)
		return append(buf, bytes.Repeat([]byte{' '}, pad)...)
	case f.zero && !x.IsInf():
		buf = append(append(buf, sign...), bytes.Repeat([]byte{'0'}, pad)...)
		return append(buf, text...)
	}
	buf = append(buf, bytes.Repeat([]byte{' '}, pad)...)
	return append(append(buf, sign...), text...)
}
