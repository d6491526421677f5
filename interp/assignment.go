package interp

import (
	"strings"

	"github.com/limpet-sh/limpet/internal/parse"
	"github.com/limpet-sh/limpet/internal/unparse"
	"mvdan.cc/sh/v3/syntax"
)

// An assignment is a compiled name=value, name[i]=value, name=(values) or one of
// them with +=.
type assignment struct {
	id     int
	name   string
	add    bool
	index  *subscriptExpr
	value  text
	array  []elementExpr
	late   fields // the values of the list, where they have to be expanded together
	isList bool
	source func() string // as it is written
	run    func(sh *Shell) bool
}

// An elementExpr is an element of a compiled list of values.
type elementExpr struct {
	index  *subscriptExpr // of [i]=value
	add    bool           // [i]+=value
	value  text           // likewise
	plain  text           // the value in an associative array: tildes are literal
	values fields         // of a value without a subscript
	words  fields         // of the whole, where braces make it several words of an indexed array
	source string         // [i]=value, for messages
	shown  string         // the word in messages, where it is not its value

	bracketed bool // there are quoted brackets in the subscript
}

// assignment compiles an assignment.
func (c *compiler) assignment(as *syntax.Assign) *assignment {
	src := c.src
	a := &assignment{id: c.id(as.Name.Value), name: as.Name.Value, add: as.Append}
	a.source = func() string { return unparse.Assign(as, src) }
	if as.Index != nil {
		a.index = c.subscript(as.Index)
		a.index.owner = a.name
	}
	if as.Array != nil {
		a.isList = true
		var words []*syntax.Word
		var values []fields
		for _, e := range as.Array.Elems {
			el := c.elementExpr(e)
			a.array = append(a.array, el)
			if e.Index == nil {
				words, values = append(words, e.Value), append(values, el.values)
			}
		}
		if len(words) == len(a.array) && globsLate(words) {
			a.late = lateGlobs(values)
		}
	} else {
		a.value = c.value(as.Value)
	}
	a.run = c.runner(a, as)
	return a
}

func (c *compiler) elementExpr(e *syntax.ArrayElem) elementExpr {
	if e.Index == nil {
		return elementExpr{values: c.field(e.Value), plain: c.word(literalTildes(e.Value)), source: c.text(e.Pos(), e.End())}
	}
	el := elementExpr{index: c.subscript(e.Index), value: c.elementValue(e.Value), add: parse.Appends(e)}
	if index := el.index; strings.ContainsAny(index.raw, `'"\\`) { // Bash: without quotes here, and with them elsewhere
		index.number = func(sh *Shell) int64 { return sh.evalText(index.key(sh)) }
		el.bracketed = strings.ContainsAny(index.raw, "[]")
	}
	el.source = "[" + strings.TrimPrefix(c.text(e.Pos(), e.End()), "[")
	if el.plain = el.value; e.Value != nil {
		el.plain = c.value(literalTildes(e.Value))
		if hasBraces(e.Value) {
			el.words = c.bracedElement(e)
		}
	}
	return el
}

// bracedElement compiles [i]=value, whose value holds a brace expansion, to the words
// that it becomes; nil where it is not one word.
func (c *compiler) bracedElement(e *syntax.ArrayElem) fields {
	start := strings.LastIndexByte(c.src[:e.Pos().Offset()], '[')
	inner := c.within(c.src[max(start, 0):e.End().Offset()])
	w := parseWord(inner.src)
	if w == nil || !expandsBraces(w) {
		return nil
	}
	return inner.braceField(w)
}

// runner returns the code of an assignment: of the kinds that scripts have
// most, without a look at the others.
func (c *compiler) runner(a *assignment, as *syntax.Assign) func(sh *Shell) bool {
	id, value := a.id, a.value
	switch {
	case a.index != nil && a.index.raw == "":
		return func(sh *Shell) bool {
			sh.badSubscript(a.name, "")
			return false
		}
	case a.isList || a.index != nil && a.add:
		return a.general
	case a.index != nil:
		if n, ok := c.number(as.Value); ok {
			index := a.index
			return func(sh *Shell) bool {
				if sh.vars[id].flags&(vAssoc|vNameref|vReadonly) != 0 {
					return a.general(sh)
				}
				v := n(sh)
				if sh.pending == ctlNone {
					sh.assignElementInt(id, index, v)
				}
				return sh.pending == ctlNone
			}
		}
		return a.general
	case a.add:
		return func(sh *Shell) bool {
			s := value(sh)
			return sh.pending == ctlNone && sh.appendTo(id, s)
		}
	}
	if n, ok := c.number(as.Value); ok {
		return func(sh *Shell) bool {
			v := n(sh)
			if sh.pending == ctlNone {
				if sh.opts&optAllexport != 0 {
					return sh.assign(id, itoa(v))
				}
				sh.assignInt(id, v)
			}
			return sh.pending == ctlNone
		}
	}
	if src, ok := plainVariable(as.Value); ok {
		from := c.id(src)
		return func(sh *Shell) bool {
			if v := sh.vars[from]; v.flags&(vStr|vNum|vSlowRead) == vNum && sh.opts&optAllexport == 0 {
				sh.assignInt(id, v.num)
				return sh.pending == ctlNone
			}
			s := value(sh)
			return sh.pending == ctlNone && sh.assign(id, s)
		}
	}
	return func(sh *Shell) bool {
		s := value(sh)
		return sh.pending == ctlNone && sh.assign(id, s)
	}
}

// number compiles a value that is an integer in the form that itoa writes.
func (c *compiler) number(w *syntax.Word) (arith, bool) {
	if w == nil || len(w.Parts) != 1 {
		return nil, false
	}
	switch p := w.Parts[0].(type) {
	case *syntax.ArithmExp:
		return c.arithExpansion(p), true
	case *syntax.Lit:
		if n, ok := plainInt(p.Value); ok && itoa(n) == p.Value {
			return func(*Shell) int64 { return n }, true
		}
	}
	return nil, false
}

// plainVariable returns the name of the variable that w is, if it is one.
func plainVariable(w *syntax.Word) (string, bool) {
	if w == nil || len(w.Parts) != 1 {
		return "", false
	}
	part := w.Parts[0]
	if dq, ok := part.(*syntax.DblQuoted); ok && len(dq.Parts) == 1 {
		part = dq.Parts[0]
	}
	if pe, ok := part.(*syntax.ParamExp); ok && isPlainName(pe) {
		return pe.Param.Value, true
	}
	return "", false
}

// general runs an assignment of any kind.
func (a *assignment) general(sh *Shell) bool {
	switch {
	case a.isList:
		return a.list(sh)
	case a.index != nil:
		s := a.value(sh)
		return sh.pending == ctlNone && sh.assignElement(a.id, a.index, s, a.add)
	}
	s := a.value(sh)
	switch {
	case sh.pending != ctlNone:
		return false
	case a.add:
		return sh.appendTo(a.id, s)
	}
	return sh.assign(a.id, s)
}
