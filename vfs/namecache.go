package vfs

import (
	"math/bits"
	"strings"
	"sync/atomic"
)

// A nameCache remembers where names lead, so that what is named again need not be
// looked for again from the root on: directories, what is in large ones, and
// names that lead nowhere. It is used with the tree locked, if only for reading.
// The zero nameCache is empty.
type nameCache struct {
	table   atomic.Pointer[cacheTable]
	evicted atomic.Int64 // names that had to make room in the table
}

// A cacheTable has two places for each name.
type cacheTable struct {
	known  []atomic.Pointer[knownName]
	missed [misses]atomic.Uint64 // hashes of names that led nowhere when they were last asked for
}

// A knownName is a name that was resolved.
type knownName struct {
	name  string
	user  *User  // who may use the directories on the way
	era   uint64 // of the tree, in which the name leads there
	born  uint64 // of the tree, in which a name leads nowhere
	ino   uint64 // 0 for nowhere; what has gone has no inode, and no other file gets its number
	node  *inode // of that number, if the tree owned it
	links uint8  // symbolic links that were followed
	last  bool   // the last component was one of them
}

const (
	minCached = 1 << 4
	maxCached = 1 << 15
	misses    = 1 << 5
)

// nameHash returns a hash of a name: of its end and its length. Those of names that
// differ in the last byte only differ in the last byte only.
func nameHash(name string) uint64 {
	last := len(name) - 1
	end := nameKey(name[max(last-8, 0):last])
	return (end+uint64(last))*0x9e3779b97f4a7c15&^0xff | uint64(name[last])
}

// places returns the places for a name with a hash.
func (t *cacheTable) places(h uint64) (a, b *atomic.Pointer[knownName]) {
	at, mask := h&0xff, uint64(len(t.known)-1)
	return &t.known[(h>>48^at)&mask], &t.known[(h>>32^at)&mask]
}

// known sets p to where name leads u, if that is remembered: without the
// directory that holds it.
func (t *tree) known(p *place, u *User, name string, last lastLink) bool {
	table := t.names.table.Load()
	if table == nil || name == "" {
		return false
	}
	a, b := table.places(nameHash(name))
	k := a.Load()
	if !k.is(t, u, name) {
		if k = b.Load(); !k.is(t, u, name) {
			return false
		}
	}
	if k.last && last != follow {
		return false
	}
	p.links = k.links
	if k.ino == 0 {
		p.node = nil
		return true
	}
	if p.node = k.node; p.node == nil || p.node.gone {
		p.node = t.inodes.get(k.ino)
	}
	return p.node != nil
}

// is reports whether k, which may be nil, says where name leads u.
func (k *knownName) is(t *tree, u *User, name string) bool {
	return k != nil && k.name == name && k.user == u && k.holds(t)
}

// holds reports whether what k says is still so, but that the file may be gone.
func (k *knownName) holds(t *tree) bool { return k.era == t.era && (k.ino != 0 || k.born == t.born) }

// remember notes that name leads u to p.
func (t *tree) remember(u *User, name string, p *place) {
	k := &knownName{name: strings.Clone(name), user: u, era: t.era, links: p.links, last: p.linked}
	switch {
	case p.node == nil:
		k.born = t.born
	case p.node.own == t.own:
		k.node = p.node
		fallthrough
	default:
		k.ino = p.node.ino
	}
	a, b := t.names.grown(t.last).places(nameHash(name))
	if old := a.Load(); old != nil && old.holds(t) {
		if other := b.Load(); other != nil && other.holds(t) {
			t.names.evicted.Add(1)
			b.Store(old) // the older of the two goes
		} else {
			a = b
		}
	}
	a.Store(k)
}

// missed notes that name leads u nowhere, if it is asked for again: most names
// that lead nowhere are asked for once.
func (t *tree) missed(u *User, name string, p *place) {
	if name == "" {
		return
	}
	h := nameHash(name)
	seen := &t.names.grown(t.last).missed[(h>>56^h)%misses]
	if seen.Load() != h {
		seen.Store(h)
		return
	}
	p.node = nil
	t.remember(u, name, p)
}

// grown returns the table, which is a new one with room for files names where the
// small one that there is first was too small.
func (c *nameCache) grown(files uint64) *cacheTable {
	table, size := c.table.Load(), minCached
	if table != nil {
		size = min(1<<bits.Len64(2*files), maxCached)
		if size <= len(table.known) || c.evicted.Load() < int64(len(table.known))/4 {
			return table
		}
	}
	c.evicted.Store(0)
	larger := &cacheTable{known: make([]atomic.Pointer[knownName], size)}
	c.table.CompareAndSwap(table, larger) // or somebody else was faster
	return c.table.Load()
}

// drop forgets all names.
func (c *nameCache) drop() { c.table.Store(nil) }
