package awk

// block parses statements in braces.
func (p *parser) block() stmt {
	p.expect(tLbrace)
	defer p.nest()()
	b := &blockStmt{}
	for {
		p.terminators()
		if p.tok == tRbrace {
			p.next()
			return b
		}
		if s := p.stmt(); s != nil {
			b.list = append(b.list, s)
		}
	}
}

// stmt parses a statement and what ends it. It returns nil for an empty one.
func (p *parser) stmt() stmt {
	at := p.place()
	if s := p.bareStmt(); s != nil {
		return &lineStmt{at, s}
	}
	return nil
}

func (p *parser) bareStmt() stmt {
	defer p.nest()()
	p.stmts = max(p.stmts, p.nesting)
	switch p.tok {
	case tLbrace:
		s := p.block()
		p.accept(tSemicolon)
		return s
	case tIf:
		return p.ifStmt()
	case tWhile:
		p.next()
		s := &whileStmt{test: p.condition()}
		if !p.accept(tSemicolon) {
			s.body = p.loop()
		}
		return s
	case tDo:
		return p.doStmt()
	case tFor:
		return p.forStmt()
	case tSwitch:
		return p.switchStmt()
	case tSemicolon, tNewline:
		p.next()
		return nil
	}
	s := p.simple()
	p.end()
	return s
}

// end consumes what ends a simple statement.
func (p *parser) end() {
	switch p.tok {
	case tSemicolon, tNewline:
		p.next()
	case tRbrace:
	default:
		p.unexpected()
	}
}

// condition parses an expression in parentheses.
func (p *parser) condition() expr {
	p.expect(tLparen)
	x := p.inParens()
	p.expect(tRparen)
	return x
}

// body parses the statement that a condition governs.
func (p *parser) body() stmt {
	p.newlines()
	if p.tok == tSemicolon {
		p.next()
		return nil
	}
	return p.stmt()
}

func (p *parser) loop() stmt {
	p.loops++
	p.breaks++
	s := p.body()
	p.loops--
	p.breaks--
	return s
}

func (p *parser) ifStmt() stmt {
	p.next()
	s := &ifStmt{test: p.condition()}
	s.yes = p.body()
	saved := *p.lexer
	p.terminators()
	if p.tok == tElse {
		p.next()
		s.no = p.body()
	} else {
		*p.lexer = saved
	}
	return s
}

func (p *parser) doStmt() stmt {
	p.next()
	s := &whileStmt{do: true, body: p.loop()}
	p.terminators()
	p.expect(tWhile)
	s.test = p.condition()
	p.end()
	return s
}

func (p *parser) forStmt() stmt {
	p.next()
	p.expect(tLparen)
	if s := p.forIn(); s != nil {
		return s
	}
	s := &forStmt{}
	if p.tok != tSemicolon {
		s.init = p.simple()
	}
	p.expect(tSemicolon)
	p.newlines()
	if p.tok != tSemicolon {
		s.test = p.expr()
	}
	p.expect(tSemicolon)
	p.newlines()
	if p.tok != tRparen {
		s.post = p.simple()
	}
	p.expect(tRparen)
	if p.accept(tSemicolon) {
		return s
	}
	s.body = p.loop()
	return s
}

// forIn parses the rest of a for loop over an array; it consumes nothing and
// returns nil if this is not one.
func (p *parser) forIn() stmt {
	if p.tok != tName {
		return nil
	}
	saved := *p.lexer
	v := p.lvalue()
	if p.accept(tIn) && p.tok == tName {
		array := p.arrayName()
		if p.accept(tRparen) {
			return &forInStmt{v: v, array: array, body: p.loop()}
		}
	}
	*p.lexer = saved
	return nil
}

func (p *parser) switchStmt() stmt {
	p.next()
	s := &switchStmt{x: p.condition()}
	p.newlines()
	p.expect(tLbrace)
	p.breaks++
	p.terminators()
	for p.tok != tRbrace {
		c := switchCase{}
		switch p.tok {
		case tCase:
			p.next()
			c.x = p.caseValue()
		case tDefault:
			p.next()
		default:
			p.unexpected()
		}
		p.expect(tColon)
		p.terminators()
		for p.tok != tCase && p.tok != tDefault && p.tok != tRbrace {
			if x := p.stmt(); x != nil {
				c.body = append(c.body, x)
			}
			p.terminators()
		}
		s.cases = append(s.cases, c)
	}
	p.breaks--
	p.next()
	return s
}

