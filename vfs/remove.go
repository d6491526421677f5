package vfs

import "io/fs"

// detach takes the name of p from what is there. The tree is locked for
// writing.
func (t *tree) detach(p *place, now stamp) {
	dir, n := t.thaw(p.dir), t.thaw(p.node)
	dir.dir.names.remove(t.own, p.name)
	dir.mtime, dir.ctime = now, now
	n.ctime = now
	n.link--
	if n.dir != nil {
		dir.link--
		n.link = 0
	}
	if n.dir != nil || n.mode&fs.ModeSymlink != 0 || n.link > 0 {
		t.era++
	}
	if n.link == 0 {
		t.forget(n)
	} else if n.lent > 0 {
		n.lent--
	} else {
		t.quota.freeFiles(1)
	}
}

// Remove removes a file or an empty directory.
func (m *Mem) Remove(name string) error {
	err := m.remove(name)
	for m.tree.retry(&err) {
		err = m.remove(name)
	}
	if err != nil {
		return pathError("remove", name, err)
	}
	return nil
}

func (m *Mem) remove(name string) error {
	t := m.tree
	t.mu.Lock()
	defer t.mu.Unlock()
	var p place
	if err := m.find(&p, name, keep); err != nil {
		return err
	}
	if err := p.removable(); err != nil {
		return err
	}
	return m.unlink(&p)
}

// removable fails if p is not the name of an entry of a directory.
func (p *place) removable() error {
	switch p.name {
	case "":
		return EBUSY
	case ".":
		return EINVAL
	case "..":
		return ENOTEMPTY
	}
	return nil
}

// unlink removes what is at p if m's user may. The tree is locked for writing.
func (m *Mem) unlink(p *place) error {
	if err := m.user.mayUnlink(p.dir, p.node); err != nil {
		return err
	}
	if p.node.dir != nil {
		if err := p.node.empty(); err != nil {
			return err
		}
	}
	m.tree.detach(p, m.tree.stamp())
	return nil
}

// empty fails with ENOTEMPTY unless the directory n is empty.
func (n *inode) empty() error {
	names, err := n.loaded()
	if err == nil && names.len > 0 {
		err = ENOTEMPTY
	}
	return err
}

// RemoveAll removes name and, if it is a directory, what is in it. What does
// not exist counts as removed. It stops at the first error.
func (m *Mem) RemoveAll(name string) error {
	if err := m.removeAll(name); err != nil {
		return pathError("removeall", name, err)
	}
	return nil
}

// removeBatch is how many files RemoveAll removes before it lets others to the
// tree.
const removeBatch = 512

func (m *Mem) removeAll(name string) error {
	if name == "" {
		return nil
	}
	r := remover{Mem: m}
	more, err := r.start(name)
	for m.tree.retry(&err) {
		more, err = r.start(name)
	}
	for more && err == nil {
		more, err = r.batch()
		for m.tree.retry(&err) {
			more, err = r.batch()
		}
	}
	return err
}

// A remover empties and removes a directory, depth first. It keeps the way down
// by itself, since a tree may be deeper than a stack.
type remover struct {
	*Mem
	parent uint64   // the directory that holds the one to be removed
	name   string   // and what its name is there
	top    uint64   // the one to be removed
	at     uint64   // the one below top, or top, that is being emptied
	path   []string // the names from top down to at
}

// start removes name if that is simple, and reports whether there is more to do.
func (r *remover) start(name string) (more bool, err error) {
	t := r.tree
	t.mu.Lock()
	defer t.mu.Unlock()
	var p place
	err = r.find(&p, name, keep)
	if err == ENOENT {
		return false, nil
	}
	if err == nil {
		err = p.removable()
	}
	if err != nil {
		return false, err
	}
	if p.node.dir == nil || p.node.empty() == nil {
		return false, r.unlink(&p)
	}
	if err := r.user.access(p.node, mayRead); err != nil {
		return false, err
	}
	r.parent, r.name, r.top, r.at = p.dir.ino, p.name, p.node.ino, p.node.ino
	return true, nil
}

// batch removes some files, and reports whether there are more.
func (r *remover) batch() (more bool, err error) {
	r.tree.mu.Lock()
	defer r.tree.mu.Unlock()
	for range removeBatch {
		if more, err = r.step(); err != nil || !more {
			return false, err
		}
	}
	return true, nil
}

// clearMax is how many files RemoveAll removes at a time where it takes all of a
// directory.
const clearMax = 1 << 14

// clear removes all that is in dir at once, if those are files, with one name
// each, that r's user may remove, and not too many. It reports whether it has.
func (r *remover) clear(dir *inode) bool {
	t, names := r.tree, &dir.dir.names
	if names.len < 2 || names.len > clearMax || dir.mode&fs.ModeSticky != 0 || r.user.access(dir, mayWrite|mayExec) != nil {
		return false
	}
	gone, simple := make([]*inode, 0, names.len), true
	names.after("", func(e nameEntry) bool {
		n := t.inodes.get(e.ino)
		gone, simple = append(gone, n), n.dir == nil && n.link == 1
		return simple
	})
	if !simple {
		return false
	}
	now := t.stamp()
	dir = t.thaw(dir)
	dir.dir.names = nameTree{}
	dir.mtime, dir.ctime = now, now
	t.era++
	t.forgetAll(gone, now)
	return true
}

// step removes a file, or goes up or down one directory. Between batches others
// may have moved or removed any of the directories; then it starts from the top.
func (r *remover) step() (more bool, err error) {
	t := r.tree
	dir := t.inodes.get(r.at)
	if dir == nil {
		r.at, r.path = r.top, nil
		return t.inodes.get(r.top) != nil, nil
	}
	names, err := dir.loaded()
	if err != nil {
		return true, err
	}
	if r.clear(dir) {
		return true, nil
	}
	if e, ok := names.first(); ok {
		child := t.inodes.get(e.ino)
		if child.dir == nil || child.empty() == nil {
			return true, r.unlink(&place{dir: dir, name: e.name, node: child})
		}
		r.at, r.path = e.ino, append(r.path, e.name)
		return true, r.user.access(child, mayRead)
	}
	parent, name := r.parent, r.name
	if last := len(r.path) - 1; last >= 0 {
		parent, name = dir.parent, r.path[last]
		r.at, r.path = parent, r.path[:last]
	}
	up := t.inodes.get(parent)
	if up == nil || up.dir.names.get(name) != dir.ino {
		r.at, r.path = r.top, nil
		return dir.ino != r.top, nil
	}
	return dir.ino != r.top, r.unlink(&place{dir: up, name: name, node: dir})
}
