package hostdir

import (
	"io"
	"io/fs"
	"os"
	"path"
	"sync/atomic"

	"github.com/limpet-sh/limpet/vfs"
)

// A file is an open file of the host.
type file struct {
	*os.File
	r       *rooted
	name    string // in the sandbox
	appends bool
	closed  atomic.Bool
}

func (f *file) Name() string { return f.name }

func (f *file) fail(op string, err error) error {
	if err == io.EOF {
		return err
	}
	return f.r.fail(op, f.name, err)
}

func (f *file) Close() error {
	if !f.closed.Swap(true) {
		f.r.closed()
	}
	return f.fail("close", f.File.Close())
}

func (f *file) Sync() error { return f.fail("sync", f.File.Sync()) }

func (f *file) Stat() (fs.FileInfo, error) {
	info, err := f.File.Stat()
	if err != nil {
		return nil, f.fail("stat", err)
	}
	return f.r.info(f.name, info), nil
}

func (f *file) Read(p []byte) (int, error) {
	n, err := f.File.Read(p)
	return n, f.fail("read", err)
}

func (f *file) ReadAt(p []byte, off int64) (int, error) {
	if off < 0 {
		return 0, f.fail("read", vfs.EINVAL)
	}
	n, err := f.File.ReadAt(p, off)
	return n, f.fail("read", err)
}

func (f *file) Write(p []byte) (int, error) {
	whence := io.SeekCurrent
	if f.appends {
		whence = io.SeekEnd
	}
	at, err := f.File.Seek(0, whence)
	if err != nil {
		return 0, f.fail("write", err)
	}
	fits, tooBig := f.room(at, p)
	n, err := f.File.Write(fits)
	if err == nil {
		err = tooBig
	}
	return n, f.fail("write", err)
}

// room returns as much of p as may be written at an offset, and EFBIG where that is not
// all.
func (f *file) room(at int64, p []byte) ([]byte, error) {
	if most := f.r.maxSize; most >= 0 && at+int64(len(p)) > most && len(p) > 0 {
		return p[:max(0, most-at)], vfs.EFBIG
	}
	return p, nil
}

func (f *file) WriteString(s string) (int, error) { return f.Write([]byte(s)) }

// WriteAt appends if the file was opened to append, as Linux does.
func (f *file) WriteAt(p []byte, off int64) (int, error) {
	if off < 0 {
		return 0, f.fail("write", vfs.EINVAL)
	}
	if f.appends {
		return f.Write(p)
	}
	fits, tooBig := f.room(off, p)
	n, err := f.File.WriteAt(fits, off)
	if err == nil {
		err = tooBig
	}
	return n, f.fail("write", err)
}

func (f *file) Seek(offset int64, whence int) (int64, error) {
	n, err := f.File.Seek(offset, whence)
	return n, f.fail("seek", err)
}

func (f *file) Truncate(size int64) error {
	if most := f.r.maxSize; most >= 0 && size > most {
		return f.fail("truncate", vfs.EFBIG)
	}
	return f.fail("truncate", f.File.Truncate(size))
}

// ReadFrom and WriteTo of the host's files would give out errors with its names.

func (f *file) ReadFrom(r io.Reader) (int64, error) { return io.Copy(writer{f}, r) }
func (f *file) WriteTo(w io.Writer) (int64, error)  { return io.Copy(w, reader{f}) }

type (
	writer struct{ io.Writer }
	reader struct{ io.Reader }
)

func (f *file) ReadDir(n int) ([]fs.DirEntry, error) {
	host, err := f.File.ReadDir(n)
	list := make([]fs.DirEntry, len(host))
	for i, e := range host {
		list[i] = &entry{f.r, path.Join(f.name, e.Name()), e.Type()}
	}
	return list, f.fail("readdir", err)
}

func (f *file) Readdir(n int) ([]fs.FileInfo, error) { return vfs.EntryInfos(f.ReadDir(n)) }

func (f *file) Readdirnames(n int) ([]string, error) {
	names, err := f.File.Readdirnames(n)
	return names, f.fail("readdir", err)
}
