package vfs

import (
	"context"
	"io"
	"io/fs"
	"math"
	"sync"
	"sync/atomic"

	"github.com/spf13/afero"
)

// A memFile is an open file of a [Mem].
type memFile struct {
	mem     *Mem // that it was opened through
	v       *vnode
	name    string // that it was opened by
	reads   bool
	writes  bool
	appends bool
	closed  atomic.Bool

	mu  sync.Mutex // held by who writes at off
	off atomic.Int64
}

// lockStep bounds the bytes that are copied under one hold of the tree's lock.
const lockStep = 1 << 20

func (f *memFile) Name() string { return f.name }

func (f *memFile) fail(op string, err error) error { return pathError(op, f.name, err) }

// may fails with EBADF unless f is open, and for what is wanted of it.
func (f *memFile) may(op string, wanted bool) error {
	if f.closed.Load() || !wanted {
		return f.fail(op, EBADF)
	}
	return nil
}

// Close closes f. Whatever else is done to f afterwards fails with EBADF.
func (f *memFile) Close() error {
	if f.closed.Swap(true) {
		return f.fail("close", EBADF)
	}
	f.mem.tree.unref(f.v)
	f.mem.tree.quota.closed()
	return nil
}

// Reopen opens the file of f once more, even if it has no name left.
func (f *memFile) Reopen(ctx context.Context, flag int) (afero.File, error) {
	if err := f.may("open", true); err != nil {
		return nil, err
	}
	if err := f.mem.tree.quota.opening(); err != nil {
		return nil, f.fail("open", err)
	}
	f.mem.tree.mu.RLock()
	err := f.mem.mayOpen(f.v.node, flag)
	if err == nil {
		f.mem.tree.openMu.Lock()
		f.v.refs++
		f.mem.tree.openMu.Unlock()
	}
	f.mem.tree.mu.RUnlock()
	if err != nil {
		f.mem.tree.quota.closed()
		return nil, f.fail("open", err)
	}
	o, err := f.mem.file(ctx, &memFile{v: f.v}, f.name, flag, false)
	if err != nil {
		return nil, f.fail("open", err)
	}
	return o, nil
}

func (f *memFile) Sync() error { return f.may("sync", true) }

func (f *memFile) Stat() (fs.FileInfo, error) {
	if err := f.may("stat", true); err != nil {
		return nil, err
	}
	f.mem.tree.mu.RLock()
	info := f.mem.tree.info(f.v.node, base(f.name))
	f.mem.tree.mu.RUnlock()
	return f.mem.tree.counted(info), nil
}

func (f *memFile) Read(p []byte) (int, error) {
	if err := f.may("read", f.reads); err != nil {
		return 0, err
	}
	n, err := f.readNext(p)
	switch {
	case n > 0 || len(p) == 0:
		return n, nil
	case err != nil:
		return 0, f.fail("read", err)
	}
	return 0, io.EOF
}

// readNext reads at the offset, and moves it. Who only reads need not lock out
// others: who was overtaken reads again.
func (f *memFile) readNext(p []byte) (n int, err error) {
	if f.writes {
		f.mu.Lock()
		defer f.mu.Unlock()
	}
	for moved := false; !moved; {
		off := f.off.Load()
		n, err = f.readAt(p, off)
		moved = f.off.CompareAndSwap(off, off+int64(n))
	}
	return n, err
}

// ReadAt fails with io.EOF if it reads less than p holds.
func (f *memFile) ReadAt(p []byte, off int64) (int, error) {
	if err := f.may("read", f.reads); err != nil {
		return 0, err
	}
	if off < 0 {
		return 0, f.fail("read", EINVAL)
	}
	n, err := f.readAt(p, off)
	switch {
	case err != nil:
		return n, f.fail("read", err)
	case n < len(p):
		return n, io.EOF
	}
	return n, nil
}

// readAt reads at off until p is full or the file ends.
func (f *memFile) readAt(p []byte, off int64) (n int, err error) {
	for n < len(p) {
		part := p[n:min(len(p), n+lockStep)]
		f.mem.tree.mu.RLock()
		node := f.v.node
		got, below := node.data.readAt(part, off+int64(n))
		lower := node.data.lower
		stale := got+below > 0 && node.stale()
		f.mem.tree.mu.RUnlock()
		if stale {
			f.accessed()
		}
		if below > 0 {
			if err := f.v.readLower(lower, part[got:got+below], off+int64(n+got)); err != nil {
				return n + got, err
			}
			n += got + below
			continue
		}
		if n += got; got < len(part) {
			break
		}
	}
	return n, nil
}

// stale reports whether reading n sets its access time: as with relatime, if it
// is not behind the times of the last changes.
func (n *inode) stale() bool { return !n.atime.after(n.mtime) || !n.atime.after(n.ctime) }

// accessed sets the access time.
func (f *memFile) accessed() {
	now := f.mem.tree.stamp()
	f.edit(func(n *inode) error {
		n.atime = now
		return nil
	})
}

// edit calls change with f's inode, which may be changed.
func (f *memFile) edit(change func(n *inode) error) error {
	t := f.mem.tree
	t.mu.Lock()
	defer t.mu.Unlock()
	t.thawOpen(f.v)
	return change(f.v.node)
}

// thawOpen is thaw for the inode of v, which may have no name.
func (t *tree) thawOpen(v *vnode) {
	if !v.orphan {
		t.thaw(v.node)
		return
	}
	if v.node.own != t.own {
		t.openMu.Lock()
		v.node = v.node.clone(t.own)
		t.openMu.Unlock()
	}
	v.node.status.Store(nil)
}

