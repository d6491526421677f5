package interp

import (
	"slices"
	"strings"

	"github.com/limpet-sh/limpet/internal/quote"
)

// target prepares the variable that is declared: for a local one it hides the
// outer.
func (d *declaration) target(id int) *variable {
	sh := d.sh
	switch {
	case d.local:
		if !sh.isLocal(id) && !sh.adopt(id) {
			d.hide(id)
		}
		sh.own(id).flags |= vLocal
	case d.global:
		return sh.globalVariable(id)
	}
	return sh.own(id)
}

// hide makes a local variable.
func (d *declaration) hide(id int) {
	sh := d.sh
	old := sh.vars[id]
	sh.hide(id)
	v := sh.vars[id]
	v.flags |= vLocal | old.flags&vHook
	inherit := d.inherit || sh.shopt(shoptLocalvarInherit)
	switch {
	case inherit && old.exists():
		c := *old.clone(sh)
		c.flags = c.flags&^vReadonly | vLocal
		*v = c
	case old.flags&vExport != 0 && old.flags&vLocal == 0 && sh.prefixed(id):
		v.str, v.flags = old.text(sh), v.flags|vSet|vStr|vExport
	case old.flags&vExport != 0:
		v.flags |= vExport
		sh.env = nil
	}
	if v.flags&vHook != 0 {
		sh.hookVariable(id, v)
	}
}

// prefixed reports whether the variable id, which has just been hidden, was made
// by an assignment before a command.
func (sh *Shell) prefixed(id int) bool {
	for i := len(sh.locals) - 2; i >= 0; i-- {
		if sh.locals[i].id == id && sh.locals[i].opts == nil {
			return true
		}
	}
	return false
}

// isLocal reports whether the running function has made the variable id local.
func (sh *Shell) isLocal(id int) bool {
	for i := len(sh.locals) - 1; i >= 0 && sh.locals[i].frame >= sh.functionFrame(); i-- {
		if sh.locals[i].id == id && sh.locals[i].opts == nil {
			return true
		}
	}
	return false
}

// functionFrame returns the number of frames up to that of the running function.
func (sh *Shell) functionFrame() int {
	for i := len(sh.frames); i > 0; i-- {
		if sh.frames[i-1].isFunc {
			return i
		}
	}
	return 0
}

// globalVariable returns the variable that is seen outside all functions.
func (sh *Shell) globalVariable(id int) *variable {
	for i := range sh.locals {
		l := &sh.locals[i]
		if l.id == id && l.opts == nil {
			if l.v.owner != sh.owner {
				l.v = l.v.clone(sh)
			}
			return l.v
		}
	}
	return sh.own(id)
}

// bare declares a name without a value.
func (d *declaration) bare(id int, name string) {
	sh := d.sh
	if d.name != "local" && !d.local && !d.global {
		if v := sh.vars[id]; v.flags&vNameref != 0 && d.on&vNameref == 0 && d.off&vNameref == 0 {
			if to, index := sh.follow(id); to >= 0 && index == "" {
				id = to
			}
		}
	}
	on := d.on
	if d.name == "readonly" { // Bash: what has no value does not become an array
		d.on &^= vIndexed | vAssoc
		defer func() { d.on = on }()
	}
	v := d.target(id)
	v.flags |= vDeclared
	if !d.allowed(v, name) {
		return
	}
	if s := v.text(sh); d.on&vNameref != 0 && s != "" && !isTarget(s) {
		sh.complain(d.name, "`%s': invalid variable name for name reference", s)
		d.status = 1
		return
	}
	d.apply(id, v)
}

// allowed reports whether the attributes of v may change so.
func (d *declaration) allowed(v *variable, name string) bool {
	sh := d.sh
	switch {
	case v.flags&vReadonly != 0 && d.off&vReadonly != 0:
		sh.complain(d.name, "%s: readonly variable", name)
	case v.flags&vAssoc != 0 && d.on&vIndexed != 0:
		sh.complain(d.name, "%s: cannot convert associative to indexed array", name)
	case v.flags&vIndexed != 0 && d.on&vAssoc != 0:
		sh.complain(d.name, "%s: cannot convert indexed to associative array", name)
	case v.flags&d.off&(vIndexed|vAssoc) != 0:
		sh.complain(d.name, "%s: cannot destroy array variables in this way", name)
	case d.on&vNameref != 0 && v.flags&(vIndexed|vAssoc) != 0:
		sh.complain(d.name, "%s: reference variable cannot be an array", name)
	default:
		return true
	}
	d.status = 1
	return false
}

