package jq

import "math"

func (c *compiler) index(x *index) code {
	a, key := c.compile(x.x), c.compile(x.i)
	pa := a.paths()
	out := code{
		gen: func(fr *frame, in Value, out yield) error {
			return key.gen(fr, in, func(k Value) error {
				return a.gen(fr, in, func(v Value) error {
					e, err := fr.m.index(v, k)
					if err != nil {
						return err
					}
					return out(e)
				})
			})
		},
		path: func(fr *frame, in place, out func(place) error) error {
			return key.gen(fr, in.v, func(k Value) error {
				return pa(fr, in, func(p place) error {
					e, err := fr.m.index(p.v, k)
					if err != nil {
						return err
					}
					return out(place{&step{p.path, k}, e})
				})
			})
		},
	}
	if a.one == nil || key.one == nil {
		return out
	}
	if l, ok := x.i.(*literal); ok {
		k := l.v
		out.one = func(fr *frame, in Value) (Value, error) {
			v, err := a.one(fr, in)
			if err != nil {
				return nil, err
			}
			return fr.m.index(v, k)
		}
	} else {
		out.one = func(fr *frame, in Value) (Value, error) {
			k, err := key.one(fr, in)
			if err != nil {
				return nil, err
			}
			v, err := a.one(fr, in)
			if err != nil {
				return nil, err
			}
			return fr.m.index(v, k)
		}
	}
	one := out.one
	out.gen = func(fr *frame, in Value, out yield) error {
		v, err := one(fr, in)
		if err != nil {
			return err
		}
		return out(v)
	}
	return out
}

// slice compiles x[from:to] as an index with an object.
func (c *compiler) slice(x *slice) code {
	bound := func(n node) node {
		if n == nil {
			return &literal{tall{1}, nil}
		}
		return n
	}
	from, to := c.compile(bound(x.from)), c.compile(bound(x.to))
	a := c.compile(x.x)
	pa := a.paths()
	each := func(fr *frame, in Value, use func(k Value) error) error {
		return from.gen(fr, in, func(start Value) error {
			return to.gen(fr, in, func(end Value) error { return use(sliceKey(start, end)) })
		})
	}
	return code{
		gen: func(fr *frame, in Value, out yield) error {
			return each(fr, in, func(k Value) error {
				return a.gen(fr, in, func(v Value) error {
					e, err := fr.m.index(v, k)
					if err != nil {
						return err
					}
					return fr.m.carry(e, out)
				})
			})
		},
		path: func(fr *frame, in place, out func(place) error) error {
			return each(fr, in.v, func(k Value) error {
				return pa(fr, in, func(p place) error {
					e, err := fr.m.index(p.v, k)
					if err != nil {
						return err
					}
					return out(place{&step{p.path, k}, e})
				})
			})
		},
	}
}

func sliceKey(start, end Value) *Object {
	k := newObject(2)
	k.put("start", start)
	k.put("end", end)
	return k
}

func (c *compiler) iterate(x *iterate) code {
	a := c.compile(x.x)
	pa := a.paths()
	return code{
		gen: func(fr *frame, in Value, out yield) error {
			return a.gen(fr, in, func(v Value) error { return fr.m.each(v, func(_, e Value) error { return out(e) }) })
		},
		path: func(fr *frame, in place, out func(place) error) error {
			return pa(fr, in, func(p place) error {
				return fr.m.each(p.v, func(k, e Value) error { return out(place{&step{p.path, k}, e}) })
			})
		},
	}
}

// each calls use for the elements of v, with their keys.
func (m *machine) each(v Value, use func(k, e Value) error) error {
	switch v := v.(type) {
	case *Array:
		for i, e := range v.v {
			m.work(1)
			if err := use(float64(i), e); err != nil {
				return err
			}
		}
		return nil
	case *Object:
		for i := range v.e {
			m.work(1)
			if err := use(v.e[i].key, v.e[i].val); err != nil {
				return err
			}
		}
		return nil
	}
	return fail("Cannot iterate over %s", m.shown(v))
}

// index returns v[k].
func (m *machine) index(v, k Value) (Value, error) {
	switch k := k.(type) {
	case string:
		switch v := v.(type) {
		case *Object:
			e, _ := v.get(k)
			return e, nil
		case nil:
			return nil, nil
		}
		return nil, fail("Cannot index %s with string \"%s\"", kindOf(v), k)
	case float64, Literal:
		n, _ := number(k)
		switch v := v.(type) {
		case *Array:
			return element(v, n), nil
		case nil:
			return nil, nil
		}
	case *Object:
		switch v := v.(type) {
		case *Array, string:
			return m.part(v, k)
		case nil:
			return nil, nil
		}
	case *Array:
		if a, ok := v.(*Array); ok {
			return m.positions(a, k), nil
		}
	case nil:
		if v == nil {
			return nil, nil
		}
	}
	return nil, fail("Cannot index %s with %s", kindOf(v), kindOf(k))
}

