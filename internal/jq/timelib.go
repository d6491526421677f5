package jq

import (
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/limpet-sh/limpet/internal/strftime"
	"github.com/limpet-sh/limpet/internal/zone"
)

var timeNatives = map[string]*native{
	"now/0": of(func(m *machine, _ Value) (Value, error) {
		return float64(m.call.Clock.Now().UnixNano()) / 1e9, nil
	}),
	"gmtime/0":    of(func(m *machine, in Value) (Value, error) { return m.broken("gmtime", in, utc) }),
	"localtime/0": of(func(m *machine, in Value) (Value, error) { return m.broken("localtime", in, m.zone()) }),
	"mktime/0":    of(mktime),
	"strftime/1": with(func(m *machine, in, layout Value) (Value, error) {
		return m.strftime("strftime/1", in, layout, utc)
	}),
	"strflocaltime/1": with(func(m *machine, in, layout Value) (Value, error) {
		return m.strftime("strflocaltime/1", in, layout, m.zone())
	}),
	"strptime/1": with(strptime),
}

var utc = time.FixedZone("UTC", 0)

func (m *machine) zone() *time.Location { return zone.Load(m.call.Getenv("TZ")) }

// broken returns a number of seconds as a broken down time.
func (m *machine) broken(name string, in Value, loc *time.Location) (Value, error) {
	n, ok := number(in)
	if !ok {
		return nil, fail("%s() requires a number", name)
	}
	whole := math.Floor(n)
	t := time.Unix(toInt(math.Max(math.Min(whole, 1<<55), -1<<55)), 0).In(loc)
	return m.made(brokenDown(t, n-whole)), nil
}

func brokenDown(t time.Time, fraction float64) *Array {
	return array(float64(t.Year()), float64(t.Month()-1), float64(t.Day()), float64(t.Hour()),
		float64(t.Minute()), float64(t.Second())+fraction, float64(t.Weekday()), float64(t.YearDay()-1))
}

// assembled returns the time that v, a broken down one, is in loc.
func assembled(v Value, loc *time.Location) (time.Time, bool) {
	a, ok := v.(*Array)
	if !ok || len(a.v) < 6 {
		return time.Time{}, false
	}
	var n [6]int
	for i := range n {
		f, ok := number(a.v[i])
		if !ok {
			return time.Time{}, false
		}
		n[i] = int(clampInt(math.Floor(f)))
	}
	return time.Date(n[0], time.Month(n[1]+1), n[2], n[3], n[4], n[5], 0, loc), true
}

func mktime(_ *machine, in Value) (Value, error) {
	if _, ok := in.(*Array); !ok {
		return nil, fail("mktime requires array inputs")
	}
	t, ok := assembled(in, utc)
	if !ok {
		return nil, fail("mktime requires parsed datetime inputs")
	}
	return float64(t.Unix()), nil
}

func (m *machine) strftime(name string, in, layout Value, loc *time.Location) (Value, error) {
	if _, ok := number(in); ok {
		var err error
		if in, err = m.broken("gmtime", in, loc); err != nil {
			return nil, err
		}
	}
	t, ok := assembled(in, loc)
	if !ok {
		return nil, fail("%s requires parsed datetime inputs", name)
	}
	f, ok := layout.(string)
	if !ok {
		return nil, fail("%s requires a string format", name)
	}
	m.work(len(f) >> 4)
	grown := 0
	out, err := strftime.Format{Grow: func(n int) error {
		grown += n
		m.work(n >> 8)
		m.room(2 * grown)
		return nil
	}}.Append(nil, f, t)
	if err != nil {
		return nil, err
	}
	return string(out), nil
}

func strptime(m *machine, in, layout Value) (Value, error) {
	s, ok := in.(string)
	if !ok {
		return nil, fail("strptime/1 requires string inputs and arguments")
	}
	f, ok := layout.(string)
	if !ok {
		return nil, fail("strptime/1 requires string inputs and arguments")
	}
	p := &timeParser{rest: s, year: 1900}
	if !p.layout(f, 0) || p.rest != "" {
		return nil, fail("date \"%s\" does not match format \"%s\"", s, f)
	}
	if p.unix != nil {
		return m.made(brokenDown(time.Unix(*p.unix, 0).In(utc), 0)), nil
	}
	weekday, yearDay := 8.0, 367.0
	if p.day >= 1 {
		t := time.Date(p.year, time.Month(p.month+1), p.day, 0, 0, 0, 0, utc)
		weekday, yearDay = float64(t.Weekday()), float64(t.YearDay()-1)
	}
	return m.made(array(float64(p.year), float64(p.month), float64(p.day), float64(p.hour), float64(p.minute),
		float64(p.second), weekday, yearDay)), nil
}

// A timeParser reads a time in a format of strptime.
type timeParser struct {
	rest                 string
	year, month, day     int
	hour, minute, second int
	pm, twelve           bool
	unix                 *int64
}

