package bc

import "strings"

// The precedences of operators, from those that bind least on.
const (
	precOr = iota
	precAnd
	precNot
	precRelation
	precAssign
	precAdd
	precMul
	precPow
	precUnary
)

// binary returns the precedence of a binary operator and whether it groups to
// the right.
func binary(t token) (prec int, right, ok bool) {
	switch t.kind {
	case kOr:
		return precOr, false, true
	case kAnd:
		return precAnd, false, true
	case kRelation:
		return precRelation, false, true
	case '+', '-':
		return precAdd, false, true
	case '*', '/', '%':
		return precMul, false, true
	case '^':
		return precPow, true, true
	}
	return 0, false, false
}

var arithmetic = map[kind]opcode{'+': opAdd, '-': opSub, '*': opMul, '/': opDiv, '%': opMod, '^': opPow}

// expression parses operators that bind at least as much as prec. It reports
// whether it is an assignment, whose value is not printed.
func (p *parser) expression(prec int) (assigned bool, err error) {
	if err := p.nest(); err != nil {
		return false, err
	}
	defer func() { p.depth-- }()
	if assigned, err = p.operand(); err != nil {
		return false, err
	}
	return p.rest(prec, assigned)
}

// infix parses the right side of an operator.
func (p *parser) infix(t token, prec int) error {
	switch t.kind {
	case kAnd:
		p.code.emit(op{code: opDup}, 1)
		end := p.code.emit(op{code: opIfZero}, 3)
		p.code.emit(op{code: opPop}, 1)
		if _, err := p.expression(prec); err != nil {
			return err
		}
		p.code.emit(op{code: opDup}, 1)
		zero := p.code.emit(op{code: opIfZero}, 3)
		p.code.emit(op{code: opPop}, 1)
		p.code.emit(op{code: opOne}, 1)
		p.code.patch(end)
		p.code.patch(zero)
		return nil
	case kOr:
		first := p.code.emit(op{code: opIfTrue}, 3)
		if _, err := p.expression(prec); err != nil {
			return err
		}
		second := p.code.emit(op{code: opIfTrue}, 3)
		p.code.emit(op{code: opZero}, 1)
		end := p.code.emit(op{code: opJump}, 3)
		p.code.patch(first)
		p.code.patch(second)
		p.code.emit(op{code: opOne}, 1)
		p.code.patch(end)
		return nil
	}
	if _, err := p.expression(prec); err != nil {
		return err
	}
	if t.kind == kRelation {
		p.code.emit(op{code: opCompare, text: t.text}, 1)
		return nil
	}
	p.code.emit(op{code: arithmetic[t.kind]}, 1)
	return nil
}

// operand parses what operators apply to, prefixes included.
func (p *parser) operand() (assigned bool, err error) {
	switch t := p.tok; {
	case t.kind == '-':
		p.advance()
		if _, err := p.expression(precUnary); err != nil {
			return false, err
		}
		p.code.emit(op{code: opNeg}, 1)
		return false, nil
	case t.kind == '!':
		p.advance()
		if _, err := p.expression(precRelation); err != nil {
			return false, err
		}
		p.code.emit(op{code: opNot}, 1)
		return false, nil
	case t.kind == kStep:
		p.advance()
		return false, p.prefixStep(t.text)
	case t.kind == kNumber:
		p.advance()
		p.number(t.text)
		return false, nil
	case t.kind == '(':
		p.advance()
		if _, err := p.expression(precOr); err != nil {
			return false, err
		}
		return false, p.expect(')')
	case t.kind == kName, t.kind == kKeyword:
		return p.name()
	}
	return false, p.fail("syntax error")
}

func (p *parser) number(text string) {
	switch text {
	case "0":
		p.code.emit(op{code: opZero}, 1)
	case "1":
		p.code.emit(op{code: opOne}, 1)
	default:
		p.code.emit(op{code: opNumber, text: text}, len(text)+2)
	}
}

// name parses what begins with a name: a call, a variable, an element.
func (p *parser) name() (assigned bool, err error) {
	t := p.tok
	if t.kind == kKeyword {
		return p.keywordOperand(t.text)
	}
	p.advance()
	if p.is('(') {
		return false, p.call(t.text)
	}
	return p.variable(t.text)
}

// keywordOperand parses an operand that is a keyword.
func (p *parser) keywordOperand(word string) (assigned bool, err error) {
	switch word {
	case "length", "sqrt", "read", "random":
		p.advance()
		return false, p.builtin(word)
	case "ibase", "obase", "scale", "last":
		p.advance()
		if word == "scale" && p.is('(') {
			return false, p.builtin(word)
		}
		return p.variable(word)
	}
	return false, p.fail("syntax error")
}

// builtins are the functions that are part of the language.
var builtins = map[string]opcode{"length": opLength, "sqrt": opSqrt, "scale": opScale, "read": opRead, "random": opRandom}

func (p *parser) builtin(name string) error {
	if err := p.expect('('); err != nil {
		return err
	}
	if name != "read" && name != "random" {
		if _, err := p.expression(precOr); err != nil {
			return err
		}
	}
	p.code.emit(op{code: builtins[name]}, 2)
	return p.expect(')')
}

// call parses the arguments of a function.
func (p *parser) call(name string) error {
	p.advance()
	var kinds strings.Builder
	for !p.is(')') {
		array, err := p.argument()
		if err != nil {
			return err
		}
		if array {
			kinds.WriteByte('1')
		} else {
			kinds.WriteByte('0')
		}
		if !p.accept(',') {
			break
		}
	}
	if err := p.expect(')'); err != nil {
		return err
	}
	p.code.emit(op{code: opCall, arg: p.m.functionSlot(name), text: kinds.String()}, 2)
	p.code.size += kinds.Len() + 1
	return nil
}

// argument parses an expression, or an array as a[].
func (p *parser) argument() (array bool, err error) {
	if p.is(kName) {
		name := p.tok.text
		if b, _ := p.in.Peek(1); len(b) == 1 && b[0] == '[' {
			p.advance()
			p.advance()
			if p.accept(']') {
				slot := p.m.arraySlot(name)
				p.code.emit(op{code: opArray, arg: slot}, len(itoa(slot))+2)
				return true, nil
			}
			if _, err := p.index(name); err != nil {
				return false, err
			}
			_, err := p.rest(precOr, false)
			return false, err
		}
	}
	_, err = p.expression(precOr)
	return false, err
}
