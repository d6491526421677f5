//go:build linux

package hostdir_test

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"github.com/limpet-sh/limpet/vfs"
	"github.com/limpet-sh/limpet/vfs/vfstest"
	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"
)

// TestConfirmSuite runs the suite of file systems on what the kernel has of its own, as
// several users: what it expects is confirmed. That takes CONFIRM=1, as for transcripts, and
// root.
func TestConfirmSuite(t *testing.T) {
	if os.Getenv("CONFIRM") == "" || os.Geteuid() != 0 {
		t.Skip("CONFIRM is not set, or this is not root")
	}
	k := newKernel(t)
	vfstest.Suite{New: k.fresh, As: func(_ vfs.FS, u vfs.User) vfs.FS { return &kernelFS{user: u} }}.Run(t)
}

// A kernel makes directories the root of this process, one after the other.
type kernel struct {
	root int // the real one
	base string
	n    int
}

func newKernel(t *testing.T) *kernel {
	k := &kernel{}
	var err error
	k.base, err = os.MkdirTemp("/dev/shm", "kernel")
	require.NoError(t, err)
	require.NoError(t, os.Chmod(k.base, 0o755))
	k.root, err = syscall.Open("/", syscall.O_RDONLY|syscall.O_DIRECTORY, 0)
	require.NoError(t, err)
	umask := syscall.Umask(0)
	t.Cleanup(func() {
		syscall.Umask(umask)
		k.leave(t)
		require.NoError(t, os.RemoveAll(k.base))
	})
	return k
}

func (k *kernel) leave(t *testing.T) {
	require.NoError(t, syscall.Fchdir(k.root))
	require.NoError(t, syscall.Chroot("."))
}

func (k *kernel) fresh(t *testing.T) vfs.FS {
	k.leave(t)
	k.n++
	dir := filepath.Join(k.base, strconv.Itoa(k.n))
	require.NoError(t, os.Mkdir(dir, 0o755))
	k.enter(t, dir)
	return &kernelFS{}
}

func (k *kernel) enter(t *testing.T, dir string) {
	require.NoError(t, syscall.Chroot(dir))
	require.NoError(t, syscall.Chdir("/"))
}

// A kernelFS is the files of this process, by system calls alone, as a user sees them.
type kernelFS struct{ user vfs.User }

// do makes a system call as the user, which is a property of the thread.
func (k *kernelFS) do(op, name string, call func() error) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if k.user.UID != 0 {
		groups := []uint32{0}
		groups = groups[:0]
		for _, g := range k.user.Groups {
			groups = append(groups, uint32(g))
		}
		setGroups(groups)
		_ = syscall.Setfsgid(k.user.GID)
		_ = syscall.Setfsuid(k.user.UID)
		defer func() {
			_ = syscall.Setfsuid(0)
			_ = syscall.Setfsgid(0)
			setGroups(nil)
		}()
	}
	return failure(op, name, call())
}

func setGroups(groups []uint32) {
	p := unsafe.Pointer(unsafe.SliceData(groups))
	if _, _, errno := syscall.RawSyscall(syscall.SYS_SETGROUPS, uintptr(len(groups)), uintptr(p), 0); errno != 0 {
		panic(errno)
	}
}

func failure(op, name string, err error) error {
	if errors.Is(err, fs.ErrClosed) {
		err = syscall.EBADF
	}
	if e, ok := err.(syscall.Errno); ok {
		return &fs.PathError{Op: op, Path: name, Err: vfs.Errno(e)}
	}
	return err
}

func (k *kernelFS) Name() string { return "kernel" }

func bits(mode fs.FileMode) uint32 {
	m := uint32(mode.Perm())
	for bit, s := range map[fs.FileMode]uint32{fs.ModeSetuid: syscall.S_ISUID, fs.ModeSetgid: syscall.S_ISGID, fs.ModeSticky: syscall.S_ISVTX} {
		if mode&bit != 0 {
			m |= s
		}
	}
	return m
}

func (k *kernelFS) Open(name string) (afero.File, error) { return k.OpenFile(name, vfs.O_RDONLY, 0) }

func (k *kernelFS) Create(name string) (afero.File, error) {
	return k.OpenFile(name, vfs.O_RDWR|vfs.O_CREATE|vfs.O_TRUNC, 0o666)
}

func (k *kernelFS) OpenFile(name string, flag int, perm fs.FileMode) (afero.File, error) {
	fd := -1
	err := k.do("open", name, func() (err error) {
		fd, err = syscall.Open(name, flag|syscall.O_CLOEXEC, bits(perm))
		return err
	})
	if err != nil {
		return nil, err
	}
	return &kernelFile{os.NewFile(uintptr(fd), name), k, flag}, nil
}

