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

// pairs assigns a list of values to an associative array.
func (a *assignment) pairs(sh *Shell, id int) bool {
	type pair struct {
		key, value string
		add        bool
		source     string
	}
	var list []pair
	var words, sources, shown []string
	kv := len(a.array) > 0 && a.array[0].index == nil && !strings.HasPrefix(a.array[0].source, "[") // Bash: the first decides
	if kv {
		words, sources = a.pairWords(sh)
	}
	for i := 0; i < len(a.array) && !kv; i++ {
		e := &a.array[i]
		if e.index != nil {
			list = append(list, pair{e.index.key(sh), e.plain(sh), e.add, e.source})
		} else {
			words = append(words, e.plain(sh)) // Bash: such a word is neither split nor a pattern
			shown = append(shown, cmp.Or(e.shown, words[len(words)-1]))
			sources = append(sources, e.source)
		}
		if sh.pending != ctlNone {
			return false
		}
	}
	if sh.pending != ctlNone {
		return false
	}
	if len(words) > 0 && !kv {
		for _, w := range shown {
			sh.reported("%s: %s: must use subscript when assigning associative array", a.name, w)
		}
		words = nil
	}
	for i := 0; i < len(words); i += 2 {
		p := pair{key: words[i], source: sources[i]}
		if i+1 < len(words) {
			p.value = words[i+1]
		}
		list = append(list, p)
	}
	v := sh.writableArray(id)
	if v == nil {
		return false
	}
	before := v.assoc
	if !a.add {
		sh.hold(-v.assoc.bytes)
		v.assoc = newAssoc()
	}
	for _, p := range list {
		if p.key == "" {
			sh.reported("%s: bad array subscript", cmp.Or(p.source, a.name))
			continue
		}
		old, _ := v.assoc.get(p.key)
		if p.add && !a.add { // Bash: to what the array held before this list
			old, _ = before.get(p.key)
		}
		s, ok := sh.elementValue(v, old, p.value, p.add)
		if !ok || !sh.hold(v.assoc.set(p.key, s)) {
			return false
		}
	}
	v.flags |= vSet
	return true
}

// pairWords returns all elements as words, keys and values by turns.
func (a *assignment) pairWords(sh *Shell) (words, sources []string) {
	for i := range a.array {
		e := &a.array[i]
		if e.index != nil {
			words = append(words, e.asWord(sh))
		} else {
			words = append(words, e.plain(sh))
		}
		if sources = append(sources, e.source); sh.pending != ctlNone {
			break
		}
	}
	return words, sources
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
