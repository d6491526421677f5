package vfs

import (
	"math"

	"github.com/limpet-sh/limpet/internal/snapshot"
)

// A treeCheck sees whether what was read is a tree: every file has a name, every
// directory but the root one, and all are below the root. It counts the names.
type treeCheck struct {
	*treeReader
	names map[uint64]naming // of each inode
	below []uint64          // directories whose names are still to be looked at
}

// A naming is how a file is named.
type naming struct {
	count  uint32
	subs   uint32 // directories in it
	parent uint64
}

// namingSize is what a naming is charged for, with its place in the map.
const namingSize = 64

func (c *treeCheck) check() {
	t := c.tree
	root := t.root()
	if root == nil || root.dir == nil {
		c.Fail(snapshot.Damaged("the root is no directory"))
		return
	}
	c.names = map[uint64]naming{rootIno: {parent: rootIno}}
	for c.below = []uint64{rootIno}; len(c.below) > 0 && c.Err() == nil; {
		last := len(c.below) - 1
		dir := t.inodes.get(c.below[last])
		c.below = c.below[:last]
		c.directory(dir)
	}
	if c.Err() == nil {
		c.settle()
	}
}

// directory looks at the names in dir.
func (c *treeCheck) directory(dir *inode) {
	dir.dir.names.after("", func(e nameEntry) bool {
		n := c.tree.inodes.get(e.ino)
		if n == nil || e.ino == rootIno {
			c.Fail(snapshot.Damaged("%q leads to inode %d", e.name, e.ino))
			return false
		}
		at := c.names[e.ino]
		if n.dir != nil {
			if at.count > 0 {
				c.Fail(snapshot.Damaged("%q is a second name of a directory", e.name))
				return false
			}
			c.below = append(c.below, e.ino)
			in := c.names[dir.ino]
			in.subs++
			c.names[dir.ino] = in
		}
		if at.count == 0 {
			c.Hold(namingSize)
		}
		if at.count == math.MaxUint32 {
			c.Fail(EMLINK)
		}
		at.count, at.parent = at.count+1, dir.ino
		c.names[e.ino] = at
		return c.Err() == nil
	})
}

// settle gives the inodes the numbers of their names, and counts what they take.
func (c *treeCheck) settle() {
	t := c.tree
	bytes, files := int64(0), int64(1)
	for ino, n := t.inodes.next(1); n != nil; ino, n = t.inodes.next(ino + 1) {
		at, named := c.names[ino]
		if !named {
			c.Fail(snapshot.Damaged("inode %d has no name", ino))
			return
		}
		link := at.count
		if n.dir != nil {
			link = 2 + at.subs
		}
		if n.link != link || n.parent != at.parent {
			n = t.thaw(n)
			n.link, n.parent = link, at.parent
		}
		if t.quota.room(n.data.size) < 0 {
			c.Fail(EFBIG)
		}
		bytes += n.data.held
		files += int64(at.count) - int64(n.lent)
	}
	t.quota.set(bytes, files)
	c.Fail(t.quota.bounds(t.quota))
}
