package interp

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// lookup returns the variable called name, for reading.
func (sh *Shell) lookup(name string) *variable {
	id, ok := sh.names.lookup(name)
	if !ok || id >= len(sh.vars) {
		return unsetVariable
	}
	return sh.resolve(id)
}

// get returns the value of the variable called name, or "".
func (sh *Shell) get(name string) string { return sh.lookup(name).text(sh) }

// set assigns to the variable called name, whatever its attributes say but
// readonly.
func (sh *Shell) set(name, s string) bool { return sh.assign(sh.id(name), s) }

// assign assigns a string to the variable id, and reports whether it could.
func (sh *Shell) assign(id int, s string) bool {
	v := sh.vars[id]
	if v.flags&vSlowWrite != 0 || sh.opts&optAllexport != 0 {
		return sh.assignSlow(id, s)
	}
	if v.owner != sh.owner {
		v = sh.own(id)
	}
	v.setText(sh, s)
	return true
}

// assignLoop is assign for the variable of a for loop.
func (sh *Shell) assignLoop(id int, s string) bool {
	v := sh.vars[id]
	if v.flags&vNameref != 0 { // Bash: the loop changes what the reference refers to
		if !isName(s) {
			sh.errorf("`%s': not a valid identifier", s)
			return false
		}
		v = sh.own(id)
		v.str, v.flags = s, v.flags|vSet|vStr
		return true
	}
	return sh.assign(id, s)
}

func (sh *Shell) assignSlow(id int, s string) bool {
	v := sh.vars[id]
	switch {
	case v.flags&vNameref != 0:
		return sh.assignRef(id, s)
	case v.flags&vReadonly != 0:
		return sh.readonlyError(sh.names.name(id))
	}
	if v.flags&(vInteger|vCase) != 0 {
		var ok bool
		if s, ok = sh.convert(v, s); !ok {
			return false
		}
	}
	v = sh.own(id)
	switch {
	case v.flags&vDynamic != 0:
		if v.dyn.set != nil {
			v.dyn.set(sh, s)
		}
		return true
	case v.flags&vIndexed != 0:
		sh.hold(v.arr.set(0, element{str: s, kind: textElement}))
		v.flags |= vSet
	case v.flags&vAssoc != 0:
		sh.hold(v.assoc.set("0", s))
		v.flags |= vSet
	default:
		v.setText(sh, s)
	}
	if sh.opts&optAllexport != 0 {
		v.flags |= vExport
	}
	sh.changed(id, v)
	return true
}

// changed does what follows from a change of a variable with an effect.
func (sh *Shell) changed(id int, v *variable) {
	if v.flags&vExport != 0 {
		sh.env = nil
	}
	if v.flags&vHook != 0 {
		sh.hookVariable(id, v)
	}
}

// convert applies the attributes of v to a value that is assigned to it.
func (sh *Shell) convert(v *variable, s string) (string, bool) {
	if v.flags&vInteger != 0 {
		n := sh.integer(s)
		return itoa(n), !sh.indexFailed()
	}
	switch {
	case v.flags&vLower != 0:
		return sh.changeCase(s, "", false, true), true
	case v.flags&vUpper != 0:
		return sh.changeCase(s, "", true, true), true
	case v.flags&vCapital != 0:
		return sh.changeCase(sh.changeCase(s, "", false, true), "", true, false), true
	}
	return s, true
}

// integer returns the number that is assigned to an integer. Bash: where there is none, what
// is given up has the status of the last command if that failed.
func (sh *Shell) integer(s string) int64 {
	before := sh.pending
	n := sh.evalText(s)
	if before == ctlNone && sh.pending == ctlDiscard && sh.status != 0 {
		sh.failStatus = sh.status
	}
	return n
}

// readonlyError reports an assignment to a readonly variable.
func (sh *Shell) readonlyError(name string) bool {
	if sh.assigning {
		sh.errorf("%s: readonly variable", name)
	} else {
		sh.failReported("%s: readonly variable", name)
		sh.fatalInPosix()
	}
	return false
}

// forCommand makes an assignment on behalf of a command such as read or for,
// which fails, and no more, where the variable is readonly.
func (sh *Shell) forCommand(assign func() bool) bool {
	sh.assigning = true
	ok := assign()
	sh.assigning = false
	return ok
}

// isTarget reports whether s is what can be assigned to: a name or an element.
func isTarget(s string) bool { return isName(s) || isElementName(s) }

// appendTo appends a string to the variable id.
func (sh *Shell) appendTo(id int, s string) bool {
	v := sh.vars[id]
	if v.flags&vNameref != 0 {
		to, index := sh.follow(id)
		if to >= 0 && index != "" {
			return sh.assignElement(to, sh.compileSubscript(sh.names.name(to), index), s, true)
		}
		if to < 0 {
			return sh.assign(id, s)
		}
		id, v = to, sh.vars[to]
	}
	switch {
	case v.flags&vReadonly != 0:
		return sh.readonlyError(sh.names.name(id))
	case v.flags&vIndexed != 0:
		v = sh.own(id)
		old, _ := v.arr.get(0)
		s, ok := sh.elementValue(v, old.text(), s, true)
		return ok && sh.hold(v.arr.set(0, element{str: s, kind: textElement}))
	case v.flags&vAssoc != 0:
		v = sh.own(id)
		old, _ := v.assoc.get("0")
		s, ok := sh.elementValue(v, old, s, true)
		return ok && sh.hold(v.assoc.set("0", s))
	case v.flags&vInteger != 0:
		s, ok := sh.elementValue(v, v.text(sh), s, true)
		return ok && sh.assign(id, s)
	case v.flags&vSlowWrite != 0 || sh.opts&optAllexport != 0:
		return sh.assign(id, sh.join2(v.text(sh), s))
	}
	sh.own(id).appendText(sh, s)
	return sh.pending == ctlNone
}

// literalTildes returns w with its tildes quoted.
func literalTildes(w *syntax.Word) *syntax.Word {
	quoted := &syntax.Word{Parts: slices.Clone(w.Parts)}
	for i, p := range w.Parts {
		if lit, ok := p.(*syntax.Lit); ok && strings.Contains(lit.Value, "~") {
			l := *lit
			l.Value = strings.ReplaceAll(strings.ReplaceAll(lit.Value, `\~`, "~"), "~", `\~`)
			quoted.Parts[i] = &l
		}
	}
	return quoted
}

// listTarget returns the variable that a list assigned to the name reference id
// goes to. One that refers to nothing becomes an array itself.
func (sh *Shell) listTarget(id int) (int, bool) {
	to, index := sh.follow(id)
	switch {
	case index != "":
		sh.fail("`%s[%s]': not a valid identifier", sh.names.name(to), index)
		return 0, false
	case to < 0 && sh.vars[id].str == "":
		sh.warnf("%s: removing nameref attribute", sh.names.name(id))
		sh.own(id).flags &^= vNameref
		return id, true
	}
	return to, to >= 0
}
