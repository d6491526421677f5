package vfs

import (
	"io/fs"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

// A Mount is several file systems under one root. A file system covers the
// directory that it is mounted on. Symbolic links and ".." lead from one to
// the other, as names do; renames and hard links across fail with [EXDEV].
//
// All methods but Mount's own take names as the constituents' do, and those get
// only names without symbolic links above the last component, without "." and
// without "..".
type Mount struct {
	mu    sync.Mutex // held while table changes
	table atomic.Pointer[[]*mounted]
}

// A mounted is one file system of a Mount. It does not change.
type mounted struct {
	FS
	point string
	fence fence

	// confined is the same file system where it can be trusted to fail
	// with EXDEV rather than to resolve a name that leads out of it.
	confined FS
}

// A Confiner is an [FS] that has, or is, another way to the same files that
// fails with [EXDEV] where a symbolic link or ".." leads out. A [Mount] asks
// that first, and so need not look at each component of a name.
type Confiner interface {
	Confined() FS
}

// A stayer is an FS that can tell beforehand.
type stayer interface {
	stays(name string, last lastLink, f *fence) bool
}

// NewMount returns a Mount with root at its root.
func NewMount(root FS) *Mount {
	m := &Mount{}
	m.table.Store(&[]*mounted{newMounted(root, "/")})
	return m
}

func newMounted(fsys FS, point string) *mounted {
	c := &mounted{FS: fsys, point: point, fence: fence{inner: point != "/"}}
	if f, ok := fsys.(Confiner); ok {
		c.confined = f.Confined()
	}
	return c
}

// Mount mounts fsys on the directory point, which it makes if there is none.
func (m *Mount) Mount(point string, fsys FS) error {
	if err := m.MkdirAll(point, 0o755); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	path, err := Resolve(m, point, true)
	if err != nil {
		return err
	}
	info, err := Lstat(m, path)
	if err != nil {
		return err
	}
	old := *m.table.Load()
	if slices.ContainsFunc(old, func(c *mounted) bool { return c.point == path }) {
		return pathError("mount", point, EBUSY)
	}
	numberDevice(old, fsys)
	under, _ := locate(old, path)
	table := []*mounted{newMounted(fsys, path)}
	for _, c := range old {
		if c.point == under.point {
			c = c.withStop(StatOf(info).Ino)
		}
		table = append(table, c)
	}
	slices.SortStableFunc(table, func(a, b *mounted) int { return len(b.point) - len(a.point) })
	m.table.Store(&table)
	return nil
}

// Unmount takes away what is mounted on the directory point, which shows what it
// held before. It fails with [EINVAL] where nothing is mounted, or for the root,
// and with [EBUSY] where something else is mounted below. Files that are open stay
// open.
func (m *Mount) Unmount(point string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	path, err := Resolve(m, point, true)
	if err != nil {
		return renamed(err, point)
	}
	old := *m.table.Load()
	at := slices.IndexFunc(old, func(c *mounted) bool { return c.point == path })
	switch {
	case at < 0 || path == "/":
		return pathError("unmount", point, EINVAL)
	case slices.ContainsFunc(old, func(c *mounted) bool { return strings.HasPrefix(c.point, path+"/") }):
		return pathError("unmount", point, EBUSY)
	}
	table := slices.Delete(slices.Clone(old), at, at+1)
	under, inner := locate(table, path)
	info, err := Lstat(under, inner)
	if err != nil {
		return renamed(err, point)
	}
	for i, c := range table {
		if c.point == under.point {
			table[i] = c.withoutStop(StatOf(info).Ino)
		}
	}
	m.table.Store(&table)
	return nil
}

// withoutStop returns a copy of c without a file system on its directory ino.
func (c *mounted) withoutStop(ino uint64) *mounted {
	n := *c
	n.fence.stops = maps.Clone(c.fence.stops)
	delete(n.fence.stops, ino)
	return &n
}

// withStop returns a copy of c with a file system on its directory ino.
func (c *mounted) withStop(ino uint64) *mounted {
	n := *c
	n.fence.stops = map[uint64]bool{ino: true}
	for stop := range c.fence.stops {
		n.fence.stops[stop] = true
	}
	return &n
}

// A numbered is an FS that can change its device number.
type numbered interface {
	device() uint64
	setDevice(uint64)
}

// numberOf returns fsys as a numbered, the file system below it if that is one,
// else nil.
func numberOf(fsys FS) numbered {
	for {
		switch f := fsys.(type) {
		case numbered:
			return f
		case wrapper:
			fsys = f.unwrap()
		default:
			return nil
		}
	}
}

// A wrapper is an FS that shows the status of the files of another.
type wrapper interface{ unwrap() FS }

func (r *readOnly) unwrap() FS { return r.under }

func (m *Mount) unwrap() FS { return m.bare()[len(m.bare())-1].FS }

// numberDevice gives fsys a device number that no other in table has.
func numberDevice(table []*mounted, fsys FS) {
	n := numberOf(fsys)
	if n == nil {
		return
	}
	taken := map[uint64]bool{}
	for _, c := range table {
		if o := numberOf(c.FS); o != nil {
			taken[o.device()] = true
		}
	}
	dev := n.device()
	for _, minor := DevNumbers(dev); taken[dev]; minor++ {
		dev = Dev(0, minor)
	}
	n.setDevice(dev)
}

// locate returns the file system that a resolved path is on, and the name that
// it has there.
func locate(table []*mounted, path string) (*mounted, string) {
	for _, c := range table {
		if c.point == "/" {
			return c, path
		}
		if inner, ok := strings.CutPrefix(path, c.point); ok {
			if inner == "" {
				return c, "/"
			}
			if inner[0] == '/' {
				return c, inner
			}
		}
	}
	panic("vfs: a Mount without a root")
}

// covered reports whether something is mounted at or below a resolved path.
func covered(table []*mounted, path string) bool {
	return slices.ContainsFunc(table, func(c *mounted) bool {
		return c.point == path || strings.HasPrefix(c.point, strings.TrimRight(path, "/")+"/")
	})
}

// Name returns "mount".
func (m *Mount) Name() string { return "mount" }

// A use is what a name is resolved for.
type use struct {
	last  lastLink
	slash func(info fs.FileInfo, err error) error // for a name with a slash behind; nil is nothing
}

var (
	useFollow = use{follow, mustBeDir}
	useLink   = use{nofollow, mustBeDir}
	useEntry  = use{keep, mustBeDir}
	useMkdir  = use{keep, nil}
	useCreate = use{keep, mustExist}
	useOpen   = use{creates, isDir}
	useExcl   = use{keep, isDir}
)

func mustBeDir(info fs.FileInfo, err error) error {
	if err == nil && !info.IsDir() {
		return ENOTDIR
	}
	return err
}

func mustExist(_ fs.FileInfo, err error) error { return err }

func isDir(fs.FileInfo, error) error { return EISDIR }

// on calls f with the file system that name is on, and its name there. An error
// of f becomes one about name.
func (m *Mount) on(op, name string, u use, f func(fsys FS, name string) error) error {
	table := *m.table.Load()
	c, inner := table[len(table)-1], name
	simple := plain(name)
	if simple {
		c, inner = locate(table, name)
	}
	if s, ok := c.FS.(stayer); ok && s.stays(inner, u.last, &c.fence) {
		return renamed(f(c.FS, inner), name)
	}
	if simple && c.confined != nil && len(c.fence.stops) == 0 {
		if err := f(c.confined, inner); ErrnoOf(err) != errLeft {
			return renamed(err, name)
		}
	}
	t, err := m.resolve(name, u)
	if err != nil {
		return pathError(op, name, err)
	}
	c, inner = locate(table, t.path)
	return renamed(f(c.FS, inner), name)
}

// resolve resolves name for a use.
func (m *Mount) resolve(name string, u use) (target, error) {
	t, err := resolve(m.bare(), name, u.last)
	if err == nil && t.slash && u.slash != nil {
		info, _, lerr := m.bare().LstatIfPossible(t.path)
		err = ErrnoOf(u.slash(info, lerr))
	}
	return t, err
}

// A bareMount is a Mount of which only resolved names are asked.
type bareMount []*mounted

func (m *Mount) bare() bareMount { return *m.table.Load() }

func (b bareMount) LstatIfPossible(path string) (fs.FileInfo, bool, error) {
	c, inner := locate(b, path)
	return c.LstatIfPossible(inner)
}

func (b bareMount) ReadlinkIfPossible(path string) (string, error) {
	c, inner := locate(b, path)
	return c.ReadlinkIfPossible(inner)
}

// renamed makes an error about some name one about name.
func renamed(err error, name string) error {
	if e, ok := err.(*fs.PathError); ok {
		return pathError(e.Op, name, e.Err)
	}
	return err
}
