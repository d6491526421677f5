package file

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/limpet-sh/limpet/builtins"
	"github.com/limpet-sh/limpet/internal/walk"
	"github.com/limpet-sh/limpet/vfs"
)

var _ = commands.Add(&builtins.Command{
	Name:     "ln",
	Synopsis: "[OPTION]... TARGET... [LINK_NAME | DIRECTORY]",
	Summary:  "make links between files",
	Run:      runLn,
})

// A linker makes links.
type linker struct {
	c           *builtins.Call
	out         *bufio.Writer
	symbolic    bool
	relative    bool
	force       bool
	interactive bool
	logical     bool // follow a target that is a symbolic link
	keepLink    bool // -n: a destination that is a link to a directory is no directory
	directories bool // -d: try to link directories
	verbose     bool
	backup      backup
	created     map[string]identity // hard links, by name
}

func runLn(_ context.Context, c *builtins.Call) error {
	l := &linker{c: c, out: bufio.NewWriter(c.Stdout), created: map[string]identity{}}
	t := target{links: true}
	f := c.Flags()
	backups := backupFlags(c, f, &l.backup)
	t.flags(f, false)
	f.Bool(&l.directories, "d,F,directory", "allow the superuser to attempt to hard link directories")
	f.Do("f,force", "remove existing destination files", func() error { l.force, l.interactive = true, false; return nil })
	f.Do("i,interactive", "prompt whether to remove destinations", func() error { l.force, l.interactive = false, true; return nil })
	f.Do("L,logical", "dereference TARGETs that are symbolic links", func() error { l.logical = true; return nil })
	f.Bool(&l.keepLink, "n,no-dereference", "treat LINK_NAME as a normal file if it is a symbolic link to a directory")
	f.Do("P,physical", "make hard links directly to symbolic links", func() error { l.logical = false; return nil })
	f.Bool(&l.relative, "r,relative", "with -s, create links relative to link location")
	f.Bool(&l.symbolic, "s,symbolic", "make symbolic links instead of hard links")
	f.Bool(&l.verbose, "v,verbose", "print name of each linked file")
	args, err := f.Parse()
	if err != nil {
		return err
	}
	backups()
	if l.relative && !l.symbolic {
		return errors.New("cannot do --relative without --symbolic")
	}
	list, err := l.place(&t, args)
	if err != nil {
		return f.Fail(err)
	}
	for _, p := range list {
		if err := c.Poll(1); err != nil {
			return err
		}
		if err := l.link(p.src, p.dst); err != nil {
			if err := warn(c, err); err != nil {
				return err
			}
		}
	}
	return finish(l.out, nil)
}

// place is target.place with ln's own rules: one operand is linked to in the
// current directory, and -n looks no further than a link.
func (l *linker) place(t *target, args []string) ([]placement, error) {
	if len(args) == 1 && t.dir == "" && !t.isFile {
		return []placement{{args[0], walk.Join(".", lastName(args[0]))}}, nil
	}
	if l.keepLink && len(args) >= 2 && t.dir == "" {
		last := args[len(args)-1]
		if info, err := l.c.FS.Lstat(last); err == nil && isLink(info) {
			if len(args) > 2 {
				return nil, fmt.Errorf("target %s: %w", builtins.Quote(last), vfs.ENOTDIR)
			}
			t.isFile = true
		}
	}
	return t.place(l.c, args)
}

func (l *linker) link(src, dst string) error {
	info, err := l.source(src)
	if err != nil {
		return err
	}
	text := src
	if l.relative {
		text = l.relativeText(src, dst)
	}
	old, err := l.c.FS.Lstat(dst)
	kept := ""
	if err == nil {
		var done bool
		if kept, done, err = l.clear(src, dst, info, old); done || err != nil {
			return err
		}
	}
	if err := l.make(text, dst); err != nil {
		if kept != "" {
			_ = l.c.FS.Rename(kept, dst)
		}
		return l.explain(text, dst, reason(err))
	}
	return l.made(text, dst, kept)
}

// source looks at what a hard link will be to.
func (l *linker) source(src string) (fs.FileInfo, error) {
	if l.symbolic {
		return nil, nil
	}
	look := l.c.FS.Lstat
	if l.logical {
		look = l.c.FS.Stat
	}
	info, err := look(src)
	switch {
	case err != nil:
		return nil, fmt.Errorf("failed to access %s: %w", builtins.Quote(src), reason(err))
	case info.IsDir() && !l.directories:
		return nil, fmt.Errorf("%s: hard link not allowed for directory", builtins.QuoteMaybe(src))
	}
	return info, nil
}

