package hostdir

import (
	"io/fs"
	"os"
	"syscall"
	"time"

	"github.com/limpet-sh/limpet/vfs"
)

// hostStat puts what the host knows of a file into st.
func hostStat(st *vfs.Stat, info fs.FileInfo) {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		st.Dev, st.Ino, st.Nlink = uint64(s.Dev), s.Ino, uint64(s.Nlink)
		st.Blocks, st.Rdev = s.Blocks, uint64(s.Rdev)
		st.Atime, st.Ctime, st.Birth = timeOf(s.Atimespec), timeOf(s.Ctimespec), timeOf(s.Birthtimespec)
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
		Files: int64(s.Files), FilesFree: int64(s.Ffree), NameMax: 255,
	}, nil
}

// linkTimes fails: package syscall has no way to set the times of a link.
func linkTimes(*os.File, string, time.Time, time.Time) error { return vfs.EOPNOTSUPP }
