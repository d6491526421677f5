package vfs

import (
	"io/fs"
	"slices"
)

// A User is who uses a file system. User 0 may do everything; others may do
// what the modes of files permit them, as on Linux.
type User struct {
	UID, GID int
	Groups   []int // besides GID
}

// What an access asks for, as the permission bits of one class have it.
const (
	mayExec  = 1
	mayWrite = 2
	mayRead  = 4
)

func (u *User) inGroup(gid int32) bool {
	return u.GID == int(gid) || slices.Contains(u.Groups, int(gid))
}

// access fails with EACCES unless u has all of want on n.
func (u *User) access(n *inode, want fs.FileMode) error {
	if u.UID == 0 {
		return nil
	}
	have := n.mode
	switch {
	case int(n.uid) == u.UID:
		have >>= 6
	case u.inGroup(n.gid):
		have >>= 3
	}
	if have&want != want {
		return EACCES
	}
	return nil
}

// owns reports whether u may change the attributes of n.
func (u *User) owns(n *inode) bool { return u.UID == 0 || u.UID == int(n.uid) }

// mayUnlink fails unless u may take the name of n out of dir.
func (u *User) mayUnlink(dir, n *inode) error {
	if err := u.access(dir, mayWrite|mayExec); err != nil {
		return err
	}
	if dir.mode&fs.ModeSticky != 0 && !u.owns(dir) && !u.owns(n) {
		return EPERM
	}
	return nil
}
