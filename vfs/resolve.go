package vfs

import (
	"io/fs"
	"strings"

	"github.com/spf13/afero"
)

// A lookup is what the resolution of names needs of a file system. The names
// that it gets have no symbolic links above the last component, no "." and no
// "..", and no slash at the end.
type lookup interface {
	afero.Lstater
	afero.LinkReader
}

// A target is what a name resolves to.
type target struct {
	path  string // absolute, as lookup wants names
	dir   string // the directory that the last component was looked for in
	slash bool   // a slash stood behind the name: it is of a directory
	dot   string // the last component, if that is "." or ".."
}

// Resolve returns the absolute form of name without symbolic links, "." and
// "..". The last component may be missing. If that is a symbolic link, it is
// followed if follow is set or a slash stands behind it.
func Resolve(fsys FS, name string, follow bool) (string, error) {
	last := nofollow
	if follow {
		last++
	}
	t, err := resolve(fsys, name, last)
	if err != nil {
		return "", pathError("resolve", name, err)
	}
	return t.path, nil
}

// resolve resolves name a component at a time, as [tree.walk] does.
func resolve(l lookup, name string, last lastLink) (target, error) {
	if err := checkPath(name); err != nil {
		return target{}, err
	}
	t := target{path: "/", dir: "/"}
	links := 0
	for rest := strings.TrimLeft(name, "/"); rest != ""; {
		name, tail := rest, ""
		if i := strings.IndexByte(rest, '/'); i >= 0 {
			name, tail = rest[:i], rest[i:]
		}
		if len(name) > maxName {
			return t, ENAMETOOLONG
		}
		rest = strings.TrimLeft(tail, "/")
		t.dir, t.slash, t.dot = t.path, tail != "", ""
		if name == "." || name == ".." {
			if t.dot = name; name == ".." {
				t.path = parent(t.path)
			}
			continue
		}
		at := join(t.path, name)
		if rest == "" && (last == keep || last == nofollow && tail == "") {
			t.path = at
			break
		}
		mode, err := lstatMode(l, at)
		switch {
		case err == ENOENT && rest == "":
			t.path = at
			return t, nil
		case err != nil:
			return t, err
		case mode&fs.ModeSymlink == 0:
			if t.path = at; rest != "" && !mode.IsDir() {
				return t, ENOTDIR
			}
			continue
		}
		if last == creates && rest == "" && tail != "" {
			return t, EISDIR
		}
		if links++; links > maxLinks {
			return t, ELOOP
		}
		text, err := l.ReadlinkIfPossible(at)
		if err != nil {
			return t, ErrnoOf(err)
		}
		rest = text + tail
		if strings.HasPrefix(rest, "/") {
			t.path = "/"
			rest = strings.TrimLeft(rest, "/")
		}
	}
	return t, nil
}

func lstatMode(l lookup, name string) (fs.FileMode, error) {
	info, _, err := l.LstatIfPossible(name)
	if err != nil {
		return 0, ErrnoOf(err)
	}
	return info.Mode(), nil
}

// join returns the name of an entry of the directory dir.
func join(dir, name string) string {
	if dir == "/" {
		return "/" + name
	}
	return dir + "/" + name
}

// parent returns the directory that holds what the resolved name names.
func parent(name string) string {
	return name[:max(strings.LastIndexByte(name, '/'), 1)]
}

// plain reports whether name is absolute and has no ".", ".." or empty
// component.
func plain(name string) bool {
	if name == "/" {
		return true
	}
	if !strings.HasPrefix(name, "/") || len(name) >= maxPath || strings.IndexByte(name, 0) >= 0 {
		return false
	}
	for rest := name[1:]; ; {
		part, tail, more := strings.Cut(rest, "/")
		if part == "" || part == "." || part == ".." || len(part) > maxName {
			return false
		}
		if !more {
			return true
		}
		rest = tail
	}
}
