// Package vfs provides the file systems that scripts see.
//
// [FS] is what a file system can do, [Mem] keeps files in memory, and [View]
// is a file system as one process sees it. [NewOverlay], [Mount] and [ReadOnly]
// combine file systems; package vfs/hostdir makes one of a host directory.
//
// Names are slash-separated and rooted at "/", whatever the host. They are
// resolved component by component, as a kernel does, so that ".." after a
// symbolic link leaves the directory that the link names.
package vfs

import (
	"context"
	"io"
	"io/fs"
	"slices"
	"strings"
	"time"

	"github.com/spf13/afero"
)

// An FS is an [afero.Fs] with the rest of what Unix offers. Implementations are
// safe for concurrent use. Errors are [*fs.PathError] or [*os.LinkError] around
// an [Errno].
//
// A FileInfo's Sys returns a [*Stat], and its Mode is of the [fs.FileMode] bits.
// Files that Open and OpenFile return are [fs.ReadDirFile] too.
type FS interface {
	afero.Fs
	afero.Symlinker

	// Link makes newname another name of the file oldname. It does not
	// follow oldname if that is a symbolic link.
	Link(oldname, newname string) error

	// Lchown sets the owner of name itself where it is a symbolic link. An
	// id of -1 stays as it is; so it is for Chown.
	Lchown(name string, uid, gid int) error

	// Lchtimes sets the times of name itself where it is a symbolic link.
	// The zero time leaves a time as it is; so it is for Chtimes.
	Lchtimes(name string, atime, mtime time.Time) error

	// Mknod makes a FIFO (fs.ModeNamedPipe) or a device (fs.ModeDevice) with
	// the number dev (see [Dev]). Its permission bits are those of mode.
	Mknod(name string, mode fs.FileMode, dev uint64) error

	// StatFS describes the file system that holds name.
	StatFS(name string) (StatFS, error)
}

// A ContextOpener is an [FS] whose OpenFile may wait, as it does for the other
// end of a FIFO. OpenFileContext gives up, with [EINTR], when ctx is done, and
// so do reads and writes of the file that it returns.
type ContextOpener interface {
	OpenFileContext(ctx context.Context, name string, flag int, perm fs.FileMode) (afero.File, error)
}

// A Stream is what a descriptor refers to: the part of an open file that files,
// pipes and terminals have in common.
type Stream interface {
	io.Reader
	io.Writer
	io.Closer
	Stat() (fs.FileInfo, error)
}

// A Stat is the part of a file's status that [fs.FileInfo] lacks. It is a copy:
// it does not change when the file does. Others may have the same copy, so it
// must not be written to.
type Stat struct {
	Dev, Ino uint64
	Nlink    uint64
	UID, GID int
	Rdev     uint64 // of a device; see Dev
	Blocks   int64  // of 512 bytes, that the content occupies
	Atime    time.Time
	Ctime    time.Time
	Birth    time.Time
}

// A StatFS describes a file system, as statfs(2) does.
type StatFS struct {
	Type                   string // "tmpfs", "overlay", …
	BlockSize              int64
	Blocks, Free           int64 // of BlockSize bytes
	Files, FilesFree       int64 // inodes
	NameMax                int64
	ReadOnly               bool
	Source, Point, Options string // as /proc/mounts has them
}

// Dev returns the device number of a major and a minor number, in the encoding
// of Linux.
func Dev(major, minor uint32) uint64 {
	M, m := uint64(major), uint64(minor)
	return (M&0xfff)<<8 | (M&^0xfff)<<32 | m&0xff | (m&^0xff)<<12
}

// DevNumbers returns the major and the minor number of dev.
func DevNumbers(dev uint64) (major, minor uint32) {
	return uint32(dev>>8&0xfff | dev>>32&^0xfff), uint32(dev&0xff | dev>>12&^0xff)
}

// StatOf returns the Stat of info; a zero one, with one link, where its file
// system keeps none.
func StatOf(info fs.FileInfo) *Stat {
	if st, ok := info.Sys().(*Stat); ok {
		return st
	}
	return &Stat{Nlink: 1, Atime: info.ModTime(), Ctime: info.ModTime()}
}

// SameFile reports whether a and b describe the same file.
func SameFile(a, b fs.FileInfo) bool {
	x, y := StatOf(a), StatOf(b)
	return x.Ino != 0 && x.Ino == y.Ino && x.Dev == y.Dev
}

// Lstat returns the status of name itself where it is a symbolic link.
func Lstat(fsys afero.Fs, name string) (fs.FileInfo, error) {
	if l, ok := fsys.(afero.Lstater); ok {
		info, _, err := l.LstatIfPossible(name)
		return info, err
	}
	return fsys.Stat(name)
}

// ReadDir returns the entries of a directory by name, in the order of bytes.
func ReadDir(fsys afero.Fs, name string) ([]fs.DirEntry, error) {
	info, err := fsys.Stat(name)
	if err == nil && !info.IsDir() { // to open a FIFO might take forever
		err = pathError("open", name, ENOTDIR)
	}
	if err != nil {
		return nil, err
	}
	f, err := fsys.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var list []fs.DirEntry
	if d, ok := f.(fs.ReadDirFile); ok {
		list, err = d.ReadDir(-1)
	} else {
		var infos []fs.FileInfo
		infos, err = f.Readdir(-1)
		for _, info := range infos {
			list = append(list, fs.FileInfoToDirEntry(info))
		}
	}
	slices.SortFunc(list, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return list, err
}

// ReadFile returns the content of a file. What is no regular file may have no end, and
// is not read beyond 64 MiB: the error is EFBIG then. A FIFO is read through a [View]
// with a context only, because others might wait for ever: it is EINVAL there.
func ReadFile(fsys afero.Fs, name string) ([]byte, error) {
	info, err := fsys.Stat(name)
	switch {
	case err != nil || info.Mode().IsRegular() || info.IsDir():
		return afero.ReadFile(fsys, name)
	case info.Mode()&fs.ModeCharDevice == 0 && !bounded(fsys):
		return nil, pathError("read", name, EINVAL)
	}
	f, err := fsys.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxDevice+1))
	if len(data) > maxDevice {
		return nil, pathError("read", name, EFBIG)
	}
	return data, err
}

// bounded reports whether waiting in a file system ends.
func bounded(fsys afero.Fs) bool {
	v, ok := fsys.(*View)
	return ok && v.Context != nil
}

// maxDevice is how much ReadFile reads of what is no regular file, in bytes.
const maxDevice = 64 << 20

// WriteFile makes data the content of a file, creating it with the mode perm if
// it does not exist.
func WriteFile(fsys afero.Fs, name string, data []byte, perm fs.FileMode) error {
	return afero.WriteFile(fsys, name, data, perm)
}
