package git

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"github.com/limpet-sh/limpet/vfs"
)

// mv is git mv.
func (g *git) mv(args []string) error {
	force, dry, verbose, skip := false, false, false, false
	f := g.options("[<options>] <source>... <destination>")
	f.bool(&force, "f,force")
	f.bool(&dry, "n,dry-run")
	f.bool(&verbose, "v,verbose")
	f.bool(&skip, "k")
	args, rest, err := f.parse(args)
	if err != nil {
		return err
	}
	if err := g.inTree(); err != nil {
		return err
	}
	names := append(args, rest...)
	if len(names) < 2 {
		return usage(f.usage)
	}
	x, err := g.readIndex()
	if err != nil {
		return err
	}
	target := names[len(names)-1]
	info, statErr := g.FS.Stat(target)
	intoDir := statErr == nil && info.IsDir()
	if len(names) > 2 && !intoDir {
		return fatalf("destination '%s' is not a directory", target)
	}
	inRepo := func(name string) string { return strings.TrimPrefix(path.Join("/", g.repo.prefix, name), "/") }
	var moves [][2]string
	for _, name := range names[:len(names)-1] {
		from, to := inRepo(name), inRepo(target)
		if intoDir {
			to = path.Join(to, path.Base(from))
		}
		if err := g.mayMove(x, from, to, force, verbose); err != nil {
			if skip {
				continue
			}
			return err
		}
		moves = append(moves, [2]string{from, to})
	}
	for _, m := range moves {
		if verbose || dry {
			fmt.Fprintf(g.out, "Renaming %s to %s\n", m[0], m[1])
		}
		if dry {
			continue
		}
		if err := g.move(x, m[0], m[1]); err != nil {
			return err
		}
	}
	if dry {
		return nil
	}
	return g.writeIndex(x)
}

// mayMove refuses what cannot be moved.
func (g *git) mayMove(x *index, from, to string, force, verbose bool) error {
	bad := func(reason string) error { return fatalf("%s, source=%s, destination=%s", reason, from, to) }
	info, err := g.FS.Lstat(g.full(from))
	if err != nil {
		return bad("bad source")
	}
	dir := info.IsDir()
	switch {
	case dir && !x.hasDir(from):
		return bad("source directory is empty")
	case !dir && x.get(from) == nil:
		return bad("not under version control")
	case strings.HasPrefix(to, from+"/"):
		return bad("can not move directory into itself")
	}
	if _, err := g.FS.Lstat(g.full(to)); err == nil {
		if !force || dir {
			return bad("destination exists")
		}
		if verbose {
			fmt.Fprintf(g.Stderr, "warning: overwriting '%s'\n", to)
		}
	}
	return nil
}

// move moves a file or a directory, in the working tree and in the index.
func (g *git) move(x *index, from, to string) error {
	dir := x.hasDir(from)
	if err := g.FS.Rename(g.full(from), g.full(to)); err != nil {
		return fatalf("renaming '%s' failed: %v", from, vfs.ErrnoOf(err))
	}
	var moved []*indexEntry
	for _, e := range x.entries {
		if e.path == from || dir && strings.HasPrefix(e.path, from+"/") {
			moved = append(moved, e)
		}
	}
	for _, e := range moved {
		x.remove(e.path)
		fresh := *e
		fresh.path = to + e.path[len(from):]
		if info, err := g.FS.Lstat(g.full(fresh.path)); err == nil && !errors.Is(err, fs.ErrNotExist) && fresh.mtime.Equal(info.ModTime()) {
			fresh.stamp(info)
		}
		x.put(&fresh)
	}
	return nil
}
