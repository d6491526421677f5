package interp

import (
	"cmp"
	"strings"

	"github.com/limpet-sh/limpet/internal/parse"
	"github.com/limpet-sh/limpet/internal/pattern"
	"mvdan.cc/sh/v3/syntax"
)

// fatalStatus is the status of a shell that an unset parameter ends.
func (sh *Shell) fatalStatus() int {
	if sh.fromCommand() && (sh.subshells == 0 || sh.subshells == 1 && sh.stageLevel == sh.level()) {
		return 127
	}
	return 1
}

// failedFatally ends a shell because of a parameter; an interactive one gives up the
// line.
func (sh *Shell) failedFatally() {
	if sh.interactive() && sh.subshells == 0 {
		sh.failed(ctlDiscard, 1)
		return
	}
	sh.failed(ctlExit, sh.fatalStatus())
}

// badSubstitution reports an expansion that bash accepts when it reads it and
// refuses when it runs it.
func (sh *Shell) badSubstitution(text string) {
	sh.failReported("%s: bad substitution", text)
	sh.lost = true
	sh.fatalInPosix()
}

// badTransformation reports an operator of ${x@operator} that there is not.
func (sh *Shell) badTransformation(text string) {
	sh.errorf("%s: bad substitution", text)
	sh.failedFatally()
}

// A transform is a compiled operator on one string.
type transform func(sh *Shell, s string) string

// An operation is a compiled operator with words, which it expands once, whatever it is
// applied to.
type operation func(sh *Shell) transform

// paramValue compiles a parameter expansion with its operator, whatever it
// becomes.
func (c *compiler) paramValue(pe *syntax.ParamExp, ctx wordContext) getter {
	switch {
	case pe.Names != 0:
		return joinedStar(c.namesWithPrefix(pe), ctx, "")
	case pe.Excl && pe.Slice == nil && pe.Repl == nil && pe.Exp == nil && subscript(pe.Index) != "" && pe.Param != nil && isName(pe.Param.Value):
		return joinedStar(c.indices(pe), ctx, " ")
	case pe.Length && (pe.Slice != nil || pe.Repl != nil || pe.Exp != nil):
		source := cmp.Or(c.around, c.text(pe.Pos(), pe.End()))
		return func(sh *Shell) value {
			sh.badSubstitution(source)
			return value{}
		}
	case pe.Length:
		return c.length(pe)
	}
	get, p := c.base(pe)
	checked := func(sh *Shell) value {
		v := get(sh)
		if sh.opts&optNounset != 0 && !v.set && !p.quiet && !v.isList && sh.pending == ctlNone {
			sh.unset(p.name)
		}
		return v
	}
	switch {
	case pe.Slice != nil:
		return c.slice(pe, p, checked)
	case pe.Repl != nil:
		return made(apply(checked, c.replace(pe)))
	case pe.Exp == nil:
		return checked
	case isAlternative(pe.Exp.Op):
		t := c.alternative(pe, ctx|inText)
		return func(sh *Shell) value { return value{s: t(sh), set: true} }
	case pe.Exp.Op == syntax.OtherParamOps:
		return c.parameterTransform(pe, p, get)
	}
	applied := apply(checked, c.operator(pe))
	if changesCase(pe.Exp.Op) {
		applied = made(applied)
	}
	switch pe.Exp.Op {
	case syntax.RemSmallPrefix, syntax.RemLargePrefix, syntax.RemSmallSuffix, syntax.RemLargeSuffix:
		if subscript(pe.Index) != "" && ctx&inQuotes == 0 {
			return marked(applied)
		}
	}
	return applied
}

// joinedStar joins a list that has come from * where IFS is empty and nothing is
// quoted. Bash: some expansions are one word there, with one separator or another.
func joinedStar(get getter, ctx wordContext, sep string) getter {
	if ctx&inQuotes != 0 {
		return get
	}
	return func(sh *Shell) value {
		v := get(sh)
		if v.star && len(v.list) > 1 && sh.ifs.joiner(sh) == "" && sh.vars[idIFS].isSet() && sh.pending == ctlNone {
			n := 0
			for _, s := range v.list {
				n += len(s) + 1
			}
			if sh.fits(n) {
				v.list = []string{strings.Join(v.list, sep)}
			}
		}
		return v
	}
}

