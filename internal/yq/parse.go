package yq

import (
	"strconv"
	"strings"
)

// An Expr is a parsed expression.
type Expr struct {
	op          *operator
	left, right *Expr
	word        string // of a path, a variable or a string
	node        *Node  // of a value
	opt         bool   // a path may be wrong
	args        string
}

// An operator is what an expression is made of. Operators of higher precedence
// bind tighter, and those of the same group to the right.
type operator struct {
	name  string
	prec  int
	arity int  // 0, 1 for those before their operand, 2 for those between two
	chain bool // a path may follow without a pipe
	run   func(*Machine, scope, *Expr) []*Node
}

// A word is an operator that is written in letters.
type word struct {
	name string // the one that its forms have in common
	op   *operator
	set  *operator // what it is before an assignment
}

// A parser makes a tree of tokens.
type parser struct {
	machine *Machine
	tokens  []token
	chain   bool // a path may follow the last token without a pipe
	depth   int
}

// maxNesting bounds the nesting of expressions.
const maxNesting = 10000

// tokenCost is about how much memory a byte of an expression may take once it is parsed.
const tokenCost = 200

// Parse parses an expression. An empty one is nil. Its memory is charged until m is closed.
func (m *Machine) Parse(src string) (e *Expr, err error) {
	defer func() {
		switch p := recover().(type) {
		case nil:
		case abort:
			err = p.err
		default:
			panic(p)
		}
	}()
	return m.parse(src), nil
}

func (m *Machine) parse(src string) *Expr {
	m.grow(tokenCost * len(src))
	p := &parser{machine: m, tokens: m.lex(src)}
	if len(p.tokens) == 0 {
		return nil
	}
	e := p.expr(0)
	switch t := p.peek(); t.kind {
	case tokenEnd:
		return e
	case tokenClose:
		fail("bad expression, got close brackets without matching opening bracket")
	case tokenCloseList, tokenCloseMap:
		fail("bad expression, could not find matching `)`")
	case tokenEndIf:
		fail("bad expression, got `end` without matching `if`")
	case tokenThen, tokenElse, tokenElif:
		fail("bad expression, `%s` without matching `if`", t.text)
	}
	fail("bad expression, please check expression syntax")
	return nil
}

func (p *parser) peek() token {
	if len(p.tokens) == 0 {
		return token{}
	}
	return p.tokens[0]
}

func (p *parser) next() token {
	t := p.peek()
	if len(p.tokens) > 0 {
		p.tokens = p.tokens[1:]
	}
	return t
}

// infix returns the operator that stands between the last operand and the next,
// how many tokens it takes, and which token it is.
func (p *parser) infix() (op *operator, tokens int, t token) {
	t = p.peek()
	switch t.kind {
	case tokenPath, tokenIndex:
		if p.chain {
			return chained, 0, t
		}
	case tokenOpenList:
		if p.chain {
			return indexed, 0, t
		}
	case tokenOperator:
		if t.set != nil && len(p.tokens) > 1 {
			if next := p.tokens[1]; next.op == assignPlain || next.op == assignEach {
				return assignmentOf(t.set, next.op == assignEach), 2, t
			}
		}
		if t.op.arity == 2 {
			return t.op, 1, t
		}
	}
	return nil, 0, t
}

// expr parses an expression whose operators have at least this precedence.
func (p *parser) expr(prec int) *Expr {
	if p.depth++; p.depth > maxNesting {
		fail("the expression is nested too deeply")
	}
	// Nothing is deferred: a panic would run it in each of the frames.
	left := p.operand(prec)
	for {
		op, n, t := p.infix()
		if op == nil || op.prec < prec {
			p.depth--
			return left
		}
		p.tokens = p.tokens[n:]
		e := &Expr{op: op, left: left}
		if op == indexed {
			e.right, e.opt = p.index()
		} else {
			p.wants(t, op)
			e.right = p.expr(op.prec)
		}
		left = e
	}
}

// wants fails where the second operand of an operator is missing.
func (p *parser) wants(t token, op *operator) {
	switch p.peek().kind {
	case tokenEnd, tokenClose, tokenCloseList, tokenCloseMap:
		if op != slicing {
			fail("'%s' expects 2 args but there is 1", strings.TrimSpace(t.text))
		}
	}
}

// operand parses an operand of operators of some precedence.
func (p *parser) operand(prec int) *Expr {
	t := p.next()
	p.chain = false
	switch t.kind {
	case tokenPath:
		p.chain = true
		return &Expr{op: member, word: t.word, opt: t.opt}
	case tokenVariable:
		p.chain = true
		return &Expr{op: variable, word: t.word}
	case tokenValue:
		return &Expr{op: constant, node: value(t)}
	case tokenString:
		return p.interpolation(t.word)
	case tokenIndex:
		e := &Expr{op: indexed, left: &Expr{op: identity}}
		p.tokens = append([]token{{kind: tokenOpenList, text: "["}}, p.tokens...)
		e.right, e.opt = p.index()
		return e
	case tokenOpen:
		e := p.expr(0)
		p.close(tokenClose, "(", ")")
		return e
	case tokenOpenList:
		if p.peek().kind == tokenCloseList {
			p.close(tokenCloseList, "[", "]")
			return &Expr{op: collecting, right: &Expr{op: nothing}}
		}
		e := p.expr(0)
		p.close(tokenCloseList, "[", "]")
		return &Expr{op: collecting, right: e}
	case tokenOpenMap:
		inner := &Expr{op: nothing}
		if p.peek().kind != tokenCloseMap {
			inner = p.expr(0)
		}
		p.close(tokenCloseMap, "{", "}")
		return &Expr{op: chained, left: inner, right: &Expr{op: collectingMap}}
	case tokenIf:
		return p.condition("if")
	case tokenOperator:
		return p.prefix(t)
	case tokenClose:
		fail("bad expression, got close brackets without matching opening bracket")
	case tokenCloseList, tokenCloseMap:
		fail("bad expression, could not find matching `)`")
	}
	fail("bad expression, please check expression syntax")
	return nil
}

