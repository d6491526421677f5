package bc

import (
	"errors"
	"slices"
)

// maxDepth bounds how deeply statements and expressions nest.
const maxDepth = 1000

// errSyntax ends the parsing of a line, once the mistake is reported.
var errSyntax = errors.New("syntax error")

// errQuit ends the program where it says quit.
var errQuit = errors.New("quit")

// A parser compiles a program statement by statement.
type parser struct {
	*lexer
	m     *machine
	tok   token
	depth int
	code  *code
	loops []*loop
	def   *function // that is being defined
	held  bool      // tok is the first of the next line
}

// A loop is what break and continue leave.
type loop struct {
	breaks    []int // jumps to the end
	continues []int // jumps to the next turn
}

func (p *parser) advance() { p.tok = p.lexer.next() }

// fail reports a syntax error at the current token.
func (p *parser) fail(message string) error {
	if p.err != nil {
		return p.err
	}
	if p.tok.kind != kIllegal {
		p.complain("%s", message)
	}
	return errSyntax
}

func (p *parser) is(k kind) bool { return p.tok.kind == k }

func (p *parser) keyword(word string) bool { return p.tok.kind == kKeyword && p.tok.text == word }

// accept takes the token if it is of the kind.
func (p *parser) accept(k kind) bool {
	if p.tok.kind == k {
		p.advance()
		return true
	}
	return false
}

func (p *parser) expect(k kind) error {
	if !p.accept(k) {
		return p.fail("syntax error")
	}
	return nil
}

func (p *parser) newlines() {
	for p.accept(kNewline) {
	}
}

// nest counts a level of nesting.
func (p *parser) nest() error {
	if p.depth++; p.depth > maxDepth {
		return p.fail("memory exhausted")
	}
	return nil
}

// recover skips the rest of a line after a mistake.
func (p *parser) recover() {
	for p.tok.kind != kNewline && p.tok.kind != kEOF {
		p.advance()
	}
	p.depth, p.loops, p.def = 0, nil, nil
}

// parseLine compiles the statements of one line. It returns false at the end of the
// program. A definition counts as a line.
func (p *parser) parseLine() (bool, error) {
	p.code = &code{}
	if !p.held {
		p.advance()
	}
	p.held = false
	if p.is(kEOF) {
		return false, p.err
	}
	if p.keyword("define") {
		return true, p.define()
	}
	for !p.is(kNewline) {
		if p.is(kEOF) {
			return true, p.fail("syntax error")
		}
		if !p.is(';') {
			if err := p.statement(); err != nil {
				return true, err
			}
		}
		if !p.is(kNewline) && !p.is(kEOF) {
			if err := p.expect(';'); err != nil {
				return true, err
			}
		}
	}
	return true, nil
}

// define parses the definition of a function.
func (p *parser) define() error {
	p.advance()
	f := &function{}
	if p.keyword("void") {
		f.void = true
		p.advance()
	}
	name := p.tok.text
	if err := p.expect(kName); err != nil {
		return err
	}
	f.name = name
	if err := p.expect('('); err != nil {
		return err
	}
	var err error
	if f.params, err = p.names(')', true); err != nil {
		return err
	}
	for i, v := range f.params {
		if slices.ContainsFunc(f.params[:i], func(o param) bool { return o.array == v.array && o.slot == v.slot }) {
			return p.fail("duplicate parameter names")
		}
	}
	if err := p.expect(')'); err != nil {
		return err
	}
	p.newlines()
	if err := p.expect('{'); err != nil {
		return err
	}
	p.newlines()
	for p.keyword("auto") {
		p.advance()
		autos, err := p.names(kNewline, false)
		if err != nil {
			return err
		}
		f.autos = append(f.autos, autos...)
		if !p.is(kNewline) && !p.is(';') {
			return p.fail("syntax error")
		}
		p.advance()
		p.newlines()
	}
	p.def = f
	if err := p.statements(); err != nil {
		return err
	}
	p.code.emit(op{code: opZero}, 1)
	p.code.emit(op{code: opReturn}, 1)
	f.code, p.code, p.def = p.code, &code{}, nil
	p.held = true
	p.m.define(f)
	return nil
}

// names parses the parameters or automatic variables of a function.
func (p *parser) names(end kind, references bool) ([]param, error) {
	var list []param
	for !p.is(end) {
		var v param
		if references && p.is('*') {
			v.reference = true
			p.advance()
		}
		name := p.tok.text
		if err := p.expect(kName); err != nil {
			return nil, err
		}
		v.name = name
		if p.accept('[') {
			v.array = true
			if err := p.expect(']'); err != nil {
				return nil, err
			}
			v.slot = p.m.arraySlot(name)
		} else {
			v.slot = p.m.slot(name)
		}
		list = append(list, v)
		if !p.accept(',') {
			break
		}
	}
	return list, nil
}
