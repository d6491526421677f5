package vfs

import (
	"context"
	"io"
	"sync"
)

// fifoSize is how many bytes a FIFO holds.
const fifoSize = 64 << 10

// atomicWrite is the size up to which a write to a FIFO is not interleaved with
// others (PIPE_BUF).
const atomicWrite = 4096

// A fifo is what the open files of a FIFO share.
type fifo struct {
	mu       sync.Mutex    // guards what follows
	changed  chan struct{} // closed when something below changes; nil if nobody waits
	readers  int
	writers  int
	opens    [2]uint64 // how often it was opened to read, and to write
	buf      []byte
	start, n int // the n bytes from start on, modulo fifoSize, are in use
}

func newFifo() *fifo { return &fifo{} }

// wake tells those who wait that the state has changed.
func (p *fifo) wake() {
	if p.changed != nil {
		close(p.changed)
		p.changed = nil
	}
}

// wait unlocks p until the state changes. It fails with EINTR if ctx is done.
func (p *fifo) wait(ctx context.Context) error {
	if p.changed == nil {
		p.changed = make(chan struct{})
	}
	changed := p.changed
	p.mu.Unlock()
	defer p.mu.Lock()
	select {
	case <-changed:
		return nil
	case <-ctx.Done():
		return EINTR
	}
}

// open joins the readers, the writers or both. Who only reads waits for a
// writer to come, and who only writes for a reader.
func (p *fifo) open(ctx context.Context, reads, writes bool) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if reads {
		p.readers++
		p.opens[0]++
	}
	if writes {
		p.writers++
		p.opens[1]++
	}
	p.wake()
	if reads && writes {
		return nil
	}
	other, there := &p.opens[0], p.readers
	if reads {
		other, there = &p.opens[1], p.writers
	}
	for before := *other; there == 0 && *other == before; {
		if err := p.wait(ctx); err != nil {
			p.leave(reads, writes)
			return err
		}
	}
	return nil
}

// leave undoes open.
func (p *fifo) leave(reads, writes bool) {
	if reads {
		p.readers--
	}
	if writes {
		p.writers--
	}
	if p.readers == 0 && p.writers == 0 {
		p.buf, p.start, p.n = nil, 0, 0
	}
	p.wake()
}

// take moves bytes from p to b.
func (p *fifo) take(b []byte) int {
	got := 0
	for got < len(b) && p.n > 0 {
		c := copy(b[got:], p.buf[p.start:min(p.start+p.n, fifoSize)])
		got += c
		p.n -= c
		p.start = (p.start + c) % fifoSize
	}
	return got
}

// put moves bytes from b to p.
func (p *fifo) put(b []byte) int {
	if p.buf == nil {
		p.buf = make([]byte, fifoSize)
	}
	put := 0
	for put < len(b) && p.n < fifoSize {
		end := (p.start + p.n) % fifoSize
		c := copy(p.buf[end:min(end+fifoSize-p.n, fifoSize)], b[put:])
		put += c
		p.n += c
	}
	return put
}

// A fifoFile is an open end of a FIFO.
type fifoFile struct {
	*memFile
	ctx context.Context // of the waits
}

func (f *fifoFile) Close() error {
	if err := f.memFile.Close(); err != nil {
		return err
	}
	p := f.v.more.Load().fifo
	p.mu.Lock()
	defer p.mu.Unlock()
	p.leave(f.reads, f.writes)
	return nil
}

// Read waits for bytes. It fails with io.EOF when there are no writers.
func (f *fifoFile) Read(b []byte) (int, error) { return f.ReadContext(f.ctx, b) }

// ReadContext is Read for who did not open f: it fails with EINTR if ctx is done.
func (f *fifoFile) ReadContext(ctx context.Context, b []byte) (int, error) {
	if err := f.may("read", f.reads); err != nil || len(b) == 0 {
		return 0, err
	}
	p := f.v.more.Load().fifo
	p.mu.Lock()
	defer p.mu.Unlock()
	for p.n == 0 {
		if f.closed.Load() {
			return 0, f.fail("read", EBADF)
		}
		if p.writers == 0 {
			return 0, io.EOF
		}
		if err := p.wait(ctx); err != nil {
			return 0, f.fail("read", err)
		}
	}
	p.wake()
	return p.take(b), nil
}

// Write waits for room. It fails with EPIPE when there are no readers.
func (f *fifoFile) Write(b []byte) (int, error) { return f.WriteContext(f.ctx, b) }

// WriteContext is Write for who did not open f: it fails with EINTR if ctx is
// done.
func (f *fifoFile) WriteContext(ctx context.Context, b []byte) (n int, err error) {
	if err := f.may("write", f.writes); err != nil || len(b) == 0 {
		return 0, err
	}
	p := f.v.more.Load().fifo
	p.mu.Lock()
	defer p.mu.Unlock()
	for n < len(b) {
		if f.closed.Load() {
			return n, f.fail("write", EBADF)
		}
		if p.readers == 0 {
			return n, f.fail("write", EPIPE)
		}
		if room := fifoSize - p.n; room > 0 && (room >= len(b) || len(b) > atomicWrite) {
			n += p.put(b[n:])
			p.wake()
			continue
		}
		if err := p.wait(ctx); err != nil {
			return n, f.fail("write", err)
		}
	}
	return n, nil
}

func (f *fifoFile) WriteString(s string) (int, error)  { return f.Write([]byte(s)) }
func (f *fifoFile) ReadAt([]byte, int64) (int, error)  { return 0, f.fail("read", ESPIPE) }
func (f *fifoFile) WriteAt([]byte, int64) (int, error) { return 0, f.fail("write", ESPIPE) }
func (f *fifoFile) Seek(int64, int) (int64, error)     { return 0, f.fail("seek", ESPIPE) }
func (f *fifoFile) Truncate(int64) error               { return f.fail("truncate", EINVAL) }
