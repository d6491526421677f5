package jq

import "errors"

// A passing is an error from what an expression gave its values to, on its way
// through a try that it does not concern.
type passing struct{ err error }

func (p *passing) Error() string { return p.err.Error() }

// pass marks an error of a yield.
func pass(err error) error {
	if err == nil {
		return nil
	}
	return &passing{err}
}

// passed returns err without a mark of pass.
func passed(err error) error {
	if p, ok := err.(*passing); ok {
		return p.err
	}
	return err
}

// caught returns the error that an expression has raised itself, or nil.
func caught(err error) *Error {
	e, _ := err.(*Error)
	return e
}

// attempt runs gen, and marks the errors of out.
func attempt(gen func(yield) error, out yield) error {
	return gen(func(v Value) error { return pass(out(v)) })
}

func (c *compiler) try(x *try) code {
	a := c.compile(x.x)
	handle := func(*frame, Value, yield) error { return nil }
	if x.handler != nil {
		handle = c.compile(x.handler).gen
	}
	pa := a.paths()
	return code{
		gen: func(fr *frame, in Value, out yield) error {
			err := attempt(func(out yield) error { return a.gen(fr, in, out) }, out)
			if e := caught(err); e != nil {
				return handle(fr, e.value, out)
			}
			return passed(err)
		},
		path: func(fr *frame, in place, out func(place) error) error {
			err := pa(fr, in, func(p place) error { return pass(out(p)) })
			if e := caught(err); e != nil {
				return handle(fr, e.value, func(v Value) error {
					return fail("Invalid path expression with result %s", fr.m.brief(v, 26))
				})
			}
			return passed(err)
		},
	}
}

// A label is the variable that holds which activation of it a break is to end.
func (c *compiler) label(x *label) code {
	slot := c.fn.vars
	c.fn.vars++
	body := c.with(&scope{label: x.name, slot: slot}).compile(x.body)
	within := func(fr *frame, run func() error) error {
		fr.m.labels++
		id, saved := fr.m.labels, fr.vars[slot]
		fr.vars[slot] = float64(id)
		err := run()
		fr.vars[slot] = saved
		return landed(err, id)
	}
	paths := body.paths()
	return code{
		gen: func(fr *frame, in Value, out yield) error {
			return within(fr, func() error { return body.gen(fr, in, out) })
		},
		path: func(fr *frame, in place, out func(place) error) error {
			return within(fr, func() error { return paths(fr, in, out) })
		},
	}
}

// landed returns err, or nil if it is a jump to the label id.
func landed(err error, id int) error {
	if j, ok := errors.AsType[*jump](err); ok && j.label == id {
		return nil
	}
	return err
}

func (c *compiler) breakTo(x *breakTo) code {
	for s := c.scope; s != nil; s = s.outer {
		if s.label == x.name {
			hops, slot := c.fn.level-s.fn.level, s.slot
			leave := func(fr *frame) error {
				id, _ := fr.up(hops).vars[slot].(float64)
				return &jump{int(id)}
			}
			return code{
				gen:  func(fr *frame, _ Value, _ yield) error { return leave(fr) },
				path: func(fr *frame, _ place, _ func(place) error) error { return leave(fr) },
			}
		}
	}
	c.fail(x.pos, "$*label-%s is not defined", x.name)
	return code{}
}

// A binder takes a value apart and binds variables to its parts while then runs;
// several times if an expression in the pattern has several values.
type binder func(fr *frame, in, v Value, then func() error) error

// patterns declares the variables of the patterns, and compiles these.
func (c *compiler) patterns(list []*pattern) (*compiler, []binder, []int) {
	inner := c
	slots := map[string]int{}
	var order []int
	for _, p := range list {
		for _, name := range p.names(nil) {
			if _, ok := slots[name]; !ok {
				inner, slots[name] = inner.declare(name)
				order = append(order, slots[name])
			}
		}
	}
	binders := make([]binder, len(list))
	for i, p := range list {
		binders[i] = inner.binder(p, slots)
	}
	return inner, binders, order
}

// names appends the names of the variables of p to list.
func (p *pattern) names(list []string) []string {
	if p.name != "" {
		list = append(list, p.name)
	}
	for _, e := range p.elems {
		list = e.names(list)
	}
	for _, m := range p.object {
		if m.name != "" {
			list = append(list, m.name)
		}
		if m.val != nil {
			list = m.val.names(list)
		}
	}
	return list
}

func (c *compiler) binder(p *pattern, slots map[string]int) binder {
	switch {
	case p.name != "":
		return bindSlot(slots[p.name])
	case p.elems != nil:
		return c.bindElems(p.elems, slots)
	}
	return c.bindMembers(p.object, slots)
}

func bindSlot(slot int) binder {
	return func(fr *frame, _, v Value, then func() error) error {
		saved := fr.vars[slot]
		fr.vars[slot] = v
		err := then()
		fr.vars[slot] = saved
		return err
	}
}

func (c *compiler) bindElems(elems []*pattern, slots map[string]int) binder {
	binders := make([]binder, len(elems))
	for i, e := range elems {
		binders[i] = c.binder(e, slots)
	}
	var from func(i int) binder
	from = func(i int) binder {
		if i == len(binders) {
			return func(_ *frame, _, _ Value, then func() error) error { return then() }
		}
		rest := from(i + 1)
		return func(fr *frame, in, v Value, then func() error) error {
			e, err := fr.m.index(v, float64(i))
			if err != nil {
				return err
			}
			return binders[i](fr, in, e, func() error { return rest(fr, in, v, then) })
		}
	}
	return from(0)
}

