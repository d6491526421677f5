package interp

import (
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
// what an operator makes of the elements is split where they are joined.
func spread(get getter, pe *syntax.ParamExp) getter {
	if !changesElements(pe) {
		return get
	}
	return func(sh *Shell) value {
		v := get(sh)
		if v.isList && v.star {
			v.star, v.joined = false, true
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
		return pe.Slice != nil || pe.Repl != nil || pe.Excl && subscript(pe.Index) != "" || pe.Names != 0
	case pe.Exp.Op == syntax.OtherParamOps:
		return true
	}
	return !isAlternative(pe.Exp.Op)
}

// joinedList makes a list of @ one of * where it is assigned, or quoted in a here-string.
// Bash: there it joins what operators make of the elements so, some of them between quotes
// only, unless IFS is empty.
func joinedList(get getter, pe *syntax.ParamExp, ctx wordContext) getter {
	switch {
	case ctx&inDocument != 0 && ctx&inQuotes != 0 && joinedWithBlanks(pe):
		return func(sh *Shell) value {
			v := get(sh)
			v.star = false
			return v
		}
	case ctx&(inDefault|inJoined|inQuotes) == inDefault|inJoined && !changesElements(pe):
		return func(sh *Shell) value {
			v := get(sh)
			v.star = v.star && sh.ifs.joiner(sh) != ""
			return v
		}
	case ctx&inElement != 0 && ctx&(inDefault|inQuotes) != inDefault || ctx&inJoined != 0 && ctx&inAssign != 0 && pe.Names != 0:
	case ctx&inJoined == 0 || !changesElements(pe):
		return get
	case ctx&inQuotes != 0:
	case pe.Exp == nil || changesCase(pe.Exp.Op):
		return get
	}
	return func(sh *Shell) value {
		v := get(sh)
		v.star = v.isList && (v.star && (ctx&(inElement|inDefault) == 0 || ctx&inQuotes != 0) || sh.ifs.joiner(sh) != "")
		return v
	}
}

// joinedWithBlanks reports whether what is made of the elements of a list of * is joined with
// blanks in a here-document.
func joinedWithBlanks(pe *syntax.ParamExp) bool {
	switch {
	case pe.Param != nil && pe.Param.Value == "*" && (pe.Exp != nil && !changesCase(pe.Exp.Op) || isPlainList(pe)):
		return true
	case !changesElements(pe) || pe.Names != 0 || pe.Repl != nil:
		return false
	}
	return pe.Exp == nil || !changesCase(pe.Exp.Op)
}

// isPlainList reports an expansion without an operator.
func isPlainList(pe *syntax.ParamExp) bool {
	return !pe.Length && !pe.Excl && pe.Exp == nil && pe.Slice == nil && pe.Repl == nil
}
