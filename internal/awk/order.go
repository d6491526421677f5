package awk

import (
	"cmp"
	"iter"
	"maps"
	"slices"
	"strings"
)

// all visits the elements in the order of a for loop.
func (a *array) all() iter.Seq2[subscript, *value] {
	return func(yield func(subscript, *value) bool) { a.visit(yield) }
}

// values visits the values in the order of a for loop.
func (a *array) values() iter.Seq[*value] {
	return func(yield func(*value) bool) {
		a.visit(func(_ subscript, v *value) bool { return yield(v) })
	}
}

func (a *array) visit(yield func(subscript, *value) bool) bool {
	if a.rest != nil && !a.rest.visit(yield) {
		return false
	}
	switch a.layout {
	case dense:
		return a.visitDense(yield)
	case sparse:
		for _, p := range a.pairs {
			for ; p != nil; p = p.next {
				for i := range p.n {
					if !yield(intKey(p.key[i]), &p.val[i]) {
						return false
					}
				}
			}
		}
	case hashed:
		for _, e := range a.buckets {
			for ; e != nil; e = e.next {
				if !yield(stringKey(e.key), &e.val) {
					return false
				}
			}
		}
	}
	return true
}

func (a *array) visitDense(yield func(subscript, *value) bool) bool {
	for i, t := range a.trees {
		if t == nil {
			continue
		}
		_, leafBits := treeOf(1<<(i+denseBits) - 1)
		for _, at := range t.order() {
			values := t.find(at).values
			for j := range values {
				if v := &values[j]; v.k != absent && !yield(intKey(at<<leafBits+j), v) {
					return false
				}
			}
		}
	}
	return true
}

// order returns the numbers of the leaves there are.
func (t *tree) order() []int {
	list := slices.Sorted(maps.Keys(t.leaves))
	for i, l := range t.few {
		if l != nil {
			list = append(list, i)
		}
	}
	return list
}

// An item is an element as it was when a list of the array was made.
type item struct {
	key subscript
	val value
}

// list returns the elements of a in the order of a for loop.
func (a *array) list() []item {
	items := make([]item, 0, a.size)
	for k, v := range a.all() {
		items = append(items, item{k, *v})
	}
	return items
}

// keyValue returns the subscript k as a value.
func keyValue(k subscript) value {
	return str(k.text())
}

// An ordering compares two elements.
type ordering func(a, b *item) int

// orderings are the ways to sort that have a name: PROCINFO["sorted_in"] and
// the third argument of asort and asorti.
var orderings = map[string]func(*machine) ordering{
	"@ind_str_asc":  byIndexString,
	"@ind_str_desc": reversed(byIndexString),
	"@ind_num_asc":  byIndexNumber,
	"@ind_num_desc": reversed(byIndexNumber),
	"@val_str_asc":  byValueString,
	"@val_str_desc": reversed(byValueString),
	"@val_num_asc":  byValueNumber,
	"@val_num_desc": reversed(byValueNumber),
	"@val_type_asc": byValueType, "@val_type_desc": reversed(byValueType),
}

func reversed(of func(*machine) ordering) func(*machine) ordering {
	return func(m *machine) ordering {
		by := of(m)
		return func(a, b *item) int { return by(b, a) }
	}
}

func byIndexString(m *machine) ordering {
	return func(a, b *item) int { return m.collate(a.key.text(), b.key.text()) }
}

func byIndexNumber(m *machine) ordering {
	return func(a, b *item) int {
		return cmp.Or(cmp.Compare(keyNumber(a.key), keyNumber(b.key)), m.collate(a.key.text(), b.key.text()))
	}
}

func keyNumber(k subscript) float64 {
	if k.integer {
		return float64(k.n)
	}
	return toNumber(k.s)
}

func byValueString(m *machine) ordering {
	return func(a, b *item) int {
		if c := arraysLast(a, b); c != 0 || a.val.k == arrayRef {
			return cmp.Or(c, m.collate(a.key.text(), b.key.text()))
		}
		return cmp.Or(m.collate(m.str(&a.val), m.str(&b.val)), m.collate(a.key.text(), b.key.text()))
	}
}

func byValueNumber(m *machine) ordering {
	return func(a, b *item) int {
		if c := arraysLast(a, b); c != 0 || a.val.k == arrayRef {
			return cmp.Or(c, m.collate(a.key.text(), b.key.text()))
		}
		return cmp.Or(cmp.Compare(a.val.num(), b.val.num()), m.collate(m.str(&a.val), m.str(&b.val)),
			m.collate(a.key.text(), b.key.text()))
	}
}

// byValueType puts numbers before strings before arrays.
func byValueType(m *machine) ordering {
	return func(a, b *item) int {
		if c := arraysLast(a, b); c != 0 || a.val.k == arrayRef {
			return cmp.Or(c, m.collate(a.key.text(), b.key.text()))
		}
		x, xok := a.val.numeric()
		y, yok := b.val.numeric()
		switch {
		case xok && yok:
			return cmp.Compare(x, y)
		case xok:
			return -1
		case yok:
			return 1
		}
		return m.collate(m.str(&a.val), m.str(&b.val))
	}
}

func arraysLast(a, b *item) int {
	return cmp.Compare(truth(a.val.k == arrayRef), truth(b.val.k == arrayRef))
}

// collate compares two strings: by their bytes, or without regard to case if
// IGNORECASE says so.
func (m *machine) collate(a, b string) int {
	if n := min(len(a), len(b)); n >= counted {
		m.poll(n >> 8)
	}
	if m.ignorecase {
		return strings.Compare(strings.ToLower(a), strings.ToLower(b))
	}
	return strings.Compare(a, b)
}

// sort sorts items, counting the work.
func (m *machine) sort(items []item, by ordering) {
	slices.SortStableFunc(items, func(a, b item) int {
		m.poll(1)
		return by(&a, &b)
	})
}
