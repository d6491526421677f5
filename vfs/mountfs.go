package vfs

import (
	"context"
	"io/fs"
	"strings"
	"time"

	"github.com/spf13/afero"
)

func (m *Mount) Open(name string) (afero.File, error) { return m.OpenFile(name, O_RDONLY, 0) }

func (m *Mount) Create(name string) (afero.File, error) {
	return m.OpenFile(name, O_RDWR|O_CREATE|O_TRUNC, 0o666)
}

func (m *Mount) OpenFile(name string, flag int, perm fs.FileMode) (afero.File, error) {
	return m.OpenFileContext(context.Background(), name, flag, perm)
}

// OpenFileContext waits where the file system that holds name does.
func (m *Mount) OpenFileContext(ctx context.Context, name string, flag int, perm fs.FileMode) (f afero.File, err error) {
	u := useFollow
	switch {
	case flag&(O_CREATE|O_EXCL) == O_CREATE|O_EXCL:
		u = useExcl
	case flag&O_CREATE != 0:
		u = useOpen
	}
	err = m.on("open", name, u, func(fsys FS, inner string) error {
		f, err = openContext(ctx, fsys, inner, flag, perm)
		if err == nil {
			f = m.wrap(f, fsys, name, inner)
		}
		return err
	})
	return f, err
}

// openContext opens name with ctx if fsys knows how to.
func openContext(ctx context.Context, fsys FS, name string, flag int, perm fs.FileMode) (afero.File, error) {
	if c, ok := fsys.(ContextOpener); ok {
		return c.OpenFileContext(ctx, name, flag, perm)
	}
	return fsys.OpenFile(name, flag, perm)
}

func (m *Mount) Stat(name string) (info fs.FileInfo, err error) {
	err = m.on("stat", name, useFollow, func(fsys FS, inner string) error {
		info, err = fsys.Stat(inner)
		return err
	})
	return named(info, name, err)
}

func (m *Mount) LstatIfPossible(name string) (info fs.FileInfo, ok bool, err error) {
	err = m.on("lstat", name, useLink, func(fsys FS, inner string) error {
		info, ok, err = fsys.LstatIfPossible(inner)
		return err
	})
	info, err = named(info, name, err)
	return info, ok, err
}

func (m *Mount) ReadlinkIfPossible(name string) (text string, err error) {
	err = m.on("readlink", name, useLink, func(fsys FS, inner string) error {
		text, err = fsys.ReadlinkIfPossible(inner)
		return err
	})
	return text, err
}

func (m *Mount) Mkdir(name string, perm fs.FileMode) error {
	return m.on("mkdir", name, useMkdir, func(fsys FS, inner string) error { return fsys.Mkdir(inner, perm) })
}

func (m *Mount) MkdirAll(name string, perm fs.FileMode) error { return mkdirAll(m, name, perm) }

func (m *Mount) SymlinkIfPossible(text, newname string) error {
	err := m.on("symlink", newname, useCreate, func(fsys FS, inner string) error {
		return fsys.SymlinkIfPossible(text, inner)
	})
	return linkErrorOf("symlink", text, newname, err)
}

func (m *Mount) Mknod(name string, mode fs.FileMode, dev uint64) error {
	return m.on("mknod", name, useCreate, func(fsys FS, inner string) error { return fsys.Mknod(inner, mode, dev) })
}

func (m *Mount) Chmod(name string, mode fs.FileMode) error {
	return m.on("chmod", name, useFollow, func(fsys FS, inner string) error { return fsys.Chmod(inner, mode) })
}

func (m *Mount) Chown(name string, uid, gid int) error {
	return m.on("chown", name, useFollow, func(fsys FS, inner string) error { return fsys.Chown(inner, uid, gid) })
}

func (m *Mount) Lchown(name string, uid, gid int) error {
	return m.on("lchown", name, useLink, func(fsys FS, inner string) error { return fsys.Lchown(inner, uid, gid) })
}

func (m *Mount) Chtimes(name string, atime, mtime time.Time) error {
	return m.on("chtimes", name, useFollow, func(fsys FS, inner string) error {
		return fsys.Chtimes(inner, atime, mtime)
	})
}

func (m *Mount) Lchtimes(name string, atime, mtime time.Time) error {
	return m.on("lchtimes", name, useLink, func(fsys FS, inner string) error {
		return fsys.Lchtimes(inner, atime, mtime)
	})
}

// StatFS describes the file system that holds name. Its Point is where that is
// mounted.
func (m *Mount) StatFS(name string) (st StatFS, err error) {
	err = m.on("statfs", name, useFollow, func(fsys FS, inner string) error {
		if st, err = fsys.StatFS(inner); err == nil {
			st.Point = m.pointOf(fsys)
		}
		return err
	})
	return st, err
}