// prefix parses an operator that begins an operand.
func (p *parser) prefix(t token) *Expr {
	e := &Expr{op: t.op, args: t.args}
	switch {
	case t.op.arity == 0:
		p.chain = t.op.chain
	case t.op.arity == 2:
		fail("'%s' expects 2 args but there is 0", t.text)
	case t.op.name == "first" && p.peek().kind != tokenOpen:
		p.chain = t.op.chain
	default:
		switch p.peek().kind {
		case tokenEnd, tokenClose, tokenCloseList, tokenCloseMap:
			fail("'%s' expects 1 arg but received none", t.text)
		}
		e.right = p.expr(t.op.prec)
	}
	return e
}

// index parses what stands between the brackets of an index.
func (p *parser) index() (e *Expr, opt bool) {
	p.next()
	p.chain = false
	switch t := p.peek(); {
	case t.kind == tokenCloseList:
		opt = p.close(tokenCloseList, "[", "]")
		return nil, opt
	case t.op == slicing:
		p.next()
		e = &Expr{op: slicing, left: &Expr{op: constant, node: scalar(tagInt, "0")}}
		if p.peek().kind != tokenCloseList {
			e.right = p.expr(slicing.prec)
		}
	default:
		e = p.expr(slicing.prec + 1)
		if p.peek().op == slicing {
			p.next()
			e = &Expr{op: slicing, left: e}
			if p.peek().kind != tokenCloseList {
				e.right = p.expr(slicing.prec)
			}
		} else if p.peek().op == union {
			p.next()
			e = &Expr{op: union, left: e, right: p.expr(0)}
		}
	}
	opt = p.close(tokenCloseList, "[", "]")
	return e, opt
}

// close takes a closing bracket, and returns whether it ends in a question mark.
func (p *parser) close(kind tokenKind, open, text string) (opt bool) {
	t := p.next()
	if t.kind != kind {
		switch {
		case t.kind == tokenEnd && open == "(":
			fail("bad expression - probably missing close bracket on (")
		case t.kind == tokenEnd, t.kind == tokenClose, t.kind == tokenCloseList, t.kind == tokenCloseMap:
			fail("bad expression, could not find matching `%s`", text)
		case t.kind == tokenThen, t.kind == tokenElse, t.kind == tokenElif:
			fail("bad expression, `%s` without matching `if`", t.text)
		}
		fail("bad expression, please check expression syntax")
	}
	p.chain = true
	return t.opt
}

// condition parses what follows if, or elif.
func (p *parser) condition(after string) *Expr {
	e := &Expr{op: conditional, left: p.expr(6)}
	if p.peek().kind != tokenThen {
		fail("bad expression, `%s` must be followed by `then`", after)
	}
	p.next()
	then := p.expr(6)
	branches := &Expr{op: nothing, left: then}
	e.right = branches
	switch t := p.next(); t.kind {
	case tokenElif:
		branches.right = p.condition("elif")
		return e
	case tokenElse:
		branches.right = p.expr(6)
		if p.next().kind != tokenEndIf {
			fail("bad expression, could not find matching `end`")
		}
	case tokenEndIf:
	case tokenThen:
		fail("bad expression, `then` must follow `if` or `elif`")
	default:
		fail("bad expression, could not find matching `end`")
	}
	p.chain = true
	return e
}

// value returns the node of a number or another constant.
func value(t token) *Node {
	if t.tag == tagInt {
		digits, base := t.word, 10
		if len(digits) > 2 && digits[0] == '0' && digits[1]|0x20 == 'x' {
			digits, base = digits[2:], 16
		}
		_, err := strconv.ParseInt(digits, base, 64)
		check(err)
	}
	return scalar(t.tag, t.word)
}

// interpolation parses a string that may hold expressions: \(…). Where one does
// not end, the whole is text.
func (p *parser) interpolation(text string) *Expr {
	whole := &Expr{op: constant, node: scalar(tagStr, text)}
	if !strings.Contains(text, `\(`) {
		return whole
	}
	e := &Expr{op: interpolated, word: text}
	last := e
	add := func(part *Expr) {
		last.right = &Expr{op: nothing, left: part}
		last = last.right
	}
	var plain strings.Builder
	for i := 0; i < len(text); i++ {
		switch {
		case strings.HasPrefix(text[i:], `\\(`):
			plain.WriteString(`\(`)
			i += 2
		case strings.HasPrefix(text[i:], `\(`):
			end := matching(text, i+2)
			if end < 0 {
				return whole
			}
			add(&Expr{op: constant, node: scalar(tagStr, plain.String())})
			plain.Reset()
			add(p.machine.parse(text[i+2 : end]))
			i = end
		default:
			plain.WriteByte(text[i])
		}
	}
	add(&Expr{op: constant, node: scalar(tagStr, plain.String())})
	return e
}

// matching returns where the bracket is that closes one before i, or -1.
func matching(text string, i int) int {
	for depth := 1; i < len(text); i++ {
		switch text[i] {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}
