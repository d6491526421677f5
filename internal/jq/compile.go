package jq

// A yield takes a value that an expression produces. An error ends the
// expression.
type yield func(Value) error

// A code is a compiled expression.
type code struct {
	// gen produces the values of the expression for an input.
	gen func(fr *frame, in Value, out yield) error

	// one returns the value, for an expression that has exactly one. It is
	// nil for others.
	one func(fr *frame, in Value) (Value, error)

	// path produces the places of the values, for an expression that selects
	// parts of its input. It is nil for others.
	path func(fr *frame, in place, out func(place) error) error
}

// A place is a part of a value, with the path to it.
type place struct {
	path *step
	v    Value
}

// A step is the last part of a path. The empty path is nil.
type step struct {
	before *step
	key    Value
}

// steps returns the path as an array.
func (s *step) steps() *Array {
	n := 0
	for p := s; p != nil; p = p.before {
		n++
	}
	v := make([]Value, n)
	for p := s; p != nil; p = p.before {
		n--
		v[n] = p.key
	}
	return newArray(v)
}

// single returns the code of an expression with exactly one value.
func single(one func(fr *frame, in Value) (Value, error)) code {
	return code{
		one: one,
		gen: func(fr *frame, in Value, out yield) error {
			v, err := one(fr, in)
			if err != nil {
				return err
			}
			return out(v)
		},
	}
}

// making is single for expressions whose value is new.
func making(one func(fr *frame, in Value) (Value, error)) code {
	return code{
		one: one,
		gen: func(fr *frame, in Value, out yield) error {
			v, err := one(fr, in)
			if err != nil {
				return err
			}
			return fr.m.carry(v, out)
		},
	}
}

// constant returns the code of a literal.
func constant(v Value) code {
	return single(func(*frame, Value) (Value, error) { return v, nil })
}

// paths returns the path form of c, which fails where c selects nothing.
func (c code) paths() func(fr *frame, in place, out func(place) error) error {
	if c.path != nil {
		return c.path
	}
	return func(fr *frame, in place, _ func(place) error) error {
		return c.gen(fr, in.v, func(v Value) error {
			return fail("Invalid path expression with result %s", fr.m.brief(v, 26))
		})
	}
}

// A frame is an activation of a function, or of the program.
type frame struct {
	m      *machine
	parent *frame // of the function that this one is defined in
	vars   []Value
	args   []closure // what the parameters that are no values are bound to
}

// A closure is an argument: an expression, and the frame that it belongs to.
type closure struct {
	*code
	fr *frame
}

// up returns the frame n levels of definition further out.
func (fr *frame) up(n int) *frame {
	for ; n > 0; n-- {
		fr = fr.parent
	}
	return fr
}

// A function is a definition with what it has been compiled to.
type function struct {
	name    string
	level   int  // of definition, of the body
	vars    int  // variables in a frame
	height  int  // of the body
	library bool // it recurses by what values contain

	def     *definition
	scope   *compiler // what its body is compiled with
	single  *variant  // for arguments that have exactly one value each
	general *variant  // for any
}

// A variant is a function compiled for some kind of arguments.
type variant struct {
	body    code
	done    bool
	assumed bool // until it is done: it has exactly one value
}

// A scope is what names mean at a place in the program.
type scope struct {
	outer *scope
	fn    *function // whose frame holds what is declared here

	variable string // either a variable
	slot     int
	constant bool // its value is known
	value    Value

	called string // or a function: of the program, or a parameter
	arity  int
	def    *function // nil for a parameter
	param  int
	single bool // the parameter has exactly one value

	label string // or a label
}

// A compiler makes closures of a syntax tree.
type compiler struct {
	m      *machine
	src    string
	origin string // the file that it is from; "" for the program itself
	scope  *scope
	fn     *function            // that is being compiled
	lib    map[string]*function // functions of the library, by name and arity
	root   *function            // the program

	specials map[string]func(*compiler, *call) code
	modules  *modules
}

// with returns the compiler for what is in the scope of s.
func (c *compiler) with(s *scope) *compiler {
	inner := *c
	s.outer, s.fn = c.scope, c.fn
	inner.scope = s
	return &inner
}

// declare makes a variable.
func (c *compiler) declare(name string) (*compiler, int) {
	slot := c.fn.vars
	c.fn.vars++
	return c.with(&scope{variable: name, slot: slot}), slot
}

func (c *compiler) fail(pos int, format string, args ...any) {
	panic(&syntaxError{mistake(c.origin, c.src, pos, format, args...)})
}

// compile compiles x.
func (c *compiler) compile(x node) code {
	switch x := x.(type) {
	case *identity:
		return identityCode
	case *literal:
		return constant(x.v)
	case *template:
		return c.template(x)
	case *formatter:
		name := x.name
		return making(func(fr *frame, in Value) (Value, error) { return fr.m.format(name, in) })
	case *index:
		return c.index(x)
	case *slice:
		return c.slice(x)
	case *iterate:
		return c.iterate(x)
	case *variable:
		return c.variable(x)
	case *call:
		return c.call(x)
	case *pipe:
		return c.pipe(x)
	case *comma:
		return c.comma(x)
	case *binary:
		return c.binary(x)
	case *logic:
		return c.logic(x)
	case *alternative:
		return c.alternative(x)
	case *negate:
		return c.negate(x)
	case *assign:
		return c.assign(x)
	case *try:
		return c.try(x)
	case *conditional:
		return c.conditional(x)
	case *reduce:
		return c.reduce(x)
	case *foreach:
		return c.foreach(x)
	case *bind:
		return c.bind(x)
	case *linked:
		return c.linked(x)
	case *define:
		return c.with(c.define(x.fn)).compile(x.body)
	case *label:
		return c.label(x)
	case *breakTo:
		return c.breakTo(x)
	case *arrayOf:
		return c.arrayOf(x)
	case *objectOf:
		return c.objectOf(x)
	}
	panic("jq: unknown expression")
}

