package vfs

import (
	"io/fs"
	"os"
	"strings"
)

// permBits are the bits of a mode that are not the type.
const permBits = fs.ModePerm | fs.ModeSetuid | fs.ModeSetgid | fs.ModeSticky

// create makes an inode of the given mode and gives it the name of p, where
// nothing is. The tree is locked for writing.
func (m *Mem) create(p *place, mode fs.FileMode) (*inode, error) {
	t := m.tree
	if err := m.user.access(p.dir, mayWrite|mayExec); err != nil {
		return nil, err
	}
	if err := t.quota.chargeFile(); err != nil {
		return nil, err
	}
	n := t.newInode(&m.user, mode)
	if p.dir.mode&fs.ModeSetgid != 0 {
		n.gid = p.dir.gid
		if mode.IsDir() {
			n.mode |= fs.ModeSetgid
		}
	}
	t.attach(p, n, n.mtime)
	return n, nil
}

// attach makes the name of p one of n's.
func (t *tree) attach(p *place, n *inode, now stamp) {
	t.born++
	dir := t.thaw(p.dir)
	dir.dir.names.set(t.own, strings.Clone(p.name), n.ino)
	dir.mtime, dir.ctime = now, now
	n.parent = dir.ino
	if n.dir != nil {
		dir.link++
	}
}

// vacant is walk for what is to be created: it succeeds if nothing is there.
// A slash may stand behind it if it is to be a directory.
func (m *Mem) vacant(p *place, name string, directory bool) error {
	err := m.walk(p, name, keep)
	switch {
	case err != nil:
	case p.node != nil:
		err = EEXIST
	case p.slash && !directory:
		err = ENOENT
	}
	return err
}

// Mkdir makes a directory.
func (m *Mem) Mkdir(name string, perm fs.FileMode) error {
	err := m.mkdir(name, perm)
	for m.tree.retry(&err) {
		err = m.mkdir(name, perm)
	}
	if err != nil {
		return pathError("mkdir", name, err)
	}
	return nil
}

func (m *Mem) mkdir(name string, perm fs.FileMode) error {
	m.tree.mu.Lock()
	defer m.tree.mu.Unlock()
	var p place
	if err := m.vacant(&p, name, true); err != nil {
		return err
	}
	_, err := m.create(&p, fs.ModeDir|perm&permBits)
	return err
}

// MkdirAll makes a directory and those above it that do not exist. It succeeds
// if name is a directory.
func (m *Mem) MkdirAll(name string, perm fs.FileMode) error { return mkdirAll(m, name, perm) }

// mkdirAll is MkdirAll by means of Mkdir and Stat.
func mkdirAll(fsys FS, name string, perm fs.FileMode) error {
	if info, err := fsys.Stat(name); err == nil && info.IsDir() {
		return nil
	}
	for end := 0; end < len(name); {
		for end < len(name) && name[end] == '/' {
			end++
		}
		for end < len(name) && name[end] != '/' {
			end++
		}
		prefix := strings.TrimRight(name[:end], "/")
		if prefix == "" {
			continue
		}
		err := fsys.Mkdir(prefix, perm)
		if err == nil {
			continue
		}
		info, statErr := fsys.Stat(prefix)
		switch {
		case statErr != nil:
			return err
		case !info.IsDir():
			return pathError("mkdir", prefix, ENOTDIR)
		}
	}
	return nil
}

// Symlink makes newname a symbolic link with the text target.
func (m *Mem) Symlink(target, newname string) error {
	err := m.symlink(target, newname)
	for m.tree.retry(&err) {
		err = m.symlink(target, newname)
	}
	if err != nil {
		return linkError("symlink", target, newname, err)
	}
	return nil
}

// SymlinkIfPossible is Symlink.
func (m *Mem) SymlinkIfPossible(target, newname string) error { return m.Symlink(target, newname) }

func (m *Mem) symlink(target, newname string) error {
	if err := checkPath(target); err != nil {
		return err
	}
	m.tree.mu.Lock()
	defer m.tree.mu.Unlock()
	var p place
	if err := m.vacant(&p, newname, false); err != nil {
		return err
	}
	if err := m.tree.quota.chargeBytes(int64(len(target))); err != nil {
		return err
	}
	n, err := m.create(&p, fs.ModeSymlink|fs.ModePerm)
	if err != nil {
		m.tree.quota.freeBytes(int64(len(target)))
		return err
	}
	n.target, n.data.held = strings.Clone(target), int64(len(target))
	return nil
}

// Link makes newname another name of the file oldname.
func (m *Mem) Link(oldname, newname string) error {
	err := m.link(oldname, newname)
	for m.tree.retry(&err) {
		err = m.link(oldname, newname)
	}
	if err != nil {
		return linkError("link", oldname, newname, err)
	}
	return nil
}

func (m *Mem) link(oldname, newname string) error {
	t := m.tree
	t.mu.Lock()
	defer t.mu.Unlock()
	old, err := m.node(oldname, nofollow)
	if err != nil {
		return err
	}
	var p place
	err = m.vacant(&p, newname, false)
	switch {
	case err != nil:
		return err
	case old.dir != nil:
		return EPERM
	}
	if err := m.user.access(p.dir, mayWrite|mayExec); err != nil {
		return err
	}
	if err := t.quota.chargeFile(); err != nil {
		return err
	}
	now, n := t.stamp(), t.thaw(old)
	n.link++
	n.ctime = now
	t.attach(&p, n, now)
	return nil
}

// Mknod makes a FIFO, a device or, with no type in mode, an empty file. Only
// user 0 may make devices.
func (m *Mem) Mknod(name string, mode fs.FileMode, dev uint64) error {
	err := m.mknod(name, mode, dev)
	for m.tree.retry(&err) {
		err = m.mknod(name, mode, dev)
	}
	if err != nil {
		return pathError("mknod", name, err)
	}
	return nil
}

func (m *Mem) mknod(name string, mode fs.FileMode, dev uint64) error {
	switch mode.Type() {
	case 0, fs.ModeNamedPipe, fs.ModeSocket:
		dev = 0
	case fs.ModeDevice, fs.ModeDevice | fs.ModeCharDevice:
		if m.user.UID != 0 {
			return EPERM
		}
	default:
		return EINVAL
	}
	m.tree.mu.Lock()
	defer m.tree.mu.Unlock()
	var p place
	if err := m.vacant(&p, name, false); err != nil {
		return err
	}
	n, err := m.create(&p, mode&(fs.ModeType|permBits))
	if err != nil {
		return err
	}
	n.rdev = dev
	return nil
}

// linkError returns err as the failure of op on two names.
func linkError(op, oldname, newname string, err error) error {
	return &os.LinkError{Op: op, Old: oldname, New: newname, Err: err}
}
