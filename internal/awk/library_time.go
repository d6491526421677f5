package awk

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/limpet-sh/limpet/internal/zone"
)

// defaultTime is the format that strftime has without an argument.
const defaultTime = "%a %b %e %H:%M:%S %Z %Y"

func compileSystime(*compiler, *builtinExpr) code {
	return numberCode(func(m *machine) float64 { return float64(m.call.Clock.Now().Unix()) }, false)
}

// location returns the time zone that TZ names.
func (m *machine) location() *time.Location { return zone.Load(m.call.Getenv("TZ")) }

func compileStrftime(c *compiler, x *builtinExpr) code {
	layout := func(m *machine) string {
		if f := m.slot(spPROCINFO).arr.find(stringKey("strftime")); f != nil {
			return m.str(f)
		}
		return defaultTime
	}
	when := func(m *machine) float64 { return float64(m.call.Clock.Now().Unix()) }
	utc := func(*machine) bool { return false }
	switch len(x.args) {
	case 3:
		utc = c.expr(x.args[2]).test
		fallthrough
	case 2:
		when = c.expr(x.args[1]).num
		fallthrough
	case 1:
		layout = c.expr(x.args[0]).str
	}
	return stringCode(func(m *machine) string {
		f := layout(m)
		seconds := when(m)
		at := time.Unix(int64(clamp(math.Floor(seconds), -1<<55, 1<<55)), 0)
		if utc(m) {
			at = at.In(time.FixedZone("GMT", 0))
		} else {
			at = at.In(m.location())
		}
		m.room(16 * len(f))
		m.poll(len(f) >> 4)
		return strftime(f, at)
	}, false)
}

// strftime returns t in the format of strftime(3), in the C locale.
func strftime(layout string, t time.Time) string {
	var b []byte
	for i := 0; i < len(layout); i++ {
		if layout[i] != '%' || i+1 == len(layout) {
			b = append(b, layout[i])
			continue
		}
		i++
		pad, width := byte(0), 0
		for i+1 < len(layout) && strings.IndexByte("_-0^#", layout[i]) >= 0 {
			pad = layout[i]
			i++
		}
		for i+1 < len(layout) && isDigit(layout[i]) {
			width = min(width*10+int(layout[i]-'0'), 1000)
			i++
		}
		if i+1 < len(layout) && (layout[i] == 'E' || layout[i] == 'O') {
			i++
		}
		b = appendTime(b, layout[i], pad, width, t)
	}
	return string(b)
}

// appendTime appends the part of t that verb names.
func appendTime(b []byte, verb, pad byte, width int, t time.Time) []byte {
	if layout, ok := timeLayouts[verb]; ok {
		s := strftime(layout, t)
		if pad == '^' {
			s = strings.ToUpper(s)
		}
		if width > len(s) {
			b = appendPad(b, ' ', width-len(s))
		}
		return append(b, s...)
	}
	if part, ok := timeNumbers[verb]; ok {
		n := part.of(t)
		size, fill := max(width, part.size), part.fill
		switch pad {
		case '-':
			size = 0
		case '_':
			fill = ' '
		case '0':
			fill = '0'
		}
		digits := strconv.Itoa(n)
		return append(appendPad(b, fill, size-len(digits)), digits...)
	}
	if part, ok := timeWords[verb]; ok {
		s := part(t)
		switch {
		case pad == '^', pad == '#' && verb != 'p' && verb != 'Z':
			s = strings.ToUpper(s)
		case pad == '#':
			s = strings.ToLower(s)
		}
		return append(appendPad(b, ' ', width-len(s)), s...)
	}
	return append(b, '%', verb)
}

// timeLayouts are the conversions that stand for others.
var timeLayouts = map[byte]string{
	'c': "%a %b %e %H:%M:%S %Y", 'D': "%m/%d/%y", 'F': "%Y-%m-%d", 'R': "%H:%M",
	'r': "%I:%M:%S %p", 'T': "%H:%M:%S", 'X': "%H:%M:%S", 'x': "%m/%d/%y", 'h': "%b",
}

