// Package hostdir makes a file system of a directory of the host.
//
// Every access goes through an [os.Root]: whatever names and symbolic links
// say, and whatever others do to the directory meanwhile, nothing outside it is
// reached.
package hostdir

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"strings"
	"sync/atomic"
	"time"

	"github.com/spf13/afero"

	"github.com/limpet-sh/limpet/limits"
	"github.com/limpet-sh/limpet/vfs"
)

// Options says how a directory appears. The zero Options let everything in it be
// written to, and show it as user 0's.
type Options struct {
	// ReadOnly refuses every change with vfs.EROFS.
	ReadOnly bool

	// Track keeps in mind what each file was when it was first looked at, for
	// [Dir.Apply].
	Track bool

	// Sensitive names directories that [Open] would refuse with a
	// [*SensitiveError], and that it is to open: none, if it is empty.
	Sensitive []string

	// UID and GID own every file, whoever does on the host.
	UID, GID int

	// OpenFiles bounds the files that are open at one time, each of which takes
	// a descriptor of this process: who opens one more gets vfs.ENFILE. Zero
	// means the default of package limits, and limits.Unlimited is none.
	OpenFiles int64

	// FileSize bounds the bytes of a file: what is written beyond fails with vfs.EFBIG.
	// Zero means the default of package limits, and limits.Unlimited is none.
	FileSize int64

	// Quota is charged for open files as well. Nil means none.
	Quota *vfs.Quota
}

// A Dir is a directory of the host as a file system. Its own root is "/":
// symbolic links are resolved from there, and lead nowhere else.
//
// What no sandbox may ask of a host fails with [vfs.EPERM]: devices, FIFOs,
// setuid and setgid bits, other owners than the one that files have. FIFOs,
// sockets and devices that are in the directory cannot be opened ([vfs.ENXIO]).
type Dir struct {
	vfs.FS
	raw      vfs.FS
	rooted   *rooted
	readOnly bool
}

var _ vfs.Confiner = (*Dir)(nil)

// Open opens the directory dir of the host. The caller closes it.
//
// It refuses what no script should see unless somebody means it: /, /etc, home
// directories as a whole, keys and credentials in them such as ~/.ssh, ~/.aws and
// ~/.kube, directories with sockets of container engines, what is in those, and what
// they are in. See [Options.Sensitive].
func Open(dir string, o Options) (*Dir, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	info, err := root.Stat(".")
	if err == nil {
		err = checkSensitive(dir, info, o.Sensitive)
	}
	if err != nil {
		root.Close()
		return nil, err
	}
	_, err = root.Lstat("..")
	bounds := limits.Limits{OpenFiles: o.OpenFiles, FileSize: o.FileSize}
	r := &rooted{root: root, options: o, escape: reason(err), maxOpen: bounds.Of(limits.OpenFiles), maxSize: bounds.Of(limits.FileSize)}
	if o.Track {
		r.seen = &journal{seen: map[string]sighting{}}
	}
	d := &Dir{raw: r, rooted: r, readOnly: o.ReadOnly}
	if o.ReadOnly {
		d.raw = vfs.ReadOnly(d.raw)
	}
	d.FS = vfs.NewMount(d.raw)
	return d, nil
}

// Close gives the directory back. Files that are open stay open.
func (d *Dir) Close() error { return d.rooted.root.Close() }

// Name returns "hostdir".
func (d *Dir) Name() string { return "hostdir" }

// Confined returns the same files by resolved names.
func (d *Dir) Confined() vfs.FS { return d.raw }

// ForkFS returns d itself where it is read-only. What is written to cannot be
// copied.
func (d *Dir) ForkFS() (vfs.FS, error) {
	if !d.readOnly {
		return nil, &fs.PathError{Op: "fork", Path: d.Name(), Err: errors.ErrUnsupported}
	}
	return d, nil
}

// OpenFileContext is OpenFile: nothing in a Dir makes an opening wait.
func (d *Dir) OpenFileContext(_ context.Context, name string, flag int, perm fs.FileMode) (afero.File, error) {
	return d.OpenFile(name, flag, perm)
}

// A rooted is the files of a root by names without symbolic links above the last
// component, without "." and "..". Where a link leads out of the root, or is one of
// many, it fails with vfs.EXDEV.
type rooted struct {
	root    *os.Root
	options Options
	escape  error    // what root says of a name that leads out
	seen    *journal // nil if nothing is tracked
	open    atomic.Int64
	maxOpen int64
	maxSize int64
}

func (r *rooted) Name() string { return "hostdir" }

