package interp

import (
	"slices"
	"strings"
)

// prefix makes an assignment before a command: for the command alone, unless
// keep is true.
func (sh *Shell) prefix(a *assignment, keep bool) bool {
	if keep && isName(a.name) {
		if !a.traced(sh) {
			return false
		}
		v := sh.own(a.id)
		v.flags |= vExport
		sh.env = nil
		return true
	}
	if !isName(a.name) {
		sh.errorf("`%s': not a valid identifier", a.name)
		if sh.strict() {
			sh.failed(ctlExit, 1)
			return false
		}
		return true // Bash: the command runs all the same
	}
	if sh.vars[a.id].flags&vReadonly != 0 {
		a.value(sh)
		sh.errorf("%s: readonly variable", a.name)
		if sh.opts&optPosix != 0 {
			sh.failed(ctlExit, 1)
			return false
		}
		return true // Bash: the command runs all the same
	}
	var s string
	switch {
	case a.isList:
		s = "(" + strings.TrimSpace(a.name) + ")"
	default:
		s = a.value(sh)
	}
	if sh.pending != ctlNone {
		return false
	}
	old := sh.vars[a.id]
	if a.add { // Bash: what is assigned is not what the attributes make of it, what is appended is
		var ok bool
		if s, ok = sh.elementValue(old, old.text(sh), s, true); !ok {
			return false
		}
	}
	if sh.hooks&hookTrace != 0 {
		sh.traceAssign(a.name, false, s)
	}
	sh.hide(a.id)
	sh.locals[len(sh.locals)-1].by = byPrefix
	v := sh.own(a.id)
	if old.flags&vHook != 0 {
		v.flags |= vHook
	}
	v.flags |= vExport
	v.setText(sh, s)
	sh.env = nil
	if v.flags&vHook != 0 {
		sh.hookVariable(a.id, v)
	}
	return sh.pending == ctlNone
}

// mergePrefix ends the scope that assignments before a special builtin had to
// themselves while it ran, and keeps what is left of them.
func (sh *Shell) mergePrefix(mark int) {
	type kept struct {
		id   int
		text string
	}
	var list []kept
	for i := len(sh.locals) - 1; i >= mark; i-- {
		if l := sh.locals[i]; l.by == byPrefix && sh.vars[l.id].isSet() {
			list = append(list, kept{l.id, sh.vars[l.id].text(sh)})
		}
	}
	sh.unwindPrefix(mark)
	for _, k := range slices.Backward(list) {
		if sh.pending != ctlNone || !sh.assign(k.id, k.text) {
			return
		}
		sh.own(k.id).flags |= vExport
		sh.env = nil
	}
}
