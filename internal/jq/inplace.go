package jq

import "math"

// An updater changes the state of a reduction. It does in place what nobody can
// tell from making a new value: the containers that the reduction itself has
// made, and that are part of nothing else, have its owner's number.
type updater func(fr *frame, s *state) error

// updater compiles x, the update of a reduction, to an updater; nil if it is
// not of a form that allows that.
func (c *compiler) updater(x node) updater {
	switch x := x.(type) {
	case *identity:
		return func(*frame, *state) error { return nil }
	case *pipe:
		a, b := c.updater(x.x), c.updater(x.y)
		if a == nil || b == nil {
			return nil
		}
		return func(fr *frame, s *state) error {
			if err := a(fr, s); err != nil {
				return err
			}
			return b(fr, s)
		}
	case *conditional:
		return c.conditionalUpdater(x)
	case *bind:
		return c.bindUpdater(x)
	case *assign:
		return c.assignUpdater(x)
	}
	return nil
}

func (c *compiler) conditionalUpdater(x *conditional) updater {
	if x.no == nil {
		x = &conditional{x.tall, x.test, x.yes, &identity{tall{1}}}
	}
	test, yes, no := c.compile(x.test), c.updater(x.yes), c.updater(x.no)
	if test.one == nil || yes == nil || no == nil {
		return nil
	}
	return func(fr *frame, s *state) error {
		v, err := test.one(fr, s.v)
		if err != nil {
			return err
		}
		if truthy(v) {
			return yes(fr, s)
		}
		return no(fr, s)
	}
}

func (c *compiler) bindUpdater(x *bind) updater {
	if len(x.patterns) != 1 || x.patterns[0].name == "" || refers(x.x, true) {
		return nil
	}
	source := c.compile(x.x)
	inner, slot := c.declare(x.patterns[0].name)
	body := inner.updater(x.body)
	if source.one == nil || body == nil {
		return nil
	}
	return func(fr *frame, s *state) error {
		v, err := source.one(fr, s.v)
		if err != nil {
			return err
		}
		saved := fr.vars[slot]
		fr.vars[slot] = v
		err = body(fr, s)
		fr.vars[slot] = saved
		return err
	}
}

// assignUpdater compiles an assignment to a part of the state that is named by
// keys alone.
func (c *compiler) assignUpdater(x *assign) updater {
	var keys []code
	for t := x.x; ; {
		if i, ok := t.(*index); ok {
			key := c.compile(i.i)
			if key.one == nil {
				return nil
			}
			keys = append([]code{key}, keys...)
			t = i.x
			continue
		}
		if _, ok := t.(*identity); !ok {
			return nil
		}
		break
	}
	value := c.compile(x.y)
	if len(keys) == 0 || value.one == nil {
		return nil
	}
	shares := refers(x.y, true)
	if x.op == "|=" {
		shares = true
		if b, ok := x.y.(*binary); ok {
			_, plain := b.x.(*identity)
			shares = !plain || refers(b.y, true)
		}
	}
	apply := func(_ *machine, _, v Value) (Value, error) { return v, nil }
	if x.op != "=" && x.op != "|=" && x.op != "//=" {
		apply = operator(x.op)
	}
	op := x.op
	return func(fr *frame, s *state) error {
		var few [4]Value
		path := few[:0]
		for _, key := range keys {
			k, err := key.one(fr, s.v)
			if err != nil {
				return err
			}
			path = append(path, k)
		}
		var v Value
		var err error
		if op != "|=" {
			if v, err = value.one(fr, s.v); err != nil {
				return err
			}
		}
		// What was part of the state may be so twice from now on.
		if shares && (op == "|=" || rank(v) > 4) {
			s.disown()
		}
		next, err := fr.m.setOwned(s.v, path, s.owner, func(old Value) (Value, error) {
			switch {
			case op == "|=":
				return value.one(fr, old)
			case op == "//=" && truthy(old):
				return old, nil
			}
			return apply(fr.m, old, v)
		})
		if err != nil {
			return err
		}
		s.set(next)
		return nil
	}
}

// disown makes the reduction the owner of nothing.
func (s *state) disown() {
	s.m.labels++
	s.owner = s.m.labels
}

