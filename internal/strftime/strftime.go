// Package strftime formats times as the C library's strftime does in the C
// locale, and as date does, which knows more.
package strftime

import (
	"bytes"
	"strings"
	"time"
)

// A Format is how to read formats. The zero Format reads them as the C library
// does.
type Format struct {
	// Date makes formats those of GNU's date: with %N, %q, %:z, the flag +
	// and years of four digits.
	Date bool

	// Grow is asked before the output grows by many bytes, as the width of a
	// conversion can make it. Nil lets all pass.
	Grow func(n int) error
}

// Append appends t to dst. What is no conversion stands for itself. The error
// is that of f.Grow.
func (f Format) Append(dst []byte, format string, t time.Time) ([]byte, error) {
	w := &writer{Format: f, t: t, out: dst}
	w.format(format, 0)
	return w.out, w.err
}

// A writer appends the conversions of a format.
type writer struct {
	Format
	t   time.Time
	out []byte
	err error

	yearPad byte // the flag that years inherit, or 0
}

// A conversion is one directive of a format.
type conversion struct {
	text   string // from the percent sign to the letter
	pad    byte   // the last of the flags _ - 0 +, or 0
	upper  bool
	change bool // to the other case
	width  int  // -1 where there is none
	colons int
	mod    byte // E, O or 0
	letter byte
}

// format appends what format says. depth is 1 inside a conversion that stands
// for several.
func (w *writer) format(format string, depth int) {
	for w.err == nil {
		i := strings.IndexByte(format, '%')
		if i < 0 {
			w.out = append(w.out, format...)
			return
		}
		w.out = append(w.out, format[:i]...)
		c := w.parse(format[i:])
		format = format[i+len(c.text):]
		if !w.convert(c, depth) {
			s := c.text
			if c.upper {
				s = strings.ToUpper(s)
			}
			w.text(c, s)
		}
	}
}

// parse parses the directive that s begins with.
func (w *writer) parse(s string) *conversion {
	c := &conversion{width: -1}
	i := 1
flags:
	for ; i < len(s); i++ {
		switch s[i] {
		case '_', '-', '0':
			c.pad = s[i]
		case '+':
			if !w.Date {
				break flags
			}
			c.pad = '+'
		case '^':
			c.upper = true
		case '#':
			c.change = true
		default:
			break flags
		}
	}
	for ; i < len(s) && '0' <= s[i] && s[i] <= '9'; i++ {
		c.width = min(max(c.width, 0)*10+int(s[i]-'0'), 1<<31-1)
	}
	if i < len(s) && (s[i] == 'E' || s[i] == 'O') {
		c.mod = s[i]
		i++
	}
	if w.Date {
		for colon := i; i < len(s) && s[i] == ':'; i++ {
			if c.colons++; !strings.HasPrefix(strings.TrimLeft(s[colon:], ":"), "z") {
				c.colons = 0
				break
			}
		}
	}
	if i < len(s) && (s[i] != '%' || i == 1 || !w.Date) {
		c.letter = s[i]
		i++
	}
	c.text = s[:i]
	return c
}

// allowed reports whether the letter may follow the modifier.
func (c *conversion) allowed() bool {
	switch c.mod {
	case 'E':
		return strings.IndexByte("aAbBdDeFgGhHIjklmMNSUVwW", c.letter) < 0
	case 'O':
		return strings.IndexByte("aAcDFqxXY", c.letter) < 0
	}
	return true
}

