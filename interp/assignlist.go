package interp

import (
	"cmp"
	"strings"
)

// list assigns a list of values to an array.
func (a *assignment) list(sh *Shell) bool {
	id := a.id
	if a.index != nil {
		sh.failReported("%s[%s]: cannot assign list to array member", a.name, a.index.raw)
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
	existed := sh.vars[id].exists()
	if v := sh.writableArray(id); v == nil { // Bash: it is one before the values are expanded, which may fail
		return false
	} else if !existed {
		v.flags |= vSet
	}
	type item struct {
		*elementExpr
		s string
	}
	if a.plain() {
		words := sh.args[:0]
		sh.args = nil
		if a.late != nil {
			words = a.late(sh, words)
		}
		for i := 0; i < len(a.array) && a.late == nil && sh.pending == ctlNone; i++ {
			words = a.array[i].values(sh, words)
		}
		if sh.pending != ctlNone {
			return false
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
		values := e.values
		if e.words != nil && sh.opts&optBraceexpand != 0 {
			values = e.words
		}
		switch {
		case values != nil:
			for _, s := range values(sh, nil) {
				items = append(items, item{&elementExpr{}, s})
			}
		case e.bracketed && e.unbalanced(sh):
			items = append(items, item{&elementExpr{}, e.asWord(sh)})
		default:
			items = append(items, item{e, e.value(sh)})
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
	next := v.arr.end()
	for _, it := range items {
		if it.index != nil {
			if it.empty(sh) {
				sh.reported("[]=%s: bad array subscript", it.s)
				continue
			}
			if it.index.raw == "*" || it.index.raw == "@" {
				sh.reported("%s: cannot assign to non-numeric index", it.source)
				continue
			}
			at := it.index.value(sh)
			if sh.pending != ctlNone && sh.indexFailed() {
				return false
			}
			if at < 0 {
				if at += v.arr.end(); at < 0 {
					sh.reported("[%s]%s=%s: bad array subscript", it.index.key(sh), []string{"", "+"}[b2i(it.add)], it.s)
					continue
				}
			}
			next = at
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
	v.flags |= vSet
	sh.changed(id, v)
	return sh.pending == ctlNone
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
	v.flags |= vSet
	sh.changed(id, v)
	return true
}

// pairs assigns a list of values to an associative array. Bash: it expands and assigns them
// one by one, and the value of a key that is empty not at all.
func (a *assignment) pairs(sh *Shell, id int) bool {
	v := sh.writableArray(id)
	if v == nil {
		return false
	}
	to := v.assoc
	if !a.add {
		to = newAssoc()
	}
	put := func(e *elementExpr, key string, value text, add bool) bool {
		if key == "" && sh.pending == ctlNone {
			sh.reported("%s: bad array subscript", cmp.Or(e.source, a.name))
			return sh.pending == ctlNone
		}
		s := ""
		if value != nil && sh.pending == ctlNone {
			s = value(sh)
		}
		if sh.pending != ctlNone {
			return false
		}
		old, _ := to.get(key)
		if add && !a.add { // Bash: to what the array held before this list
			old, _ = v.assoc.get(key)
		}
		s, ok := sh.elementValue(v, old, s, add)
		if !ok || !sh.hold(to.set(key, s)) {
			return false
		}
		v.flags |= vSet
		return true
	}
	kv := len(a.array) > 0 && a.array[0].index == nil && !strings.HasPrefix(a.array[0].source, "[") // Bash: the first decides
	for i := 0; i < len(a.array); i++ {
		e := &a.array[i]
		ok := true
		switch {
		case kv:
			var value text
			if i++; i < len(a.array) {
				value = a.array[i].pairWord
			}
			ok = put(e, e.pairWord(sh), value, false)
		case e.index != nil:
			ok = put(e, e.index.key(sh), e.plain, e.add)
		default:
			word := e.plain(sh) // Bash: such a word is neither split nor a pattern
			if ok = sh.pending == ctlNone; ok {
				sh.reported("%s: %s: must use subscript when assigning associative array", a.name, cmp.Or(e.shown, word))
				ok = sh.pending == ctlNone
			}
		}
		if !ok {
			if !a.add {
				sh.hold(-to.bytes)
			}
			return false
		}
	}
	if !a.add {
		sh.hold(-v.assoc.bytes)
		v.assoc = to
	}
	v.flags |= vSet
	return true
}

// pairWord returns an element of a list of keys and values by turns.
func (e *elementExpr) pairWord(sh *Shell) string {
	if e.index != nil {
		return e.asWord(sh)
	}
	return e.plain(sh)
}

// empty reports whether nothing is between the brackets, or a parameter that is
// empty.
func (e *elementExpr) empty(sh *Shell) bool {
	raw := e.index.raw
	return raw == "" || !strings.ContainsAny(raw, "`(+-=") && strings.ContainsAny(raw, "$'\"") && e.index.key(sh) == ""
}

// unbalanced reports whether the subscript, without its quotes, ends before its bracket.
// Bash: such an element of an indexed array is a value.
func (e *elementExpr) unbalanced(sh *Shell) bool {
	key := e.index.key(sh)
	return skipNested("["+key+"]", 1, '[', ']') != len(key)+2
}

// asWord returns the element as the word that it would be without its quotes.
func (e *elementExpr) asWord(sh *Shell) string {
	op := "]="
	if e.add {
		op = "]+="
	}
	return "[" + e.index.key(sh) + op + e.value(sh)
}