func (p *parser) caseValue() expr {
	switch p.tok {
	case tMinus, tPlus:
		neg := p.tok == tMinus
		p.next()
		n := p.num
		if neg {
			n = -n
		}
		p.expect(tNumber)
		return &numberLit{n}
	case tNumber, tString, tDivide, tDivAssign, tStrongRegexp:
		return p.primary()
	}
	p.unexpected()
	return nil
}

// simple parses a statement that contains no other.
func (p *parser) simple() stmt {
	switch p.tok {
	case tPrint, tPrintf:
		return p.printStmt()
	case tDelete:
		return p.deleteStmt()
	case tBreak, tContinue:
		return p.loopJump()
	case tNext, tNextFile:
		return p.recordJump()
	case tExit:
		p.next()
		return &exitStmt{p.optional()}
	case tReturn:
		if p.fn == nil {
			p.fail(p.start, "`return' used outside function context")
		}
		p.next()
		return &returnStmt{p.optional()}
	}
	return &exprStmt{p.expr()}
}

// optional parses an expression if there is one.
func (p *parser) optional() expr {
	switch p.tok {
	case tSemicolon, tNewline, tRbrace, tEOF:
		return nil
	}
	return p.expr()
}

func (p *parser) loopJump() stmt {
	s := &jumpStmt{breaks}
	if p.tok == tContinue {
		s.to = continues
		if p.loops == 0 {
			p.misplaced("`continue' is not allowed outside a loop")
		}
	} else if p.breaks == 0 {
		p.misplaced("`break' is not allowed outside a loop or switch")
	}
	p.next()
	return s
}

// misplaced reports a jump that is out of place, twice, as gawk does.
func (p *parser) misplaced(text string) {
	line := p.errorLine(p.line, "%s", text)
	panic(&SyntaxError{Lines: []string{line, line}})
}

func (p *parser) recordJump() stmt {
	s, name := &jumpStmt{nexts}, "next"
	if p.tok == tNextFile {
		s.to, name = nextFiles, "nextfile"
	}
	switch {
	case p.rule == tBegin:
		p.errorAt(p.line, "`%s' used in BEGIN action", name)
	case p.rule == tEnd:
		p.errorAt(p.line, "`%s' used in END action", name)
	case p.rule == tEndFile, p.rule == tBeginFile && s.to == nexts:
		p.errorAt(p.line, "`%s' used in %s action", name, map[token]string{tBeginFile: "BEGINFILE", tEndFile: "ENDFILE"}[p.rule])
	}
	p.next()
	return s
}

func (p *parser) printStmt() stmt {
	s := &printStmt{format: p.tok == tPrintf, line: p.line}
	p.next()
	p.noGreater = true
	switch p.tok {
	case tSemicolon, tNewline, tRbrace, tGreater, tAppend, tPipe, tEOF:
	default:
		s.args = p.exprList()
		if g, ok := s.args[0].(*groupExpr); ok && len(s.args) == 1 {
			s.args = g.list
		}
	}
	if s.format && len(s.args) == 0 {
		p.unexpected()
	}
	switch p.tok {
	case tGreater, tAppend, tPipe:
		s.redir = p.tok
		p.next()
		s.dest = p.common()
	case tCoprocess:
		p.fail(p.start, "two-way pipes are not supported")
	}
	p.noGreater = false
	return s
}

func (p *parser) exprList() []expr {
	list := []expr{p.expr()}
	for p.accept(tComma) {
		p.newlines()
		list = append(list, p.expr())
	}
	return list
}

func (p *parser) deleteStmt() stmt {
	p.next()
	paren := p.accept(tLparen)
	if p.tok != tName {
		p.unexpected()
	}
	s := &deleteStmt{array: p.varRef()}
	for p.tok == tLbracket {
		if s.subs != nil {
			s.array = &indexExpr{p.over(s.array), s.array, s.subs}
		}
		s.subs = p.subscripts()
	}
	markArray(s.array)
	if paren {
		p.expect(tRparen)
	}
	return s
}
