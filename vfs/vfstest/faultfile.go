package vfstest

import (
	"context"
	"io/fs"

	"github.com/spf13/afero"

	"github.com/limpet-sh/limpet/vfs"
)

// A faultyFile is an open file of a faulty file system.
type faultyFile struct {
	afero.File
	f *faulty
}

func (f *faultyFile) fails(op string) error { return f.f.fails(op, f.Name()) }

func (f *faultyFile) Stat() (fs.FileInfo, error) {
	if err := f.fails("stat"); err != nil {
		return nil, err
	}
	return f.File.Stat()
}

func (f *faultyFile) Read(p []byte) (int, error) {
	if err := f.fails("read"); err != nil {
		return 0, err
	}
	return f.File.Read(p)
}

func (f *faultyFile) ReadAt(p []byte, off int64) (int, error) {
	if err := f.fails("read"); err != nil {
		return 0, err
	}
	return f.File.ReadAt(p, off)
}

func (f *faultyFile) Write(p []byte) (int, error) {
	if err := f.fails("write"); err != nil {
		return 0, err
	}
	return f.File.Write(p)
}

func (f *faultyFile) WriteAt(p []byte, off int64) (int, error) {
	if err := f.fails("write"); err != nil {
		return 0, err
	}
	return f.File.WriteAt(p, off)
}

func (f *faultyFile) WriteString(s string) (int, error) { return f.Write([]byte(s)) }

func (f *faultyFile) Seek(offset int64, whence int) (int64, error) {
	if err := f.fails("seek"); err != nil {
		return 0, err
	}
	return f.File.Seek(offset, whence)
}

func (f *faultyFile) Truncate(size int64) error {
	if err := f.fails("truncate"); err != nil {
		return err
	}
	return f.File.Truncate(size)
}

func (f *faultyFile) Sync() error {
	if err := f.fails("sync"); err != nil {
		return err
	}
	return f.File.Sync()
}

// Close closes the file even where it fails, as Linux does.
func (f *faultyFile) Close() error {
	failure := f.fails("close")
	if err := f.File.Close(); err != nil {
		return err
	}
	return failure
}

func (f *faultyFile) ReadDir(n int) ([]fs.DirEntry, error) {
	if err := f.fails("readdir"); err != nil {
		return nil, err
	}
	return f.File.(fs.ReadDirFile).ReadDir(n)
}

func (f *faultyFile) Readdir(n int) ([]fs.FileInfo, error) {
	if err := f.fails("readdir"); err != nil {
		return nil, err
	}
	return f.File.Readdir(n)
}

func (f *faultyFile) Readdirnames(n int) ([]string, error) {
	if err := f.fails("readdir"); err != nil {
		return nil, err
	}
	return f.File.Readdirnames(n)
}

// Reopen opens the file once more, where it can be.
func (f *faultyFile) Reopen(ctx context.Context, flag int) (afero.File, error) {
	if err := f.fails("open"); err != nil {
		return nil, err
	}
	r, ok := f.File.(vfs.Reopener)
	if !ok {
		return f.f.OpenFileContext(ctx, f.Name(), flag, 0)
	}
	file, err := r.Reopen(ctx, flag)
	if err != nil {
		return nil, err
	}
	return &faultyFile{file, f.f}, nil
}

// ReadContext is Read, ended by ctx where the file below can wait.
func (f *faultyFile) ReadContext(ctx context.Context, p []byte) (int, error) {
	r, ok := f.File.(interface {
		ReadContext(context.Context, []byte) (int, error)
	})
	if !ok {
		return f.Read(p)
	}
	if err := f.fails("read"); err != nil {
		return 0, err
	}
	return r.ReadContext(ctx, p)
}

// WriteContext is Write, ended by ctx where the file below can wait.
func (f *faultyFile) WriteContext(ctx context.Context, p []byte) (int, error) {
	w, ok := f.File.(interface {
		WriteContext(context.Context, []byte) (int, error)
	})
	if !ok {
		return f.Write(p)
	}
	if err := f.fails("write"); err != nil {
		return 0, err
	}
	return w.WriteContext(ctx, p)
}
