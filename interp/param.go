package interp

import (
	"strings"

	"github.com/limpet-sh/limpet/internal/parse"
	"mvdan.cc/sh/v3/syntax"
)

// A value is what a parameter holds: a string, or the list of all positional
// parameters or elements of an array.
type value struct {
	s      string
	list   []string
	isList bool
	star   bool // of $* or ${a[*]}
	set    bool
}

// one returns v as one string, as it is where there is no splitting.
func (v *value) one(sh *Shell, ctx wordContext) string {
	if !v.isList {
		return v.s
	}
	if len(v.list) == 1 {
		return v.list[0]
	}
	sep := " "
	if v.star {
		sep = sh.ifs.joiner(sh)
	}
	n := 0
	for _, s := range v.list {
		n += len(s) + len(sep)
	}
	if !sh.fits(n) {
		return ""
	}
	return strings.Join(v.list, sep)
}

// null reports whether v is empty as the colon in ${x:-w} means it.
func (v *value) null(sh *Shell) bool {
	switch {
	case !v.isList:
		return v.s == ""
	case len(v.list) > 1 && (!v.star || sh.ifs.joiner(sh) != ""):
		return false
	}
	return strings.Join(v.list, "") == ""
}

// A getter is a compiled parameter.
type getter func(sh *Shell) value

// A param is a parameter expansion whose parts have been told apart.
type param struct {
	exp   *syntax.ParamExp
	name  string // as error messages show it
	get   getter
	id    int // of the variable, or -1
	index *subscriptExpr
	quiet bool // nounset does not apply to it
}

// isPlainName reports whether pe is $name or ${name}.
func isPlainName(pe *syntax.ParamExp) bool {
	return pe.Param != nil && pe.Flags == nil && isName(pe.Param.Value) && pe.Index == nil && !pe.Excl && !pe.Length && !pe.Width &&
		pe.Slice == nil && pe.Repl == nil && pe.Exp == nil && pe.Names == 0
}

// subscript returns the text of a subscript that is all elements, "@" or "*",
// and "" for others.
func subscript(x syntax.ArithmExpr) string {
	if w, ok := x.(*syntax.Word); ok {
		if lit := w.Lit(); lit == "@" || lit == "*" {
			return lit
		}
	}
	return ""
}

// textOf returns the scalar value of v, whose name is name.
func (sh *Shell) textOf(v *variable, name string) string {
	if v.flags&(vSet|vSlowRead) == vSet {
		return v.text(sh)
	}
	if v.flags&vNameref != 0 {
		val := sh.refValue(v, name)
		if sh.opts&optNounset != 0 && !val.set && sh.pending == ctlNone {
			sh.unset(v.str)
		}
		return val.one(sh, inText)
	}
	if sh.opts&optNounset != 0 && !v.isSet() {
		if v.flags&(vIndexed|vAssoc) != 0 {
			name += "[0]"
		}
		sh.unset(name)
		return ""
	}
	return v.text(sh)
}

// unset reports a parameter that nounset refuses.
func (sh *Shell) unset(name string) {
	if sh.pending != ctlNone {
		return
	}
	sh.errorf("%s: unbound variable", name)
	sh.failed(ctlExit, sh.fatalStatus())
}

// unbound compiles the report that name is unset.
func (c *compiler) unbound(name string) func(sh *Shell) {
	return func(sh *Shell) { sh.unset(name) }
}

// param takes a parameter expansion apart.
func (c *compiler) param(pe *syntax.ParamExp) *param {
	p := &param{exp: pe, id: -1}
	if text, bad := parse.BadSubstitution(pe); bad || pe.Param == nil {
		if !bad {
			text = c.text(pe.Pos(), pe.End())
		}
		p.get = func(sh *Shell) value {
			sh.badSubstitution(text)
			return value{}
		}
		return p
	}
	p.name = pe.Param.Value
	switch name := p.name; {
	case name == "@" || name == "*":
		star := name == "*"
		p.quiet = true
		p.get = func(sh *Shell) value {
			return value{list: sh.params, isList: true, star: star, set: len(sh.params) > 0}
		}
	case isName(name):
		p.id = c.id(name)
		c.variableParam(p)
	case name[0] >= '0' && name[0] <= '9':
		c.positional(p)
	default:
		p.quiet = name != "!"
		p.get = func(sh *Shell) value { return sh.special(name[0]) }
	}
	return p
}

