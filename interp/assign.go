package interp

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/limpet-sh/limpet/internal/parse"
	"github.com/limpet-sh/limpet/internal/unparse"
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
			sh.fail("`%s': invalid variable name for name reference", s)
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
		n := sh.evalText(s)
		return itoa(n), !sh.indexFailed()
	}
	switch {
	case v.flags&vLower != 0:
		return strings.ToLower(s), true
	case v.flags&vUpper != 0:
		return strings.ToUpper(s), true
	case v.flags&vCapital != 0:
		r, n := utf8.DecodeRuneInString(s)
		if n > 0 {
			return string(unicode.ToUpper(r)) + strings.ToLower(s[n:]), true
		}
	}
	return s, true
}

// readonlyError reports an assignment to a readonly variable.
func (sh *Shell) readonlyError(name string) bool {
	if sh.assigning {
		sh.errorf("%s: readonly variable", name)
	} else {
		sh.failReported("%s: readonly variable", name)
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
			return false
		}
		if !isTarget(s) {
			sh.fail("`%s': invalid variable name for name reference", s)
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

// isTarget reports whether s is what can be assigned to: a name or an element.
func isTarget(s string) bool { return isName(s) || isElementName(s) }

// isElementName reports whether s is name[subscript].
func isElementName(s string) bool {
	i := strings.IndexByte(s, '[')
	return i > 0 && isName(s[:i]) && strings.HasSuffix(s, "]") && len(s) > i+2
}

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
	v := sh.writableArray(id)
	if v == nil {
		return false
	}
	if v.flags&vAssoc != 0 {
		key := index.key(sh)
		if sh.pending != ctlNone {
			return false
		}
		if key == "" && strings.TrimSpace(index.raw) == "" {
			sh.fail("%s[%s]: bad array subscript", sh.names.name(id), index.raw)
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

// place returns the index that a subscript of v names, counted from the end
// where it is negative.
func (sh *Shell) place(id int, v *variable, index *subscriptExpr) (int64, bool) {
	i := index.number(sh)
	if sh.pending != ctlNone && sh.indexFailed() {
		return 0, false
	}
	if i < 0 {
		if i += v.arr.end(); i < 0 {
			sh.fail("%s[%s]: bad array subscript", sh.names.name(id), index.raw)
			return 0, false
		}
	}
	return i, true
}

// elementValue returns what an element becomes when s is assigned or appended
// to it.
func (sh *Shell) elementValue(v *variable, old, s string, add bool) (string, bool) {
	if add {
		if v.flags&vInteger != 0 {
			n := sh.evalText(old)
			n += sh.evalText(s)
			return itoa(n), sh.pending == ctlNone
		}
		s = sh.join2(old, s)
	}
	return sh.convert(v, s)
}

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

// An assignment is a compiled name=value, name[i]=value, name=(values) or one of
// them with +=.
type assignment struct {
	id     int
	name   string
	add    bool
	index  *subscriptExpr
	value  text
	array  []elementExpr
	isList bool
	source func() string // as it is written
	run    func(sh *Shell) bool
}

// An elementExpr is an element of a compiled list of values.
type elementExpr struct {
	index  *subscriptExpr // of [i]=value
	add    bool           // [i]+=value
	value  text           // likewise
	plain  text           // the value in an associative array: tildes are literal
	values fields         // of a value without a subscript
}

// assignment compiles an assignment.
func (c *compiler) assignment(as *syntax.Assign) *assignment {
	src := c.src
	a := &assignment{id: c.id(as.Name.Value), name: as.Name.Value, add: as.Append}
	a.source = func() string { return unparse.Assign(as, src) }
	if as.Index != nil {
		a.index = c.subscript(as.Index)
		a.index.owner = a.name
	}
	if as.Array != nil {
		a.isList = true
		for _, e := range as.Array.Elems {
			a.array = append(a.array, c.elementExpr(e))
		}
	} else {
		a.value = c.value(as.Value)
	}
	a.run = c.runner(a, as)
	return a
}

func (c *compiler) elementExpr(e *syntax.ArrayElem) elementExpr {
	if e.Index == nil {
		return elementExpr{values: c.field(e.Value)}
	}
	el := elementExpr{index: c.subscript(e.Index), value: c.value(e.Value), add: parse.Appends(e)}
	if el.plain = el.value; e.Value != nil {
		el.plain = c.value(literalTildes(e.Value))
	}
	return el
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

// runner returns the code of an assignment: of the kinds that scripts have
// most, without a look at the others.
func (c *compiler) runner(a *assignment, as *syntax.Assign) func(sh *Shell) bool {
	id, value := a.id, a.value
	switch {
	case a.index != nil && a.index.raw == "":
		return func(sh *Shell) bool {
			sh.fail("%s[]: bad array subscript", a.name)
			return false
		}
	case a.isList || a.index != nil && a.add:
		return a.general
	case a.index != nil:
		if n, ok := c.number(as.Value); ok {
			index := a.index
			return func(sh *Shell) bool {
				if sh.vars[id].flags&(vAssoc|vNameref|vReadonly) != 0 {
					return a.general(sh)
				}
				v := n(sh)
				if sh.pending == ctlNone {
					sh.assignElementInt(id, index, v)
				}
				return sh.pending == ctlNone
			}
		}
		return a.general
	case a.add:
		return func(sh *Shell) bool {
			s := value(sh)
			return sh.pending == ctlNone && sh.appendTo(id, s)
		}
	}
	if n, ok := c.number(as.Value); ok {
		return func(sh *Shell) bool {
			v := n(sh)
			if sh.pending == ctlNone {
				if sh.opts&optAllexport != 0 {
					return sh.assign(id, itoa(v))
				}
				sh.assignInt(id, v)
			}
			return sh.pending == ctlNone
		}
	}
	if src, ok := plainVariable(as.Value); ok {
		from := c.id(src)
		return func(sh *Shell) bool {
			if v := sh.vars[from]; v.flags&(vStr|vNum|vSlowRead) == vNum && sh.opts&optAllexport == 0 {
				sh.assignInt(id, v.num)
				return sh.pending == ctlNone
			}
			s := value(sh)
			return sh.pending == ctlNone && sh.assign(id, s)
		}
	}
	return func(sh *Shell) bool {
		s := value(sh)
		return sh.pending == ctlNone && sh.assign(id, s)
	}
}

// number compiles a value that is an integer in the form that itoa writes.
func (c *compiler) number(w *syntax.Word) (arith, bool) {
	if w == nil || len(w.Parts) != 1 {
		return nil, false
	}
	switch p := w.Parts[0].(type) {
	case *syntax.ArithmExp:
		return c.arithExpansion(p), true
	case *syntax.Lit:
		if n, ok := plainInt(p.Value); ok && itoa(n) == p.Value {
			return func(*Shell) int64 { return n }, true
		}
	}
	return nil, false
}

// plainVariable returns the name of the variable that w is, if it is one.
func plainVariable(w *syntax.Word) (string, bool) {
	if w == nil || len(w.Parts) != 1 {
		return "", false
	}
	part := w.Parts[0]
	if dq, ok := part.(*syntax.DblQuoted); ok && len(dq.Parts) == 1 {
		part = dq.Parts[0]
	}
	if pe, ok := part.(*syntax.ParamExp); ok && isPlainName(pe) {
		return pe.Param.Value, true
	}
	return "", false
}

// general runs an assignment of any kind.
func (a *assignment) general(sh *Shell) bool {
	switch {
	case a.isList:
		return a.list(sh)
	case a.index != nil:
		s := a.value(sh)
		return sh.pending == ctlNone && sh.assignElement(a.id, a.index, s, a.add)
	}
	s := a.value(sh)
	switch {
	case sh.pending != ctlNone:
		return false
	case a.add:
		return sh.appendTo(a.id, s)
	}
	return sh.assign(a.id, s)
}

// list assigns a list of values to an array.
func (a *assignment) list(sh *Shell) bool {
	id := a.id
	if a.index != nil {
		sh.fail("%s[%s]: cannot assign list to array member", a.name, a.index.raw)
		return false
	}
	if sh.vars[id].flags&vNameref != 0 {
		to, ok := sh.listTarget(id)
		if !ok {
			return false
		}
		id = to
	}
	if sh.vars[id].flags&vAssoc != 0 {
		return a.pairs(sh, id)
	}
	type item struct {
		index *subscriptExpr
		add   bool
		s     string
	}
	if a.plain() {
		words := sh.args[:0]
		sh.args = nil
		for i := range a.array {
			words = a.array[i].values(sh, words)
			if sh.pending != ctlNone {
				return false
			}
		}
		if !sh.hold(16 * len(words)) {
			return false
		}
		ok := sh.storeList(id, words, a.add)
		sh.hold(-16 * len(words))
		clear(words)
		sh.args = words[:0]
		return ok
	}
	var items []item
	for i := range a.array {
		e := &a.array[i]
		if e.index == nil {
			for _, s := range e.values(sh, nil) {
				items = append(items, item{s: s})
			}
		} else {
			items = append(items, item{e.index, e.add, e.value(sh)})
		}
		if sh.pending != ctlNone {
			return false
		}
	}
	v := sh.writableArray(id)
	if v == nil {
		return false
	}
	if !a.add {
		sh.hold(-v.arr.size())
		v.arr = &array{}
	}
	v.flags |= vSet
	next := v.arr.end()
	for _, it := range items {
		if it.index != nil {
			next = it.index.number(sh)
			if sh.pending != ctlNone && sh.indexFailed() {
				return false
			}
			if next < 0 {
				if next += v.arr.end(); next < 0 {
					sh.errorf("%s[%s]: bad array subscript", a.name, it.index.raw)
					continue
				}
			}
		}
		s := it.s
		if it.add || v.flags&(vInteger|vCase) != 0 {
			old, _ := v.arr.get(next)
			var ok bool
			if s, ok = sh.elementValue(v, old.text(), s, it.add); !ok {
				return false
			}
		}
		if !sh.setElement(v, next, element{str: s, kind: textElement}) {
			return false
		}
		next++
	}
	sh.changed(id, v)
	return true
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

// plain reports whether the values have no subscripts.
func (a *assignment) plain() bool {
	for i := range a.array {
		if a.array[i].index != nil {
			return false
		}
	}
	return true
}

// storeList makes words the elements of the array id, or appends them.
func (sh *Shell) storeList(id int, words []string, add bool) bool {
	v := sh.writableArray(id)
	if v == nil {
		return false
	}
	if !add {
		sh.hold(-v.arr.size())
		v.arr = &array{}
	}
	if len(words) > 64 && !sh.fits(elementSize*len(words)) {
		return false
	}
	v.flags |= vSet
	i := v.arr.end()
	for _, s := range words {
		if v.flags&(vInteger|vCase) != 0 {
			var ok bool
			if s, ok = sh.convert(v, s); !ok {
				return false
			}
		}
		if !sh.setElement(v, i, element{str: s, kind: textElement}) {
			return false
		}
		i++
	}
	sh.changed(id, v)
	return true
}

// pairs assigns a list of values to an associative array.
func (a *assignment) pairs(sh *Shell, id int) bool {
	type pair struct {
		key, value string
		add        bool
	}
	var list []pair
	var words []string
	for i := range a.array {
		e := &a.array[i]
		if e.index != nil {
			list = append(list, pair{e.index.key(sh), e.plain(sh), e.add})
		} else {
			words = e.values(sh, words)
		}
		if sh.pending != ctlNone {
			return false
		}
	}
	if len(list) > 0 && len(words) > 0 {
		for _, w := range words {
			sh.errorf("%s: %s: must use subscript when assigning associative array", a.name, w)
		}
		words = nil
	}
	for i := 0; i < len(words); i += 2 {
		p := pair{key: words[i]}
		if i+1 < len(words) {
			p.value = words[i+1]
		}
		list = append(list, p)
	}
	v := sh.writableArray(id)
	if v == nil {
		return false
	}
	if !a.add {
		sh.hold(-v.assoc.bytes)
		v.assoc = newAssoc()
	}
	v.flags |= vSet
	for _, p := range list {
		if p.key == "" {
			sh.errorf("%s: bad array subscript", a.name)
			continue
		}
		old, _ := v.assoc.get(p.key)
		s, ok := sh.elementValue(v, old, p.value, p.add)
		if !ok || !sh.hold(v.assoc.set(p.key, s)) {
			return false
		}
	}
	return true
}