// Confined is r itself.
func (r *rooted) Confined() vfs.FS { return r }

// inner returns the name that the root has for name.
func inner(name string) string {
	if name == "/" {
		return "."
	}
	return name[1:]
}

// fail returns err, if it is one, as the failure of op on name.
func (r *rooted) fail(op, name string, err error) error {
	if err == nil {
		return nil
	}
	return &fs.PathError{Op: op, Path: name, Err: r.errno(err)}
}

func (r *rooted) failLink(op, oldname, newname string, err error) error {
	if err == nil {
		return nil
	}
	return &os.LinkError{Op: op, Old: oldname, New: newname, Err: r.errno(err)}
}

// reason returns an error of package os without the names that it has: those are
// the host's.
func reason(err error) error {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return e.Err
	}
	if e, ok := errors.AsType[*os.LinkError](err); ok {
		return e.Err
	}
	return err
}

// errno returns the Errno for an error of package os.
func (r *rooted) errno(err error) vfs.Errno {
	if reason(err) == r.escape {
		return vfs.EXDEV
	}
	if e, ok := errors.AsType[vfs.Errno](err); ok {
		return e
	}
	if e := hostErrno(err); e == vfs.ELOOP {
		return vfs.EXDEV // package os gives up after a few links, and the Mount after 40
	} else if e != 0 {
		return e
	}
	if e, ok := vfs.ErrnoOf(err).(vfs.Errno); ok {
		return e
	}
	return vfs.EIO
}

func (r *rooted) Open(name string) (afero.File, error) { return r.OpenFile(name, vfs.O_RDONLY, 0) }

func (r *rooted) Create(name string) (afero.File, error) {
	return r.OpenFile(name, vfs.O_RDWR|vfs.O_CREATE|vfs.O_TRUNC, 0o666)
}

func (r *rooted) OpenFile(name string, flag int, perm fs.FileMode) (afero.File, error) {
	if err := r.opening(); err != nil {
		return nil, r.fail("open", name, err)
	}
	f, err := r.openHost(name, flag, perm)
	if err != nil {
		r.closed()
		return nil, r.fail("open", name, err)
	}
	return &file{File: f, r: r, name: name, appends: flag&vfs.O_APPEND != 0}, nil
}

// opening charges a file that is about to be opened, or fails.
func (r *rooted) opening() error {
	if n := r.open.Add(1); r.maxOpen >= 0 && n > r.maxOpen {
		r.open.Add(-1)
		return vfs.ENFILE
	}
	if err := r.options.Quota.Opening(); err != nil {
		r.open.Add(-1)
		return err
	}
	return nil
}

// closed gives back what opening has charged.
func (r *rooted) closed() {
	r.open.Add(-1)
	r.options.Quota.Closed()
}

