package interp

import (
	"strings"

	"github.com/limpet-sh/limpet/internal/condition"
	"github.com/limpet-sh/limpet/internal/regex"
	"mvdan.cc/sh/v3/syntax"
)

// A test is a compiled expression of [[ ]].
type test func(sh *Shell) bool

func (c *compiler) testClause(cmd *syntax.TestClause) node {
	run := c.test(cmd.X)
	describe := c.describe(&syntax.Stmt{Position: cmd.Pos(), Cmd: cmd})
	line := c.at
	return func(sh *Shell) ctl {
		sh.begins(describe)
		if sh.hooks&hookCommand != 0 {
			if k, run := sh.beforeCommand(line); !run {
				return k
			}
		}
		ok := run(sh)
		if sh.pending != ctlNone {
			return sh.takeTest()
		}
		sh.status = b2i(!ok)
		return ctlNone
	}
}

// takeTest is take for [[, whose numbers and regular expressions may have failed with a
// status of their own; words that fail discard the line as elsewhere.
func (sh *Shell) takeTest() ctl {
	forgiven := sh.forgiven
	sh.forgiven = false
	k := sh.take()
	if k == ctlDiscard && !sh.abandoned && forgiven {
		return ctlNone
	}
	return k
}

// test compiles an expression. Chains of && and || nest to one side and are
// compiled without recursion along it.
func (c *compiler) test(x syntax.TestExpr) test { return c.term(x, "") }

// term compiles an expression in front of which there is a !, or nothing, in
// traces.
func (c *compiler) term(x syntax.TestExpr, bang string) test {
	switch x := x.(type) {
	case *syntax.ParenTest:
		return c.test(x.X)
	case *syntax.UnaryTest:
		return c.unaryTest(x, bang)
	case *syntax.BinaryTest:
		switch x.Op {
		case syntax.AndTest:
			l, r := c.test(x.X), c.test(x.Y)
			return func(sh *Shell) bool { return l(sh) && sh.pending == ctlNone && r(sh) }
		case syntax.OrTest:
			l, r := c.test(x.X), c.test(x.Y)
			return func(sh *Shell) bool { return l(sh) || sh.pending == ctlNone && r(sh) }
		}
		return c.binaryTest(x, bang)
	case *syntax.Word:
		w := c.word(x)
		return func(sh *Shell) bool {
			s := w(sh)
			sh.traceTest(bang+"-n ", s)
			return s != ""
		}
	}
	return func(*Shell) bool { return false }
}

// traceTest traces a test of one operand.
func (sh *Shell) traceTest(op, s string) {
	if sh.hooks&hookTrace != 0 {
		sh.trace("[[ " + op + traceOperand(s) + " ]]")
	}
}

func traceOperand(s string) string {
	if s == "" {
		return "''"
	}
	return s
}

func (c *compiler) unaryTest(x *syntax.UnaryTest, bang string) test {
	if x.Op == syntax.TsNot {
		if bang == "" {
			bang = "! "
		} else {
			bang = ""
		}
		inner := c.term(x.X, bang)
		return func(sh *Shell) bool { return !inner(sh) }
	}
	op := x.Op.String()
	if x.Op == syntax.TsExists && strings.HasPrefix(c.text(x.OpPos, x.End()), "-a") {
		op = "-e"
	}
	w := c.word(x.X.(*syntax.Word))
	switch x.Op {
	case syntax.TsEmpStr, syntax.TsNempStr:
		want := x.Op == syntax.TsEmpStr
		return func(sh *Shell) bool {
			s := w(sh)
			sh.traceTest(bang+op+" ", s)
			return (s == "") == want
		}
	}
	return func(sh *Shell) bool {
		s := w(sh)
		if sh.pending != ctlNone {
			return false
		}
		sh.traceTest(bang+op+" ", s)
		return condition.Unary(&testEnv{sh}, op, s)
	}
}

func (c *compiler) binaryTest(x *syntax.BinaryTest, bang string) test {
	left, right := x.X.(*syntax.Word), x.Y.(*syntax.Word)
	l := c.word(left)
	op := x.Op.String()
	show := func(sh *Shell, a, b string) {
		if sh.hooks&hookTrace != 0 {
			sh.trace("[[ " + bang + traceOperand(a) + " " + op + " " + traceOperand(b) + " ]]")
		}
	}
	switch x.Op {
	case syntax.TsMatch, syntax.TsMatchShort, syntax.TsNoMatch:
		m, want := c.matcher(right, true), x.Op != syntax.TsNoMatch
		shown := c.parts(right.Parts, inText|inPattern|inTrace)
		return func(sh *Shell) bool {
			s := l(sh)
			if sh.pending != ctlNone {
				return false
			}
			if sh.hooks&hookTrace != 0 {
				show(sh, s, shown(sh))
			}
			return m(sh, s) == want && sh.pending == ctlNone
		}
	case syntax.TsReMatch:
		return c.regexpTest(l, right, bang)
	case syntax.TsEql, syntax.TsNeq, syntax.TsLss, syntax.TsLeq, syntax.TsGtr, syntax.TsGeq:
		return c.numberTest(x.Op, left, right, show)
	}
	r := c.word(right)
	return func(sh *Shell) bool {
		a, b := l(sh), r(sh)
		if sh.pending != ctlNone {
			return false
		}
		show(sh, a, b)
		switch x.Op {
		case syntax.TsBefore:
			return a < b
		case syntax.TsAfter:
			return a > b
		}
		return condition.Files(&testEnv{sh}, op, a, b)
	}
}

