package jq

// assign compiles the operators of assignment.
func (c *compiler) assign(x *assign) code {
	target := c.compile(x.x).paths()
	if x.op == "|=" {
		return c.update(target, c.compile(x.y))
	}
	value := c.compile(x.y)
	apply := func(_ *machine, _, v Value) (Value, error) { return v, nil }
	switch x.op {
	case "=":
	case "//=":
		apply = func(_ *machine, old, v Value) (Value, error) {
			if truthy(old) {
				return old, nil
			}
			return v, nil
		}
	default:
		apply = operator(x.op)
	}
	return code{gen: func(fr *frame, in Value, out yield) error {
		return value.gen(fr, in, func(v Value) error {
			s := &state{m: fr.m, since: fr.m.births}
			s.set(in)
			defer func() { fr.m.hold(-s.held) }()
			err := target(fr, place{nil, in}, func(p place) error {
				fr.m.work(1)
				next, err := fr.m.setPath(s.v, p.path.steps().v, func(old Value) (Value, error) { return apply(fr.m, old, v) })
				s.set(next)
				return err
			})
			if err != nil {
				return err
			}
			return fr.m.carry(s.v, out)
		})
	}}
}

// update compiles |=. What f has no value for is deleted.
func (c *compiler) update(target func(*frame, place, func(place) error) error, f code) code {
	return code{gen: func(fr *frame, in Value, out yield) error {
		s := &state{m: fr.m, since: fr.m.births}
		s.set(in)
		defer func() { fr.m.hold(-s.held) }()
		var gone []Value
		err := target(fr, place{nil, in}, func(p place) error {
			fr.m.work(1)
			path := p.path.steps()
			found := false
			next, err := fr.m.setPath(s.v, path.v, func(old Value) (Value, error) {
				v, ok, err := fr.m.first(fr, &f, old)
				found = ok
				if !ok {
					v = old
				}
				return v, err
			})
			if err != nil {
				return err
			}
			if !found {
				gone = append(gone, path)
			}
			s.set(next)
			return nil
		})
		if err != nil {
			return err
		}
		v, err := fr.m.deletePaths(s.v, gone)
		if err != nil {
			return err
		}
		return fr.m.carry(v, out)
	}}
}

// first returns the first value of f, and whether it has any.
func (m *machine) first(fr *frame, f *code, in Value) (v Value, ok bool, err error) {
	if f.one != nil {
		v, err = f.one(fr, in)
		return v, err == nil, err
	}
	m.labels++
	id := m.labels
	err = f.gen(fr, in, func(x Value) error {
		v, ok = x, true
		return &jump{id}
	})
	return v, ok, landed(err, id)
}
