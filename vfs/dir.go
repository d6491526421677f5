package vfs

import (
	"io"
	"io/fs"
)

// A memDir is an open directory of a [Mem]. Its offset is the name of the entry
// that was read last, so that entries that stay are read once, whatever others
// do to the directory between two reads.
type memDir struct {
	*memFile
	last string // guarded by mu
}

func (d *memDir) Read([]byte) (int, error)           { return 0, d.fail("read", EISDIR) }
func (d *memDir) ReadAt([]byte, int64) (int, error)  { return 0, d.fail("read", EISDIR) }
func (d *memDir) Write([]byte) (int, error)          { return 0, d.fail("write", EBADF) }
func (d *memDir) WriteString(string) (int, error)    { return 0, d.fail("write", EBADF) }
func (d *memDir) WriteAt([]byte, int64) (int, error) { return 0, d.fail("write", EBADF) }
func (d *memDir) Truncate(int64) error               { return d.fail("truncate", EINVAL) }

// Seek can go to the start, and nowhere else.
func (d *memDir) Seek(offset int64, whence int) (int64, error) {
	if err := d.may("seek", true); err != nil {
		return 0, err
	}
	if offset != 0 || whence != io.SeekStart {
		return 0, d.fail("seek", EINVAL)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.last = ""
	return 0, nil
}

// dirStep is how many entries are read under one hold of the tree's lock.
const dirStep = 1024

// readEach calls yield for the next n entries, or for all if n is not positive.
// It fails with io.EOF where n is positive and there are none, and with ENOENT,
// as Linux does, if the directory was removed.
func (d *memDir) readEach(n int, yield func(name string, node *inode)) error {
	if err := d.may("readdir", true); err != nil {
		return err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	for got := 0; ; {
		step := dirStep
		if n > 0 {
			step = min(step, n-got)
		}
		read, stale, err := d.readStep(step, yield)
		for d.mem.tree.retry(&err) {
			read, stale, err = d.readStep(step, yield)
		}
		if err != nil {
			return d.fail("readdir", err)
		}
		if got += read; stale {
			d.accessed()
		}
		switch {
		case read == step && (n <= 0 || got < n):
		case n > 0 && got == 0:
			return io.EOF
		default:
			return nil
		}
	}
}

// readStep calls yield for at most n entries behind the last, and returns for
// how many, and whether the access time is stale.
func (d *memDir) readStep(n int, yield func(name string, node *inode)) (got int, stale bool, err error) {
	t := d.mem.tree
	t.mu.RLock()
	defer t.mu.RUnlock()
	if d.v.orphan {
		return 0, false, ENOENT
	}
	names, err := d.v.node.loaded()
	if err != nil {
		return 0, false, err
	}
	names.after(d.last, func(e nameEntry) bool {
		yield(e.name, t.inodes.get(e.ino))
		d.last = e.name
		got++
		return got < n
	})
	return got, d.v.node.stale(), nil
}

// ReadDir returns the next n entries, or all if n is not positive.
func (d *memDir) ReadDir(n int) (list []fs.DirEntry, err error) {
	err = d.readEach(n, func(name string, node *inode) {
		list = append(list, &memEntry{d.mem.tree, name, node.ino, node.mode.Type()})
	})
	return list, err
}

// Readdir is ReadDir with the status of each entry.
func (d *memDir) Readdir(n int) (list []fs.FileInfo, err error) {
	err = d.readEach(n, func(name string, node *inode) { list = append(list, d.mem.tree.info(node, name)) })
	for i, info := range list {
		list[i] = d.mem.tree.counted(info.(*fileInfo))
	}
	return list, err
}

// Readdirnames is ReadDir for the names alone.
func (d *memDir) Readdirnames(n int) (list []string, err error) {
	err = d.readEach(n, func(name string, _ *inode) { list = append(list, name) })
	return list, err
}

// A memEntry is an entry of a directory.
type memEntry struct {
	tree *tree
	name string
	ino  uint64
	typ  fs.FileMode
}

func (e *memEntry) Name() string      { return e.name }
func (e *memEntry) Type() fs.FileMode { return e.typ }
func (e *memEntry) IsDir() bool       { return e.typ.IsDir() }

// Info returns the present status of the file, whatever its name is now. It
// fails if the file is gone.
func (e *memEntry) Info() (fs.FileInfo, error) {
	info := e.tree.infoOf(e.ino, e.name)
	if info == nil {
		return nil, pathError("lstat", e.name, ENOENT)
	}
	return e.tree.counted(info), nil
}

// infoOf is info by number; nil if the file is gone.
func (t *tree) infoOf(ino uint64, name string) *fileInfo {
	t.mu.RLock()
	defer t.mu.RUnlock()
	if n := t.inodes.get(ino); n != nil {
		return t.info(n, name)
	}
	return nil
}
