package file

import (
	"io/fs"
	"strings"

	"github.com/limpet-sh/limpet/builtins"
	"github.com/limpet-sh/limpet/vfs"
)

// need says how much of a name must exist for it to have a canonical form.
type need uint8

const (
	needParent need = iota // all but the last component
	needAll
	needNothing
)

// maxLinks is how many symbolic links the resolution of a name may follow.
const maxLinks = 40

// A resolver finds the canonical form of names.
type resolver struct {
	c     *builtins.Call
	need  need
	plain bool // leave symbolic links as they are
}

// resolve returns the absolute name of the same file without symbolic links,
// "." and "..".
func (r resolver) resolve(name string) (string, error) {
	if name == "" {
		return "", vfs.ENOENT
	}
	dest, rest, links := "/", r.c.FS.Abs(name), 0
	for rest != "" {
		if err := r.c.Poll(1); err != nil {
			return "", err
		}
		rest = strings.TrimLeft(rest, "/")
		elem, after, slash := strings.Cut(rest, "/")
		switch elem {
		case "", ".":
			rest = after
			continue
		case "..":
			dest, rest = dirOf(dest), after
			continue
		}
		next := strings.TrimSuffix(dest, "/") + "/" + elem
		target, err := r.look(next, after, slash)
		if err != nil {
			return "", err
		}
		if target == "" {
			dest, rest = next, after
			continue
		}
		if links++; links > maxLinks {
			if r.need != needNothing {
				return "", vfs.ELOOP
			}
			dest, rest = next, after
			continue
		}
		if rest = target; slash {
			rest = target + "/" + after
		}
		if target[0] == '/' {
			dest = "/"
		}
	}
	return dest, nil
}

// look returns the text of the symbolic link name; "" where it is none. after
// is what remains of the name being resolved, after a slash if there was one.
func (r resolver) look(name, after string, slash bool) (string, error) {
	info, err := r.c.FS.Lstat(name)
	if err != nil {
		switch {
		case r.need == needNothing:
			return "", nil
		case r.need == needParent && strings.Trim(after, "/") == "" && reason(err) == vfs.ENOENT:
			return "", nil
		}
		return "", reason(err)
	}
	isLink := info.Mode().Type() == fs.ModeSymlink
	if isLink && !r.plain {
		target, err := r.c.FS.Readlink(name)
		return target, reason(err)
	}
	if slash && r.need != needNothing {
		if isLink {
			info, err = r.c.FS.Stat(name)
		}
		if err == nil && !info.IsDir() {
			err = vfs.ENOTDIR
		}
	}
	return "", reason(err)
}
