//go:build linux

package host

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// path returns the name of a file for the host.
func (s *Sandbox) path(name string) string {
	if name == "" || filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(s.workspace, name)
}

// ReadFile returns the content of a regular file.
func (s *Sandbox) ReadFile(ctx context.Context, name string) ([]byte, error) {
	_, end, err := s.begin()
	if err != nil {
		return nil, err
	}
	defer end()
	f, err := openFile(s.path(name), os.O_RDONLY, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(reader{ctx, f})
}

// WriteFile makes data the content of a regular file.
func (s *Sandbox) WriteFile(ctx context.Context, name string, data []byte, perm fs.FileMode) error {
	_, end, err := s.begin()
	if err != nil {
		return err
	}
	defer end()
	if err := ctx.Err(); err != nil {
		return err
	}
	path := s.path(name)
	f, err := openFile(path, os.O_WRONLY|os.O_TRUNC, 0)
	if errors.Is(err, fs.ErrNotExist) && name != "" {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if f, err = openFile(path, os.O_WRONLY|os.O_CREATE, perm); err == nil {
			err = f.Chmod(perm) // whatever the umask
		}
	}
	if err != nil {
		if f != nil {
			_ = f.Close()
		}
		return err
	}
	_, err = f.Write(data)
	return errors.Join(err, f.Close())
}

// openFile opens a file that must be a regular one, without waiting for anybody at
// the other end of a pipe.
func openFile(path string, flag int, perm fs.FileMode) (*os.File, error) {
	f, err := os.OpenFile(path, flag|syscall.O_NONBLOCK, perm)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	switch {
	case err != nil:
	case info.IsDir():
		err = &fs.PathError{Op: "open", Path: path, Err: syscall.EISDIR}
	case !info.Mode().IsRegular():
		err = &fs.PathError{Op: "open", Path: path, Err: errors.New("not a regular file")}
	default:
		return f, nil
	}
	_ = f.Close()
	return nil, err
}

// reader reads a file until its context is done.
type reader struct {
	ctx context.Context
	f   *os.File
}

// Read reads.
func (r reader) Read(b []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.f.Read(b)
}