// marked compiles what bash makes of the elements of an array that lose a prefix or suffix
// where IFS is empty and nothing is quoted: one word, in which the marks of its own that it
// puts in front of some characters are left.
func marked(get getter) getter {
	marks := strings.NewReplacer(" ", "\x01 ", "\x01", "\x01\x01", "\x7f", "\x01\x7f")
	return func(sh *Shell) value {
		v := get(sh)
		if sh.pending != ctlNone || sh.ifs.joiner(sh) != "" || !sh.vars[idIFS].isSet() || !v.isList {
			return v
		}
		n := 0
		for _, s := range v.list {
			n += 2*len(s) + 1
		}
		if !sh.fits(n) {
			return v
		}
		list := make([]string, len(v.list))
		for i, s := range v.list {
			list[i] = marks.Replace(s)
		}
		return value{s: strings.Join(list, " "), set: v.set}
	}
}

// made notes that a string has been made by an operator that leaves a field in any case.
func made(get getter) getter {
	return func(sh *Shell) value {
		v := get(sh)
		v.made = v.set
		return v
	}
}

// each applies t to a value: to each of its elements where it is a list.
func each(get getter, t transform) getter {
	return apply(get, func(*Shell) transform { return t })
}

// apply is each for an operator with words, which are not expanded where there is no value.
func apply(get getter, o operation) getter {
	return func(sh *Shell) value {
		v := get(sh)
		if sh.pending != ctlNone || !v.set && !(v.isList && len(v.list) > 0) {
			return v
		}
		t := o(sh)
		if sh.pending != ctlNone {
			return v
		}
		if !v.isList {
			if v.set {
				v.made = v.s != ""
				v.s = t(sh, v.s)
			}
			return v
		}
		list := make([]string, len(v.list))
		n := 0
		for i, s := range v.list {
			list[i] = t(sh, s)
			if n += len(list[i]); sh.step(1) != nil || !sh.fits(n) {
				break
			}
		}
		v.list = list
		return v
	}
}

// namesWithPrefix compiles ${!prefix@} and ${!prefix*}.
func (c *compiler) namesWithPrefix(pe *syntax.ParamExp) getter {
	prefix, star := pe.Param.Value, pe.Names == syntax.NamesPrefix
	return func(sh *Shell) value {
		list := sh.variableNames(func(name string, v *variable) bool {
			return strings.HasPrefix(name, prefix) && v.flags&(vSet|vDynamic|vNull) != 0
		})
		return value{list: list, isList: true, star: star, set: len(list) > 0}
	}
}

// indices compiles ${!a[@]} and ${!a[*]}.
func (c *compiler) indices(pe *syntax.ParamExp) getter {
	id, star := c.id(pe.Param.Value), subscript(pe.Index) == "*"
	return func(sh *Shell) value {
		val := value{isList: true, star: star}
		switch v := sh.resolve(id); {
		case v.flags&vIndexed != 0:
			if !sh.fits(24 * v.arr.len()) {
				return val
			}
			for _, i := range v.arr.indices() {
				val.list = append(val.list, itoa(i))
			}
		case v.flags&vAssoc != 0:
			val.list = v.assoc.keys()
		case v.isSet():
			val.list = []string{"0"}
		}
		val.set = len(val.list) > 0
		return val
	}
}

// length compiles ${#x}.
func (c *compiler) length(pe *syntax.ParamExp) getter {
	if pe.Param != nil && isName(pe.Param.Value) && pe.Index != nil && subscript(pe.Index) != "" {
		id, name := c.id(pe.Param.Value), pe.Param.Value
		return func(sh *Shell) value {
			n := 0
			v := sh.resolve(id)
			sh.unsetArray(v, name)
			switch {
			case v.flags&vIndexed != 0:
				n = v.arr.len()
			case v.flags&vAssoc != 0:
				n = v.assoc.len()
			case v.isSet():
				n = 1
			}
			return value{s: itoa(int64(n)), set: true}
		}
	}
	p := c.param(pe)
	if p.index != nil {
		p.lazy = true
		p.index.owner, p.index.fatal = p.index.raw+"]", true // Bash: its name of the array begins behind the bracket
	}
	get, element := p.get, p.index != nil && p.id >= 0
	return func(sh *Shell) value {
		if element && sh.opts&optNounset != 0 {
			sh.unsetArray(sh.resolve(p.id), pe.Param.Value)
		}
		if sh.pending != ctlNone {
			return value{}
		}
		v := get(sh)
		if v.isList {
			return value{s: itoa(int64(len(v.list))), set: true}
		}
		if sh.opts&optNounset != 0 && !v.set && !p.quiet && !element {
			sh.unset(p.name)
		}
		return value{s: itoa(int64(sh.charCount(v.s))), set: true}
	}
}