func (r *rooted) openHost(name string, flag int, perm fs.FileMode) (*os.File, error) {
	f, err := r.root.OpenFile(inner(name), flag|noBlock, perm&fs.ModePerm)
	if err != nil && flag&vfs.O_CREATE != 0 && (r.errno(err) == vfs.ENOENT || r.errno(err) == vfs.ENOTDIR) {
		if info, lerr := r.root.Lstat(inner(name)); lerr == nil && info.Mode()&fs.ModeSymlink != 0 {
			err = vfs.EXDEV // package os does not see that a slash ends the link
		}
	}
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() && !info.IsDir() {
		err = vfs.ENXIO
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

func (r *rooted) Mkdir(name string, perm fs.FileMode) error {
	if name == "/" {
		return r.fail("mkdir", name, vfs.EEXIST)
	}
	return r.fail("mkdir", name, r.root.Mkdir(inner(name), perm&fs.ModePerm))
}

func (r *rooted) MkdirAll(name string, perm fs.FileMode) error {
	return r.fail("mkdir", name, r.root.MkdirAll(inner(name), perm&fs.ModePerm))
}

func (r *rooted) Remove(name string) error {
	if name == "/" {
		return r.fail("remove", name, vfs.EBUSY)
	}
	return r.fail("remove", name, r.root.Remove(inner(name)))
}

func (r *rooted) RemoveAll(name string) error {
	if name == "/" {
		return r.fail("removeall", name, vfs.EBUSY)
	}
	return r.fail("removeall", name, r.root.RemoveAll(inner(name)))
}

func (r *rooted) Rename(oldname, newname string) error {
	err := r.root.Rename(inner(oldname), inner(newname))
	if err != nil && r.errno(err) == vfs.EEXIST {
		err = r.renameOver(oldname, newname)
	}
	return r.failLink("rename", oldname, newname, err)
}

// renameOver renames oldname to the directory newname, which package os does not
// let a kernel do.
func (r *rooted) renameOver(oldname, newname string) error {
	from, err := r.root.Lstat(inner(oldname))
	if err != nil {
		return err
	}
	to, err := r.root.Lstat(inner(newname))
	switch {
	case err == nil && os.SameFile(from, to):
		return nil
	case strings.HasPrefix(newname, oldname+"/"):
		return vfs.EINVAL
	case strings.HasPrefix(oldname, newname+"/"):
		return vfs.ENOTEMPTY
	case !from.IsDir():
		return vfs.EISDIR
	}
	if err := r.root.Remove(inner(newname)); err != nil {
		return err
	}
	return r.root.Rename(inner(oldname), inner(newname))
}

func (r *rooted) Link(oldname, newname string) error {
	return r.failLink("link", oldname, newname, r.root.Link(inner(oldname), inner(newname)))
}

func (r *rooted) SymlinkIfPossible(text, newname string) error {
	return r.failLink("symlink", text, newname, r.root.Symlink(text, inner(newname)))
}

func (r *rooted) ReadlinkIfPossible(name string) (string, error) {
	text, err := r.root.Readlink(inner(name))
	return text, r.fail("readlink", name, err)
}

func (r *rooted) Mknod(name string, mode fs.FileMode, _ uint64) error {
	if mode.Type() != 0 {
		return r.fail("mknod", name, vfs.EPERM)
	}
	f, err := r.OpenFile(name, vfs.O_WRONLY|vfs.O_CREATE|vfs.O_EXCL, mode)
	if err != nil {
		return r.fail("mknod", name, err)
	}
	return f.Close()
}

func (r *rooted) Chmod(name string, mode fs.FileMode) error {
	if mode&(fs.ModeSetuid|fs.ModeSetgid) != 0 {
		return r.fail("chmod", name, vfs.EPERM)
	}
	return r.fail("chmod", name, r.root.Chmod(inner(name), mode&(fs.ModePerm|fs.ModeSticky)))
}

func (r *rooted) Chown(name string, uid, gid int) error {
	_, err := r.Stat(name)
	return r.fail("chown", name, r.mayOwn(err, uid, gid))
}

func (r *rooted) Lchown(name string, uid, gid int) error {
	_, _, err := r.LstatIfPossible(name)
	return r.fail("lchown", name, r.mayOwn(err, uid, gid))
}

// mayOwn returns err or, if there is none, why a file cannot be given to uid and
// gid: it stays whose it is.
func (r *rooted) mayOwn(err error, uid, gid int) error {
	if err == nil && (uid != -1 && uid != r.options.UID || gid != -1 && gid != r.options.GID) {
		return vfs.EPERM
	}
	return err
}

func (r *rooted) Chtimes(name string, atime, mtime time.Time) error {
	return r.fail("chtimes", name, r.root.Chtimes(inner(name), atime, mtime))
}

func (r *rooted) Lchtimes(name string, atime, mtime time.Time) error {
	info, err := r.root.Lstat(inner(name))
	switch {
	case err != nil:
	case info.Mode()&fs.ModeSymlink == 0:
		err = r.root.Chtimes(inner(name), atime, mtime)
	default:
		var dir *os.File
		if dir, err = r.root.Open(inner(path.Dir(name))); err == nil {
			defer dir.Close()
			err = linkTimes(dir, path.Base(name), atime, mtime)
		}
	}
	return r.fail("lchtimes", name, err)
}

func (r *rooted) Stat(name string) (fs.FileInfo, error) {
	info, err := r.root.Stat(inner(name))
	if err != nil {
		return nil, r.fail("stat", name, err)
	}
	if name == "/" {
		r.seen.note(r.root, name, info)
	}
	return r.info(name, info), nil
}

func (r *rooted) LstatIfPossible(name string) (fs.FileInfo, bool, error) {
	info, err := r.root.Lstat(inner(name))
	if err != nil {
		return nil, true, r.fail("lstat", name, err)
	}
	r.seen.note(r.root, name, info)
	return r.info(name, info), true, nil
}

func (r *rooted) StatFS(name string) (vfs.StatFS, error) {
	f, err := r.root.Open(inner(name))
	if err != nil {
		return vfs.StatFS{}, r.fail("statfs", name, err)
	}
	defer f.Close()
	st, err := statFS(f)
	if err != nil {
		return vfs.StatFS{}, r.fail("statfs", name, err)
	}
	st.Type, st.Source, st.Point, st.Options = "hostdir", "hostdir", "/", "rw"
	return st, nil
}
