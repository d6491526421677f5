package vfs

import (
	"io/fs"
	"slices"
	"strings"
)

// A Change is a name that leads to something else than before.
type Change struct {
	Name     string
	Old, New fs.FileInfo // nil where there was, or is, nothing
}

// Changes returns what differs in m from since, which m was forked from or which
// was forked from m, in the order of names. It does not look at what both share,
// unless a file with several names differs.
//
// A file differs if its content, mode, owner, time of modification or target
// does, a directory if its mode or owner does. A file that was moved is one that
// was removed and one that was created. Files too deep to have a name are left
// out.
func (m *Mem) Changes(since *Mem) ([]Change, error) {
	// Forks do not change while we look, and cost nothing.
	c := comparison{old: since.tree.fork(), new: m.tree.fork()}
	c.inspect()
	err := c.directories("", rootIno, rootIno)
	slices.SortFunc(c.changes, func(a, b Change) int { return strings.Compare(a.Name, b.Name) })
	return c.changes, err
}

// A comparison compares two trees that nobody else uses.
type comparison struct {
	old, new *tree
	touched  map[uint64]bool // what differs, and the directories above that
	all      bool            // anything may differ: names of a file may be anywhere
	changes  []Change
}

// inspect finds the directories that have to be looked into.
func (c *comparison) inspect() {
	c.touched = map[uint64]bool{}
	diffArrays(&c.old.inodes, &c.new.inodes, func(ino uint64) {
		c.touch(c.old, ino)
		c.touch(c.new, ino)
		for _, t := range []*tree{c.old, c.new} {
			n := t.inodes.get(ino)
			c.all = c.all || n != nil && n.dir == nil && n.link > 1
		}
	})
}

// touch marks what holds ino, and ino itself, up to what is marked.
func (c *comparison) touch(t *tree, ino uint64) {
	for n := t.inodes.get(ino); n != nil; n = t.inodes.get(n.parent) {
		if n.ino != ino && c.touched[n.ino] {
			return
		}
		c.touched[n.ino] = true
		if n.ino == rootIno {
			return
		}
	}
}

// names returns the names in the directory ino of t; none for 0.
func names(t *tree, ino uint64) ([]nameEntry, error) {
	if ino == 0 {
		return nil, nil
	}
	if err := t.load(ino); err != nil {
		return nil, err
	}
	var list []nameEntry
	t.inodes.get(ino).dir.names.after("", func(e nameEntry) bool {
		list = append(list, e)
		return true
	})
	return list, nil
}

// directories compares two directories called path; 0 is none.
func (c *comparison) directories(path string, before, now uint64) error {
	was, err := names(c.old, before)
	if err != nil {
		return err
	}
	is, err := names(c.new, now)
	if err != nil {
		return err
	}
	for len(was) > 0 || len(is) > 0 {
		var a, b nameEntry
		if len(is) == 0 || len(was) > 0 && was[0].name <= is[0].name {
			a = was[0]
		}
		if len(was) == 0 || len(is) > 0 && is[0].name <= was[0].name {
			b = is[0]
		}
		name := a.name
		if a.ino != 0 {
			was = was[1:]
		}
		if b.ino != 0 {
			name, is = b.name, is[1:]
		}
		if err := c.entry(path+"/"+name, a.ino, b.ino); err != nil {
			return err
		}
	}
	return nil
}

// entry compares what is called path; 0 is nothing.
func (c *comparison) entry(path string, before, now uint64) error {
	if len(path) >= maxPath || before == now && !c.all && !c.touched[now] {
		return nil
	}
	a, b := c.old.inodes.get(before), c.new.inodes.get(now)
	if a == nil || b == nil || !a.same(b) {
		change := Change{Name: path}
		if a != nil {
			change.Old = c.old.info(a, base(path))
		}
		if b != nil {
			change.New = c.new.info(b, base(path))
		}
		c.changes = append(c.changes, change)
	}
	if a == nil || a.dir == nil {
		before = 0
	}
	if b == nil || b.dir == nil {
		now = 0
	}
	if before == 0 && now == 0 {
		return nil
	}
	return c.directories(path, before, now)
}

// same reports whether a and b do not differ, as Changes has it.
func (a *inode) same(b *inode) bool {
	if a == b {
		return true
	}
	if a.mode != b.mode || a.uid != b.uid || a.gid != b.gid || a.rdev != b.rdev || a.target != b.target {
		return false
	}
	return a.dir != nil || a.mtime == b.mtime && a.data.same(&b.data)
}

// same reports whether a and b, which may be nil, are the same file, of the same
// file system if of any.
func (a *source) same(b *source) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a == b || a.fetched == nil && b.fetched == nil && a.name == b.name
}

// same reports whether a and b share all that they hold.
func (a *content) same(b *content) bool {
	if a.size != b.size || a.limit != b.limit || !a.lower.same(b.lower) {
		return false
	}
	equal := true
	diffArrays(&a.pages, &b.pages, func(uint64) { equal = false })
	return equal
}
