package jq

import (
	"math"
	"strings"
)

func (c *compiler) binary(x *binary) code {
	a, b := c.compile(x.x), c.compile(x.y)
	apply := operator(x.op)
	if a.one != nil && b.one != nil {
		return making(func(fr *frame, in Value) (Value, error) {
			r, err := b.one(fr, in)
			if err != nil {
				return nil, err
			}
			l, err := a.one(fr, in)
			if err != nil {
				return nil, err
			}
			return apply(fr.m, l, r)
		})
	}
	return code{gen: func(fr *frame, in Value, out yield) error {
		return b.gen(fr, in, func(r Value) error {
			return a.gen(fr, in, func(l Value) error {
				v, err := apply(fr.m, l, r)
				if err != nil {
					return err
				}
				fr.m.work(1)
				return fr.m.carry(v, out)
			})
		})
	}}
}

func (c *compiler) negate(x *negate) code {
	a := c.compile(x.x)
	minus := func(m *machine, v Value) (Value, error) {
		n, ok := number(v)
		if !ok {
			return nil, fail("%s cannot be negated", m.shown(v))
		}
		return -n, nil
	}
	if a.one != nil {
		return single(func(fr *frame, in Value) (Value, error) {
			v, err := a.one(fr, in)
			if err != nil {
				return nil, err
			}
			return minus(fr.m, v)
		})
	}
	return code{gen: func(fr *frame, in Value, out yield) error {
		return a.gen(fr, in, func(v Value) error {
			n, err := minus(fr.m, v)
			if err != nil {
				return err
			}
			return out(n)
		})
	}}
}

// operator returns what an operator does.
func operator(op string) func(m *machine, l, r Value) (Value, error) {
	switch op {
	case "+":
		return (*machine).add
	case "-":
		return (*machine).subtract
	case "*":
		return (*machine).multiply
	case "/":
		return (*machine).divide
	case "%":
		return (*machine).modulo
	case "==":
		return func(m *machine, l, r Value) (Value, error) { return m.equal(l, r), nil }
	case "!=":
		return func(m *machine, l, r Value) (Value, error) { return !m.equal(l, r), nil }
	case "<":
		return func(m *machine, l, r Value) (Value, error) { return m.compare(l, r) < 0, nil }
	case "<=":
		return func(m *machine, l, r Value) (Value, error) { return m.compare(l, r) <= 0, nil }
	case ">":
		return func(m *machine, l, r Value) (Value, error) { return m.compare(l, r) > 0, nil }
	}
	return func(m *machine, l, r Value) (Value, error) { return m.compare(l, r) >= 0, nil }
}

func (m *machine) add(l, r Value) (Value, error) {
	if x, ok := l.(float64); ok {
		if y, ok := r.(float64); ok {
			return x + y, nil
		}
	}
	switch {
	case l == nil:
		return r, nil
	case r == nil:
		return l, nil
	}
	switch a := l.(type) {
	case string:
		if b, ok := r.(string); ok {
			return m.concat(a, b), nil
		}
	case *Array:
		if b, ok := r.(*Array); ok {
			m.work(1 + len(b.v)>>7)
			return m.deep(m.made(a.append(b.v...)))
		}
	case *Object:
		if b, ok := r.(*Object); ok {
			return m.merge(a, b)
		}
	}
	x, ok1 := number(l)
	y, ok2 := number(r)
	if !ok1 || !ok2 {
		return nil, fail("%s and %s cannot be added", m.shown(l), m.shown(r))
	}
	return x + y, nil
}

func (m *machine) concat(a, b string) string {
	if len(a)+len(b) < 256 {
		return a + b
	}
	return m.growing.append(m, a, b)
}

// A growing is a string that was appended to last. It keeps room behind it, so
// that appending again need not copy what is there.
type growing struct {
	strings.Builder
	text string
}

// append returns a with b after it.
func (g *growing) append(m *machine, a, b string) string {
	n := len(a) + len(b)
	m.work(len(b) >> 8)
	if len(a) != len(g.text) || a != g.text {
		m.work(n >> 8)
		m.room(n)
		g.Builder.Reset()
		g.Grow(n)
		g.WriteString(a)
	} else if n > g.Cap() {
		m.work(n >> 8)
		m.room(2 * n)
		g.Grow(n)
	}
	g.WriteString(b)
	g.text = g.String()
	return g.text
}

// merge returns a with the members of b.
func (m *machine) merge(a, b *Object) (Value, error) {
	if len(b.e) == 1 {
		m.work(1 + len(a.e)>>7)
		return m.deep(m.made(a.with(b.e[0].key, b.e[0].val)))
	}
	m.work(1 + (len(a.e)+len(b.e))>>4)
	o := newObject(len(a.e) + len(b.e))
	for _, from := range []*Object{a, b} {
		for i := range from.e {
			o.put(from.e[i].key, from.e[i].val)
		}
	}
	return m.made(o), nil
}