// scalars are functions whose result has no part of their input in it.
var scalars = map[string]bool{
	"length": true, "tostring": true, "tonumber": true, "tojson": true, "type": true, "not": true,
	"ascii_downcase": true, "ascii_upcase": true, "floor": true, "test": true, "has": true, "keys": true,
	"utf8bytelength": true, "startswith": true, "endswith": true, "ltrimstr": true, "rtrimstr": true,
	"any": true, "all": true, "contains": true, "inside": true, "in": true, "isempty": true, "join": true,
}

// refers reports whether the value of x may have containers in it that are part
// of the state of the reduction; state says whether the input of x is such a
// part.
func refers(x node, state bool) bool {
	any := func(list ...node) bool {
		for _, n := range list {
			if n != nil && refers(n, state) {
				return true
			}
		}
		return false
	}
	switch x := x.(type) {
	case *literal, *variable, *logic, *negate, *template, *formatter:
		return false
	case *index:
		return refers(x.x, state)
	case *slice:
		return refers(x.x, state)
	case *iterate:
		return refers(x.x, state)
	case *pipe:
		return refers(x.y, refers(x.x, state))
	case *comma:
		return any(x.x, x.y)
	case *alternative:
		return any(x.x, x.y)
	case *try:
		return any(x.x, x.handler)
	case *conditional:
		return state && x.no == nil || any(x.yes, x.no)
	case *binary:
		switch x.op {
		case "+", "-", "*", "/", "%":
			return any(x.x, x.y)
		}
		return false
	case *arrayOf:
		return any(x.x)
	case *objectOf:
		for _, m := range x.members {
			if refers(m.val, state) {
				return true
			}
		}
		return false
	case *call:
		return state && !scalars[x.name]
	}
	return state
}

// setOwned is setPath that changes the containers of owner in place, and makes
// owner the one of those that it makes.
func (m *machine) setOwned(v Value, path []Value, owner int, change func(Value) (Value, error)) (Value, error) {
	if len(path) == 0 {
		return change(v)
	}
	part, err := m.index(v, path[0])
	if err != nil {
		return nil, err
	}
	was := sizeOf(part)
	if part, err = m.setOwned(part, path[1:], owner, change); err != nil {
		return nil, err
	}
	switch k := path[0].(type) {
	case string:
		o, ok := v.(*Object)
		if v == nil {
			o, ok = newObject(1), true
		}
		if ok {
			return m.deep(m.putOwned(o, k, part, was, owner))
		}
	case float64:
		a, ok := v.(*Array)
		if v == nil {
			a, ok = newArray(nil), true
		}
		if ok && k >= 0 && k <= float64(len(a.v)) && k == math.Trunc(k) {
			return m.deep(m.setElementOwned(a, int(k), part, was, owner))
		}
	}
	return m.set(v, path[0], part)
}

// putOwned sets a member of o, whose value had the size was.
func (m *machine) putOwned(o *Object, key string, part Value, was, owner int) *Object {
	if o.owner != owner || o.born == 0 {
		m.work(1 + len(o.e)>>6)
		c := &Object{e: append(make([]member, 0, len(o.e)+len(o.e)/2+1), o.e...), info: o.info}
		if len(c.e) > fewMembers {
			c.reindex()
		}
		o = c
		o.owner = owner
		m.made(o)
	}
	if i := o.find(key); i >= 0 {
		o.e[i].val = part
		o.size = min(o.size+sizeOf(part)-was, tooLarge)
		o.depth = max(o.depth, 1+depthOf(part))
		return o
	}
	o.put(key, part)
	return o
}

// setElementOwned sets element i of a, or adds it behind the last.
func (m *machine) setElementOwned(a *Array, i int, part Value, was, owner int) *Array {
	if a.owner != owner || a.born == 0 {
		m.work(1 + len(a.v)>>6)
		c := &Array{v: append(make([]Value, 0, len(a.v)+len(a.v)/2+1), a.v...), info: a.info}
		c.owner = owner
		a = c
		m.made(a)
	}
	if i == len(a.v) {
		a.v = append(a.v, part)
		a.size += slotSize
		was = 0
	} else {
		a.v[i] = part
	}
	a.size = min(a.size+sizeOf(part)-was, tooLarge)
	a.depth = max(a.depth, 1+depthOf(part))
	return a
}
