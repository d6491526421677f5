package bc

func (p *parser) statement() error {
	if err := p.nest(); err != nil {
		return err
	}
	defer func() { p.depth-- }()
	switch {
	case p.is(kString):
		p.code.emit(op{code: opText, text: p.tok.text}, len(p.tok.text)+2)
		p.advance()
		return nil
	case p.is('{'):
		return p.block()
	case p.is(kKeyword):
		if do := p.keywordStatement(); do != nil {
			return do(p)
		}
	}
	return p.expressionStatement()
}

// keywordStatement returns the parser of the statement that the keyword begins,
// or nil.
func (p *parser) keywordStatement() func(*parser) error {
	switch p.tok.text {
	case "break":
		return (*parser).breakStatement
	case "continue":
		return (*parser).continueStatement
	case "for":
		return (*parser).forStatement
	case "halt":
		return func(p *parser) error { p.advance(); p.code.emit(op{code: opHalt}, 1); return nil }
	case "if":
		return (*parser).ifStatement
	case "limits":
		return func(p *parser) error { p.advance(); p.code.emit(op{code: opLimits}, 0); return nil }
	case "print":
		return (*parser).printStatement
	case "quit":
		return func(*parser) error { return errQuit }
	case "return":
		return (*parser).returnStatement
	case "while":
		return (*parser).whileStatement
	}
	return nil
}

func (p *parser) block() error {
	p.advance()
	return p.statements()
}

// statements parses statements up to the brace that closes them.
func (p *parser) statements() error {
	for {
		for p.is(kNewline) || p.is(';') {
			p.advance()
		}
		if p.accept('}') {
			return nil
		}
		if err := p.statement(); err != nil {
			return err
		}
		if !p.is(kNewline) && !p.is(';') && !p.is('}') {
			return p.fail("syntax error")
		}
	}
}

func (p *parser) expressionStatement() error {
	assigned, err := p.expression(precOr)
	if err != nil {
		return err
	}
	if assigned {
		p.code.emit(op{code: opPop}, 1)
	} else {
		p.code.emit(op{code: opPrint}, 1)
	}
	return nil
}

func (p *parser) breakStatement() error {
	if len(p.loops) == 0 {
		return p.fail("Break outside a for/while")
	}
	p.advance()
	l := p.loops[len(p.loops)-1]
	l.breaks = append(l.breaks, p.code.emit(op{code: opJump}, 3))
	return nil
}

func (p *parser) continueStatement() error {
	if len(p.loops) == 0 {
		return p.fail("Continue outside a for")
	}
	p.advance()
	l := p.loops[len(p.loops)-1]
	l.continues = append(l.continues, p.code.emit(op{code: opJump}, 3))
	return nil
}

func (p *parser) returnStatement() error {
	p.advance()
	if p.is(kNewline) || p.is(';') || p.is('}') {
		p.code.emit(op{code: opZero}, 1)
	} else if _, err := p.expression(precOr); err != nil {
		return err
	}
	if p.def == nil {
		return p.fail("Return outside of a function.")
	}
	p.code.emit(op{code: opReturn}, 1)
	return nil
}

func (p *parser) printStatement() error {
	p.advance()
	for {
		if p.is(kString) {
			p.code.emit(op{code: opEscaped, text: p.tok.text}, len(p.tok.text)+3)
			p.advance()
		} else {
			if _, err := p.expression(precOr); err != nil {
				return err
			}
			p.code.emit(op{code: opWrite}, 1)
		}
		if !p.accept(',') {
			return nil
		}
	}
}

// condition parses an expression between parentheses and what may be a newline.
func (p *parser) condition() error {
	p.advance()
	if err := p.expect('('); err != nil {
		return err
	}
	if _, err := p.expression(precOr); err != nil {
		return err
	}
	if err := p.expect(')'); err != nil {
		return err
	}
	p.newlines()
	return nil
}

func (p *parser) ifStatement() error {
	if err := p.condition(); err != nil {
		return err
	}
	skip := p.code.emit(op{code: opIfZero}, 3)
	if err := p.statement(); err != nil {
		return err
	}
	if !p.keyword("else") {
		p.code.patch(skip)
		return nil
	}
	p.advance()
	p.newlines()
	end := p.code.emit(op{code: opJump}, 3)
	p.code.patch(skip)
	err := p.statement()
	p.code.patch(end)
	return err
}

func (p *parser) whileStatement() error {
	start := len(p.code.ops)
	if err := p.condition(); err != nil {
		return err
	}
	out := p.code.emit(op{code: opIfZero}, 3)
	l := &loop{}
	if err := p.body(l); err != nil {
		return err
	}
	for _, at := range l.continues {
		p.code.ops[at].arg = start
	}
	p.code.emit(op{code: opJump, arg: start}, 3)
	p.code.patch(out)
	for _, at := range l.breaks {
		p.code.patch(at)
	}
	return nil
}

func (p *parser) body(l *loop) error {
	p.loops = append(p.loops, l)
	err := p.statement()
	if err == nil {
		p.loops = p.loops[:len(p.loops)-1]
	}
	return err
}

func (p *parser) forStatement() error {
	p.advance()
	if err := p.expect('('); err != nil {
		return err
	}
	if err := p.clause(';', opZero); err != nil {
		return err
	}
	p.code.emit(op{code: opPop}, 1)
	start := len(p.code.ops)
	if err := p.clause(';', opOne); err != nil {
		return err
	}
	enter := p.code.emit(op{code: opIfTrue}, 3)
	out := p.code.emit(op{code: opJump}, 3)
	step := len(p.code.ops)
	if err := p.clause(')', opZero); err != nil {
		return err
	}
	p.code.emit(op{code: opPop}, 1)
	p.code.emit(op{code: opJump, arg: start}, 3)
	p.code.patch(enter)
	p.newlines()
	l := &loop{}
	if err := p.body(l); err != nil {
		return err
	}
	for _, at := range l.continues {
		p.code.ops[at].arg = step
	}
	p.code.emit(op{code: opJump, arg: step}, 3)
	p.code.patch(out)
	for _, at := range l.breaks {
		p.code.patch(at)
	}
	return nil
}

// clause parses an expression of for that may be missing.
func (p *parser) clause(end kind, missing opcode) error {
	if p.is(end) {
		p.code.emit(op{code: missing}, 1)
	} else if _, err := p.expression(precOr); err != nil {
		return err
	}
	return p.expect(end)
}
