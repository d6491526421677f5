package vfs

import (
	"context"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/afero"
)

// A View is a file system as one process sees it: relative names are below Dir,
// Umask takes bits from the modes of what is created, waiting ends with
// Context, and /dev/fd/N, /dev/stdin, /dev/stdout and /dev/stderr are the
// process's own descriptors.
type View struct {
	FS
	Dir     string
	Umask   fs.FileMode
	Context context.Context // nil means one that never ends

	// Descriptor returns another reference to descriptor n, for the caller
	// to close. A nil func means that the process has none.
	Descriptor func(n int) (Stream, error)
}

// Abs returns the absolute form of name. It does not resolve symbolic links,
// and so leaves ".." where it stands.
func (v *View) Abs(name string) string {
	switch {
	case strings.HasPrefix(name, "/"):
		return name
	case name == "":
		return ""
	case v.Dir == "/":
		return "/" + name
	}
	return v.Dir + "/" + name
}

// descriptor returns the number that name gives to one of the process's
// descriptors.
func descriptor(abs string) (n int, ok bool) {
	if !strings.HasPrefix(abs, "/dev/") && !strings.HasPrefix(abs, "/proc/self/fd/") {
		return 0, false
	}
	switch abs {
	case "/dev/stdin":
		return 0, true
	case "/dev/stdout":
		return 1, true
	case "/dev/stderr":
		return 2, true
	}
	digits, ok := strings.CutPrefix(abs, "/dev/fd/")
	if !ok {
		digits, ok = strings.CutPrefix(abs, "/proc/self/fd/")
	}
	n, err := strconv.Atoi(digits)
	return n, ok && err == nil && n >= 0
}

func (v *View) Open(name string) (afero.File, error) { return v.OpenFile(name, os.O_RDONLY, 0) }

func (v *View) Create(name string) (afero.File, error) {
	return v.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o666)
}

func (v *View) OpenFile(name string, flag int, perm fs.FileMode) (afero.File, error) {
	abs := v.Abs(name)
	if n, ok := descriptor(abs); ok && v.Descriptor != nil {
		s, err := v.Descriptor(n)
		if err != nil {
			return nil, pathError("open", name, err)
		}
		return fileOf(s, abs), nil
	}
	perm &^= v.Umask
	if c, ok := v.FS.(ContextOpener); ok && v.Context != nil {
		return c.OpenFileContext(v.Context, abs, flag, perm)
	}
	return v.FS.OpenFile(abs, flag, perm)
}

func (v *View) Stat(name string) (fs.FileInfo, error) {
	abs := v.Abs(name)
	if n, ok := descriptor(abs); ok && v.Descriptor != nil {
		s, err := v.Descriptor(n)
		if err != nil {
			return nil, pathError("stat", name, ENOENT)
		}
		defer s.Close()
		return s.Stat()
	}
	return v.FS.Stat(abs)
}

func (v *View) Mkdir(name string, perm fs.FileMode) error {
	return v.FS.Mkdir(v.Abs(name), perm&^v.Umask)
}

func (v *View) MkdirAll(name string, perm fs.FileMode) error {
	return v.FS.MkdirAll(v.Abs(name), perm&^v.Umask)
}

func (v *View) Remove(name string) error    { return v.FS.Remove(v.Abs(name)) }
func (v *View) RemoveAll(name string) error { return v.FS.RemoveAll(v.Abs(name)) }

func (v *View) Rename(oldname, newname string) error {
	return v.FS.Rename(v.Abs(oldname), v.Abs(newname))
}

func (v *View) Chmod(name string, mode fs.FileMode) error { return v.FS.Chmod(v.Abs(name), mode) }
func (v *View) Chown(name string, uid, gid int) error     { return v.FS.Chown(v.Abs(name), uid, gid) }
func (v *View) Lchown(name string, uid, gid int) error    { return v.FS.Lchown(v.Abs(name), uid, gid) }

func (v *View) Chtimes(name string, atime, mtime time.Time) error {
	return v.FS.Chtimes(v.Abs(name), atime, mtime)
}

func (v *View) Lchtimes(name string, atime, mtime time.Time) error {
	return v.FS.Lchtimes(v.Abs(name), atime, mtime)
}

func (v *View) Link(oldname, newname string) error {
	return v.FS.Link(v.Abs(oldname), v.Abs(newname))
}

func (v *View) Mknod(name string, mode fs.FileMode, dev uint64) error {
	return v.FS.Mknod(v.Abs(name), mode&^v.Umask, dev)
}

func (v *View) StatFS(name string) (StatFS, error) { return v.FS.StatFS(v.Abs(name)) }

// Lstat returns the status of name itself where it is a symbolic link.
func (v *View) Lstat(name string) (fs.FileInfo, error) { return Lstat(v.FS, v.Abs(name)) }

func (v *View) LstatIfPossible(name string) (fs.FileInfo, bool, error) {
	return v.FS.LstatIfPossible(v.Abs(name))
}

// Symlink makes newname a symbolic link with the text target, which is not
// resolved.
func (v *View) Symlink(target, newname string) error {
	return v.FS.SymlinkIfPossible(target, v.Abs(newname))
}

func (v *View) SymlinkIfPossible(target, newname string) error { return v.Symlink(target, newname) }

// Readlink returns the text of the symbolic link name.
func (v *View) Readlink(name string) (string, error) {
	return v.FS.ReadlinkIfPossible(v.Abs(name))
}

func (v *View) ReadlinkIfPossible(name string) (string, error) { return v.Readlink(name) }

// ReadDir returns the entries of a directory, sorted by name.
func (v *View) ReadDir(name string) ([]fs.DirEntry, error) { return ReadDir(v, name) }
