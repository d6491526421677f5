package awk

import "math"

// arrayArg compiles the argument i of a function, which has to be an array.
func (c *compiler) arrayArg(x *builtinExpr, i int) func(*machine) *array {
	switch x.args[i].(type) {
	case *varExpr, *indexExpr:
		return c.array(x.args[i])
	}
	ordinal := [...]string{"first", "second", "third", "fourth"}[i]
	return func(m *machine) *array {
		m.fatal("%s: %s argument is not an array", x.name, ordinal)
		return nil
	}
}

// array compiles x, the name of an array or of a subarray, to what finds it; it
// becomes an array if it is nothing yet.
func (c *compiler) array(x expr) func(*machine) *array {
	switch x := x.(type) {
	case *varExpr:
		ref, v := c.ref(x.v), x.v
		return func(m *machine) *array {
			p := ref(m)
			if p.k == arrayRef {
				return p.arr
			}
			return m.becomeArray(p, v)
		}
	case *indexExpr:
		parent, key := c.array(x.array), c.subscript(x.subs)
		return func(m *machine) *array {
			a := parent(m)
			k := key(m)
			p := a.ref(k)
			if p.k != arrayRef {
				m.becomeSubarray(p, a, k)
			}
			return p.arr
		}
	}
	panic("awk: unknown array")
}

// becomeArray makes an array of the variable v, whose slot is p.
func (m *machine) becomeArray(p *value, v *variable) *array {
	if p.k != unset && p.k != absent {
		if v.local {
			m.fatal("attempt to use scalar parameter `%s' as an array", v.name)
		}
		m.fatal("attempt to use scalar `%s' as an array", v.name)
	}
	*p = value{k: arrayRef, arr: m.newArray(v.name)}
	return p.arr
}

// becomeSubarray makes an array of the element k of a, whose slot is p.
func (m *machine) becomeSubarray(p *value, a *array, k subscript) {
	name := a.name + `["` + k.text() + `"]`
	if p.k != unset {
		m.fatal("attempt to use scalar `%s' as an array", name)
	}
	*p = value{k: arrayRef, arr: m.newArray(name)}
}

func (m *machine) newArray(name string) *array {
	return &array{name: name, mem: &account{memory: &m.memory}}
}

// element compiles x to what finds its slot, and creates it if need be.
func (c *compiler) element(x *indexExpr) func(*machine) *value {
	array := c.array(x.array)
	if len(x.subs) == 1 {
		if s := c.expr(x.subs[0]); s.kind == numeric {
			n := s.num
			return func(m *machine) *value {
				a := array(m)
				k := n(m)
				if i := int(clamp(k, math.MinInt32, math.MaxInt32)); float64(i) == k {
					return a.refInt(i)
				}
				return a.ref(stringKey(m.format(k, m.convfmt)))
			}
		}
	}
	key := c.subscript(x.subs)
	if len(x.subs) == 1 {
		if s := c.expr(x.subs[0]); s.ref != nil {
			return func(m *machine) *value {
				a := array(m)
				if p := s.ref(m); p.k == number {
					if i := int(clamp(p.n, math.MinInt32, math.MaxInt32)); float64(i) == p.n {
						return a.refInt(i)
					}
				}
				return a.ref(key(m))
			}
		}
	}
	return func(m *machine) *value {
		a := array(m)
		return a.ref(key(m))
	}
}

func (c *compiler) index(x *indexExpr) code {
	ref := c.element(x)
	out := refCode(ref)
	out.pure, out.ref = false, nil // it creates the element
	return out
}

// subscript compiles the subscripts of an element. What it returns is valid
// until anything else is evaluated.
func (c *compiler) subscript(subs []expr) func(*machine) subscript {
	if len(subs) > 1 {
		return c.subscripts(subs)
	}
	x := c.expr(subs[0])
	switch {
	case x.fixed != nil && x.kind == textual:
		k := stringKey(x.fixed.s)
		return func(*machine) subscript { return k }
	case x.view != nil:
		return func(m *machine) subscript { return bytesKey(x.view(m)) }
	case x.kind == textual:
		return func(m *machine) subscript { return stringKey(x.str(m)) }
	case x.kind == numeric:
		return func(m *machine) subscript { return m.numberKey(x.num(m)) }
	}
	return func(m *machine) subscript {
		v := x.val(m)
		if v.k == number {
			return m.numberKey(v.n)
		}
		return stringKey(m.str(&v))
	}
}

func (m *machine) numberKey(n float64) subscript {
	if i := int(clamp(n, math.MinInt32, math.MaxInt32)); float64(i) == n {
		return intKey(i)
	}
	return stringKey(m.format(n, m.convfmt))
}

// subscripts compiles the subscripts of an element in several dimensions.
func (c *compiler) subscripts(subs []expr) func(*machine) subscript {
	parts := make([]func(*machine, []byte) []byte, len(subs))
	for i, s := range subs {
		parts[i] = c.expr(s).appender()
	}
	return func(m *machine) subscript {
		base := len(m.scratch)
		for i, part := range parts {
			if i > 0 {
				m.scratch = append(m.scratch, m.subsep...)
			}
			m.scratch = part(m, m.scratch)
		}
		k := bytesKey(m.scratch[base:])
		m.trim(base)
		return k
	}
}
