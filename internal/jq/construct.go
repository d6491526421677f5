package jq

func (c *compiler) arrayOf(x *arrayOf) code {
	if x.x == nil {
		return making(func(fr *frame, _ Value) (Value, error) { return fr.m.made(newArray(nil)), nil })
	}
	a := c.compile(x.x)
	return making(func(fr *frame, in Value) (Value, error) {
		v, err := fr.m.collect(func(out yield) error { return a.gen(fr, in, out) })
		if err != nil {
			return nil, err
		}
		return fr.m.made(newArray(v)), nil
	})
}

// collect returns what gen produces. It charges for what is collected until it
// returns.
func (m *machine) collect(gen func(out yield) error) ([]Value, error) {
	var list []Value
	held, since := 0, m.births
	err := gen(func(v Value) error {
		n := slotSize + m.fresh(v, since)
		held += n
		m.hold(n)
		list = append(list, v)
		return nil
	})
	m.hold(-held)
	return list, err
}

// fresh returns the size of v if it was made after the container number since,
// or is a string: it is new, then, and nobody else has charged for it.
func (m *machine) fresh(v Value, since int) int {
	switch v := v.(type) {
	case string:
		return len(v)
	case *Array:
		if v.born > since {
			return v.size
		}
	case *Object:
		if v.born > since {
			return v.size
		}
	}
	return 0
}

func (c *compiler) objectOf(x *objectOf) code {
	keys, vals := make([]code, len(x.members)), make([]code, len(x.members))
	simple := true
	for i, m := range x.members {
		keys[i], vals[i] = c.compile(m.key), c.compile(m.val)
		simple = simple && keys[i].one != nil && vals[i].one != nil
	}
	if simple {
		return making(func(fr *frame, in Value) (Value, error) {
			o := newObject(len(keys))
			for i := range keys {
				k, err := keys[i].one(fr, in)
				if err != nil {
					return nil, err
				}
				v, err := vals[i].one(fr, in)
				if err != nil {
					return nil, err
				}
				key, ok := k.(string)
				if !ok {
					return nil, fail("Cannot use %s as object key", fr.m.shown(k))
				}
				o.put(key, v)
			}
			return fr.m.deep(fr.m.made(o))
		})
	}
	return code{gen: func(fr *frame, in Value, out yield) error {
		return fr.m.members(fr, in, keys, vals, newObject(len(keys)), out)
	}}
}

// members adds members to o in all the ways that keys and vals have values, the
// first changing slowest.
func (m *machine) members(fr *frame, in Value, keys, vals []code, o *Object, out yield) error {
	if len(keys) == 0 {
		v, err := m.deep(m.made(o))
		if err != nil {
			return err
		}
		return m.carry(v, out)
	}
	return keys[0].gen(fr, in, func(k Value) error {
		key, ok := k.(string)
		if !ok {
			return fail("Cannot use %s as object key", m.shown(k))
		}
		return vals[0].gen(fr, in, func(v Value) error {
			m.work(1)
			return m.members(fr, in, keys[1:], vals[1:], o.with(key, v), out)
		})
	})
}

// deep returns v, or an error if it is nested too deeply.
func (m *machine) deep(v Value) (Value, error) {
	if depthOf(v) > maxDepth {
		return nil, fail("Exceeds depth limit")
	}
	return v, nil
}
