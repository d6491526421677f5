package vfs

import (
	"context"
	"io/fs"
	"sync"

	"github.com/spf13/afero"
)

// A vnode is an inode that is open. All open files of it share one.
type vnode struct {
	typ     fs.FileMode // of the file; it never changes
	refs    int32       // guarded by the tree's openMu
	fifo    *fifo       // of a FIFO
	writing sync.Mutex  // held during a whole write; taken before the tree's lock
	node    *inode      // guarded by the tree's lock
	orphan  bool        // no name is left; guarded by the tree's lock

	lowerMu sync.Mutex // guards lower
	lower   lowerFile  // that the content lies in, if it was read
}

// ref returns the vnode of n with one more reference. The tree is locked.
func (t *tree) ref(n *inode) *vnode {
	t.openMu.Lock()
	defer t.openMu.Unlock()
	v := t.open[n.ino]
	if v == nil {
		v = &vnode{typ: n.mode.Type(), node: n}
		if n.mode&fs.ModeNamedPipe != 0 {
			v.fifo = newFifo()
		}
		t.open[n.ino] = v
	}
	v.refs++
	return v
}

// unref gives a reference to v back.
func (t *tree) unref(v *vnode) {
	t.mu.RLock()
	defer t.mu.RUnlock()
	t.openMu.Lock()
	defer t.openMu.Unlock()
	if v.refs--; v.refs > 0 {
		return
	}
	v.closeLower()
	if !v.orphan {
		delete(t.open, v.node.ino)
		return
	}
	delete(t.orphans, v)
	t.release(v.node)
}

// forget takes n, which has no name left, out of the table. It stays for those
// who have it open. The tree is locked for writing.
func (t *tree) forget(n *inode) {
	t.inodes.set(t.own, n.ino, nil)
	v := t.open[n.ino]
	if v == nil {
		t.release(n)
		return
	}
	v.orphan = true
	delete(t.open, n.ino)
	t.orphans[v] = struct{}{}
}

func (m *Mem) Open(name string) (afero.File, error) {
	return m.OpenFileContext(context.Background(), name, O_RDONLY, 0)
}

func (m *Mem) Create(name string) (afero.File, error) {
	return m.OpenFileContext(context.Background(), name, O_RDWR|O_CREATE|O_TRUNC, 0o666)
}

func (m *Mem) OpenFile(name string, flag int, perm fs.FileMode) (afero.File, error) {
	return m.OpenFileContext(context.Background(), name, flag, perm)
}

// OpenFileContext is OpenFile for what may wait: FIFOs.
func (m *Mem) OpenFileContext(ctx context.Context, name string, flag int, perm fs.FileMode) (afero.File, error) {
	f, err := m.open(ctx, name, flag, perm)
	if err != nil {
		return nil, pathError("open", name, err)
	}
	return f, nil
}

// accessMode is the part of OpenFile's flags that says what the file is for.
const accessMode = O_RDONLY | O_WRONLY | O_RDWR

func (m *Mem) open(ctx context.Context, name string, flag int, perm fs.FileMode) (afero.File, error) {
	v, created, err := m.openNode(name, flag, perm)
	for m.tree.retry(&err) {
		v, created, err = m.openNode(name, flag, perm)
	}
	if err != nil {
		return nil, err
	}
	return m.file(ctx, v, name, flag, created)
}

// file returns an open file of v, whose reference it takes over.
func (m *Mem) file(ctx context.Context, v *vnode, name string, flag int, created bool) (afero.File, error) {
	f := &memFile{tree: m.tree, mem: m, v: v, name: name, appends: flag&O_APPEND != 0,
		reads: flag&accessMode != O_WRONLY, writes: flag&accessMode != O_RDONLY}
	var err error
	switch typ := f.v.typ; {
	case typ.IsDir():
		return &memDir{memFile: f}, nil
	case typ&fs.ModeNamedPipe != 0:
		err = f.v.fifo.open(ctx, f.reads, f.writes)
		if err == nil {
			return &fifoFile{f, ctx}, nil
		}
	case typ&fs.ModeDevice != 0:
		var dev device
		if dev, err = m.tree.device(f.v); err == nil {
			return &deviceFile{f, dev}, nil
		}
	case typ&fs.ModeSocket != 0:
		err = ENXIO
	case flag&O_TRUNC != 0 && !created:
		err = f.truncate(0)
	}
	if err != nil {
		m.tree.unref(f.v)
		return nil, err
	}
	return f, nil
}

// openNode opens what name names, and reports whether it has created that.
func (m *Mem) openNode(name string, flag int, perm fs.FileMode) (v *vnode, created bool, err error) {
	if flag&O_CREATE != 0 {
		return m.openOrCreate(name, flag, perm)
	}
	v, err = m.openExisting(name, flag)
	return v, false, err
}

// openExisting opens what name names.
func (m *Mem) openExisting(name string, flag int) (*vnode, error) {
	t := m.tree
	t.mu.RLock()
	defer t.mu.RUnlock()
	n, err := m.node(name, follow)
	if err != nil {
		return nil, err
	}
	if err := m.mayOpen(n, flag); err != nil {
		return nil, err
	}
	return t.ref(n), nil
}

// openOrCreate opens what name names, and makes a file of it if it is nothing.
func (m *Mem) openOrCreate(name string, flag int, perm fs.FileMode) (v *vnode, created bool, err error) {
	t := m.tree
	t.mu.Lock()
	defer t.mu.Unlock()
	last := follow
	if flag&O_EXCL != 0 {
		last = keep
	}
	var p place
	err = m.walk(&p, name, last)
	switch {
	case err != nil:
		return nil, false, err
	case p.slash:
		return nil, false, EISDIR
	case p.node != nil && flag&O_EXCL != 0:
		return nil, false, EEXIST
	case p.node != nil && p.node.dir != nil:
		return nil, false, EISDIR
	case p.node != nil:
		if err := m.mayOpen(p.node, flag); err != nil {
			return nil, false, err
		}
		return t.ref(p.node), false, nil
	}
	n, err := m.create(&p, perm&permBits)
	if err != nil {
		return nil, false, err
	}
	return t.ref(n), true, nil
}

// mayOpen fails unless m's user may open n as flag says.
func (m *Mem) mayOpen(n *inode, flag int) error {
	var want fs.FileMode
	if flag&accessMode != O_WRONLY {
		want |= mayRead
	}
	if flag&accessMode != O_RDONLY || flag&O_TRUNC != 0 {
		want |= mayWrite
	}
	if n.dir != nil && want&mayWrite != 0 {
		return EISDIR
	}
	return m.user.access(n, want)
}
