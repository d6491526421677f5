package interp

import (
	"strings"

	"github.com/limpet-sh/limpet/internal/parse"
	"mvdan.cc/sh/v3/syntax"
)

// An arith is a compiled arithmetic expression. Where it fails it has set
// sh.pending, and its value means nothing.
type arith func(sh *Shell) int64

// maxExpressionDepth bounds the evaluation of variables whose values are
// expressions.
const maxExpressionDepth = 1022

// arithSource returns the text of an expression of the tree.
func (c *compiler) arithSource(x syntax.ArithmExpr) string {
	if x == nil {
		return ""
	}
	return c.text(x.Pos(), x.End())
}

// arithExpansion compiles $((expr)) and $[expr].
func (c *compiler) arithExpansion(p *syntax.ArithmExp) arith {
	text := c.text(p.Left, p.Right)
	open := "(("
	if p.Bracket {
		open = "["
	}
	_, text, _ = strings.Cut(text, open) // there may be escaped newlines before it
	eval := c.expandedText(text, 0)
	return func(sh *Shell) int64 {
		n := sh.named("", eval)
		sh.lost = sh.lost || sh.pending == ctlDiscard
		sh.fatalInPosix()
		return n
	}
}

// arithText compiles the text of an expression; empty is the value of an empty
// one.
//
// In bash the text is first expanded as between double quotes, and the result
// is parsed. Parsing before expanding gives the same where every $x in it is a
// plain integer and not assigned to, which is nearly always: then the
// expression compiled here is used, and otherwise the text is expanded.
func (c *compiler) arithText(text string, empty int64) arith {
	trimmed := strings.TrimSpace(text)
	if trimmed == "" {
		return func(*Shell) int64 { return empty }
	}
	if !strings.ContainsAny(text, "$`'\"\\") {
		return c.expression(text)
	}
	late := c.lateExpression(text)
	if strings.ContainsAny(text, "`'\"\\") {
		return late
	}
	p := &exprParser{c: c, src: text, dollars: true}
	early := p.parse()
	if p.failed || p.mixed() {
		return late
	}
	operands := p.operands
	return func(sh *Shell) int64 {
		for _, is := range operands {
			if !is(sh) {
				return late(sh)
			}
		}
		return early(sh)
	}
}

// expandedText is arithText for an expression that bash expands as a whole. Bash: it puts a
// backslash in front of the tildes in its subscripts.
func (c *compiler) expandedText(text string, empty int64) arith {
	if !strings.Contains(text, "~") || !strings.Contains(text, "[") {
		return c.arithText(text, empty)
	}
	var b strings.Builder
	depth := 0
	for i := 0; i < len(text); {
		end := i + 1
		switch text[i] {
		case '\\':
			end = min(i+2, len(text))
		case '$', '`', '\'', '"':
			end = min(skipExpansion(text, i), len(text))
		case '[':
			if depth > 0 || i > 0 && isNameByte(text[i-1]) {
				depth++
			}
		case ']':
			depth = max(depth-1, 0)
		case '~':
			if depth > 0 {
				b.WriteByte('\\')
			}
		}
		b.WriteString(text[i:end])
		i = end
	}
	return c.arithText(b.String(), empty)
}

// lateExpression compiles an expression that is expanded each time, and then
// parsed.
func (c *compiler) lateExpression(src string) arith {
	t := c.expansion(src)
	if t == nil {
		return func(sh *Shell) int64 {
			sh.exprError(src, "syntax error in expression", src)
			return 0
		}
	}
	return func(sh *Shell) int64 { return sh.evalExpanded(t(sh)) }
}

// expansion compiles what the text of an expression expands to; nil where it cannot be read.
func (c *compiler) expansion(src string) text {
	w, err := parse.Document(src, parse.Mode{})
	if err != nil || w == nil {
		return nil
	}
	return c.within(src).parts(w.Parts, inText|inQuotes)
}

// evalExpanded evaluates what an expression has expanded to, which is no value of a variable.
func (sh *Shell) evalExpanded(s string) int64 {
	if sh.pending != ctlNone {
		return 0
	}
	sh.exprDepth--
	n := sh.evalText(unquoteExpression(s))
	sh.exprDepth++
	return n
}

// A shownArith is an expression of (( )) and of for (( )), which set -x shows as it is
// after its expansion.
type shownArith struct {
	text string
	eval arith
	// expand is the expansion of text; nil where that is the text itself.
	expand text
}

// shownArith compiles an expression of (( )); empty is the value of an empty one.
func (c *compiler) shownArith(text string, empty int64) shownArith {
	x := shownArith{text: text, eval: c.expandedText(text, empty)}
	if strings.ContainsAny(text, "$`\"") {
		x.expand = c.expansion(text)
	}
	return x
}