func (c *compiler) positional(p *param) {
	n, ok := plainInt(strings.TrimLeft(p.name, "0"))
	if strings.Trim(p.name, "0") == "" {
		p.get = func(sh *Shell) value { return value{s: sh.name, set: true} }
		return
	}
	p.name = "$" + p.name
	p.get = func(sh *Shell) value {
		if ok && n <= int64(len(sh.params)) {
			return value{s: sh.params[n-1], set: true}
		}
		return value{}
	}
}

func (c *compiler) variableParam(p *param) {
	id, name := p.id, p.name
	if p.exp.Index == nil {
		p.get = func(sh *Shell) value {
			v := sh.vars[id]
			if v.flags&vNameref != 0 {
				return sh.refValue(v, name)
			}
			return value{s: v.text(sh), set: v.isSet()}
		}
		return
	}
	if all := subscript(p.exp.Index); all != "" {
		star := all == "*"
		p.quiet = true
		p.name += "[" + all + "]"
		p.get = func(sh *Shell) value { return sh.elements(sh.resolve(id), star) }
		return
	}
	if p.index = c.subscript(p.exp.Index); p.index.raw == "" {
		source := c.text(p.exp.Pos(), p.exp.End())
		p.get = func(sh *Shell) value {
			sh.badSubstitution(source)
			return value{}
		}
		return
	}
	p.name += "[" + p.index.raw + "]"
	index := p.index
	p.get = func(sh *Shell) value { return sh.element(sh.resolve(id), index) }
}

// elements returns all elements of v.
func (sh *Shell) elements(v *variable, star bool) value {
	val := value{isList: true, star: star}
	switch {
	case v.flags&vIndexed != 0:
		if sh.fits(16 * v.arr.len()) {
			val.list = v.arr.appendTexts(nil)
		}
	case v.flags&vAssoc != 0:
		if sh.fits(16 * v.assoc.len()) {
			val.list = v.assoc.appendTexts(nil)
		}
	case v.isSet():
		val.list = []string{v.text(sh)}
	}
	val.set = len(val.list) > 0
	return val
}

// element returns one element of v.
func (sh *Shell) element(v *variable, index *subscriptExpr) value {
	if v.flags&vAssoc != 0 {
		s, ok := v.assoc.get(index.key(sh))
		return value{s: s, set: ok}
	}
	i := index.number(sh)
	if sh.pending != ctlNone && sh.indexFailed() {
		return value{}
	}
	if v.flags&vIndexed == 0 {
		if i == 0 || i == -1 {
			return value{s: v.text(sh), set: v.isSet()}
		}
		return value{}
	}
	if i < 0 {
		if i += v.arr.end(); i < 0 {
			sh.errorf("%s: bad array subscript", index.owner)
			return value{}
		}
	}
	e, ok := v.arr.get(i)
	return value{s: e.text(), set: ok}
}

// A subscriptExpr is a compiled subscript: a key for an associative array, an
// expression for an indexed one.
type subscriptExpr struct {
	raw    string
	owner  string // the array's name, for messages
	number arith
	key    text
}

// subscript compiles a subscript that is not @ or *.
func (c *compiler) subscript(x syntax.ArithmExpr) *subscriptExpr {
	return c.subscriptText(c.arithSource(x))
}

func (c *compiler) subscriptText(raw string) *subscriptExpr {
	s := &subscriptExpr{raw: raw, number: c.arithText(raw, 0)}
	unquote := func(s string) string { return unescape(s, inText) }
	var ok bool
	if s.key, ok = c.rawText(raw, inText, unquote); !ok {
		s.key = constant(unquote(raw))
	}
	return s
}

