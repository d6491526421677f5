package vfs

import (
	"io"
	"io/fs"

	"github.com/spf13/afero"
)

// fileOf returns s as a file called name. What s cannot do fails as it does for
// a pipe.
func fileOf(s Stream, name string) afero.File {
	if f, ok := s.(afero.File); ok {
		return f
	}
	return &streamFile{s, name}
}

// A streamFile is a [Stream] that has no place in a file system.
type streamFile struct {
	Stream
	name string
}

// Unwrap returns the stream itself.
func (f *streamFile) Unwrap() Stream { return f.Stream }

func (f *streamFile) Name() string { return f.name }
func (f *streamFile) Sync() error  { return nil }

func (f *streamFile) WriteString(s string) (int, error) { return io.WriteString(f.Stream, s) }

func (f *streamFile) ReadAt(p []byte, off int64) (int, error) {
	if r, ok := f.Stream.(io.ReaderAt); ok {
		return r.ReadAt(p, off)
	}
	return 0, pathError("read", f.name, ESPIPE)
}

func (f *streamFile) WriteAt(p []byte, off int64) (int, error) {
	if w, ok := f.Stream.(io.WriterAt); ok {
		return w.WriteAt(p, off)
	}
	return 0, pathError("write", f.name, ESPIPE)
}

func (f *streamFile) Seek(offset int64, whence int) (int64, error) {
	if s, ok := f.Stream.(io.Seeker); ok {
		return s.Seek(offset, whence)
	}
	return 0, pathError("seek", f.name, ESPIPE)
}

func (f *streamFile) Truncate(size int64) error {
	if t, ok := f.Stream.(interface{ Truncate(int64) error }); ok {
		return t.Truncate(size)
	}
	return pathError("truncate", f.name, EINVAL)
}

func (f *streamFile) ReadDir(n int) ([]fs.DirEntry, error) {
	if d, ok := f.Stream.(fs.ReadDirFile); ok {
		return d.ReadDir(n)
	}
	return nil, pathError("readdir", f.name, ENOTDIR)
}

func (f *streamFile) Readdir(n int) ([]fs.FileInfo, error) { return EntryInfos(f.ReadDir(n)) }
func (f *streamFile) Readdirnames(n int) ([]string, error) { return namesOf(f.ReadDir(n)) }
