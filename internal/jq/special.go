package jq

// newSpecials returns the functions of the library whose arguments are
// expressions, by name and arity.
func newSpecials() map[string]func(*compiler, *call) code {
	return map[string]func(*compiler, *call) code{
		"empty/0":   compileEmpty,
		"error/0":   compileRaise,
		"error/1":   compileRaise,
		"path/1":    compilePath,
		"map/1":     compileMap,
		"select/1":  compileSelect,
		"recurse/0": compileRecurse,
		"recurse/1": compileRecurse,
		"range/1":   compileRange,
		"range/2":   compileRange,
		"range/3":   compileRange,
		"first/1":   compileFirst,
		"limit/2":   compileLimit,
		"until/2":   compileUntil,
		"while/2":   compileWhile,
		"repeat/1":  compileRepeat,
		"isempty/1": compileIsEmpty,
		"any/2":     anyOf(true),
		"all/2":     anyOf(false),
		"getpath/1": compileGetPath,
		"input/0":   compileInput,
		"inputs/0":  compileInputs,
		"sub/2":     compileSub(false),
		"sub/3":     compileSub(false),
		"gsub/2":    compileSub(true),
		"gsub/3":    compileSub(true),
		"debug/0":   compileDebug,
		"stderr/0":  compileStderr,
		"sort_by/1": byKey((*machine).sortBy), "group_by/1": byKey((*machine).groupBy),
		"unique_by/1": byKey((*machine).uniqueBy),
		"min_by/1":    byKey((*machine).minBy), "max_by/1": byKey((*machine).maxBy),
		"env/0": func(*compiler, *call) code {
			return single(func(fr *frame, _ Value) (Value, error) { return fr.m.env, nil })
		},
		"builtins/0": func(c *compiler, _ *call) code { return constant(c.builtinNames()) },
	}
}

func compileEmpty(*compiler, *call) code {
	return code{
		gen:  func(*frame, Value, yield) error { return nil },
		path: func(*frame, place, func(place) error) error { return nil },
	}
}

// compileRaise compiles error. An error that is null produces nothing.
func compileRaise(c *compiler, x *call) code {
	msg := identityCode
	if len(x.args) == 1 {
		msg = c.compile(x.args[0])
	}
	raise := func(v Value) error {
		if v == nil {
			return nil
		}
		return &Error{v}
	}
	return code{
		gen: func(fr *frame, in Value, _ yield) error { return msg.gen(fr, in, raise) },
		path: func(fr *frame, in place, _ func(place) error) error {
			return msg.gen(fr, in.v, raise)
		},
	}
}

func compilePath(c *compiler, x *call) code {
	paths := c.compile(x.args[0]).paths()
	return code{gen: func(fr *frame, in Value, out yield) error {
		return paths(fr, place{nil, in}, func(p place) error { return out(fr.m.made(p.path.steps())) })
	}}
}

func compileGetPath(c *compiler, x *call) code {
	path := c.compile(x.args[0])
	get := func(fr *frame, in, p Value) (Value, []Value, error) {
		a, ok := p.(*Array)
		if !ok {
			return nil, nil, fail("Path must be specified as an array")
		}
		v, err := fr.m.getPath(in, a.v)
		return v, a.v, err
	}
	out := code{
		gen: func(fr *frame, in Value, out yield) error {
			return path.gen(fr, in, func(p Value) error {
				v, _, err := get(fr, in, p)
				if err != nil {
					return err
				}
				return out(v)
			})
		},
		path: func(fr *frame, in place, out func(place) error) error {
			return path.gen(fr, in.v, func(p Value) error {
				v, keys, err := get(fr, in.v, p)
				if err != nil {
					return err
				}
				to := in.path
				for _, k := range keys {
					to = &step{to, k}
				}
				return out(place{to, v})
			})
		},
	}
	if path.one != nil {
		out.one = func(fr *frame, in Value) (Value, error) {
			p, err := path.one(fr, in)
			if err != nil {
				return nil, err
			}
			v, _, err := get(fr, in, p)
			return v, err
		}
	}
	return out
}

// compileMap compiles map(f), which is [.[] | f].
func compileMap(c *compiler, x *call) code {
	f := c.compile(x.args[0])
	return making(func(fr *frame, in Value) (Value, error) {
		v, err := fr.m.collect(func(out yield) error {
			return fr.m.each(in, func(_, e Value) error { return f.gen(fr, e, out) })
		})
		if err != nil {
			return nil, err
		}
		return fr.m.deep(fr.m.made(newArray(v)))
	})
}

