package vfs

import (
	"bytes"
	"errors"
	"hash/fnv"
	"io"
	"io/fs"
	"sync/atomic"
	"time"

	"github.com/spf13/afero"
)

// FromIOFS returns fsys as a file system that cannot be written to. Symbolic
// links are those that fsys shows as an [fs.ReadLinkFS]; they are resolved at
// the root of all names, never by fsys. Files that fsys says nothing of the
// owner of are owned by user 0.
func FromIOFS(fsys fs.FS) FS {
	links, _ := fsys.(fs.ReadLinkFS)
	return ReadOnly(NewMount(newIOFS(fsys, links)))
}

// An ioFS is an [fs.FS] by resolved names.
type ioFS struct {
	refuser
	fsys  fs.FS
	links fs.ReadLinkFS // nil where there are no links
	dev   atomic.Uint64
}

func newIOFS(fsys fs.FS, links fs.ReadLinkFS) *ioFS {
	i := &ioFS{fsys: fsys, links: links}
	i.dev.Store(memDev)
	return i
}

func (i *ioFS) device() uint64       { return i.dev.Load() }
func (i *ioFS) setDevice(dev uint64) { i.dev.Store(dev) }

func (i *ioFS) Name() string { return "iofs" }

// Confined is i itself if it has no links.
func (i *ioFS) Confined() FS {
	if i.links == nil {
		return i
	}
	return nil
}

// inner returns the name that an fs.FS has for a resolved name.
func inner(name string) string {
	if name == "/" {
		return "."
	}
	return name[1:]
}

func (i *ioFS) Open(name string) (afero.File, error) {
	f, err := i.fsys.Open(inner(name))
	if err != nil {
		return nil, pathError("open", name, errnoOr(err, EIO))
	}
	return &ioFile{File: f, i: i, name: name}, nil
}

func (i *ioFS) OpenFile(name string, flag int, _ fs.FileMode) (afero.File, error) {
	if flag&^(O_EXCL|O_APPEND) != O_RDONLY {
		return nil, pathError("open", name, EROFS)
	}
	return i.Open(name)
}

func (i *ioFS) Stat(name string) (fs.FileInfo, error) {
	info, err := fs.Stat(i.fsys, inner(name))
	if err != nil {
		return nil, pathError("stat", name, errnoOr(err, EIO))
	}
	return i.info(name, info), nil
}

func (i *ioFS) LstatIfPossible(name string) (fs.FileInfo, bool, error) {
	if i.links == nil {
		info, err := i.Stat(name)
		return info, false, err
	}
	info, err := i.links.Lstat(inner(name))
	if err != nil {
		return nil, true, pathError("lstat", name, errnoOr(err, EIO))
	}
	return i.info(name, info), true, nil
}

func (i *ioFS) ReadlinkIfPossible(name string) (text string, err error) {
	if i.links == nil {
		_, err = i.Stat(name)
		if err = errnoOr(err, EIO); err == nil {
			err = EINVAL
		}
	} else if text, err = i.links.ReadLink(inner(name)); err != nil {
		err = errnoOr(err, EIO)
	}
	if err != nil {
		return "", pathError("readlink", name, err)
	}
	return text, nil
}

func (i *ioFS) StatFS(name string) (StatFS, error) {
	if _, err := i.Stat(name); err != nil {
		return StatFS{}, err
	}
	return StatFS{Type: "iofs", BlockSize: blockSize, NameMax: maxName, ReadOnly: true, Source: "none", Point: "/", Options: "ro"}, nil
}

// errnoOr returns the Errno of err, other if it has none, nil for nil.
func errnoOr(err error, other Errno) error {
	err = ErrnoOf(err)
	if _, ok := err.(Errno); ok || err == nil {
		return err
	}
	return other
}

// info returns info with what [FS] promises of one, if it has that not yet.
func (i *ioFS) info(name string, info fs.FileInfo) fs.FileInfo {
	if _, ok := info.Sys().(*Stat); ok {
		return info
	}
	st := *StatOf(info)
	ino := fnv.New64a()
	ino.Write([]byte(name))
	st.Dev, st.Ino = i.dev.Load(), ino.Sum64()
	st.Blocks = (info.Size() + blockSize - 1) / blockSize * (blockSize / 512)
	mode, size := info.Mode(), info.Size()
	if mode.IsDir() { // one link says that nobody has counted what is in it
		st.Nlink, size, st.Blocks = 1, blockSize, blockSize/512
	}
	return &fileInfo{name: base(name), size: size, mode: mode, mtime: info.ModTime().UTC(), stat: st}
}

// An ioFile is an open file of an ioFS.
type ioFile struct {
	fs.File
	i    *ioFS
	name string
	body *bytes.Reader // the whole content, once something needs to seek
}

func (f *ioFile) Name() string { return f.name }
func (f *ioFile) Sync() error  { return nil }

func (f *ioFile) fail(op string, err error) error { return pathError(op, f.name, errnoOr(err, EIO)) }

func (f *ioFile) Stat() (fs.FileInfo, error) {
	info, err := f.File.Stat()
	if err != nil {
		return nil, f.fail("stat", err)
	}
	return f.i.info(f.name, info), nil
}

func (f *ioFile) Read(p []byte) (int, error) {
	if f.body != nil {
		return f.body.Read(p)
	}
	n, err := f.File.Read(p)
	if err != nil && err != io.EOF {
		if info, e := f.File.Stat(); e == nil && info.IsDir() {
			err = EISDIR
		}
		err = f.fail("read", err)
	}
	return n, err
}

