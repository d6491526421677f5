//go:build linux

package isolate

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"time"

	"github.com/limpet-sh/limpet/vfs"
	"github.com/spf13/afero"
)

// A fileCall is a call of a method of a file system or of an open file. Each uses some
// of the fields.
type fileCall struct {
	Call       uint64 // the command that calls it, of which it is the file system
	File       uint64 // an open file, for its methods
	Name, To   string
	Mode       fs.FileMode
	Flag, N    int
	UID, GID   int
	Number     uint64
	Off        int64
	Data       []byte
	Start, End time.Time // of access and change
}

// A fileAnswer is what such a method returns.
type fileAnswer struct {
	File  uint64
	Text  string
	Info  fileInfo
	Infos []fileInfo
	Off   int64
	Stat  vfs.StatFS
	Data  []byte // that was read
	Bytes int    // that were written
	Fault *fault // the error: some return more beside it
}

// A filesystem is the file system of a command that runs in the other process, as that
// command sees it.
type filesystem struct {
	peer *peer
	call uint64
	ctx  context.Context
}

var (
	_ vfs.FS            = (*filesystem)(nil)
	_ vfs.ContextOpener = (*filesystem)(nil)
)

func (f *filesystem) do(method string, c fileCall) (fileAnswer, error) {
	return f.doContext(f.ctx, method, c)
}

func (f *filesystem) doContext(ctx context.Context, method string, c fileCall) (fileAnswer, error) {
	c.Call = f.call
	a, err := call[fileAnswer](ctx, f.peer, "fs."+method, c)
	if err == nil {
		err = a.Fault.err()
	}
	return a, err
}

func (f *filesystem) Name() string { return "isolate" }

func (f *filesystem) Open(name string) (afero.File, error) {
	return f.OpenFile(name, vfs.O_RDONLY, 0)
}

func (f *filesystem) Create(name string) (afero.File, error) {
	return f.OpenFile(name, vfs.O_RDWR|vfs.O_CREATE|vfs.O_TRUNC, 0o666)
}

func (f *filesystem) OpenFile(name string, flag int, perm fs.FileMode) (afero.File, error) {
	return f.OpenFileContext(f.ctx, name, flag, perm)
}

// OpenFileContext waits where the file system of the other process does.
func (f *filesystem) OpenFileContext(ctx context.Context, name string, flag int, perm fs.FileMode) (afero.File, error) {
	a, err := f.doContext(ctx, "open", fileCall{Name: name, Flag: flag, Mode: perm})
	if err != nil {
		return nil, err
	}
	return &openFile{f, a.File, name}, nil
}

func (f *filesystem) info(method, name string) (fs.FileInfo, error) {
	a, err := f.do(method, fileCall{Name: name})
	if err != nil {
		return nil, err
	}
	return &a.Info, nil
}

func (f *filesystem) Stat(name string) (fs.FileInfo, error) { return f.info("stat", name) }

func (f *filesystem) LstatIfPossible(name string) (fs.FileInfo, bool, error) {
	info, err := f.info("lstat", name)
	return info, true, err
}

func (f *filesystem) ReadlinkIfPossible(name string) (string, error) {
	a, err := f.do("readlink", fileCall{Name: name})
	return a.Text, err
}

func (f *filesystem) StatFS(name string) (vfs.StatFS, error) {
	a, err := f.do("statfs", fileCall{Name: name})
	return a.Stat, err
}

// change calls a method that returns nothing.
func (f *filesystem) change(method string, c fileCall) error {
	_, err := f.do(method, c)
	return err
}

func (f *filesystem) Mkdir(name string, perm fs.FileMode) error {
	return f.change("mkdir", fileCall{Name: name, Mode: perm})
}

func (f *filesystem) MkdirAll(name string, perm fs.FileMode) error {
	return f.change("mkdirall", fileCall{Name: name, Mode: perm})
}

func (f *filesystem) Remove(name string) error { return f.change("remove", fileCall{Name: name}) }

func (f *filesystem) RemoveAll(name string) error {
	return f.change("removeall", fileCall{Name: name})
}

func (f *filesystem) Rename(oldname, newname string) error {
	return f.change("rename", fileCall{Name: oldname, To: newname})
}

func (f *filesystem) Link(oldname, newname string) error {
	return f.change("link", fileCall{Name: oldname, To: newname})
}

func (f *filesystem) SymlinkIfPossible(text, newname string) error {
	return f.change("symlink", fileCall{Name: text, To: newname})
}

func (f *filesystem) Mknod(name string, mode fs.FileMode, dev uint64) error {
	return f.change("mknod", fileCall{Name: name, Mode: mode, Number: dev})
}

func (f *filesystem) Chmod(name string, mode fs.FileMode) error {
	return f.change("chmod", fileCall{Name: name, Mode: mode})
}