func (m *machine) subtract(l, r Value) (Value, error) {
	x, ok1 := number(l)
	y, ok2 := number(r)
	if ok1 && ok2 {
		return x - y, nil
	}
	a, ok1 := l.(*Array)
	b, ok2 := r.(*Array)
	if !ok1 || !ok2 {
		return nil, fail("%s and %s cannot be subtracted", m.shown(l), m.shown(r))
	}
	var v []Value
	for _, e := range a.v {
		found := false
		for _, f := range b.v {
			m.work(1)
			if m.equal(e, f) {
				found = true
				break
			}
		}
		if !found {
			v = append(v, e)
		}
	}
	return m.made(newArray(v)), nil
}

func (m *machine) multiply(l, r Value) (Value, error) {
	x, ok1 := number(l)
	y, ok2 := number(r)
	if ok1 && ok2 {
		return x * y, nil
	}
	if s, ok := l.(string); ok && ok2 {
		return m.repeat(s, y), nil
	}
	if s, ok := r.(string); ok && ok1 {
		return m.repeat(s, x), nil
	}
	a, ok1 := l.(*Object)
	b, ok2 := r.(*Object)
	if ok1 && ok2 {
		return m.mergeDeep(a, b, 0)
	}
	return nil, fail("%s and %s cannot be multiplied", m.shown(l), m.shown(r))
}

// repeat returns s n times; null if n is not positive.
func (m *machine) repeat(s string, n float64) Value {
	if !(n > 0) {
		return nil
	}
	times := int(math.Min(math.Max(n, 1), 1<<40))
	size := len(s) * times
	if len(s) > 0 && size/len(s) != times {
		size = tooLarge
	}
	m.room(size)
	m.work(size >> 8)
	return strings.Repeat(s, times)
}

// mergeDeep returns a with the members of b, merging those that are objects in
// both.
func (m *machine) mergeDeep(a, b *Object, depth int) (Value, error) {
	if depth > maxDepth {
		return nil, fail("Exceeds depth limit")
	}
	out := a
	for i := range b.e {
		m.work(1)
		v := b.e[i].val
		old, _ := a.get(b.e[i].key)
		x, ok1 := old.(*Object)
		y, ok2 := v.(*Object)
		if ok1 && ok2 {
			var err error
			if v, err = m.mergeDeep(x, y, depth+1); err != nil {
				return nil, err
			}
		}
		out = out.with(b.e[i].key, v)
	}
	if out == a {
		return a, nil
	}
	return m.made(out), nil
}

func (m *machine) divide(l, r Value) (Value, error) {
	x, ok1 := number(l)
	y, ok2 := number(r)
	if ok1 && ok2 {
		if y == 0 {
			return nil, fail("%s and %s cannot be divided because the divisor is zero", m.shown(l), m.shown(r))
		}
		return x / y, nil
	}
	s, ok1 := l.(string)
	sep, ok2 := r.(string)
	if ok1 && ok2 {
		return m.split(s, sep), nil
	}
	return nil, fail("%s and %s cannot be divided", m.shown(l), m.shown(r))
}

// split returns the parts of s between the separators.
func (m *machine) split(s, sep string) Value {
	m.work(1 + len(s)>>6)
	if s == "" {
		return m.made(newArray(nil))
	}
	parts := strings.Count(s, sep) + 1
	m.room(slotSize * parts)
	v := make([]Value, 0, parts)
	for _, part := range strings.Split(s, sep) {
		v = append(v, part)
	}
	return m.made(newArray(v))
}

func (m *machine) modulo(l, r Value) (Value, error) {
	x, ok1 := number(l)
	y, ok2 := number(r)
	if !ok1 || !ok2 {
		return nil, fail("%s and %s cannot be divided", m.shown(l), m.shown(r))
	}
	if x != x || y != y {
		return nan, nil
	}
	a, b := toInt(x), toInt(y)
	if b == 0 {
		return nil, fail("%s and %s cannot be divided (remainder) because the divisor is zero", m.shown(l), m.shown(r))
	}
	if b < 0 {
		b = -b
	}
	if b < 0 { // the least integer
		return float64(a), nil
	}
	return float64(a % b), nil
}

// toInt returns n without its fraction, or the nearest integer there is.
func toInt(n float64) int64 {
	switch {
	case n >= math.MaxInt64:
		return math.MaxInt64
	case n <= math.MinInt64:
		return math.MinInt64
	}
	return int64(n)
}
