package hostdir

import (
	"errors"
	"io/fs"
	"maps"
	"os"
	"slices"

	"github.com/limpet-sh/limpet/vfs"
)

// commit makes the changes of what was staged. What takes the place of something of
// another type comes behind its removal, all other removals are last.
func (a *application) commit() error {
	backward := slices.Clone(a.steps)
	slices.Reverse(backward)
	for _, phase := range []struct {
		steps []*step
		when  func(*step) bool
		do    func(*step) error
	}{
		{backward, func(s *step) bool { return s.goes() && a.early(s) }, a.remove},
		{a.steps, func(s *step) bool { return s.staged != "" && s.top == nil }, a.place},
		{backward, func(s *step) bool { return s.goes() && !a.early(s) }, a.remove},
		{backward, func(s *step) bool { return s.New != nil && !s.written }, a.chmod},
	} {
		for _, s := range phase.steps {
			if !phase.when(s) {
				continue
			}
			if err := phase.do(s); err != nil {
				return a.failed(s, reason(err))
			}
		}
	}
	return nil
}

// sync writes the directories in which something has changed to the disk. Hosts that
// cannot do that with a directory need not.
func (a *application) sync() error {
	dirs := map[string]bool{}
	for _, s := range a.steps {
		dirs[parent(s.Name)] = true
		if s.New != nil && s.New.IsDir() {
			dirs[s.Name] = true
		}
	}
	for _, name := range slices.Sorted(maps.Keys(dirs)) {
		dir, err := a.openDir(name)
		if err != nil {
			continue // it was removed as well, or has the mode that it should have
		}
		f, err := dir.Open(".")
		if err == nil {
			err = f.Sync()
			f.Close()
		}
		dir.Close()
		switch e := hostErrno(err); e {
		case vfs.EIO, vfs.ENOSPC, vfs.EDQUOT:
			return &PartialError{Applied: a.done, Name: name, Err: e}
		}
	}
	return nil
}

// failed returns what a failure of a step is for the whole.
func (a *application) failed(s *step, err error) error {
	if len(a.done) == 0 {
		return &RefusedError{[]Refusal{{s.Name, err}}}
	}
	return &PartialError{Applied: a.done, Name: s.Name, Err: err}
}

// early reports whether something is to come where s, or a directory above it, is.
func (a *application) early(s *step) bool {
	for name := s.Name; name != "/"; name = parent(name) {
		if up := a.named[name]; up != nil && up.goes() && up.New != nil {
			return true
		}
	}
	return false
}

// in calls do with the directory that a name is in, and its name there.
func (a *application) in(name string, do func(dir *os.Root, leaf string) error) error {
	if name == "/" {
		return do(a.root, ".")
	}
	dir, err := a.openDir(parent(name))
	if err != nil {
		return err
	}
	defer dir.Close()
	return do(dir, leaf(name))
}

// still fails unless what was seen as s is what is there.
func (a *application) still(s *step, dir *os.Root, name string) error {
	now, err := dir.Lstat(name)
	if err != nil {
		return err
	}
	return a.wasSeen(s, dir, name, now, true)
}

func (a *application) remove(s *step) error {
	err := a.in(s.Name, func(dir *os.Root, name string) error {
		if err := a.still(s, dir, name); err != nil {
			return err
		}
		return dir.Remove(name)
	})
	if err == nil {
		a.done = append(a.done, s.Name)
	}
	return err
}

// place puts what is staged where it belongs.
func (a *application) place(s *step) error {
	err := a.in(s.Name, func(dir *os.Root, name string) error {
		staged := leaf(s.staged)
		if !s.comes() {
			if err := a.still(s, dir, name); err != nil {
				return err
			}
			return dir.Rename(staged, name)
		}
		if !s.New.IsDir() {
			err := dir.Link(staged, name) // unlike a renaming, it replaces nothing
			if err == nil {
				return dir.Remove(staged)
			}
			if errors.Is(err, fs.ErrExist) {
				return errors.New("exists on the host meanwhile")
			}
		}
		if _, err := dir.Lstat(name); !errors.Is(err, fs.ErrNotExist) {
			return errors.New("exists on the host meanwhile")
		}
		return dir.Rename(staged, name)
	})
	if err == nil {
		a.placed(s)
	}
	return err
}

// placed notes that s, and what is in it if it is a new directory, is in its place.
func (a *application) placed(s *step) {
	for _, in := range a.steps[s.at:] {
		if in != s && in.top != s && in.comes() {
			break
		}
		if in == s || in.top == s {
			in.staged = ""
			a.done = append(a.done, in.Name)
		}
	}
}

// chmod gives a directory, or a file of which nothing else changes, its mode.
func (a *application) chmod(s *step) error {
	if s.New.Mode()&fs.ModeSymlink != 0 {
		return nil
	}
	err := a.in(s.Name, func(dir *os.Root, name string) error {
		now, err := dir.Lstat(name)
		if err != nil {
			return err
		}
		if !s.comes() {
			if err := a.wasSeen(s, dir, name, now, true); err != nil {
				return err
			}
		}
		f, err := dir.OpenFile(name, os.O_RDONLY|noBlock, 0)
		if errors.Is(err, fs.ErrPermission) { // of a file that its owner may not read
			return dir.Chmod(name, s.New.Mode())
		}
		if err != nil {
			return err
		}
		defer f.Close()
		if in, err := f.Stat(); err != nil || !os.SameFile(in, now) {
			return errors.Join(errReplaced, err)
		}
		return f.Chmod(s.New.Mode())
	})
	if err == nil && !s.comes() {
		a.done = append(a.done, s.Name)
	}
	return err
}
