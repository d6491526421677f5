package hostdir

import (
	"io/fs"
	"os"
	"syscall"
	"time"
	"unsafe"

	"github.com/limpet-sh/limpet/vfs"
)

// hostStat puts what the host knows of a file into st.
func hostStat(st *vfs.Stat, info fs.FileInfo) {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		st.Dev, st.Ino, st.Nlink = uint64(s.Dev), s.Ino, uint64(s.Nlink)
		st.Blocks, st.Rdev = int64(s.Blocks), uint64(s.Rdev)
		st.Atime, st.Ctime = timeOf(s.Atim), timeOf(s.Ctim)
	}
}

func timeOf(t syscall.Timespec) time.Time { return time.Unix(t.Unix()).UTC() }

// statFS describes the file system that f is on.
func statFS(f *os.File) (vfs.StatFS, error) {
	var s syscall.Statfs_t
	if err := syscall.Fstatfs(int(f.Fd()), &s); err != nil {
		return vfs.StatFS{}, err
	}
	return vfs.StatFS{
		BlockSize: int64(s.Bsize), Blocks: int64(s.Blocks), Free: int64(s.Bavail),
		Files: int64(s.Files), FilesFree: int64(s.Ffree), NameMax: int64(s.Namelen),
	}, nil
}

// What utimensat(2) calls its special arguments.
const (
	atSymlinkNofollow = 0x100
	utimeOmit         = 1<<30 - 2
)

// linkTimes sets the times of the symbolic link name in the directory dir.
func linkTimes(dir *os.File, name string, atime, mtime time.Time) error {
	p, err := syscall.BytePtrFromString(name)
	if err != nil {
		return err
	}
	times := [2]syscall.Timespec{timespec(atime), timespec(mtime)}
	_, _, e := syscall.Syscall6(syscall.SYS_UTIMENSAT, dir.Fd(), uintptr(unsafe.Pointer(p)),
		uintptr(unsafe.Pointer(&times)), atSymlinkNofollow, 0, 0)
	if e != 0 {
		return e
	}
	return nil
}

func timespec(t time.Time) syscall.Timespec {
	if t.IsZero() {
		return syscall.Timespec{Nsec: utimeOmit}
	}
	return syscall.NsecToTimespec(t.UnixNano())
}
