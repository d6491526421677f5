package text

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// An intFormat is a format of printf with one directive for an integer, and
// what stands around it.
type intFormat struct {
	prefix, suffix   string
	minus, zero, alt bool
	width, precision int // precision -1 where there is none
	verb             byte
}

// parseIntFormat parses the argument of csplit -b.
func parseIntFormat(format string) (*intFormat, error) {
	f := &intFormat{precision: -1}
	rest, found := cutDirective(format, &f.prefix)
	if !found {
		return nil, errors.New("missing % conversion specification in suffix")
	}
	for rest != "" && strings.IndexByte("-0#' +", rest[0]) >= 0 {
		switch rest[0] {
		case '-':
			f.minus = true
		case '0':
			f.zero = true
		case '#':
			f.alt = true
		case ' ', '+':
			return nil, fmt.Errorf("invalid flags in conversion specification: %%%c%s", rest[0], rest[1:])
		}
		rest = rest[1:]
	}
	var err error
	digits := rest[:len(rest)-len(strings.TrimLeft(rest, "0123456789"))]
	if rest = rest[len(digits):]; digits != "" {
		if f.width, err = strconv.Atoi(digits); err != nil || f.width > 1<<16 {
			return nil, errors.New("the width of a suffix is too large")
		}
	}
	if strings.HasPrefix(rest, ".") {
		rest = rest[1:]
		digits := rest[:len(rest)-len(strings.TrimLeft(rest, "0123456789"))]
		rest = rest[len(digits):]
		if f.precision, err = strconv.Atoi("0" + digits); err != nil || f.precision > 1<<16 {
			return nil, errors.New("the precision of a suffix is too large")
		}
	}
	if rest == "" {
		return nil, errors.New("missing conversion specifier in suffix")
	}
	f.verb = rest[0]
	switch f.verb {
	case 'd', 'i', 'u':
		f.verb = 'd'
	case 'o', 'x', 'X':
	default:
		if f.verb >= ' ' && f.verb < 127 {
			return nil, fmt.Errorf("invalid conversion specifier in suffix: %c", f.verb)
		}
		return nil, fmt.Errorf("invalid conversion specifier in suffix: \\%.3o", f.verb)
	}
	if _, more := cutDirective(rest[1:], &f.suffix); more {
		return nil, errors.New("too many % conversion specifications in suffix")
	}
	return f, nil
}

// format returns n in the format.
func (f *intFormat) format(n int) string {
	base := map[byte]int{'d': 10, 'o': 8, 'x': 16, 'X': 16}[f.verb]
	text := strconv.FormatInt(int64(n), base)
	if f.verb == 'X' {
		text = strings.ToUpper(text)
	}
	if pad := f.precision - len(text); pad > 0 {
		text = strings.Repeat("0", pad) + text
	}
	sign := ""
	if f.alt && n != 0 {
		switch f.verb {
		case 'x', 'X':
			sign = "0" + string(f.verb)
		case 'o':
			if text[0] != '0' {
				sign = "0"
			}
		}
	}
	pad := max(f.width-len(sign)-len(text), 0)
	switch {
	case f.minus:
		text = sign + text + strings.Repeat(" ", pad)
	case f.zero && f.precision < 0:
		text = sign + strings.Repeat("0", pad) + text
	default:
		text = strings.Repeat(" ", pad) + sign + text
	}
	return f.prefix + text + f.suffix
}
