package vfs

import (
	"errors"
	"io"
	"io/fs"
	"math/bits"
	"slices"

	"github.com/limpet-sh/limpet/internal/snapshot"
)

// What a snapshot has at a place where a file system is mounted: besides these
// the number of a tree that it has had, from seenTree on.
const (
	noTree    = iota // it is not in the snapshot
	freshTree        // a tree follows
	seenTree
)

// WriteSnapshot writes what fsys holds: all of it, or what differs from since if
// that is not nil. Both are copies that nobody changes; since was written before.
//
// File systems in memory are written, with what lies below them, and [Mount]s of
// those. Of what else is mounted only the place is written.
func WriteSnapshot(w *snapshot.Writer, fsys, since FS) {
	table, mount := mountsOf(fsys)
	w.Bool(mount)
	w.Uint(uint64(len(table)))
	bases, seen := treesOf(since), map[*tree]int{}
	for _, c := range table {
		w.Text(c.point)
		w.Uint(uint64(len(c.fence.stops)))
		for _, ino := range sortedKeys(c.fence.stops) {
			w.Uint(ino)
		}
		m, ok := c.FS.(*Mem)
		if !ok {
			w.Uint(noTree)
			continue
		}
		if i, ok := seen[m.tree]; ok {
			w.Uint(uint64(seenTree + i))
			continue
		}
		seen[m.tree] = len(seen)
		w.Uint(freshTree)
		t := treeWriter{Writer: w, tree: m.tree}
		if i := slices.IndexFunc(bases, func(b placedTree) bool { return b.point == c.point }); i >= 0 {
			t.base = bases[i].tree
		}
		t.write()
	}
}

func sortedKeys(set map[uint64]bool) []uint64 {
	keys := make([]uint64, 0, len(set))
	for k := range set {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// mountsOf returns what fsys mounts, and whether it is a Mount.
func mountsOf(fsys FS) (table []*mounted, mount bool) {
	if m, ok := fsys.(*Mount); ok {
		return m.bare(), true
	}
	return []*mounted{newMounted(fsys, "/")}, false
}

// A placedTree is a tree and where it is mounted.
type placedTree struct {
	point string
	tree  *tree
}

// treesOf returns the trees that fsys, which may be nil, mounts.
func treesOf(fsys FS) (list []placedTree) {
	if fsys == nil {
		return nil
	}
	table, _ := mountsOf(fsys)
	for _, c := range table {
		if m, ok := c.FS.(*Mem); ok {
			list = append(list, placedTree{c.point, m.tree})
		}
	}
	return list
}

// A treeWriter writes a tree, or what it has that base has not.
type treeWriter struct {
	*snapshot.Writer
	tree, base *tree
}

// Forms of an inode.
const (
	wholeInode   = iota
	changedInode // of its content, what differs from what the base has
)

func (w *treeWriter) write() {
	w.Fail(w.tree.loadAll())
	base := w.base
	w.Bool(base != nil)
	if base == nil {
		base = newTree(nil, nil)
	}
	var gone, changed []uint64
	diffArrays(&base.inodes, &w.tree.inodes, func(ino uint64) {
		if w.tree.inodes.get(ino) == nil {
			gone = append(gone, ino)
		} else {
			changed = append(changed, ino)
		}
	})
	w.Uint(w.tree.last)
	w.Uint(uint64(len(gone)))
	for _, ino := range gone {
		w.Uint(ino)
	}
	w.Uint(uint64(len(changed)))
	for _, ino := range changed {
		if w.Err() != nil {
			return
		}
		w.inode(w.tree.inodes.get(ino), base.inodes.get(ino))
	}
}

// loadAll reads the directories that are still to be read.
func (t *tree) loadAll() error {
	for ino, n := t.inodes.next(1); n != nil; ino, n = t.inodes.next(ino + 1) {
		if n.dir != nil && n.dir.pending != nil {
			if err := t.load(ino); err != nil {
				return err
			}
		}
	}
	return nil
}

// inode writes n; old, which may be nil, is what the base has of that number.
func (w *treeWriter) inode(n, old *inode) {
	w.Uint(n.ino)
	w.Uint(uint64(n.mode))
	w.Int(int64(n.uid))
	w.Int(int64(n.gid))
	for _, s := range []stamp{n.birth, n.atime, n.mtime, n.ctime} {
		w.Int(s.sec)
		w.Uint(uint64(s.nsec))
	}
	switch {
	case n.dir != nil:
		w.Uint(uint64(n.dir.names.len))
		n.dir.names.after("", func(e nameEntry) bool {
			w.Text(e.name)
			w.Uint(e.ino)
			return true
		})
	case n.mode&fs.ModeSymlink != 0:
		w.Text(n.target)
	case n.mode&fs.ModeDevice != 0:
		w.Uint(n.rdev)
	case n.mode.IsRegular():
		w.content(n, old)
	}
}

// content writes the content of n.
func (w *treeWriter) content(n, old *inode) {
	c, before := &n.data, &content{}
	form := wholeInode
	if old != nil && old.mode.IsRegular() && old.data.limit == c.limit && old.data.lower.same(c.lower) {
		form, before = changedInode, &old.data
	}
	w.Uint(uint64(form))
	w.Uint(uint64(c.size))
	var pages []uint64
	diffArrays(&before.pages, &c.pages, func(i uint64) { pages = append(pages, i) })
	var lower lowerFile
	if form == wholeInode && c.limit > 0 {
		for i := range uint64(c.limit+pageSize-1) / pageSize {
			if c.pages.get(i) == nil {
				pages = append(pages, i)
			}
		}
		slices.Sort(pages)
		var err error
		if lower, err = c.lower.open(); err != nil {
			w.Fail(errnoOr(err, EIO))
			return
		}
		defer lower.Close()
	}
	w.Uint(uint64(len(pages)))
	for _, i := range pages {
		pg := c.pages.get(i)
		if pg == nil && lower != nil {
			pg = w.lowerPage(c, lower, i)
		}
		w.page(i, pg)
	}
}

// page writes page i; nil where there is none any more.
func (w *treeWriter) page(i uint64, pg *page) {
	w.Uint(i)
	if pg == nil {
		w.Uint(0)
		return
	}
	w.Uint(uint64(len(pg.data)) + 1)
	w.Uint(uint64(pg.written))
	w.Raw(pg.data)
}

// lowerPage returns page i of what lies below c.
func (w *treeWriter) lowerPage(c *content, lower io.ReaderAt, i uint64) *page {
	from := int64(i) * pageSize
	data := make([]byte, min(c.limit-from, pageSize))
	if n, err := lower.ReadAt(data, from); err != nil && !errors.Is(err, io.EOF) {
		w.Fail(errnoOr(err, EIO))
	} else {
		clear(data[n:])
	}
	return &page{data: data, written: c.lowerBlocks(i)}
}

// blocksOf returns how many blocks of pg were written to.
func blocksOf(pg *page) int64 {
	if pg == nil {
		return 0
	}
	return int64(bits.OnesCount16(pg.written))
}
