package file

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/limpet-sh/limpet/vfs"
)

// A statDirective is a conversion of a format.
type statDirective struct {
	flags     string // of "'-+ #0"
	width     int
	precision int  // -1 where there is none
	digits    bool // the precision was given as digits
	prefix    byte // 'H', 'L' or 0
	letter    byte
}

func parseDirective(text string) (d statDirective, n int) {
	d.precision = -1
	for n < len(text) && strings.IndexByte("'-+ #0I", text[n]) >= 0 {
		n++
	}
	d.flags = text[:n]
	number := func() (v int) {
		for ; n < len(text) && text[n] >= '0' && text[n] <= '9'; n++ {
			v = min(v*10+int(text[n]-'0'), 1<<16)
		}
		return v
	}
	d.width = number()
	if n < len(text) && text[n] == '.' {
		n++
		at := n
		d.precision = number()
		d.digits = n > at
	}
	if n < len(text) && (text[n] == 'H' || text[n] == 'L') {
		d.prefix = text[n]
		if n+1 < len(text) && (text[n+1] == 'd' || text[n+1] == 'r') {
			n++
		}
	}
	if n < len(text) {
		d.letter = text[n]
		n++
	}
	return d, n
}

func (d statDirective) has(flag string) bool { return strings.Contains(d.flags, flag) }

// pad widens text to the width of the directive.
func (d statDirective) pad(text string) string {
	n := d.width - len([]rune(text))
	switch {
	case n <= 0:
		return text
	case d.has("-"):
		return text + strings.Repeat(" ", n)
	}
	return strings.Repeat(" ", n) + text
}

func (d statDirective) text(s string) string {
	if d.precision >= 0 && d.precision < len(s) {
		s = s[:d.precision]
	}
	return d.pad(s)
}

// number pads digits with zeros as the flags want it, after the prefix.
func (d statDirective) number(prefix, digits string) string {
	if n := d.precision - len(digits); n > 0 {
		digits = strings.Repeat("0", n) + digits
	}
	if n := d.width - len(prefix) - len(digits); n > 0 && d.has("0") && !d.has("-") && d.precision < 0 {
		digits = strings.Repeat("0", n) + digits
	}
	return d.pad(prefix + digits)
}

func (d statDirective) int(n int64) string {
	digits, sign := strconv.FormatInt(n, 10), ""
	switch {
	case n < 0:
		sign, digits = "-", digits[1:]
	case d.has("+"):
		sign = "+"
	case d.has(" "):
		sign = " "
	}
	return d.number(sign, digits)
}

func (d statDirective) uint(n uint64) string { return d.number("", strconv.FormatUint(n, 10)) }

func (d statDirective) octal(n uint64) string {
	digits := strconv.FormatUint(n, 8)
	if d.has("#") && digits[0] != '0' {
		digits = "0" + digits
	}
	return d.number("", digits)
}

func (d statDirective) hex(n uint64) string {
	prefix := ""
	if d.has("#") && n != 0 {
		prefix = "0x"
	}
	return d.number(prefix, strconv.FormatUint(n, 16))
}

// device returns a device number, or the half of it that %H or %L asks for.
func (d statDirective) device(dev uint64) string {
	major, minor := vfs.DevNumbers(dev)
	switch d.prefix {
	case 'H':
		return d.uint(uint64(major))
	case 'L':
		return d.uint(uint64(minor))
	}
	return d.uint(dev)
}

// seconds returns the seconds since the epoch, with as many digits of a
// fraction as the precision says.
func (d statDirective) seconds(t time.Time) string {
	sec, nsec := t.Unix(), fmt.Sprintf("%09d", t.Nanosecond())
	if d.precision < 0 {
		return d.int(sec)
	}
	digits := d.precision
	if !d.digits {
		digits = 9
	}
	if digits <= 9 {
		nsec = nsec[:digits]
	} else {
		nsec += strings.Repeat("0", digits-9)
	}
	whole := d
	whole.precision = -1
	if digits == 0 {
		return whole.int(sec)
	}
	if whole.has("-") {
		whole.width = 0
	} else {
		whole.width -= digits + 1
	}
	text := whole.int(sec) + "." + nsec
	return d.pad(text)
}
