package printf

import (
	"math"
	"strconv"
	"strings"
)

// A Directive is a conversion specification of C's printf without its length
// modifiers.
type Directive struct {
	Minus, Plus, Space, Alt, Zero bool

	Width     int
	Precision int // negative if there is none
	Verb      byte
}

// tooWide is a width or precision that no C library takes.
const tooWide = math.MaxInt32

// flag sets the flag c, and reports whether it is one.
func (d *Directive) flag(c byte) bool {
	switch c {
	case '-':
		d.Minus = true
	case '+':
		d.Plus = true
	case ' ':
		d.Space = true
	case '#':
		d.Alt = true
	case '0':
		d.Zero = true
	case '\'': // no groups in the C locale
	default:
		return false
	}
	return true
}

// digits reads a number, which is at most tooWide.
func digits(s string) (v, n int) {
	for n < len(s) && '0' <= s[n] && s[n] <= '9' {
		v = min(v*10+int(s[n]-'0'), tooWide)
		n++
	}
	return v, n
}

// directive carries out the directive that format begins with, and returns its
// length.
func (r *run) directive(format string) (int, error) {
	d := &Directive{Precision: -1}
	if r.GNU && len(format) > 1 && (format[1] == 'b' || format[1] == 'q') {
		d.Verb = format[1]
		return 2, r.convert(d)
	}
	i := 1
	for i < len(format) && d.flag(format[i]) {
		i++
	}
	flags := format[1:i]
	var err error
	if i, err = r.sizes(d, format, i); err != nil {
		return 0, err
	}
	for i < len(format) && strings.IndexByte("hjlLtz", format[i]) >= 0 {
		i++
	}
	if r.GNU {
		if i == len(format) || !allowed(format[i], flags, d.Precision != -1 || strings.IndexByte(format[:i], '.') >= 0) {
			return 0, r.fail("%s: invalid conversion specification", format[:min(i+1, len(format))])
		}
	} else if i < len(format) && format[i] == '(' {
		return r.timeDirective(d, format, i)
	}
	if i == len(format) {
		return 0, r.fail("`%s': missing format character", format)
	}
	d.Verb = format[i]
	if !r.GNU && strings.IndexByte("sbqQcdiouxXnfFeEgGaA", d.Verb) < 0 {
		return 0, r.fail("`%c': invalid format character", d.Verb)
	}
	return i + 1, r.convertSized(d)
}

// convertSized is convert but for sizes that the C library refuses: bash then
// consumes the argument and writes nothing.
func (r *run) convertSized(d *Directive) error {
	if d.Width < tooWide && d.Precision < tooWide {
		return r.convert(d)
	}
	if r.GNU {
		return r.fail("write error: Value too large for defined data type")
	}
	r.arg()
	return nil
}

// sizes reads the width and the precision of d at format[i], and returns where
// they end.
func (r *run) sizes(d *Directive, format string, i int) (int, error) {
	n := 0
	if strings.HasPrefix(format[i:], "*") {
		w, err := r.size("field width")
		if err != nil {
			return i, err
		}
		if i++; w < 0 {
			d.Minus, w = true, -w
		}
		d.Width = w
	} else {
		d.Width, n = digits(format[i:])
		i += n
	}
	if !strings.HasPrefix(format[i:], ".") {
		return i, nil
	}
	if i++; strings.HasPrefix(format[i:], "*") {
		p, err := r.size("precision")
		d.Precision = max(p, -1)
		return i + 1, err
	}
	d.Precision, n = digits(format[i:])
	return i + n, nil
}

// size consumes the argument of a star.
func (r *run) size(what string) (int, error) {
	if len(r.args) == 0 {
		return 0, nil
	}
	text := r.args[0]
	n := r.signed()
	if n >= -tooWide && n < tooWide {
		return int(n), nil
	}
	if r.GNU {
		if what == "precision" && n < 0 {
			return -1, nil
		}
		return 0, r.fail("invalid %s: %s", what, quoted(text))
	}
	r.outOfRange(text)
	return int(max(min(n, tooWide), -tooWide)), nil
}