func (f *filesystem) Chown(name string, uid, gid int) error {
	return f.change("chown", fileCall{Name: name, UID: uid, GID: gid})
}

func (f *filesystem) Lchown(name string, uid, gid int) error {
	return f.change("lchown", fileCall{Name: name, UID: uid, GID: gid})
}

func (f *filesystem) Chtimes(name string, atime, mtime time.Time) error {
	return f.change("chtimes", fileCall{Name: name, Start: atime, End: mtime})
}

func (f *filesystem) Lchtimes(name string, atime, mtime time.Time) error {
	return f.change("lchtimes", fileCall{Name: name, Start: atime, End: mtime})
}

// An openFile is an open file of a filesystem.
type openFile struct {
	fs   *filesystem
	id   uint64
	name string
}

func (f *openFile) do(method string, c fileCall) (fileAnswer, error) {
	c.File = f.id
	return f.fs.do(method, c)
}

func (f *openFile) Name() string { return f.name }

func (f *openFile) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	a, err := f.do("file.read", fileCall{N: min(len(p), maxTransfer)})
	return copy(p, a.Data), err
}

func (f *openFile) ReadAt(p []byte, off int64) (n int, err error) {
	for n < len(p) && err == nil {
		var a fileAnswer
		a, err = f.do("file.readat", fileCall{N: min(len(p)-n, maxTransfer), Off: off + int64(n)})
		n += copy(p[n:], a.Data)
	}
	return n, err
}

func (f *openFile) Write(p []byte) (n int, err error) {
	for n < len(p) && err == nil {
		var a fileAnswer
		a, err = f.do("file.write", fileCall{Data: p[n:min(len(p), n+maxTransfer)]})
		n += a.Bytes
	}
	return n, err
}

func (f *openFile) WriteString(s string) (int, error) { return f.Write([]byte(s)) }

func (f *openFile) WriteAt(p []byte, off int64) (n int, err error) {
	for n < len(p) && err == nil {
		var a fileAnswer
		a, err = f.do("file.writeat", fileCall{Data: p[n:min(len(p), n+maxTransfer)], Off: off + int64(n)})
		n += a.Bytes
	}
	return n, err
}

func (f *openFile) Seek(offset int64, whence int) (int64, error) {
	a, err := f.do("file.seek", fileCall{Off: offset, N: whence})
	return a.Off, err
}

func (f *openFile) Truncate(size int64) error {
	_, err := f.do("file.truncate", fileCall{Off: size})
	return err
}

func (f *openFile) Sync() error {
	_, err := f.do("file.sync", fileCall{})
	return err
}

func (f *openFile) Close() error {
	_, err := f.do("file.close", fileCall{})
	return err
}

func (f *openFile) Stat() (fs.FileInfo, error) {
	a, err := f.do("file.stat", fileCall{})
	if err != nil {
		return nil, err
	}
	return &a.Info, nil
}

func (f *openFile) Readdir(n int) ([]fs.FileInfo, error) {
	a, err := f.do("file.readdir", fileCall{N: n})
	list := make([]fs.FileInfo, len(a.Infos))
	for i := range list {
		list[i] = &a.Infos[i]
	}
	return list, err
}

func (f *openFile) ReadDir(n int) ([]fs.DirEntry, error) {
	infos, err := f.Readdir(n)
	list := make([]fs.DirEntry, len(infos))
	for i, info := range infos {
		list[i] = fs.FileInfoToDirEntry(info)
	}
	return list, err
}

func (f *openFile) Readdirnames(n int) ([]string, error) {
	infos, err := f.Readdir(n)
	list := make([]string, len(infos))
	for i, info := range infos {
		list[i] = info.Name()
	}
	return list, err
}

