package awk

import (
	"math/bits"
	"strconv"
)

// An array is an associative array. It is laid out as gawk lays out its own,
// because the layout decides the order in which a for loop visits the elements,
// and scripts show that order:
//
//   - dense: integers from 0, in leaves of consecutive ones. Visited in order.
//   - sparse: other integers, hashed, in pairs.
//   - hashed: strings; also integers that came after a string.
//
// The first subscript decides. What a dense or sparse array cannot take goes to
// its rest, an array of another layout, which is visited first.
//
// Pointers to values are valid until the next change of the array.
type array struct {
	name   string // as messages have it
	layout layout
	size   int // elements, those of rest included
	rest   *array
	mem    *account

	trees    [32 - denseBits]*tree // dense: by the highest bit of the integer
	capacity int                   // dense: integers that the leaves have room for
	pairs    []*pair               // sparse: chains
	buckets  []*element            // hashed: chains

	spare     *tree // for trees[0], when it is needed again
	spareLeaf *leaf // for its first leaf
}

type layout uint8

const (
	empty layout = iota
	dense
	sparse
	hashed
)

// elementCost is what an element is charged, besides its strings.
const elementCost = 96

// A subscript is one that names an integer, or any other string.
type subscript struct {
	s       string
	b       []byte // instead of s, for a string that does not live on
	n       int
	integer bool
}

func intKey(n int) subscript { return subscript{n: n, integer: true} }

func stringKey(s string) subscript {
	if n, ok := integerKey(s); ok {
		return subscript{s: s, n: n, integer: true}
	}
	return subscript{s: s}
}

func bytesKey(b []byte) subscript {
	n, ok := integerKey(b)
	return subscript{b: b, n: n, integer: ok}
}

// text returns the subscript as programs see it.
func (k subscript) text() string {
	switch {
	case k.s != "":
		return k.s
	case k.b != nil:
		return string(k.b)
	case k.integer:
		return strconv.Itoa(k.n)
	}
	return ""
}

// find returns the element k, or nil if there is none.
func (a *array) find(k subscript) *value {
	switch a.layout {
	case dense:
		if k.integer && k.n >= 0 {
			if v := a.findDense(k.n); v != nil {
				return v
			}
		}
	case sparse:
		if k.integer {
			return a.findSparse(k.n)
		}
	case hashed:
		return a.findHashed(k)
	}
	if a.rest == nil {
		return nil
	}
	return a.rest.find(k)
}

// ref returns the element k, which it adds to the array if there is none.
func (a *array) ref(k subscript) *value {
	if v := a.find(k); v != nil {
		return v
	}
	a.mem.hold(elementCost)
	return a.insert(k)
}

// refInt is ref for an integer.
func (a *array) refInt(n int) *value {
	if a.layout == dense && n >= 0 {
		if v := a.findDense(n); v != nil {
			return v
		}
	}
	return a.ref(intKey(n))
}

// insert adds the element k, which is not there.
func (a *array) insert(k subscript) *value {
	if a.layout == empty {
		a.layout = layoutFor(k)
	}
	a.size++
	switch {
	case a.layout == hashed:
		return a.insertHashed(k)
	case a.layout == sparse && k.integer:
		return a.insertSparse(k.n)
	case a.layout == dense && k.integer && k.n >= 0 && a.worthwhile(k.n):
		return a.insertDense(k.n)
	}
	if a.rest == nil {
		a.rest = &array{name: a.name, mem: a.mem}
		if a.layout == dense && k.integer { // dense would refuse it again
			a.rest.layout = sparse
		}
	}
	return a.rest.insert(k)
}

func layoutFor(k subscript) layout {
	switch {
	case !k.integer:
		return hashed
	case k.n < 0:
		return sparse
	}
	return dense
}

// clear removes all elements.
func (a *array) clear() {
	if a.size == 0 {
		return
	}
	if a.layout == dense && a.rest == nil && a.clearSmall() {
		return
	}
	for v := range a.values() {
		a.mem.forget(v)
	}
	a.reset()
}

// reset makes a what it was at first.
func (a *array) reset() {
	a.mem.release()
	*a = array{name: a.name, mem: a.mem}
}

// clearSmall is clear for a dense array that is no more than one leaf, which it
// keeps for the elements to come. It reports whether a was one.
func (a *array) clearSmall() bool {
	t := a.trees[0]
	if t == nil || t.few[0] == nil || t.few[0].count != a.size {
		return false
	}
	l := t.few[0]
	for i := range l.values {
		a.mem.forget(&l.values[i])
	}
	clear(l.values)
	a.mem.hold(-elementCost * a.size)
	*l, *t = leaf{values: l.values}, tree{few: t.few}
	t.few[0] = nil
	*a = array{name: a.name, mem: a.mem, spare: t, spareLeaf: l}
	return true
}

