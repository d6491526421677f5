package jq

import (
	"fmt"
	"strings"
)

// define compiles a definition, and returns the scope in which it is known.
func (c *compiler) define(d *definition) *scope {
	fn := &function{name: d.name, level: c.fn.level + 1, library: c.fn.library, def: d, height: d.body.height() + len(d.params) + 2}
	s := &scope{called: d.name, arity: len(d.params), def: fn}
	fn.scope = c.with(s)
	fn.variant(len(d.params) == 0) // to find mistakes in it, be it called or not
	return s
}

// maxVariants is the level of definition from which functions are compiled in
// one way only: a function that is compiled again is so with all in it.
const maxVariants = 4

// variant returns fn as compiled for arguments that have one value each, or for
// any.
func (fn *function) variant(single bool) *variant {
	if fn.level > maxVariants {
		single = len(fn.def.params) == 0
	}
	at := &fn.general
	if single {
		at = &fn.single
	}
	if *at != nil {
		return *at
	}
	v := &variant{assumed: fn.level <= maxVariants}
	*at = v
	v.body = fn.compile(single)
	if v.assumed && v.body.one == nil {
		// It was wrong to assume that it has one value if its calls of
		// itself have.
		v.assumed = false
		v.body = fn.compile(single)
	}
	v.done = true
	return v
}

// compile compiles the body of fn.
func (fn *function) compile(single bool) code {
	inner := *fn.scope
	inner.fn = fn
	in := &inner
	type value struct{ param, slot int }
	var values []value
	for i, name := range fn.def.params {
		bare := strings.TrimPrefix(name, "$")
		in = in.with(&scope{called: bare, param: i, single: single})
		if bare != name {
			var slot int
			in, slot = in.declare(bare)
			values = append(values, value{i, slot})
		}
	}
	body := in.compile(fn.def.body)
	for i := len(values) - 1; i >= 0; i-- {
		body = bindParam(values[i].param, values[i].slot, body, single)
	}
	return body
}

// bindParam returns the code of rest for each value of a parameter, which it
// binds to a variable.
func bindParam(param, slot int, rest code, single bool) code {
	paths := rest.paths()
	each := func(fr *frame, in Value, run func() error) error {
		arg := fr.args[param]
		return arg.gen(arg.fr, in, func(x Value) error {
			saved := fr.vars[slot]
			fr.vars[slot] = x
			err := run()
			fr.vars[slot] = saved
			return err
		})
	}
	out := code{
		gen: func(fr *frame, in Value, out yield) error {
			return each(fr, in, func() error { return rest.gen(fr, in, out) })
		},
		path: func(fr *frame, in place, out func(place) error) error {
			return each(fr, in.v, func() error { return paths(fr, in, out) })
		},
	}
	if single && rest.one != nil {
		out.one = func(fr *frame, in Value) (Value, error) {
			arg := fr.args[param]
			x, err := arg.one(arg.fr, in)
			if err != nil {
				return nil, err
			}
			fr.vars[slot] = x // the frame is of this call alone
			return rest.one(fr, in)
		}
	}
	return out
}

// call compiles a call of a function: of the program, or of the library.
func (c *compiler) call(x *call) code {
	for s := c.scope; s != nil; s = s.outer {
		if s.called == x.name && s.arity == len(x.args) && s.label == "" {
			if s.def == nil {
				return c.callParam(s)
			}
			return c.callFunction(s.def, c.fn.level-(s.def.level-1), x.args)
		}
	}
	key := fmt.Sprintf("%s/%d", x.name, len(x.args))
	if special := c.specials[key]; special != nil {
		return special(c, x)
	}
	if native := natives[key]; native != nil {
		return c.callNative(native, x.args)
	}
	if fn := c.libraryFunction(key); fn != nil {
		return c.callFunction(fn, c.fn.level, x.args)
	}
	c.fail(x.pos, "%s is not defined", key)
	return code{}
}

// callParam compiles a call of a parameter.
func (c *compiler) callParam(s *scope) code {
	hops, i := c.fn.level-s.fn.level, s.param
	out := code{
		gen: func(fr *frame, in Value, out yield) error {
			arg := fr.up(hops).args[i]
			return arg.gen(arg.fr, in, out)
		},
		path: func(fr *frame, in place, out func(place) error) error {
			arg := fr.up(hops).args[i]
			return arg.paths()(arg.fr, in, out)
		},
	}
	if s.single {
		out.one = func(fr *frame, in Value) (Value, error) {
			arg := fr.up(hops).args[i]
			return arg.one(arg.fr, in)
		}
	}
	return out
}