func (m *Mount) pointOf(fsys FS) string {
	for _, c := range m.bare() {
		if c.FS == fsys || c.confined == fsys {
			return c.point
		}
	}
	return "/"
}

// alone returns the file system at the root if there is no other and it
// resolves all names itself, else nil.
func (m *Mount) alone() FS {
	if table := m.bare(); len(table) == 1 {
		if _, ok := table[0].FS.(stayer); ok {
			return table[0].FS
		}
	}
	return nil
}

func (m *Mount) Remove(name string) error {
	if fsys := m.alone(); fsys != nil {
		return fsys.Remove(name)
	}
	t, err := m.resolve(name, useEntry)
	if err == nil {
		err = m.removable(t)
	}
	if err != nil {
		return pathError("remove", name, err)
	}
	c, inner := locate(m.bare(), t.path)
	return renamed(c.Remove(inner), name)
}

// removable fails if t is not the name of an entry of a directory that can be
// taken away.
func (m *Mount) removable(t target) error {
	switch {
	case t.dot == ".":
		return EINVAL
	case t.dot == "..":
		return ENOTEMPTY
	case covered(m.bare(), t.path):
		return EBUSY
	}
	return nil
}

// RemoveAll removes name and what is in it. It removes nothing if something is
// mounted there.
func (m *Mount) RemoveAll(name string) error {
	if fsys := m.alone(); fsys != nil {
		return fsys.RemoveAll(name)
	}
	t, err := m.resolve(name, useEntry)
	if err == ENOENT { // the empty name too
		return nil
	}
	if err == nil {
		err = m.removable(t)
	}
	if err != nil {
		return pathError("removeall", name, err)
	}
	c, inner := locate(m.bare(), t.path)
	return renamed(c.RemoveAll(inner), name)
}

func (m *Mount) Rename(oldname, newname string) error {
	if fsys := m.alone(); fsys != nil {
		return fsys.Rename(oldname, newname)
	}
	err := m.rename(oldname, newname)
	return linkErrorOf("rename", oldname, newname, err)
}

func (m *Mount) rename(oldname, newname string) error {
	from, err := resolve(m.bare(), oldname, keep)
	if err != nil {
		return err
	}
	to, err := resolve(m.bare(), newname, keep)
	if err != nil {
		return err
	}
	a, _ := locate(m.bare(), from.dir)
	b, _ := locate(m.bare(), to.dir)
	switch {
	case a != b:
		return EXDEV
	case from.dot != "" || to.dot != "" || from.path == "/" || to.path == "/":
		return EBUSY
	case covered(m.bare(), from.path), covered(m.bare(), to.path):
		return m.busy(from, to)
	}
	if from.slash || to.slash {
		info, err := Lstat(m, from.path)
		if err := mustBeDir(info, ErrnoOf(err)); err != nil {
			return err
		}
	}
	_, oldInner := locate(m.bare(), from.path)
	_, newInner := locate(m.bare(), to.path)
	return a.Rename(oldInner, newInner)
}

// busy is what comes of a rename of one entry to another when something is mounted
// at or below one of them. The order of errors is the kernel's.
func (m *Mount) busy(from, to target) error {
	within := func(t, of target) bool { return strings.HasPrefix(t.path, of.path+"/") }
	what, err := lstatMode(m.bare(), from.path)
	switch {
	case err != nil:
		return err
	case (from.slash || to.slash) && !what.IsDir():
		return ENOTDIR
	case within(to, from):
		return EINVAL
	case within(from, to):
		return ENOTEMPTY
	case from.path == to.path:
		return nil
	}
	target, err := lstatMode(m.bare(), to.path)
	switch {
	case err != nil && err != ENOENT:
		return err
	case err == nil && what.IsDir() && !target.IsDir():
		return ENOTDIR
	case err == nil && !what.IsDir() && target.IsDir():
		return EISDIR
	}
	return EBUSY
}

func (m *Mount) Link(oldname, newname string) error {
	if fsys := m.alone(); fsys != nil {
		return fsys.Link(oldname, newname)
	}
	err := m.link(oldname, newname)
	return linkErrorOf("link", oldname, newname, err)
}

func (m *Mount) link(oldname, newname string) error {
	from, err := m.resolve(oldname, useLink)
	if err != nil {
		return err
	}
	if _, err := lstatMode(m.bare(), from.path); err != nil {
		return err
	}
	to, err := m.resolve(newname, useCreate)
	if err != nil {
		return err
	}
	a, oldInner := locate(m.bare(), from.path)
	b, newInner := locate(m.bare(), to.path)
	if a != b {
		if _, err := lstatMode(m.bare(), to.path); err == nil {
			return EEXIST
		}
		return EXDEV
	}
	return a.Link(oldInner, newInner)
}
