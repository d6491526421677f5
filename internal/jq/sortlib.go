package jq

import "slices"

func (m *machine) sorted(in Value, what string) ([]Value, error) {
	a, ok := in.(*Array)
	if !ok {
		return nil, fail("%s cannot be %s, as it is not an array", m.shown(in), what)
	}
	list := slices.Clone(a.v)
	slices.SortStableFunc(list, func(a, b Value) int {
		m.work(1)
		return m.compare(a, b)
	})
	return list, nil
}

func sortAll(m *machine, in Value) (Value, error) {
	list, err := m.sorted(in, "sorted")
	if err != nil {
		return nil, err
	}
	return m.made(newArray(list)), nil
}

func unique(m *machine, in Value) (Value, error) {
	list, err := m.sorted(in, "sorted")
	if err != nil {
		return nil, err
	}
	list = slices.CompactFunc(list, m.equal)
	return m.made(newArray(list)), nil
}

func (m *machine) sortKeyed(list []keyed) {
	slices.SortStableFunc(list, func(a, b keyed) int {
		m.work(1)
		return m.compare(a.key, b.key)
	})
}

func (m *machine) sortBy(_ string, list []keyed) Value {
	m.sortKeyed(list)
	out := make([]Value, len(list))
	for i := range list {
		out[i] = list[i].val
	}
	return newArray(out)
}

func (m *machine) groupBy(_ string, list []keyed) Value {
	m.sortKeyed(list)
	var groups []Value
	for i := 0; i < len(list); {
		var group []Value
		first := list[i].key
		for ; i < len(list) && m.equal(first, list[i].key); i++ {
			group = append(group, list[i].val)
		}
		groups = append(groups, m.made(newArray(group)))
	}
	return newArray(groups)
}

func (m *machine) uniqueBy(_ string, list []keyed) Value {
	m.sortKeyed(list)
	list = slices.CompactFunc(list, func(a, b keyed) bool { return m.equal(a.key, b.key) })
	out := make([]Value, len(list))
	for i := range list {
		out[i] = list[i].val
	}
	return newArray(out)
}

// minBy returns the first of the least elements, and maxBy the last of the
// greatest.
func (m *machine) minBy(_ string, list []keyed) Value {
	if len(list) == 0 {
		return nil
	}
	best := list[0]
	for _, e := range list[1:] {
		if m.compare(e.key, best.key) < 0 {
			best = e
		}
	}
	return best.val
}

func (m *machine) maxBy(_ string, list []keyed) Value {
	if len(list) == 0 {
		return nil
	}
	best := list[0]
	for _, e := range list[1:] {
		if m.compare(e.key, best.key) >= 0 {
			best = e
		}
	}
	return best.val
}

func (m *machine) extreme(name string, in Value, sign int) (Value, error) {
	a, ok := in.(*Array)
	if !ok {
		return nil, fail("Cannot index %s with number", kindOf(in))
	}
	if len(a.v) == 0 {
		return nil, nil
	}
	best := a.v[0]
	for _, e := range a.v[1:] {
		m.work(1)
		if c := m.compare(e, best) * sign; c > 0 || c == 0 && sign > 0 {
			best = e
		}
	}
	return best, nil
}
