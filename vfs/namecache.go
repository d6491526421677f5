package vfs

import (
	"math/bits"
	"strings"
	"sync/atomic"
)

// A nameCache remembers where names lead, so that what is named again need not be
// looked for again from the root on: directories, and what is in large ones. It
// is used with the tree locked, if only for reading. The zero nameCache is empty.
type nameCache struct {
	table   atomic.Pointer[cacheTable]
	evicted atomic.Int64 // names that had to make room in the table
}

// A cacheTable has two places for each name.
type cacheTable []atomic.Pointer[knownName]

// A knownName is a name that was resolved.
type knownName struct {
	name  string
	user  *User  // who may use the directories on the way
	era   uint64 // of the tree, in which the name leads there
	ino   uint64 // what has gone has no inode, and no other file gets its number
	links uint8  // symbolic links that were followed
	last  bool   // the last component was one of them
}

const (
	minCached = 1 << 4
	maxCached = 1 << 15
)

// places returns the places for a name, which depend on its end and its length.
// Names that differ in the last byte have places near each other.
func (t cacheTable) places(name string) (a, b *atomic.Pointer[knownName]) {
	last := len(name) - 1
	end := nameKey(name[max(last-8, 0):last])
	h, at := (end+uint64(last))*0x9e3779b97f4a7c15, uint64(name[last])
	mask := uint64(len(t) - 1)
	return &t[(h>>48^at)&mask], &t[(h>>32^at)&mask]
}

// known sets p to where name leads u, if that is remembered: without the
// directory that holds it.
func (t *tree) known(p *place, u *User, name string, last lastLink) bool {
	table := t.names.table.Load()
	if table == nil || name == "" {
		return false
	}
	a, b := table.places(name)
	k := a.Load()
	if !k.is(t.era, u, name) {
		if k = b.Load(); !k.is(t.era, u, name) {
			return false
		}
	}
	if k.last && last != follow {
		return false
	}
	p.node, p.links = t.inodes.get(k.ino), k.links
	return p.node != nil
}

// is reports whether k, which may be nil, says where name leads u.
func (k *knownName) is(era uint64, u *User, name string) bool {
	return k != nil && k.era == era && k.user == u && k.name == name
}

// remember notes that name leads u to p.
func (t *tree) remember(u *User, name string, p *place) {
	a, b := t.names.grown(t.last).places(name)
	if old := a.Load(); old != nil && old.era == t.era {
		if other := b.Load(); other != nil && other.era == t.era {
			t.names.evicted.Add(1)
			b.Store(old) // the older of the two goes
		} else {
			a = b
		}
	}
	a.Store(&knownName{strings.Clone(name), u, t.era, p.node.ino, p.links, p.linked})
}

// grown returns the table, which is a new one with room for files names where the
// small one that there is first was too small.
func (c *nameCache) grown(files uint64) cacheTable {
	table, size := c.table.Load(), minCached
	if table != nil {
		size = min(1<<bits.Len64(2*files), maxCached)
		if size <= len(*table) || c.evicted.Load() < int64(len(*table))/4 {
			return *table
		}
	}
	c.evicted.Store(0)
	larger := make(cacheTable, size)
	c.table.CompareAndSwap(table, &larger) // or somebody else was faster
	return *c.table.Load()
}

// drop forgets all names.
func (c *nameCache) drop() { c.table.Store(nil) }