func (f *memFile) Write(p []byte) (int, error) {
	if err := f.may("write", f.writes); err != nil {
		return 0, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.v.writing.Lock()
	defer f.v.writing.Unlock()
	off := f.off.Load()
	if f.appends {
		off = f.size()
	}
	n, err := f.writeAt(p, off)
	f.off.Store(off + int64(n))
	return n, err
}

func (f *memFile) WriteString(s string) (int, error) { return f.Write([]byte(s)) }

// WriteAt writes at off. Of a file that was opened to append, off is ignored, as
// Linux ignores it.
func (f *memFile) WriteAt(p []byte, off int64) (int, error) {
	if err := f.may("write", f.writes); err != nil {
		return 0, err
	}
	if off < 0 {
		return 0, f.fail("write", EINVAL)
	}
	f.v.writing.Lock()
	defer f.v.writing.Unlock()
	if f.appends {
		off = f.size()
	}
	return f.writeAt(p, off)
}

// size returns the present size of f.
func (f *memFile) size() int64 {
	f.mem.tree.mu.RLock()
	defer f.mem.tree.mu.RUnlock()
	return f.v.node.data.size
}

// writeAt writes p at off. The vnode's writing is locked.
func (f *memFile) writeAt(p []byte, off int64) (n int, err error) {
	if len(p) == 0 {
		return 0, nil
	}
	var tooBig error
	if room := f.mem.tree.quota.room(off); int64(len(p)) > room {
		if tooBig = EFBIG; room <= 0 {
			return 0, f.fail("write", EFBIG)
		}
		p = p[:room]
	}
	now := f.mem.tree.stamp()
	for n < len(p) && err == nil {
		part := p[n:min(len(p), n+lockStep)]
		lacks, set := false, false
		err = f.edit(func(node *inode) error {
			if lacks = node.data.lacksAny(off+int64(n), len(part)); lacks {
				return nil
			}
			got, err := node.data.writeAt(f.mem.tree.own, f.mem.tree.quota, part, off+int64(n))
			if n += got; got > 0 {
				node.mtime, node.ctime = now, now
				set = node.mode != withoutSet(node.mode)
			}
			return err
		})
		if set {
			f.clearSet()
		}
		if lacks {
			err = f.lift(off+int64(n), len(part))
		}
	}
	if err == nil {
		err = tooBig
	}
	if err != nil {
		return n, f.fail("write", err)
	}
	return n, nil
}

// lift gets what a write of n bytes at off leaves as it is of the pages that it
// writes to, where that is still in a lower file. The vnode's writing is locked.
func (f *memFile) lift(off int64, n int) error {
	first, last := ends(off, n)
	if err := f.liftPage(off, first); err != nil || last == 0 {
		return err
	}
	return f.liftPage(off+int64(n-last), last)
}

// liftPage is lift for a write to one page.
func (f *memFile) liftPage(off int64, n int) error {
	f.mem.tree.mu.RLock()
	lower := f.v.node.data.lower
	from, length, ok := f.v.node.data.lacks(off, n)
	f.mem.tree.mu.RUnlock()
	if lower == nil || !ok {
		return nil
	}
	data := make([]byte, length)
	if err := f.v.readLower(lower, data, from); err != nil {
		return err
	}
	return f.edit(func(node *inode) error { return node.data.lift(f.mem.tree.own, f.mem.tree.quota, data, from) })
}

// clearSet takes the setuid and setgid bits from a file that is written to,
// unless user 0 does that.
func (f *memFile) clearSet() {
	t := f.mem.tree
	if f.mem.user.UID == 0 {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.thawOpen(f.v)
	f.v.node.mode = withoutSet(f.v.node.mode)
}

// room returns how many bytes a file may have from off on.
func (q *quota) room(off int64) int64 {
	if q.maxSize < 0 {
		return math.MaxInt64 - off
	}
	return q.maxSize - off
}

// Seek sets the offset of the next Read or Write. Whence is as io.Seeker has it.
func (f *memFile) Seek(offset int64, whence int) (int64, error) {
	if err := f.may("seek", true); err != nil {
		return 0, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	for {
		from, to := f.off.Load(), offset
		switch whence {
		case io.SeekStart:
		case io.SeekCurrent:
			to += from
		case io.SeekEnd:
			to += f.size()
		default:
			return 0, f.fail("seek", EINVAL)
		}
		if to < 0 {
			return 0, f.fail("seek", EINVAL)
		}
		if f.off.CompareAndSwap(from, to) {
			return to, nil
		}
	}
}

// Truncate makes size the size of f. What that adds is zero.
func (f *memFile) Truncate(size int64) error {
	if f.closed.Load() {
		return f.fail("truncate", EBADF)
	}
	if !f.writes || size < 0 {
		return f.fail("truncate", EINVAL)
	}
	if err := f.truncate(size); err != nil {
		return f.fail("truncate", err)
	}
	return nil
}

func (f *memFile) truncate(size int64) error {
	f.v.writing.Lock()
	defer f.v.writing.Unlock()
	if f.mem.tree.quota.room(size) < 0 {
		return EFBIG
	}
	now, set := f.mem.tree.stamp(), false
	err := f.edit(func(n *inode) error {
		n.data.truncate(f.mem.tree.own, f.mem.tree.quota, size)
		n.mtime, n.ctime = now, now
		set = n.mode != withoutSet(n.mode)
		return nil
	})
	if set {
		f.clearSet()
	}
	return err
}

func (f *memFile) ReadDir(int) ([]fs.DirEntry, error) { return nil, f.fail("readdir", ENOTDIR) }
func (f *memFile) Readdir(int) ([]fs.FileInfo, error) { return nil, f.fail("readdir", ENOTDIR) }
func (f *memFile) Readdirnames(int) ([]string, error) { return nil, f.fail("readdir", ENOTDIR) }
