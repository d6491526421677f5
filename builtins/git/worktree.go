package git

import (
	"io"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/limpet-sh/limpet/builtins"
	"github.com/limpet-sh/limpet/vfs"
)

func itoa(n int) string { return strconv.Itoa(n) }

// inputLines returns the lines of standard input, or what NULs end.
func (g *git) inputLines(nul bool) (list []string, err error) {
	delim := byte('\n')
	if nul {
		delim = 0
	}
	lines := g.Lines(g.Stdin, delim)
	defer lines.Close()
	for {
		line, err := lines.Next()
		if err == io.EOF {
			return list, nil
		}
		if err != nil {
			return nil, err
		}
		text, _ := builtins.TrimDelim(line, delim)
		if err := g.hold(len(text) + 16); err != nil {
			return nil, err
		}
		list = append(list, string(text))
	}
}

// An untracked is a search for files that are not in the index.
type untracked struct {
	g       *git
	x       *index
	paths   *pathspec
	ign     *ignorer
	whole   bool // a directory without tracked files is listed as one
	pure    bool // but only where nothing in it is ignored
	ignored bool // what is ignored is listed too, apart

	list, ignoredList []string
}

// untracked finds the files that are not in the index. Directories end with a
// slash.
func (g *git) untracked(x *index, paths *pathspec, whole, ignored bool) (*untracked, error) {
	u := &untracked{g: g, x: x, paths: paths, ign: g.ignorer(), whole: whole, ignored: ignored}
	err := u.walk("", 0)
	slices.Sort(u.list)
	slices.Sort(u.ignoredList)
	return u, err
}

// walk looks through a directory, whose name ends with a slash or is empty.
func (u *untracked) walk(dir string, depth int) error {
	if depth > 500 {
		return nil
	}
	entries, err := u.g.FS.ReadDir(u.g.full(dir))
	if err != nil {
		return nil
	}
	for _, e := range entries {
		if err := u.g.Poll(1); err != nil {
			return err
		}
		name := dir + e.Name()
		if e.Name() == ".git" || e.Type()&(fs.ModeNamedPipe|fs.ModeSocket|fs.ModeDevice) != 0 {
			continue
		}
		if e.IsDir() {
			if err := u.directory(name, depth); err != nil {
				return err
			}
			continue
		}
		if u.x.get(name) != nil || !u.paths.match(name) {
			continue
		}
		r := u.ign.of(name, false)
		if err := u.add(name, r != nil && !r.keep); err != nil {
			return err
		}
	}
	return nil
}

func (u *untracked) add(name string, ignored bool) error {
	if ignored && !u.ignored {
		return nil
	}
	if err := u.g.hold(len(name) + 16); err != nil {
		return err
	}
	if ignored {
		u.ignoredList = append(u.ignoredList, name)
	} else {
		u.list = append(u.list, name)
	}
	return nil
}

// directory looks at a directory.
func (u *untracked) directory(name string, depth int) error {
	if e := u.x.get(name); e != nil && e.mode == modeGitlink || !u.paths.under(name) {
		return nil
	}
	r := u.ign.of(name, true)
	tracked := u.x.hasDir(name)
	if r != nil && !r.keep && !tracked {
		if u.paths.match(name) {
			return u.add(name+"/", true)
		}
		return nil
	}
	if _, err := u.g.FS.Lstat(u.g.full(name) + "/.git/HEAD"); err == nil && !tracked {
		if u.paths.match(name) {
			return u.add(name+"/", false)
		}
		return nil
	}
	if tracked || !u.whole || !u.paths.match(name) {
		return u.walk(name+"/", depth+1)
	}
	inner := &untracked{g: u.g, x: u.x, paths: u.paths, ign: u.ign, ignored: u.ignored || u.pure, whole: u.pure, pure: u.pure}
	if err := inner.walk(name+"/", depth+1); err != nil {
		return err
	}
	if u.pure && len(inner.ignoredList) > 0 {
		u.list = append(u.list, inner.list...)
		u.ignoredList = append(u.ignoredList, inner.ignoredList...)
		return nil
	}
	if len(inner.list) > 0 {
		if err := u.add(name+"/", false); err != nil {
			return err
		}
	}
	if len(inner.list) == 0 && len(inner.ignoredList) > 0 {
		return u.add(name+"/", true)
	}
	u.ignoredList = append(u.ignoredList, inner.ignoredList...)
	return nil
}