// special returns the value of a parameter that is a punctuation character.
func (sh *Shell) special(name byte) value {
	switch name {
	case '?':
		return value{s: itoa(int64(sh.status)), set: true}
	case '#':
		return value{s: itoa(int64(len(sh.params))), set: true}
	case '$':
		return value{s: itoa(int64(sh.shellPID())), set: true}
	case '!':
		if sh.bg == 0 {
			return value{}
		}
		return value{s: itoa(int64(sh.bg)), set: true}
	case '-':
		return value{s: sh.flags(), set: true}
	}
	return value{}
}

// paramText compiles a parameter expansion that becomes one string.
func (c *compiler) paramText(pe *syntax.ParamExp, ctx wordContext) text {
	if isPlainName(pe) {
		id, name := c.id(pe.Param.Value), pe.Param.Value
		get := func(sh *Shell) string {
			v := sh.vars[id]
			if v.flags&(vStr|vSlowRead) == vStr {
				return v.str
			}
			return sh.textOf(v, name)
		}
		return escapeIn(get, ctx)
	}
	if word := c.alternative(pe, ctx); word != nil {
		return word
	}
	get := c.paramValue(pe, ctx)
	return escapeIn(func(sh *Shell) string {
		v := get(sh)
		return v.one(sh, ctx)
	}, ctx)
}

// paramEmitter compiles a parameter expansion that may become several fields.
func (c *compiler) paramEmitter(pe *syntax.ParamExp, ctx wordContext) emitter {
	isQuoted := ctx&inQuotes != 0
	if pe.Exp != nil && isAlternative(pe.Exp.Op) {
		return c.alternativeEmitter(pe, ctx)
	}
	if isQuoted && !mayBeList(pe) {
		t := c.paramText(pe, inText|inQuotes)
		return func(sh *Shell, b *builder) { b.quote(t(sh)) }
	}
	get := c.paramValue(pe, ctx)
	return func(sh *Shell, b *builder) {
		v := get(sh)
		b.value(sh, &v, isQuoted)
	}
}

// value adds the value of a parameter.
func (b *builder) value(sh *Shell, v *value, isQuoted bool) {
	switch {
	case sh.pending != ctlNone:
	case v.isList && !(v.star && isQuoted):
		b.list(sh, v.list, isQuoted)
	case isQuoted:
		b.quote(v.one(sh, 0))
	default:
		b.expand(sh, v.s)
	}
}

func isAlternative(op syntax.ParExpOperator) bool {
	switch op {
	case syntax.AlternateUnset, syntax.AlternateUnsetOrNull, syntax.DefaultUnset, syntax.DefaultUnsetOrNull,
		syntax.ErrorUnset, syntax.ErrorUnsetOrNull, syntax.AssignUnset, syntax.AssignUnsetOrNull:
		return true
	}
	return false
}

// A choice is a compiled ${x-word} and its kin, up to which of the two it is.
type choice struct {
	get  getter
	null bool // with a colon
	alt  bool // + : the word where there is a value
	full bool // a list with elements is never null
	many bool // nor is one of several elements, whatever IFS is
}

func (c *compiler) choice(pe *syntax.ParamExp) (choice, *param) {
	get, p := c.base(pe)
	ch := choice{get: get, full: pe.Excl}
	switch pe.Exp.Op {
	case syntax.AlternateUnset, syntax.AlternateUnsetOrNull:
		ch.alt = true
	}
	switch pe.Exp.Op {
	case syntax.AlternateUnsetOrNull, syntax.DefaultUnsetOrNull, syntax.ErrorUnsetOrNull, syntax.AssignUnsetOrNull:
		ch.null = true
	}
	return ch, p
}

// word reports whether the word is what the expansion becomes.
func (ch *choice) word(sh *Shell, v *value) bool {
	return (!v.set || ch.null && !(v.isList && (ch.full || ch.many && len(v.list) > 1)) && v.null(sh)) != ch.alt
}

// base compiles the parameter of pe, indirect or not, without its operator.
func (c *compiler) base(pe *syntax.ParamExp) (getter, *param) {
	p := c.param(pe)
	if pe.Excl && pe.Names == 0 {
		return c.indirect(p), p
	}
	return p.get, p
}

