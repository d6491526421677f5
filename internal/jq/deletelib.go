package jq

import (
	"math"
	"slices"
)

func delPaths(m *machine, in, paths Value) (Value, error) {
	a, ok := paths.(*Array)
	if !ok {
		return nil, fail("Paths must be specified as an array")
	}
	for _, p := range a.v {
		if _, ok := p.(*Array); !ok {
			return nil, fail("Path must be specified as an array")
		}
	}
	return m.deletePaths(in, a.v)
}

// deletePaths returns v without the parts at the paths, which it deletes from
// the last to the first.
func (m *machine) deletePaths(v Value, paths []Value) (Value, error) {
	if len(paths) == 0 {
		return v, nil
	}
	list := slices.Clone(paths)
	slices.SortFunc(list, func(a, b Value) int { return m.compare(b, a) })
	var err error
	for _, p := range list {
		m.work(1)
		if v, err = m.deletePath(v, p.(*Array).v); err != nil {
			return nil, err
		}
	}
	return v, nil
}

func (m *machine) deletePath(v Value, path []Value) (Value, error) {
	if len(path) == 0 || v == nil {
		return nil, nil
	}
	if len(path) == 1 {
		return m.deleteKey(v, path[0])
	}
	part, err := m.index(v, path[0])
	if err != nil || part == nil {
		return v, err
	}
	part, err = m.deletePath(part, path[1:])
	if err != nil {
		return nil, err
	}
	return m.set(v, path[0], part)
}

func (m *machine) deleteKey(v, k Value) (Value, error) {
	switch v := v.(type) {
	case *Object:
		key, ok := k.(string)
		if !ok {
			return nil, fail("Cannot delete field at object index of %s", kindOf(k))
		}
		m.work(1 + len(v.e)>>4)
		return m.made(v.without(key)), nil
	case *Array:
		from, to, err := span(v, k)
		if err != nil {
			return nil, err
		}
		if from >= to {
			return v, nil
		}
		m.work(1 + len(v.v)>>7)
		return m.made(newArray(slices.Delete(slices.Clone(v.v), from, to))), nil
	}
	return nil, fail("Cannot delete field at %s index of %s", map[bool]string{true: "object", false: "array"}[kindOf(k) == "string"], kindOf(v))
}

// span returns the elements of a that k, an index or a slice, names.
func span(a *Array, k Value) (from, to int, err error) {
	if o, ok := k.(*Object); ok {
		if from, to, ok = bounds(o, len(a.v)); !ok {
			return 0, 0, fail("Start and end indices of an array slice must be numbers")
		}
		return from, to, nil
	}
	n, ok := number(k)
	if !ok {
		return 0, 0, fail("Cannot delete field at array index of %s", kindOf(k))
	}
	if n = math.Floor(n); n < 0 {
		n += float64(len(a.v))
	}
	if n < 0 || n >= float64(len(a.v)) {
		return 0, 0, nil
	}
	return int(n), int(n) + 1, nil
}
