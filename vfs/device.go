package vfs

import (
	"io"
	"io/fs"
	"sync"
)

// A device is what reads and writes of a device node do.
type device struct {
	read  func(t *tree, p []byte) (int, error)
	write func(p []byte) (int, error)
}

// devices has the character devices that can be opened, by their numbers on
// Linux.
var devices = map[uint64]device{
	Dev(1, 3): {readNothing, writeAll},        // null
	Dev(1, 5): {readZeros, writeAll},          // zero
	Dev(1, 7): {readZeros, writeFull},         // full
	Dev(1, 8): {(*tree).readRandom, writeAll}, // random
	Dev(1, 9): {(*tree).readRandom, writeAll}, // urandom
}

func readNothing(*tree, []byte) (int, error) { return 0, io.EOF }
func writeAll(p []byte) (int, error)         { return len(p), nil }
func writeFull([]byte) (int, error)          { return 0, ENOSPC }

func readZeros(_ *tree, p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

func (t *tree) readRandom(p []byte) (int, error) { return t.random.read(p) }

// A random is a source of random bytes.
type random struct {
	mu sync.Mutex // guards r
	r  io.Reader
}

func (r *random) read(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return io.ReadFull(r.r, p)
}

// device returns the device that v stands for. It fails with ENXIO if there is
// none of that number, such as a terminal.
func (t *tree) device(v *vnode) (device, error) {
	t.mu.RLock()
	defer t.mu.RUnlock()
	d, ok := devices[v.node.rdev]
	if !ok || v.typ&fs.ModeCharDevice == 0 {
		return device{}, ENXIO
	}
	return d, nil
}

// A deviceFile is an open device.
type deviceFile struct {
	*memFile
	device
}

func (f *deviceFile) Read(p []byte) (int, error) {
	if err := f.may("read", f.reads); err != nil {
		return 0, err
	}
	if len(p) == 0 {
		return 0, nil
	}
	n, err := f.read(f.mem.tree, p)
	if err != nil && err != io.EOF {
		err = f.fail("read", err)
	}
	return n, err
}

func (f *deviceFile) Write(p []byte) (int, error) {
	if err := f.may("write", f.writes); err != nil {
		return 0, err
	}
	n, err := f.write(p)
	if err != nil {
		err = f.fail("write", err)
	}
	return n, err
}

func (f *deviceFile) ReadAt(p []byte, _ int64) (int, error)  { return f.Read(p) }
func (f *deviceFile) WriteAt(p []byte, _ int64) (int, error) { return f.Write(p) }
func (f *deviceFile) WriteString(s string) (int, error)      { return f.Write([]byte(s)) }

// Seek succeeds, as lseek does on these devices, and changes nothing.
func (f *deviceFile) Seek(int64, int) (int64, error) { return 0, f.may("seek", true) }

func (f *deviceFile) Truncate(int64) error { return f.fail("truncate", EINVAL) }