func (k *kernelFS) stat(op, name string, stat func(string, *syscall.Stat_t) error) (fs.FileInfo, error) {
	var st syscall.Stat_t
	if err := k.do(op, name, func() error { return stat(name, &st) }); err != nil {
		return nil, err
	}
	return &kernelInfo{filepath.Base(name), st}, nil
}

func (k *kernelFS) Stat(name string) (fs.FileInfo, error) { return k.stat("stat", name, syscall.Stat) }

func (k *kernelFS) LstatIfPossible(name string) (fs.FileInfo, bool, error) {
	info, err := k.stat("lstat", name, syscall.Lstat)
	return info, true, err
}

func (k *kernelFS) ReadlinkIfPossible(name string) (text string, err error) {
	buf := make([]byte, 8192)
	err = k.do("readlink", name, func() error {
		n, err := syscall.Readlink(name, buf)
		text = string(buf[:max(n, 0)])
		return err
	})
	return text, err
}

func (k *kernelFS) StatFS(string) (vfs.StatFS, error) { return vfs.StatFS{}, nil }

func (k *kernelFS) Mkdir(name string, perm fs.FileMode) error {
	return k.do("mkdir", name, func() error { return syscall.Mkdir(name, bits(perm)) })
}

// MkdirAll fails as mkdir -p does.
func (k *kernelFS) MkdirAll(name string, perm fs.FileMode) error {
	err := k.Mkdir(name, perm)
	if vfs.ErrnoOf(err) == vfs.ENOENT && filepath.Dir(name) != name {
		if err = k.MkdirAll(filepath.Dir(name), perm); err == nil {
			err = k.Mkdir(name, perm)
		}
	}
	if info, serr := k.Stat(name); vfs.ErrnoOf(err) == vfs.EEXIST && serr == nil {
		if err = nil; !info.IsDir() {
			err = failure("mkdir", name, syscall.ENOTDIR)
		}
	}
	return err
}

func (k *kernelFS) Remove(name string) error {
	return k.do("remove", name, func() error {
		err := syscall.Unlink(name)
		if err == syscall.EISDIR {
			err = syscall.Rmdir(name)
		}
		return err
	})
}

func (k *kernelFS) RemoveAll(name string) error {
	err := k.Remove(name)
	if e := vfs.ErrnoOf(err); err == nil || e == vfs.ENOENT {
		return nil
	} else if e != vfs.ENOTEMPTY {
		return err
	}
	f, err := k.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	names, err := f.Readdirnames(-1)
	for _, n := range names {
		if err := k.RemoveAll(name + "/" + n); err != nil {
			return err
		}
	}
	if err != nil {
		return err
	}
	return k.Remove(name)
}

func (k *kernelFS) Rename(oldname, newname string) error {
	return k.do("rename", oldname, func() error { return syscall.Rename(oldname, newname) })
}

func (k *kernelFS) Link(oldname, newname string) error {
	return k.do("link", oldname, func() error { return syscall.Link(oldname, newname) })
}

func (k *kernelFS) SymlinkIfPossible(text, newname string) error {
	return k.do("symlink", newname, func() error { return syscall.Symlink(text, newname) })
}

func (k *kernelFS) Mknod(name string, mode fs.FileMode, dev uint64) error {
	m := bits(mode)
	switch {
	case mode&fs.ModeNamedPipe != 0:
		m |= syscall.S_IFIFO
	case mode&fs.ModeCharDevice != 0:
		m |= syscall.S_IFCHR
	case mode&fs.ModeDevice != 0:
		m |= syscall.S_IFBLK
	}
	return k.do("mknod", name, func() error { return syscall.Mknod(name, m, int(dev)) })
}

func (k *kernelFS) Chmod(name string, mode fs.FileMode) error {
	return k.do("chmod", name, func() error { return syscall.Chmod(name, bits(mode)) })
}

func (k *kernelFS) Chown(name string, uid, gid int) error {
	return k.do("chown", name, func() error { return syscall.Chown(name, uid, gid) })
}

func (k *kernelFS) Lchown(name string, uid, gid int) error {
	return k.do("lchown", name, func() error { return syscall.Lchown(name, uid, gid) })
}

func (k *kernelFS) Chtimes(name string, atime, mtime time.Time) error {
	return k.utime(name, atime, mtime, 0)
}

func (k *kernelFS) Lchtimes(name string, atime, mtime time.Time) error {
	return k.utime(name, atime, mtime, 0x100) // AT_SYMLINK_NOFOLLOW
}

func (k *kernelFS) utime(name string, atime, mtime time.Time, flags uintptr) error {
	var ts [2]syscall.Timespec
	for i, t := range []time.Time{atime, mtime} {
		if ts[i] = (syscall.Timespec{Nsec: 1<<30 - 2}); !t.IsZero() { // UTIME_OMIT
			ts[i] = syscall.NsecToTimespec(t.UnixNano())
		}
	}
	p, err := syscall.BytePtrFromString(name)
	if err != nil {
		return err
	}
	return k.do("chtimes", name, func() error {
		const here = -100 // AT_FDCWD
		at := here
		_, _, errno := syscall.Syscall6(syscall.SYS_UTIMENSAT, uintptr(at), uintptr(unsafe.Pointer(p)), uintptr(unsafe.Pointer(&ts)), flags, 0, 0)
		if errno != 0 {
			return errno
		}
		return nil
	})
}