type timeNumber struct {
	of   func(time.Time) int
	size int
	fill byte
}

// timeNumbers are the conversions to numbers.
var timeNumbers = map[byte]timeNumber{
	'C': {func(t time.Time) int { return t.Year() / 100 }, 2, '0'},
	'd': {time.Time.Day, 2, '0'},
	'e': {time.Time.Day, 2, ' '},
	'G': {isoYear, 4, '0'},
	'g': {func(t time.Time) int { return isoYear(t) % 100 }, 2, '0'},
	'H': {time.Time.Hour, 2, '0'},
	'I': {hour12, 2, '0'},
	'j': {time.Time.YearDay, 3, '0'},
	'k': {time.Time.Hour, 2, ' '},
	'l': {hour12, 2, ' '},
	'M': {time.Time.Minute, 2, '0'},
	'm': {func(t time.Time) int { return int(t.Month()) }, 2, '0'},
	'S': {time.Time.Second, 2, '0'},
	's': {func(t time.Time) int { return int(t.Unix()) }, 0, '0'},
	'U': {func(t time.Time) int { return (t.YearDay() + 6 - int(t.Weekday())) / 7 }, 2, '0'},
	'u': {func(t time.Time) int { return (int(t.Weekday())+6)%7 + 1 }, 1, '0'},
	'V': {func(t time.Time) int { _, w := t.ISOWeek(); return w }, 2, '0'},
	'W': {func(t time.Time) int { return (t.YearDay() + 6 - (int(t.Weekday())+6)%7) / 7 }, 2, '0'},
	'w': {func(t time.Time) int { return int(t.Weekday()) }, 1, '0'},
	'Y': {time.Time.Year, 1, '0'},
	'y': {func(t time.Time) int { return t.Year() % 100 }, 2, '0'},
}

func isoYear(t time.Time) int { y, _ := t.ISOWeek(); return y }
func hour12(t time.Time) int  { return (t.Hour()+11)%12 + 1 }

// timeWords are the conversions to words.
var timeWords = map[byte]func(time.Time) string{
	'A': func(t time.Time) string { return t.Format("Monday") },
	'a': func(t time.Time) string { return t.Format("Mon") },
	'B': func(t time.Time) string { return t.Format("January") },
	'b': func(t time.Time) string { return t.Format("Jan") },
	'n': func(time.Time) string { return "\n" },
	'P': func(t time.Time) string { return t.Format("pm") },
	'p': func(t time.Time) string { return t.Format("PM") },
	't': func(time.Time) string { return "\t" },
	'Z': func(t time.Time) string { return t.Format("MST") },
	'z': func(t time.Time) string { return t.Format("-0700") },
	'%': func(time.Time) string { return "%" },
}

func compileMktime(c *compiler, x *builtinExpr) code {
	get := c.expr(x.args[0]).str
	utc := func(*machine) bool { return false }
	if len(x.args) > 1 {
		utc = c.expr(x.args[1]).test
	}
	return numberCode(func(m *machine) float64 {
		s := get(m)
		m.poll(len(s) >> 4)
		loc := time.UTC
		if !utc(m) {
			loc = m.location()
		}
		return mktime(s, loc)
	}, false)
}

// mktime returns the time that "YYYY MM DD HH MM SS [DST]" is in loc; -1 if s is
// not of that form.
func mktime(s string, loc *time.Location) float64 {
	var y, mo, d, h, mi, sec int
	if n, _ := fmt.Sscan(s, &y, &mo, &d, &h, &mi, &sec); n < 6 {
		return -1
	}
	for _, n := range []int{y, mo, d, h, mi, sec} {
		if n > 1<<31 || n < -1<<31 {
			return -1
		}
	}
	return float64(time.Date(y, time.Month(mo), d, h, mi, sec, 0, loc).Unix())
}
