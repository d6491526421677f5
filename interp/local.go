package interp

import (
	"slices"

	"mvdan.cc/sh/v3/syntax"
)

// A localName is a name that local declares, with its value or without.
type localName struct {
	id    int
	value text // nil where it has none
	num   arith
}

// plainLocals compiles the arguments of a local command that are names and
// scalar assignments alone, which is what nearly all are; nil for others.
func (c *compiler) plainLocals(cmd *syntax.DeclClause) []localName {
	var list []localName
	for _, as := range cmd.Args {
		if as.Name == nil || as.Index != nil || as.Array != nil || as.Append || as.Value != nil && hasBraces(as.Value) {
			return nil
		}
		l := localName{id: c.id(as.Name.Value)}
		if !as.Naked {
			l.value = c.value(as.Value)
			l.num, _ = c.number(as.Value)
		}
		list = append(list, l)
	}
	return list
}

// declareLocals makes local variables. It reports false, and has done nothing,
// where the general way has to be gone.
func (sh *Shell) declareLocals(list []localName) bool {
	if sh.hooks&hookCommand != 0 || len(sh.frames) == 0 || !sh.frames[len(sh.frames)-1].isFunc ||
		sh.opts&optAllexport != 0 || sh.shopts&shoptLocalvarInherit != 0 {
		return false
	}
	for _, l := range list {
		if sh.vars[l.id].flags&(vSlowWrite|vExport) != 0 || sh.isLocal(l.id) {
			return false
		}
	}
	type initial struct {
		s string
		n int64
	}
	var few [4]initial
	values := few[:0]
	for _, l := range list { // all, before the first variable is made
		var v initial
		switch {
		case l.num != nil:
			v.n = l.num(sh)
		case l.value != nil:
			v.s = l.value(sh)
		}
		if sh.pending != ctlNone {
			return true
		}
		values = append(values, v)
	}
	for i, l := range list {
		sh.hide(l.id)
		v := sh.vars[l.id]
		v.flags |= vLocal
		switch {
		case l.num != nil:
			v.setNum(values[i].n)
		case l.value != nil:
			v.setText(sh, values[i].s)
		}
	}
	return true
}

// fresh returns a new variable of sh: one that a function has let go of, where
// there is one.
func (sh *Shell) fresh() *variable {
	if n := len(sh.spare); n > 0 {
		v := sh.spare[n-1]
		sh.spare = sh.spare[:n-1]
		return v
	}
	return &variable{owner: sh.owner}
}

// maxSpare is how many variables a shell keeps for reuse.
const maxSpare = 64

// discard keeps a variable that nothing refers to any more.
func (sh *Shell) discard(v *variable) {
	if v.owner == sh.owner && len(sh.spare) < maxSpare && v != unsetVariable {
		*v = variable{owner: sh.owner}
		sh.spare = append(sh.spare, v)
	}
}

// hide puts a new, unset variable in the place of the variable id, until the
// frame or the command that it belongs to ends.
func (sh *Shell) hide(id int) {
	sh.locals = append(sh.locals, saved{id: id, v: sh.vars[id], frame: len(sh.frames)})
	sh.hold(64)
	sh.setVar(id, sh.fresh())
}

// unwind brings back the variables hidden since there were mark of them.
func (sh *Shell) unwind(mark int) {
	for i := len(sh.locals) - 1; i >= mark; i-- {
		l := &sh.locals[i]
		if l.opts != nil {
			sh.setOptions(*l.opts)
			continue
		}
		sh.reveal(l)
	}
	if mark < len(sh.locals) {
		sh.locals = sh.locals[:mark]
	}
}

// unwindPrefix is unwind for assignments before a command. What the command has
// made local in the running function stays so.
func (sh *Shell) unwindPrefix(mark int) {
	if mark >= len(sh.locals) {
		return
	}
	for i := len(sh.locals) - 1; i >= mark; i-- {
		if l := &sh.locals[i]; l.by != byLocal {
			sh.reveal(l)
		}
	}
	kept := slices.DeleteFunc(sh.locals[mark:], func(l saved) bool { return l.by != byLocal })
	sh.locals = sh.locals[:mark+len(kept)]
}

// reveal brings back one hidden variable.
func (sh *Shell) reveal(l *saved) {
	old := sh.vars[l.id]
	sh.setVar(l.id, l.v)
	sh.hold(-64)
	if l.outlives {
		sh.outlive(l.id, old)
	}
	if n := old.size(); n > 0 && old.owner == sh.owner {
		sh.hold(-n)
	}
	if (old.flags|l.v.flags)&vExport != 0 {
		sh.env = nil
	}
	if (old.flags|l.v.flags)&vHook != 0 {
		getopt := sh.getopt
		sh.hookVariable(l.id, l.v)
		if l.id == idOPTIND && l.by != byPrefix {
			sh.getopt = getopt // the function has brought it back
		}
	}
	sh.discard(old)
	l.v = nil
}

// keepsPrefix notes that the assignment in front of a call or command which has made the
// variable id is to last. Bash: that is so where the variable is made one of the environment,
// or readonly, behind it.
func (sh *Shell) keepsPrefix(id int) {
	for i := len(sh.locals) - 1; i >= 0; i-- {
		if l := &sh.locals[i]; l.id == id && l.opts == nil {
			l.outlives = l.by != byLocal
			return
		}
	}
}

// outlive assigns the value of a variable, and its attributes, to the one that it has hidden.
func (sh *Shell) outlive(id int, from *variable) {
	if sh.vars[id].flags&vReadonly != 0 || !from.isSet() {
		return
	}
	const kept = vExport | vReadonly | vInteger | vCase
	flags := from.flags
	if flags&vAssoc != 0 && sh.vars[id].flags&(vIndexed|vAssoc) == 0 {
		v := sh.own(id)
		v.assoc, v.flags = newAssoc(), v.flags&^(vNum|vStr)|vAssoc|vSet
	}
	if sh.assign(id, from.text(sh)) {
		sh.own(id).flags |= flags & kept
		sh.env = nil
	}
}
