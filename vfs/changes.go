package vfs

import (
	"errors"
	"io/fs"
	"reflect"
	"slices"
	"strings"
)

// A Change is a name that leads to something else than before.
type Change struct {
	Name     string
	Old, New fs.FileInfo // nil where there was, or is, nothing
}

// Changes returns what differs between two file systems of which one is a copy of
// the other, or both of a third (see [Fork]), in the order of names. It does not
// look at what both share, unless a file with several names differs.
//
// A file differs if its content, mode, owner, time of modification or target
// does, a directory if its mode or owner does. A file that was moved is one that
// was removed and one that was created. Files too deep to have a name are left
// out. The status is as user 0 sees it.
//
// What is mounted in one and not in the other is all created, or all removed.
//
// Changes fails with [errors.ErrUnsupported] for other file systems than [Mem] and
// [Mount], where they are not the same.
func Changes(before, after FS) ([]Change, error) {
	list, err := changes(before, after)
	slices.SortFunc(list, func(a, b Change) int { return strings.Compare(a.Name, b.Name) })
	return list, err
}

func changes(before, after FS) ([]Change, error) {
	before, after = bared(before), bared(after)
	switch b := before.(type) {
	case *Mem:
		if a, ok := after.(*Mem); ok {
			// Forks do not change while we look, and cost nothing.
			c := comparison{old: b.tree.fork(), new: a.tree.fork()}
			c.inspect()
			err := c.entry("/", rootIno, rootIno)
			return c.changes, err
		}
	case *Mount:
		if a, ok := after.(*Mount); ok {
			return mountChanges(b.bare(), a.bare())
		}
	}
	if reflect.TypeOf(before).Comparable() && before == after {
		return nil, nil
	}
	return nil, pathError("compare", "/", errors.ErrUnsupported)
}

// bared returns what fsys only refuses to change.
func bared(fsys FS) FS {
	for {
		switch r := fsys.(type) {
		case *readOnly:
			fsys = r.under
		case *stayingReadOnly:
			fsys = r.under
		default:
			return fsys
		}
	}
}

// mountChanges compares what is mounted at each place.
func mountChanges(before, after bareMount) ([]Change, error) {
	var list []Change
	for _, point := range mountPoints(before, after) {
		was, is := before.at(point), after.at(point)
		var found []Change
		var err error
		switch {
		case was == nil:
			found, err = whole(is.FS, func(c *comparison, t *tree) error {
				c.new = t
				return c.directories("/", 0, rootIno)
			})
		case is == nil:
			found, err = whole(was.FS, func(c *comparison, t *tree) error {
				c.old = t
				return c.directories("/", rootIno, 0)
			})
		default:
			found, err = changes(was.FS, is.FS)
		}
		if err != nil {
			return nil, err
		}
		for _, c := range found {
			if c.Name = strings.TrimSuffix(strings.TrimSuffix(point, "/")+c.Name, "/"); c.Name == "" {
				c.Name = "/"
			}
			hidden := !before.shows(was, c.Name) || !after.shows(is, c.Name)
			if both := before.at(c.Name) != nil == (after.at(c.Name) != nil); !hidden || !both {
				list = append(list, c)
			}
		}
	}
	return list, nil
}

// shows reports whether a resolved path is on c, which may be nil.
func (b bareMount) shows(c *mounted, path string) bool {
	if c == nil {
		return true
	}
	at, _ := locate(b, path)
	return at == c
}

// whole compares a file system with none, on the side that compare puts it on.
func whole(fsys FS, compare func(c *comparison, t *tree) error) ([]Change, error) {
	m, ok := bared(fsys).(*Mem)
	if !ok {
		return nil, pathError("compare", "/", errors.ErrUnsupported)
	}
	c := comparison{old: newTree(nil, nil), new: newTree(nil, nil)}
	err := compare(&c, m.tree.fork())
	return c.changes, err
}

// mountPoints returns where something is mounted.
func mountPoints(tables ...bareMount) (points []string) {
	for _, t := range tables {
		for _, c := range t {
			points = append(points, c.point)
		}
	}
	slices.Sort(points)
	return slices.Compact(points)
}

// at returns what is mounted on point, or nil.
func (b bareMount) at(point string) *mounted {
	if i := slices.IndexFunc(b, func(c *mounted) bool { return c.point == point }); i >= 0 {
		return b[i]
	}
	return nil
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
			c.all = c.all || n != nil && n.dir == nil && n.link > 1 && !n.asBelow()
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
		if err := c.entry(join(path, name), a.ino, b.ino); err != nil {
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
	if !c.all && before != 0 && now != 0 && a.dir.pending != nil && a.dir.pending == b.dir.pending {
		return nil // nobody has looked into it
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