// seeker returns f as what can seek: itself, or a copy of its content.
func (f *ioFile) seeker() (interface {
	io.ReaderAt
	io.Seeker
}, error) {
	type seeker interface {
		io.ReaderAt
		io.Seeker
	}
	if s, ok := f.File.(seeker); ok {
		return s, nil
	}
	if f.body == nil {
		data, err := fs.ReadFile(f.i.fsys, inner(f.name))
		if err != nil {
			return nil, err
		}
		f.body = bytes.NewReader(data)
	}
	return f.body, nil
}

func (f *ioFile) ReadAt(p []byte, off int64) (int, error) {
	if off < 0 {
		return 0, f.fail("read", EINVAL)
	}
	s, err := f.seeker()
	if err != nil {
		return 0, f.fail("read", err)
	}
	n, err := s.ReadAt(p, off)
	switch {
	case err == nil && n < len(p): // as that of afero's files in memory
		err = io.EOF
	case err != nil && err != io.EOF:
		err = f.fail("read", err)
	}
	return n, err
}

func (f *ioFile) Seek(offset int64, whence int) (int64, error) {
	s, err := f.seeker()
	if err != nil {
		return 0, f.fail("seek", err)
	}
	n, err := s.Seek(offset, whence)
	if err != nil {
		return 0, f.fail("seek", EINVAL)
	}
	return n, nil
}

func (f *ioFile) ReadDir(n int) ([]fs.DirEntry, error) {
	d, ok := f.File.(fs.ReadDirFile)
	if !ok {
		return nil, f.fail("readdir", ENOTDIR)
	}
	list, err := d.ReadDir(n)
	for j, e := range list {
		list[j] = &ioEntry{e, f.i, join(f.name, e.Name())}
	}
	if err != nil && err != io.EOF {
		if info, e := f.File.Stat(); e == nil && !info.IsDir() {
			err = ENOTDIR
		}
		err = f.fail("readdir", err)
	}
	return list, err
}

func (f *ioFile) Readdir(n int) ([]fs.FileInfo, error) { return EntryInfos(f.ReadDir(n)) }
func (f *ioFile) Readdirnames(n int) ([]string, error) { return namesOf(f.ReadDir(n)) }

func (f *ioFile) Write([]byte) (int, error)          { return 0, f.fail("write", EBADF) }
func (f *ioFile) WriteAt([]byte, int64) (int, error) { return 0, f.fail("write", EBADF) }
func (f *ioFile) WriteString(string) (int, error)    { return 0, f.fail("write", EBADF) }
func (f *ioFile) Truncate(int64) error               { return f.fail("truncate", EINVAL) }

// An ioEntry is an entry of a directory of an ioFS.
type ioEntry struct {
	fs.DirEntry
	i    *ioFS
	name string // resolved
}

func (e *ioEntry) Info() (fs.FileInfo, error) {
	info, err := e.DirEntry.Info()
	if err != nil {
		return nil, pathError("lstat", e.Name(), errnoOr(err, EIO))
	}
	return e.i.info(e.name, info), nil
}

// EntryInfos returns the status of the entries of a directory, without those that
// are gone, and what ReadDir has returned with them as an error. It makes a Readdir of
// a ReadDir.
func EntryInfos(list []fs.DirEntry, err error) ([]fs.FileInfo, error) {
	infos := make([]fs.FileInfo, 0, len(list))
	for _, e := range list {
		info, ierr := e.Info()
		switch {
		case ierr == nil:
			infos = append(infos, info)
		case !errors.Is(ierr, fs.ErrNotExist) && err == nil:
			err = ierr
		}
	}
	return infos, err
}

// namesOf returns the names of entries.
func namesOf(list []fs.DirEntry, err error) ([]string, error) {
	names := make([]string, len(list))
	for i, e := range list {
		names[i] = e.Name()
	}
	return names, err
}

// A refuser is the part of an [FS] that changes files, for one that has none to
// change.
type refuser struct{}

func (refuser) Create(name string) (afero.File, error)    { return nil, pathError("open", name, EROFS) }
func (refuser) Mkdir(name string, _ fs.FileMode) error    { return pathError("mkdir", name, EROFS) }
func (refuser) MkdirAll(name string, _ fs.FileMode) error { return pathError("mkdir", name, EROFS) }
func (refuser) Remove(name string) error                  { return pathError("remove", name, EROFS) }
func (refuser) RemoveAll(name string) error               { return pathError("removeall", name, EROFS) }
func (refuser) Chmod(name string, _ fs.FileMode) error    { return pathError("chmod", name, EROFS) }
func (refuser) Chown(name string, _, _ int) error         { return pathError("chown", name, EROFS) }
func (refuser) Lchown(name string, _, _ int) error        { return pathError("lchown", name, EROFS) }

func (refuser) Chtimes(name string, _, _ time.Time) error { return pathError("chtimes", name, EROFS) }

func (refuser) Lchtimes(name string, _, _ time.Time) error {
	return pathError("lchtimes", name, EROFS)
}

func (refuser) Rename(oldname, newname string) error {
	return linkError("rename", oldname, newname, EROFS)
}

func (refuser) Link(oldname, newname string) error { return linkError("link", oldname, newname, EROFS) }

func (refuser) SymlinkIfPossible(text, newname string) error {
	return linkError("symlink", text, newname, EROFS)
}

func (refuser) Mknod(name string, _ fs.FileMode, _ uint64) error {
	return pathError("mknod", name, EROFS)
}
