package docker

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"
	"syscall"
)

// A shared is the workspace as a directory of this machine. Links that a script has made
// lead nowhere outside it: what it cannot reach is asked of the container.
type shared struct {
	root     *os.Root
	uid, gid int
}

// errElsewhere says that a file is not to be reached from this machine.
var errElsewhere = errors.New("not in the shared directory")

// within returns the name of a file below the workspace.
func within(name string) (string, bool) {
	if !path.IsAbs(name) {
		name = path.Join(workspace, name)
	}
	return strings.CutPrefix(path.Clean(name), workspace+"/")
}

// open opens a regular file.
func (s *shared) open(name string, flag int, perm fs.FileMode) (*os.File, error) {
	below, ok := within(name)
	if s == nil || name == "" || !ok {
		return nil, errElsewhere
	}
	f, err := s.root.OpenFile(below, flag|syscall.O_NONBLOCK, perm)
	if err != nil {
		return nil, errElsewhere
	}
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		_ = f.Close()
		return nil, errElsewhere
	}
	return f, nil
}

// ReadFile returns the content of a regular file.
func (s *Sandbox) ReadFile(ctx context.Context, name string) ([]byte, error) {
	if err := s.usable(ctx); err != nil {
		return nil, err
	}
	f, err := s.shared.open(name, os.O_RDONLY, 0)
	if err != nil {
		return s.Box.ReadFile(ctx, name)
	}
	defer f.Close()
	return io.ReadAll(f)
}

// WriteFile makes data the content of a regular file.
func (s *Sandbox) WriteFile(ctx context.Context, name string, data []byte, perm fs.FileMode) error {
	if err := s.usable(ctx); err != nil {
		return err
	}
	f, err := s.shared.open(name, os.O_WRONLY|os.O_TRUNC, 0)
	if err != nil {
		if f, err = s.shared.open(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm.Perm()); err == nil {
			err = f.Chmod(perm.Perm()) // whatever the umask
			if err == nil && os.Getuid() == 0 {
				err = f.Chown(s.uid, s.gid)
			}
			if err != nil {
				return errors.Join(err, f.Close())
			}
		}
	}
	if err != nil {
		return s.Box.WriteFile(ctx, name, data, perm)
	}
	_, err = f.Write(data)
	return errors.Join(err, f.Close())
}

// usable fails where the sandbox is closed or the context done.
func (s *Sandbox) usable(ctx context.Context) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return s.Box.Usable()
}
