package awk

// expr parses an expression.
func (p *parser) expr() expr {
	defer p.nest()()
	x := p.or()
	if p.tok != tQuestion {
		return x
	}
	p.next()
	p.newlines()
	yes := p.expr()
	p.newlines()
	p.expect(tColon)
	p.newlines()
	no := p.expr()
	return &condExpr{p.over(x, yes, no), x, yes, no}
}

// over returns the height of an expression that contains those in list.
func (p *parser) over(list ...expr) tall {
	h := 0
	for _, x := range list {
		h = max(h, heightOf(x))
	}
	if h >= maxHeight {
		p.fail(p.start, "expression is too complex")
	}
	p.exprs = max(p.exprs, h+1)
	return tall{h + 1}
}

// inParens parses an expression to which the surroundings do not matter.
func (p *parser) inParens() expr {
	noGreater, noIn := p.noGreater, p.noIn
	p.noGreater, p.noIn = false, false
	x := p.expr()
	p.noGreater, p.noIn = noGreater, noIn
	return x
}

func (p *parser) or() expr {
	x := p.and()
	for p.accept(tOr) {
		p.newlines()
		y := p.and()
		x = &logicExpr{p.over(x, y), false, x, y}
	}
	return x
}

func (p *parser) and() expr {
	x := p.in()
	for p.accept(tAnd) {
		p.newlines()
		y := p.in()
		x = &logicExpr{p.over(x, y), true, x, y}
	}
	return x
}

func (p *parser) in() expr {
	x := p.match()
	for p.tok == tIn && !p.noIn {
		p.next()
		if p.tok != tName {
			p.unexpected()
		}
		subs := []expr{x}
		if g, ok := x.(*groupExpr); ok {
			subs = g.list
		}
		array := p.arrayName()
		x = &inExpr{p.over(append(subs[:len(subs):len(subs)], array)...), subs, array}
	}
	if g, ok := x.(*groupExpr); ok && len(g.list) > 1 && !p.noGreater {
		p.unexpected()
	}
	return x
}

func (p *parser) match() expr {
	x := p.comparison()
	for p.tok == tMatch || p.tok == tNoMatch {
		not := p.tok == tNoMatch
		p.next()
		y := p.comparison()
		x = &matchExpr{p.over(x, y), x, y, not}
	}
	return x
}

func (p *parser) comparison() expr {
	x := p.common()
	switch p.tok {
	case tGreater:
		if p.noGreater {
			return x
		}
	case tLess, tLessEq, tEqual, tNotEqual, tGreaterEq:
	case tAssign, tAddAssign, tSubAssign, tMulAssign, tDivAssign, tModAssign, tPowAssign:
		return p.assignment(x)
	default:
		return x
	}
	op, line := p.tok, p.line
	p.next()
	y := p.common()
	if assignOp[p.tok] != 0 {
		y = p.assignment(y)
	}
	return &binaryExpr{p.over(x, y), op, x, y, line}
}

// assignOp has the operator that each assignment applies.
var assignOp = map[token]token{
	tAssign: tAssign, tAddAssign: tPlus, tSubAssign: tMinus, tMulAssign: tTimes,
	tDivAssign: tDivide, tModAssign: tModulo, tPowAssign: tPower,
}

func (p *parser) assignment(lhs expr) expr {
	switch lhs.(type) {
	case *varExpr, *fieldExpr, *indexExpr:
	default:
		p.unexpected()
	}
	op, line := assignOp[p.tok], p.line
	p.next()
	rhs := p.expr()
	if c, ok := rhs.(*concatExpr); ok && op == tAssign {
		if v, ok := lhs.(*varExpr); ok {
			if first, ok := c.parts[0].(*varExpr); ok && first.v == v.v && v.v.grows == nil {
				v.v.grows = &growing{}
			}
		}
	}
	return &assignExpr{p.over(lhs, rhs), op, lhs, rhs, line}
}

// common parses concatenations, and reading from commands.
func (p *parser) common() expr {
	x := p.additive()
	for {
		switch {
		case p.startsOperand():
			parts := []expr{x}
			for p.startsOperand() {
				parts = append(parts, p.additive())
			}
			x = &concatExpr{p.over(parts...), parts}
		case p.tok == tPipe && p.beforeGetline():
			line := p.line
			p.next()
			p.next()
			g := &getlineExpr{kind: fromCommand, src: x, lhs: p.optLvalue(), line: line}
			g.tall = p.over(g.src, g.lhs)
			x = g
		case p.tok == tCoprocess:
			p.fail(p.start, "two-way pipes are not supported")
		default:
			return x
		}
	}
}

// beforeGetline reports whether the next token is getline.
func (p *parser) beforeGetline() bool {
	saved := *p.lexer
	p.next()
	is := p.tok == tGetline
	*p.lexer = saved
	return is
}

// startsOperand reports whether the token continues a concatenation.
func (p *parser) startsOperand() bool {
	switch p.tok {
	case tNumber, tString, tStrongRegexp, tName, tFuncName, tBuiltin, tIndirect,
		tLparen, tDollar, tNot, tIncrement, tDecrement, tGetline:
		return true
	}
	return false
}

func (p *parser) additive() expr {
	x := p.multiplicative()
	for p.tok == tPlus || p.tok == tMinus {
		x = p.binary(x, p.multiplicative)
	}
	return x
}

func (p *parser) multiplicative() expr {
	x := p.unary()
	for p.tok == tTimes || p.tok == tDivide || p.tok == tModulo {
		x = p.binary(x, p.unary)
	}
	return x
}

func (p *parser) binary(x expr, operand func() expr) expr {
	op, line := p.tok, p.line
	p.next()
	y := operand()
	if n, ok := y.(*numberLit); ok && n.n == 0 && isConstant(x) {
		switch op {
		case tDivide:
			p.errorAt(line, "division by zero attempted")
		case tModulo:
			p.errorAt(line, "division by zero attempted in `%%'")
		}
	}
	return &binaryExpr{p.over(x, y), op, x, y, line}
}

func isConstant(x expr) bool {
	_, ok := x.(*numberLit)
	return ok
}

func (p *parser) unary() expr {
	switch p.tok {
	case tNot, tMinus, tPlus:
		defer p.nest()()
		op := p.tok
		p.next()
		x := p.unary()
		if n, ok := x.(*numberLit); ok && op == tMinus {
			return &numberLit{-n.n}
		}
		return &unaryExpr{p.over(x), op, x}
	}
	return p.power()
}

func (p *parser) power() expr {
	x := p.postfix()
	if p.tok != tPower {
		return x
	}
	defer p.nest()()
	line := p.line
	p.next()
	y := p.unary() // -x^y binds the other way round
	return &binaryExpr{p.over(x, y), tPower, x, y, line}
}

func (p *parser) postfix() expr {
	x := p.primary()
	if p.tok != tIncrement && p.tok != tDecrement {
		return x
	}
	switch x.(type) {
	case *varExpr, *fieldExpr, *indexExpr:
		by := step(p.tok)
		p.next()
		return &incExpr{p.over(x), x, by, true}
	}
	return x
}

func step(t token) float64 {
	if t == tDecrement {
		return -1
	}
	return 1
}

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
