package vfs

import (
	"context"
	"io/fs"
	"os"
	"strings"

	"github.com/spf13/afero"
)

// An openFile is what all files of an [FS] are.
type openFile interface {
	afero.File
	ReadDir(n int) ([]fs.DirEntry, error)
}

// wrap makes f, which fsys knows as inner, a file of m called name.
func (m *Mount) wrap(f afero.File, fsys FS, name, inner string) afero.File {
	o, ok := f.(openFile)
	if !ok || name == inner && len(m.bare()) == 1 {
		return f
	}
	return &mountFile{o, name, m, fsys, inner}
}

// A mountFile is an open file of a Mount.
type mountFile struct {
	openFile
	name  string // that it was opened by
	m     *Mount
	fsys  FS
	inner string // its name in fsys
}

func (f *mountFile) Name() string { return f.name }

func (f *mountFile) Stat() (fs.FileInfo, error) {
	info, err := f.openFile.Stat()
	return named(info, f.name, err)
}

func (f *mountFile) ReadDir(n int) ([]fs.DirEntry, error) {
	list, err := f.openFile.ReadDir(n)
	points := f.points()
	for i, e := range list {
		if c := points[e.Name()]; c != nil {
			if info, err := c.Stat("/"); err == nil {
				list[i] = fs.FileInfoToDirEntry(&namedInfo{info, e.Name()})
			}
		}
	}
	return list, err
}

func (f *mountFile) Readdir(n int) ([]fs.FileInfo, error) {
	list, err := f.openFile.Readdir(n)
	points := f.points()
	for i, covered := range list {
		if c := points[covered.Name()]; c != nil {
			if info, err := c.Stat("/"); err == nil {
				list[i] = &namedInfo{info, covered.Name()}
			}
		}
	}
	return list, err
}

// Reopen opens the file once more, if it can be.
func (f *mountFile) Reopen(ctx context.Context, flag int) (afero.File, error) {
	r, ok := f.openFile.(Reopener)
	if !ok {
		return openContext(ctx, f.fsys, f.inner, flag, 0)
	}
	o, err := r.Reopen(ctx, flag)
	if err != nil {
		return nil, err
	}
	return f.m.wrap(o, f.fsys, f.name, f.inner), nil
}

// ReadContext is Read, ended by ctx where reading may wait.
func (f *mountFile) ReadContext(ctx context.Context, p []byte) (int, error) {
	if r, ok := f.openFile.(waiter); ok {
		return r.ReadContext(ctx, p)
	}
	return f.Read(p)
}

// WriteContext is Write, ended by ctx where writing may wait.
func (f *mountFile) WriteContext(ctx context.Context, p []byte) (int, error) {
	if w, ok := f.openFile.(waiter); ok {
		return w.WriteContext(ctx, p)
	}
	return f.Write(p)
}

// A waiter is a file whose reads and writes may wait.
type waiter interface {
	ReadContext(ctx context.Context, p []byte) (int, error)
	WriteContext(ctx context.Context, p []byte) (int, error)
}

// points returns what is mounted on entries of the directory f.
func (f *mountFile) points() map[string]*mounted {
	table := f.m.bare()
	if len(table) == 1 {
		return nil
	}
	at, err := Resolve(f.fsys, f.inner, true)
	if err != nil {
		return nil
	}
	if point := f.m.pointOf(f.fsys); point != "/" {
		at = strings.TrimRight(point+at, "/")
	}
	var points map[string]*mounted
	for _, c := range table {
		if c.point != "/" && parent(c.point) == at {
			if points == nil {
				points = map[string]*mounted{}
			}
			points[base(c.point)] = c
		}
	}
	return points
}

// named returns info under the base name of name.
func named(info fs.FileInfo, name string, err error) (fs.FileInfo, error) {
	if err != nil {
		return nil, err
	}
	if b := base(name); info.Name() != b {
		return &namedInfo{info, b}, nil
	}
	return info, nil
}

// A namedInfo is a FileInfo under another name.
type namedInfo struct {
	fs.FileInfo
	name string
}

func (i *namedInfo) Name() string { return i.name }

// linkErrorOf returns err, which is nil or about any names, as the failure of
// op on two names.
func linkErrorOf(op, oldname, newname string, err error) error {
	if err == nil {
		return nil
	}
	if e, ok := err.(*os.LinkError); ok {
		err = e.Err
	}
	return linkError(op, oldname, newname, ErrnoOf(err))
}
