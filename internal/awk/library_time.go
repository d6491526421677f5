package awk

import (
	"fmt"
	"math"
	"time"

	"github.com/limpet-sh/limpet/internal/strftime"
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
		m.poll(len(f) >> 4)
		grown := 0
		layout := strftime.Format{Grow: func(n int) error {
			grown += n
			m.poll(n >> 8)
			return m.grow(2 * grown)
		}}
		out, err := layout.Append(nil, f, at)
		if err != nil {
			panic(abort{err})
		}
		return string(out)
	}, false)
}

// grow checks that there is room for a time that grows by n bytes.
func (m *machine) grow(n int) error {
	if err := m.alloc(n); err != nil {
		return err
	}
	m.free(n)
	return nil
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
