package interp

import (
	"cmp"
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
	before string // text in front of a list, which is split between double quotes too
	joined bool   // its elements are split where they are joined
	made   bool   // an operator has made a string that is a field where it is empty
}

// one returns v as one string, as it is where there is no splitting.
func (v *value) one(sh *Shell, ctx wordContext) string {
	if !v.isList {
		return v.s
	}
	if len(v.list) == 1 {
		return v.before + v.list[0]
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
	return v.before + strings.Join(v.list, sep)
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
	lazy  bool // the subscript is not looked at where the variable has no value
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
		if sh.opts&optNounset != 0 && !val.set && !strings.Contains(v.str, "[") { // Bash: not for an element
			sh.unset(name)
		}
		return val.one(sh, inText)
	}
	if sh.opts&optNounset != 0 {
		found := v
		if v.flags&vDynamic != 0 && v.dyn.list != nil {
			found = sh.resolve(sh.id(name))
		}
		if !found.isSet() {
			if v.flags&(vIndexed|vAssoc) != 0 {
				name += "[0]"
			}
			sh.unset(name)
			return ""
		}
	}
	return v.text(sh)
}

// unset reports a parameter that nounset refuses.
func (sh *Shell) unset(name string) {
	if sh.pending != ctlNone {
		return
	}
	sh.errorf("%s: unbound variable", name)
	sh.failedFatally()
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
		p.get = c.refused(text)
		return p
	}
	p.name = pe.Param.Value
	switch name := p.name; {
	case (name == "?" || name == "#" || name == "-") && pe.Exp != nil && changesCase(pe.Exp.Op):
		p.get = c.refused(c.text(pe.Pos(), pe.End()))
	case name == "#" && looksLikeLength(c.text(pe.Pos(), pe.End())):
		p.get = c.refused(c.text(pe.Pos(), pe.End())) // Bash: it takes this for the length of a parameter
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
		if p.quiet = name != "!"; !p.quiet && pe.Short {
			p.name = "$!"
		}
		p.get = func(sh *Shell) value { return sh.special(name[0]) }
	}
	return p
}

// looksLikeLength reports an operator without a word behind ${#.
func looksLikeLength(text string) bool {
	switch text {
	case "${#+}", "${#=}", "${#%}", "${#/}":
		return true
	}
	return false
}

// refused compiles an expansion that bash reads and does not expand. One with an unknown
// operator behind @ is refused where its parameter has a value.
func (c *compiler) refused(text string) getter {
	shown := cmp.Or(c.around, text)
	if get := c.transformed(text); get != nil {
		return func(sh *Shell) value {
			if v := get(sh); v.set && sh.pending == ctlNone {
				sh.badTransformation(shown)
			}
			return value{}
		}
	}
	return func(sh *Shell) value {
		sh.badSubstitution(shown)
		return value{}
	}
}

// transformed compiles the parameter that stands in front of @ in ${parameter@op}; nil
// where there is none.
func (c *compiler) transformed(text string) getter {
	i := len("${")
	for i < len(text) && isNameByte(text[i]) {
		i++
	}
	if i == len("${") && i < len(text) && strings.IndexByte("@*?#$-", text[i]) >= 0 {
		i++
	}
	if i < len(text) && text[i] == '[' {
		i = skipNested(text, i+1, '[', ']')
	}
	if i == len("${") || i >= len(text) || text[i] != '@' {
		return nil
	}
	inner := c.within(text[:i] + "}")
	w := parseWord(inner.src)
	if w == nil || len(w.Parts) != 1 {
		return nil
	}
	pe, ok := w.Parts[0].(*syntax.ParamExp)
	if !ok || pe.Param == nil || pe.Length || pe.Excl || pe.Exp != nil {
		return nil
	}
	return inner.param(pe).get
}

func (c *compiler) positional(p *param) {
	n, ok := plainInt(strings.TrimLeft(p.name, "0"))
	if strings.Trim(p.name, "0") == "" {
		p.get = func(sh *Shell) value { return value{s: sh.name, set: true} }
		return
	}
	if p.exp.Short {
		if p.exp.Short {
			p.name = "$" + p.name
		}
	}
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
			switch {
			case v.flags&(vNameref|vDynamic) == 0:
			case v.flags&vNameref != 0:
				return sh.refValue(v, name)
			case v.dyn.list != nil:
				v = sh.resolve(id)
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
	p.index = c.subscript(p.exp.Index)
	if p.index.owner = name; p.index.raw == "" {
		source := cmp.Or(c.around, c.text(p.exp.Pos(), p.exp.End()))
		p.get = func(sh *Shell) value {
			sh.badSubstitution(source)
			return value{}
		}
		return
	}
	p.name += "[" + p.index.raw + "]"
	index := p.index
	p.get = func(sh *Shell) value {
		v := sh.resolve(id)
		if p.lazy && v.flags&(vSet|vDynamic) == 0 {
			return value{}
		}
		return sh.element(v, index)
	}
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
	if ctx&inListed != 0 && pe.Param != nil && pe.Param.Value == "*" && isPlainList(pe) {
		return documentParams
	}
	get := joinedList(c.paramValue(pe, ctx), pe, ctx)
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
	if isQuoted && ctx&inSpread == 0 && !mayBeList(pe) {
		t := c.paramText(pe, inText|inQuotes)
		return func(sh *Shell, b *builder) { b.made(sh, t(sh)) }
	}
	get := c.paramValue(pe, ctx)
	if ctx&inSpread != 0 {
		get = spread(get, pe)
	}
	return func(sh *Shell, b *builder) {
		v := get(sh)
		b.value(sh, &v, isQuoted)
	}
}

// base compiles the parameter of pe, indirect or not, without its operator.
func (c *compiler) base(pe *syntax.ParamExp) (getter, *param) {
	p := c.param(pe)
	if pe.Excl && pe.Names == 0 {
		get := c.indirect(p)
		p.name = "!" + p.name // as errors of the value show it
		return get, p
	}
	return p.get, p
}