// layout reads what a format says.
func (p *timeParser) layout(f string, depth int) bool {
	for i := 0; i < len(f); i++ {
		c := f[i]
		switch {
		case c == ' ' || c >= '\t' && c <= '\r':
			p.rest = strings.TrimLeft(p.rest, " \t\n\v\f\r")
		case c != '%' || i+1 == len(f):
			if p.rest == "" || p.rest[0] != c {
				return false
			}
			p.rest = p.rest[1:]
		default:
			i++
			for i+1 < len(f) && strings.IndexByte("EO_-0^#", f[i]) >= 0 {
				i++
			}
			if !p.conversion(f[i], depth) {
				return false
			}
		}
	}
	if p.twelve {
		p.hour %= 12
		if p.pm {
			p.hour += 12
		}
	}
	return true
}

// timeAliases are the conversions that stand for others.
var timeAliases = map[byte]string{
	'T': "%H:%M:%S", 'D': "%m/%d/%y", 'F': "%Y-%m-%d", 'R': "%H:%M", 'r': "%I:%M:%S %p",
	'c': "%a %b %e %H:%M:%S %Y", 'x': "%m/%d/%y", 'X': "%H:%M:%S",
}

func (p *timeParser) conversion(c byte, depth int) bool {
	if alias, ok := timeAliases[c]; ok && depth == 0 {
		return p.layout(alias, 1)
	}
	switch c {
	case 'Y':
		return p.number(&p.year, 4, 0, 9999)
	case 'm':
		ok := p.number(&p.month, 2, 1, 12)
		p.month--
		return ok
	case 'd', 'e':
		return p.number(&p.day, 2, 1, 31)
	case 'H', 'k':
		return p.number(&p.hour, 2, 0, 23)
	case 'I', 'l':
		p.twelve = true
		return p.number(&p.hour, 2, 1, 12)
	case 'M':
		return p.number(&p.minute, 2, 0, 59)
	case 'S':
		return p.number(&p.second, 2, 0, 61)
	case 'y':
		ok := p.number(&p.year, 2, 0, 99)
		if p.year += 1900; p.year < 1969 {
			p.year += 100
		}
		return ok
	case 'j':
		n := 0
		ok := p.number(&n, 3, 1, 366)
		t := time.Date(p.year, 1, n, 0, 0, 0, 0, utc)
		p.month, p.day = int(t.Month())-1, t.Day()
		return ok
	case 'n', 't':
		p.rest = strings.TrimLeft(p.rest, " \t\n\v\f\r")
		return true
	case '%':
		ok := strings.HasPrefix(p.rest, "%")
		p.rest = strings.TrimPrefix(p.rest, "%")
		return ok
	}
	return p.words(c)
}

// words reads the conversions that are not numbers.
func (p *timeParser) words(c byte) bool {
	n := 0
	switch c {
	case 'a', 'A':
		return p.name(&n, 7, func(i int) string { return time.Weekday(i).String() })
	case 'b', 'B', 'h':
		return p.name(&p.month, 12, func(i int) string { return time.Month(i + 1).String() })
	case 'p', 'P':
		ok := p.name(&n, 2, func(i int) string { return []string{"AM", "PM"}[i] })
		p.pm = n == 1
		return ok
	case 'u', 'w':
		return p.number(&n, 1, 0, 7)
	case 's':
		end := len(p.rest) - len(strings.TrimLeft(p.rest, "-0123456789"))
		seconds, err := strconv.ParseInt(p.rest[:end], 10, 64)
		p.rest, p.unix = p.rest[end:], &seconds
		return err == nil
	case 'Z':
		end := 0
		for end < len(p.rest) && isNameStart(p.rest[end]) {
			end++
		}
		p.rest = p.rest[end:]
		return end > 0
	case 'z':
		if strings.HasPrefix(p.rest, "Z") {
			p.rest = p.rest[1:]
			return true
		}
		if p.rest == "" || p.rest[0] != '+' && p.rest[0] != '-' {
			return false
		}
		p.rest = p.rest[1:]
		if !p.number(&n, 2, 0, 14) {
			return false
		}
		p.rest = strings.TrimPrefix(p.rest, ":")
		return p.rest == "" || !isDigit(p.rest[0]) || p.number(&n, 2, 0, 59)
	}
	return false
}

// number reads up to digits digits.
func (p *timeParser) number(to *int, digits, low, high int) bool {
	p.rest = strings.TrimLeft(p.rest, " ")
	n := 0
	for n < digits && n < len(p.rest) && isDigit(p.rest[n]) {
		n++
	}
	v, err := strconv.Atoi(p.rest[:n])
	p.rest = p.rest[n:]
	*to = v
	return err == nil && v >= low && v <= high
}

// name reads one of n names, in full or by its first three letters, in any case.
func (p *timeParser) name(to *int, n int, nameOf func(int) string) bool {
	for i := range n {
		for _, name := range []string{nameOf(i), nameOf(i)[:min(3, len(nameOf(i)))]} {
			if len(p.rest) >= len(name) && strings.EqualFold(p.rest[:len(name)], name) {
				*to = i
				p.rest = p.rest[len(name):]
				return true
			}
		}
	}
	return false
}
