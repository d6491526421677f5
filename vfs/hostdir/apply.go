package hostdir

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/limpet-sh/limpet/vfs"
)

// A Refusal is a reason why changes are not applied.
type Refusal struct {
	Name string // of what cannot be changed, from the root of the directory
	Err  error  // why
}

// A RefusedError says that changes cannot be applied, and that none of them was.
type RefusedError struct {
	Refusals []Refusal // by name
}

// Error names the first refusal, and how many there are.
func (e *RefusedError) Error() string {
	first := fmt.Sprintf("%s: %v", e.Refusals[0].Name, e.Refusals[0].Err)
	if n := len(e.Refusals) - 1; n > 0 {
		return fmt.Sprintf("%s (and %d more)", first, n)
	}
	return first
}

// A PartialError says that a host has failed while changes were applied, all of
// which it had promised to take.
type PartialError struct {
	Applied []string // the names of the changes that were made
	Name    string   // of the change that failed
	Err     error
}

// Error names the change that failed.
func (e *PartialError) Error() string {
	return fmt.Sprintf("%s: %v (%d changes were made before)", e.Name, e.Err, len(e.Applied))
}

// Unwrap returns why the change failed.
func (e *PartialError) Unwrap() error { return e.Err }

// Apply makes changes to the directory, also where d is read-only: d is the lower
// file system of an overlay, changes are what [vfs.Changes] has found between the
// overlay as it was at first and after, or some of that. D must have been opened
// with [Options.Track].
//
// First all is checked, and Apply fails with a [*RefusedError] if something has
// changed on the host since the overlay looked at it, or cannot be made there: FIFOs
// and devices, other owners, setuid and setgid bits, symbolic links that lead out of
// the directory, what is on another file system. Then new content is written to
// files with names that begin with ".limpet-", and all is checked again. Only then
// these take the places of what they replace, one by one and each at once, with the
// modes and times of modification that they have in after. A host that fails in that
// last step, in which nothing is written, gives a [*PartialError].
//
// Names are followed through directories alone, never through a symbolic link, and
// never out of d. What has several names has them on the host as well, as far as the
// overlay has looked at them.
//
// When Apply returns, what it has written is on the disk, as far as the host says so.
func (d *Dir) Apply(ctx context.Context, changes []vfs.Change, after *vfs.Mem) error {
	if d.rooted.seen == nil {
		return errors.New("hostdir: Apply needs Options.Track")
	}
	a, err := newApplication(d.rooted, changes, after)
	if err != nil {
		return err
	}
	if err := a.check(ctx, false); err != nil {
		return err
	}
	if err := a.stage(ctx); err != nil {
		a.discard()
		return err
	}
	if err := a.check(ctx, true); err != nil {
		a.discard()
		return err
	}
	if err := a.commit(); err != nil {
		a.discard()
		return err
	}
	return a.sync()
}

// An application is one call of Apply.
type application struct {
	*rooted
	files *vfs.Mem // what is to be
	steps []*step  // by name
	named map[string]*step
	tag   string // that the names of this one's files begin with

	links map[uint64]*step // by number of a file with several names: what has one of them
	names map[uint64]*step // what has one that does not change; see kept
	done  []string
}

// A step is one change.
type step struct {
	vfs.Change
	at      int    // in the order of steps
	staged  string // the name from the root of what is to take the place; "" for nothing
	written bool   // there was something to stage other than a directory
	file    fs.FileInfo
	top     *step // the outermost new directory that it is in
}

// goes reports whether what there was is to be removed.
func (s *step) goes() bool {
	return s.Old != nil && (s.New == nil || s.New.Mode().Type() != s.Old.Mode().Type())
}

// comes reports whether something is to be where nothing is, or nothing of its kind.
func (s *step) comes() bool { return s.New != nil && (s.Old == nil || s.goes()) }

// newApplication puts the changes in order.
func newApplication(r *rooted, changes []vfs.Change, after *vfs.Mem) (*application, error) {
	a := &application{
		rooted: r, files: after.Fork().As(vfs.User{}), named: map[string]*step{}, links: map[uint64]*step{},
		tag: ".limpet-" + randomName(),
	}
	for _, c := range changes {
		s := &step{Change: c}
		if !strings.HasPrefix(c.Name, "/") || c.Name != "/" && !fs.ValidPath(c.Name[1:]) || a.named[c.Name] != nil || c.Old == nil && c.New == nil {
			return nil, fmt.Errorf("hostdir: %q is not the name of one change", c.Name)
		}
		a.named[c.Name] = s
		a.steps = append(a.steps, s)
	}
	slices.SortFunc(a.steps, func(x, y *step) int { return comparePaths(x.Name, y.Name) })
	for i, s := range a.steps {
		if s.at = i; !s.comes() {
			continue
		}
		if up := a.named[parent(s.Name)]; up != nil && up.comes() && up.New.IsDir() {
			if s.top = up.top; s.top == nil {
				s.top = up
			}
		}
	}
	return a, nil
}

// comparePaths orders names so that all below a directory follow it.
func comparePaths(a, b string) int {
	return strings.Compare(strings.ReplaceAll(a, "/", "\x00"), strings.ReplaceAll(b, "/", "\x00"))
}

// parent returns the directory that a name other than the root is in.
func parent(name string) string { return name[:max(strings.LastIndexByte(name, '/'), 1)] }

// leaf returns the last component of a name.
func leaf(name string) string { return name[strings.LastIndexByte(name, '/')+1:] }

// openDir opens a directory by a name from the root, component by component: no
// symbolic link is followed. What the overlay has seen must be what is there.
func (a *application) openDir(name string) (*os.Root, error) {
	dir, err := a.root.OpenRoot(".")
	if err != nil {
		return nil, reason(err)
	}
	if name == "/" {
		return dir, nil
	}
	path := ""
	for part := range strings.SplitSeq(name[1:], "/") {
		path += "/" + part
		next, err := a.enter(dir, part, path)
		dir.Close()
		if err != nil {
			return nil, err
		}
		dir = next
	}
	return dir, nil
}

// enter opens the directory part, which is called path from the root, of dir.
func (a *application) enter(dir *os.Root, part, path string) (*os.Root, error) {
	next, err := dir.OpenRoot(part)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, reason(err))
	}
	now, err := dir.Lstat(part)
	if err == nil {
		err = a.entered(next, now, path)
	}
	if err != nil {
		next.Close()
		return nil, fmt.Errorf("%s: %w", path, reason(err))
	}
	return next, nil
}

// entered fails unless next is the directory that now describes, and the one that
// was seen as path.
func (a *application) entered(next *os.Root, now fs.FileInfo, path string) error {
	in, err := next.Stat(".")
	switch {
	case err != nil:
		return err
	case !now.IsDir():
		return vfs.ENOTDIR
	case !os.SameFile(in, now):
		return errReplaced
	}
	if s, ok := a.seen.find(path); ok && !os.SameFile(s.host, now) {
		return errReplaced
	}
	return nil
}
