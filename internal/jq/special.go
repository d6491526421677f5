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