// clear makes room for a link at dst, where old is, if it may. It reports
// whether nothing is to be linked.
func (l *linker) clear(src, dst string, info, old fs.FileInfo) (kept string, done bool, err error) {
	if !l.force && !l.interactive && !l.backup.wanted() {
		return "", false, nil // and the link fails
	}
	switch {
	case old.IsDir():
		return "", false, fmt.Errorf("%s: cannot overwrite directory", builtins.QuoteMaybe(dst))
	case l.created[dst] != (identity{}) && l.created[dst] == identify(old):
		return "", false, fmt.Errorf("will not overwrite just-created %s with %s", builtins.Quote(dst), builtins.Quote(src))
	case l.same(src, dst, info, old):
		return "", false, fmt.Errorf("%s and %s are the same file", builtins.Quote(src), builtins.Quote(dst))
	}
	if l.interactive {
		_ = l.out.Flush()
		if !ask(l.c, "replace %s?", builtins.Quote(dst)) {
			return "", true, nil
		}
	}
	if l.backup.wanted() {
		if kept, err = l.backup.keep(l.c, dst); err != nil {
			return "", false, fmt.Errorf("cannot backup %s: %w", builtins.Quote(dst), reason(err))
		}
		return kept, false, nil
	}
	if info != nil && vfs.SameFile(info, old) {
		return "", false, nil // two names of one file: make replaces it
	}
	if err := l.c.FS.Remove(dst); err != nil {
		return "", false, fmt.Errorf("cannot remove %s: %w", builtins.Quote(dst), reason(err))
	}
	return "", false, nil
}

// same reports whether removing dst would remove src.
func (l *linker) same(src, dst string, info, old fs.FileInfo) bool {
	if !l.force && (l.symbolic || !l.backup.wanted()) || l.symbolic && l.backup.wanted() {
		return false
	}
	if l.symbolic {
		var err error
		if info, err = l.c.FS.Stat(src); err != nil {
			return false
		}
	}
	if !vfs.SameFile(info, old) {
		return false
	}
	k := copier{c: l.c}
	return vfs.StatOf(info).Nlink == 1 || k.sameEntry(src, dst)
}

func (l *linker) make(text, dst string) error {
	if l.symbolic {
		if text == "" {
			return vfs.ENOENT
		}
		return l.c.FS.Symlink(text, dst)
	}
	if l.logical {
		target, err := resolver{c: l.c, need: needAll}.resolve(text)
		if err != nil {
			return err
		}
		text = target
	}
	err := l.c.FS.Link(text, dst)
	if reason(err) != vfs.EEXIST || !l.force && !l.interactive {
		return err
	}
	if err := l.c.FS.Remove(dst); err != nil {
		return err
	}
	return l.c.FS.Link(text, dst)
}

// explain words the failure of a link.
func (l *linker) explain(text, dst string, err error) error {
	d, t := builtins.Quote(dst), builtins.Quote(text)
	switch {
	case l.symbolic && err != vfs.ENAMETOOLONG && text != "":
		return fmt.Errorf("failed to create symbolic link %s: %w", d, err)
	case l.symbolic:
		return fmt.Errorf("failed to create symbolic link %s -> %s: %w", d, t, err)
	case err == vfs.EMLINK:
		return fmt.Errorf("failed to create hard link to %s: %w", t, err)
	case err == vfs.EDQUOT, err == vfs.EEXIST, err == vfs.ENOSPC, err == vfs.EROFS:
		return fmt.Errorf("failed to create hard link %s: %w", d, err)
	}
	return fmt.Errorf("failed to create hard link %s => %s: %w", d, t, err)
}

// made records a new link, and says so with -v.
func (l *linker) made(text, dst, kept string) error {
	if l.force && !l.symbolic && l.backup.control != "numbered" {
		if info, err := l.c.FS.Lstat(dst); err == nil {
			l.created[dst] = identify(info)
		}
	}
	if !l.verbose {
		return nil
	}
	if kept != "" {
		fmt.Fprintf(l.out, "%s ~ ", builtins.Quote(kept))
	}
	arrow := "=>"
	if l.symbolic {
		arrow = "->"
	}
	_, err := fmt.Fprintf(l.out, "%s %s %s\n", builtins.Quote(dst), arrow, builtins.Quote(text))
	return err
}

// relativeText returns src as seen from the directory of dst.
func (l *linker) relativeText(src, dst string) string {
	r := resolver{c: l.c, need: needNothing}
	dir, err1 := r.resolve(dirOf(dst))
	to, err2 := r.resolve(src)
	if err1 != nil || err2 != nil {
		return src
	}
	return relativeTo(to, dir)
}
