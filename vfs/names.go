package vfs

import (
	"encoding/binary"
	"slices"
	"strings"
)

// A nameTree is the content of a directory: a persistent B-tree of names, in
// the order of bytes. Copying the struct copies the tree, if the owner changes
// with it. The zero nameTree is empty.
type nameTree struct {
	root *nameNode
	len  int
}

// A nameEntry gives a name to an inode.
type nameEntry struct {
	name string
	ino  uint64
}

// A nameNode has a key for each of its items, so that a search hardly looks at
// the names themselves, which are all over the memory: the eight bytes behind
// the first skip, which all names in the node have in common.
type nameNode struct {
	own    *owner
	skip   int
	prefix [maxSkip]byte // the bytes in common
	keys   [maxNames]uint64
	items  []nameEntry
	kids   []*nameNode // nil for a leaf, else one more than items
}

const (
	minNames = 15
	maxNames = 2*minNames + 1
	maxSkip  = 16
)

// edit returns n, or a copy of it if own does not own it.
func (n *nameNode) edit(own *owner) *nameNode {
	if n.own == own {
		return n
	}
	c := *n
	c.own, c.items, c.kids = own, slices.Clone(n.items), slices.Clone(n.kids)
	return &c
}

// editKid makes kid i of n, which own owns, its own too.
func (n *nameNode) editKid(own *owner, i int) *nameNode {
	n.kids[i] = n.kids[i].edit(own)
	return n.kids[i]
}

// nameKey returns eight bytes of s, so that keys are in the order of strings.
func nameKey(s string) uint64 {
	if len(s) >= 8 {
		return uint64(s[7]) | uint64(s[6])<<8 | uint64(s[5])<<16 | uint64(s[4])<<24 |
			uint64(s[3])<<32 | uint64(s[2])<<40 | uint64(s[1])<<48 | uint64(s[0])<<56
	}
	var b [8]byte
	copy(b[:], s)
	return binary.BigEndian.Uint64(b[:])
}

// rekey computes the keys anew, with as long a skip as can be.
func (n *nameNode) rekey() {
	n.skip = 0
	if len(n.items) > 1 {
		first, last := n.items[0].name, n.items[len(n.items)-1].name
		for n.skip < min(len(first), len(last), maxSkip) && first[n.skip] == last[n.skip] {
			n.skip++
		}
		copy(n.prefix[:n.skip], first)
	}
	for i, e := range n.items {
		n.keys[i] = nameKey(e.name[n.skip:])
	}
}

// shares reports whether name begins as all names in n do.
func (n *nameNode) shares(name string) bool {
	return len(name) >= n.skip && name[:n.skip] == string(n.prefix[:n.skip])
}

