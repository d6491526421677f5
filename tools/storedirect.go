package tools

import (
	"context"
	"crypto/rand"
	"errors"
	"io"
	"io/fs"
	"path"
	"strings"

	"github.com/limpet-sh/limpet/vfs"
)

// errTooLarge ends the reading of a file that is larger than was asked for.
var errTooLarge = errors.New("the file is too large")

// maximumLinks is how many symbolic links a name may lead through.
const maximumLinks = 40

// A directStore is one that this process can reach.
type directStore struct{ fsys vfs.FS }

func (s *directStore) view() *vfs.View { return &vfs.View{FS: s.fsys, Dir: "/", Umask: 0o022} }

func (s *directStore) entry(_ context.Context, name string) (entry, error) {
	v := s.view()
	real, err := realPath(v, name)
	if err != nil {
		return entry{}, err
	}
	info, err := v.Lstat(real)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return entry{path: real}, nil
	case err != nil:
		return entry{}, err
	}
	e := entry{path: real, kind: special, size: info.Size(), changed: info.ModTime().UTC().Format("2006-01-02T15:04:05.000000000")}
	if info.IsDir() {
		e.kind = directory
	} else if info.Mode().IsRegular() {
		e.kind = file
	}
	return e, nil
}

// realPath follows the links in the directories of a name. What does not exist stays
// as it is written.
func realPath(v *vfs.View, name string) (string, error) {
	at, rest, links := "/", name, 0
	for {
		rest = strings.TrimLeft(rest, "/")
		part, more, _ := strings.Cut(rest, "/")
		last := strings.Trim(more, "/") == ""
		switch {
		case part == "":
			return at, nil
		case part == ".":
		case part == "..":
			at = path.Dir(at)
		default:
			next := path.Join(at, part)
			target := ""
			if !last {
				target, _ = v.Readlink(next) // what is no link has no target
			}
			if target == "" {
				at = next
				break
			}
			if links++; links > maximumLinks {
				return "", &fs.PathError{Op: "open", Path: name, Err: vfs.ELOOP}
			}
			if strings.HasPrefix(target, "/") {
				at = "/"
			}
			more = target + "/" + more
		}
		rest = more
	}
}

// chunk is how much of a file is read at once.
const chunk = 64 << 10

func (s *directStore) copy(ctx context.Context, name string, w io.Writer) error {
	f, err := s.view().Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	buf := make([]byte, chunk)
	for {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		n, err := f.Read(buf)
		if n > 0 {
			if _, err := w.Write(buf[:n]); err != nil {
				return err
			}
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

func (s *directStore) replace(_ context.Context, name string, data []byte) error {
	v := s.view()
	dir, base := path.Split(name)
	if err := v.MkdirAll(path.Clean(dir), 0o777); err != nil {
		return err
	}
	mode, chmod := fs.FileMode(0o666), false
	if info, err := v.Lstat(name); err == nil {
		mode, chmod = info.Mode().Perm()|info.Mode()&(fs.ModeSetuid|fs.ModeSetgid|fs.ModeSticky), true
	}
	temp := temporary(dir, base)
	f, err := v.OpenFile(temp, vfs.O_WRONLY|vfs.O_CREATE|vfs.O_EXCL, mode)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err == nil {
		err = f.Sync()
	}
	err = errors.Join(err, f.Close())
	if err == nil && chmod {
		err = v.Chmod(temp, mode)
	}
	if err == nil {
		err = v.Rename(temp, name)
	}
	if err != nil {
		_ = v.Remove(temp) // the error that matters is the first
	}
	return err
}

// temporary returns the name of a file beside another, not longer than a name may
// be.
func temporary(dir, base string) string {
	random := strings.ToLower(rand.Text()[:8])
	return dir + "." + cutText(base, 255-len("..")-len(random)-len(".tmp")) + "." + random + ".tmp"
}

func (s *directStore) remove(_ context.Context, name string) error { return s.view().Remove(name) }

func (s *directStore) private(_ context.Context, dir string) error {
	v := s.view()
	if err := v.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	return v.Chmod(dir, 0o700)
}
