package hostdir

import (
	"io/fs"
	"path"
	"time"

	"github.com/limpet-sh/limpet/vfs"
)

// info returns what a sandbox may know of a file of the host.
func (r *rooted) info(name string, host fs.FileInfo) fs.FileInfo {
	i := &fileInfo{
		name: path.Base(name), size: host.Size(), mode: host.Mode(), mtime: host.ModTime().UTC(),
		stat: vfs.Stat{Nlink: 1, Atime: host.ModTime().UTC(), Ctime: host.ModTime().UTC()},
	}
	hostStat(&i.stat, host)
	i.stat.UID, i.stat.GID = r.options.UID, r.options.GID
	return i
}

// A fileInfo is a copy of a file's status.
type fileInfo struct {
	name  string
	size  int64
	mode  fs.FileMode
	mtime time.Time
	stat  vfs.Stat
}

func (i *fileInfo) Name() string       { return i.name }
func (i *fileInfo) Size() int64        { return i.size }
func (i *fileInfo) Mode() fs.FileMode  { return i.mode }
func (i *fileInfo) ModTime() time.Time { return i.mtime }
func (i *fileInfo) IsDir() bool        { return i.mode.IsDir() }
func (i *fileInfo) Sys() any           { return &i.stat }

// An entry is an entry of a directory. What the host's own entries know of
// their status they find by a name outside the root.
type entry struct {
	r    *rooted
	name string // resolved
	typ  fs.FileMode
}

func (e *entry) Name() string      { return path.Base(e.name) }
func (e *entry) Type() fs.FileMode { return e.typ }
func (e *entry) IsDir() bool       { return e.typ.IsDir() }

func (e *entry) Info() (fs.FileInfo, error) {
	info, _, err := e.r.LstatIfPossible(e.name)
	return info, err
}
