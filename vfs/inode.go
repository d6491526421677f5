package vfs

import (
	"io/fs"
	"strings"
	"sync/atomic"
	"time"
)

// A stamp is a point in time, in half the space of a time.Time.
type stamp struct {
	sec  int64
	nsec int32
}

func stampOf(t time.Time) stamp { return stamp{t.Unix(), int32(t.Nanosecond())} }

func (s stamp) time() time.Time { return time.Unix(s.sec, int64(s.nsec)).UTC() }

func (s stamp) after(o stamp) bool { return s.sec > o.sec || s.sec == o.sec && s.nsec > o.nsec }

// An inode is a file of a [Mem].
//
// Its tree's lock guards it: whoever holds that for writing may change an inode
// that the tree owns. An inode that the tree does not own is never changed; see
// tree.thaw.
type inode struct {
	own    *owner // what opening and reading look at comes first
	ino    uint64
	mode   fs.FileMode
	uid    int32
	gid    int32
	link   uint32                   // names; of a directory, 2 and one a subdirectory
	open   *vnode                   // of an inode that its tree owns; guarded by the tree's openMu
	dir    *directory               // of a directory
	status atomic.Pointer[fileInfo] // as stat gave it last; nil if it has changed
	data   content                  // of a regular file; of the target of a link, what is charged
	atime  stamp
	mtime  stamp
	ctime  stamp
	birth  stamp
	parent uint64 // the directory that holds it; of several, the last to get it
	lent   uint32 // names that a lower file system has too, which are not charged
	gone   bool   // it is not in the table any more, which it was in
	rdev   uint64
	target string      // of a symbolic link
	origin *lowerEntry // of a lower file with several names
}

// A directory is what the inode of one has more than others.
type directory struct {
	names   nameTree
	pending *lowerDir // where names are to be read from first; see loaded
}

// clone returns a copy of n that own owns.
func (n *inode) clone(own *owner) *inode {
	c := &inode{
		own: own, ino: n.ino, parent: n.parent, mode: n.mode, uid: n.uid, gid: n.gid, link: n.link, lent: n.lent,
		rdev: n.rdev, birth: n.birth, target: n.target, origin: n.origin,
		atime: n.atime, mtime: n.mtime, ctime: n.ctime, data: n.data,
	}
	if n.dir != nil {
		d := *n.dir
		c.dir = &d
	}
	return c
}

// size returns the size of n, as stat gives it.
func (n *inode) size() int64 {
	switch {
	case n.dir != nil:
		return blockSize
	case n.mode&fs.ModeSymlink != 0:
		return int64(len(n.target))
	}
	return n.data.size
}

// blocks returns the 512-byte blocks that n occupies.
func (n *inode) blocks() int64 {
	switch {
	case n.dir != nil, len(n.target) >= inlineTarget:
		return blockSize / 512
	}
	return n.data.blocks * (blockSize / 512)
}

// inlineTarget is the length from which the target of a symbolic link needs a
// block of its own, on Linux's usual file systems.
const inlineTarget = 60

// info returns the status of n under the base name name. The tree is locked.
func (t *tree) info(n *inode, name string) *fileInfo {
	if i := n.status.Load(); i != nil && i.name == name && i.stat.Dev == t.dev {
		return i
	}
	i := &fileInfo{
		name: strings.Clone(name), size: n.size(), mode: n.mode, mtime: n.mtime.time(),
		stat: Stat{
			Dev: t.dev, Ino: n.ino, Nlink: uint64(n.link), UID: int(n.uid), GID: int(n.gid),
			Rdev: n.rdev, Blocks: n.blocks(),
			Atime: n.atime.time(), Ctime: n.ctime.time(), Birth: n.birth.time(),
		},
	}
	n.status.Store(i)
	return i
}

// counted returns i or, if that is of a directory of a lower file system that does
// not know how many directories are in it, its status once that was found out. No
// lock is held.
func (t *tree) counted(i *fileInfo) *fileInfo {
	if !i.mode.IsDir() || i.stat.Nlink >= 2 || t.load(i.stat.Ino) != nil {
		return i
	}
	if now := t.infoOf(i.stat.Ino, i.name); now != nil {
		return now
	}
	return i
}

// memDev is the device number of a Mem, unless a Mount gives it another: one of
// those that Linux has for file systems without a device.
var memDev = Dev(0, 40)

// A fileInfo is a copy of a file's status. It does not change.
type fileInfo struct {
	name  string
	size  int64
	mode  fs.FileMode
	mtime time.Time
	stat  Stat
}

func (i *fileInfo) Name() string       { return i.name }
func (i *fileInfo) Size() int64        { return i.size }
func (i *fileInfo) Mode() fs.FileMode  { return i.mode }
func (i *fileInfo) ModTime() time.Time { return i.mtime }
func (i *fileInfo) IsDir() bool        { return i.mode.IsDir() }
func (i *fileInfo) Sys() any           { return &i.stat }