// element returns element n of a, counted from the end if it is negative.
func element(a *Array, n float64) Value {
	if n != n {
		return nil
	}
	if n < 0 {
		n += float64(len(a.v))
	}
	if n < 0 || n >= float64(len(a.v)) || n != math.Trunc(n) {
		return nil
	}
	return a.v[int(n)]
}

// part returns the slice of v, an array or a string, that k names.
func (m *machine) part(v Value, k *Object) (Value, error) {
	s, isString := v.(string)
	a, _ := v.(*Array)
	size, what := 0, "array"
	if isString {
		size, what = m.length(s), "string"
	} else {
		size = len(a.v)
	}
	from, to, ok := bounds(k, size)
	if !ok {
		return nil, fail("Start and end indices of an %s slice must be numbers", what)
	}
	if isString {
		return s[offset(s, from):offset(s, to)], nil
	}
	m.work(1 + (to-from)>>6)
	return m.made(newArray(append([]Value(nil), a.v[from:to]...))), nil
}

// bounds returns where the slice k of something of the given size begins and
// ends.
func bounds(k *Object, size int) (from, to int, ok bool) {
	get := func(key string, missing float64) (float64, bool) {
		v, given := k.get(key)
		if v == nil {
			return missing, given
		}
		n, ok := number(v)
		if n < 0 {
			n += float64(size)
		}
		return math.Min(math.Max(n, 0), float64(size)), ok
	}
	start, ok1 := get("start", 0)
	end, ok2 := get("end", float64(size))
	from = int(start)
	to = max(int(math.Ceil(end)), from)
	return from, min(to, size), ok1 && ok2
}

// positions returns where b is part of a.
func (m *machine) positions(a, b *Array) Value {
	var list []Value
	for i := 0; len(b.v) > 0 && i+len(b.v) <= len(a.v); i++ {
		m.work(1)
		same := true
		for j := range b.v {
			if !m.equal(a.v[i+j], b.v[j]) {
				same = false
				break
			}
		}
		if same {
			list = append(list, float64(i))
		}
	}
	return m.made(newArray(list))
}

// getPath returns the part of v at path; null where there is none.
func (m *machine) getPath(v Value, path []Value) (Value, error) {
	for _, k := range path {
		if v == nil {
			return nil, nil
		}
		var err error
		if v, err = m.index(v, k); err != nil {
			return nil, err
		}
	}
	return v, nil
}

// setPath returns v with the part at path replaced by what change makes of it.
func (m *machine) setPath(v Value, path []Value, change func(Value) (Value, error)) (Value, error) {
	if len(path) == 0 {
		return change(v)
	}
	if len(path) > maxDepth {
		return nil, fail("Path too deep")
	}
	part, err := m.index(v, path[0])
	if err != nil {
		return nil, err
	}
	part, err = m.setPath(part, path[1:], change)
	if err != nil {
		return nil, err
	}
	return m.set(v, path[0], part)
}

// set returns v with v[k] replaced.
func (m *machine) set(v, k, part Value) (Value, error) {
	switch k := k.(type) {
	case string:
		if v == nil {
			v = newObject(1)
		}
		if o, ok := v.(*Object); ok {
			m.work(1 + len(o.e)>>7)
			return m.deep(m.made(o.with(k, part)))
		}
	case float64, Literal:
		n, _ := number(k)
		if v == nil {
			v = newArray(nil)
		}
		if a, ok := v.(*Array); ok {
			return m.setElement(a, n, part)
		}
	case *Object:
		if v == nil {
			v = newArray(nil)
		}
		if a, ok := v.(*Array); ok {
			return m.setPart(a, k, part)
		}
	}
	return nil, fail("Cannot update field at %s index of %s", kindOf(k), kindOf(v))
}

func (m *machine) setElement(a *Array, n float64, part Value) (Value, error) {
	n = math.Floor(n)
	if n < 0 {
		n += float64(len(a.v))
	}
	switch {
	case n < 0 || n != n:
		return nil, fail("Out of bounds negative array index")
	case n > 1<<29:
		return nil, fail("Array index too large")
	}
	i := int(n)
	if i > len(a.v) {
		m.room(slotSize * i)
	}
	m.work(1 + max(i, len(a.v))>>7)
	return m.deep(m.made(a.with(i, part)))
}

func (m *machine) setPart(a *Array, k *Object, part Value) (Value, error) {
	from, to, ok := bounds(k, len(a.v))
	if !ok {
		return nil, fail("Start and end indices of an array slice must be numbers")
	}
	p, ok := part.(*Array)
	if !ok {
		return nil, fail("A slice of an array can only be assigned another array")
	}
	m.work(1 + len(a.v)>>7)
	v := append(append(append([]Value(nil), a.v[:from]...), p.v...), a.v[to:]...)
	return m.deep(m.made(newArray(v)))
}