// alternative compiles ${x-word} and its kin to a string; nil for others.
func (c *compiler) alternative(pe *syntax.ParamExp, ctx wordContext) text {
	if pe.Exp == nil || !isAlternative(pe.Exp.Op) {
		return nil
	}
	ch, p := c.choice(pe)
	word := constant("")
	if pe.Exp.Word != nil {
		word = c.parts(pe.Exp.Word.Parts, ctx|inDefault|inAlternative)
	}
	handle := c.unsetAction(pe, p)
	return func(sh *Shell) string {
		v := ch.get(sh)
		if sh.pending != ctlNone {
			return ""
		}
		if !ch.word(sh, &v) {
			if ch.alt {
				return ""
			}
			s := v.one(sh, ctx)
			if ctx&inQuotes != 0 {
				s = quoted(s, ctx)
			}
			return s
		}
		s := word(sh)
		if handle != nil && sh.pending == ctlNone {
			s = handle(sh, s)
		}
		return s
	}
}

// unsetAction compiles what = and ? do with their word; nil for others.
func (c *compiler) unsetAction(pe *syntax.ParamExp, p *param) func(sh *Shell, word string) string {
	switch pe.Exp.Op {
	case syntax.AssignUnset, syntax.AssignUnsetOrNull:
		return func(sh *Shell, word string) string {
			if pe.Excl {
				return sh.assignIndirect(p, word)
			}
			return sh.assignDefault(p, word)
		}
	case syntax.ErrorUnset, syntax.ErrorUnsetOrNull:
		null, given := pe.Exp.Op == syntax.ErrorUnsetOrNull, pe.Exp.Word != nil && len(pe.Exp.Word.Parts) > 0
		return func(sh *Shell, word string) string {
			name := strings.TrimPrefix(p.name, "$")
			switch {
			case given:
				sh.errorf("%s: %s", name, word)
			case null:
				sh.errorf("%s: parameter null or not set", name)
			default:
				sh.errorf("%s: parameter not set", name)
			}
			sh.failed(ctlExit, sh.fatalStatus())
			return ""
		}
	}
	return nil
}

// assignDefault assigns the word of ${x:=word}.
func (sh *Shell) assignDefault(p *param, word string) string {
	switch {
	case p.id < 0:
		sh.fail("$%s: cannot assign in this way", strings.TrimPrefix(p.name, "$"))
		return ""
	case p.index != nil:
		sh.assignElement(p.id, p.index, word, false)
		v := sh.element(sh.resolve(p.id), p.index)
		return v.s
	}
	sh.assign(p.id, word)
	if sh.pending != ctlNone {
		return ""
	}
	return sh.resolve(p.id).text(sh)
}

// alternativeEmitter compiles ${x-word} and its kin to fields.
func (c *compiler) alternativeEmitter(pe *syntax.ParamExp, ctx wordContext) emitter {
	isQuoted := ctx&inQuotes != 0
	ch, p := c.choice(pe)
	ch.many = !isQuoted
	if handle := c.unsetAction(pe, p); handle != nil {
		t := c.alternative(pe, inText|ctx)
		get := ch.get
		return func(sh *Shell, b *builder) {
			if v := get(sh); !ch.word(sh, &v) {
				b.value(sh, &v, isQuoted)
				return
			}
			v := value{s: t(sh)}
			b.value(sh, &v, isQuoted)
		}
	}
	var word []emitter
	if pe.Exp.Word != nil {
		word = c.emitters(pe.Exp.Word.Parts, ctx|inDefault|inAlternative)
	}
	return func(sh *Shell, b *builder) {
		v := ch.get(sh)
		switch {
		case sh.pending != ctlNone:
		case ch.word(sh, &v):
			if isQuoted && len(word) == 0 {
				b.open = true
			}
			for _, e := range word {
				e(sh, b)
			}
		case ch.alt:
			if isQuoted && !(v.isList && !v.star) {
				b.open = true
			}
		default:
			b.value(sh, &v, isQuoted)
		}
	}
}
