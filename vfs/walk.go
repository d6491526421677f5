package vfs

import (
	"io/fs"
	"strings"
)

// Bounds of Linux on names.
const (
	maxName  = 255
	maxPath  = 4096 // with the NUL that ends one
	maxLinks = 40
)

// A lastLink says what a walk does with a symbolic link that is the last
// component of a name.
type lastLink uint8

const (
	keep     lastLink = iota // it is what the name names
	nofollow                 // the same, but if a slash stands behind, it is followed
	follow
	creates // follow, to make a file: EISDIR for a link with a slash behind
)

// A place is where a name leads.
type place struct {
	dir  *inode // that holds the last component
	name string // the last component, resolved: "", "." and ".." are special
	node *inode // what is there, nil for nothing

	links  uint8 // symbolic links on the way
	linked bool  // the last component was one of them

	// slash says that the name ends in a slash, which only a directory may.
	slash bool
}

// special reports whether the name ends in something that no entry of a
// directory stands for: the root, "." or "..".
func (p *place) special() bool { return p.name == "" || p.name == "." || p.name == ".." }

// A fence is where a walk is to end, for the sake of a [Mount].
type fence struct {
	stops map[uint64]bool // directories that another file system covers
	inner bool            // the root of the tree is not the root of all names
}

// errLeft is the error of a walk that meets its fence.
const errLeft = EXDEV

// stays reports whether name resolves without leaving the tree for what others
// have mounted in it, or it in.
func (m *Mem) stays(name string, last lastLink, f *fence) bool {
	err := m.walks(name, last, f)
	for m.tree.retry(&err) {
		err = m.walks(name, last, f)
	}
	return err != errLeft
}

func (m *Mem) walks(name string, last lastLink, f *fence) error {
	m.tree.mu.RLock()
	defer m.tree.mu.RUnlock()
	if err := checkPath(name); err != nil {
		return err
	}
	p := m.tree.top()
	return m.tree.walk(&p, f, &m.user, name, last)
}

// walk resolves name and sets p to where it leads. It succeeds if nothing but the
// last component is missing. The tree is locked.
func (m *Mem) walk(p *place, name string, last lastLink) error {
	if err := checkPath(name); err != nil {
		return err
	}
	dir, name := splitLast(name)
	if err := m.directory(p, dir); err != nil {
		return err
	}
	return m.tree.walk(p, nil, &m.user, name, last)
}

// splitLast cuts name into the directory that holds its last component and that
// component, with the slashes behind it.
func splitLast(name string) (dir, last string) {
	end := len(name)
	for end > 0 && name[end-1] == '/' {
		end--
	}
	i := strings.LastIndexByte(name[:end], '/')
	return name[:max(i, 0)], name[i+1:]
}

// directory sets p to the directory name, that something is to be found in.
func (m *Mem) directory(p *place, name string) error {
	t := m.tree
	if name == "" {
		*p = t.top()
		return nil
	}
	if t.known(p, &m.user, name, follow) {
		if p.node == nil {
			return ENOENT
		}
		return nil
	}
	*p = t.top()
	err := t.walk(p, nil, &m.user, name, follow)
	switch {
	case err != nil:
	case p.node == nil:
		err = ENOENT
	case p.node.dir != nil:
		t.remember(&m.user, name, p)
	}
	return err
}

// top is the place that names begin at.
func (t *tree) top() place { return place{dir: t.root(), node: t.root()} }

// walk resolves name for u from the place p on, and sets p to where it leads,
// inside a fence if that is not nil.
func (t *tree) walk(p *place, f *fence, u *User, name string, last lastLink) error {
	for rest := strings.TrimLeft(name, "/"); rest != ""; {
		switch {
		case p.node == nil:
			return ENOENT
		case p.node.dir == nil:
			return ENOTDIR
		}
		if err := u.access(p.node, mayExec); err != nil {
			return err
		}
		name, tail := rest, ""
		if i := strings.IndexByte(rest, '/'); i >= 0 {
			name, tail = rest[:i], rest[i:]
		}
		if len(name) > maxName {
			return ENAMETOOLONG
		}
		rest = strings.TrimLeft(tail, "/")
		node, err := t.lookup(p.node, name)
		if err != nil {
			return err
		}
		p.dir, p.name, p.node, p.slash = p.node, name, node, tail != ""
		if f != nil && f.meets(p) {
			return errLeft
		}
		if node == nil || node.mode&fs.ModeSymlink == 0 {
			continue
		}
		if rest == "" && (last == keep || last == nofollow && tail == "") {
			continue
		}
		if last == creates && rest == "" && tail != "" {
			return EISDIR
		}
		if p.links++; p.links > maxLinks {
			return ELOOP
		}
		p.linked = p.linked || rest == ""
		rest = node.target + tail
		if rest[0] == '/' {
			rest = strings.TrimLeft(rest, "/")
			p.dir, p.name = t.root(), ""
		}
		p.node = p.dir
	}
	return nil
}

// meets reports whether p is at or behind the fence.
func (f *fence) meets(p *place) bool {
	switch {
	case p.node == nil:
		return false
	case p.node.dir != nil:
		return f.stops[p.node.ino] || f.inner && p.name == ".." && p.dir.ino == rootIno
	}
	return f.inner && strings.HasPrefix(p.node.target, "/")
}

// checkPath refuses what no name of a file can be.
func checkPath(name string) error {
	switch {
	case name == "":
		return ENOENT
	case len(name) >= maxPath:
		return ENAMETOOLONG
	case strings.IndexByte(name, 0) >= 0:
		return EINVAL
	}
	return nil
}

// lookup returns what name names in the directory dir, nil for nothing.
func (t *tree) lookup(dir *inode, name string) (*inode, error) {
	switch name {
	case ".":
		return dir, nil
	case "..":
		return t.inodes.get(dir.parent), nil
	}
	names, err := dir.loaded()
	if err != nil {
		return nil, err
	}
	return t.inodes.get(names.get(name)), nil // nothing has the inode 0
}

// find is walk to what exists.
func (m *Mem) find(p *place, name string, last lastLink) error {
	err := m.walk(p, name, last)
	switch {
	case err != nil:
	case p.node == nil:
		err = ENOENT
	case p.slash && p.node.dir == nil:
		err = ENOTDIR
	}
	return err
}

// node returns what name leads to.
func (m *Mem) node(name string, last lastLink) (*inode, error) {
	var p place
	if m.tree.known(&p, &m.user, name, last) {
		if p.node == nil {
			return nil, ENOENT
		}
		return p.node, nil
	}
	err := m.find(&p, name, last)
	switch {
	case err == ENOENT:
		m.tree.missed(&m.user, name, &p)
	case err == nil && p.dir.dir.names.large() && p.node.mode&fs.ModeSymlink == 0:
		m.tree.remember(&m.user, name, &p)
	}
	return p.node, err
}

// base returns the last component of name, as a FileInfo has it.
func base(name string) string {
	name = strings.TrimRight(name, "/")
	if name == "" {
		return "/"
	}
	return name[strings.LastIndexByte(name, '/')+1:]
}
