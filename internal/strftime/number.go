package strftime

import (
	"strconv"
	"time"
)

// A number is a value and how it is shown unless flags say otherwise.
type number struct {
	value    int64 // not negative
	digits   int   // at least
	negative bool
	plus     bool // positive ones have a sign too
	spaces   bool // rather than zeros before it
	colons   int  // between how many of its last pairs of digits
}

func appendInt(b []byte, n int) []byte { return strconv.AppendInt(b, int64(n), 10) }

// put appends n as c wants it.
func (w *writer) put(c *conversion, n number) {
	pad := c.pad
	if pad == 0 {
		pad = '0'
		if n.spaces {
			pad = '_'
		}
	}
	digits := strconv.FormatInt(n.value, 10)
	for n.colons > 0 && len(digits) < 2*n.colons+1 {
		digits = "0" + digits
	}
	for i := 1; i <= n.colons; i++ {
		at := len(digits) - 3*i + 1
		digits = digits[:at] + ":" + digits[at:]
	}
	width := c.width
	if width < 0 || !w.Date && width < n.digits {
		width = n.digits
	}
	sign := ""
	switch {
	case n.negative:
		sign = "-"
	case n.plus:
		sign = "+"
	}
	fill := width - len(sign) - len(digits)
	switch {
	case pad == '-':
		if !w.Date {
			w.pad(' ', c.width-len(sign)-len(digits))
		}
		w.out = append(w.out, sign...)
	case pad == '_':
		w.pad(' ', fill)
		w.out = append(w.out, sign...)
	default:
		w.out = append(w.out, sign...)
		w.pad('0', fill)
	}
	w.out = append(w.out, digits...)
}

// number appends a conversion that is a plain number.
func (w *writer) number(c *conversion) bool {
	t := w.t
	hour12 := (t.Hour()+11)%12 + 1
	n := number{digits: 2}
	v := 0
	switch c.letter {
	case 'd':
		v = t.Day()
	case 'e':
		v, n.spaces = t.Day(), true
	case 'H':
		v = t.Hour()
	case 'I':
		v = hour12
	case 'k':
		v, n.spaces = t.Hour(), true
	case 'l':
		v, n.spaces = hour12, true
	case 'j':
		v, n.digits = t.YearDay(), 3
	case 'm':
		v = int(t.Month())
	case 'M':
		v = t.Minute()
	case 'S':
		v = t.Second()
	case 'U':
		v = (t.YearDay() + 6 - int(t.Weekday())) / 7
	case 'W':
		v = (t.YearDay() + 6 - (int(t.Weekday())+6)%7) / 7
	case 'V':
		_, v = t.ISOWeek()
	case 'u':
		v, n.digits = (int(t.Weekday())+6)%7+1, 1
	case 'w':
		v, n.digits = int(t.Weekday()), 1
	case 's':
		s := t.Unix()
		n = number{value: max(s, -s), negative: s < 0, digits: 1, spaces: !w.Date}
		w.put(c, n)
		return true
	case 'q':
		if !w.Date {
			return false
		}
		v, n.digits = (int(t.Month())+2)/3, 1
	default:
		return false
	}
	n.value = int64(v)
	w.put(c, n)
	return true
}

// year appends a conversion that is a year or a part of one.
func (w *writer) year(c *conversion) {
	y := w.t.Year()
	if c.letter == 'G' || c.letter == 'g' {
		y, _ = w.t.ISOWeek()
	}
	n := number{digits: 2, negative: y < 0}
	switch c.letter {
	case 'Y', 'G':
		n.value = int64(max(y, -y))
		n.digits = 1
		if w.Date {
			n.digits = 4
		}
	case 'C':
		n.value = int64(max(y, -y) / 100)
		if !w.Date {
			century := y / 100
			if y%100 < 0 {
				century--
			}
			n.value, n.digits = int64(max(century, -century)), 1
		}
	default:
		n.negative = false
		n.value = int64(max(y, -y) % 100)
		if !w.Date && y < 0 {
			n.value = int64((y%100 + 100) % 100)
		}
	}
	d := *c
	if d.pad == 0 {
		d.pad = w.yearPad
	}
	limit := int64(9999)
	if n.digits == 2 {
		limit = 99
	}
	n.plus = d.pad == '+' && (n.value > limit || n.digits < d.width)
	w.put(&d, n)
}

// nanoseconds appends %N, whose width is its precision.
func (w *writer) nanoseconds(c *conversion) bool {
	width := c.width
	if width <= 0 {
		width = 9
	}
	digits := strconv.Itoa(1e9 + w.t.Nanosecond())[1:]
	if c.text == "%-N" { // Bash: date makes it as precise as its clock.
		c.pad = 0
	}
	n := min(width, len(digits))
	for n > 1 && digits[n-1] == '0' {
		n--
	}
	w.out = append(w.out, digits[:n]...)
	switch c.pad {
	case '-':
	case '_':
		w.pad(' ', width-n)
	default:
		w.pad('0', width-n)
	}
	return true
}

// offset appends %z, with as many colons as it has.
func (w *writer) offset(c *conversion) bool {
	name, seconds := w.t.Zone()
	n := number{plus: true, negative: seconds < 0 || w.Date && seconds == 0 && name != "" && name[0] == '-'}
	seconds = max(seconds, -seconds)
	d := time.Duration(seconds) * time.Second
	h, m, s := int64(d.Hours()), int64(seconds/60%60), int64(seconds%60)
	if !w.Date { // the C library gives the width to the sign and to the digits
		sign := "+"
		if n.negative {
			sign = "-"
		}
		w.text(c, sign)
		w.put(c, number{value: h*100 + m, digits: 4})
		return true
	}
	kind := c.colons
	if kind == 3 {
		switch {
		case s != 0:
			kind = 2
		case m != 0:
			kind = 1
		}
	}
	switch kind {
	case 0:
		n.value, n.digits = h*100+m, 5
	case 1:
		n.value, n.digits, n.colons = h*100+m, 6, 1
	case 2:
		n.value, n.digits, n.colons = h*10000+m*100+s, 9, 2
	case 3:
		n.value, n.digits = h, 3
	default:
		return false
	}
	w.put(c, n)
	return true
}
