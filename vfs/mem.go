package vfs

import (
	"crypto/rand"
	"io"
	"io/fs"
	"sync"
	"time"

	"github.com/limpet-sh/limpet/limits"
)

// MemOptions configures a [Mem].
type MemOptions struct {
	// User is who the files are used by, and who owns the root directory.
	User User

	// Now is the clock of the times of files. Nil means time.Now.
	Now func() time.Time

	// Random is what /dev/random and /dev/urandom read. Nil means
	// crypto/rand. Reads of it are serialised.
	Random io.Reader

	// Storage bounds the bytes in all files, Files the names, and FileSize
	// the bytes in one file. Zero means the default of package limits, and
	// limits.Unlimited is none.
	Storage, Files, FileSize int64

	// OpenFiles bounds the files that are open at one time: who opens one more gets
	// [ENFILE]. Zero means the default of package limits, which is for one process,
	// times [Processes].
	OpenFiles int64

	// Quota bounds what the file system holds together with others that have
	// the same. Nil means none.
	Quota *Quota
}

// Within returns o with the bounds of l.
func (o MemOptions) Within(l limits.Limits) MemOptions {
	o.Storage, o.Files, o.FileSize = l.Of(limits.Storage), l.Of(limits.Files), l.Of(limits.FileSize)
	o.OpenFiles = openOf(l)
	return o
}

// A Mem is a file system in memory. It behaves as Linux's do: permissions,
// links, FIFOs, devices, files that are open after they were removed.
//
// Copying one with [Mem.Fork] takes the same short time whatever it holds. What
// both copies hold they share until one of them changes it.
type Mem struct {
	tree *tree
	user User
}

var (
	_ FS            = (*Mem)(nil)
	_ ContextOpener = (*Mem)(nil)
)

// NewMem returns a file system that holds an empty root directory.
func NewMem(o MemOptions) *Mem {
	t := newTree(o.Now, &random{r: o.Random})
	if t.now == nil {
		t.now = time.Now
	}
	if t.random.r == nil {
		t.random.r = rand.Reader
	}
	t.quota = newQuota(o)
	t.quota.set(0, 1)
	root := t.newInode(&o.User, fs.ModeDir|0o755)
	root.parent = root.ino
	return &Mem{t, o.User}
}

// As returns the same files as another user sees them.
func (m *Mem) As(u User) *Mem { return &Mem{m.tree, u} }

// User returns who m acts as.
func (m *Mem) User() User { return m.user }

// Fork returns a copy of m, as the same user, with the same bounds. Afterwards
// each changes without the other. Open files stay with m.
func (m *Mem) Fork() *Mem { return &Mem{m.tree.fork(), m.user} }

// ForkWith is [Mem.Fork] with the user, the clock, the randomness and the bounds
// of o.
func (m *Mem) ForkWith(o MemOptions) *Mem {
	c := m.tree.fork()
	if o.Now != nil {
		c.now = o.Now
	}
	if o.Random != nil {
		c.random = &random{r: o.Random}
	}
	q := newQuota(o)
	c.quota.maxBytes, c.quota.maxFiles, c.quota.maxSize, c.quota.maxOpen = q.maxBytes, q.maxFiles, q.maxSize, q.maxOpen
	c.quota.share(o.Quota)
	return &Mem{c, o.User}
}

// Restore makes m hold what from holds. Files of m that are open stay as they
// are for those who have them open.
func (m *Mem) Restore(from *Mem) { m.tree.restore(from.tree.fork()) }

// A Usage is what a file system holds, as its bounds count it.
type Usage struct {
	Bytes int64 // of file contents and targets of symbolic links
	Files int64 // names, and files without one that are open
	Open  int64 // files that are open, each as often as it was opened
}

// Usage returns what m holds.
func (m *Mem) Usage() Usage {
	q := m.tree.quota
	return Usage{q.bytes.Load(), q.files.Load(), q.open.Load()}
}

// Name returns "mem".
func (m *Mem) Name() string { return "mem" }

// StatFS describes m. What is not bounded counts as a tebibyte, or as 2^32
// files.
func (m *Mem) StatFS(name string) (StatFS, error) {
	if _, err := m.Stat(name); err != nil {
		return StatFS{}, pathError("statfs", name, ErrnoOf(err))
	}
	return m.tree.quota.statFS(), nil
}

