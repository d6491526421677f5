package vfs

import (
	"bytes"
	"io"
	"io/fs"
	"strconv"
	"sync"
)

// NewOverlay returns a file system that starts as lower is and keeps what
// changes to itself: lower is only ever read. It must not change meanwhile;
// whether what changes there is seen is not defined.
//
// A directory is read from lower when it is first looked into. The content of a
// file stays below, page by page, until it is written to, wherever the file is
// moved. What is in lower does not count towards the bounds of o.
func NewOverlay(lower FS, o MemOptions) (*Mem, error) {
	info, err := lower.Stat("/")
	if err != nil {
		return nil, err
	}
	m := NewMem(o)
	root := m.tree.root()
	root.describe(info)
	root.dir.pending = &lowerDir{source: source{fsys: lower, name: "/"}}
	return m, nil
}

// A source is where the content of a file or a directory comes from: a lower
// file system, or a call.
type source struct {
	fsys    FS
	name    string
	fetched func() ([]byte, error) // nil for what is in a file system
}

// open opens the file s.
func (s *source) open() (lowerFile, error) {
	if s.fetched == nil {
		return s.fsys.Open(s.name)
	}
	data, err := s.fetched()
	if err != nil {
		return nil, err
	}
	return fetchedFile{bytes.NewReader(data)}, nil
}

// A lowerFile is an open file below.
type lowerFile interface {
	io.ReaderAt
	io.Closer
}

// A fetchedFile is what a call has returned.
type fetchedFile struct{ io.ReaderAt }

func (fetchedFile) Close() error { return nil }

// describe gives n the status that info has.
func (n *inode) describe(info fs.FileInfo) {
	st := StatOf(info)
	n.mode = info.Mode() & (fs.ModeType | permBits)
	n.uid, n.gid, n.link, n.rdev = int32(st.UID), int32(st.GID), uint32(max(st.Nlink, 1)), st.Rdev
	n.atime, n.mtime, n.ctime = stampOf(st.Atime), stampOf(info.ModTime()), stampOf(st.Ctime)
	n.birth = n.ctime
	if !st.Birth.IsZero() {
		n.birth = stampOf(st.Birth)
	}
}

// contentBelow returns the content that is the size bytes of s.
func contentBelow(s *source, size int64) content {
	return content{size: size, limit: size, lower: s, blocks: (size + blockSize - 1) / blockSize}
}

// An unloadedError is the failure of what needs the content of a directory that
// was not read yet.
type unloadedError struct{ ino uint64 }

func (*unloadedError) Error() string { return "directory not read yet" }

// loaded returns the names in the directory n. It fails with an unloadedError if
// they have to be read first.
func (n *inode) loaded() (*nameTree, error) {
	if n.dir.pending != nil {
		return nil, &unloadedError{n.ino}
	}
	return &n.dir.names, nil
}

// retry reports whether what failed with *err can be tried again: it reads the
// directory if that was all that it lacked. No lock is held.
func (t *tree) retry(err *error) bool {
	return *err != nil && t.reload(err)
}

func (t *tree) reload(err *error) bool {
	e, ok := (*err).(*unloadedError)
	if !ok {
		return false
	}
	*err = t.load(e.ino)
	return *err == nil
}

