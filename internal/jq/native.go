package jq

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"unicode/utf8"
)

// natives are the functions of the library that are written in Go and take
// values, by name and arity.
var natives = gather(coreNatives, textNatives, mathNatives, timeNatives, regexpNatives)

func gather(sets ...map[string]*native) map[string]*native {
	all := map[string]*native{}
	for _, set := range sets {
		for key, n := range set {
			all[key] = n
		}
	}
	return all
}

// of makes a native of a function of the input alone.
func of(f func(m *machine, in Value) (Value, error)) *native {
	return &native{f: func(m *machine, in Value, _ []Value) (Value, error) { return f(m, in) }}
}

// with makes a native of a function of the input and an argument.
func with(f func(m *machine, in, arg Value) (Value, error)) *native {
	return &native{f: func(m *machine, in Value, args []Value) (Value, error) { return f(m, in, args[0]) }}
}

var coreNatives = map[string]*native{
	"not/0":               of(func(_ *machine, in Value) (Value, error) { return !truthy(in), nil }),
	"type/0":              of(func(_ *machine, in Value) (Value, error) { return kindOf(in), nil }),
	"length/0":            of(lengthOf),
	"utf8bytelength/0":    of(byteLength),
	"keys/0":              of(func(m *machine, in Value) (Value, error) { return m.keys(in, true) }),
	"keys_unsorted/0":     of(func(m *machine, in Value) (Value, error) { return m.keys(in, false) }),
	"has/1":               with(has),
	"contains/1":          with(func(m *machine, in, arg Value) (Value, error) { return m.contains(in, arg) }),
	"inside/1":            with(func(m *machine, in, arg Value) (Value, error) { return m.contains(arg, in) }),
	"add/0":               of(addAll),
	"reverse/0":           of(reverse),
	"sort/0":              of(sortAll),
	"unique/0":            of(unique),
	"min/0":               of(func(m *machine, in Value) (Value, error) { return m.extreme("min", in, -1) }),
	"max/0":               of(func(m *machine, in Value) (Value, error) { return m.extreme("max", in, 1) }),
	"first/0":             of(func(m *machine, in Value) (Value, error) { return m.index(in, 0.0) }),
	"last/0":              of(func(m *machine, in Value) (Value, error) { return m.index(in, -1.0) }),
	"flatten/0":           of(func(m *machine, in Value) (Value, error) { return m.flatten(in, math.Inf(1)) }),
	"flatten/1":           with(flattenTo),
	"to_entries/0":        of(toEntries),
	"from_entries/0":      of(fromEntries),
	"transpose/0":         of(transpose),
	"setpath/2":           {f: setPathTo},
	"delpaths/1":          with(delPaths),
	"tojson/0":            of(func(m *machine, in Value) (Value, error) { return m.compact(in), nil }),
	"fromjson/0":          of(fromJSON),
	"tostring/0":          of(func(m *machine, in Value) (Value, error) { return m.text(in), nil }),
	"tonumber/0":          of(toNumber),
	"input_filename/0":    of(func(m *machine, _ Value) (Value, error) { return m.name(), nil }),
	"input_line_number/0": of(func(m *machine, _ Value) (Value, error) { return float64(m.line()), nil }),
	"halt/0":              of(func(*machine, Value) (Value, error) { return nil, &halt{} }),
	"halt_error/1":        with(haltError),
	"toarray/0": of(func(m *machine, in Value) (Value, error) {
		if _, ok := in.(*Array); ok {
			return in, nil
		}
		return m.made(array(in)), nil
	}),
	"have_literal_numbers/0": of(func(*machine, Value) (Value, error) { return true, nil }),
	"have_decnum/0":          of(func(*machine, Value) (Value, error) { return false, nil }),
	"get_search_list/0":      of(func(m *machine, _ Value) (Value, error) { return newArray(nil), nil }),
}

// length returns the number of characters of s.
func (m *machine) length(s string) int {
	if len(s) > 1<<10 {
		m.work(len(s) >> 8)
	}
	return utf8.RuneCountInString(s)
}

// offset returns where character n of s begins.
func offset(s string, n int) int {
	i := 0
	for ; n > 0 && i < len(s); n-- {
		_, size := utf8.DecodeRuneInString(s[i:])
		i += size
	}
	return i
}

func lengthOf(m *machine, in Value) (Value, error) {
	switch v := in.(type) {
	case nil:
		return 0.0, nil
	case string:
		return float64(m.length(v)), nil
	case *Array:
		return float64(len(v.v)), nil
	case *Object:
		return float64(len(v.e)), nil
	case bool:
		return nil, fail("%s has no length", m.shown(in))
	}
	n, _ := number(in)
	return math.Abs(n), nil
}

