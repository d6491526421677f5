package awk

func (p *parser) primary() expr {
	switch p.tok {
	case tNumber:
		x := &numberLit{p.num}
		p.next()
		return x
	case tString:
		x := &stringLit{p.text}
		p.next()
		return x
	case tDivide, tDivAssign:
		p.regexp()
		return p.regexpLit()
	case tStrongRegexp:
		return p.regexpLit()
	case tName:
		return p.lvalue()
	case tDollar:
		return p.field()
	case tLparen:
		return p.group()
	case tIncrement, tDecrement:
		by := step(p.tok)
		p.next()
		x := p.lvalue()
		return &incExpr{p.over(x), x, by, false}
	case tFuncName, tIndirect:
		return p.call()
	case tBuiltin:
		return p.builtinCall()
	case tGetline:
		return p.getline()
	}
	p.unexpected()
	return nil
}

func (p *parser) regexpLit() expr {
	x := &regexpLit{p.text, p.tok == tStrongRegexp, p.line}
	p.next()
	return x
}

// lvalue parses what can be assigned to.
func (p *parser) lvalue() expr {
	switch p.tok {
	case tDollar:
		return p.field()
	case tName:
	default:
		p.unexpected()
	}
	var x expr = p.varRef()
	for p.tok == tLbracket {
		markArray(x)
		subs := p.subscripts()
		x = &indexExpr{p.over(append(subs[:len(subs):len(subs)], x)...), x, subs}
	}
	return x
}

// optLvalue parses what getline reads into, if it is there.
func (p *parser) optLvalue() expr {
	if p.tok == tName || p.tok == tDollar {
		return p.lvalue()
	}
	return nil
}

// arrayName parses the name of an array or of a subarray.
func (p *parser) arrayName() expr {
	x := p.lvalue()
	markArray(x)
	return x
}

// markArray notes that x, a variable, is used as an array.
func markArray(x expr) {
	if v, ok := x.(*varExpr); ok {
		v.v.array = true
	}
}

func (p *parser) varRef() *varExpr {
	x := &varExpr{name: p.text, line: p.line, v: p.variable(p.text)}
	p.next()
	return x
}

func (p *parser) subscripts() []expr {
	p.expect(tLbracket)
	noGreater, noIn := p.noGreater, p.noIn
	p.noGreater, p.noIn = false, false
	subs := p.exprList()
	p.noGreater, p.noIn = noGreater, noIn
	p.expect(tRbracket)
	return subs
}

// field parses a field: $ binds tighter than anything but grouping.
func (p *parser) field() expr {
	defer p.nest()()
	p.next()
	var x expr
	switch p.tok {
	case tMinus, tPlus, tNot:
		op := p.tok
		p.next()
		x = p.power()
		x = &unaryExpr{p.over(x), op, x}
	default:
		x = p.primary()
	}
	return &fieldExpr{p.over(x), x}
}

// group parses expressions in parentheses.
func (p *parser) group() expr {
	defer p.nest()()
	p.next()
	noGreater, noIn := p.noGreater, p.noIn
	p.noGreater, p.noIn = false, false
	list := p.exprList()
	p.noGreater, p.noIn = noGreater, noIn
	p.expect(tRparen)
	if len(list) > 1 && p.tok != tIn && !p.noGreater {
		p.unexpected()
	}
	return &groupExpr{p.over(list...), list}
}

// args parses the arguments of a call.
func (p *parser) args() []expr {
	p.expect(tLparen)
	noGreater, noIn := p.noGreater, p.noIn
	p.noGreater, p.noIn = false, false
	var args []expr
	if p.tok != tRparen {
		args = p.exprList()
	}
	p.noGreater, p.noIn = noGreater, noIn
	p.closed = p.start
	p.expect(tRparen)
	return args
}

// call parses a call of a function of the program.
func (p *parser) call() expr {
	x := &callExpr{name: p.text, line: p.line}
	if p.tok == tIndirect {
		x.indirect = &varExpr{name: p.text, line: p.line, v: p.variable(p.text)}
	} else {
		x.fn = p.prog.function(p.text)
		p.calls = append(p.calls, pendingCall{x, p.src})
	}
	p.next()
	x.args = p.args()
	x.tall = p.over(x.args...)
	return x
}

// builtinCall parses a call of a function of the language.
func (p *parser) builtinCall() expr {
	x := &builtinExpr{name: p.text, fn: p.prog.library[p.text], line: p.line}
	p.next()
	if p.tok == tLparen {
		x.args = p.args()
	} else if x.name != "length" {
		p.unexpected()
	}
	if n := len(x.args); n < x.fn.min || n > x.fn.max {
		p.fail(p.closed, "%d is invalid as number of arguments for %s", n, x.name)
	}
	if x.fn.changes && len(x.args) == 3 && !changeable(x.args[2]) {
		p.fail(p.closed, "%s third parameter is not a changeable object", x.name)
	}
	for _, i := range x.fn.arrays {
		if i < len(x.args) {
			markArray(x.args[i])
		}
	}
	x.tall = p.over(x.args...)
	return x
}

// changeable reports whether sub may have x as its target: what can be assigned
// to, or a constant, which is left alone.
func changeable(x expr) bool {
	switch x.(type) {
	case *varExpr, *fieldExpr, *indexExpr, *stringLit, *numberLit:
		return true
	}
	return false
}

// getline parses a getline that does not read from a command.
func (p *parser) getline() expr {
	x := &getlineExpr{line: p.line}
	p.next()
	x.lhs = p.optLvalue()
	if p.accept(tLess) {
		x.kind = fromFile
		x.src = p.additive()
	}
	x.tall = p.over(x.src, x.lhs)
	return x
}
