package jq

func flattenTo(m *machine, in, depth Value) (Value, error) {
	n, ok := number(depth)
	if !ok {
		return nil, fail("flatten depth must not be negative")
	}
	if n < 0 {
		return nil, fail("flatten depth must not be negative")
	}
	return m.flatten(in, n)
}

func (m *machine) flatten(in Value, depth float64) (Value, error) {
	var list []Value
	var visit func(v Value, depth float64) error
	visit = func(v Value, depth float64) error {
		return m.each(v, func(_, e Value) error {
			if _, ok := e.(*Array); ok && depth > 0 {
				return visit(e, depth-1)
			}
			list = append(list, e)
			return nil
		})
	}
	if err := visit(in, depth); err != nil {
		return nil, err
	}
	return m.made(newArray(list)), nil
}

func toEntries(m *machine, in Value) (Value, error) {
	var list []Value
	if _, err := m.keys(in, false); err != nil {
		return nil, err
	}
	err := m.each(in, func(k, v Value) error {
		e := newObject(2)
		e.put("key", k)
		e.put("value", v)
		list = append(list, m.made(e))
		return nil
	})
	if err != nil {
		return nil, err
	}
	return m.deep(m.made(newArray(list)))
}

func fromEntries(m *machine, in Value) (Value, error) {
	out := newObject(0)
	err := m.each(in, func(_, e Value) error {
		var key, val Value
		for _, name := range []string{"key", "k", "name", "Name", "K", "Key"} {
			v, err := m.index(e, name)
			if err != nil {
				return err
			}
			if v != nil && (v != false || key == nil) && (key == nil || key == false) {
				key = v
			}
		}
		for _, name := range []string{"value", "v", "Value", "V"} {
			if o, ok := e.(*Object); ok {
				if v, ok := o.get(name); ok {
					val = v
					break
				}
			}
		}
		text := "null"
		switch k := key.(type) {
		case string:
			text = k
		case nil:
		default:
			text = m.text(k)
		}
		out.put(text, val)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return m.deep(m.made(out))
}

func transpose(m *machine, in Value) (Value, error) {
	a, ok := in.(*Array)
	if !ok {
		return nil, fail("Cannot index %s with number", kindOf(in))
	}
	width := 0
	for _, row := range a.v {
		r, ok := row.(*Array)
		if !ok {
			return nil, fail("Cannot index %s with number", kindOf(row))
		}
		width = max(width, len(r.v))
	}
	m.room(slotSize * width * len(a.v))
	m.work(1 + width*len(a.v)>>4)
	out := make([]Value, width)
	for i := range out {
		column := make([]Value, len(a.v))
		for j, row := range a.v {
			if r := row.(*Array); i < len(r.v) {
				column[j] = r.v[i]
			}
		}
		out[i] = m.made(newArray(column))
	}
	return m.made(newArray(out)), nil
}
