package hostdir

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strings"

	"github.com/limpet-sh/limpet/vfs"
)

// check fails with a RefusedError if a change cannot be made. It is called before
// anything is staged, and then again.
func (a *application) check(ctx context.Context, staged bool) error {
	var list []Refusal
	for _, s := range a.steps {
		if err := ctx.Err(); err != nil {
			return context.Cause(ctx)
		}
		err := a.possible(s)
		if err == nil {
			err = a.unchanged(s, staged)
		}
		if err != nil {
			list = append(list, Refusal{s.Name, err})
		}
	}
	if len(list) > 0 {
		return &RefusedError{list}
	}
	return nil
}

// possible fails if the host is not to have what the change makes.
func (a *application) possible(s *step) error {
	if s.New == nil {
		return nil
	}
	mode, st := s.New.Mode(), vfs.StatOf(s.New)
	had := fs.FileMode(0)
	if s.Old != nil {
		had = s.Old.Mode()
	}
	switch {
	case mode.Type()&^(fs.ModeDir|fs.ModeSymlink) != 0:
		return errors.New("FIFOs and devices are not made on the host")
	case mode&(fs.ModeSetuid|fs.ModeSetgid)&^had != 0:
		return errors.New("setuid and setgid bits are not set on the host")
	case st.UID != a.options.UID || st.GID != a.options.GID:
		return errors.New("owners are not changed on the host")
	case s.Name == "/" && s.comes():
		return vfs.EBUSY
	case mode&fs.ModeSymlink != 0:
		text, err := a.files.ReadlinkIfPossible(s.Name)
		if err == nil && leadsOut(s.Name, text) {
			err = fmt.Errorf("a symbolic link to %q leads out of the directory", text)
		}
		return err
	}
	return nil
}

// leadsOut reports whether a symbolic link with this name and text leads out of the
// directory, as its text says: what other links are on the way is not known.
func leadsOut(name, text string) bool {
	if path.IsAbs(text) {
		return true
	}
	depth := strings.Count(name, "/") - 1
	for part := range strings.SplitSeq(text, "/") {
		switch part {
		case "", ".":
		case "..":
			if depth--; depth < 0 {
				return true
			}
		default:
			depth++
		}
	}
	return false
}

// unchanged fails unless what the change replaces is what was there when the
// overlay looked, and can be replaced. Files with several names may have got another
// where something is staged.
func (a *application) unchanged(s *step, staged bool) error {
	if s.Name == "/" {
		now, err := a.root.Lstat(".")
		if err != nil {
			return reason(err)
		}
		return a.wasSeen(s, a.root, ".", now, false)
	}
	if up := a.named[parent(s.Name)]; up != nil && up.comes() && up.New.IsDir() {
		if s.Old == nil {
			return nil // there is no such directory yet
		}
		return vfs.ENOTDIR
	}
	dir, err := a.openDir(parent(s.Name))
	if err != nil {
		return err
	}
	defer dir.Close()
	if err := a.sameDevice(dir); err != nil {
		return err
	}
	now, err := dir.Lstat(leaf(s.Name))
	switch {
	case s.Old == nil && err == nil:
		return errors.New("exists on the host meanwhile")
	case s.Old == nil && errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return reason(err)
	}
	if err := a.wasSeen(s, dir, leaf(s.Name), now, staged); err != nil {
		return err
	}
	if s.goes() && now.IsDir() {
		return a.empties(s, dir)
	}
	return nil
}

// wasSeen fails unless name in dir, which now describes, is what was seen. While
// changes are being made, other names of the same file may have been.
func (a *application) wasSeen(s *step, dir *os.Root, name string, now fs.FileInfo, making bool) error {
	seen, ok := a.seen.find(s.Name)
	if !ok {
		return errors.New("was never looked at")
	}
	return seen.is(dir, name, now, making)
}

// sameDevice fails if dir is on another file system than the root.
func (a *application) sameDevice(dir *os.Root) error {
	var top, here vfs.Stat
	for st, r := range map[*vfs.Stat]*os.Root{&top: a.root, &here: dir} {
		info, err := r.Stat(".")
		if err != nil {
			return reason(err)
		}
		hostStat(st, info)
	}
	if top.Dev != here.Dev {
		return errors.New("is on another file system")
	}
	return nil
}

// empties fails unless everything in a directory that is to be removed is to be
// removed too.
func (a *application) empties(s *step, dir *os.Root) error {
	sub, err := a.enter(dir, leaf(s.Name), s.Name)
	if err != nil {
		return err
	}
	defer sub.Close()
	if err := a.sameDevice(sub); err != nil {
		return err
	}
	f, err := sub.Open(".")
	if err != nil {
		return reason(err)
	}
	defer f.Close()
	names, err := f.Readdirnames(-1)
	if err != nil {
		return reason(err)
	}
	for _, name := range names {
		if in := a.named[s.Name+"/"+name]; in == nil || !in.goes() {
			return fmt.Errorf("has a file %q that is not to be removed", name)
		}
	}
	return nil
}
