package vfstest

import (
	"context"
	"io/fs"
	"time"

	"github.com/spf13/afero"

	"github.com/limpet-sh/limpet/vfs"
)

// Faulty returns the files of fsys as a file system that fails where fault says so:
// what fault returns for an operation and a name is the error of the operation, unless
// it is nil. Operations are called as the errors of package vfs call them: open, read,
// write, close, sync, truncate, seek, readdir, stat, lstat, mkdir, remove, removeall,
// rename, link, symlink, readlink, mknod, chmod, chown, lchown, chtimes, lchtimes and
// statfs. Fault may be called at any time by several goroutines.
func Faulty(fsys vfs.FS, fault func(op, name string) error) vfs.FS {
	return &faulty{FS: fsys, fault: fault}
}

type faulty struct {
	vfs.FS
	fault func(op, name string) error
}

// fails returns the error that op on name is to fail with, if any.
func (f *faulty) fails(op, name string) error {
	if err := f.fault(op, name); err != nil {
		return &fs.PathError{Op: op, Path: name, Err: err}
	}
	return nil
}

// unless does what do does unless it is to fail.
func (f *faulty) unless(op, name string, do func() error) error {
	if err := f.fails(op, name); err != nil {
		return err
	}
	return do()
}

func (f *faulty) Name() string { return "faulty" }

func (f *faulty) Open(name string) (afero.File, error) { return f.OpenFile(name, vfs.O_RDONLY, 0) }

func (f *faulty) Create(name string) (afero.File, error) {
	return f.OpenFile(name, vfs.O_RDWR|vfs.O_CREATE|vfs.O_TRUNC, 0o666)
}

func (f *faulty) OpenFile(name string, flag int, perm fs.FileMode) (afero.File, error) {
	return f.OpenFileContext(context.Background(), name, flag, perm)
}

func (f *faulty) OpenFileContext(ctx context.Context, name string, flag int, perm fs.FileMode) (afero.File, error) {
	if err := f.fails("open", name); err != nil {
		return nil, err
	}
	var file afero.File
	var err error
	if c, ok := f.FS.(vfs.ContextOpener); ok {
		file, err = c.OpenFileContext(ctx, name, flag, perm)
	} else {
		file, err = f.FS.OpenFile(name, flag, perm)
	}
	if err != nil {
		return nil, err
	}
	return &faultyFile{file, f}, nil
}

func (f *faulty) Stat(name string) (fs.FileInfo, error) {
	if err := f.fails("stat", name); err != nil {
		return nil, err
	}
	return f.FS.Stat(name)
}

func (f *faulty) LstatIfPossible(name string) (fs.FileInfo, bool, error) {
	if err := f.fails("lstat", name); err != nil {
		return nil, true, err
	}
	return f.FS.LstatIfPossible(name)
}

func (f *faulty) ReadlinkIfPossible(name string) (string, error) {
	if err := f.fails("readlink", name); err != nil {
		return "", err
	}
	return f.FS.ReadlinkIfPossible(name)
}

func (f *faulty) StatFS(name string) (vfs.StatFS, error) {
	if err := f.fails("statfs", name); err != nil {
		return vfs.StatFS{}, err
	}
	return f.FS.StatFS(name)
}

func (f *faulty) Mkdir(name string, perm fs.FileMode) error {
	return f.unless("mkdir", name, func() error { return f.FS.Mkdir(name, perm) })
}

func (f *faulty) MkdirAll(name string, perm fs.FileMode) error {
	return f.unless("mkdir", name, func() error { return f.FS.MkdirAll(name, perm) })
}

func (f *faulty) Remove(name string) error {
	return f.unless("remove", name, func() error { return f.FS.Remove(name) })
}

func (f *faulty) RemoveAll(name string) error {
	return f.unless("removeall", name, func() error { return f.FS.RemoveAll(name) })
}

func (f *faulty) Rename(oldname, newname string) error {
	return f.unless("rename", oldname, func() error { return f.FS.Rename(oldname, newname) })
}

func (f *faulty) Link(oldname, newname string) error {
	return f.unless("link", newname, func() error { return f.FS.Link(oldname, newname) })
}

func (f *faulty) SymlinkIfPossible(text, newname string) error {
	return f.unless("symlink", newname, func() error { return f.FS.SymlinkIfPossible(text, newname) })
}

func (f *faulty) Mknod(name string, mode fs.FileMode, dev uint64) error {
	return f.unless("mknod", name, func() error { return f.FS.Mknod(name, mode, dev) })
}

func (f *faulty) Chmod(name string, mode fs.FileMode) error {
	return f.unless("chmod", name, func() error { return f.FS.Chmod(name, mode) })
}

func (f *faulty) Chown(name string, uid, gid int) error {
	return f.unless("chown", name, func() error { return f.FS.Chown(name, uid, gid) })
}

func (f *faulty) Lchown(name string, uid, gid int) error {
	return f.unless("lchown", name, func() error { return f.FS.Lchown(name, uid, gid) })
}

func (f *faulty) Chtimes(name string, atime, mtime time.Time) error {
	return f.unless("chtimes", name, func() error { return f.FS.Chtimes(name, atime, mtime) })
}

func (f *faulty) Lchtimes(name string, atime, mtime time.Time) error {
	return f.unless("lchtimes", name, func() error { return f.FS.Lchtimes(name, atime, mtime) })
}