// writeWork writes a file of the working tree, and returns its status.
func (g *git) writeWork(f file) (fs.FileInfo, error) {
	if !validPath(f.path) {
		return nil, mistakef("invalid path '%s'", f.path)
	}
	full := g.full(f.path)
	if f.mode == modeGitlink {
		if err := g.FS.MkdirAll(full, 0o777); err != nil {
			return nil, err
		}
		return g.FS.Lstat(full)
	}
	data, err := g.objects.readKind(f.hash, "blob")
	if err != nil {
		return nil, err
	}
	defer g.Free(len(data))
	if err := g.makeDir(path.Dir(f.path)); err != nil {
		return nil, err
	}
	info, err := g.FS.Lstat(full)
	if err == nil {
		if info.IsDir() {
			err = g.FS.RemoveAll(full)
		} else {
			err = g.FS.Remove(full)
		}
		if err != nil {
			return nil, mistakef("unable to unlink old '%s': %v", f.path, vfs.ErrnoOf(err))
		}
	}
	switch f.mode {
	case modeLink:
		err = g.FS.Symlink(string(data), full)
	case modeExec:
		err = vfs.WriteFile(g.FS, full, data, 0o777)
	default:
		err = vfs.WriteFile(g.FS, full, data, 0o666)
	}
	if err != nil {
		return nil, mistakef("unable to create file %s: %v", f.path, vfs.ErrnoOf(err))
	}
	return g.FS.Lstat(full)
}

// validPath reports whether a path of a tree may be one of the working tree: it
// leads neither out of it nor into the repository.
func validPath(name string) bool {
	for part := range strings.SplitSeq(name, "/") {
		if part == "" || part == "." || part == ".." || strings.EqualFold(part, ".git") {
			return false
		}
	}
	return true
}

// makeDir makes a directory of the working tree, in place of files that are in the
// way.
func (g *git) makeDir(dir string) error {
	if dir == "." {
		return nil
	}
	parts := strings.Split(dir, "/")
	for i := range parts {
		full := g.full(strings.Join(parts[:i+1], "/"))
		info, err := g.FS.Lstat(full)
		if err == nil && !info.IsDir() {
			if err := g.FS.Remove(full); err != nil {
				return mistakef("unable to unlink '%s': %v", full, vfs.ErrnoOf(err))
			}
			err = fs.ErrNotExist
		}
		if err != nil {
			if err := g.FS.Mkdir(full, 0o777); err != nil {
				return mistakef("unable to create directory %s: %v", full, vfs.ErrnoOf(err))
			}
		}
	}
	return nil
}

// removeWork removes a file of the working tree, and directories that it leaves
// empty.
func (g *git) removeWork(name string) error {
	err := g.FS.Remove(g.full(name))
	if err != nil && !missing(err) {
		info, e := g.FS.Lstat(g.full(name))
		if e == nil && info.IsDir() {
			return nil
		}
		return fatalf("git %s: '%s': %v", g.name, name, vfs.ErrnoOf(err))
	}
	for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
		if g.repo.prefix == dir+"/" || g.FS.Remove(g.full(dir)) != nil {
			break
		}
	}
	return nil
}

// writeTrees stores the trees of the index, and returns the top one.
func (g *git) writeTrees(x *index) (hash, error) {
	for _, e := range x.entries {
		if e.stage > 0 {
			return hash{}, mistakef("invalid object: %s is unmerged", e.path)
		}
	}
	h, _, err := g.writeTreeOf(x.files(), "", 0)
	return h, err
}

// writeTreeOf stores the tree of the files that begin with prefix, and returns how
// many they are.
func (g *git) writeTreeOf(list []file, prefix string, depth int) (h hash, n int, err error) {
	if depth > 500 {
		return h, 0, fatal("exceeded maximum tree depth")
	}
	var entries []treeEntry
	for n < len(list) && strings.HasPrefix(list[n].path, prefix) {
		name, _, below := strings.Cut(list[n].path[len(prefix):], "/")
		if !below {
			entries = append(entries, treeEntry{name, list[n].mode, list[n].hash})
			n++
			continue
		}
		sub, k, err := g.writeTreeOf(list[n:], prefix+name+"/", depth+1)
		if err != nil {
			return h, 0, err
		}
		entries = append(entries, treeEntry{name, modeDir, sub})
		n += k
	}
	h, err = g.objects.write("tree", formatTree(entries))
	return h, n, err
}
