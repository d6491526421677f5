package interp

import (
	"maps"
	"slices"
	"strings"
)

// maxRefs bounds chains of name references.
const maxRefs = 100

// follow returns where the name reference id leads: a variable, and the text of
// a subscript or "". The variable is -1 where it leads nowhere.
func (sh *Shell) follow(id int) (int, string) {
	start := id
	for range maxRefs {
		v := sh.vars[id]
		if v.flags&vNameref == 0 {
			return id, ""
		}
		name := v.str
		if name == "" {
			return -1, ""
		}
		if i := strings.IndexByte(name, '['); i > 0 && strings.HasSuffix(name, "]") {
			return sh.id(name[:i]), name[i+1 : len(name)-1]
		}
		id = sh.id(name)
	}
	sh.warnf("%s: circular name reference", sh.names.name(start))
	return -1, ""
}

// resolve returns the variable id for reading, or the one that it refers to.
func (sh *Shell) resolve(id int) *variable {
	v := sh.vars[id]
	if v.flags&(vNameref|vDynamic) == 0 {
		return v
	}
	if v.flags&vNameref != 0 {
		to, index := sh.follow(id)
		switch {
		case to < 0:
			return unsetVariable
		case index != "":
			val := sh.refValue(v, "")
			if val.isList {
				return sh.listVariable(val.list)
			}
			if !val.set {
				return unsetVariable
			}
			return &variable{flags: vSet | vStr, str: val.s}
		}
		v = sh.vars[to]
	}
	if v.flags&vDynamic != 0 && v.dyn.list != nil {
		return sh.listVariable(v.dyn.list(sh))
	}
	if v.flags&vDynamic != 0 && v.dyn.pairs != nil {
		return pairsVariable(v.dyn.pairs(sh))
	}
	return v
}

func pairsVariable(pairs map[string]string) *variable {
	v := &variable{flags: vAssoc | vSet, assoc: newAssoc()}
	for _, key := range slices.Sorted(maps.Keys(pairs)) {
		v.assoc.set(key, pairs[key])
	}
	return v
}

func (sh *Shell) listVariable(list []string) *variable {
	v := &variable{flags: vIndexed | vSet, arr: &array{}}
	for i, s := range list {
		v.arr.set(int64(i), element{str: s, kind: textElement})
	}
	return v
}

// refValue returns the value of the name reference v.
func (sh *Shell) refValue(v *variable, name string) value {
	if v.str == "" {
		return value{}
	}
	id, ok := sh.names.lookup(name)
	if !ok || name == "" {
		id = -1
	}
	text := v.str
	for range maxRefs {
		i := strings.IndexByte(text, '[')
		if i > 0 {
			return sh.valueOf(text)
		}
		to := sh.id(text)
		w := sh.vars[to]
		if w.flags&vNameref == 0 {
			return value{s: w.text(sh), set: w.isSet()}
		}
		if to == id {
			break
		}
		text = w.str
	}
	sh.warnf("%s: circular name reference", name)
	return value{}
}

// assignRef assigns to what the name reference id refers to.
func (sh *Shell) assignRef(id int, s string) bool {
	to, index := sh.follow(id)
	if to < 0 {
		v := sh.own(id)
		if v.str != "" {
			sh.failed(ctlDiscard, 1)
			return false
		}
		if !isTarget(s) {
			sh.fail("`%s': not a valid identifier", s)
			return false
		}
		v.str, v.flags = s, v.flags|vSet|vStr
		return true
	}
	if index != "" {
		return sh.assignElement(to, sh.compileSubscript(sh.names.name(to), index), s, false)
	}
	return sh.assign(to, s)
}

// isElementName reports whether s is name[subscript].
func isElementName(s string) bool {
	i := strings.IndexByte(s, '[')
	if i <= 0 || !isName(s[:i]) || !strings.HasSuffix(s, "]") || len(s) <= i+2 {
		return false
	}
	if !strings.ContainsAny(s[i+1:len(s)-1], "[]'\"`\\$") {
		return true
	}
	return skipNested(s+" ", i+1, '[', ']') == len(s)
}
