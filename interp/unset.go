package interp

import (
	"slices"
	"strings"
)

func builtinUnset(sh *Shell, args []string) ctl {
	opts, args, ok := sh.options("unset", args, "fvn")
	if !ok {
		return ctlNone
	}
	var funcs, vars, refs bool
	for _, o := range opts {
		switch o.letter {
		case 'f':
			funcs = true
		case 'v':
			vars = true
		case 'n':
			refs = true
		}
	}
	if funcs && vars {
		sh.complain("unset", "cannot simultaneously unset a function and a variable")
		return sh.done(1)
	}
	status := 0
	for _, name := range args {
		if !sh.unsetName(name, funcs, vars, refs) {
			status = 1
		}
		if sh.pending != ctlNone {
			return ctlNone
		}
	}
	return sh.done(status)
}

func (sh *Shell) unsetName(name string, funcs, vars, refs bool) bool {
	base, index := name, ""
	if strings.HasSuffix(name, "[]") && isName(name[:len(name)-2]) {
		return true
	}
	if i := strings.IndexByte(name, '['); i > 0 && strings.HasSuffix(name, "]") && !funcs && !refs {
		base, index = name[:i], name[i+1:len(name)-1]
		if isName(base) && skipNested(name, i+1, '[', ']') != len(name) {
			return true // Bash: its subscript ends before that
		}
	}
	if funcs || !isName(base) && !vars && !refs { // Bash: what is no name may be a function
		return sh.unsetFunction(name)
	}
	if !isName(base) {
		sh.complain("unset", "`%s': not a valid identifier", name)
		return false
	}
	id := sh.id(base)
	if !refs && sh.vars[id].flags&vNameref != 0 {
		to, sub := sh.follow(id)
		if to < 0 {
			return true
		}
		id = to
		if sub != "" {
			index = sub
		}
	}
	v := sh.vars[id]
	if v == unsetVariable && !vars && index == "" {
		if sh.funcs[id] != nil {
			return sh.unsetFunction(base)
		}
		return true
	}
	if v.flags&vReadonly != 0 {
		sh.complain("unset", "%s: cannot unset: readonly variable", base)
		return false
	}
	if index != "" {
		return sh.unsetElement(id, base, index)
	}
	sh.unsetVariable(id)
	return true
}

func (sh *Shell) unsetFunction(name string) bool {
	id, ok := sh.names.lookup(name)
	if !ok || id >= len(sh.funcs) || sh.funcs[id] == nil {
		return true
	}
	if sh.funcs[id].readonly {
		sh.complain("unset", "%s: cannot unset: readonly function", name)
		return false
	}
	sh.setFunc(id, nil)
	sh.env = nil
	return true
}

// unsetVariable unsets a variable. A local one of the running function stays
// local; one of a function that calls it shows what it has hidden.
func (sh *Shell) unsetVariable(id int) {
	v := sh.vars[id]
	if v == unsetVariable {
		return
	}
	if v.flags&vExport != 0 {
		sh.env = nil
	}
	if v.owner == sh.owner {
		sh.hold(-v.size())
	}
	for i := len(sh.locals) - 1; i >= 0; i-- {
		l := &sh.locals[i]
		if l.id != id || l.opts != nil {
			continue
		}
		if l.frame >= sh.functionFrame() && (l.by == byLocal || v.flags&vLocal != 0) || sh.shopt(shoptLocalvarUnset) {
			sh.setVar(id, &variable{owner: sh.owner, flags: vLocal})
			return
		}
		sh.setVar(id, l.v)
		sh.locals = slices.Delete(sh.locals, i, i+1)
		for f := range sh.frames {
			if sh.frames[f].locals > i {
				sh.frames[f].locals--
			}
		}
		sh.env = nil
		return
	}
	hook := v.flags & vHook
	sh.setVar(id, unsetVariable)
	if hook != 0 {
		sh.setVar(id, &variable{owner: sh.owner, flags: vHook})
		sh.hookVariable(id, sh.vars[id])
	}
}

// unsetElement unsets an element of an array.
func (sh *Shell) unsetElement(id int, name, index string) bool {
	v := sh.vars[id]
	switch {
	case v.flags&vDynamic != 0 && v.dyn.pairs != nil:
		return true // Bash: BASH_ALIASES and BASH_CMDS stay as they are
	case v.flags&(vIndexed|vAssoc) == 0:
		if !v.exists() {
			return true
		}
		if !v.isSet() {
			return true
		}
		n := sh.evalText(index)
		if sh.pending != ctlNone {
			return false
		}
		if n == 0 {
			sh.unsetVariable(id)
			return true
		}
		sh.complain("unset", "%s: not an array variable", name)
		return false
	case v.flags&vAssoc != 0:
		sub := sh.compileSubscript(name, index)
		key := sub.key(sh)
		switch {
		case index == "@" || index == "*":
			key = index
		case key == "" && sh.pending == ctlNone:
			sh.complain("unset", "[%s]: bad array subscript", index)
			return false
		}
		sh.hold(-sh.own(id).assoc.unset(key))
		return sh.pending == ctlNone
	case index == "@" || index == "*":
		w := sh.own(id)
		sh.hold(-w.arr.size())
		w.arr = &array{}
		return true
	}
	sub := sh.compileSubscript(name, index)
	i := sub.value(sh)
	if sh.pending != ctlNone && sh.indexFailed() {
		return false
	}
	w := sh.own(id)
	if i < 0 {
		if i += w.arr.end(); i < 0 {
			sh.complain("unset", "[%s]: bad array subscript", index)
			return false
		}
	}
	sh.hold(-w.arr.unset(i))
	return true
}
