package awk

import "fmt"

// Bounds on what recurses: levels of statements and parentheses, and the height
// of an expression.
const (
	maxNesting = 1000
	maxHeight  = 4000
)

// A parser builds the syntax tree of a program.
type parser struct {
	*lexer
	prog    *Program
	index   int // of the source
	nesting int
	closed  int // where the parenthesis after the last arguments is

	noGreater bool // > is a redirection: in print, outside parentheses
	noIn      bool // in ends an expression: in the head of a for loop

	fn     *function // being parsed
	rule   token     // kind of the rule being parsed; tEOF for a plain one
	loops  int       // around the statement; switches count for break only
	breaks int
	stmts  int // deepest statement of the function
	exprs  int // highest expression of the function
	calls  []pendingCall
}

// A pendingCall is a call of a function that may not have been defined yet.
type pendingCall struct {
	call *callExpr
	src  Source
}

func (p *parser) unexpected() {
	switch p.tok {
	case tNewline:
		p.failOn(1, p.start, "unexpected newline or end of string")
	case tEOF:
		p.fail(p.start, "unexpected newline or end of string")
	}
	p.fail(p.start, "syntax error")
}

func (p *parser) expect(t token) {
	if p.tok != t {
		p.unexpected()
	}
	p.next()
}

func (p *parser) accept(t token) bool {
	if p.tok != t {
		return false
	}
	p.next()
	return true
}

func (p *parser) newlines() {
	for p.tok == tNewline {
		p.next()
	}
}

// terminators skips newlines and semicolons.
func (p *parser) terminators() {
	for p.tok == tNewline || p.tok == tSemicolon {
		p.next()
	}
}

// nest counts a level of nesting; its result ends the level.
func (p *parser) nest() func() {
	if p.nesting++; p.nesting > maxNesting {
		p.fail(p.start, "program is nested too deeply")
	}
	return func() { p.nesting-- }
}

// error is a mistake that is not one of grammar. It ends parsing.
func (p *parser) errorAt(line int, format string, args ...any) {
	panic(&SyntaxError{Lines: []string{p.errorLine(line, format, args...)}})
}

func (p *parser) errorLine(line int, format string, args ...any) string {
	return p.src.where(line) + "error: " + fmt.Sprintf(format, args...)
}

// place returns where the token is.
func (p *parser) place() place { return placeOf(p.index, p.line) }

// source parses one piece of the program.
func (p *parser) source() {
	p.next()
	for {
		p.terminators()
		switch p.tok {
		case tEOF:
			return
		case tFunction:
			p.function()
		default:
			p.item()
		}
		if p.tok != tEOF && p.tok != tNewline && p.tok != tSemicolon && p.last != tRbrace {
			p.unexpected()
		}
	}
}

// item parses a rule.
func (p *parser) item() {
	r := &rule{at: p.place()}
	p.rule, p.stmts, p.exprs = tEOF, 0, 0
	switch p.tok {
	case tBegin, tEnd, tBeginFile, tEndFile:
		r.kind, p.rule = p.tok, p.tok
		name := p.text
		p.next()
		if p.tok == tNewline || p.tok == tSemicolon || p.tok == tEOF {
			line := p.line
			if p.tok == tNewline {
				line++ // which has been read
			}
			panic(&SyntaxError{Lines: []string{p.src.where(line) + name + " blocks must have an action part"}})
		}
		if p.tok != tLbrace {
			p.unexpected()
		}
	case tLbrace:
	default:
		r.from = p.expr()
		if p.accept(tComma) {
			p.newlines()
			r.to = p.expr()
		}
	}
	if p.tok == tLbrace {
		r.body = p.block()
	}
	p.prog.rules = append(p.prog.rules, r)
}

// function parses the definition of a function.
func (p *parser) function() {
	p.next()
	if p.tok != tName && p.tok != tFuncName {
		if p.tok == tBuiltin {
			p.fail(p.start, "`%s' is a built-in function, it cannot be redefined", p.text)
		}
		p.unexpected()
	}
	fn := p.prog.function(p.text)
	if _, used := p.prog.globals[p.text]; used || fn.defined {
		p.errorAt(p.line, "function name `%s' previously defined", fn.name)
	}
	fn.defined, fn.line, fn.src = true, p.line, p.src
	p.next()
	p.expect(tLparen)
	p.newlines()
	for p.tok != tRparen {
		if p.tok != tName && p.tok != tFuncName {
			p.unexpected()
		}
		p.param(fn)
		p.next()
		if p.tok == tComma {
			p.next()
			p.newlines()
		} else if p.tok != tRparen && p.tok != tName {
			p.unexpected()
		}
	}
	p.next()
	p.newlines()
	p.fn, p.rule, p.stmts, p.exprs = fn, tFunction, 0, 0
	fn.body = p.block()
	fn.height = p.stmts + p.exprs + 4
	p.fn = nil
}

func (p *parser) param(fn *function) {
	if p.text == fn.name {
		p.errorAt(p.line, "function `%s': cannot use function name as parameter name", fn.name)
	}
	if _, ok := specials[p.text]; ok {
		p.errorAt(p.line, "function `%s': parameter `%s': cannot use special variable `%s' as a function parameter", fn.name, p.text, p.text)
	}
	for i, v := range fn.params {
		if v.name == p.text {
			p.errorAt(p.line, "function `%s': parameter #%d, `%s', duplicates parameter #%d", fn.name, len(fn.params)+1, p.text, i+1)
		}
	}
	fn.params = append(fn.params, &variable{name: p.text, local: true, slot: len(fn.params), fn: fn})
}

// variable returns what name means at this place.
func (p *parser) variable(name string) *variable {
	if p.fn != nil {
		for _, v := range p.fn.params {
			if v.name == name {
				return v
			}
		}
	}
	if sp := specials[name]; sp == spSYMTAB || sp == spFUNCTAB {
		p.errorAt(p.line, "the array %s is not supported", name)
	}
	return p.prog.global(name)
}

// link makes sure that the functions which the program calls exist, and finds
// out which parameters and variables are arrays because of what they are passed
// to or used for.
func (p *parser) link() {
	for _, c := range p.calls {
		if _, ok := p.prog.globals[c.call.name]; ok && !c.call.fn.defined {
			p.errorAt(c.call.line, "attempt to use non-function `%s' in function call", c.call.name)
		}
		if !c.call.fn.defined {
			panic(&SyntaxError{Fatal: true, Lines: []string{
				c.src.where(c.call.line) + fmt.Sprintf("fatal: function `%s' not defined", c.call.name)}})
		}
		if len(c.call.args) > len(c.call.fn.params) {
			p.warn(c.call.line, "function `%s' called with more arguments than declared", c.call.name)
		}
	}
	for changed := true; changed; {
		changed = false
		for _, c := range p.calls {
			for i, arg := range c.call.args {
				v, ok := arg.(*varExpr)
				if !ok || i >= len(c.call.fn.params) {
					continue
				}
				if param := c.call.fn.params[i]; param.array != v.v.array && v.v.special == 0 {
					// An array that is passed on may still be tested
					// with isarray in a function that takes both.
					if param.array {
						v.v.array, changed = true, true
					}
				}
			}
		}
	}
}
