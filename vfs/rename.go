package vfs

// Rename moves oldname to newname, and replaces what is there: a file by what is
// not a directory, an empty directory by a directory.
func (m *Mem) Rename(oldname, newname string) error {
	err := m.rename(oldname, newname)
	for m.tree.retry(&err) {
		err = m.rename(oldname, newname)
	}
	if err != nil {
		return linkError("rename", oldname, newname, err)
	}
	return nil
}

func (m *Mem) rename(oldname, newname string) error {
	t := m.tree
	t.mu.Lock()
	defer t.mu.Unlock()
	var from, to place
	if err := m.walk(&from, oldname, keep); err != nil {
		return err
	}
	if err := m.walk(&to, newname, keep); err != nil {
		return err
	}
	if err := t.renamable(&from, &to); err != nil {
		return err
	}
	if from.node == to.node {
		return nil
	}
	if err := m.mayRename(&from, &to); err != nil {
		return err
	}
	t.move(&from, &to)
	return nil
}

// renamable fails if what is at from cannot take the place of what is at to,
// whoever wants it.
func (t *tree) renamable(from, to *place) error {
	switch {
	case from.special(), to.special():
		return EBUSY
	case from.node == nil:
		return ENOENT
	case from.node.dir == nil && (from.slash || to.slash):
		return ENOTDIR
	case from.node.dir != nil && t.within(to.dir, from.node):
		return EINVAL
	case to.node == nil, to.node == from.node:
		return nil
	case to.node.dir != nil && t.within(from.dir, to.node):
		return ENOTEMPTY
	case from.node.dir != nil && to.node.dir == nil:
		return ENOTDIR
	case from.node.dir == nil && to.node.dir != nil:
		return EISDIR
	}
	return nil
}

// within reports whether dir is top or below it.
func (t *tree) within(dir, top *inode) bool {
	for dir.ino != top.ino {
		if dir.ino == rootIno {
			return false
		}
		dir = t.inodes.get(dir.parent)
	}
	return true
}

// mayRename fails unless m's user may move what is at from to to.
func (m *Mem) mayRename(from, to *place) error {
	if err := m.user.mayUnlink(from.dir, from.node); err != nil {
		return err
	}
	if to.node == nil {
		if err := m.user.access(to.dir, mayWrite|mayExec); err != nil {
			return err
		}
	} else if err := m.user.mayUnlink(to.dir, to.node); err != nil {
		return err
	}
	if from.node.dir != nil && from.dir != to.dir {
		if err := m.user.access(from.node, mayWrite); err != nil { // for its ".."
			return err
		}
	}
	if to.node != nil && to.node.dir != nil {
		return to.node.empty()
	}
	return nil
}

// move gives the name of to to what is at from.
func (t *tree) move(from, to *place) {
	t.era++
	now := t.stamp()
	if to.node != nil {
		t.detach(to, now)
	}
	source := t.thaw(t.inodes.get(from.dir.ino))
	source.dir.names.remove(t.own, from.name)
	source.mtime, source.ctime = now, now
	n := t.thaw(from.node)
	if n.dir != nil {
		source.link--
	}
	n.ctime = now
	to.dir = t.inodes.get(to.dir.ino)
	t.attach(to, n, now)
}
