// Package walk visits the files of a tree, as fts(3) does, without recursion:
// a tree of any depth costs heap that is charged, never stack.
package walk

import (
	"errors"
	"io/fs"
	"strings"

	"github.com/limpet-sh/limpet/builtins"
	"github.com/limpet-sh/limpet/vfs"
)

// Follow says which symbolic links a walk follows.
type Follow uint8

// The choices that -P, -H and -L of many tools stand for.
const (
	Never Follow = iota
	Operand
	Always
)

// Skip, returned by a visit of a directory before its content, leaves the
// content out. The directory is not visited again then.
var Skip = errors.New("skip this directory")

// ErrCycle is the error of a directory that is its own ancestor, as the
// following of symbolic links can make one.
var ErrCycle = errors.New("file system loop")

// Options are the ways to walk. The zero Options follow no link and cross into
// other file systems.
type Options struct {
	Follow Follow
	OneFS  bool // do not read directories of other file systems than the root's
}

// An Entry is one visit. It is valid until the visit returns.
type Entry struct {
	Path  string // the operand, or the path that begins with it
	Depth int    // 0 for the operand
	Post  bool   // this is the second visit of a directory, after its content

	// Err is why there is no status (the first visit), or why the directory
	// could not be read (the second).
	Err error

	fsys   *vfs.View
	follow bool
	dirent fs.DirEntry
	info   fs.FileInfo
	looked bool
}

// Name returns the last element of the path.
func (e *Entry) Name() string {
	if e.dirent != nil {
		return e.dirent.Name()
	}
	return Base(e.Path)
}

// Type returns the type of the file, looking at as little as it can.
func (e *Entry) Type() fs.FileMode {
	if e.info == nil && e.dirent != nil && !(e.follow && e.dirent.Type() == fs.ModeSymlink) {
		return e.dirent.Type()
	}
	if info, err := e.Info(); err == nil {
		return info.Mode().Type()
	}
	return fs.ModeIrregular
}

// Info returns the status of the file, of the link's target where the walk
// follows it; of the link itself where there is no target.
func (e *Entry) Info() (fs.FileInfo, error) {
	if !e.looked {
		e.looked = true
		e.info, e.Err = e.look()
	}
	return e.info, e.Err
}

func (e *Entry) look() (info fs.FileInfo, err error) {
	if e.dirent != nil {
		info, err = e.dirent.Info()
	} else {
		info, err = e.fsys.Lstat(e.Path)
	}
	if err != nil || !e.follow || info.Mode().Type() != fs.ModeSymlink {
		return info, err
	}
	if target, err := e.fsys.Stat(e.Path); err == nil {
		return target, nil
	} else if vfs.ErrnoOf(err) == vfs.ELOOP {
		return nil, err
	}
	return info, nil
}

// Base returns the last element of path, without slashes; "/" for the root.
func Base(path string) string {
	trimmed := strings.TrimRight(path, "/")
	if trimmed == "" && path != "" {
		return "/"
	}
	return trimmed[strings.LastIndexByte(trimmed, '/')+1:]
}

// Join returns the path of name in dir.
func Join(dir, name string) string {
	if strings.HasSuffix(dir, "/") {
		return dir + name
	}
	return dir + "/" + name
}

// A level is a directory whose content is being visited.
type level struct {
	dir  *Entry
	rest []fs.DirEntry
	cost int
}

// entryCost is what a directory entry that is held costs.
const entryCost = 96

// Tree visits root and what is below it, each directory before and after its
// content, in the order of names. It ends with the first error that visit
// returns, [Skip] aside, or when the call must end.
func Tree(c *builtins.Call, root string, o Options, visit func(*Entry) error) error {
	var stack []level
	defer func() {
		for _, l := range stack {
			c.Free(l.cost)
		}
	}()
	e := &Entry{Path: root, fsys: c.FS, follow: o.Follow != Never}
	first := e
	for {
		if err := c.Poll(1); err != nil {
			return err
		}
		l, err := enter(c, e, first, stack, o, visit)
		if err != nil {
			return err
		}
		if l != nil {
			stack = append(stack, *l)
		}
		if stack, err = leave(c, stack, visit); err != nil || len(stack) == 0 {
			return err
		}
		top := &stack[len(stack)-1]
		d := top.rest[0]
		top.rest = top.rest[1:]
		e = &Entry{Path: Join(top.dir.Path, d.Name()), Depth: top.dir.Depth + 1, fsys: c.FS, follow: o.Follow == Always, dirent: d}
	}
}

// enter visits e and, where it is a directory to go into, returns its level.
func enter(c *builtins.Call, e, root *Entry, stack []level, o Options, visit func(*Entry) error) (*level, error) {
	dir := e.Type().IsDir()
	if e == root {
		_, _ = e.Info() // so that visit sees the error
	}
	if dir && o.Follow == Always && cyclic(e, stack) {
		e.Err = ErrCycle
		return nil, skipped(visit(e))
	}
	if err := visit(e); err != nil || !dir || e.Err != nil {
		return nil, skipped(err)
	}
	l := &level{dir: e}
	if o.OneFS && e != root && otherFS(e, root) {
		return l, nil
	}
	var err error
	l.rest, err = c.FS.ReadDir(e.Path)
	if err != nil {
		e.Err = err
	}
	l.cost = len(l.rest) * entryCost
	if err := c.Alloc(l.cost); err != nil {
		return nil, err
	}
	return l, nil
}

func skipped(err error) error {
	if err == Skip {
		return nil
	}
	return err
}

// leave makes the second visit of the directories that are done.
func leave(c *builtins.Call, stack []level, visit func(*Entry) error) ([]level, error) {
	for len(stack) > 0 {
		top := stack[len(stack)-1]
		if len(top.rest) > 0 {
			break
		}
		c.Free(top.cost)
		stack = stack[:len(stack)-1]
		top.dir.Post = true
		if err := skipped(visit(top.dir)); err != nil {
			return stack, err
		}
	}
	return stack, nil
}

func cyclic(e *Entry, stack []level) bool {
	info, err := e.Info()
	if err != nil {
		return false
	}
	for _, l := range stack {
		if up, err := l.dir.Info(); err == nil && vfs.SameFile(up, info) {
			return true
		}
	}
	return false
}

func otherFS(e, root *Entry) bool {
	a, err1 := e.Info()
	b, err2 := root.Info()
	return err1 == nil && err2 == nil && vfs.StatOf(a).Dev != vfs.StatOf(b).Dev
}
