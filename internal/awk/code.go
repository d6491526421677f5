package awk

// A code is a compiled expression, in the forms in which its value may be asked
// for. Each evaluates it.
type code struct {
	val  func(*machine) value
	num  func(*machine) float64
	str  func(*machine) string
	test func(*machine) bool

	// ref returns the slot of a variable; it is nil for all else.
	ref func(*machine) *value

	// view returns the string without copying it; the bytes are valid until
	// anything else is evaluated. It is nil where that is not to be had.
	view func(*machine) []byte

	kind  static
	pure  bool   // evaluating it changes nothing, and cannot fail
	fixed *value // its value, if it is a constant
	field bool   // its value is input
}

// static is what the compiler knows of the type of an expression.
type static uint8

const (
	dynamic static = iota
	numeric
	textual
)

// numberCode returns the code for an expression that is a number.
func numberCode(f func(*machine) float64, pure bool) code {
	return code{
		num:  f,
		val:  func(m *machine) value { return num(f(m)) },
		str:  func(m *machine) string { return m.format(f(m), m.convfmt) },
		test: func(m *machine) bool { return f(m) != 0 },
		kind: numeric,
		pure: pure,
	}
}

// truthCode returns the code for an expression that is 1 or 0.
func truthCode(f func(*machine) bool, pure bool) code {
	return code{
		test: f,
		num:  func(m *machine) float64 { return truth(f(m)) },
		val:  func(m *machine) value { return num(truth(f(m))) },
		str: func(m *machine) string {
			if f(m) {
				return "1"
			}
			return "0"
		},
		kind: numeric,
		pure: pure,
	}
}

// stringCode returns the code for an expression that is a string.
func stringCode(f func(*machine) string, pure bool) code {
	return code{
		str:  f,
		val:  func(m *machine) value { return str(f(m)) },
		num:  func(m *machine) float64 { return toNumber(f(m)) },
		test: func(m *machine) bool { return f(m) != "" },
		kind: textual,
		pure: pure,
	}
}

// valueCode returns the code for an expression of any type.
func valueCode(f func(*machine) value, pure bool) code {
	return code{
		val: f,
		num: func(m *machine) float64 {
			v := f(m)
			return m.toNumber(&v)
		},
		str: func(m *machine) string {
			v := f(m)
			return m.str(&v)
		},
		test: func(m *machine) bool {
			v := f(m)
			return v.test()
		},
		pure: pure,
	}
}

// refCode returns the code for a variable, which ref finds.
func refCode(ref func(*machine) *value) code {
	return code{
		ref: ref,
		val: func(m *machine) value {
			v := ref(m)
			if v.k == arrayRef {
				m.scalarContext(v)
			}
			return *v
		},
		num: func(m *machine) float64 {
			v := ref(m)
			if v.k == number {
				return v.n
			}
			return m.toNumber(v)
		},
		str:  func(m *machine) string { return m.str(ref(m)) },
		test: func(m *machine) bool { return ref(m).test() },
		pure: true,
	}
}

// constant returns the code for a constant.
func constant(v value) code {
	n := v.num()
	test := v.test()
	s := v.s
	c := code{
		val:   func(*machine) value { return v },
		num:   func(*machine) float64 { return n },
		str:   func(m *machine) string { return m.str(&v) },
		test:  func(*machine) bool { return test },
		pure:  true,
		fixed: &v,
	}
	switch v.k {
	case number:
		c.kind = numeric
	case text:
		c.kind = textual
		c.str = func(*machine) string { return s }
		b := []byte(s)
		c.view = func(*machine) []byte { return b }
	}
	return c
}

// scalarContext ends the program because v, an array, is used as a scalar.
func (m *machine) scalarContext(v *value) {
	m.fatal("attempt to use array `%s' in a scalar context", v.arr.name)
}

// bytes returns a form of c that makes a string only where it has to.
func (c code) bytes() func(*machine) []byte {
	if c.view != nil {
		return c.view
	}
	return func(m *machine) []byte { return view(c.str(m)) }
}

// appender returns a form of c that appends the string to b, converting numbers
// with CONVFMT.
func (c code) appender() func(m *machine, b []byte) []byte {
	switch {
	case c.view != nil:
		return func(m *machine, b []byte) []byte { return m.append(b, c.view(m)) }
	case c.kind == numeric:
		return func(m *machine, b []byte) []byte { return m.appendNumber(b, c.num(m), m.convfmt) }
	case c.kind == textual:
		return func(m *machine, b []byte) []byte { return m.append(b, view(c.str(m))) }
	}
	return func(m *machine, b []byte) []byte {
		v := c.val(m)
		if v.k == number {
			return m.appendNumber(b, v.n, m.convfmt)
		}
		return m.append(b, view(m.str(&v)))
	}
}

// append appends s to b, if there is room for it.
func (m *machine) append(b, s []byte) []byte {
	if n := len(b) + len(s); len(s) >= counted && n > cap(b) {
		m.room(2 * n)
	}
	return append(b, s...)
}

// discard returns the form of c that costs least, for a statement.
func (c code) discard() func(*machine) {
	if c.kind == numeric {
		return func(m *machine) { c.num(m) }
	}
	return func(m *machine) { c.val(m) }
}

// printer returns a form of c that prints the value, converting numbers with
// OFMT.
func (c code) printer() func(*machine, *output) {
	switch {
	case c.view != nil:
		return func(m *machine, o *output) { o.write(c.view(m)) }
	case c.kind == numeric:
		return func(m *machine, o *output) { o.buf = m.appendNumber(o.buf, c.num(m), m.ofmt) }
	case c.kind == textual:
		return func(m *machine, o *output) { o.write(view(c.str(m))) }
	}
	return func(m *machine, o *output) {
		v := c.val(m)
		o.print(m, &v)
	}
}
