package vfs

import (
	"context"
	"io/fs"
	"sync"
	"sync/atomic"

	"github.com/spf13/afero"
)

// A vnode is an inode that is open. All open files of it share one.
//
// Who changes node or orphan holds the tree's lock for writing and its openMu, so
// that either guards them.
type vnode struct {
	node   *inode
	orphan bool // no name is left

	refs int32 // guarded by the tree's openMu
	at   int32 // in the list of openFiles; guarded by the tree's openMu

	typ     fs.FileMode // of the file; it never changes
	writing sync.Mutex  // held during a whole write; taken before the tree's lock
	more    atomic.Pointer[vnodeMore]
}

// A vnodeMore is what few files that are open have.
type vnodeMore struct {
	fifo  *fifo     // of a FIFO, which always has one
	lower lowerFile // that the content lies in, if it was read
}

// openFiles are the vnodes of a tree. An inode that the tree owns has its vnode
// in its field open; those of others, which forks may have open too, are found
// in a map.
type openFiles struct {
	list   []*vnode
	shared map[uint64]*vnode
	fresh  []openedFile // allocated together, since that costs as much as for one
}

// of returns the vnode of n, nil if n is not open. The tree's openMu is locked.
func (o *openFiles) of(n *inode, own *owner) *vnode {
	if n.own == own {
		return n.open
	}
	return o.shared[n.ino]
}

// put makes v the vnode of its inode.
func (o *openFiles) put(v *vnode, own *owner) {
	switch {
	case v.node.own == own:
		v.node.open = v
	case o.shared == nil:
		o.shared = map[uint64]*vnode{v.node.ino: v}
	default:
		o.shared[v.node.ino] = v
	}
}

// take makes v the vnode of no inode.
func (o *openFiles) take(v *vnode, own *owner) {
	if v.node.own == own {
		v.node.open = nil
	} else {
		delete(o.shared, v.node.ino)
	}
}

// add puts v on the list.
func (o *openFiles) add(v *vnode) {
	v.at = int32(len(o.list))
	o.list = append(o.list, v)
}

// remove takes v from the list.
func (o *openFiles) remove(v *vnode) {
	last := len(o.list) - 1
	o.list[v.at] = o.list[last]
	o.list[v.at].at = v.at
	o.list[last] = nil
	o.list = o.list[:last]
}

// An openedFile is an open file and the vnode that was made for it.
type openedFile struct {
	memFile
	vnode vnode
}

// make returns a file that was not in use yet.
func (o *openFiles) make() *openedFile {
	if len(o.fresh) == 0 {
		o.fresh = make([]openedFile, 8)
	}
	f := &o.fresh[0]
	o.fresh = o.fresh[1:]
	return f
}

// ref returns a new open file of n, of which only the vnode is set. The tree is
// locked.
func (t *tree) ref(n *inode) *memFile {
	t.openMu.Lock()
	if v := t.files.of(n, t.own); v != nil {
		v.refs++
		t.openMu.Unlock()
		return &memFile{v: v}
	}
	f := t.files.make()
	v := &f.vnode
	v.node, v.typ, v.refs, f.v = n, n.mode.Type(), 1, v
	if n.mode&fs.ModeNamedPipe != 0 {
		v.more.Store(&vnodeMore{fifo: newFifo()})
	}
	t.files.put(v, t.own)
	t.files.add(v)
	t.openMu.Unlock()
	return &f.memFile
}

// unref gives a reference to v back.
func (t *tree) unref(v *vnode) {
	t.openMu.Lock()
	if v.refs--; v.refs == 0 {
		t.unused(v)
	}
	t.openMu.Unlock()
}

// unused is what is to be done when the last reference to v was given back.
func (t *tree) unused(v *vnode) {
	if more := v.more.Load(); more != nil && more.lower != nil {
		more.lower.Close()
	}
	t.files.remove(v)
	if v.orphan {
		t.release(v.node)
	} else {
		t.files.take(v, t.own)
	}
}

// forget takes n, which has no name left, out of the table. It stays for those
// who have it open. The tree is locked for writing.
func (t *tree) forget(n *inode) {
	t.drop(n)
	t.openMu.Lock()
	defer t.openMu.Unlock()
	if v := t.files.of(n, t.own); v != nil {
		t.files.take(v, t.own)
		v.orphan = true
		return
	}
	t.release(n)
}

// forgetAll is forget for files with one name each, which they lose now.
func (t *tree) forgetAll(gone []*inode, now stamp) {
	t.openMu.Lock()
	defer t.openMu.Unlock()
	var bytes, files int64
	for _, n := range gone {
		t.drop(n)
		if v := t.files.of(n, t.own); v != nil {
			t.files.take(v, t.own)
			if n.own != t.own {
				v.node = n.clone(t.own)
			}
			v.node.status.Store(nil)
			v.node.link, v.node.ctime, v.orphan = 0, now, true
			continue
		}
		bytes += n.data.held
		if n.lent == 0 {
			files++
		}
		t.empty(n)
	}
	t.quota.freeBytes(bytes)
	t.quota.freeFiles(files)
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
	var f *memFile
	var created bool
	err := m.tree.quota.opening()
	if err != nil {
		return nil, err
	}
	for again := true; again; again = m.tree.retry(&err) {
		if flag&O_CREATE != 0 {
			f, created, err = m.openOrCreate(name, flag, perm)
		} else {
			f, err = m.openExisting(name, flag)
		}
	}
	if err != nil {
		m.tree.quota.closed()
		return nil, err
	}
	return m.file(ctx, f, name, flag, created)
}

// file makes f, of which only the vnode is set, the file that name and flag ask
// for. It is charged already, and no more where that fails.
func (m *Mem) file(ctx context.Context, f *memFile, name string, flag int, created bool) (afero.File, error) {
	f.mem, f.name = m, name
	f.appends, f.reads, f.writes = flag&O_APPEND != 0, flag&accessMode != O_WRONLY, flag&accessMode != O_RDONLY
	var err error
	switch typ := f.v.typ; {
	case typ == 0 && flag&O_TRUNC == 0:
	case typ.IsDir():
		return &memDir{memFile: f}, nil
	case typ&fs.ModeNamedPipe != 0:
		err = f.v.more.Load().fifo.open(ctx, f.reads, f.writes)
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
		m.tree.quota.closed()
		return nil, err
	}
	return f, nil
}

// openExisting opens what name names.
func (m *Mem) openExisting(name string, flag int) (*memFile, error) {
	t := m.tree
	t.mu.RLock()
	defer t.mu.RUnlock()
	n, err := m.node(name, follow)
	if err == nil {
		err = m.mayOpen(n, flag)
	}
	if err != nil {
		return nil, err
	}
	return t.ref(n), nil
}

// openOrCreate opens what name names, and makes a file of it if it is nothing. It
// reports whether it has.
func (m *Mem) openOrCreate(name string, flag int, perm fs.FileMode) (f *memFile, created bool, err error) {
	t := m.tree
	t.mu.Lock()
	defer t.mu.Unlock()
	last := creates
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
