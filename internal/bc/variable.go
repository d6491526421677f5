package bc

import "strconv"

func itoa(n int) string { return strconv.Itoa(n) }

// slotSize returns how many bytes a variable's number takes in the code of GNU
// bc.
func slotSize(slot int) int {
	if slot < 128 {
		return 1
	}
	return 2
}

// rest parses the operators after an operand, which is an assignment or not, and
// reports whether all is one.
func (p *parser) rest(prec int, assigned bool) (bool, error) {
	for {
		t := p.tok
		level, right, ok := binary(t)
		if !ok || level < prec {
			return assigned, nil
		}
		assigned = false
		p.advance()
		next := level + 1
		if right {
			next = level
		}
		if err := p.infix(t, next); err != nil {
			return false, err
		}
	}
}

// variable parses what follows the name of a variable.
func (p *parser) variable(name string) (assigned bool, err error) {
	if p.is('[') {
		p.advance()
		return p.index(name)
	}
	slot := p.m.slot(name)
	size := 1 + slotSize(slot)
	switch p.tok.kind {
	case kAssign:
		operator := p.tok.text
		p.advance()
		if operator != "=" {
			p.code.emit(op{code: opLoad, arg: slot}, size)
		}
		if _, err := p.expression(precAssign); err != nil {
			return false, err
		}
		if operator != "=" {
			p.code.emit(op{code: arithmetic[kind(operator[0])]}, 1)
		}
		p.code.emit(op{code: opStore, arg: slot}, size)
		return true, nil
	case kStep:
		code := opIncr
		if p.tok.text == "-" {
			code = opDecr
		}
		p.advance()
		p.code.emit(op{code: opLoad, arg: slot}, size)
		p.code.emit(op{code: code, arg: slot}, size)
		return false, nil
	}
	p.code.emit(op{code: opLoad, arg: slot}, size)
	return false, nil
}

// index parses the index of an element and what follows it.
func (p *parser) index(name string) (assigned bool, err error) {
	if _, err := p.expression(precOr); err != nil {
		return false, err
	}
	if err := p.expect(']'); err != nil {
		return false, err
	}
	slot := p.m.arraySlot(name)
	size := 1 + slotSize(slot)
	switch p.tok.kind {
	case kAssign:
		operator := p.tok.text
		p.advance()
		if operator != "=" {
			p.code.emit(op{code: opDup}, 1)
			p.code.emit(op{code: opLoadAt, arg: slot}, size)
		}
		if _, err := p.expression(precAssign); err != nil {
			return false, err
		}
		if operator != "=" {
			p.code.emit(op{code: arithmetic[kind(operator[0])]}, 1)
		}
		p.code.emit(op{code: opStoreAt, arg: slot}, size)
		return true, nil
	case kStep:
		code := opIncrAt
		if p.tok.text == "-" {
			code = opDecrAt
		}
		p.advance()
		p.code.emit(op{code: opDup}, 1)
		p.code.emit(op{code: opLoadAt, arg: slot}, size)
		p.code.emit(op{code: opExchange}, 1)
		p.code.emit(op{code: code, arg: slot}, size)
		return false, nil
	}
	p.code.emit(op{code: opLoadAt, arg: slot}, size)
	return false, nil
}

// prefixStep parses ++ or -- before a variable.
func (p *parser) prefixStep(sign string) error {
	name := p.tok.text
	if !p.is(kName) && !(p.is(kKeyword) && isSpecial(name)) {
		return p.fail("syntax error")
	}
	p.advance()
	if !p.accept('[') {
		slot := p.m.slot(name)
		code := opIncr
		if sign == "-" {
			code = opDecr
		}
		p.code.emit(op{code: code, arg: slot}, 1+slotSize(slot))
		p.code.emit(op{code: opLoad, arg: slot}, 1+slotSize(slot))
		return nil
	}
	if _, err := p.expression(precOr); err != nil {
		return err
	}
	slot := p.m.arraySlot(name)
	code := opIncrAt
	if sign == "-" {
		code = opDecrAt
	}
	p.code.emit(op{code: opDup}, 1)
	p.code.emit(op{code: code, arg: slot}, 1+slotSize(slot))
	p.code.emit(op{code: opLoadAt, arg: slot}, 1+slotSize(slot))
	return p.expect(']')
}

// isSpecial reports whether a keyword is a variable.
func isSpecial(name string) bool {
	return name == "ibase" || name == "obase" || name == "scale" || name == "last"
}
