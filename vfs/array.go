package vfs

// An owner marks the nodes of persistent structures that one tree alone can
// reach, and that it may therefore change in place. A fork gives both sides new
// owners, after which every node that existed is copied before it is changed.
type owner struct{ _ byte }

const (
	arrayBits = 6
	arrayFan  = 1 << arrayBits
)

// An array is a sparse, persistent array of pointers. Copying the struct copies
// the array, if the owner changes with it. The zero array is empty.
type array[T any] struct {
	zero   *T // element 0, so that an array of one needs no node
	root   *arrayNode[T]
	height uint8 // of root; a leaf has height 0
}

type arrayNode[T any] struct {
	own   *owner
	used  int                      // kids or items that are not nil
	kids  *[arrayFan]*arrayNode[T] // nil for a leaf
	items [arrayFan]*T             // of a leaf; the few other nodes leave it empty
}

func newArrayNode[T any](own *owner, height uint8) *arrayNode[T] {
	n := &arrayNode[T]{own: own}
	if height > 0 {
		n.kids = new([arrayFan]*arrayNode[T])
	}
	return n
}

// edit returns n, or a copy of it if own does not own it.
func (n *arrayNode[T]) edit(own *owner) *arrayNode[T] {
	if n.own == own {
		return n
	}
	c := &arrayNode[T]{own: own, used: n.used, items: n.items}
	if n.kids != nil {
		kids := *n.kids
		c.kids = &kids
	}
	return c
}

// get returns element i, nil if there is none.
func (a *array[T]) get(i uint64) *T {
	if i == 0 {
		return a.zero
	}
	n := a.root
	if n == nil || i>>(arrayBits*(uint(a.height)+1)) != 0 {
		return nil
	}
	for h := uint(a.height); h > 0; h-- {
		if n = n.kids[i>>(arrayBits*h)%arrayFan]; n == nil {
			return nil
		}
	}
	return n.items[i%arrayFan]
}

// set makes v element i. A nil v removes the element.
func (a *array[T]) set(own *owner, i uint64, v *T) {
	switch {
	case i == 0:
		a.zero = v
		return
	case v == nil:
		if a.get(i) != nil {
			a.root = a.remove(own, a.root, uint(a.height), i)
		}
		return
	case a.root == nil:
		a.root, a.height = newArrayNode[T](own, 0), 0
	}
	for i>>(arrayBits*(uint(a.height)+1)) != 0 {
		a.height++
		top := newArrayNode[T](own, a.height)
		top.kids[0], top.used = a.root, 1
		a.root = top
	}
	a.root = a.root.edit(own)
	n := a.root
	for h := uint(a.height); h > 0; h-- {
		kid := &n.kids[i>>(arrayBits*h)%arrayFan]
		if *kid == nil {
			*kid = newArrayNode[T](own, uint8(h-1))
			n.used++
		} else {
			*kid = (*kid).edit(own)
		}
		n = *kid
	}
	if n.items[i%arrayFan] == nil {
		n.used++
	}
	n.items[i%arrayFan] = v
}

// remove takes element i, which exists, out of the tree below n, and returns
// what takes the place of n.
func (a *array[T]) remove(own *owner, n *arrayNode[T], h uint, i uint64) *arrayNode[T] {
	n = n.edit(own)
	slot := i >> (arrayBits * h) % arrayFan
	if h == 0 {
		n.items[slot] = nil
		n.used--
	} else if n.kids[slot] = a.remove(own, n.kids[slot], h-1, i); n.kids[slot] == nil {
		n.used--
	}
	if n.used == 0 {
		return nil
	}
	return n
}

// next returns the first element at i or after it, and its index; nil if there
// is none.
func (a *array[T]) next(i uint64) (uint64, *T) {
	if i == 0 && a.zero != nil {
		return 0, a.zero
	}
	if a.root == nil || i>>(arrayBits*(uint(a.height)+1)) != 0 {
		return 0, nil
	}
	return a.root.next(uint(a.height), 0, i)
}

// next returns the first element of the tree below n, which holds the elements
// from base on, whose index is at least i.
func (n *arrayNode[T]) next(h uint, base, i uint64) (uint64, *T) {
	var from uint64
	if i > base {
		from = (i - base) >> (arrayBits * h)
	}
	for s := from; s < arrayFan; s++ {
		at := base + s<<(arrayBits*h)
		if h == 0 {
			if n.items[s] != nil {
				return at, n.items[s]
			}
		} else if n.kids[s] != nil {
			if j, v := n.kids[s].next(h-1, at, i); v != nil {
				return j, v
			}
		}
	}
	return 0, nil
}

// diffArrays calls yield with the index of each element that differs between a
// and b. It does not look into nodes that both share.
func diffArrays[T any](a, b *array[T], yield func(i uint64)) {
	if a.zero != b.zero {
		yield(0)
	}
	h := max(a.height, b.height)
	diffNodes(subArray[T]{a.root, a.height}, subArray[T]{b.root, b.height}, h, 0, yield)
}

// A subArray is a node, nil or of a height, in a tree that may be higher.
type subArray[T any] struct {
	node   *arrayNode[T]
	height uint8
}

// kid returns what s has in a slot if it is seen as a node of height h.
func (s subArray[T]) kid(h uint8, slot int) subArray[T] {
	switch {
	case s.node == nil || s.height < h && slot > 0:
		return subArray[T]{}
	case s.height < h:
		return s
	}
	return subArray[T]{s.node.kids[slot], h - 1}
}

func (s subArray[T]) item(slot int) *T {
	if s.node == nil {
		return nil
	}
	return s.node.items[slot]
}

func diffNodes[T any](a, b subArray[T], h uint8, base uint64, yield func(i uint64)) {
	if a.node == b.node {
		return
	}
	for slot := range arrayFan {
		at := base + uint64(slot)<<(arrayBits*uint(h))
		if h > 0 {
			diffNodes(a.kid(h, slot), b.kid(h, slot), h-1, at, yield)
		} else if a.item(slot) != b.item(slot) {
			yield(at)
		}
	}
}
