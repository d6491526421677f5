// Package pipe provides the pipes that join the commands of a pipeline: bounded,
// in memory, and with the ends of a Unix pipe. A read waits for data and sees
// the end of file once there is no writer; a write waits for room and fails with
// EPIPE once there is no reader.
package pipe

import (
	"bytes"
	"context"
	"io"
	"io/fs"
	"sync"
	"time"

	"github.com/limpet-sh/limpet/vfs"
)

// Capacity is how many bytes a pipe holds, as on Linux.
const Capacity = 64 << 10

// New returns the two ends of a new pipe.
func New() (*Reader, *Writer) {
	p := &pipe{}
	p.cond.L = &p.mu
	return &Reader{p}, &Writer{p}
}

type pipe struct {
	mu   sync.Mutex
	cond sync.Cond
	buf  []byte // a ring, made at the first write
	head int    // of the data in buf
	n    int    // bytes of data

	noReader, noWriter bool

	full func() // see WhenFull
}

// wait waits, with p.mu held, until the pipe has changed or ctx is done.
func (p *pipe) wait(ctx context.Context) error {
	if ctx == nil || ctx.Done() == nil {
		p.cond.Wait()
		return nil
	}
	if ctx.Err() != nil {
		return vfs.EINTR
	}
	stop := context.AfterFunc(ctx, func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.cond.Broadcast()
	})
	p.cond.Wait()
	stop()
	if ctx.Err() != nil {
		return vfs.EINTR
	}
	return nil
}

// grow makes the ring large enough for n more bytes where it may be.
func (p *pipe) grow(n int) {
	if len(p.buf) >= Capacity || p.n+n <= len(p.buf) {
		return
	}
	size := max(512, 2*len(p.buf))
	for size < p.n+n && size < Capacity {
		size *= 2
	}
	ring := make([]byte, size)
	p.copyOut(ring[:p.n])
	p.buf, p.head = ring, 0
}

// copyOut copies the first len(b) bytes of the data, which has as many.
func (p *pipe) copyOut(b []byte) {
	k := copy(b, p.buf[p.head:min(len(p.buf), p.head+len(b))])
	copy(b[k:], p.buf)
}

// A Reader is the end of a pipe that is read.
type Reader struct{ p *pipe }

// Read is ReadContext with a context that is never done.
func (r *Reader) Read(b []byte) (int, error) { return r.ReadContext(context.Background(), b) }

// ReadContext reads what there is, and waits where there is nothing. It fails
// with EINTR when ctx is done before there is.
func (r *Reader) ReadContext(ctx context.Context, b []byte) (int, error) {
	return r.read(ctx, b, -1)
}

// ReadDelimContext is ReadContext that reads nothing behind the first delim.
func (r *Reader) ReadDelimContext(ctx context.Context, b []byte, delim byte) (int, error) {
	return r.read(ctx, b, int(delim))
}

func (r *Reader) read(ctx context.Context, b []byte, delim int) (int, error) {
	p := r.p
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(b) == 0 {
		return 0, nil
	}
	for p.n == 0 {
		if p.noReader {
			return 0, vfs.EBADF
		}
		if p.noWriter {
			return 0, io.EOF
		}
		if err := p.wait(ctx); err != nil {
			return 0, err
		}
	}
	n := min(len(b), p.n)
	p.copyOut(b[:n])
	if delim >= 0 {
		if i := bytes.IndexByte(b[:n], byte(delim)); i >= 0 {
			n = i + 1
		}
	}
	p.head = (p.head + n) % len(p.buf)
	if p.n -= n; p.n == 0 {
		p.head = 0
	}
	p.cond.Broadcast()
	return n, nil
}

// Ready reports whether a read would not wait.
func (r *Reader) Ready() bool {
	r.p.mu.Lock()
	defer r.p.mu.Unlock()
	return r.p.n > 0 || r.p.noWriter
}

// Write fails: this end is for reading.
func (r *Reader) Write([]byte) (int, error) { return 0, vfs.EBADF }

// Close closes the end. Writes fail from now on.
func (r *Reader) Close() error {
	r.p.mu.Lock()
	defer r.p.mu.Unlock()
	r.p.noReader = true
	r.p.buf, r.p.n, r.p.head = nil, 0, 0
	r.p.cond.Broadcast()
	return nil
}

// Stat describes the pipe.
func (r *Reader) Stat() (fs.FileInfo, error) { return Info{}, nil }

// A Writer is the end of a pipe that is written.
type Writer struct{ p *pipe }

// Write is WriteContext with a context that is never done.
func (w *Writer) Write(b []byte) (int, error) { return w.WriteContext(context.Background(), b) }

// WriteContext writes all of b, waiting for room. Up to [Capacity] bytes are
// written at once, with no other writer's between them. It fails with EPIPE
// where there is no reader, and with EINTR when ctx is done.
func (w *Writer) WriteContext(ctx context.Context, b []byte) (n int, err error) {
	p := w.p
	p.mu.Lock()
	defer p.mu.Unlock()
	for len(b) > 0 {
		switch {
		case p.noWriter:
			return n, vfs.EBADF
		case p.noReader:
			return n, vfs.EPIPE
		}
		p.grow(len(b))
		room := len(p.buf) - p.n
		if room < len(b) && (room == 0 || len(b) <= 4096) {
			if full := p.full; full != nil {
				p.full = nil
				p.mu.Unlock()
				full()
				p.mu.Lock()
				continue
			}
			if err := p.wait(ctx); err != nil {
				return n, err
			}
			continue
		}
		k := min(room, len(b))
		tail := (p.head + p.n) % len(p.buf)
		first := copy(p.buf[tail:min(len(p.buf), tail+k)], b[:k])
		copy(p.buf, b[first:k])
		p.n += k
		n += k
		b = b[k:]
		p.cond.Broadcast()
	}
	if p.noReader {
		return n, vfs.EPIPE
	}
	return n, nil
}

// WhenFull arranges for do to be called before the first write waits.
func (w *Writer) WhenFull(do func()) {
	w.p.mu.Lock()
	defer w.p.mu.Unlock()
	w.p.full = do
}

// Read fails: this end is for writing.
func (w *Writer) Read([]byte) (int, error) { return 0, vfs.EBADF }

// Close closes the end. Reads see the end of file once the data is read.
func (w *Writer) Close() error {
	w.p.mu.Lock()
	defer w.p.mu.Unlock()
	w.p.noWriter = true
	w.p.cond.Broadcast()
	return nil
}

// Stat describes the pipe.
func (w *Writer) Stat() (fs.FileInfo, error) { return Info{}, nil }

// Info describes a pipe, as fstat does.
type Info struct{}

func (Info) Name() string       { return "pipe" }
func (Info) Size() int64        { return 0 }
func (Info) Mode() fs.FileMode  { return fs.ModeNamedPipe | 0o600 }
func (Info) ModTime() time.Time { return time.Time{} }
func (Info) IsDir() bool        { return false }
func (Info) Sys() any           { return &vfs.Stat{Nlink: 1} }
