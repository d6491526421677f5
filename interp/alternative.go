package interp

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

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

// alternative compiles ${x-word} and its kin to a string; nil for others.
func (c *compiler) alternative(pe *syntax.ParamExp, ctx wordContext) text {
	if pe.Exp == nil || !isAlternative(pe.Exp.Op) {
		return nil
	}
	ch, p := c.choice(pe)
	word := constant("")
	assigns := pe.Exp.Op == syntax.AssignUnset || pe.Exp.Op == syntax.AssignUnsetOrNull
	fails := pe.Exp.Op == syntax.ErrorUnset || pe.Exp.Op == syntax.ErrorUnsetOrNull
	switch {
	case pe.Exp.Word == nil:
	case fails: // Bash: between double quotes too, it is not a quoted word
		word = c.parts(pe.Exp.Word.Parts, inText)
	default:
		as := ctx
		if assigns {
			as = as&^(inPattern|inRegexp|inReplacement) | inJoined
		}
		word = c.parts(pe.Exp.Word.Parts, as&^(inInner|inSpread)|inDefault|inAlternative)
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
			switch {
			case ctx&inDocument != 0 && p.id < 0:
				v.star = false
			case ctx&inElement != 0:
				v.star = v.isList && (v.star && ctx&inQuotes != 0 || sh.ifs.joiner(sh) != "")
			}
			s := v.one(sh, ctx)
			if ctx&inQuotes != 0 {
				s = quoted(s, ctx)
			}
			return s
		}
		if fails {
			sh.status = 1 // Bash: before its word is expanded
		}
		s := word(sh)
		if handle != nil && sh.pending == ctlNone {
			s = handle(sh, s)
		}
		if assigns && ctx&inQuotes != 0 {
			s = quoted(s, ctx)
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
			sh.failedFatally()
			return ""
		}
	}
	return nil
}

// assignDefault assigns the word of ${x:=word}.
func (sh *Shell) assignDefault(p *param, word string) string {
	switch {
	case p.id >= 0 && p.exp.Index != nil && p.index == nil:
		if v := sh.resolve(p.id); v.flags&vAssoc != 0 {
			sh.hold(sh.own(p.id).assoc.set(subscript(p.exp.Index), word))
			return word
		}
		sh.failReported("%s: bad array subscript", p.name)
		if sh.pending == ctlDiscard && sh.evals == 0 && !sh.fromCommand() {
			sh.failStatus = usageStatus // Bash: in a script alone
		}
		return ""
	case p.id < 0:
		sh.failReported("$%s: cannot assign in this way", strings.TrimPrefix(p.name, "$"))
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
		word = c.emitters(pe.Exp.Word.Parts, ctx&^(inInner|inSpread)|inDefault|inAlternative)
	}
	loose := !isQuoted && pe.Exp.Word != nil && loosely(pe.Exp.Word.Parts)
	return func(sh *Shell, b *builder) {
		v := ch.get(sh)
		switch {
		case sh.pending != ctlNone:
		case ch.word(sh, &v):
			nothing := b.nothing
			if !isQuoted && loose && sh.ifs.joiner(sh) != " " && sh.ifs.joiner(sh) != "" {
				b.looseList(sh, word)
				return
			}
			for _, e := range word {
				e(sh, b)
			}
			if isQuoted {
				b.open, b.nothing = true, nothing
			}
		case ch.alt:
			b.nothing = b.nothing || v.isList && !v.star && len(v.list) == 0
		default:
			b.value(sh, &v, isQuoted)
		}
	}
}

// loosely reports whether there is a list of @ among parts that is not quoted, and none that
// is.
func loosely(parts []syntax.WordPart) bool {
	loose := false
	for _, p := range parts {
		switch p := p.(type) {
		case *syntax.DblQuoted:
			if spreads(p.Parts) {
				return false
			}
		case *syntax.ParamExp:
			nested := p.Exp != nil && isAlternative(p.Exp.Op) && p.Exp.Word != nil
			loose = loose || spreads([]syntax.WordPart{p}) || nested && loosely(p.Exp.Word.Parts)
		}
	}
	return loose
}

// looseList adds the word of ${x-word} in which there is a list of @. Bash: its fields are
// joined with blanks, at which they are split again where IFS has one.
func (b *builder) looseList(sh *Shell, word []emitter) {
	w := builder{whole: true}
	for _, e := range word {
		e(sh, &w)
	}
	w.finish(sh)
	if sh.pending != ctlNone || len(w.dst) == 0 {
		return
	}
	if sh.ifs.table(sh)[' '] != 0 {
		b.list(sh, w.dst, true)
		return
	}
	v := value{list: w.dst, isList: true}
	b.quote(v.one(sh, 0))
}