var identityCode = code{
	gen:  func(_ *frame, in Value, out yield) error { return out(in) },
	one:  func(_ *frame, in Value) (Value, error) { return in, nil },
	path: func(_ *frame, in place, out func(place) error) error { return out(in) },
}

func (c *compiler) pipe(x *pipe) code {
	if _, ok := x.x.(*identity); ok {
		return c.compile(x.y)
	}
	a, b := c.compile(x.x), c.compile(x.y)
	out := code{gen: func(fr *frame, in Value, out yield) error {
		return a.gen(fr, in, func(v Value) error { return b.gen(fr, v, out) })
	}}
	if a.one != nil {
		out.gen = func(fr *frame, in Value, out yield) error {
			v, err := a.one(fr, in)
			if err != nil {
				return err
			}
			return b.gen(fr, v, out)
		}
		if b.one != nil {
			out.one = func(fr *frame, in Value) (Value, error) {
				v, err := a.one(fr, in)
				if err != nil {
					return nil, err
				}
				return b.one(fr, v)
			}
		}
	}
	// Where a selects nothing, a path through it fails when b is asked for
	// one, but not when b produces none.
	pa, pb := a.paths(), b.paths()
	out.path = func(fr *frame, in place, out func(place) error) error {
		return pa(fr, in, func(p place) error { return pb(fr, p, out) })
	}
	return out
}

func (c *compiler) comma(x *comma) code {
	a, b := c.compile(x.x), c.compile(x.y)
	pa, pb := a.paths(), b.paths()
	return code{
		gen: func(fr *frame, in Value, out yield) error {
			if err := a.gen(fr, in, out); err != nil {
				return err
			}
			return b.gen(fr, in, out)
		},
		path: func(fr *frame, in place, out func(place) error) error {
			if err := pa(fr, in, out); err != nil {
				return err
			}
			return pb(fr, in, out)
		},
	}
}

func (c *compiler) variable(x *variable) code {
	if x.name == "ENV" {
		return single(func(fr *frame, _ Value) (Value, error) { return fr.m.env, nil })
	}
	for s := c.scope; s != nil; s = s.outer {
		if s.variable == x.name && s.called == "" && s.label == "" {
			if s.constant {
				return constant(s.value)
			}
			hops, slot := c.fn.level-s.fn.level, s.slot
			if hops == 0 {
				return single(func(fr *frame, _ Value) (Value, error) { return fr.vars[slot], nil })
			}
			return single(func(fr *frame, _ Value) (Value, error) { return fr.up(hops).vars[slot], nil })
		}
	}
	c.fail(x.line, "$%s is not defined", x.name)
	return code{}
}

func (c *compiler) logic(x *logic) code {
	a, b := c.compile(x.x), c.compile(x.y)
	and := x.and
	if a.one != nil && b.one != nil {
		return single(func(fr *frame, in Value) (Value, error) {
			v, err := a.one(fr, in)
			if err != nil || truthy(v) != and {
				return truthy(v), err
			}
			v, err = b.one(fr, in)
			return truthy(v), err
		})
	}
	return code{gen: func(fr *frame, in Value, out yield) error {
		return a.gen(fr, in, func(v Value) error {
			if truthy(v) != and {
				return out(!and)
			}
			return b.gen(fr, in, func(v Value) error { return out(truthy(v)) })
		})
	}}
}

func (c *compiler) alternative(x *alternative) code {
	a, b := c.compile(x.x), c.compile(x.y)
	pa, pb := a.paths(), b.paths()
	return code{
		gen: func(fr *frame, in Value, out yield) error {
			found := false
			err := attempt(func(out yield) error { return a.gen(fr, in, out) }, func(v Value) error {
				if !truthy(v) {
					return nil
				}
				found = true
				return out(v)
			})
			if caught(err) == nil && err != nil {
				return passed(err)
			}
			if found {
				return nil
			}
			return b.gen(fr, in, out)
		},
		path: func(fr *frame, in place, out func(place) error) error {
			found := false
			err := pa(fr, in, func(p place) error {
				if !truthy(p.v) {
					return nil
				}
				found = true
				return pass(out(p))
			})
			if caught(err) == nil && err != nil {
				return passed(err)
			}
			if found {
				return nil
			}
			return pb(fr, in, out)
		},
	}
}

func (c *compiler) conditional(x *conditional) code {
	test, yes, no := c.compile(x.test), c.compile(x.yes), identityCode
	if x.no != nil {
		no = c.compile(x.no)
	}
	choose := func(v Value) *code {
		if truthy(v) {
			return &yes
		}
		return &no
	}
	out := code{gen: func(fr *frame, in Value, out yield) error {
		return test.gen(fr, in, func(v Value) error { return choose(v).gen(fr, in, out) })
	}}
	if test.one != nil {
		out.gen = func(fr *frame, in Value, out yield) error {
			v, err := test.one(fr, in)
			if err != nil {
				return err
			}
			return choose(v).gen(fr, in, out)
		}
		if yes.one != nil && no.one != nil {
			out.one = func(fr *frame, in Value) (Value, error) {
				v, err := test.one(fr, in)
				if err != nil {
					return nil, err
				}
				return choose(v).one(fr, in)
			}
		}
	}
	pathYes, pathNo := yes.paths(), no.paths()
	out.path = func(fr *frame, in place, out func(place) error) error {
		return test.gen(fr, in.v, func(v Value) error {
			if truthy(v) {
				return pathYes(fr, in, out)
			}
			return pathNo(fr, in, out)
		})
	}
	return out
}
