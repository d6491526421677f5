package vfs

import (
	"context"
	"io/fs"
	"time"

	"github.com/spf13/afero"
)

// ReadOnly returns the files of fsys as a file system that refuses every change
// with [EROFS]. What fails for another reason first, such as a name that does
// not exist, fails for that reason, as on Linux.
func ReadOnly(fsys FS) FS {
	r := &readOnly{fsys}
	if s, ok := fsys.(stayer); ok {
		return &stayingReadOnly{r, s}
	}
	return r
}

// A stayingReadOnly is a readOnly of a stayer.
type stayingReadOnly struct {
	*readOnly
	stayer
}

type readOnly struct{ under FS }

func (r *readOnly) Name() string { return "readonly" }

func (r *readOnly) Open(name string) (afero.File, error)  { return r.under.Open(name) }
func (r *readOnly) Stat(name string) (fs.FileInfo, error) { return r.under.Stat(name) }
func (r *readOnly) ReadlinkIfPossible(name string) (string, error) {
	return r.under.ReadlinkIfPossible(name)
}
func (r *readOnly) LstatIfPossible(name string) (fs.FileInfo, bool, error) {
	return r.under.LstatIfPossible(name)
}

func (r *readOnly) StatFS(name string) (StatFS, error) {
	st, err := r.under.StatFS(name)
	st.ReadOnly = true
	if st.Options == "rw" || st.Options == "" {
		st.Options = "ro"
	}
	return st, err
}

// Confined is that of the file system below.
func (r *readOnly) Confined() FS {
	if c, ok := r.under.(Confiner); ok {
		return &readOnly{c.Confined()}
	}
	return nil
}

func (r *readOnly) Create(name string) (afero.File, error) {
	return r.OpenFile(name, O_RDWR|O_CREATE|O_TRUNC, 0o666)
}

func (r *readOnly) OpenFile(name string, flag int, perm fs.FileMode) (afero.File, error) {
	return r.OpenFileContext(context.Background(), name, flag, perm)
}

// OpenFileContext opens FIFOs and devices for writing too: what is written to
// those is not written to the file system.
func (r *readOnly) OpenFileContext(ctx context.Context, name string, flag int, perm fs.FileMode) (afero.File, error) {
	if flag&O_CREATE != 0 {
		if err := r.mayCreate(name, flag); err != nil {
			return nil, pathError("open", name, err)
		}
	}
	writes := flag&accessMode != O_RDONLY || flag&O_TRUNC != 0
	if writes || flag&O_CREATE != 0 {
		info, err := r.Stat(name)
		if err == nil {
			switch typ := info.Mode().Type(); {
			case typ.IsDir():
				err = EISDIR
			case writes && typ&(fs.ModeNamedPipe|fs.ModeDevice) == 0:
				err = EROFS
			}
		}
		if err != nil {
			return nil, pathError("open", name, ErrnoOf(err))
		}
	}
	return openContext(ctx, r.under, name, flag&^(O_CREATE|O_EXCL), perm)
}

// mayCreate fails unless what is to be created is there, and may be.
func (r *readOnly) mayCreate(name string, flag int) error {
	if flag&O_EXCL != 0 {
		return r.refuseNew(name)
	}
	_, err := r.Stat(name)
	if err = ErrnoOf(err); err != ENOENT {
		return err
	}
	if _, err := Resolve(r.under, name, true); err != nil {
		return ErrnoOf(err) // something above is missing
	}
	return EROFS
}

// refuseNew returns why nothing can be created as name.
func (r *readOnly) refuseNew(name string) error {
	_, _, err := r.LstatIfPossible(name)
	switch err = ErrnoOf(err); err {
	case nil:
		return EEXIST
	case ENOENT:
	default:
		return err
	}
	if _, err := Resolve(r.under, name, false); err != nil {
		return ErrnoOf(err) // something above is missing
	}
	return EROFS
}

// refuse returns why name cannot be changed.
func (r *readOnly) refuse(name string, lstat bool) (err error) {
	if lstat {
		_, _, err = r.LstatIfPossible(name)
	} else {
		_, err = r.Stat(name)
	}
	if err != nil {
		return ErrnoOf(err)
	}
	return EROFS
}

func (r *readOnly) Mkdir(name string, _ fs.FileMode) error {
	return pathError("mkdir", name, r.refuseNew(name))
}

func (r *readOnly) MkdirAll(name string, perm fs.FileMode) error { return mkdirAll(r, name, perm) }

func (r *readOnly) SymlinkIfPossible(text, newname string) error {
	return linkError("symlink", text, newname, r.refuseNew(newname))
}

func (r *readOnly) Mknod(name string, _ fs.FileMode, _ uint64) error {
	return pathError("mknod", name, r.refuseNew(name))
}

func (r *readOnly) Link(oldname, newname string) error {
	err := r.refuse(oldname, true)
	if err == EROFS {
		err = r.refuseNew(newname)
	}
	return linkError("link", oldname, newname, err)
}

func (r *readOnly) Rename(oldname, newname string) error {
	return linkError("rename", oldname, newname, r.refuse(oldname, true))
}

func (r *readOnly) Remove(name string) error { return pathError("remove", name, r.refuse(name, true)) }

func (r *readOnly) RemoveAll(name string) error {
	err := r.refuse(name, true)
	if err == ENOENT {
		return nil
	}
	return pathError("removeall", name, err)
}

func (r *readOnly) Chmod(name string, _ fs.FileMode) error {
	return pathError("chmod", name, r.refuse(name, false))
}

func (r *readOnly) Chown(name string, _, _ int) error {
	return pathError("chown", name, r.refuse(name, false))
}

func (r *readOnly) Lchown(name string, _, _ int) error {
	return pathError("lchown", name, r.refuse(name, true))
}

func (r *readOnly) Chtimes(name string, _, _ time.Time) error {
	return pathError("chtimes", name, r.refuse(name, false))
}

func (r *readOnly) Lchtimes(name string, _, _ time.Time) error {
	return pathError("lchtimes", name, r.refuse(name, true))
}
