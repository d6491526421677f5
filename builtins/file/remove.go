package file

import (
	"bufio"
	"fmt"
	"io/fs"
	"strings"

	"github.com/limpet-sh/limpet/builtins"
	"github.com/limpet-sh/limpet/internal/filemode"
	"github.com/limpet-sh/limpet/internal/walk"
	"github.com/limpet-sh/limpet/vfs"
)

// A remover removes files and, where it may, what is in directories.
type remover struct {
	c                *builtins.Call
	out              *bufio.Writer
	force            bool // what does not exist is no error, no question is asked
	recursive, empty bool // directories, empty directories
	oneFS            bool
	verbose          bool
	ask              bool // before each file
	terminal         bool // ask before removing what may not be written

	failed []bool // by depth, of the directories being emptied
	dev    uint64 // where the operand is
}

// remove removes name and warns of what it cannot remove. The error is one
// that ends the call.
func (r *remover) remove(name string) error {
	r.failed = r.failed[:0]
	return walk.Tree(r.c, name, walk.Options{OneFS: r.oneFS}, r.visit)
}

func (r *remover) visit(e *walk.Entry) error {
	switch {
	case e.Post:
		return r.leave(e)
	case e.Err != nil && r.force && isNotExist(e.Err):
		return nil
	case e.Err != nil:
		return r.fail(e, e.Err)
	case e.Depth == 0 && e.Path != strings.TrimRight(e.Path, "/") && !e.Type().IsDir():
		return r.fail(e, vfs.ENOTDIR)
	case e.Type().IsDir():
		return r.enter(e)
	case r.confirm(e, "remove"):
		return r.unlink(e)
	}
	return nil
}

// enter decides about a directory before its content is seen.
func (r *remover) enter(e *walk.Entry) error {
	switch {
	case !r.recursive && !r.empty:
		return r.fail(e, vfs.EISDIR)
	case !r.recursive:
		if r.isEmpty(e) && !r.confirm(e, "remove") {
			return walk.Skip
		}
		_ = r.unlink(e)
		return walk.Skip
	}
	if r.ask || r.terminal {
		if r.isEmpty(e) {
			if r.confirm(e, "remove") {
				_ = r.unlink(e)
			}
			return walk.Skip
		}
		if !r.confirm(e, "descend into") {
			return walk.Skip
		}
	}
	if r.otherFS(e) {
		r.c.Warnf("skipping %s, since it's on a different device", builtins.Quote(e.Path))
		return r.mark(e)
	}
	r.failed = append(r.failed[:e.Depth], false)
	return nil
}

// otherFS reports whether --one-file-system forbids to enter e.
func (r *remover) otherFS(e *walk.Entry) bool {
	if !r.oneFS {
		return false
	}
	info, err := e.Info()
	if err != nil {
		return false
	}
	dev := vfs.StatOf(info).Dev
	if e.Depth == 0 {
		r.dev = dev
	}
	return dev != r.dev
}

// leave removes a directory whose content has been removed.
func (r *remover) leave(e *walk.Entry) error {
	if r.failed[e.Depth] {
		return r.mark(e)
	}
	if (r.ask || r.terminal) && !r.confirm(e, "remove") {
		return nil
	}
	err := r.c.FS.Remove(e.Path)
	if err != nil && e.Err != nil {
		err = e.Err // that it could not be read tells more
	}
	return r.done(e, err)
}

func (r *remover) unlink(e *walk.Entry) error { return r.done(e, r.c.FS.Remove(e.Path)) }

func (r *remover) done(e *walk.Entry, err error) error {
	switch {
	case err != nil && r.force && reason(err) == vfs.ENOENT:
		return nil
	case err != nil:
		return r.fail(e, err)
	case !r.verbose:
		return nil
	}
	what := "removed"
	if e.Type().IsDir() {
		what = "removed directory"
	}
	_, err = fmt.Fprintf(r.out, "%s %s\n", what, builtins.Quote(e.Path))
	return err
}

// fail warns that e cannot be removed.
func (r *remover) fail(e *walk.Entry, err error) error {
	err = fmt.Errorf("cannot remove %s: %w", builtins.Quote(e.Path), reason(err))
	if err := warn(r.c, err); err != nil {
		return err
	}
	return r.mark(e)
}

// mark notes that what is in the directory of e remains.
func (r *remover) mark(e *walk.Entry) error {
	if e.Depth > 0 && e.Depth <= len(r.failed) {
		r.failed[e.Depth-1] = true
	}
	if e.Type().IsDir() && !e.Post {
		return walk.Skip
	}
	return nil
}

func (r *remover) isEmpty(e *walk.Entry) bool {
	list, err := r.c.FS.ReadDir(e.Path)
	return err == nil && len(list) == 0
}

// confirm asks whether to do something with e where it has to.
func (r *remover) confirm(e *walk.Entry, verb string) bool {
	if r.force || !r.ask && !r.terminal {
		return true
	}
	info, err := e.Info()
	if err != nil {
		return true
	}
	protected := !isLink(info) && !mayWrite(r.c, info)
	if !protected && !r.ask {
		return true
	}
	what := kindOf(info)
	if protected {
		what = "write-protected " + what
	}
	_ = r.out.Flush()
	return ask(r.c, "%s %s %s?", verb, what, builtins.Quote(e.Path))
}

// mayWrite reports whether the user may write a file.
func mayWrite(c *builtins.Call, info fs.FileInfo) bool { return c.User.May(info, 2) }

// kindOf names the type of a file as stat and rm do.
func kindOf(info fs.FileInfo) string {
	switch filemode.TypeLetter(filemode.Unix(info.Mode())) {
	case 'd':
		return "directory"
	case 'l':
		return "symbolic link"
	case 'p':
		return "fifo"
	case 's':
		return "socket"
	case 'b':
		return "block special file"
	case 'c':
		return "character special file"
	}
	if info.Size() == 0 {
		return "regular empty file"
	}
	return "regular file"
}