// apply changes the attributes of v.
func (d *declaration) apply(id int, v *variable) {
	sh := d.sh
	switch {
	case d.on&vAssoc != 0 && v.flags&vAssoc == 0:
		v.assoc, v.flags = newAssoc(), v.flags&^(vNum|vStr|vNameref)|vAssoc
		if v.flags&vSet != 0 {
			sh.hold(v.assoc.set("0", v.str))
		}
	case d.on&vIndexed != 0 && v.flags&(vIndexed|vAssoc) == 0:
		a := &array{}
		if v.flags&vSet != 0 {
			sh.hold(a.set(0, element{str: v.text(sh), kind: textElement}))
		}
		v.arr, v.flags = a, v.flags&^(vNum|vStr|vNameref)|vIndexed
	}
	if d.on&vNameref != 0 && v.flags&vNum != 0 {
		v.str = v.text(sh)
		v.flags |= vStr
	}
	v.flags = v.flags&^(d.off&^(vReadonly|vIndexed|vAssoc)) | d.on
	if d.on&(vExport|vReadonly) != 0 {
		sh.keepsPrefix(id)
	}
	if (d.on|d.off)&vExport != 0 {
		sh.env = nil
	}
}

// assign declares a name with a value.
func (d *declaration) assign(a *assignment) {
	sh := d.sh
	id := a.id
	if d.on&vNameref == 0 && !d.local && sh.vars[id].flags&vNameref != 0 && d.off&vNameref == 0 {
		if to, index := sh.follow(id); to >= 0 && index == "" {
			id = to
		}
	}
	if sh.vars[id].flags&vReadonly != 0 && !(d.local && !sh.isLocal(id) && sh.vars[id].flags&vLocal != 0) {
		sh.complainReadonly(d.name, a.name, a.isList)
		d.status = 1
		if sh.strict() && !sh.mild && (d.name == "export" || d.name == "readonly") {
			sh.failed(ctlExit, 1)
		}
		return
	}
	if a.index != nil && (d.name == "export" || d.name == "readonly") {
		sh.complain(d.name, "`%s[%s]': not a valid identifier", a.name, a.index.raw)
		d.status = 1
		return
	}
	v := d.target(id)
	if a.isList && !d.local { // Bash: it is assigned while words are expanded, and the line given up
		switch {
		case v.flags&vAssoc != 0 && d.on&vIndexed != 0:
			sh.fail("%s: cannot convert associative to indexed array", a.name)
			return
		case v.flags&vIndexed != 0 && d.on&vAssoc != 0:
			sh.fail("%s: cannot convert indexed to associative array", a.name)
			return
		}
	}
	if !d.allowed(v, a.name) {
		return
	}
	if d.on&vNameref != 0 {
		d.reference(id, v, a)
		return
	}
	on := d.on
	d.on &^= vReadonly
	if a.isList && d.on&vAssoc == 0 && v.flags&vAssoc == 0 {
		d.on |= vIndexed
	}
	if a.index != nil && v.flags&(vIndexed|vAssoc) == 0 && d.on&vAssoc == 0 {
		d.on |= vIndexed
	}
	d.apply(id, v)
	d.on = on
	if v.flags&vNameref != 0 && d.off&vNameref != 0 {
		v.flags &^= vNameref
	}
	if d.global && !d.local {
		d.assignGlobal(id, v, a)
	} else {
		b := *a
		b.id = id
		if sh.exprName = d.name; a.isList {
			sh.exprName = ""
		} else if v.flags&(vIndexed|vAssoc) != 0 {
			v.flags |= vSet
		}
		b.general(sh)
		sh.exprName = ""
		v = sh.vars[id]
	}
	if sh.pending != ctlNone {
		if v.flags&(vSet|vReadonly) == 0 && v.owner == sh.owner {
			v.flags |= vNull
		}
		return
	}
	if on&vReadonly != 0 {
		v = d.target(id)
		v.flags |= vReadonly
	}
	if v.flags&vExport != 0 {
		sh.env = nil
	}
}

