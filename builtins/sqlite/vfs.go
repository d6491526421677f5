package sqlite

import (
	"errors"
	"io/fs"
	"path"
	"reflect"
	"strconv"
	"sync/atomic"

	"github.com/limpet-sh/limpet/builtins"
	"github.com/limpet-sh/limpet/vfs"
	"github.com/ncruces/go-sqlite3"
	sqlitevfs "github.com/ncruces/go-sqlite3/vfs"
)

// A fileSystem is the sandbox's files as SQLite sees them.
type fileSystem struct {
	call *builtins.Call
	name string // in SQLite's registry
	busy func() error
}

// serial numbers the file systems, whose names SQLite wants to be unique in the
// process.
var serial atomic.Int64

// register makes the files of a call known to SQLite, until unregister. busy is
// asked before each read and write whether it may go on.
func register(c *builtins.Call, busy func() error) *fileSystem {
	f := &fileSystem{call: c, name: "limpet-" + strconv.FormatInt(serial.Add(1), 10), busy: busy}
	sqlitevfs.Register(f.name, f)
	return f
}

func (f *fileSystem) unregister() { sqlitevfs.Unregister(f.name) }

// Open opens a file, or a temporary one where the name is empty.
func (f *fileSystem) Open(name string, flags sqlitevfs.OpenFlag) (sqlitevfs.File, sqlitevfs.OpenFlag, error) {
	if name == "" {
		return &scratch{fs: f}, flags | sqlitevfs.OPEN_MEMORY, nil
	}
	mode := vfs.O_RDONLY
	if flags&sqlitevfs.OPEN_READWRITE != 0 {
		mode = vfs.O_RDWR
	}
	if flags&sqlitevfs.OPEN_CREATE != 0 {
		mode |= vfs.O_CREATE
	}
	if flags&sqlitevfs.OPEN_EXCLUSIVE != 0 {
		mode |= vfs.O_EXCL
	}
	if info, err := f.call.FS.Stat(name); err == nil && !info.Mode().IsRegular() {
		return nil, flags, sqlite3.CANTOPEN // a directory, or what might be waited for
	}
	file, err := f.call.FS.OpenFile(name, mode, 0o644)
	if err != nil && mode&vfs.O_RDWR != 0 && readOnly(err) {
		flags = flags&^(sqlitevfs.OPEN_READWRITE|sqlitevfs.OPEN_CREATE) | sqlitevfs.OPEN_READONLY
		file, err = f.call.FS.OpenFile(name, vfs.O_RDONLY, 0)
	}
	if err != nil {
		return nil, flags, sqlite3.CANTOPEN
	}
	info, err := file.Stat()
	if err != nil {
		file.Close()
		return nil, flags, sqlite3.CANTOPEN
	}
	opened := &databaseFile{fs: f, file: file, name: name}
	if flags&sqlitevfs.OPEN_DELETEONCLOSE != 0 {
		opened.remove = true
	}
	if flags&sqlitevfs.OPEN_MAIN_DB != 0 {
		opened.lock = locks.open(keyOf(f.call.FS.FS, name, info))
	}
	return opened, flags, nil
}

// readOnly reports whether a file may be there to read, though not to write.
func readOnly(err error) bool {
	return errors.Is(err, vfs.EACCES) || errors.Is(err, vfs.EROFS) || errors.Is(err, vfs.EPERM)
}

// keyOf returns what identifies a file that is open under name.
func keyOf(fsys vfs.FS, name string, info fs.FileInfo) lockKey {
	key := lockKey{dev: vfs.StatOf(info).Dev, ino: vfs.StatOf(info).Ino}
	if reflect.TypeOf(fsys).Comparable() {
		key.fsys = fsys
	}
	if key.ino == 0 {
		key.name = name
	}
	return key
}

// Delete removes a file.
func (f *fileSystem) Delete(name string, _ bool) error {
	err := f.call.FS.Remove(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return sqlite3.IOERR_DELETE_NOENT
	case err != nil:
		return sqlite3.IOERR_DELETE
	}
	return nil
}

// Access reports whether there is such a file; an empty one does not count.
func (f *fileSystem) Access(name string, _ sqlitevfs.AccessFlag) (bool, error) {
	info, err := f.call.FS.Stat(name)
	return err == nil && (!info.Mode().IsRegular() || info.Size() > 0), nil
}

// FullPathname returns the absolute name of a file, without symbolic links.
func (f *fileSystem) FullPathname(name string) (string, error) {
	abs := f.call.FS.Abs(name)
	if full, err := vfs.Resolve(f.call.FS.FS, abs, true); err == nil {
		return full, nil
	}
	return path.Clean(abs), nil
}

// A databaseFile is an open file of the sandbox.
type databaseFile struct {
	fs     *fileSystem
	file   openFile
	name   string
	remove bool  // when it is closed
	lock   *lock // of a database; nil for other files
}

// An openFile is what a databaseFile needs of a file.
type openFile interface {
	ReadAt(p []byte, off int64) (int, error)
	WriteAt(p []byte, off int64) (int, error)
	Truncate(size int64) error
	Stat() (fs.FileInfo, error)
	Close() error
}

// Close closes the file, and gives back its lock.
func (f *databaseFile) Close() error {
	if f.lock != nil {
		f.lock.close()
	}
	err := f.file.Close()
	if f.remove {
		_ = f.fs.call.FS.Remove(f.name)
	}
	return err
}

func (f *databaseFile) ReadAt(p []byte, off int64) (int, error) {
	if err := f.fs.busy(); err != nil {
		return 0, sqlite3.IOERR_READ
	}
	return f.file.ReadAt(p, off)
}

func (f *databaseFile) WriteAt(p []byte, off int64) (int, error) {
	if err := f.fs.busy(); err != nil {
		return 0, sqlite3.IOERR_WRITE
	}
	n, err := f.file.WriteAt(p, off)
	if full(err) {
		return n, sqlite3.FULL
	}
	return n, err
}

func (f *databaseFile) Truncate(size int64) error {
	err := f.file.Truncate(size)
	if full(err) {
		return sqlite3.FULL
	}
	return err
}

// full reports whether there is no room for what was to be written.
func full(err error) bool {
	return errors.Is(err, vfs.ENOSPC) || errors.Is(err, vfs.EDQUOT) || errors.Is(err, vfs.EFBIG)
}

// Sync has nothing to do: what is written is there.
func (f *databaseFile) Sync(sqlitevfs.SyncFlag) error { return nil }

func (f *databaseFile) Size() (int64, error) {
	info, err := f.file.Stat()
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}

func (f *databaseFile) Lock(level sqlitevfs.LockLevel) error {
	if f.lock != nil && !f.lock.raise(level) {
		return sqlite3.BUSY
	}
	return nil
}

func (f *databaseFile) Unlock(level sqlitevfs.LockLevel) error {
	if f.lock != nil {
		f.lock.lower(level)
	}
	return nil
}

func (f *databaseFile) CheckReservedLock() (bool, error) {
	return f.lock != nil && f.lock.reserved(), nil
}

func (f *databaseFile) SectorSize() int { return 4096 }

func (f *databaseFile) DeviceCharacteristics() sqlitevfs.DeviceCharacteristic {
	return sqlitevfs.IOCAP_POWERSAFE_OVERWRITE | sqlitevfs.IOCAP_SUBPAGE_READ
}
