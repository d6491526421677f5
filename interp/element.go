package interp

import (
	"mvdan.cc/sh/v3/syntax"
)

// compileSubscript compiles a subscript that is known only now.
func (sh *Shell) compileSubscript(owner, raw string) *subscriptExpr {
	c := &compiler{names: sh.names, src: raw}
	s := c.subscriptText(raw)
	s.owner = owner
	sh.grow()
	return s
}

// writableArray returns the variable id as an array that may be changed, with
// what it was before as its element 0. It fails for readonly ones.
func (sh *Shell) writableArray(id int) *variable {
	v := sh.vars[id]
	if v.flags&vNameref != 0 {
		to, ok := sh.listTarget(id)
		if !ok {
			return nil
		}
		id, v = to, sh.vars[to]
	}
	if v.flags&vReadonly != 0 {
		sh.readonlyError(sh.names.name(id))
		return nil
	}
	if v.owner != sh.owner {
		v = sh.own(id)
	}
	switch {
	case v.flags&vDynamic != 0:
		list := sh.resolve(id)
		v.flags = v.flags&^vDynamic | vIndexed | vSet
		v.arr, v.dyn = &array{}, nil
		if list.arr != nil {
			v.arr = list.arr
		}
	case v.flags&(vIndexed|vAssoc) == 0:
		a := &array{}
		if v.flags&vSet != 0 {
			sh.hold(a.set(0, element{str: v.text(sh), kind: textElement}))
		}
		v.arr, v.str, v.buf = a, "", nil
		v.flags = v.flags&^(vStr|vNum|vNaN) | vIndexed
		if sh.opts&optAllexport != 0 {
			v.flags |= vExport
		}
	}
	return v
}

// assignElement assigns to one element of an array, or appends to it.
func (sh *Shell) assignElement(id int, index *subscriptExpr, s string, add bool) bool {
	if v := sh.vars[id]; v.flags&vDynamic != 0 && v.dyn.setPair != nil {
		key := index.key(sh)
		if sh.pending != ctlNone {
			return false
		}
		if add {
			s = sh.join2(v.dyn.pairs(sh)[key], s)
		}
		v.dyn.setPair(sh, key, s)
		return true
	}
	index, ok := sh.firstIndex(id, index)
	if !ok {
		return false
	}
	v := sh.writableArray(id)
	if v == nil {
		return false
	}
	if v.flags&vAssoc != 0 {
		key := index.key(sh)
		if sh.pending != ctlNone {
			return false
		}
		if key == "" {
			sh.badSubscript(sh.names.name(id), index.raw)
			return false
		}
		old, _ := v.assoc.get(key)
		s, ok := sh.elementValue(v, old, s, add)
		if !ok {
			return false
		}
		v.flags |= vSet
		return sh.hold(v.assoc.set(key, s))
	}
	i, ok := sh.place(id, v, index)
	if !ok {
		return false
	}
	v = sh.writableArray(id) // the subscript may have changed it
	if v == nil {
		return false
	}
	if add || v.flags&(vInteger|vCase) != 0 {
		old, _ := v.arr.get(i)
		if s, ok = sh.elementValue(v, old.text(), s, add); !ok {
			return false
		}
	}
	v.flags |= vSet
	return sh.setElement(v, i, element{str: s, kind: textElement})
}

// setElement sets an element, charging what the array grows by before it does.
func (sh *Shell) setElement(v *variable, i int64, e element) bool {
	return sh.hold(v.arr.set(i, e))
}

// assignElementInt is assignElement for a number.
func (sh *Shell) assignElementInt(id int, index *subscriptExpr, n int64) {
	v := sh.vars[id]
	if v.owner != sh.owner || v.flags&(vIndexed|vSlowWrite) != vIndexed {
		if v.flags&(vAssoc|vNameref|vReadonly|vCase|vDynamic) != 0 {
			sh.assignElement(id, index, itoa(n), false)
			return
		}
		var ok bool
		if index, ok = sh.firstIndex(id, index); !ok {
			return
		}
		if v = sh.writableArray(id); v == nil {
			return
		}
	}
	i, ok := sh.place(id, v, index)
	if !ok {
		return
	}
	if v = sh.writableArray(id); v != nil {
		v.flags |= vSet
		sh.setElement(v, i, element{num: n, kind: numElement})
	}
}

