package vfs

import (
	"io/fs"
	"math"
	"strings"

	"github.com/limpet-sh/limpet/internal/snapshot"
)

const (
	maxMounts = 1 << 10 // file systems that a snapshot mounts
	maxIno    = 1 << 48

	inodeSize     = 256               // bytes that an inode takes
	arrayNodeSize = 24 + 2*8*arrayFan // and a node of an array
)

// ReadSnapshot returns what [WriteSnapshot] has written: file systems with the
// bounds and for the user of o. Since, which it leaves as it is, is what the
// writer's since was; the Reader's own error tells if there is anything wrong, and
// nothing of the result counts before its Close.
//
// Where the snapshot has but the place of a file system there is an empty one,
// in whose place [Restore] leaves what is there.
func ReadSnapshot(r *snapshot.Reader, o MemOptions, since FS) FS {
	mount := r.Bool()
	m := &Mount{}
	var table []*mounted
	var trees []*tree
	bases := treesOf(since)
	for range r.Each(maxMounts) {
		c := &mounted{point: r.Text(maxPath)}
		for range r.Each(maxMounts) {
			c.fence.stop(r.Uint(math.MaxUint64))
		}
		c.fence.inner = c.point != "/"
		if !plain(c.point) || len(table) > 0 && len(table[len(table)-1].point) < len(c.point) {
			r.Fail(snapshot.Damaged("a file system at %q", c.point))
		}
		switch k := r.Uint(uint64(seenTree + len(trees))); {
		case r.Err() != nil:
			return nil
		case k == noTree:
			c.FS = &absentFS{ReadOnly(NewMem(o))}
		case k == freshTree:
			t := readTree(r, o, bases, c.point)
			trees = append(trees, t)
			c.FS = &Mem{tree: t, user: o.User}
		case k-seenTree < uint64(len(trees)):
			c.FS = &Mem{tree: trees[k-seenTree], user: o.User}
		default:
			r.Fail(snapshot.Damaged("tree %d", k))
		}
		table = append(table, c)
	}
	if r.Err() == nil && (len(table) == 0 || table[len(table)-1].point != "/" || !mount && len(table) > 1) {
		r.Fail(snapshot.Damaged("nothing at the root"))
	}
	if r.Err() != nil {
		return nil
	}
	if !mount {
		return table[0].FS
	}
	m.table.Store(&table)
	return m
}

// stop adds a directory that another file system covers.
func (f *fence) stop(ino uint64) {
	if f.stops == nil {
		f.stops = map[uint64]bool{}
	}
	f.stops[ino] = true
}

// An absentFS stands for a file system that a snapshot does not hold. It is empty.
type absentFS struct{ FS }

// ForkFS returns a itself: nothing changes it.
func (a *absentFS) ForkFS() (FS, error) { return a, nil }

// A treeReader reads a tree.
type treeReader struct {
	*snapshot.Reader
	tree *tree
	last uint64 // the inode that was read last
}

// readTree reads the tree that is mounted at point. It is a copy, and so not
// charged to the Quota of o.
func readTree(r *snapshot.Reader, o MemOptions, bases []placedTree, point string) *tree {
	t := treeReader{Reader: r}
	o.Quota = nil
	if !r.Bool() {
		t.tree = NewMem(o).tree
		t.tree.inodes = array[inode]{}
		t.tree.quota.set(0, 1)
	} else {
		for _, b := range bases {
			if b.point == point {
				t.tree = (&Mem{tree: b.tree}).ForkWith(o).tree
			}
		}
	}
	if t.tree == nil {
		r.Fail(snapshot.Damaged("nothing to go on from at %q", point))
		return nil
	}
	t.read()
	return t.tree
}

func (r *treeReader) read() {
	t := r.tree
	t.last = max(t.last, r.Uint(maxIno))
	for range r.Each(math.MaxUint32) {
		r.discard(r.Uint(t.last))
	}
	for range r.Each(math.MaxUint32) {
		r.inode()
	}
	if r.Err() == nil {
		c := treeCheck{treeReader: r}
		c.check()
	}
}

// discard takes the inode ino, which may be none, out of the tree.
func (r *treeReader) discard(ino uint64) (old *inode) {
	t := r.tree
	if old = t.inodes.get(ino); old == nil || r.Err() != nil {
		return nil
	}
	t.quota.freeBytes(old.data.held)
	if old.dir != nil {
		t.quota.freeFiles(int64(old.dir.names.len))
	}
	t.inodes.set(t.own, ino, nil)
	return old
}