func compileSelect(c *compiler, x *call) code {
	f := c.compile(x.args[0])
	return code{
		gen: func(fr *frame, in Value, out yield) error {
			if f.one != nil {
				v, err := f.one(fr, in)
				if err != nil || !truthy(v) {
					return err
				}
				return out(in)
			}
			return f.gen(fr, in, func(v Value) error {
				if !truthy(v) {
					return nil
				}
				return out(in)
			})
		},
		path: func(fr *frame, in place, out func(place) error) error {
			return f.gen(fr, in.v, func(v Value) error {
				if !truthy(v) {
					return nil
				}
				return out(in)
			})
		},
	}
}

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

func compileIsEmpty(c *compiler, x *call) code {
	f := c.compile(x.args[0])
	return single(func(fr *frame, in Value) (Value, error) {
		_, ok, err := fr.m.first(fr, &f, in)
		if caught(err) != nil {
			return nil, err
		}
		return !ok, err
	})
}

// anyOf returns the compilation of any(f; test), or of all(f; test).
func anyOf(want bool) func(*compiler, *call) code {
	return func(c *compiler, x *call) code {
		f, test := c.compile(x.args[0]), c.compile(x.args[1])
		return single(func(fr *frame, in Value) (Value, error) {
			fr.m.labels++
			id, result := fr.m.labels, !want
			err := f.gen(fr, in, func(v Value) error {
				return test.gen(fr, v, func(t Value) error {
					if truthy(t) == want {
						result = want
						return &jump{id}
					}
					return nil
				})
			})
			return result, landed(err, id)
		})
	}
}

func compileInput(*compiler, *call) code {
	return code{gen: func(fr *frame, _ Value, out yield) error {
		v, err := fr.m.input()
		if err != nil {
			return err
		}
		return out(v)
	}}
}

func compileInputs(*compiler, *call) code {
	return code{gen: func(fr *frame, _ Value, out yield) error {
		for {
			v, err := fr.m.input()
			if e := caught(err); e != nil && e.value == noMoreInputs {
				return nil
			}
			if err != nil {
				return err
			}
			if err := out(v); err != nil {
				return err
			}
		}
	}}
}

// noMoreInputs is what input fails with at the end.
const noMoreInputs = "No more inputs"

func compileDebug(*compiler, *call) code {
	show := func(fr *frame, v Value) error {
		return fr.m.message(fr.m.compact(array("DEBUG:", v)) + "\n")
	}
	return tap(show)
}

func compileStderr(*compiler, *call) code {
	return tap(func(fr *frame, v Value) error { return fr.m.message(fr.m.compact(v)) })
}

// tap returns the code of an expression that passes its input on, and does
// something with it.
func tap(do func(fr *frame, v Value) error) code {
	return code{
		gen: func(fr *frame, in Value, out yield) error {
			if err := do(fr, in); err != nil {
				return err
			}
			return out(in)
		},
		path: func(fr *frame, in place, out func(place) error) error {
			if err := do(fr, in.v); err != nil {
				return err
			}
			return out(in)
		},
	}
}

// A keyed is an element with the values that it is sorted by.
type keyed struct {
	key Value
	val Value
}

// byKey returns the compilation of a function that sorts by f.
func byKey(do func(m *machine, name string, list []keyed) Value) func(*compiler, *call) code {
	return func(c *compiler, x *call) code {
		f := c.compile(x.args[0])
		name := x.name
		return making(func(fr *frame, in Value) (Value, error) {
			a, ok := in.(*Array)
			if !ok {
				return nil, fail("Cannot index %s with number", kindOf(in))
			}
			list := make([]keyed, len(a.v))
			held := 0
			defer func() { fr.m.hold(-held) }()
			for i, e := range a.v {
				key, err := fr.m.collect(func(out yield) error { return f.gen(fr, e, out) })
				if err != nil {
					return nil, err
				}
				k := newArray(key)
				held += k.size
				fr.m.hold(k.size)
				list[i] = keyed{k, e}
			}
			return fr.m.made(do(fr.m, name, list)), nil
		})
	}
}
