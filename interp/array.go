package interp

import (
	"maps"
	"slices"
)

// An element is one value of an indexed array. The zero element is unset.
type element struct {
	str  string
	num  int64
	kind elementKind
}

type elementKind uint8

const (
	noElement elementKind = iota
	textElement
	numElement
)

const elementSize = 32

func (e element) text() string {
	if e.kind == numElement {
		return itoa(e.num)
	}
	return e.str
}

// An array is an indexed array: a slice while its indices are near each other,
// and a map when they are not. No operation but clone depends on its length.
type array struct {
	dense  []element
	count  int // of set elements
	sparse map[int64]element
	keys   []int64 // of sparse, in order; nil when not known
	top    int64   // the highest index of sparse
	bytes  int     // of the texts
}

// maxGap is how far beyond its end a dense array may be extended by unset
// elements.
const maxGap = 4096

func (a *array) get(i int64) (element, bool) {
	if a.sparse != nil {
		e, ok := a.sparse[i]
		return e, ok
	}
	if uint64(i) < uint64(len(a.dense)) {
		e := a.dense[i]
		return e, e.kind != noElement
	}
	return element{}, false
}

// end returns the index after the highest one.
func (a *array) end() int64 {
	if a.sparse != nil {
		if len(a.sparse) == 0 {
			return 0
		}
		return a.top + 1
	}
	return int64(len(a.dense))
}

func (a *array) len() int {
	if a.sparse != nil {
		return len(a.sparse)
	}
	return a.count
}

func (a *array) size() int { return a.bytes + elementSize*max(cap(a.dense), 3*len(a.sparse)) }

// set sets element i, which is not negative, and returns by how much the array
// has grown in memory.
func (a *array) set(i int64, e element) (grown int) {
	if a.sparse == nil && i >= int64(len(a.dense))+maxGap {
		a.spread()
	}
	if a.sparse != nil {
		old, ok := a.sparse[i]
		if !ok {
			grown = 3 * elementSize
			if a.keys != nil && (len(a.sparse) == 0 || i > a.top) {
				a.keys = append(a.keys, i)
			} else {
				a.keys = nil
			}
			a.top = max(a.top, i)
			if len(a.sparse) == 0 {
				a.top = i
			}
		}
		a.sparse[i] = e
		a.bytes += len(e.str) - len(old.str)
		return grown + len(e.str) - len(old.str)
	}
	n := int64(len(a.dense))
	switch {
	case i < n:
		old := &a.dense[i]
		if old.kind == noElement {
			a.count++
		}
		grown = len(e.str) - len(old.str)
		*old = e
		a.bytes += grown
		return grown
	case i > n:
		a.dense = slices.Grow(a.dense, int(i-n)+1)
		a.dense = a.dense[:i]
	}
	before := cap(a.dense)
	a.dense = append(a.dense, e)
	a.count++
	a.bytes += len(e.str)
	return len(e.str) + elementSize*(cap(a.dense)-before+int(i-n))
}

// spread turns a dense array into a sparse one.
func (a *array) spread() {
	a.sparse = make(map[int64]element, a.count)
	a.keys = make([]int64, 0, a.count)
	a.top = -1
	for i, e := range a.dense {
		if e.kind != noElement {
			a.sparse[int64(i)] = e
			a.keys = append(a.keys, int64(i))
			a.top = int64(i)
		}
	}
	a.dense, a.count = nil, 0
}

// unset removes element i and returns by how much the array has shrunk.
func (a *array) unset(i int64) (shrunk int) {
	if a.sparse != nil {
		e, ok := a.sparse[i]
		if !ok {
			return 0
		}
		delete(a.sparse, i)
		a.keys = nil
		if i == a.top {
			a.top = -1
			for k := range a.sparse {
				a.top = max(a.top, k)
			}
		}
		a.bytes -= len(e.str)
		return len(e.str) + 3*elementSize
	}
	if uint64(i) >= uint64(len(a.dense)) || a.dense[i].kind == noElement {
		return 0
	}
	shrunk = len(a.dense[i].str)
	a.bytes -= shrunk
	a.dense[i] = element{}
	a.count--
	for n := len(a.dense); n > 0 && a.dense[n-1].kind == noElement; n-- {
		a.dense = a.dense[:n-1]
	}
	return shrunk
}

// indices returns the indices of the set elements, in order.
func (a *array) indices() []int64 {
	if a.sparse != nil {
		if a.keys == nil {
			return slices.Sorted(maps.Keys(a.sparse))
		}
		return a.keys
	}
	keys := make([]int64, 0, a.count)
	for i, e := range a.dense {
		if e.kind != noElement {
			keys = append(keys, int64(i))
		}
	}
	return keys
}

// appendTexts appends the values of the set elements, in order.
func (a *array) appendTexts(dst []string) []string {
	if a == nil {
		return dst
	}
	if a.sparse != nil {
		for _, i := range a.indices() {
			dst = append(dst, a.sparse[i].text())
		}
		return dst
	}
	dst = slices.Grow(dst, a.count)
	for i := range a.dense {
		if e := &a.dense[i]; e.kind != noElement {
			dst = append(dst, e.text())
		}
	}
	return dst
}

func (a *array) clone() *array {
	c := *a
	c.dense = slices.Clone(a.dense)
	c.sparse = maps.Clone(a.sparse)
	c.keys = nil
	return &c
}