// inode reads an inode.
func (r *treeReader) inode() {
	t := r.tree
	n := &inode{own: t.own, ino: r.Uint(t.last), mode: fs.FileMode(r.Uint(math.MaxUint32)), uid: r.id(), gid: r.id()}
	if n.ino <= r.last && r.Err() == nil {
		r.Fail(snapshot.Damaged("inode %d after %d", n.ino, r.last))
	}
	for _, s := range []*stamp{&n.birth, &n.atime, &n.mtime, &n.ctime} {
		*s = stamp{r.Int(), int32(r.Uint(999_999_999))}
	}
	r.Hold(inodeSize)
	r.holdNodes(n.ino, r.last)
	if r.Err() != nil {
		return
	}
	r.last = n.ino
	old := r.discard(n.ino)
	switch typ := n.mode.Type(); {
	case n.mode&^(fs.ModeType|permBits) != 0:
		r.Fail(snapshot.Damaged("a file of mode %v", n.mode))
	case typ == fs.ModeDir:
		n.dir = &directory{}
		r.names(&n.dir.names)
	case typ == fs.ModeSymlink:
		r.target(n)
	case typ == fs.ModeDevice, typ == fs.ModeDevice|fs.ModeCharDevice:
		n.rdev = r.Uint(math.MaxUint64)
	case typ == 0:
		r.content(n, old)
	case typ != fs.ModeNamedPipe && typ != fs.ModeSocket:
		r.Fail(snapshot.Damaged("a file of mode %v", n.mode))
	}
	t.inodes.set(t.own, n.ino, n)
}

// id reads the number of a user or a group.
func (r *treeReader) id() int32 {
	id := r.Int()
	if id != int64(int32(id)) {
		r.Fail(snapshot.Damaged("a user or group %d", id))
	}
	return int32(id)
}

// holdNodes charges the nodes that element i of an array needs, besides those of
// before, the last element below it.
func (r *treeReader) holdNodes(i, before uint64) {
	for i, before = i/arrayFan, before/arrayFan; i != before; i, before = i/arrayFan, before/arrayFan {
		r.Hold(arrayNodeSize)
	}
}

// names reads the names in a directory.
func (r *treeReader) names(names *nameTree) {
	last := ""
	for range r.Each(math.MaxUint32) {
		e := nameEntry{r.Text(maxName), r.Uint(r.tree.last)}
		switch {
		case r.Err() != nil:
			return
		case e.name <= last || e.name == "." || e.name == ".." || strings.ContainsAny(e.name, "/\x00"):
			r.Fail(snapshot.Damaged("the name %q after %q", e.name, last))
			return
		}
		r.Fail(r.tree.quota.chargeFile())
		names.set(r.tree.own, e.name, e.ino)
		last = e.name
	}
}

// target reads the text of a symbolic link.
func (r *treeReader) target(n *inode) {
	n.target = r.Text(maxPath - 1)
	if r.Err() == nil && (n.target == "" || strings.IndexByte(n.target, 0) >= 0) {
		r.Fail(snapshot.Damaged("a symbolic link to %q", n.target))
	}
	r.Fail(r.tree.quota.chargeBytes(int64(len(n.target))))
	n.data.held = int64(len(n.target))
}

// content reads the content of n; old is what the base has of its number.
func (r *treeReader) content(n, old *inode) {
	q, c := r.tree.quota, &n.data
	if r.Uint(changedInode) == changedInode {
		if old == nil || !old.mode.IsRegular() {
			r.Fail(snapshot.Damaged("a change of inode %d, which is no file", n.ino))
			return
		}
		*c = old.data
		r.Fail(q.chargeBytes(c.held))
	}
	c.size = int64(r.Uint(math.MaxInt64))
	if q.room(c.size) < 0 {
		r.Fail(EFBIG)
	}
	last := uint64(0)
	for k := range r.Each(math.MaxUint32) {
		i := r.Uint(math.MaxInt64 / pageSize)
		if k > 0 && i <= last && r.Err() == nil {
			r.Fail(snapshot.Damaged("page %d after %d", i, last))
		}
		r.holdNodes(i, last)
		r.page(c, i)
		last = i
	}
	if r.Err() == nil && !c.ends() {
		r.Fail(snapshot.Damaged("inode %d goes on behind its end", n.ino))
	}
}

// ends reports whether nothing of c is behind its end.
func (c *content) ends() bool {
	last := uint64(c.size) / pageSize
	if pg := c.pages.get(last); pg != nil && len(pg.data) > int(c.size%pageSize) {
		return false
	}
	_, behind := c.pages.next(last + 1)
	return behind == nil && c.limit <= c.size
}

// page reads page i of c.
func (r *treeReader) page(c *content, i uint64) {
	q, old := r.tree.quota, c.pages.get(i)
	if old != nil {
		c.drop(q, pageCharge(i, len(old.data)), old.written)
	}
	size := int(r.Uint(pageSize + 1))
	if size == 0 {
		c.pages.set(r.tree.own, i, nil)
		return
	}
	pg := &page{own: r.tree.own, written: uint16(r.Uint(math.MaxUint16))}
	held := pageCharge(i, size-1)
	r.Fail(q.chargeBytes(held))
	if pg.data = r.Raw(size - 1); r.Err() != nil {
		return
	}
	c.held += held
	c.blocks += blocksOf(pg)
	c.pages.set(r.tree.own, i, pg)
}