// arguments compiles the arguments of a call to what makes closures of them. It
// reports whether they have one value each.
func (c *compiler) arguments(args []node) (closures func(fr *frame) []closure, single bool) {
	if len(args) == 0 {
		return func(*frame) []closure { return nil }, true
	}
	makers := make([]func(fr *frame) closure, len(args))
	single = true
	for i, arg := range args {
		// A parameter that is passed on is not wrapped again.
		if p, ok := arg.(*call); ok && len(p.args) == 0 {
			if s := c.parameter(p.name); s != nil {
				hops, at := c.fn.level-s.fn.level, s.param
				makers[i] = func(fr *frame) closure { return fr.up(hops).args[at] }
				single = single && s.single
				continue
			}
		}
		code := c.compile(arg)
		makers[i] = func(fr *frame) closure { return closure{&code, fr} }
		single = single && code.one != nil
	}
	return func(fr *frame) []closure {
		list := make([]closure, len(makers))
		for i, make := range makers {
			list[i] = make(fr)
		}
		return list
	}, single
}

// parameter returns the scope of the parameter called name, if that is what it
// means here.
func (c *compiler) parameter(name string) *scope {
	for s := c.scope; s != nil; s = s.outer {
		if s.called == name && s.arity == 0 && s.label == "" {
			if s.def != nil {
				return nil
			}
			return s
		}
	}
	return nil
}

// callFunction compiles a call of fn, which is defined in the frame hops levels
// further out.
func (c *compiler) callFunction(fn *function, hops int, args []node) code {
	closures, single := c.arguments(args)
	v := fn.variant(single)
	activate := func(fr *frame) *frame {
		return &frame{m: fr.m, parent: fr.up(hops), vars: make([]Value, fn.vars), args: closures(fr)}
	}
	out := code{
		gen: func(fr *frame, in Value, out yield) error {
			if err := fr.m.enter(fn); err != nil {
				return err
			}
			err := v.body.gen(activate(fr), in, out)
			fr.m.leave(fn)
			return err
		},
		path: func(fr *frame, in place, out func(place) error) error {
			if err := fr.m.enter(fn); err != nil {
				return err
			}
			err := v.body.paths()(activate(fr), in, out)
			fr.m.leave(fn)
			return err
		},
	}
	if v.done && v.body.one != nil || !v.done && v.assumed {
		out.one = func(fr *frame, in Value) (Value, error) {
			if err := fr.m.enter(fn); err != nil {
				return nil, err
			}
			r, err := v.body.one(activate(fr), in)
			fr.m.leave(fn)
			return r, err
		}
	}
	return out
}

// libraryFunction returns a function that is written in jq, or nil.
func (c *compiler) libraryFunction(key string) *function {
	if fn := c.lib[key]; fn != nil {
		return fn
	}
	src, ok := library[key]
	if !ok {
		return nil
	}
	d := parse(src + " .").(*define).fn
	fn := &function{name: d.name, level: 1, library: true, def: d, height: d.body.height() + len(d.params) + 2}
	c.lib[key] = fn
	root := &compiler{m: c.m, src: src, lib: c.lib, fn: c.root, root: c.root, specials: c.specials}
	fn.scope = root.with(&scope{called: d.name, arity: len(d.params), def: fn})
	return fn
}

// A native is a function of the library that is written in Go, whose arguments
// are values.
type native struct {
	f       func(m *machine, in Value, args []Value) (Value, error)
	borrows bool // what it returns is not new
}

// callNative compiles a call of a native, for each combination of the values of
// its arguments, the first changing slowest.
func (c *compiler) callNative(n *native, args []node) code {
	codes := make([]code, len(args))
	simple := true
	for i, arg := range args {
		codes[i] = c.compile(arg)
		simple = simple && codes[i].one != nil
	}
	if simple {
		one := func(fr *frame, in Value) (Value, error) {
			var few [3]Value
			list := few[:0]
			for i := range codes {
				v, err := codes[i].one(fr, in)
				if err != nil {
					return nil, err
				}
				list = append(list, v)
			}
			fr.m.work(1)
			return n.f(fr.m, in, list)
		}
		if n.borrows {
			return single(one)
		}
		return making(one)
	}
	return code{gen: func(fr *frame, in Value, out yield) error {
		return combinations(fr, in, codes, nil, func(list []Value) error {
			fr.m.work(1)
			v, err := n.f(fr.m, in, list)
			if err != nil {
				return err
			}
			return fr.m.carry(v, out)
		})
	}}
}

// combinations calls use with all combinations of the values of codes, behind
// those in list.
func combinations(fr *frame, in Value, codes []code, list []Value, use func([]Value) error) error {
	if len(list) == len(codes) {
		return use(list)
	}
	return codes[len(list)].gen(fr, in, func(v Value) error {
		return combinations(fr, in, codes, append(list[:len(list):len(list)], v), use)
	})
}
