package awk

// call compiles a call of a function of the program.
func (c *compiler) call(x *callExpr) code {
	if x.indirect != nil {
		return c.indirectCall(x)
	}
	args := make([]func(*machine) value, len(x.args))
	for i, arg := range x.args {
		var param *variable
		if i < len(x.fn.params) {
			param = x.fn.params[i]
		}
		args[i] = c.arg(arg, param)
	}
	fn := x.fn
	return valueCode(func(m *machine) value {
		base := len(m.stack)
		for i, arg := range args {
			v := arg(m)
			if i < len(fn.params) {
				m.push(v)
			}
		}
		return m.invoke(fn, base)
	}, false)
}

// arg compiles an argument for the parameter p, which is nil if it is not
// known. Arrays are passed by reference.
func (c *compiler) arg(x expr, p *variable) func(*machine) value {
	if g, ok := x.(*groupExpr); ok && len(g.list) == 1 {
		x = g.list[0]
	}
	switch x := x.(type) {
	case *varExpr:
		if x.v.special.live() {
			break
		}
		ref := c.ref(x.v)
		if p == nil || !p.array {
			return func(m *machine) value { return *ref(m) }
		}
		v := x.v
		return func(m *machine) value {
			r := ref(m)
			if r.k == unset {
				m.becomeArray(r, v)
			}
			return *r
		}
	case *indexExpr:
		ref := c.element(x)
		array := p != nil && p.array
		return func(m *machine) value {
			r := ref(m)
			if r.k == unset && array {
				*r = value{k: arrayRef, arr: m.newArray(p.name)}
			}
			return *r
		}
	}
	return c.expr(x).val
}

// push makes v a parameter of the function to be called.
func (m *machine) push(v value) {
	m.resize(0, len(v.s))
	m.stack = append(m.stack, v)
}

// invoke calls fn, whose arguments are what m.stack has from base.
func (m *machine) invoke(fn *function, base int) value {
	m.enter(fn)
	var passed uint64 // arrays that belong to the caller
	for i := range m.stack[base:] {
		if m.stack[base+i].k == arrayRef && i < 64 {
			passed |= 1 << i
		}
	}
	for len(m.stack) < base+len(fn.params) {
		m.stack = append(m.stack, value{k: unset})
	}
	caller := m.base
	m.base = base
	m.result = value{k: unset}
	to := fn.run(m)
	result := m.result
	m.result = value{}
	m.base = caller
	for i := range m.stack[base:] {
		p := &m.stack[base+i]
		if p.k != arrayRef {
			m.resize(len(p.s), 0)
		} else if i < 64 && passed&(1<<i) == 0 {
			p.arr.clear()
		}
		*p = value{}
	}
	m.stack = m.stack[:base]
	m.leave(fn)
	switch to {
	case exits, nexts, nextFiles:
		panic(unwind{to})
	}
	return result
}

// indirectCall compiles a call of the function that a variable names.
func (c *compiler) indirectCall(x *callExpr) code {
	name := c.variable(x.indirect.v).str
	args := make([]func(*machine) value, len(x.args))
	refs := make([]func(*machine) *value, len(x.args))
	vars := make([]*variable, len(x.args))
	for i, arg := range x.args {
		args[i] = c.arg(arg, nil)
		if v, ok := arg.(*varExpr); ok && !v.v.special.live() {
			refs[i], vars[i] = c.ref(v.v), v.v
		}
	}
	return valueCode(func(m *machine) value {
		called := name(m)
		fn := m.prog.functions[called]
		if fn == nil || !fn.defined {
			if b := m.prog.library[called]; b != nil {
				return m.indirectBuiltin(b, called, args)
			}
			m.fatal("`%s' is not a function, so it cannot be called indirectly", called)
		}
		base := len(m.stack)
		for i, arg := range args {
			if i < len(fn.params) && fn.params[i].array && refs[i] != nil && refs[i](m).k == unset {
				m.becomeArray(refs[i](m), vars[i])
			}
			if v := arg(m); i < len(fn.params) {
				m.push(v)
			}
		}
		return m.invoke(fn, base)
	}, false)
}

// indirectBuiltin calls a function of the language that was named at run time.
func (m *machine) indirectBuiltin(b *builtin, name string, args []func(*machine) value) value {
	if len(args) < b.min || len(args) > b.max {
		m.fatal("%s: called with %d arguments", name, len(args))
	}
	for _, i := range b.arrays {
		if i < len(args) {
			m.fatal("function `%s' cannot be called indirectly with an array", name)
		}
	}
	x := &builtinExpr{name: name, fn: b}
	for _, arg := range args {
		x.args = append(x.args, &valueLit{arg(m)})
	}
	c := &compiler{m: m}
	return b.compile(c, x).val(m)
}

// getline compiles a getline in any of its forms.
func (c *compiler) getline(x *getlineExpr) code {
	set := func(m *machine, v value) { m.rec.assign(v.s) }
	if x.lhs != nil {
		set = c.store(x.lhs)
	}
	if x.kind == fromInput {
		plain := x.lhs == nil
		return numberCode(func(m *machine) float64 {
			text, ok := m.nextRecord()
			switch {
			case !ok:
				return 0
			case plain:
				m.rec.set(text)
			default:
				set(m, given(m.string(text)))
			}
			return 1
		}, false)
	}
	src := c.expr(x.src).str
	command := x.kind == fromCommand
	return numberCode(func(m *machine) float64 {
		in := m.input(src(m), command)
		if in == nil {
			return -1
		}
		text, status := in.next(m)
		if status != 1 {
			return float64(status)
		}
		set(m, given(m.string(text)))
		return 1
	}, false)
}

// regexpLit compiles a regexp that stands for a match of the record, or is a
// value of its own.
func (c *compiler) regexpLit(x *regexpLit) code {
	if x.strong {
		out := constant(value{k: pattern, s: x.src})
		out.kind = dynamic
		return out
	}
	find := c.regexp(x.src)
	return truthCode(func(m *machine) bool { return find(m).match(m.rec.bytes()) }, true)
}

// regexp compiles a constant regexp.
func (c *compiler) regexp(src string) func(*machine) *matcher {
	i := c.regexps
	c.regexps++
	return func(m *machine) *matcher {
		re := m.constants[i]
		if re == nil {
			re = m.compileRegexp(src)
			m.constants[i] = re
		}
		return re
	}
}

// pattern compiles x where a regexp is wanted.
func (c *compiler) pattern(x expr) func(*machine) *matcher {
	if g, ok := x.(*groupExpr); ok && len(g.list) == 1 {
		if _, ok := g.list[0].(*regexpLit); !ok {
			x = g.list[0]
		}
	}
	if re, ok := x.(*regexpLit); ok {
		return c.regexp(re.src)
	}
	code := c.expr(x)
	if code.fixed != nil && code.kind == textual {
		return c.regexp(code.fixed.s)
	}
	return func(m *machine) *matcher { return m.regexp(code.str(m)) }
}
