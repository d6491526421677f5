package parse

import "mvdan.cc/sh/v3/syntax"

// The parser joins some commands and conditions in another order than bash.
// The functions below put them right.

// unchain takes what follows a function or a coprocess out of it: in
// f() { a; } && b the parser makes b part of the function.
func unchain(s *syntax.Stmt) {
	var body **syntax.Stmt
	switch c := s.Cmd.(type) {
	case *syntax.FuncDecl:
		body = &c.Body
	case *syntax.CoprocClause:
		body = &c.Stmt
		defer mergeName(c)
	default:
		return
	}
	chain, ok := (*body).Cmd.(*syntax.BinaryCmd)
	if !ok {
		return
	}
	first := chain
	for {
		next, ok := first.X.Cmd.(*syntax.BinaryCmd)
		if !ok {
			break
		}
		first = next
	}
	*body, first.X = first.X, &syntax.Stmt{Position: s.Cmd.Pos(), Cmd: s.Cmd}
	s.Cmd = chain
}

// mergeName makes the first word of a coprocess that is a simple command part
// of it again: only compound commands have names.
func mergeName(c *syntax.CoprocClause) {
	if c.Name == nil {
		return
	}
	switch cmd := c.Stmt.Cmd.(type) {
	case nil:
		c.Stmt.Cmd = &syntax.CallExpr{Args: []*syntax.Word{c.Name}}
	case *syntax.CallExpr:
		cmd.Args = append([]*syntax.Word{c.Name}, cmd.Args...)
	default:
		return
	}
	c.Stmt.Position = c.Name.Pos()
	c.Name = nil
}

// A conjunct is a term of a condition, and the operator in front of it.
type conjunct struct {
	op   syntax.BinTestOperator
	pos  syntax.Pos
	term syntax.TestExpr
}

// ordered gives a condition the order that bash evaluates it in: ! binds to
// one term, && more tightly than ||. The parser makes what follows each
// operator its operand.
func ordered(x syntax.TestExpr) syntax.TestExpr {
	var ors, ands syntax.TestExpr
	var or syntax.Pos
	for _, c := range conjuncts(x) {
		switch {
		case ands == nil:
			ands = c.term
		case c.op == syntax.AndTest:
			ands = &syntax.BinaryTest{OpPos: c.pos, Op: c.op, X: ands, Y: c.term}
		default:
			ors = disjunction(ors, or, ands)
			or, ands = c.pos, c.term
		}
	}
	return disjunction(ors, or, ands)
}

func disjunction(x syntax.TestExpr, pos syntax.Pos, y syntax.TestExpr) syntax.TestExpr {
	if x == nil {
		return y
	}
	return &syntax.BinaryTest{OpPos: pos, Op: syntax.OrTest, X: x, Y: y}
}

// conjuncts returns the terms of a condition from left to right.
func conjuncts(x syntax.TestExpr) []conjunct {
	var list []conjunct
	var nots []*syntax.UnaryTest
	pending := []conjunct{{term: x}}
	for len(pending) > 0 {
		c := pending[len(pending)-1]
		pending = pending[:len(pending)-1]
		switch x := c.term.(type) {
		case *syntax.BinaryTest:
			if x.Op == syntax.AndTest || x.Op == syntax.OrTest {
				pending = append(pending, conjunct{x.Op, x.OpPos, x.Y}, conjunct{c.op, c.pos, x.X})
				continue
			}
		case *syntax.UnaryTest:
			if x.Op == syntax.TsNot {
				nots = append(nots, x)
				pending = append(pending, conjunct{c.op, c.pos, x.X})
				continue
			}
		case *syntax.ParenTest:
			x.X = ordered(x.X)
		}
		for ; len(nots) > 0; nots = nots[:len(nots)-1] {
			not := nots[len(nots)-1]
			not.X = c.term
			c.term = not
		}
		list = append(list, c)
	}
	return list
}