func (c *compiler) bindMembers(members []memberPattern, slots map[string]int) binder {
	next := binder(func(_ *frame, _, _ Value, then func() error) error { return then() })
	for i := len(members) - 1; i >= 0; i-- {
		m, rest := members[i], next
		key := c.compile(m.key)
		own, inner := binder(nil), binder(nil)
		if m.name != "" {
			own = bindSlot(slots[m.name])
		}
		if m.val != nil {
			inner = c.binder(m.val, slots)
		}
		next = func(fr *frame, in, v Value, then func() error) error {
			return key.gen(fr, in, func(k Value) error {
				if _, ok := k.(string); !ok {
					return fail("Cannot index %s with %s", kindOf(v), kindOf(k))
				}
				e, err := fr.m.index(v, k)
				if err != nil {
					return err
				}
				run := func() error { return rest(fr, in, v, then) }
				if inner != nil {
					deeper := run
					run = func() error { return inner(fr, in, e, deeper) }
				}
				if own != nil {
					return own(fr, in, e, run)
				}
				return run()
			})
		}
	}
	return next
}

// bound runs then with the variables of the first of the patterns that fits v,
// and with which then does not fail.
func bound(binders []binder, slots []int, fr *frame, in, v Value, then func() error) error {
	if len(binders) == 1 {
		return binders[0](fr, in, v, then)
	}
	saved := make([]Value, len(slots))
	for i, slot := range slots {
		saved[i] = fr.vars[slot]
	}
	var err error
	for _, bind := range binders {
		for _, slot := range slots {
			fr.vars[slot] = nil
		}
		if err = bind(fr, in, v, then); caught(err) == nil {
			break
		}
	}
	for i, slot := range slots {
		fr.vars[slot] = saved[i]
	}
	return err
}

func (c *compiler) bind(x *bind) code {
	source := c.compile(x.x)
	inner, binders, slots := c.patterns(x.patterns)
	body := inner.compile(x.body)
	paths := body.paths()
	out := code{
		gen: func(fr *frame, in Value, out yield) error {
			return source.gen(fr, in, func(v Value) error {
				fr.m.work(1)
				return bound(binders, slots, fr, in, v, func() error { return body.gen(fr, in, out) })
			})
		},
		path: func(fr *frame, in place, out func(place) error) error {
			return source.gen(fr, in.v, func(v Value) error {
				return bound(binders, slots, fr, in.v, v, func() error { return paths(fr, in, out) })
			})
		},
	}
	if len(x.patterns) == 1 && x.patterns[0].name != "" && source.one != nil && body.one != nil {
		slot := slots[0]
		out.one = func(fr *frame, in Value) (Value, error) {
			v, err := source.one(fr, in)
			if err != nil {
				return nil, err
			}
			saved := fr.vars[slot]
			fr.vars[slot] = v
			r, err := body.one(fr, in)
			fr.vars[slot] = saved
			return r, err
		}
	}
	return out
}

// A state is the value that a reduction has come to, with what it is charged.
type state struct {
	m     *machine
	v     Value
	since int
	held  int
	owner int // what the containers that it may change have as theirs
}

func (s *state) set(v Value) {
	s.v = v
	n := s.m.fresh(v, s.since)
	s.m.hold(n - s.held)
	s.held = n
}

func (c *compiler) reduce(x *reduce) code {
	source, init := c.compile(x.x), c.compile(x.init)
	inner, binders, slots := c.patterns(x.patterns)
	update := inner.compile(x.update)
	change := inner.updater(x.update)
	run := func(fr *frame, in, first Value) (Value, error) {
		s := &state{m: fr.m, since: fr.m.births}
		s.disown()
		s.set(first)
		defer func() { fr.m.hold(-s.held) }()
		err := source.gen(fr, in, func(v Value) error {
			fr.m.work(1)
			return bound(binders, slots, fr, in, v, func() error {
				if change != nil {
					return change(fr, s)
				}
				if update.one != nil {
					next, err := update.one(fr, s.v)
					s.set(next)
					return err
				}
				var last Value
				err := update.gen(fr, s.v, func(v Value) error {
					last = v
					return nil
				})
				s.set(last)
				return err
			})
		})
		return s.v, err
	}
	if init.one != nil {
		return making(func(fr *frame, in Value) (Value, error) {
			first, err := init.one(fr, in)
			if err != nil {
				return nil, err
			}
			return run(fr, in, first)
		})
	}
	return code{gen: func(fr *frame, in Value, out yield) error {
		return init.gen(fr, in, func(first Value) error {
			v, err := run(fr, in, first)
			if err != nil {
				return err
			}
			return fr.m.carry(v, out)
		})
	}}
}

func (c *compiler) foreach(x *foreach) code {
	source, init := c.compile(x.x), c.compile(x.init)
	inner, binders, slots := c.patterns(x.patterns)
	update, extract := inner.compile(x.update), identityCode
	if x.extract != nil {
		extract = inner.compile(x.extract)
	}
	return code{gen: func(fr *frame, in Value, out yield) error {
		return init.gen(fr, in, func(first Value) error {
			s := &state{m: fr.m, since: fr.m.births}
			s.set(first)
			defer func() { fr.m.hold(-s.held) }()
			return source.gen(fr, in, func(v Value) error {
				fr.m.work(1)
				return bound(binders, slots, fr, in, v, func() error {
					return update.gen(fr, s.v, func(v Value) error {
						s.set(v)
						return extract.gen(fr, v, out)
					})
				})
			})
		})
	}}
}