// firstIndex returns the subscript of an assignment to a variable that is no array,
// with the value that it has now: one that names nothing does not make it an array.
func (sh *Shell) firstIndex(id int, index *subscriptExpr) (*subscriptExpr, bool) {
	v := sh.vars[id]
	if v.flags&(vIndexed|vAssoc|vNameref|vDynamic|vReadonly) != 0 {
		return index, true
	}
	before := &variable{arr: &array{}}
	if v.isSet() {
		before.arr.set(0, element{kind: textElement})
	}
	i, ok := sh.place(id, before, index)
	return &subscriptExpr{raw: index.raw, owner: index.owner, number: func(*Shell) int64 { return i }}, ok
}

// place returns the index that a subscript of v names, counted from the end
// where it is negative.
func (sh *Shell) place(id int, v *variable, index *subscriptExpr) (int64, bool) {
	if index.raw == "@" || index.raw == "*" {
		sh.badSubscript(sh.names.name(id), index.raw)
		return 0, false
	}
	i := index.value(sh)
	if sh.pending != ctlNone && sh.indexFailed() {
		return 0, false
	}
	if i < 0 {
		if i += v.arr.end(); i < 0 {
			sh.badSubscript(sh.names.name(id), index.raw)
			return 0, false
		}
	}
	return i, true
}

// badSubscript reports a subscript that cannot be assigned to.
func (sh *Shell) badSubscript(name, raw string) {
	sh.failReported("%s[%s]: bad array subscript", name, raw)
	sh.fatalInPosix()
}

// elementValue returns what an element becomes when s is assigned or appended
// to it.
func (sh *Shell) elementValue(v *variable, old, s string, add bool) (string, bool) {
	if add {
		if v.flags&vInteger != 0 {
			n := sh.integer(old)
			n += sh.integer(s)
			return itoa(n), sh.pending == ctlNone
		}
		s = sh.join2(old, s)
	}
	return sh.convert(v, s)
}

// elements returns all elements of v.
func (sh *Shell) elements(v *variable, star bool) value {
	val := value{isList: true, star: star}
	switch {
	case v.flags&vIndexed != 0:
		if sh.fits(16 * v.arr.len()) {
			val.list = v.arr.appendTexts(nil)
		}
	case v.flags&vAssoc != 0:
		if sh.fits(16 * v.assoc.len()) {
			val.list = v.assoc.appendTexts(nil)
		}
	case v.isSet():
		val.list = []string{v.text(sh)}
	}
	val.set = len(val.list) > 0
	return val
}

// element returns one element of v.
func (sh *Shell) element(v *variable, index *subscriptExpr) value {
	if v.flags&vAssoc != 0 {
		key := index.key(sh)
		if key == "" && sh.pending == ctlNone {
			index.bad(sh)
		}
		s, ok := v.assoc.get(key)
		return value{s: s, set: ok}
	}
	i := index.value(sh)
	if sh.pending != ctlNone && sh.indexFailed() {
		return value{}
	}
	if v.flags&vIndexed == 0 {
		if i == 0 {
			return value{s: v.text(sh), set: v.isSet()}
		}
		if i < 0 && (v.isSet() || !index.fatal) {
			index.bad(sh)
		}
		return value{}
	}
	if i < 0 {
		if i += v.arr.end(); i < 0 {
			index.bad(sh)
			return value{}
		}
	}
	e, ok := v.arr.get(i)
	return value{s: e.text(), set: ok}
}

// A subscriptExpr is a compiled subscript: a key for an associative array, an
// expression for an indexed one.
type subscriptExpr struct {
	raw    string
	owner  string // the array's name, for messages
	fatal  bool   // one that names nothing ends the line
	number arith
	key    text
}

// value evaluates the subscript of an indexed array. Bash: its mistakes are not
// reported in the name of the command.
func (s *subscriptExpr) value(sh *Shell) int64 {
	if sh.exprName == "" {
		return s.number(sh)
	}
	return sh.named("", s.number)
}

// subscript compiles a subscript that is not @ or *.
func (c *compiler) subscript(x syntax.ArithmExpr) *subscriptExpr {
	return c.subscriptText(c.arithSource(x))
}

func (c *compiler) subscriptText(raw string) *subscriptExpr {
	s := &subscriptExpr{raw: raw, number: c.arithText(raw, 0)}
	unquote := func(s string) string { return unescape(s, inText) }
	var ok bool
	if s.key, ok = c.rawText(raw, inText, unquote); !ok {
		s.key = constant(unquote(raw))
	}
	return s
}

// bad reports a subscript that names no element.
func (s *subscriptExpr) bad(sh *Shell) {
	if s.fatal {
		sh.failReported("%s: bad array subscript", s.owner)
		return
	}
	sh.reported("%s: bad array subscript", s.owner)
}
