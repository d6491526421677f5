package vfs

import (
	"io/fs"

	"github.com/spf13/afero"
)

// ToIOFS returns the files of fsys as an [fs.FS], which is an [fs.ReadDirFS],
// [fs.ReadFileFS], [fs.StatFS] and [fs.ReadLinkFS] too. Symbolic links are resolved
// as fsys does. A FIFO may take forever to open.
func ToIOFS(fsys afero.Fs) fs.FS { return &outward{fsys} }

// FromAfero returns fsys as a file system that cannot be written to, for an overlay
// or a mount; fsys itself if it is an [FS], as all of this package are. The other way
// there is nothing to do: an FS is an [afero.Fs].
func FromAfero(fsys afero.Fs) FS {
	if f, ok := fsys.(FS); ok {
		return f
	}
	return FromIOFS(ToIOFS(fsys))
}

// An outward is a file system for those who know package fs alone.
type outward struct{ under afero.Fs }

var (
	_ fs.ReadDirFS  = (*outward)(nil)
	_ fs.ReadFileFS = (*outward)(nil)
	_ fs.StatFS     = (*outward)(nil)
	_ fs.ReadLinkFS = (*outward)(nil)
)

// outer returns the name that the file system below has for name, or why name is
// none.
func outer(op, name string) (string, error) {
	switch {
	case !fs.ValidPath(name):
		return "", pathError(op, name, fs.ErrInvalid)
	case name == ".":
		return "/", nil
	}
	return "/" + name, nil
}

func (o *outward) Open(name string) (fs.File, error) {
	at, err := outer("open", name)
	if err != nil {
		return nil, err
	}
	f, err := o.under.Open(at)
	if err != nil {
		return nil, renamed(err, name)
	}
	if _, ok := f.(fs.ReadDirFile); !ok {
		return &direntFile{f}, nil
	}
	return f, nil
}

// A direntFile is a file whose package knows no directory entries.
type direntFile struct{ afero.File }

func (f *direntFile) ReadDir(n int) ([]fs.DirEntry, error) {
	infos, err := f.Readdir(n)
	list := make([]fs.DirEntry, len(infos))
	for i, info := range infos {
		list[i] = fs.FileInfoToDirEntry(info)
	}
	return list, err
}

func (o *outward) ReadDir(name string) ([]fs.DirEntry, error) {
	at, err := outer("open", name)
	if err != nil {
		return nil, err
	}
	list, err := ReadDir(o.under, at)
	return list, renamed(err, name)
}

func (o *outward) ReadFile(name string) ([]byte, error) {
	at, err := outer("open", name)
	if err != nil {
		return nil, err
	}
	data, err := ReadFile(o.under, at)
	return data, renamed(err, name)
}

func (o *outward) Stat(name string) (fs.FileInfo, error) {
	at, err := outer("stat", name)
	if err != nil {
		return nil, err
	}
	info, err := o.under.Stat(at)
	return named(info, name, renamed(err, name))
}

func (o *outward) Lstat(name string) (fs.FileInfo, error) {
	at, err := outer("lstat", name)
	if err != nil {
		return nil, err
	}
	info, err := Lstat(o.under, at)
	return named(info, name, renamed(err, name))
}

func (o *outward) ReadLink(name string) (string, error) {
	at, err := outer("readlink", name)
	if err != nil {
		return "", err
	}
	l, ok := o.under.(afero.LinkReader)
	if !ok {
		return "", pathError("readlink", name, EINVAL)
	}
	text, err := l.ReadlinkIfPossible(at)
	return text, renamed(err, name)
}
