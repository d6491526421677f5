package jq

// recursion is what a step of recurse is charged for, as a function.
var recursion = &function{name: "recurse", height: 8, library: true}

func compileRecurse(c *compiler, x *call) code {
	var step node = &try{tall{3}, &iterate{tall{2}, &identity{tall{1}}}, nil}
	if len(x.args) == 1 {
		step = x.args[0]
	}
	f := c.compile(step)
	paths := f.paths()
	out := code{}
	var visit func(fr *frame, in Value, out yield) error
	visit = func(fr *frame, in Value, out yield) error {
		if err := out(in); err != nil {
			return err
		}
		if err := fr.m.enter(recursion); err != nil {
			return err
		}
		defer fr.m.leave(recursion)
		return f.gen(fr, in, func(v Value) error { return visit(fr, v, out) })
	}
	out.gen = visit
	if f.one != nil {
		out.gen = func(fr *frame, in Value, out yield) error {
			for v := in; ; {
				if err := out(v); err != nil {
					return err
				}
				fr.m.work(1)
				var err error
				if v, err = f.one(fr, v); err != nil {
					return err
				}
			}
		}
	}
	var visitPaths func(fr *frame, in place, out func(place) error) error
	visitPaths = func(fr *frame, in place, out func(place) error) error {
		if err := out(in); err != nil {
			return err
		}
		if err := fr.m.enter(recursion); err != nil {
			return err
		}
		defer fr.m.leave(recursion)
		return paths(fr, in, func(p place) error { return visitPaths(fr, p, out) })
	}
	out.path = visitPaths
	return out
}

func compileRange(c *compiler, x *call) code {
	var args []code
	for _, arg := range x.args {
		args = append(args, c.compile(arg))
	}
	return code{gen: func(fr *frame, in Value, out yield) error {
		return combinations(fr, in, args, nil, func(v []Value) error {
			var n [3]float64
			for i := range v {
				var ok bool
				if n[i], ok = number(v[i]); !ok {
					return fail("Range bounds must be numeric")
				}
			}
			switch len(v) {
			case 1:
				return fr.m.count(0, n[0], 1, out)
			case 2:
				return fr.m.count(n[0], n[1], 1, out)
			}
			return fr.m.count(n[0], n[1], n[2], out)
		})
	}}
}

// count produces the numbers from one up to, or down to, another.
func (m *machine) count(from, to, by float64, out yield) error {
	for n := from; by > 0 && n < to || by < 0 && n > to || by == 0 && from < to; n += by {
		m.work(1)
		if err := out(n); err != nil {
			return err
		}
	}
	return nil
}

// compileFirst compiles first(f).
func compileFirst(c *compiler, x *call) code {
	f := c.compile(x.args[0])
	paths := f.paths()
	return code{
		gen: func(fr *frame, in Value, out yield) error {
			v, ok, err := fr.m.first(fr, &f, in)
			if err != nil || !ok {
				return err
			}
			return out(v)
		},
		path: func(fr *frame, in place, out func(place) error) error {
			fr.m.labels++
			id := fr.m.labels
			var found *place
			err := paths(fr, in, func(p place) error {
				found = &p
				return &jump{id}
			})
			if err = landed(err, id); err != nil || found == nil {
				return err
			}
			return out(*found)
		},
	}
}

func compileLimit(c *compiler, x *call) code {
	count, f := c.compile(x.args[0]), c.compile(x.args[1])
	paths := f.paths()
	// each runs f with a function that ends it after n values.
	each := func(fr *frame, in Value, run func(taken func() error) error) error {
		return count.gen(fr, in, func(v Value) error {
			n, ok := number(v)
			switch {
			case !ok && m0(v):
				return nil
			case n == 0 && ok:
				return nil
			case n < 0:
				return run(func() error { return nil })
			}
			fr.m.labels++
			id, left := fr.m.labels, n
			return landed(run(func() error {
				if left--; left <= 0 {
					return &jump{id}
				}
				return nil
			}), id)
		})
	}
	return code{
		gen: func(fr *frame, in Value, out yield) error {
			return each(fr, in, func(taken func() error) error {
				return f.gen(fr, in, func(v Value) error {
					if err := out(v); err != nil {
						return err
					}
					return taken()
				})
			})
		},
		path: func(fr *frame, in place, out func(place) error) error {
			return each(fr, in.v, func(taken func() error) error {
				return paths(fr, in, func(p place) error {
					if err := out(p); err != nil {
						return err
					}
					return taken()
				})
			})
		},
	}
}

// m0 reports whether v, as a number of values, is less than any number.
func m0(v Value) bool { return rank(v) < 3 }

// compileUntil compiles until(test; next), and compileWhile while.
func compileUntil(c *compiler, x *call) code { return c.loop(x, false) }
func compileWhile(c *compiler, x *call) code { return c.loop(x, true) }

// loop compiles the functions that apply next again and again, as long as test
// holds and producing each value, or until it holds and producing the last.
func (c *compiler) loop(x *call, each bool) code {
	test, next := c.compile(x.args[0]), c.compile(x.args[1])
	if test.one != nil && next.one != nil {
		return code{gen: func(fr *frame, in Value, out yield) error {
			s := &state{m: fr.m, since: fr.m.births}
			defer func() { fr.m.hold(-s.held) }()
			for s.set(in); ; {
				fr.m.work(1)
				ok, err := test.one(fr, s.v)
				if err != nil {
					return err
				}
				if truthy(ok) != each {
					if each {
						return nil
					}
					return out(s.v)
				}
				if each {
					if err := out(s.v); err != nil {
						return err
					}
				}
				v, err := next.one(fr, s.v)
				if err != nil {
					return err
				}
				s.set(v)
			}
		}}
	}
	var visit func(fr *frame, in Value, out yield) error
	visit = func(fr *frame, in Value, out yield) error {
		if err := fr.m.enter(recursion); err != nil {
			return err
		}
		defer fr.m.leave(recursion)
		return test.gen(fr, in, func(ok Value) error {
			if truthy(ok) != each {
				if each {
					return nil
				}
				return out(in)
			}
			if each {
				if err := out(in); err != nil {
					return err
				}
			}
			return next.gen(fr, in, func(v Value) error { return visit(fr, v, out) })
		})
	}
	return code{gen: visit}
}

// compileRepeat compiles repeat(f), which is recurse(f).
func compileRepeat(c *compiler, x *call) code { return compileRecurse(c, x) }
