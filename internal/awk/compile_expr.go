package awk

import (
	"math"
)

// expr compiles an expression.
func (c *compiler) expr(x expr) code {
	switch x := x.(type) {
	case *numberLit:
		return constant(num(x.n))
	case *stringLit:
		return constant(str(x.s))
	case *valueLit:
		v := x.v
		return valueCode(func(*machine) value { return v }, true)
	case *regexpLit:
		return c.regexpLit(x)
	case *groupExpr:
		if len(x.list) > 1 {
			panic(&SyntaxError{Fatal: true, Lines: []string{"fatal: a list in parentheses is not an expression"}})
		}
		return c.expr(x.list[0])
	case *varExpr:
		return c.variable(x.v)
	case *fieldExpr:
		return c.field(x)
	case *indexExpr:
		return c.index(x)
	case *assignExpr:
		return c.assign(x)
	case *incExpr:
		return c.increment(x)
	case *condExpr:
		return c.conditional(x)
	case *logicExpr:
		return c.logic(x)
	case *unaryExpr:
		return c.unary(x)
	case *concatExpr:
		return c.concat(x)
	case *matchExpr:
		return c.match(x)
	case *inExpr:
		return c.in(x)
	case *callExpr:
		return c.call(x)
	case *builtinExpr:
		return x.fn.compile(c, x)
	case *getlineExpr:
		return c.getline(x)
	case *binaryExpr:
		if x.op >= tLess && x.op <= tGreaterEq {
			return c.comparison(x)
		}
		return c.arithmetic(x)
	}
	panic("awk: unknown expression")
}

// field compiles a reference to a field.
func (c *compiler) field(x *fieldExpr) code {
	index := c.expr(x.index)
	if index.fixed != nil && index.fixed.num() >= 0 && index.fixed.num() < 1<<20 {
		return fieldCode(func(*machine) int { return int(index.fixed.num()) }, int(index.fixed.num()))
	}
	at := index.num
	code := fieldCode(func(m *machine) int { return m.fieldNumber(at(m)) }, -1)
	code.pure = false // the number may be negative
	return code
}

// fieldCode returns the code for field at, which is n unless that is -1.
func fieldCode(at func(*machine) int, n int) code {
	get := func(m *machine) []byte { return m.rec.view(at(m)) }
	if n >= 0 {
		get = func(m *machine) []byte { return m.rec.view(n) }
	}
	return code{
		view: get,
		val:  func(m *machine) value { return m.rec.field(at(m)) },
		num: func(m *machine) float64 {
			if len(m.rec.values) == 0 {
				return toNumber(get(m))
			}
			v := m.rec.field(at(m))
			return v.num()
		},
		str: func(m *machine) string { return m.string(get(m)) },
		test: func(m *machine) bool {
			if len(m.rec.values) > 0 {
				v := m.rec.field(at(m))
				return v.test()
			}
			b := get(m)
			if n, ok := looksNumeric(b); ok {
				return n != 0
			}
			return len(b) > 0
		},
		pure:  true,
		field: true,
	}
}

// fieldNumber returns n as the number of a field.
func (m *machine) fieldNumber(n float64) int {
	if n < 0 {
		m.fatal("attempt to access field %d", int64(n))
	}
	return int(clamp(n, 0, 1<<40))
}

func (c *compiler) conditional(x *condExpr) code {
	test := c.expr(x.test).test
	yes, no := c.expr(x.yes), c.expr(x.no)
	out := code{
		val: func(m *machine) value {
			if test(m) {
				return yes.val(m)
			}
			return no.val(m)
		},
		num: func(m *machine) float64 {
			if test(m) {
				return yes.num(m)
			}
			return no.num(m)
		},
		str: func(m *machine) string {
			if test(m) {
				return yes.str(m)
			}
			return no.str(m)
		},
		test: func(m *machine) bool {
			if test(m) {
				return yes.test(m)
			}
			return no.test(m)
		},
		pure: c.pure(x.test) && yes.pure && no.pure,
	}
	if yes.kind == no.kind {
		out.kind = yes.kind
	}
	return out
}

// pure reports whether x can be evaluated without consequences.
func (c *compiler) pure(x expr) bool {
	switch x := x.(type) {
	case *numberLit, *stringLit, *varExpr, *regexpLit:
		return true
	case *groupExpr:
		return c.pure(x.list[0])
	case *fieldExpr:
		_, ok := x.index.(*numberLit)
		return ok
	case *logicExpr:
		return c.pure(x.x) && c.pure(x.y)
	case *matchExpr:
		return c.pure(x.x) && c.pure(x.re)
	case *binaryExpr:
		return x.op != tDivide && x.op != tModulo && c.pure(x.x) && c.pure(x.y)
	}
	return false
}