// convert appends what c stands for. It reports whether that is anything.
func (w *writer) convert(c *conversion, depth int) bool {
	if !c.allowed() {
		return false
	}
	if w.Date && c.mod != 0 && c.letter != 'N' && c.letter != 'z' {
		return w.foreign(c, depth)
	}
	switch c.letter {
	case '%':
		w.text(c, "%")
	case 'n':
		w.text(c, "\n")
	case 't':
		w.text(c, "\t")
	case 'a', 'A', 'b', 'B', 'h', 'p', 'P', 'Z':
		w.text(c, w.name(c))
	case 'c', 'D', 'F', 'r', 'R', 'T', 'x', 'X':
		if depth > 0 {
			return false
		}
		w.compound(c)
	case 'z':
		return w.offset(c)
	case 'N':
		return w.Date && w.nanoseconds(c)
	case 'C', 'G', 'g', 'Y', 'y':
		w.year(c)
	default:
		return w.number(c)
	}
	return true
}

// foreign appends a conversion with a modifier, which date leaves to the C
// library but for its width.
func (w *writer) foreign(c *conversion, depth int) bool {
	sub := &writer{t: w.t}
	plain := &conversion{text: c.text, letter: c.letter, upper: c.upper, change: c.change, width: -1}
	if !sub.convert(plain, depth) {
		return w.convert(&conversion{text: c.text, pad: c.pad, width: c.width, letter: c.letter}, depth)
	}
	w.text(c, string(sub.out))
	return true
}

// name returns the text of a conversion that is a word, in its case.
func (w *writer) name(c *conversion) string {
	var s string
	switch c.letter {
	case 'a':
		s = w.t.Weekday().String()[:3]
	case 'A':
		s = w.t.Weekday().String()
	case 'b', 'h':
		s = w.t.Month().String()[:3]
	case 'B':
		s = w.t.Month().String()
	case 'Z':
		s, _ = w.t.Zone()
		if c.change {
			return strings.ToLower(s)
		}
	default:
		s = "AM"
		if w.t.Hour() >= 12 {
			s = "PM"
		}
		if c.letter == 'P' || c.change {
			return strings.ToLower(s)
		}
		return s
	}
	if c.upper || c.change {
		s = strings.ToUpper(s)
	}
	return s
}

// text appends s, as wide as c wants it.
func (w *writer) text(c *conversion, s string) {
	fill := byte(' ')
	if c.pad == '0' || c.pad == '+' {
		fill = '0'
	}
	if c.pad != '-' || !w.Date {
		w.pad(fill, c.width-len(s))
	}
	w.out = append(w.out, s...)
}

// pad appends n bytes.
func (w *writer) pad(fill byte, n int) {
	if n <= 0 || w.err != nil {
		return
	}
	if n > 256 && w.Grow != nil {
		if w.err = w.Grow(n); w.err != nil {
			return
		}
	}
	w.out = append(w.out, bytes.Repeat([]byte{fill}, n)...)
}

// compound appends a conversion that stands for several.
func (w *writer) compound(c *conversion) {
	sub := &writer{Format: w.Format, t: w.t}
	if w.Date {
		sub.yearPad = c.pad
	}
	switch c.letter {
	case 'c':
		sub.format("%a %b %e %H:%M:%S ", 1)
		sub.out = appendInt(sub.out, w.t.Year())
	case 'D':
		sub.format("%m/%d/%y", 1)
	case 'x':
		sub.Date, sub.yearPad = false, 0
		sub.format("%m/%d/%y", 1)
	case 'R':
		sub.format("%H:%M", 1)
	case 'T', 'X':
		sub.format("%H:%M:%S", 1)
	case 'r':
		sub.format("%I:%M:%S %p", 1)
	case 'F':
		w.date(c, sub)
	}
	s := string(sub.out)
	if c.upper {
		s = strings.ToUpper(s)
	}
	w.text(c, s)
	if w.err == nil {
		w.err = sub.err
	}
}

// date appends %F to sub: its width is that of the year, in date.
func (w *writer) date(c *conversion, sub *writer) {
	y := &conversion{letter: 'Y', width: -1}
	switch {
	case !w.Date:
	case c.pad == 0 && c.width < 0:
		sub.yearPad, y.width = '+', 4
	default:
		y.width = max(c.width-6, 0)
	}
	sub.year(y)
	sub.format("-%m-%d", 1)
}