func (m *Mem) device() uint64 {
	m.tree.mu.RLock()
	defer m.tree.mu.RUnlock()
	return m.tree.dev
}

func (m *Mem) setDevice(dev uint64) {
	m.tree.mu.Lock()
	defer m.tree.mu.Unlock()
	m.tree.dev = dev
}

// A tree is what the handles of one file system share.
type tree struct {
	now    func() time.Time
	quota  *quota
	random *random

	mu     sync.RWMutex // guards what follows, and inodes
	dev    uint64
	own    *owner
	last   uint64 // the inode number given last
	inodes array[inode]

	adopted nameTree // inodes of lower files with several names

	era   uint64 // counts what may change where names lead, that still lead somewhere
	born  uint64 // counts what may make names lead somewhere
	names nameCache

	openMu sync.Mutex // guards files
	files  openFiles
}

func newTree(now func() time.Time, r *random) *tree {
	return &tree{now: now, random: r, dev: memDev, own: new(owner)}
}

const rootIno = 1

func (t *tree) root() *inode { return t.inodes.get(rootIno) }

func (t *tree) stamp() stamp { return stampOf(Tick(t.now())) }

// Tick returns the time that files get when it is t: Linux's clock for them goes
// on 250 times a second. What is changed at almost the same time is not newer.
func Tick(t time.Time) time.Time {
	const tick = int(time.Second / 250)
	return t.Add(-time.Duration(t.Nanosecond() % tick))
}

// newInode returns a new inode in the table. It is not charged.
func (t *tree) newInode(u *User, mode fs.FileMode) *inode {
	now := t.stamp()
	t.last++
	n := &inode{
		own: t.own, ino: t.last, mode: mode, uid: int32(u.UID), gid: int32(u.GID), link: 1,
		atime: now, mtime: now, ctime: now, birth: now,
	}
	if mode.IsDir() {
		n.link, n.dir = 2, &directory{}
	}
	t.inodes.set(t.own, n.ino, n)
	return n
}

// thaw returns n, or what takes its place if n is not the tree's own, which may
// be changed. The tree is locked for writing.
func (t *tree) thaw(n *inode) *inode {
	if n.own == t.own {
		n.status.Store(nil)
		return n
	}
	c := n.clone(t.own)
	t.openMu.Lock()
	defer t.openMu.Unlock()
	if v := t.files.of(n, t.own); v != nil {
		t.files.take(v, t.own)
		v.node = c
		t.files.put(v, t.own)
	}
	t.inodes.set(t.own, n.ino, c)
	return c
}

// release gives back what n is charged for, once no name and no open file is
// left of it.
func (t *tree) release(n *inode) {
	t.quota.freeBytes(n.data.held)
	if n.lent == 0 {
		t.quota.freeFiles(1)
	}
	t.empty(n)
}

// empty takes from n, which has no name and is not open, what it holds, unless a
// fork has it too: the cache of names may still refer to n.
func (t *tree) empty(n *inode) {
	if n.own == t.own {
		n.data = content{}
	}
}

// drop takes n out of the table.
func (t *tree) drop(n *inode) {
	t.inodes.set(t.own, n.ino, nil)
	if n.own == t.own {
		n.gone = true
	}
}

// fork returns a copy of t without its open files.
func (t *tree) fork() *tree {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.openMu.Lock()
	defer t.openMu.Unlock()
	c := newTree(t.now, t.random)
	c.quota, c.dev, c.last, c.inodes, c.adopted = t.quota.clone(), t.dev, t.last, t.inodes, t.adopted
	own := new(owner)
	for _, v := range t.files.list {
		if v.orphan {
			c.release(v.node) // which c does not own
			continue
		}
		t.files.take(v, t.own)
		t.files.put(v, own)
	}
	t.own = own
	t.names.drop()
	return c
}

// restore makes t hold what c holds, which nobody else uses.
func (t *tree) restore(c *tree) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.openMu.Lock()
	defer t.openMu.Unlock()
	bytes, files := c.quota.bytes.Load(), c.quota.files.Load()
	for _, v := range t.files.list {
		if !v.orphan {
			t.files.take(v, t.own)
			v.orphan = true
		}
		bytes += v.node.data.held
		if v.node.lent == 0 {
			files++
		}
	}
	t.names.drop()
	t.quota.set(bytes, files)
	t.own, t.inodes, t.adopted, t.last = c.own, c.inodes, c.adopted, max(t.last, c.last)
}
