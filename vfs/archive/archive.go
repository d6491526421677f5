// Package archive fills file systems from tar and zip archives, and makes
// archives of them.
//
// An archive that is read stays below the directory that it is read to: names
// that lead out, and names below symbolic links, are errors.
package archive

import (
	"fmt"
	"io/fs"
	"path"
	"strings"
	"time"

	"github.com/limpet-sh/limpet/vfs"
)

// A file is one file of a tree that is archived.
type file struct {
	path string // in the file system
	name string // in the archive: relative, without a slash at the end
	info fs.FileInfo
}

// walk calls visit for what is below dir, each directory before what is in it,
// in the order of names. The tree may be of any depth.
func walk(fsys vfs.FS, dir string, visit func(f file) error) error {
	pending, err := below(fsys, file{path: dir})
	for err == nil && len(pending) > 0 {
		f := pending[len(pending)-1]
		pending = pending[:len(pending)-1]
		if err = visit(f); err != nil || !f.info.IsDir() {
			continue
		}
		var more []file
		more, err = below(fsys, f)
		pending = append(pending, more...)
	}
	return err
}

// below returns what is in the directory d, the last first.
func below(fsys vfs.FS, d file) ([]file, error) {
	entries, err := vfs.ReadDir(fsys, d.path)
	if err != nil {
		return nil, err
	}
	files := make([]file, len(entries))
	for i, e := range entries {
		info, err := e.Info()
		if err != nil {
			return nil, err
		}
		files[len(files)-1-i] = file{path.Join(d.path, e.Name()), path.Join(d.name, e.Name()), info}
	}
	return files, nil
}

// A NameError is the failure of an archive with a name that leads elsewhere than
// to a place below the directory that it is read to.
type NameError struct{ Name string }

func (e *NameError) Error() string {
	return fmt.Sprintf("archive: name %q leads out of the directory", e.Name)
}

// A target is a directory that an archive is read to.
type target struct {
	fsys vfs.FS
	dir  string
	dirs []directory
}

// A directory is one whose times are still to be set.
type directory struct {
	path  string
	mtime time.Time
}

// place returns the path of the file that an archive calls name, and makes the
// directories above it.
func (t *target) place(name string) (string, error) {
	rel := path.Clean(strings.TrimLeft(name, "/"))
	if rel == ".." || strings.HasPrefix(rel, "../") || strings.IndexByte(name, 0) >= 0 {
		return "", &NameError{name}
	}
	at := t.dir
	if rel == "." {
		return at, nil
	}
	above := strings.Split(rel, "/")
	for _, part := range above[:len(above)-1] {
		at = path.Join(at, part)
		info, err := vfs.Lstat(t.fsys, at)
		switch {
		case err != nil:
			if err := t.fsys.Mkdir(at, 0o755); err != nil {
				return "", err
			}
		case !info.IsDir():
			return "", &NameError{name}
		}
	}
	return path.Join(at, above[len(above)-1]), nil
}

// vacate removes what is at a path that is to be another file, unless it is a
// directory.
func (t *target) vacate(at string) error {
	info, err := vfs.Lstat(t.fsys, at)
	if err != nil || info.IsDir() {
		return nil
	}
	return t.fsys.Remove(at)
}

// mkdir makes the directory at, or takes the one that is there.
func (t *target) mkdir(at string, perm fs.FileMode, mtime time.Time) error {
	if info, err := vfs.Lstat(t.fsys, at); err != nil || !info.IsDir() {
		if err := t.vacate(at); err != nil {
			return err
		}
		if err := t.fsys.Mkdir(at, 0o755); err != nil {
			return err
		}
	}
	t.dirs = append(t.dirs, directory{at, mtime})
	return t.fsys.Chmod(at, perm)
}

// finish sets the times of directories, which what came later has changed.
func (t *target) finish() error {
	for _, d := range t.dirs {
		if err := t.fsys.Chtimes(d.path, d.mtime, d.mtime); err != nil {
			return err
		}
	}
	return nil
}