func (c *compiler) logic(x *logicExpr) code {
	a, b := c.expr(x.x), c.expr(x.y)
	p, q := a.test, b.test
	if x.and {
		return truthCode(func(m *machine) bool { return p(m) && q(m) }, a.pure && b.pure)
	}
	return truthCode(func(m *machine) bool { return p(m) || q(m) }, a.pure && b.pure)
}

func (c *compiler) unary(x *unaryExpr) code {
	a := c.expr(x.x)
	switch x.op {
	case tNot:
		test := a.test
		return truthCode(func(m *machine) bool { return !test(m) }, a.pure)
	case tMinus:
		n := a.num
		return numberCode(func(m *machine) float64 { return -n(m) }, a.pure)
	}
	return numberCode(a.num, a.pure)
}

func (c *compiler) arithmetic(x *binaryExpr) code {
	a, b := c.expr(x.x), c.expr(x.y)
	pure := a.pure && b.pure
	p, q := a.num, b.num
	switch x.op {
	case tPlus:
		if b.fixed != nil {
			n := b.fixed.num()
			return numberCode(func(m *machine) float64 { return p(m) + n }, pure)
		}
		return numberCode(func(m *machine) float64 { return p(m) + q(m) }, pure)
	case tMinus:
		if b.fixed != nil {
			n := b.fixed.num()
			return numberCode(func(m *machine) float64 { return p(m) - n }, pure)
		}
		return numberCode(func(m *machine) float64 { return p(m) - q(m) }, pure)
	case tTimes:
		return numberCode(func(m *machine) float64 { return p(m) * q(m) }, pure)
	}
	op := x.op
	safe := op == tPower || b.fixed != nil && b.fixed.num() != 0
	return numberCode(func(m *machine) float64 {
		l := p(m)
		return m.apply(op, l, q(m))
	}, pure && safe)
}

// apply returns the result of an arithmetic operator.
func (m *machine) apply(op token, x, y float64) float64 {
	switch op {
	case tPlus:
		return x + y
	case tMinus:
		return x - y
	case tTimes:
		return x * y
	case tDivide:
		if y == 0 {
			m.fatal("division by zero attempted")
		}
		return x / y
	case tModulo:
		if y == 0 {
			m.fatal("division by zero attempted in `%%'")
		}
		return invalid(math.Mod(x, y), x, y)
	}
	return power(x, y)
}

// invalid returns r, the result of an operation on x and y. It is the negative
// NaN, as on common hardware, if it is not a number though x and y are.
func invalid(r, x, y float64) float64 {
	if r != r && x == x && y == y {
		return math.Copysign(r, -1)
	}
	return r
}

// power returns x to the power y; whole powers by multiplication, as gawk does.
func power(x, y float64) float64 {
	n := int(clamp(y, -1025, 1025))
	if float64(n) != y {
		return invalid(math.Pow(x, y), x, y)
	}
	if n < 0 {
		return 1 / power(x, -y)
	}
	r := 1.0
	for ; n > 0; n >>= 1 {
		if n&1 != 0 {
			r *= x
		}
		x *= x
	}
	return r
}

// concat compiles the concatenation of strings.
func (c *compiler) concat(x *concatExpr) code {
	pure := true
	parts := make([]func(*machine, []byte) []byte, len(x.parts))
	for i, part := range x.parts {
		p := c.expr(part)
		pure = pure && p.pure
		parts[i] = p.appender()
	}
	return stringCode(func(m *machine) string {
		base := len(m.scratch)
		m.concat(parts)
		s := m.string(m.scratch[base:])
		m.trim(base)
		return s
	}, pure)
}

// concat appends the parts to m.scratch. Parts may do the same, and leave it as
// they found it.
func (m *machine) concat(parts []func(*machine, []byte) []byte) {
	for _, part := range parts {
		// What a part leaves there is what was there before it.
		m.scratch = part(m, m.scratch)
	}
}

// trim gives up what m.scratch has beyond base.
func (m *machine) trim(base int) {
	m.scratch = m.scratch[:base]
	if base == 0 && cap(m.scratch) > 1<<20 {
		m.scratch = nil
	}
}

func (c *compiler) match(x *matchExpr) code {
	a := c.expr(x.x)
	find := c.pattern(x.re)
	get := a.bytes()
	if !c.pure(x.re) { // it may change what get returned
		get = func(m *machine) []byte { return view(a.str(m)) }
	}
	not := x.not
	return truthCode(func(m *machine) bool {
		b := get(m)
		return find(m).match(b) != not
	}, a.pure && c.pure(x.re))
}

func (c *compiler) in(x *inExpr) code {
	key := c.subscript(x.subs)
	array := c.array(x.array)
	return truthCode(func(m *machine) bool {
		a := array(m)
		return a.find(key(m)) != nil
	}, false)
}
