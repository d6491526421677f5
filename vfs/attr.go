package vfs

import (
	"io/fs"
	"time"
)

// Stat returns the status of name.
func (m *Mem) Stat(name string) (fs.FileInfo, error) { return m.stat("stat", name, follow) }

// Lstat returns the status of name itself where it is a symbolic link.
func (m *Mem) Lstat(name string) (fs.FileInfo, error) { return m.stat("lstat", name, nofollow) }

// LstatIfPossible is Lstat.
func (m *Mem) LstatIfPossible(name string) (fs.FileInfo, bool, error) {
	info, err := m.Lstat(name)
	return info, true, err
}

func (m *Mem) stat(op, name string, last lastLink) (fs.FileInfo, error) {
	info, err := m.info(name, last)
	for m.tree.retry(&err) {
		info, err = m.info(name, last)
	}
	if err != nil {
		return nil, pathError(op, name, err)
	}
	return m.tree.counted(info), nil
}

func (m *Mem) info(name string, last lastLink) (*fileInfo, error) {
	m.tree.mu.RLock()
	defer m.tree.mu.RUnlock()
	n, err := m.node(name, last)
	if err != nil {
		return nil, err
	}
	return m.tree.info(n, base(name)), nil
}

// ReadlinkIfPossible returns the text of the symbolic link name.
func (m *Mem) ReadlinkIfPossible(name string) (string, error) {
	target, err := m.readlink(name)
	for m.tree.retry(&err) {
		target, err = m.readlink(name)
	}
	if err != nil {
		return "", pathError("readlink", name, err)
	}
	return target, nil
}

func (m *Mem) readlink(name string) (string, error) {
	m.tree.mu.RLock()
	defer m.tree.mu.RUnlock()
	n, err := m.node(name, nofollow)
	if err != nil {
		return "", err
	}
	if n.mode&fs.ModeSymlink == 0 {
		return "", EINVAL
	}
	return n.target, nil
}

// change applies edit to what name names, and sets its ctime. It makes an error
// of edit the failure of op. Only who owns the file may do that.
func (m *Mem) change(op, name string, last lastLink, edit func(n *inode) error) error {
	return m.changeIf(m.user.owns, op, name, last, edit)
}

// changeIf is change for whom may lets.
func (m *Mem) changeIf(may func(n *inode) bool, op, name string, last lastLink, edit func(n *inode) error) error {
	err := m.edit(may, name, last, edit)
	for m.tree.retry(&err) {
		err = m.edit(may, name, last, edit)
	}
	if err != nil {
		return pathError(op, name, err)
	}
	return nil
}

func (m *Mem) edit(may func(n *inode) bool, name string, last lastLink, edit func(n *inode) error) error {
	t := m.tree
	t.mu.Lock()
	defer t.mu.Unlock()
	n, err := m.node(name, last)
	if err == nil && !may(n) {
		err = EPERM
	}
	if err != nil {
		return err
	}
	n = t.thaw(n)
	if err := edit(n); err != nil {
		return err
	}
	if n.dir != nil {
		t.era++ // it may let others through, or not
	}
	n.ctime = t.stamp()
	return nil
}

// Chmod sets the permission bits of name, and the setuid, setgid and sticky
// bits.
func (m *Mem) Chmod(name string, mode fs.FileMode) error {
	return m.change("chmod", name, follow, func(n *inode) error {
		if m.user.UID != 0 && !m.user.inGroup(n.gid) {
			mode &^= fs.ModeSetgid
		}
		n.mode = n.mode.Type() | mode&permBits
		return nil
	})
}

// Chown sets the owner of name. An id of -1 stays as it is. Who is not user 0
// may only choose among their own groups.
func (m *Mem) Chown(name string, uid, gid int) error {
	return m.chown("chown", name, follow, uid, gid)
}

// Lchown sets the owner of name itself where it is a symbolic link.
func (m *Mem) Lchown(name string, uid, gid int) error {
	return m.chown("lchown", name, nofollow, uid, gid)
}

// chown lets everybody change nothing.
func (m *Mem) chown(op, name string, last lastLink, uid, gid int) error {
	may := func(n *inode) bool {
		return m.user.owns(n) || uid == -1 && gid == -1 && (n.dir != nil || n.mode == withoutSet(n.mode))
	}
	return m.changeIf(may, op, name, last, func(n *inode) error { return m.own(n, uid, gid) })
}

func (m *Mem) own(n *inode, uid, gid int) error {
	if m.user.UID != 0 {
		if uid != -1 && uid != int(n.uid) || gid != -1 && !m.user.inGroup(int32(gid)) {
			return EPERM
		}
	}
	if uid != -1 {
		n.uid = int32(uid)
	}
	if gid != -1 {
		n.gid = int32(gid)
	}
	if n.dir == nil {
		n.mode = withoutSet(n.mode)
	}
	return nil
}

// withoutSet returns mode without what would lend the rights of an owner who has
// not seen the present content.
func withoutSet(mode fs.FileMode) fs.FileMode {
	mode &^= fs.ModeSetuid
	if mode&0o010 != 0 {
		mode &^= fs.ModeSetgid
	}
	return mode
}

// Chtimes sets the times of name. The zero time leaves a time as it is.
func (m *Mem) Chtimes(name string, atime, mtime time.Time) error {
	return m.change("chtimes", name, follow, func(n *inode) error { return n.setTimes(atime, mtime) })
}

// Lchtimes sets the times of name itself where it is a symbolic link.
func (m *Mem) Lchtimes(name string, atime, mtime time.Time) error {
	return m.change("lchtimes", name, nofollow, func(n *inode) error { return n.setTimes(atime, mtime) })
}

func (n *inode) setTimes(atime, mtime time.Time) error {
	if !atime.IsZero() {
		n.atime = stampOf(atime)
	}
	if !mtime.IsZero() {
		n.mtime = stampOf(mtime)
	}
	return nil
}