// fileMethods are the methods of the file system of a command, in the process where the
// files are.
var fileMethods = map[string]func(ctx context.Context, r *remoteCall, c fileCall, a *fileAnswer) error{
	"open": func(ctx context.Context, r *remoteCall, c fileCall, a *fileAnswer) error {
		v := *r.call.FS
		v.Context, v.Umask = ctx, 0 // that of the command is in the mode already
		f, err := v.OpenFile(c.Name, c.Flag, c.Mode)
		if err == nil {
			a.File = r.keep(f)
		}
		return err
	},
	"stat": func(_ context.Context, r *remoteCall, c fileCall, a *fileAnswer) error {
		return a.describe(r.call.FS.Stat(c.Name))
	},
	"lstat": func(_ context.Context, r *remoteCall, c fileCall, a *fileAnswer) error {
		return a.describe(r.call.FS.Lstat(c.Name))
	},
	"readlink": func(_ context.Context, r *remoteCall, c fileCall, a *fileAnswer) (err error) {
		a.Text, err = r.call.FS.Readlink(c.Name)
		return err
	},
	"statfs": func(_ context.Context, r *remoteCall, c fileCall, a *fileAnswer) (err error) {
		a.Stat, err = r.call.FS.StatFS(c.Name)
		return err
	},
	"mkdir":     change(func(v *vfs.View, c fileCall) error { return v.Mkdir(c.Name, c.Mode) }),
	"mkdirall":  change(func(v *vfs.View, c fileCall) error { return v.MkdirAll(c.Name, c.Mode) }),
	"remove":    change(func(v *vfs.View, c fileCall) error { return v.Remove(c.Name) }),
	"removeall": change(func(v *vfs.View, c fileCall) error { return v.RemoveAll(c.Name) }),
	"rename":    change(func(v *vfs.View, c fileCall) error { return v.Rename(c.Name, c.To) }),
	"link":      change(func(v *vfs.View, c fileCall) error { return v.Link(c.Name, c.To) }),
	"symlink":   change(func(v *vfs.View, c fileCall) error { return v.SymlinkIfPossible(c.Name, c.To) }),
	"mknod":     change(func(v *vfs.View, c fileCall) error { return v.Mknod(c.Name, c.Mode, c.Number) }),
	"chmod":     change(func(v *vfs.View, c fileCall) error { return v.Chmod(c.Name, c.Mode) }),
	"chown":     change(func(v *vfs.View, c fileCall) error { return v.Chown(c.Name, c.UID, c.GID) }),
	"lchown":    change(func(v *vfs.View, c fileCall) error { return v.Lchown(c.Name, c.UID, c.GID) }),
	"chtimes":   change(func(v *vfs.View, c fileCall) error { return v.Chtimes(c.Name, c.Start, c.End) }),
	"lchtimes":  change(func(v *vfs.View, c fileCall) error { return v.Lchtimes(c.Name, c.Start, c.End) }),

	"file.read": opened(func(f afero.File, c fileCall, a *fileAnswer) error {
		return a.take(c.N, f.Read)
	}),
	"file.readat": opened(func(f afero.File, c fileCall, a *fileAnswer) error {
		return a.take(c.N, func(p []byte) (int, error) { return f.ReadAt(p, c.Off) })
	}),
	"file.write": opened(func(f afero.File, c fileCall, a *fileAnswer) (err error) {
		a.Bytes, err = f.Write(c.Data)
		return err
	}),
	"file.writeat": opened(func(f afero.File, c fileCall, a *fileAnswer) (err error) {
		a.Bytes, err = f.WriteAt(c.Data, c.Off)
		return err
	}),
	"file.seek": opened(func(f afero.File, c fileCall, a *fileAnswer) (err error) {
		a.Off, err = f.Seek(c.Off, c.N)
		return err
	}),
	"file.truncate": opened(func(f afero.File, c fileCall, _ *fileAnswer) error { return f.Truncate(c.Off) }),
	"file.sync":     opened(func(f afero.File, _ fileCall, _ *fileAnswer) error { return f.Sync() }),
	"file.stat":     opened(func(f afero.File, _ fileCall, a *fileAnswer) error { return a.describe(f.Stat()) }),
	"file.readdir": opened(func(f afero.File, c fileCall, a *fileAnswer) error {
		list, err := f.Readdir(c.N)
		for _, info := range list {
			a.Infos = append(a.Infos, infoOf(info))
		}
		return err
	}),
	"file.close": func(_ context.Context, r *remoteCall, c fileCall, _ *fileAnswer) error { return r.drop(c.File) },
}

type fileMethod = func(ctx context.Context, r *remoteCall, c fileCall, a *fileAnswer) error

// change makes a method of what returns nothing.
func change(do func(v *vfs.View, c fileCall) error) fileMethod {
	return func(_ context.Context, r *remoteCall, c fileCall, _ *fileAnswer) error {
		v := *r.call.FS
		v.Umask = 0
		return do(&v, c)
	}
}

// opened makes a method of what is done with an open file.
func opened(do func(f afero.File, c fileCall, a *fileAnswer) error) fileMethod {
	return func(_ context.Context, r *remoteCall, c fileCall, a *fileAnswer) error {
		f := r.file(c.File)
		if f == nil {
			return vfs.EBADF
		}
		return do(f, c, a)
	}
}

func (a *fileAnswer) describe(info fs.FileInfo, err error) error {
	if err == nil {
		a.Info = infoOf(info)
	}
	return err
}

// take reads up to n bytes.
func (a *fileAnswer) take(n int, read func([]byte) (int, error)) error {
	p := make([]byte, max(0, min(n, maxTransfer)))
	n, err := read(p)
	a.Data = p[:n]
	if n > 0 && errors.Is(err, io.EOF) {
		return nil // said again by the next one
	}
	return err
}
