package yq

import (
	"strconv"
	"time"

	"github.com/limpet-sh/limpet/internal/zone"
)

// parseTime reads a date as Go's layouts have it. RFC 3339 may lack the time.
func parseTime(layout, text string) (time.Time, error) {
	t, err := time.Parse(layout, text)
	if err != nil && layout == time.RFC3339 {
		return time.Parse(time.DateOnly, text)
	}
	return t, err
}

// parameter returns the text of an operand that must have a result.
func (m *Machine) parameter(s scope, e *Expr, what string) string {
	n := m.first(s.reading(), e)
	if n == nil {
		fail("could not find %s for format_time", what)
	}
	return n.Value
}

func (m *Machine) location(s scope) *time.Location {
	return zone.Load(m.call.Getenv("TZ"))
}

func runNow(m *Machine, s scope, _ *Expr) []*Node {
	return []*Node{scalar(tagTime, m.call.Clock.Now().In(m.location(s)).Format(time.RFC3339))}
}

func runWithLayout(m *Machine, s scope, e *Expr) []*Node {
	if e.right.op != block && e.right.op != union {
		fail("must provide a date time format string and an expression, e.g. with_dtf(\"Monday, 02-Jan-06 at 3:04PM MST\"; <exp>)")
	}
	s.layout = m.parameter(s, e.right.left, "layout")
	return m.eval(s, e.right.right)
}

func runFormatTime(m *Machine, s scope, e *Expr) []*Node {
	format := m.parameter(s, e.right, "format")
	return s.one(func(n *Node) *Node {
		t, err := parseTime(s.dates(), n.Value)
		if err != nil {
			fail("could not parse datetime of [%s]: %w", n.where(), err)
		}
		out := m.snippet(t.Format(format))
		out.parent, out.key = n.parent, n.key
		return out
	})
}

// moment parses the date that is the value of n.
func moment(s scope, n *Node) time.Time {
	t, err := parseTime(s.dates(), n.Value)
	if err != nil {
		fail("could not parse datetime of [%s] using layout [%s]: %w", n.where(), s.dates(), err)
	}
	return t
}

func runZone(m *Machine, s scope, e *Expr) []*Node {
	name := m.parameter(s, e.right, "timezone")
	loc := zone.Load(name)
	if loc.String() != name && name != "" && name != "UTC" {
		fail("could not load tz [%s]: unknown time zone %s", name, name)
	}
	return s.one(func(n *Node) *Node {
		return m.instead(n, Scalar, n.Tag, moment(s, n).In(loc).Format(s.dates()))
	})
}

func runFromUnix(m *Machine, s scope, _ *Expr) []*Node {
	return s.one(func(n *Node) *Node {
		if !numeric(n.guess()) {
			fail("from_unix only works on numbers, found %s instead", n.Tag)
		}
		seconds, err := strconv.ParseFloat(n.Value, 64)
		check(err)
		t := time.UnixMilli(int64(seconds * 1000)).In(m.location(s))
		return m.instead(n, Scalar, tagTime, t.Format(time.RFC3339))
	})
}

func runToUnix(m *Machine, s scope, _ *Expr) []*Node {
	return s.one(func(n *Node) *Node {
		return m.instead(n, Scalar, tagInt, strconv.FormatInt(moment(s, n).Unix(), 10))
	})
}