// run evaluates the expression, and shows it where set -x asks for that.
func (x *shownArith) run(sh *Shell) int64 {
	switch {
	case sh.opts&optXtrace == 0:
		return sh.named("((", x.eval)
	case x.expand == nil:
		sh.trace("(( " + x.text + " ))")
		return sh.named("((", x.eval)
	}
	s := unquoteExpression(x.expand(sh))
	if sh.pending != ctlNone {
		return 0
	}
	sh.trace("(( " + s + " ))")
	return sh.named("((", func(sh *Shell) int64 { return sh.evalExpanded(s) })
}

// unquoteExpression removes double quotes, as bash does.
func unquoteExpression(s string) string { return strings.ReplaceAll(s, `"`, "") }

// evalText evaluates the text of an expression.
func (sh *Shell) evalText(s string) int64 {
	if n, ok := plainInt(s); ok {
		return n
	}
	if strings.TrimSpace(s) == "" {
		return 0
	}
	if sh.exprDepth >= maxExpressionDepth {
		sh.exprError(s, "expression recursion level exceeded", s)
		return 0
	}
	// Values that name each other twice are evaluated twice as often at each
	// depth: this is a loop, and one that a failure ends.
	if sh.steps--; sh.steps < 0 && sh.pending == ctlNone {
		sh.pending = sh.poll()
	}
	if sh.pending != ctlNone {
		return 0
	}
	e := sh.names.cache.expression(sh, s)
	sh.exprDepth++
	n := e(sh)
	sh.exprDepth--
	return n
}

// exprError reports a mistake in an expression; token is the rest of it from the
// mistake on.
func (sh *Shell) exprError(src, msg, token string) {
	prefix := ""
	if sh.exprName != "" {
		prefix = sh.exprName + ": "
	}
	sh.fail("%s%s: %s (error token is \"%s\")", prefix, strings.TrimLeft(src, " \t"), msg, token)
}

// named evaluates e in the name of a command, which begins the error messages.
func (sh *Shell) named(name string, e arith) int64 {
	old := sh.exprName
	if sh.exprName = name; name != "" {
		sh.lost = false
	}
	n := e(sh)
	sh.exprName = old
	return n
}

// intOf returns the value of the variable id as a number.
func (sh *Shell) intOf(id int) int64 {
	v := sh.vars[id]
	if v.flags&(vNum|vSlowRead) == vNum {
		return v.num
	}
	name := ""
	if v.flags&vSlowRead == 0 && v.flags&vSet == 0 {
		if sh.opts&optNounset != 0 {
			sh.unset(sh.names.name(id))
		}
		return 0
	}
	if v.flags&vNameref != 0 {
		val := sh.refValue(v, name)
		return sh.evalText(val.s)
	}
	s := v.text(sh)
	n, ok := plainInt(s)
	if !ok {
		return sh.evalText(s)
	}
	if v.owner == sh.owner && v.flags&vSlowRead == 0 {
		v.num = n
		v.flags |= vNum
	}
	return n
}

// assignInt assigns a number to the variable id.
func (sh *Shell) assignInt(id int, n int64) {
	v := sh.vars[id]
	if v.owner == sh.owner && v.flags&vSlowWrite == 0 {
		v.setNum(n)
		return
	}
	if v.flags&vSlowWrite&^vInteger == 0 {
		sh.own(id).setNum(n)
		return
	}
	sh.assign(id, itoa(n))
}

// elementInt returns an element of the array id as a number.
func (sh *Shell) elementInt(id int, index *subscriptExpr) int64 {
	if sh.pending != ctlNone { // another operand has failed
		return 0
	}
	v := sh.vars[id]
	if v.flags&(vIndexed|vNameref) == vIndexed {
		i := index.value(sh)
		if sh.pending != ctlNone && sh.indexFailed() {
			return 0
		}
		v = sh.vars[id]
		if v.arr.sparse == nil && uint64(i) < uint64(len(v.arr.dense)) {
			e := &v.arr.dense[i]
			if e.kind == numElement {
				return e.num
			}
			return sh.elementText(id, e.str, e.kind != noElement)
		}
		if i < 0 {
			i += v.arr.end()
		}
		if i < 0 {
			sh.reported("%s: bad array subscript", sh.names.name(id))
			return 0
		}
		e, ok := v.arr.get(i)
		return sh.elementText(id, e.text(), ok)
	}
	val := sh.element(sh.resolve(id), index)
	if sh.pending != ctlNone {
		return 0
	}
	return sh.elementText(id, val.s, val.set)
}

// elementText evaluates the text of an element of the variable id. Bash: an element that
// there is not counts as 0, under nounset too, if there is the variable.
func (sh *Shell) elementText(id int, s string, set bool) int64 {
	if !set && sh.opts&optNounset != 0 && sh.resolve(id).flags&(vSet|vDynamic) == 0 {
		sh.unset(sh.names.name(id))
		return 0
	}
	return sh.evalText(s)
}
