package vfs

import (
	"context"
	"io/fs"
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

	// Descriptors returns the numbers of the descriptors that are open, in
	// order. A nil func means that /dev/fd lists none.
	Descriptors func() []int

	// Opening, unless it is nil, is called before a file is opened for
	// writing, with its absolute name. An error keeps it from being opened.
	Opening func(abs string, flag int) error

	// Opened, unless it is nil, is called when a file has been opened for
	// writing.
	Opened func(abs string, flag int)

	// Changing, unless it is nil, is called before a file is changed otherwise,
	// with its absolute name, and with the new name or the target of a rename or
	// a link. An error keeps it from being changed.
	Changing func(action Action, abs, to string) error
}

// An Action is what is done to a file besides opening it for writing.
type Action string

// The actions.
const (
	ActionMkdir   Action = "mkdir"
	ActionRemove  Action = "remove"
	ActionRename  Action = "rename"
	ActionMode    Action = "chmod"
	ActionOwner   Action = "chown"
	ActionTimes   Action = "chtimes"
	ActionLink    Action = "link"
	ActionSymlink Action = "symlink"
	ActionMknod   Action = "mknod"
)

// changing calls Changing where it is to be called.
func (v *View) changing(action Action, abs, to string) error {
	if v.Changing == nil || v.Changing(action, abs, to) == nil {
		return nil
	}
	return &fs.PathError{Op: string(action), Path: abs, Err: EACCES}
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

// descriptor returns the number that an absolute name gives to one of the
// process's descriptors.
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
	return n, ok && err == nil && strconv.Itoa(n) == digits && n >= 0
}

// linked returns the descriptor that a symbolic link called abs leads to, once
// abs has failed with err: in the file system there is nothing where it leads.
func (v *View) linked(abs string, err error) (n int, ok bool) {
	if v.Descriptor == nil || ErrnoOf(err) != ENOENT {
		return 0, false
	}
	path, err := Resolve(v.FS, abs, true)
	if err != nil || path == abs {
		return 0, false
	}
	return descriptor(path)
}

func (v *View) Open(name string) (afero.File, error) { return v.OpenFile(name, O_RDONLY, 0) }

func (v *View) Create(name string) (afero.File, error) {
	return v.OpenFile(name, O_RDWR|O_CREATE|O_TRUNC, 0o666)
}

// OpenFile opens name. A descriptor that refers to a file is opened anew, with
// an offset of its own, as Linux does; anything else is shared.
func (v *View) OpenFile(name string, flag int, perm fs.FileMode) (afero.File, error) {
	abs := v.Abs(name)
	if n, ok := descriptor(abs); ok && v.Descriptor != nil {
		return v.openDescriptor(n, name, flag)
	}
	if err := v.opening(abs, flag); err != nil {
		return nil, pathError("open", name, err)
	}
	f, err := openContext(v.context(), v.FS, abs, flag, perm&^v.Umask)
	if err == nil {
		v.opened(abs, flag)
		if v.Descriptors != nil && isDescriptorDir(abs) {
			return newDescriptorDir(f, v.Descriptors()), nil
		}
		return f, nil
	}
	if n, ok := v.linked(abs, err); ok {
		return v.openDescriptor(n, name, flag)
	}
	return nil, renamed(err, name)
}

// opening calls Opening where it is to be called.
func (v *View) opening(abs string, flag int) error {
	if v.Opening == nil || flag&(O_WRONLY|O_RDWR) == 0 {
		return nil
	}
	if v.Opening(abs, flag) != nil {
		return EACCES
	}
	return nil
}

// nameOf returns the name that a stream was opened by, or name where it has none.
func nameOf(s Stream, name string) string {
	if f, ok := unwrap(s).(interface{ Name() string }); ok {
		return f.Name()
	}
	return name
}

// opened calls Opened where it is to be called.
func (v *View) opened(abs string, flag int) {
	if v.Opened != nil && flag&(O_WRONLY|O_RDWR) != 0 {
		v.Opened(abs, flag)
	}
}

func (v *View) context() context.Context {
	if v.Context == nil {
		return context.Background()
	}
	return v.Context
}

// A Reopener is a [Stream] that can be opened once more, independently of
// itself, whatever the name that it was opened by is now.
type Reopener interface {
	Reopen(ctx context.Context, flag int) (afero.File, error)
}

// openDescriptor opens descriptor n as name.
func (v *View) openDescriptor(n int, name string, flag int) (afero.File, error) {
	s, err := v.Descriptor(n)
	if err = ErrnoOf(err); err == EBADF {
		err = ENOENT // there is no such name
	}
	if err != nil {
		return nil, pathError("open", name, err)
	}
	r, ok := unwrap(s).(Reopener)
	if !ok {
		return fileOf(s, v.Abs(name)), nil
	}
	defer s.Close()
	if err := v.opening(nameOf(s, v.Abs(name)), flag); err != nil {
		return nil, pathError("open", name, err)
	}
	f, err := r.Reopen(v.context(), flag)
	if err != nil {
		return nil, pathError("open", name, ErrnoOf(err))
	}
	v.opened(f.Name(), flag)
	return f, nil
}

// unwrap returns the stream that s, through its methods Unwrap, stands for.
func unwrap(s Stream) Stream {
	for {
		u, ok := s.(interface{ Unwrap() Stream })
		if !ok {
			return s
		}
		s = u.Unwrap()
	}
}

// statDescriptor returns the status of what descriptor n refers to, for name.
func (v *View) statDescriptor(n int, name string) (fs.FileInfo, error) {
	s, err := v.Descriptor(n)
	if err != nil {
		return nil, pathError("stat", name, ENOENT)
	}
	defer s.Close()
	info, err := s.Stat()
	if err != nil {
		return nil, renamed(err, name)
	}
	return named(info, v.Abs(name), nil)
}