func byteLength(m *machine, in Value) (Value, error) {
	s, ok := in.(string)
	if !ok {
		return nil, fail("%s only strings have UTF-8 byte length", m.shown(in))
	}
	return float64(len(s)), nil
}

func (m *machine) keys(in Value, sorted bool) (Value, error) {
	switch v := in.(type) {
	case *Array:
		list := make([]Value, len(v.v))
		for i := range list {
			list[i] = float64(i)
		}
		return m.made(newArray(list)), nil
	case *Object:
		m.work(1 + len(v.e)>>3)
		list := make([]Value, len(v.e))
		for i := range v.e {
			list[i] = v.e[i].key
		}
		if sorted {
			slices.SortFunc(list, func(a, b Value) int { return strings.Compare(a.(string), b.(string)) })
		}
		return m.made(newArray(list)), nil
	}
	return nil, fail("%s has no keys", m.shown(in))
}

func has(m *machine, in, key Value) (Value, error) {
	switch v := in.(type) {
	case *Object:
		if k, ok := key.(string); ok {
			_, found := v.get(k)
			return found, nil
		}
	case *Array:
		if n, ok := number(key); ok {
			return n >= 0 && n < float64(len(v.v)), nil
		}
	}
	return nil, fail("Cannot check whether %s has a %s key", kindOf(in), kindOf(key))
}

// contains reports whether b is part of a.
func (m *machine) contains(a, b Value) (Value, error) {
	if rank(a) != rank(b) && !(rank(a) <= 2 && rank(b) <= 2 && a != nil && b != nil) {
		return nil, fail("%s and %s cannot have their containment checked", m.shown(a), m.shown(b))
	}
	m.work(1)
	switch x := a.(type) {
	case *Object:
		for _, e := range b.(*Object).e {
			v, ok := x.get(e.key)
			if !ok {
				return false, nil
			}
			if part, err := m.contains(v, e.val); err != nil || part != true {
				return part, err
			}
		}
		return true, nil
	case *Array:
		for _, e := range b.(*Array).v {
			found := false
			for _, f := range x.v {
				if kindOf(e) != kindOf(f) {
					continue
				}
				if part, err := m.contains(f, e); err == nil && part == true {
					found = true
					break
				}
			}
			if !found {
				return false, nil
			}
		}
		return true, nil
	case string:
		m.work(len(x) >> 8)
		return strings.Contains(x, b.(string)), nil
	}
	return m.equal(a, b), nil
}

func addAll(m *machine, in Value) (Value, error) {
	var sum Value
	var err error
	var text []byte
	strs := false
	s := &state{m: m, since: m.births}
	defer func() { m.hold(-s.held) }()
	each := m.each(in, func(_, e Value) error {
		// Strings are joined at the end, so that it takes no longer than that.
		if t, ok := e.(string); ok && (strs || sum == nil) {
			strs = true
			m.hold(len(t))
			text = append(text, t...)
			return nil
		}
		if strs && e != nil {
			sum, strs = string(text), false
		}
		sum, err = m.add(sum, e)
		s.set(sum)
		return err
	})
	m.hold(-len(text))
	if each != nil {
		return nil, each
	}
	if strs {
		return string(text), nil
	}
	return sum, nil
}

func reverse(m *machine, in Value) (Value, error) {
	switch v := in.(type) {
	case nil:
		return newArray(nil), nil
	case string:
		r := []rune(v)
		slices.Reverse(r)
		return string(r), nil
	case *Array:
		list := slices.Clone(v.v)
		slices.Reverse(list)
		return m.made(newArray(list)), nil
	}
	return nil, fail("Cannot reverse %s", m.shown(in))
}

func setPathTo(m *machine, in Value, args []Value) (Value, error) {
	path, ok := args[0].(*Array)
	if !ok {
		return nil, fail("Path must be specified as an array")
	}
	return m.setPath(in, path.v, func(Value) (Value, error) { return args[1], nil })
}

func haltError(m *machine, in, status Value) (Value, error) {
	n, ok := number(status)
	if !ok {
		return nil, fail("halt_error/1: number required")
	}
	return nil, &halt{value: in, status: int(toInt(n)) & 0xff, print: in != nil}
}

// builtinNames returns the names of the functions of the library.
func (c *compiler) builtinNames() Value {
	var names []string
	for key := range c.specials {
		names = append(names, key)
	}
	for key := range natives {
		names = append(names, key)
	}
	for key := range library {
		names = append(names, key)
	}
	slices.SortFunc(names, cmp.Compare)
	list := make([]Value, 0, len(names))
	for _, name := range names {
		if name[0] != '_' {
			list = append(list, name)
		}
	}
	return newArray(list)
}
