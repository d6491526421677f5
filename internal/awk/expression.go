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