func (v *View) Stat(name string) (fs.FileInfo, error) {
	abs := v.Abs(name)
	if n, ok := descriptor(abs); ok && v.Descriptor != nil {
		return v.statDescriptor(n, name)
	}
	info, err := v.FS.Stat(abs)
	if err == nil {
		return info, nil
	}
	if n, ok := v.linked(abs, err); ok {
		return v.statDescriptor(n, name)
	}
	return nil, renamed(err, name)
}

func (v *View) Mkdir(name string, perm fs.FileMode) error {
	if err := v.changing(ActionMkdir, v.Abs(name), ""); err != nil {
		return renamed(err, name)
	}
	return renamed(v.FS.Mkdir(v.Abs(name), perm&^v.Umask), name)
}

func (v *View) MkdirAll(name string, perm fs.FileMode) error {
	if err := v.changing(ActionMkdir, v.Abs(name), ""); err != nil {
		return renamed(err, name)
	}
	return renamed(v.FS.MkdirAll(v.Abs(name), perm&^v.Umask), name)
}

func (v *View) Remove(name string) error {
	if err := v.changing(ActionRemove, v.Abs(name), ""); err != nil {
		return renamed(err, name)
	}
	return renamed(v.FS.Remove(v.Abs(name)), name)
}

// RemoveAll asks Changing once, about name.
func (v *View) RemoveAll(name string) error {
	if err := v.changing(ActionRemove, v.Abs(name), ""); err != nil {
		return renamed(err, name)
	}
	return renamed(v.FS.RemoveAll(v.Abs(name)), name)
}

func (v *View) Rename(oldname, newname string) error {
	if err := v.changing(ActionRename, v.Abs(oldname), v.Abs(newname)); err != nil {
		return linkErrorOf("rename", oldname, newname, err)
	}
	return linkErrorOf("rename", oldname, newname, v.FS.Rename(v.Abs(oldname), v.Abs(newname)))
}

func (v *View) Chmod(name string, mode fs.FileMode) error {
	if err := v.changing(ActionMode, v.Abs(name), ""); err != nil {
		return renamed(err, name)
	}
	return renamed(v.FS.Chmod(v.Abs(name), mode), name)
}

func (v *View) Chown(name string, uid, gid int) error {
	if err := v.changing(ActionOwner, v.Abs(name), ""); err != nil {
		return renamed(err, name)
	}
	return renamed(v.FS.Chown(v.Abs(name), uid, gid), name)
}

func (v *View) Lchown(name string, uid, gid int) error {
	if err := v.changing(ActionOwner, v.Abs(name), ""); err != nil {
		return renamed(err, name)
	}
	return renamed(v.FS.Lchown(v.Abs(name), uid, gid), name)
}

func (v *View) Chtimes(name string, atime, mtime time.Time) error {
	if err := v.changing(ActionTimes, v.Abs(name), ""); err != nil {
		return renamed(err, name)
	}
	return renamed(v.FS.Chtimes(v.Abs(name), atime, mtime), name)
}

func (v *View) Lchtimes(name string, atime, mtime time.Time) error {
	if err := v.changing(ActionTimes, v.Abs(name), ""); err != nil {
		return renamed(err, name)
	}
	return renamed(v.FS.Lchtimes(v.Abs(name), atime, mtime), name)
}

func (v *View) Link(oldname, newname string) error {
	if err := v.changing(ActionLink, v.Abs(newname), v.Abs(oldname)); err != nil {
		return linkErrorOf("link", oldname, newname, err)
	}
	return linkErrorOf("link", oldname, newname, v.FS.Link(v.Abs(oldname), v.Abs(newname)))
}

func (v *View) Mknod(name string, mode fs.FileMode, dev uint64) error {
	if err := v.changing(ActionMknod, v.Abs(name), ""); err != nil {
		return renamed(err, name)
	}
	return renamed(v.FS.Mknod(v.Abs(name), mode&^v.Umask, dev), name)
}

func (v *View) StatFS(name string) (StatFS, error) {
	st, err := v.FS.StatFS(v.Abs(name))
	return st, renamed(err, name)
}

// Lstat returns the status of name itself where it is a symbolic link.
func (v *View) Lstat(name string) (fs.FileInfo, error) {
	info, _, err := v.LstatIfPossible(name)
	return info, err
}

func (v *View) LstatIfPossible(name string) (fs.FileInfo, bool, error) {
	abs := v.Abs(name)
	if s, ok := v.listed(abs); ok {
		return descriptorInfo(base(abs)), true, s.Close()
	}
	info, ok, err := v.FS.LstatIfPossible(abs)
	return info, ok, renamed(err, name)
}

// Symlink makes newname a symbolic link with the text target, which is not
// resolved.
func (v *View) Symlink(target, newname string) error {
	if err := v.changing(ActionSymlink, v.Abs(newname), target); err != nil {
		return linkErrorOf("symlink", target, newname, err)
	}
	return linkErrorOf("symlink", target, newname, v.FS.SymlinkIfPossible(target, v.Abs(newname)))
}

func (v *View) SymlinkIfPossible(target, newname string) error { return v.Symlink(target, newname) }

// Readlink returns the text of the symbolic link name.
func (v *View) Readlink(name string) (string, error) {
	abs := v.Abs(name)
	if s, ok := v.listed(abs); ok {
		return linkText(s, abs), s.Close()
	}
	text, err := v.FS.ReadlinkIfPossible(abs)
	return text, renamed(err, name)
}

func (v *View) ReadlinkIfPossible(name string) (string, error) { return v.Readlink(name) }

// ReadDir returns the entries of a directory, sorted by name.
func (v *View) ReadDir(name string) ([]fs.DirEntry, error) { return ReadDir(v, name) }