// allowed reports whether coreutils takes a verb with the flags.
func allowed(verb byte, flags string, precise bool) bool {
	if strings.IndexByte("diouxXfFeEgGaAcs", verb) < 0 {
		return false
	}
	for i := range len(flags) {
		switch flags[i] {
		case '\'':
			if strings.IndexByte("aAceEosxX", verb) >= 0 {
				return false
			}
		case '#':
			if strings.IndexByte("cdisu", verb) >= 0 {
				return false
			}
		case '0':
			if strings.IndexByte("cs", verb) >= 0 {
				return false
			}
		}
	}
	return verb != 'c' || !precise
}

// timeDirective carries out %(…)T, whose parenthesis is at format[i].
func (r *run) timeDirective(d *Directive, format string, i int) (int, error) {
	end, nest := i+1, 1
	for ; end < len(format); end++ {
		if format[end] == '(' {
			nest++
		} else if format[end] == ')' {
			if nest--; nest == 0 {
				break
			}
		}
	}
	after := byte(0)
	if end+1 < len(format) {
		after = format[end+1]
	}
	if after != 'T' {
		r.warn("warning: `%c': invalid time format specification", after)
		return i + 1, r.write(format[:i+1])
	}
	return end + 2, r.time(d, format[i+1:end])
}

// AppendString appends s as %s does: cut to the precision, padded to the width,
// both in bytes.
func (d *Directive) AppendString(dst []byte, s string) []byte {
	if d.Precision >= 0 && d.Precision < len(s) {
		s = s[:d.Precision]
	}
	if !d.Minus {
		dst = pad(dst, ' ', d.Width-len(s))
	}
	dst = append(dst, s...)
	if d.Minus {
		dst = pad(dst, ' ', d.Width-len(s))
	}
	return dst
}

func pad(dst []byte, fill byte, n int) []byte {
	for ; n > 0; n-- {
		dst = append(dst, fill)
	}
	return dst
}

// AppendInteger appends the number with the magnitude n as d, i, o, u, x or X
// does.
func (d *Directive) AppendInteger(dst []byte, negative bool, n uint64) []byte {
	var buf [24]byte
	base, prefix := 10, ""
	switch d.Verb {
	case 'o':
		base = 8
	case 'x', 'X':
		base = 16
		if d.Alt && n != 0 {
			prefix = "0" + string(d.Verb)
		}
	}
	text := strconv.AppendUint(buf[:0], n, base)
	if d.Verb == 'X' {
		upper(text)
	}
	if d.Precision == 0 && n == 0 {
		text = nil
	}
	zeros := max(d.Precision-len(text), 0)
	if d.Alt && d.Verb == 'o' && zeros == 0 && (len(text) == 0 || text[0] != '0') {
		zeros = 1
	}
	if d.Verb == 'd' || d.Verb == 'i' {
		prefix = d.sign(negative)
	}
	if d.Zero && !d.Minus && d.Precision < 0 {
		zeros = max(zeros, d.Width-len(prefix)-len(text))
	}
	return d.number(dst, prefix, zeros, text)
}

// sign returns what precedes the digits of a signed number.
func (d *Directive) sign(negative bool) string {
	switch {
	case negative:
		return "-"
	case d.Plus:
		return "+"
	case d.Space:
		return " "
	}
	return ""
}

// number appends a number from its parts, padded to the width.
func (d *Directive) number(dst []byte, prefix string, zeros int, text []byte) []byte {
	fill := d.Width - len(prefix) - zeros - len(text)
	if !d.Minus {
		dst = pad(dst, ' ', fill)
	}
	dst = append(dst, prefix...)
	dst = pad(dst, '0', zeros)
	dst = append(dst, text...)
	if d.Minus {
		dst = pad(dst, ' ', fill)
	}
	return dst
}

func upper(text []byte) {
	for i, c := range text {
		if 'a' <= c && c <= 'z' {
			text[i] = c - 0x20
		}
	}
}