// unsetArray reports what nounset refuses in ${#a[i]}. Bash: it has to be an array, though
// not one with that element, and the shell goes on with the next line.
func (sh *Shell) unsetArray(v *variable, name string) {
	if sh.opts&optNounset != 0 && (v.flags&vSet == 0 || v.flags&(vIndexed|vAssoc|vDynamic) == 0) {
		sh.failReported("%s: unbound variable", name)
	}
}

// operator compiles the operators that take a pattern: # ## % %% ^ ^^ , ,,.
func (c *compiler) operator(pe *syntax.ParamExp) operation {
	pat := constant("")
	if pe.Exp.Word != nil {
		pat = c.parts(pe.Exp.Word.Parts, inText|inPattern)
	}
	op := pe.Exp.Op
	if changesCase(op) {
		return c.caseOperator(op, pat, hasQuotes(pe.Exp.Word))
	}
	return func(sh *Shell) transform {
		p := pat(sh)
		if p == "" {
			return func(_ *Shell, s string) string { return s }
		}
		switch op {
		case syntax.RemSmallPrefix, syntax.RemLargePrefix:
			return func(sh *Shell, s string) string {
				end, ok, err := sh.pattern(p, false).Prefix(s, op == syntax.RemLargePrefix, sh.step)
				return s[sh.cut(end, ok, err, 0):]
			}
		}
		return func(sh *Shell, s string) string {
			start, ok, err := sh.pattern(p, false).Suffix(s, op == syntax.RemLargeSuffix, sh.step)
			return s[:sh.cut(start, ok, err, len(s))]
		}
	}
}

// caseOperator compiles ^ ^^ , ,, ~ and ~~. Bash: a pattern that is "" matches nothing, and
// one that expands to nothing is one that is left out.
func (c *compiler) caseOperator(op syntax.ParExpOperator, pat text, isQuoted bool) operation {
	upper := op == syntax.UpperFirst || op == syntax.UpperAll
	every := op == syntax.UpperAll || op == syntax.LowerAll
	return func(sh *Shell) transform {
		p := pat(sh)
		return func(sh *Shell, s string) string {
			switch {
			case p == "" && isQuoted || sh.pending != ctlNone:
				return s
			case op == parse.ToggleFirst || op == parse.ToggleAll:
				return sh.toggleCase(s, p, op == parse.ToggleAll)
			}
			return sh.changeCase(s, p, upper, every)
		}
	}
}

// hasQuotes reports whether a part of w is quoted.
func hasQuotes(w *syntax.Word) bool {
	if w == nil {
		return false
	}
	for _, p := range w.Parts {
		switch p.(type) {
		case *syntax.SglQuoted, *syntax.DblQuoted:
			return true
		}
	}
	return false
}

// changesCase reports whether op is one of ^ ^^ , ,, ~ ~~.
func changesCase(op syntax.ParExpOperator) bool {
	switch op {
	case syntax.UpperFirst, syntax.UpperAll, syntax.LowerFirst, syntax.LowerAll, parse.ToggleFirst, parse.ToggleAll:
		return true
	}
	return false
}

// cut returns where to cut a string: at a match, or nowhere.
func (sh *Shell) cut(at int, ok bool, err error, nowhere int) int {
	if err != nil {
		sh.engineError(err)
	}
	if !ok {
		return nowhere
	}
	return at
}

// engineError takes the error of a matcher: the shell has to stop, or the
// pattern is too complex and matches nothing.
func (sh *Shell) engineError(err error) {
	if err != pattern.ErrTooComplex {
		sh.stop(err)
	}
}
