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
			return true, nil
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