func (c *compiler) numberTest(op syntax.BinTestOperator, left, right *syntax.Word, show func(*Shell, string, string)) test {
	l, r := c.operand(left), c.operand(right)
	lt, rt := c.word(left), c.word(right)
	eval := func(sh *Shell) (a, b int64, ok bool) {
		if sh.hooks&hookTrace != 0 {
			show(sh, lt(sh), rt(sh))
		}
		a = l(sh)
		if sh.pending == ctlNone {
			b = r(sh)
		}
		if sh.pending == ctlDiscard && sh.forgiven {
			sh.failStatus = 1
		}
		return a, b, sh.pending == ctlNone
	}
	return func(sh *Shell) bool {
		a, b, ok := eval(sh)
		if !ok {
			return false
		}
		switch op {
		case syntax.TsEql:
			return a == b
		case syntax.TsNeq:
			return a != b
		case syntax.TsLss:
			return a < b
		case syntax.TsLeq:
			return a <= b
		case syntax.TsGtr:
			return a > b
		}
		return a >= b
	}
}

// operand compiles an operand of -eq and its kin, which is an expression.
func (c *compiler) operand(w *syntax.Word) arith {
	if len(w.Parts) == 1 {
		if pe, ok := w.Parts[0].(*syntax.ParamExp); ok {
			if isPlainName(pe) {
				id := c.id(pe.Param.Value)
				return func(sh *Shell) int64 {
					if v := sh.vars[id]; v.flags&(vNum|vSlowRead) == vNum {
						return v.num
					}
					return sh.operandOf(func(sh *Shell) int64 { return sh.intOf(id) })
				}
			}
			if pe.Param != nil && isName(pe.Param.Value) && pe.Index != nil && subscript(pe.Index) == "" && !pe.Excl && !pe.Length && pe.Slice == nil && pe.Repl == nil && pe.Exp == nil {
				id, index := c.id(pe.Param.Value), c.subscript(pe.Index)
				index.owner = pe.Param.Value
				return func(sh *Shell) int64 {
					n := sh.elementInt(id, index)
					sh.forgiven = sh.pending != ctlNone && !sh.lost
					return n
				}
			}
		}
	}
	t := c.word(w)
	return func(sh *Shell) int64 {
		s := t(sh)
		if sh.pending != ctlNone {
			return 0
		}
		return sh.operandOf(func(sh *Shell) int64 { return sh.evalText(s) })
	}
}

// operandOf evaluates an operand, which may fail without more than the test.
func (sh *Shell) operandOf(e arith) int64 {
	n := sh.named("[[", e)
	sh.forgiven = sh.pending != ctlNone && !sh.lost
	return n
}

type regexpKey struct {
	text  string
	flags regex.Flags
}

type cachedRegexp struct {
	re  *regex.Regexp
	err error
}

// regexp returns the compiled form of a regular expression.
func (sh *Shell) regexp(text string, flags regex.Flags) (*regex.Regexp, error) {
	c := sh.names.cache
	key := regexpKey{text, flags}
	if r, ok := c.regexps.find(key); ok {
		return r.re, r.err
	}
	re, err := regex.Compile(text, regex.Extended, flags)
	c.regexps.keep(key, &cachedRegexp{re, err})
	return re, err
}

// regexpTest compiles word =~ expression, which sets BASH_REMATCH.
func (c *compiler) regexpTest(l text, w *syntax.Word, bang string) test {
	r := c.parts(w.Parts, inText|inRegexp)
	id := c.id("BASH_REMATCH")
	return func(sh *Shell) bool {
		s, pat := l(sh), r(sh)
		if sh.pending != ctlNone {
			return false
		}
		if sh.hooks&hookTrace != 0 {
			sh.trace("[[ " + bang + traceOperand(s) + " =~ " + traceOperand(pat) + " ]]")
		}
		re, err := sh.regexp(pat, sh.regexFlags(sh.shopt(shoptNocasematch)))
		if err != nil {
			sh.failed(ctlDiscard, 2)
			sh.forgiven = true
			return false
		}
		m := sh.findRegexp(re, s)
		if sh.pending != ctlNone {
			return false
		}
		v := sh.own(id)
		if v.arr != nil {
			sh.hold(-v.arr.size())
		}
		v.flags, v.arr = vIndexed|vSet, &array{}
		for i := 0; i+1 < len(m); i += 2 {
			e := element{kind: textElement}
			if m[i] >= 0 {
				e.str = s[m[i]:m[i+1]]
			}
			sh.hold(v.arr.set(int64(i/2), e))
		}
		return m != nil
	}
}

// A cachedMatcher is the state of an expression that was matched last.
type cachedMatcher struct {
	re *regex.Regexp
	m  *regex.Matcher
}

// findRegexp returns the bounds of the match of re in s and of its groups, or
// nil.
func (sh *Shell) findRegexp(re *regex.Regexp, s string) []int {
	if sh.matcher.re != re {
		if sh.matcher.m != nil {
			sh.matcher.m.Close()
		}
		sh.matcher = cachedMatcher{re, re.Matcher(matchBudget{sh})}
	}
	m := sh.matcher.m.Submatches([]byte(s), 0)
	if err := sh.matcher.m.Err(); err != nil {
		sh.matcher = cachedMatcher{}
		sh.stop(err)
		return nil
	}
	return m
}

// A matchBudget charges a shell for the work of matching.
type matchBudget struct{ sh *Shell }

// Poll counts steps.
func (b matchBudget) Poll(n int) error { return b.sh.step(n) }

// Alloc charges memory.
func (b matchBudget) Alloc(n int) error {
	if !b.sh.hold(n) {
		return b.sh.x.error()
	}
	return nil
}

// Free gives memory back.
func (b matchBudget) Free(n int) { b.sh.hold(-n) }