// A kernelFile is an open file, used by who has opened it.
type kernelFile struct {
	*os.File
	k    *kernelFS
	flag int
}

func (f *kernelFile) as(op string, do func() error) error {
	return f.k.do(op, f.Name(), func() error {
		err := do()
		if e, ok := err.(*fs.PathError); ok {
			return e.Err
		}
		return err
	})
}

func (f *kernelFile) Write(p []byte) (n int, err error) {
	err = f.as("write", func() (err error) { n, err = f.File.Write(p); return err })
	return n, err
}

func (f *kernelFile) WriteString(s string) (int, error) { return f.Write([]byte(s)) }

func (f *kernelFile) WriteAt(p []byte, off int64) (n int, err error) {
	err = f.as("write", func() (err error) { n, err = syscall.Pwrite(int(f.Fd()), p, off); return err })
	return max(n, 0), err
}

func (f *kernelFile) Read(p []byte) (n int, err error) {
	err = f.as("read", func() (err error) { n, err = f.File.Read(p); return err })
	return n, err
}

func (f *kernelFile) ReadAt(p []byte, off int64) (n int, err error) {
	err = f.as("read", func() (err error) { n, err = syscall.Pread(int(f.Fd()), p, off); return err })
	if n = max(n, 0); n < len(p) && err == nil {
		err = io.EOF
	}
	return n, err
}

func (f *kernelFile) Seek(off int64, whence int) (n int64, err error) {
	err = f.as("seek", func() (err error) { n, err = f.File.Seek(off, whence); return err })
	return n, err
}

func (f *kernelFile) Truncate(size int64) error {
	return f.as("truncate", func() error { return syscall.Ftruncate(int(f.Fd()), size) })
}

func (f *kernelFile) Close() error { return failure("close", f.Name(), f.File.Close()) }

func (f *kernelFile) Stat() (fs.FileInfo, error) {
	var st syscall.Stat_t
	if err := f.as("stat", func() error { return syscall.Fstat(int(f.Fd()), &st) }); err != nil {
		return nil, err
	}
	return &kernelInfo{filepath.Base(f.Name()), st}, nil
}

func (f *kernelFile) ReadDir(n int) (list []fs.DirEntry, err error) {
	err = f.as("readdir", func() (err error) { list, err = f.File.ReadDir(n); return err })
	return list, err
}

func (f *kernelFile) Readdirnames(n int) (list []string, err error) {
	err = f.as("readdir", func() (err error) { list, err = f.File.Readdirnames(n); return err })
	return list, err
}

// A kernelInfo is a status.
type kernelInfo struct {
	name string
	st   syscall.Stat_t
}

func (i *kernelInfo) Name() string { return i.name }
func (i *kernelInfo) Size() int64 {
	if i.IsDir() {
		return 4096 // a tmpfs counts entries
	}
	return i.st.Size
}
func (i *kernelInfo) ModTime() time.Time { return time.Unix(i.st.Mtim.Unix()) }
func (i *kernelInfo) IsDir() bool        { return i.Mode().IsDir() }

func (i *kernelInfo) Mode() fs.FileMode {
	m := fs.FileMode(i.st.Mode & 0o777)
	m |= map[uint32]fs.FileMode{
		syscall.S_IFDIR: fs.ModeDir, syscall.S_IFLNK: fs.ModeSymlink, syscall.S_IFIFO: fs.ModeNamedPipe, syscall.S_IFSOCK: fs.ModeSocket,
		syscall.S_IFCHR: fs.ModeDevice | fs.ModeCharDevice, syscall.S_IFBLK: fs.ModeDevice,
	}[i.st.Mode&syscall.S_IFMT]
	for s, bit := range map[uint32]fs.FileMode{syscall.S_ISUID: fs.ModeSetuid, syscall.S_ISGID: fs.ModeSetgid, syscall.S_ISVTX: fs.ModeSticky} {
		if i.st.Mode&s != 0 {
			m |= bit
		}
	}
	return m
}

func (i *kernelInfo) Sys() any {
	return &vfs.Stat{
		Dev: uint64(i.st.Dev), Ino: i.st.Ino, Nlink: uint64(i.st.Nlink), UID: int(i.st.Uid), GID: int(i.st.Gid), Rdev: uint64(i.st.Rdev),
		Blocks: i.st.Blocks, Atime: time.Unix(i.st.Atim.Unix()), Ctime: time.Unix(i.st.Ctim.Unix()),
	}
}
