package find

import (
	"errors"
	"fmt"

	"github.com/limpet-sh/limpet/internal/walk"
)

// A test is a primary of an expression: a test, an action or an option. It
// reports whether e passes.
type test func(e *walk.Entry) bool

// An expression is a test, or an operator with what it joins.
type expression struct {
	op   operator
	test test
	list []*expression
}

// An operator joins expressions. Later ones bind less tightly.
type operator uint8

const (
	opTest operator = iota
	opNot
	opAnd
	opOr
	opComma
)

// eval applies the expression to e. Nothing more is applied once the search has
// ended.
func (x *expression) eval(f *finder, e *walk.Entry) bool {
	switch x.op {
	case opTest:
		return x.test(e)
	case opNot:
		return !x.list[0].eval(f, e)
	}
	result := x.op == opAnd
	for _, y := range x.list {
		result = y.eval(f, e)
		if f.ended() || x.op == opAnd && !result || x.op == opOr && result {
			return result
		}
	}
	return result
}

// A tokenKind is what a word of an expression is.
type tokenKind uint8

const (
	tokenTest tokenKind = iota
	tokenNot
	tokenOpen
	tokenClose
	tokenBinary
)

// A token is a word of an expression, with its arguments.
type token struct {
	kind tokenKind
	name string // as it was written
	op   operator
	test test

	implied bool // an -and that was not written
}

// maxNesting is how deeply parentheses and negations may nest.
const maxNesting = 1000

// A builder makes an expression of tokens.
type builder struct {
	tokens []token
	acts   bool // it has an action: nothing stands for -print behind it
	depth  int
}

// build returns the expression that the tokens spell.
func (b *builder) build() (*expression, error) {
	x, err := b.sequence(opComma, nil)
	if err == nil && len(b.tokens) > 0 {
		return nil, errors.New("you have too many ')'")
	}
	return x, err
}

// sequence parses operands joined by operators that bind as tightly as op, or
// more. prev is the token before them.
func (b *builder) sequence(op operator, prev *token) (*expression, error) {
	if op == opNot {
		return b.operand(prev)
	}
	first, err := b.sequence(op-1, prev)
	if err != nil {
		return nil, err
	}
	list := []*expression{first}
	for len(b.tokens) > 0 && b.tokens[0].kind == tokenBinary && b.tokens[0].op == op {
		operator := b.take()
		next, err := b.sequence(op-1, operator)
		if err != nil {
			return nil, err
		}
		list = append(list, next)
	}
	if len(list) == 1 {
		return first, nil
	}
	return &expression{op: op, list: list}, nil
}

func (b *builder) take() *token {
	t := &b.tokens[0]
	b.tokens = b.tokens[1:]
	return t
}

// operand parses a test, a negation or a group.
func (b *builder) operand(prev *token) (*expression, error) {
	if len(b.tokens) == 0 {
		if prev == nil || b.acts {
			return nil, errors.New("invalid expression")
		}
		return nil, fmt.Errorf("expected an expression after '%s'", prev.name)
	}
	if b.depth++; b.depth > maxNesting {
		return nil, errors.New("invalid expression; it is nested too deeply")
	}
	defer func() { b.depth-- }()
	t := b.take()
	switch t.kind {
	case tokenTest:
		return &expression{test: t.test}, nil
	case tokenNot:
		x, err := b.operand(t)
		return &expression{op: opNot, list: []*expression{x}}, err
	case tokenOpen:
		return b.group(t)
	case tokenBinary:
		return nil, fmt.Errorf("invalid expression; you have used a binary operator '%s' with nothing before it.", t.name)
	}
	if prev != nil && !prev.implied && (prev.kind == tokenNot || prev.kind == tokenBinary) {
		return nil, fmt.Errorf("expected an expression between '%s' and ')'", prev.name)
	}
	return nil, errors.New("invalid expression; you have too many ')'")
}

// group parses what follows an opening parenthesis.
func (b *builder) group(open *token) (*expression, error) {
	if len(b.tokens) == 0 {
		return nil, fmt.Errorf("invalid expression; expected to find a ')' but didn't see one. Perhaps you need an extra predicate after '%s'", open.name)
	}
	if b.tokens[0].kind == tokenClose {
		return nil, errors.New("invalid expression; empty parentheses are not allowed.")
	}
	x, err := b.sequence(opComma, open)
	if err != nil {
		return nil, err
	}
	if len(b.tokens) == 0 || b.tokens[0].kind != tokenClose {
		return nil, errors.New("invalid expression; I was expecting to find a ')' somewhere but did not see one.")
	}
	b.take()
	return x, nil
}