// search returns the place of name in n, and whether it is there.
func (n *nameNode) search(name string) (int, bool) {
	if !n.shares(name) {
		if name < string(n.prefix[:n.skip]) {
			return 0, false
		}
		return len(n.items), false
	}
	key := nameKey(name[n.skip:])
	lo, hi := 0, len(n.items)
	for lo < hi {
		if mid := int(uint(lo+hi) >> 1); n.keys[mid] < key {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	for lo < len(n.items) && n.keys[lo] == key {
		e := &n.items[lo]
		if len(name) <= n.skip+8 && len(e.name) == len(name) {
			return lo, true // the key says it all
		}
		if c := strings.Compare(e.name, name); c >= 0 {
			return lo, c == 0
		}
		lo++
	}
	return lo, false
}

// insert puts e at place i of the leaf n.
func (n *nameNode) insert(i int, e nameEntry) {
	n.items = slices.Insert(n.items, i, e)
	if count := len(n.items); count&(count-1) == 0 || !n.shares(e.name) {
		n.rekey()
		return
	}
	copy(n.keys[i+1:], n.keys[i:len(n.items)-1])
	n.keys[i] = nameKey(e.name[n.skip:])
}

// replace puts e in place of item i.
func (n *nameNode) replace(i int, e nameEntry) {
	n.items[i] = e
	n.rekey()
}

// delete takes item i from the leaf n.
func (n *nameNode) delete(i int) {
	n.items = slices.Delete(n.items, i, i+1)
	copy(n.keys[i:], n.keys[i+1:])
}

// get returns the inode that name has, 0 if there is none.
func (t *nameTree) get(name string) uint64 {
	for n := t.root; n != nil; {
		i, ok := n.search(name)
		if ok {
			return n.items[i].ino
		}
		if n.kids == nil {
			return 0
		}
		n = n.kids[i]
	}
	return 0
}

// large reports whether it takes more than one node to hold t.
func (t *nameTree) large() bool { return t.root != nil && t.root.kids != nil }

// first returns the first entry.
func (t *nameTree) first() (e nameEntry, ok bool) {
	t.after("", func(first nameEntry) bool {
		e, ok = first, true
		return false
	})
	return e, ok
}

// set gives name to the inode ino.
func (t *nameTree) set(own *owner, name string, ino uint64) {
	if t.root == nil {
		t.root = &nameNode{own: own}
	}
	t.root = t.root.edit(own)
	if len(t.root.items) == maxNames {
		t.root = &nameNode{own: own, kids: []*nameNode{t.root}}
		t.root.split(own, 0, name)
	}
	for n := t.root; ; {
		i, ok := n.search(name)
		switch {
		case ok:
			n.items[i].ino = ino
			return
		case n.kids == nil:
			n.insert(i, nameEntry{name, ino})
			t.len++
			return
		case len(n.kids[i].items) == maxNames:
			n.split(own, i, name)
		default:
			n = n.editKid(own, i)
		}
	}
}

// split makes two of kid i of n, which is full, for name to be added. Where names
// come in order it leaves full leaves behind.
func (n *nameNode) split(own *owner, i int, name string) {
	left, at := n.editKid(own, i), minNames
	if left.kids == nil && name > left.items[maxNames-1].name {
		at = maxNames - 1
	}
	right := &nameNode{own: own, items: slices.Clone(left.items[at+1:])}
	middle := left.items[at]
	clear(left.items[at:])
	left.items = left.items[:at]
	if left.kids != nil {
		right.kids = slices.Clone(left.kids[minNames+1:])
		clear(left.kids[minNames+1:])
		left.kids = left.kids[:minNames+1]
	}
	n.items = slices.Insert(n.items, i, middle)
	n.kids = slices.Insert(n.kids, i+1, right)
	n.rekey()
	left.rekey()
	right.rekey()
}

// remove takes name, which exists, out of the tree.
func (t *nameTree) remove(own *owner, name string) {
	t.root = t.root.edit(own)
	t.root.remove(own, name)
	t.len--
	if len(t.root.items) == 0 {
		if t.root.kids == nil {
			t.root = nil
		} else {
			t.root = t.root.kids[0]
		}
	}
}

// remove takes name out of the tree below n. On the way down it leaves every
// node with an item to spare, so that nothing is repaired on the way back.
func (n *nameNode) remove(own *owner, name string) {
	for {
		i, ok := n.search(name)
		if n.kids == nil {
			n.delete(i)
			return
		}
		if len(n.kids[i].items) <= minNames {
			n.fill(own, i)
			continue // the name may have moved
		}
		kid := n.editKid(own, i)
		if ok {
			n.replace(i, kid.removeLast(own))
			return
		}
		n = kid
	}
}

// removeLast takes the last entry out of the tree below n, and returns it.
func (n *nameNode) removeLast(own *owner) nameEntry {
	for n.kids != nil {
		last := len(n.kids) - 1
		if len(n.kids[last].items) <= minNames {
			n.fill(own, last)
			continue
		}
		n = n.editKid(own, last)
	}
	last := len(n.items) - 1
	e := n.items[last]
	n.delete(last)
	return e
}

// fill gives kid i of n an item to spare: one of a neighbour, or a neighbour.
func (n *nameNode) fill(own *owner, i int) {
	switch {
	case i > 0 && len(n.kids[i-1].items) > minNames:
		left, kid := n.editKid(own, i-1), n.editKid(own, i)
		last := len(left.items) - 1
		kid.items = slices.Insert(kid.items, 0, n.items[i-1])
		n.replace(i-1, left.items[last])
		left.delete(last)
		if left.kids != nil {
			kid.kids = slices.Insert(kid.kids, 0, left.kids[last+1])
			left.kids = slices.Delete(left.kids, last+1, last+2)
		}
		kid.rekey()
	case i < len(n.kids)-1 && len(n.kids[i+1].items) > minNames:
		kid, right := n.editKid(own, i), n.editKid(own, i+1)
		kid.items = append(kid.items, n.items[i])
		n.replace(i, right.items[0])
		right.delete(0)
		if right.kids != nil {
			kid.kids = append(kid.kids, right.kids[0])
			right.kids = slices.Delete(right.kids, 0, 1)
		}
		kid.rekey()
	default:
		if i == len(n.kids)-1 {
			i--
		}
		left, right := n.editKid(own, i), n.kids[i+1]
		left.items = append(append(left.items, n.items[i]), right.items...)
		left.kids = append(left.kids, right.kids...)
		n.items = slices.Delete(n.items, i, i+1)
		n.kids = slices.Delete(n.kids, i+1, i+2)
		n.rekey()
		left.rekey()
	}
}

// after calls yield for the entries behind name, in order, until it returns
// false. All names are behind "".
func (t *nameTree) after(name string, yield func(nameEntry) bool) {
	if t.root != nil {
		t.root.after(name, yield)
	}
}

func (n *nameNode) after(name string, yield func(nameEntry) bool) bool {
	i := 0
	if name != "" {
		at, ok := n.search(name)
		if !ok && n.kids != nil && !n.kids[at].after(name, yield) {
			return false
		}
		i = at
		if ok { // the kid right of name, and the items behind
			i++
			if n.kids != nil && !n.kids[i].after("", yield) {
				return false
			}
		}
	} else if n.kids != nil && !n.kids[0].after("", yield) {
		return false
	}
	for ; i < len(n.items); i++ {
		if !yield(n.items[i]) || n.kids != nil && !n.kids[i+1].after("", yield) {
			return false
		}
	}
	return true
}
