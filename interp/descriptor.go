package interp

import (
	"context"
	"io"
	"sync/atomic"

	"github.com/limpet-sh/limpet/limits"
	"github.com/limpet-sh/limpet/vfs"
)

// An openFile is what one or more descriptors refer to. The last to let go of
// it closes the stream.
type openFile struct {
	vfs.Stream
	refs  atomic.Int32
	locks atomic.Pointer[lockTable] // where f may have a lock; nil if it never had one
}

func newOpenFile(s vfs.Stream) *openFile {
	f := &openFile{Stream: s}
	f.refs.Store(1)
	return f
}

// retain adds a reference; f may be nil.
func (f *openFile) retain() *openFile {
	if f != nil {
		f.refs.Add(1)
	}
	return f
}

// release takes one away; f may be nil.
func (f *openFile) release() {
	if f != nil && f.refs.Add(-1) == 0 {
		if t := f.locks.Load(); t != nil {
			t.unlock(f)
		}
		_ = f.Stream.Close()
	}
}

// A contextReader and a contextWriter are streams that may wait.
type (
	contextReader interface {
		ReadContext(context.Context, []byte) (int, error)
	}
	contextWriter interface {
		WriteContext(context.Context, []byte) (int, error)
	}
)

// fd returns what descriptor n refers to, or nil.
func (sh *Shell) fd(n int) *openFile {
	if n < 0 || n >= len(sh.fds) {
		return nil
	}
	return sh.fds[n]
}

// setFD makes descriptor n refer to f, whose reference it takes over, and
// returns what it referred to, with its reference.
func (sh *Shell) setFD(n int, f *openFile) (old *openFile) {
	for len(sh.fds) <= n {
		sh.fds = append(sh.fds, nil)
	}
	old, sh.fds[n] = sh.fds[n], f
	return old
}

// maxFD is the highest descriptor that a script may name.
func (sh *Shell) maxFD() int {
	if n, ok := sh.ulimits['n']; ok && n >= 0 {
		return int(n) - 1
	}
	if n := sh.x.meter.Limit(limits.OpenFiles); n > 0 {
		return int(n) - 1
	}
	return 1<<16 - 1
}

// freeFD returns the lowest free descriptor that is not below n.
func (sh *Shell) freeFD(n int) int {
	for n < len(sh.fds) && sh.fds[n] != nil {
		n++
	}
	return n
}

// descriptor opens /dev/fd/N.
func (sh *Shell) descriptor(n int) (vfs.Stream, error) {
	f := sh.fd(n)
	if f == nil {
		return nil, vfs.ENOENT
	}
	return &reference{openFile: f.retain(), ctx: sh.proc.ctx}, nil
}

// descriptors returns the numbers of the open descriptors.
func (sh *Shell) descriptors() []int {
	var list []int
	for n, f := range sh.fds {
		if f != nil {
			list = append(list, n)
		}
	}
	return list
}

// A reference is an openFile as a command has it: waiting ends with the process,
// and closing it lets go of one reference, unless it is borrowed.
type reference struct {
	*openFile
	ctx      context.Context
	borrowed bool
	closed   bool
}

// Read reads as the process whose context it has.
func (r *reference) Read(b []byte) (int, error) { return readAs(r.ctx, r.Stream, b) }

// ReadContext reads as a process with the context ctx.
func (r *reference) ReadContext(ctx context.Context, b []byte) (int, error) {
	return readAs(ctx, r.Stream, b)
}

// ReadDelimContext reads up to a delimiter, byte by byte where the stream cannot.
func (r *reference) ReadDelimContext(ctx context.Context, b []byte, delim byte) (int, error) {
	if d, ok := r.Stream.(delimReader); ok {
		return d.ReadDelimContext(ctx, b, delim)
	}
	return readAs(ctx, r.Stream, b[:min(1, len(b))])
}

// Write writes as the process whose context it has.
func (r *reference) Write(b []byte) (int, error) { return writeAs(r.ctx, r.Stream, b) }

// WriteContext writes as a process with the context ctx.
func (r *reference) WriteContext(ctx context.Context, b []byte) (int, error) {
	return writeAs(ctx, r.Stream, b)
}

// Close lets go of the reference.
func (r *reference) Close() error {
	if !r.closed && !r.borrowed {
		r.closed = true
		r.release()
	}
	return nil
}

// Unwrap returns the stream that it stands for.
func (r *reference) Unwrap() vfs.Stream { return r.Stream }

// Shared returns the file that it refers to.
func (r *reference) Shared() *openFile { return r.openFile }

// Seek sets the offset of the stream where it has one.
func (r *reference) Seek(offset int64, whence int) (int64, error) {
	if s, ok := r.Stream.(io.Seeker); ok {
		return s.Seek(offset, whence)
	}
	return 0, vfs.ESPIPE
}

// Terminal reports whether the stream is a terminal.
func (r *reference) Terminal() bool {
	t, ok := r.Stream.(interface{ Terminal() bool })
	return ok && t.Terminal()
}

func readAs(ctx context.Context, s vfs.Stream, b []byte) (int, error) {
	if c, ok := s.(contextReader); ok {
		return c.ReadContext(ctx, b)
	}
	return s.Read(b)
}

func writeAs(ctx context.Context, s vfs.Stream, b []byte) (int, error) {
	if c, ok := s.(contextWriter); ok {
		return c.WriteContext(ctx, b)
	}
	return s.Write(b)
}

// write writes b to descriptor n and returns the error of the stream.
func (sh *Shell) write(n int, b []byte) error {
	f := sh.fd(n)
	if f == nil {
		return vfs.EBADF
	}
	sh.worked(len(b))
	_, err := writeAs(sh.proc.ctx, f.Stream, b)
	return err
}