// remove removes the element k, if there is one.
func (a *array) remove(k subscript) {
	v := a.find(k)
	if v == nil {
		return
	}
	a.mem.forget(v)
	a.drop(k)
	a.mem.hold(-elementCost)
	if a.size == 0 {
		a.reset()
	}
}

// drop unlinks the element k, which is there.
func (a *array) drop(k subscript) {
	own := true
	switch a.layout {
	case dense:
		own = k.integer && k.n >= 0 && a.findDense(k.n) != nil
		if own {
			a.dropDense(k.n)
		}
	case sparse:
		own = k.integer
		if own {
			a.dropSparse(k.n)
		}
	case hashed:
		a.dropHashed(k)
	}
	a.size--
	if !own {
		a.rest.drop(k)
	}
	if a.rest == nil {
		return
	}
	switch a.rest.size {
	case 0:
		a.rest = nil
	case a.size: // the rest is all that is left
		*a = *a.rest
	}
}

// A tree holds the leaves for the integers from one power of two to the next;
// the tree at 10 holds those below 1024.
type tree struct {
	count  int           // elements
	leaves map[int]*leaf // by the integers they hold, divided by their size
	few    []*leaf       // instead of leaves, where there are at most 1024
}

// A leaf has room for consecutive integers, of which the first is a multiple of
// their number. The slice grows up to that.
type leaf struct {
	count  int
	values []value
}

// denseBits is the position of the highest bit up to which integers share a
// tree.
const denseBits = 10

// treeOf returns the tree that n belongs to, and the logarithm of the size of
// its leaves.
func treeOf(n int) (t, leafBits int) {
	t = max(bits.Len(uint(n)), denseBits)
	leafBits = t / 2
	if leafBits > denseBits {
		leafBits = (leafBits + 1) / 2
	}
	return t, leafBits
}

// worthwhile reports whether gawk would still find room for n in an array that
// is not too sparse.
func (a *array) worthwhile(n int) bool {
	t, _ := treeOf(n)
	li := max(t-1, denseBits)
	for li >= denseBits {
		li = (li + 1) / 2
	}
	size := a.size - 1 // n is counted already
	if a.rest != nil {
		size -= a.rest.size
	}
	return a.capacity+1<<li-size <= 2<<denseBits
}

func (a *array) findDense(n int) *value {
	t, leafBits := treeOf(n)
	tr := a.trees[t-denseBits]
	if tr == nil {
		return nil
	}
	l := tr.find(n >> leafBits)
	if l == nil {
		return nil
	}
	if i := n & (1<<leafBits - 1); i < len(l.values) && l.values[i].k != absent {
		return &l.values[i]
	}
	return nil
}

func (t *tree) find(i int) *leaf {
	if t.few != nil {
		return t.few[i]
	}
	return t.leaves[i]
}

// set makes l leaf i; nil removes it.
func (t *tree) set(i int, l *leaf) {
	switch {
	case t.few != nil:
		t.few[i] = l
	case l != nil:
		t.leaves[i] = l
	default:
		delete(t.leaves, i)
	}
}

func (a *array) insertDense(n int) *value {
	t, leafBits := treeOf(n)
	tr := a.trees[t-denseBits]
	if tr == nil && t == denseBits && a.spare != nil {
		tr, a.spare = a.spare, nil
		a.trees[0] = tr
	}
	if tr == nil {
		tr = &tree{}
		if t <= 2*denseBits {
			tr.few = make([]*leaf, 1<<(t-leafBits))
		} else {
			tr.leaves = map[int]*leaf{}
		}
		a.trees[t-denseBits] = tr
	}
	l := tr.find(n >> leafBits)
	if l == nil {
		if l = a.spareLeaf; l == nil || n>>leafBits != 0 {
			l = &leaf{}
		} else {
			a.spareLeaf = nil
		}
		tr.set(n>>leafBits, l)
		a.capacity += 1 << leafBits
	}
	i := n & (1<<leafBits - 1)
	if i >= len(l.values) {
		room := min(max(2*len(l.values), 1<<bits.Len(uint(i)), 4), 1<<leafBits)
		l.values = append(make([]value, 0, room), l.values...)[:room]
	}
	l.count++
	tr.count++
	l.values[i].k = unset
	return &l.values[i]
}

func (a *array) dropDense(n int) {
	t, leafBits := treeOf(n)
	tr := a.trees[t-denseBits]
	l := tr.find(n >> leafBits)
	l.values[n&(1<<leafBits-1)] = value{}
	l.count--
	tr.count--
	if l.count == 0 {
		a.capacity -= 1 << leafBits
		tr.set(n>>leafBits, nil)
	}
	if tr.count == 0 {
		a.trees[t-denseBits] = nil
	}
}
