package text

import (
	"fmt"
	"math/big"
	"strconv"
	"strings"

	"github.com/limpet-sh/limpet/builtins"
	"github.com/limpet-sh/limpet/internal/printf"
)

// A floatFormat is a format of printf with one directive for a floating point
// number, and what stands around it.
type floatFormat struct {
	printf.Directive
	prefix, suffix string
}

// parseFloatFormat parses the argument of seq -f.
func parseFloatFormat(format string) (*floatFormat, error) {
	f := &floatFormat{Directive: printf.Directive{Precision: -1}}
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
	f.Verb = rest[0]
	if strings.IndexByte("efgaEFGA", f.Verb) < 0 {
		return nil, fmt.Errorf("format %s has unknown %%%c directive", quoted, f.Verb)
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
			f.Minus = true
		case '+':
			f.Plus = true
		case '#':
			f.Alt = true
		case '0':
			f.Zero = true
		case ' ':
			f.Space = true
		case '\'': // no groups in the C locale
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
	if f.Width, err = number(); err != nil {
		return s, err
	}
	if strings.HasPrefix(s, ".") {
		s = s[1:]
		f.Precision, err = number()
	}
	return s, err
}

// size is an upper bound for the length of the text of a number but for its
// digits before the point.
func (f *floatFormat) size() int {
	return max(f.Width, f.Precision+8) + len(f.prefix) + len(f.suffix)
}

// append appends x in the format, prefix and suffix included.
func (f *floatFormat) append(buf []byte, x *big.Float) []byte {
	buf = append(buf, f.prefix...)
	buf = f.AppendReal(buf, printf.BigFloat(x))
	return append(buf, f.suffix...)
}
