package interp

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// spreads reports whether there is a list of @ among parts.
func spreads(parts []syntax.WordPart) bool {
	for _, p := range parts {
		pe, ok := p.(*syntax.ParamExp)
		if !ok || pe.Length || pe.Exp != nil && isAlternative(pe.Exp.Op) {
			continue
		}
		if pe.Param != nil && pe.Param.Value == "@" || subscript(pe.Index) == "@" || pe.Names == syntax.NamesPrefixWords {
			return true
		}
	}
	return false
}

// spread makes a list of * one of @. Bash: between double quotes in which there is one of @,
// what an operator makes of the elements is split, and they are no elements where they are
// empty.
func spread(get getter, pe *syntax.ParamExp) getter {
	if !changesElements(pe) {
		return get
	}
	return func(sh *Shell) value {
		v := get(sh)
		if v.isList && v.star && sh.pending == ctlNone {
			v.star = false
			v.list = slices.DeleteFunc(slices.Clone(v.list), func(s string) bool { return s == "" })
		}
		return v
	}
}

// changesElements reports whether an expansion of a list is of something else than its
// elements.
func changesElements(pe *syntax.ParamExp) bool {
	switch {
	case pe.Length:
		return false
	case pe.Exp == nil:
		return pe.Slice != nil || pe.Repl != nil || pe.Excl || pe.Names != 0
	case pe.Exp.Op == syntax.OtherParamOps:
		return !strings.ContainsAny(pe.Exp.Word.Lit(), "AK")
	}
	return !isAlternative(pe.Exp.Op)
}

// joinedList makes a list of @ one of * where it is assigned, or quoted in a here-string.
// Bash: there it joins what operators make of the elements so, some of them between quotes
// only, unless IFS is empty.
func joinedList(get getter, pe *syntax.ParamExp, ctx wordContext) getter {
	switch {
	case ctx&inElement != 0 || ctx&inJoined != 0 && ctx&inAssign != 0 && pe.Names != 0:
	case ctx&inJoined == 0 || !changesElements(pe):
		return get
	case ctx&inQuotes != 0:
	case ctx&inAssign == 0 || ctx&inDefault != 0 || pe.Exp == nil || changesCase(pe.Exp.Op):
		return get
	}
	return func(sh *Shell) value {
		v := get(sh)
		v.star = v.star || v.isList && sh.ifs.joiner(sh) != ""
		return v
	}
}
