package vfs

import (
	"errors"
	"maps"
)

// A Forker is an [FS] that can be copied in a time that does not depend on what
// it holds.
type Forker interface {
	// ForkFS returns a copy. Afterwards each changes without the other.
	ForkFS() (FS, error)
}

// Fork returns a copy of fsys. It fails with [errors.ErrUnsupported] where that
// cannot be copied, as a host directory that is written to cannot.
func Fork(fsys FS) (FS, error) {
	if f, ok := fsys.(Forker); ok {
		return f.ForkFS()
	}
	return nil, pathError("fork", fsys.Name(), errors.ErrUnsupported)
}

// A Restorer is an [FS] that can be given the content of a copy of it.
type Restorer interface {
	// RestoreFS makes the file system hold what from holds, which it leaves
	// as it is. Where it fails it has changed nothing.
	RestoreFS(from FS) error
}

// Restore makes fsys hold what from, a copy of it, holds. It fails with
// [errors.ErrUnsupported] where that cannot be done.
func Restore(fsys, from FS) error {
	if r, ok := fsys.(Restorer); ok {
		return r.RestoreFS(from)
	}
	return pathError("restore", fsys.Name(), errors.ErrUnsupported)
}

// ForkFS is [Mem.Fork].
func (m *Mem) ForkFS() (FS, error) { return m.Fork(), nil }

// RestoreFS is [Mem.Restore].
func (m *Mem) RestoreFS(from FS) error {
	f, ok := from.(*Mem)
	if !ok {
		return pathError("restore", m.Name(), errors.ErrUnsupported)
	}
	if err := m.tree.quota.bounds(f.tree.quota); err != nil {
		return pathError("restore", m.Name(), err)
	}
	m.Restore(f)
	return nil
}

// ForkFS returns the file system itself: nothing changes it.
func (i *ioFS) ForkFS() (FS, error) { return i, nil }

// ForkFS returns r itself where what it shows cannot be copied: nobody can write
// to it through r.
func (r *readOnly) ForkFS() (FS, error) {
	under, err := Fork(r.under)
	if errors.Is(err, errors.ErrUnsupported) {
		return ReadOnly(r.under), nil
	}
	if err != nil {
		return nil, err
	}
	return ReadOnly(under), nil
}

// ForkFS copies each file system of m. What is written meanwhile may be in the
// copies of some and not of others.
func (m *Mount) ForkFS() (FS, error) {
	table := m.bare()
	c := &Mount{}
	copies := make([]*mounted, len(table))
	f := forker{map[*tree]*tree{}, map[*Quota]*Quota{}}
	for i, e := range table {
		fsys, err := f.fork(e.FS)
		if err != nil {
			return nil, err
		}
		copies[i] = e.with(fsys)
	}
	c.table.Store(&copies)
	return c, nil
}

// A forker copies what is mounted together. It has what it has copied: a file
// system may be mounted twice, and several may have one Quota.
type forker struct {
	trees  map[*tree]*tree
	quotas map[*Quota]*Quota
}

func (f *forker) fork(fsys FS) (FS, error) {
	m, ok := fsys.(*Mem)
	if !ok {
		return Fork(fsys)
	}
	c := f.trees[m.tree]
	if c == nil {
		c = m.tree.fork()
		f.trees[m.tree] = c
		if shared := m.tree.quota.shared; f.quotas[shared] == nil {
			f.quotas[shared] = c.quota.shared
		} else {
			c.quota.shared = f.quotas[shared]
		}
	}
	return &Mem{c, m.user}, nil
}

// with returns a copy of c that mounts another file system there.
func (c *mounted) with(fsys FS) *mounted {
	n := newMounted(fsys, c.point)
	n.fence.stops = maps.Clone(c.fence.stops)
	return n
}

// RestoreFS makes m mount what from mounts. A [Mem] that is mounted where a copy
// of it was stays and is restored; others are replaced, but for those that a
// snapshot has only the place of.
func (m *Mount) RestoreFS(from FS) error {
	f, ok := from.(*Mount)
	if !ok {
		return pathError("restore", m.Name(), errors.ErrUnsupported)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	copied, err := f.ForkFS()
	if err != nil {
		return err
	}
	old := map[string]*mounted{}
	for _, c := range m.bare() {
		old[c.point] = c
	}
	table := copied.(*Mount).bare()
	for i, c := range table { // nothing is changed yet
		switch o := old[c.point]; c.FS.(type) {
		case *absentFS:
			if o == nil {
				return pathError("restore", c.point, ENODEV)
			}
			table[i] = o
		case *Mem:
			if o != nil {
				if err := fits(c.FS, o.FS); err != nil {
					return pathError("restore", c.point, err)
				}
			}
		}
	}
	for i, c := range table {
		from, isMem := c.FS.(*Mem)
		if o := old[c.point]; o != nil && isMem {
			if to, ok := o.FS.(*Mem); ok && to.tree != from.tree {
				to.tree.restore(from.tree)
				table[i] = c.with(to)
			}
		}
	}
	m.table.Store((*[]*mounted)(&table))
	return nil
}

// fits fails unless what from holds is within the bounds of to, where both are in
// memory.
func fits(from, to FS) error {
	f, ok := from.(*Mem)
	t, is := to.(*Mem)
	if !ok || !is {
		return nil
	}
	return t.tree.quota.bounds(f.tree.quota)
}