// assignGlobal assigns to a variable that a local one hides.
func (d *declaration) assignGlobal(id int, v *variable, a *assignment) {
	sh := d.sh
	inner := sh.vars[id]
	sh.setVar(id, v)
	b := *a
	b.id = id
	b.general(sh)
	if inner != v {
		for i := range sh.locals {
			if sh.locals[i].id == id && sh.locals[i].v == v {
				sh.locals[i].v = sh.vars[id]
			}
		}
		sh.setVar(id, inner)
	}
}

// reference declares a name reference.
func (d *declaration) reference(id int, v *variable, a *assignment) {
	sh := d.sh
	s := ""
	if a.value != nil {
		s = a.value(sh)
	}
	if a.add {
		s = v.str + s
	}
	switch {
	case s == a.name:
		if !d.local {
			sh.complain(d.name, "%s: nameref variable self references not allowed", a.name)
			d.status = 1
			return
		}
		sh.errorf("%s: warning: %s: circular name reference", d.name, a.name)
	case s == "":
		sh.complain(d.name, "`': not a valid identifier")
		d.status = 1
		return
	case !isTarget(s):
		sh.complain(d.name, "`%s': invalid variable name for name reference", s)
		d.status = 1
		return
	}
	v.str, v.flags = s, v.flags&^vNum|vNameref|vSet|vStr|d.on
}

// complainReadonly reports a declaration of a readonly variable by cmd.
func (sh *Shell) complainReadonly(cmd, name string, list bool) {
	switch {
	case list && cmd != "local":
		sh.readonlyError(name)
	case cmd == "readonly", cmd == "export":
		sh.errorf("%s: readonly variable", name)
	default:
		sh.complain(cmd, "%s: readonly variable", name)
	}
}

// localOptions is local -: options set in the function end with it.
func (sh *Shell) localOptions() {
	opts := sh.opts
	sh.locals = append(sh.locals, saved{frame: len(sh.frames), opts: &opts})
}

// setOptions sets all options at once.
func (sh *Shell) setOptions(o option) {
	sh.opts = o
	sh.refreshHooks()
}

// declaresAssoc reports whether the arguments of a declaration have the option -A.
func declaresAssoc(list []declared) bool {
	return slices.ContainsFunc(list, func(d declared) bool {
		return d.assign == nil && strings.HasPrefix(d.word, "-") && strings.Contains(d.word, "A")
	})
}

// expanded returns a with its list expanded, so that it can be assigned later: to an
// associative array where assoc is true.
func (a *assignment) expanded(sh *Shell, assoc bool) *assignment {
	assoc = assoc || sh.resolve(a.id).flags&vAssoc != 0
	b := *a
	b.array, b.late = nil, nil
	for i := range a.array {
		e := a.array[i]
		if e.index == nil && assoc {
			s := e.plain(sh)
			e.plain, e.shown, e.source = constant(s), quote.Single(s), quote.Single(s)
			e.values = func(sh *Shell, dst []string) []string { return append(dst, e.plain(sh)) }
		} else if e.index == nil {
			words := e.values(sh, nil)
			e.values = func(_ *Shell, dst []string) []string { return append(dst, words...) }
		} else if assoc {
			e = e.fixed(sh)
		} else {
			s := e.value(sh)
			e.value = constant(s)
		}
		if sh.pending != ctlNone {
			return a
		}
		b.array = append(b.array, e)
	}
	b.run = b.general
	return &b
}

// fixed returns an element of an associative array with the key and the value that it has
// now, as messages of declarations show it.
func (e elementExpr) fixed(sh *Shell) elementExpr {
	index := *e.index
	key := index.key(sh)
	value := e.plain(sh)
	index.key, e.plain = constant(key), constant(value)
	op := "]="
	if e.add {
		op = "]+="
	}
	e.index, e.value, e.source = &index, e.plain, "["+quote.Single(key)+op+quote.Single(value)
	return e
}
