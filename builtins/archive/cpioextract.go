package archive

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/limpet-sh/limpet/internal/filemode"
	"github.com/limpet-sh/limpet/vfs"
)

// A cpioExtractor makes the files of members.
type cpioExtractor struct {
	*cpioJob
	empty map[[2]uint64][]string // names of files whose content has not come yet
	made  map[[2]uint64]string   // of files with several names: the one that is made

	prefix string // before names in messages
	copied int64  // bytes
}

// inside returns the name below the directory that a member gets, and false where
// it would lead out.
func (x *cpioExtractor) inside(name string) (string, bool) {
	if x.paths {
		return name, true
	}
	clean := strings.TrimLeft(name, "/")
	if clean != name {
		fmt.Fprintf(x.Stderr, "%s: Removing leading `/' from member names\n", x.Name)
	}
	if clean == "" {
		clean = "."
	}
	if slices.Contains(strings.Split(clean, "/"), "..") {
		x.Warnf("%s: member name contains '..', refused", name)
		return "", false
	}
	parts := strings.Split(clean, "/")
	for i := 1; i < len(parts); i++ {
		dir := strings.Join(parts[:i], "/")
		if info, err := x.view.Lstat(dir); err == nil && info.Mode()&fs.ModeSymlink != 0 {
			x.Warnf("%s: %s is a symbolic link, refused", name, dir)
			return "", false
		}
	}
	return clean, true
}

// member makes the file of a member.
func (x *cpioExtractor) member(h *cpioHeader, content io.Reader) error {
	name, ok := x.inside(h.name)
	if !ok {
		return nil
	}
	old, err := x.view.Lstat(name)
	kind := h.mode & 0o170000
	if err == nil && kind != 0o040000 {
		if !x.over && h.mtime <= old.ModTime().Unix() {
			fmt.Fprintf(x.Stderr, "%s: %s not created: newer or same age version exists\n", x.Name, x.prefix+name)
			if x.mode == 'i' {
				x.shown(name)
			}
			return nil
		}
		if err := x.view.Remove(name); err != nil {
			x.Warnf("cannot remove current %s: %w", name, vfs.ErrnoOf(err))
			return nil
		}
	}
	if err := x.make(h, name, kind, content, old); err != nil {
		if err == errRefused {
			return nil
		}
		if x.Ends(err) {
			return err
		}
		x.Warnf("%s: Cannot open: %w", name, vfs.ErrnoOf(err))
		return nil
	}
	x.shown(x.prefix + name)
	return nil
}

// errRefused is the error of a member that has been refused, with a message.
var errRefused = errors.New("refused")

// make makes the file of a member that is wanted.
func (x *cpioExtractor) make(h *cpioHeader, name string, kind uint32, content io.Reader, old fs.FileInfo) error {
	if dir := path.Dir(name); x.dirs && dir != "." {
		if err := x.view.MkdirAll(dir, 0o777); err != nil {
			return err
		}
	}
	switch kind {
	case 0o040000:
		if old == nil || !old.IsDir() {
			if err := x.view.Mkdir(name, 0o700); err != nil {
				return err
			}
		}
		if x.times {
			x.pending = append(x.pending, restoredTimes{name, time.Unix(h.mtime, 0)})
		}
	case 0o120000:
		b, err := io.ReadAll(io.LimitReader(content, 4097))
		if err != nil {
			return err
		}
		target := string(b)
		if !x.paths && (strings.HasPrefix(target, "/") || hasDotDot(target)) {
			x.Warnf("%s: link to %s leads out of the directory, refused", name, target)
			return errRefused
		}
		return x.view.Symlink(target, name)
	case 0o100000, 0:
		return x.regular(h, name, content)
	default:
		if err := x.view.Mknod(name, filemode.Mode(h.mode), h.rdev); err != nil {
			return err
		}
	}
	return x.attributes(h, name)
}

// regular makes a regular file, or a link to one that the archive has had before.
func (x *cpioExtractor) regular(h *cpioHeader, name string, content io.Reader) error {
	id := [2]uint64{h.dev, h.ino}
	if h.nlink > 1 {
		if first := x.made[id]; first != "" {
			return x.view.Link(first, name)
		}
		if h.size == 0 && h.late {
			if err := x.Alloc(128 + len(name)); err != nil {
				return err
			}
			x.empty[id] = append(x.empty[id], name)
			f, err := x.view.OpenFile(name, vfs.O_WRONLY|vfs.O_CREATE|vfs.O_EXCL, 0o600)
			if err != nil {
				return err
			}
			return errors.Join(f.Close(), x.attributes(h, name))
		}
		x.made[id] = name
	}
	f, err := x.view.OpenFile(name, vfs.O_WRONLY|vfs.O_CREATE|vfs.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	n, err := transfer(x.Call, f, content)
	x.copied += n
	if end := f.Close(); err == nil {
		err = end
	}
	if err == nil && n < h.size {
		err = errors.New("premature end of file")
	}
	if err != nil {
		return err
	}
	if err := x.attributes(h, name); err != nil {
		return err
	}
	for _, other := range x.empty[id] {
		_ = x.view.Remove(other)
		if err := x.view.Link(name, other); err != nil {
			return err
		}
	}
	delete(x.empty, id)
	return nil
}

// attributes sets the owner, the mode and the times of a file.
func (x *cpioExtractor) attributes(h *cpioHeader, name string) error {
	if err := x.own(h); err != nil {
		return err
	}
	if x.User.UID == 0 && !x.keep {
		if err := x.view.Chown(name, int(h.uid), int(h.gid)); err != nil {
			return err
		}
	}
	mode := filemode.Mode(h.mode) & (fs.ModePerm | fs.ModeSetuid | fs.ModeSetgid | fs.ModeSticky)
	if err := x.view.Chmod(name, mode); err != nil {
		return err
	}
	if x.times && h.mode&0o170000 != 0o040000 {
		at := time.Unix(h.mtime, 0)
		return x.view.Chtimes(name, at, at)
	}
	return nil
}