// load reads the directory ino from the lower file system.
func (t *tree) load(ino uint64) error {
	t.mu.RLock()
	var from *lowerDir
	if n := t.inodes.get(ino); n != nil {
		from = n.dir.pending
	}
	t.mu.RUnlock()
	if from == nil {
		return nil
	}
	entries, err := from.read()
	if err != nil {
		return errnoOr(err, EIO)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	n := t.inodes.get(ino)
	if n == nil || n.dir.pending != from {
		return nil
	}
	n = t.thaw(n)
	n.dir.pending = nil
	n.link = 2
	for _, e := range entries {
		child := t.adopt(e)
		n.dir.names.set(t.own, e.name, child.ino)
		child.parent = ino
		if child.dir != nil {
			n.link++
		}
	}
	return nil
}

// A lowerDir is a directory of a lower file system that is not read yet. Forks
// share it, and so find in it what the first of them found.
type lowerDir struct {
	source

	mu      sync.Mutex
	known   bool
	entries []lowerEntry
}

// A lowerEntry is what is known of an entry of a lower directory.
type lowerEntry struct {
	name   string
	info   fs.FileInfo
	target string    // of a symbolic link
	file   *source   // of a regular file
	dir    *lowerDir // of a directory
}

// read returns the entries of d.
func (d *lowerDir) read() ([]lowerEntry, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.known {
		return d.entries, nil
	}
	list, err := ReadDir(d.fsys, d.source.name)
	if err != nil {
		return nil, err
	}
	entries := make([]lowerEntry, 0, len(list))
	for _, e := range list {
		entry, err := d.entry(e)
		switch {
		case err == nil:
			entries = append(entries, entry)
		case ErrnoOf(err) != ENOENT: // else it has gone meanwhile
			return nil, err
		}
	}
	d.known, d.entries = true, entries
	return entries, nil
}

// entry finds out what an entry of d is.
func (d *lowerDir) entry(e fs.DirEntry) (l lowerEntry, err error) {
	from := source{fsys: d.fsys, name: join(d.source.name, e.Name())}
	l.name = e.Name()
	if l.info, err = e.Info(); err != nil {
		return l, err
	}
	switch mode := l.info.Mode(); {
	case mode.IsDir():
		l.dir = &lowerDir{source: from}
	case mode.IsRegular():
		l.file = &from
	case mode&fs.ModeSymlink != 0:
		l.target, err = d.fsys.ReadlinkIfPossible(from.name)
	}
	return l, err
}

// adopt returns an inode for an entry of a lower directory. Names of one file
// get one inode. The tree is locked for writing.
func (t *tree) adopt(e lowerEntry) *inode {
	st := StatOf(e.info)
	key := ""
	if st.Nlink > 1 && st.Ino != 0 && !e.info.IsDir() {
		key = strconv.FormatUint(st.Dev, 36) + "." + strconv.FormatUint(st.Ino, 36)
		if n := t.inodes.get(t.adopted.get(key)); n != nil {
			n = t.thaw(n)
			n.lent++
			return n
		}
	}
	n := t.newInode(&User{}, e.info.Mode().Type())
	n.describe(e.info)
	n.lent = 1
	switch {
	case n.dir != nil:
		n.dir.pending = e.dir
	case n.mode&fs.ModeSymlink != 0:
		n.target = e.target
	case n.mode.IsRegular() && e.info.Size() > 0:
		n.data = contentBelow(e.file, e.info.Size())
	}
	if key != "" {
		n.origin = &e
		t.adopted.set(t.own, key, n.ino)
	}
	return n
}

// asBelow reports whether n is a lower file with several names in which nothing
// has changed.
func (n *inode) asBelow() bool {
	if n.origin == nil {
		return false
	}
	was := inode{mode: n.mode.Type(), target: n.origin.target}
	was.describe(n.origin.info)
	if n.mode.IsRegular() && n.origin.info.Size() > 0 {
		was.data = contentBelow(n.origin.file, n.origin.info.Size())
	}
	return was.same(n)
}

// below returns the open file that the content of v lies in.
func (v *vnode) below(s *source) (io.ReaderAt, error) {
	if more := v.more.Load(); more != nil {
		return more.lower, nil
	}
	f, err := s.open()
	if err != nil {
		return nil, errnoOr(err, EIO)
	}
	if !v.more.CompareAndSwap(nil, &vnodeMore{lower: f}) {
		f.Close() // somebody else was faster
	}
	return v.more.Load().lower, nil
}

// readLower reads at off what s holds of the content of v. What s no longer
// holds is zero.
func (v *vnode) readLower(s *source, p []byte, off int64) error {
	r, err := v.below(s)
	if err != nil {
		return err
	}
	n, err := r.ReadAt(p, off)
	if err != nil && err != io.EOF {
		return errnoOr(err, EIO)
	}
	clear(p[n:])
	return nil
}
