//go:build linux

package isolate

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"io/fs"
	"sync"

	"github.com/limpet-sh/limpet/vfs"
)

// A streamRef names a stream of one process in the other. The zero streamRef is none.
type streamRef struct {
	ID       uint64
	Terminal bool
	Device   bool // a character device, as /dev/null is one
	Lazy     bool // who writes need not wait until it has arrived
}

// streams are those that a process lends to the other, or borrows. The zero streams has
// none; its peer is to be set.
type streams struct {
	peer *peer

	mu   sync.Mutex
	last uint64
	lent map[uint64]any // io.Reader, io.Writer or both
}

// lend makes s available to the other process, until the function that it returns is
// called. A nil s is none.
func (t *streams) lend(s any, lazy bool) (ref streamRef, end func()) {
	if s == nil {
		return streamRef{}, func() {}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.lent == nil {
		t.lent = map[uint64]any{}
	}
	t.last++
	id := t.last
	t.lent[id] = s
	ref = streamRef{ID: id, Lazy: lazy}
	if terminal, ok := s.(interface{ Terminal() bool }); ok {
		ref.Terminal = terminal.Terminal()
	}
	if f, ok := s.(interface{ Stat() (fs.FileInfo, error) }); ok {
		info, err := f.Stat()
		ref.Device = err == nil && info.Mode()&fs.ModeCharDevice != 0
	}
	return ref, func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		delete(t.lent, id)
	}
}

func (t *streams) find(id uint64) any {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.lent[id]
}

// maxTransfer bounds the bytes of one call.
const maxTransfer = 64 << 10

// handlers are the methods for those who have borrowed a stream: what they are called
// with begins with its number, and no more is encoded than that.
func (t *streams) handlers() map[string]handler {
	return map[string]handler{"read": t.read, "write": t.write}
}

func numbered(id uint64, rest ...byte) []byte {
	return append(binary.LittleEndian.AppendUint64(make([]byte, 0, 8+len(rest)), id), rest...)
}

// number returns the number that body begins with, and the rest; 0 where there is none.
func number(body []byte) (uint64, []byte) {
	if len(body) < 8 {
		return 0, nil
	}
	return binary.LittleEndian.Uint64(body), body[8:]
}

// read reads for the other process, which says how much. A reader that blocks is left
// behind when nobody waits for it any more.
func (t *streams) read(ctx context.Context, body []byte) ([]byte, error) {
	id, body := number(body)
	most, _ := number(body)
	r, ok := t.find(id).(io.Reader)
	if !ok {
		return nil, vfs.EBADF
	}
	type block struct {
		data []byte
		err  error
	}
	buf := make([]byte, max(1, min(most, maxTransfer)))
	got := make(chan block, 1)
	go func() {
		n, err := read(ctx, r, buf)
		got <- block{buf[:n], err}
	}()
	select {
	case b := <-got:
		return b.data, b.err
	case <-ctx.Done():
		return nil, vfs.EINTR
	}
}

func read(ctx context.Context, r io.Reader, p []byte) (int, error) {
	if c, ok := r.(interface {
		ReadContext(context.Context, []byte) (int, error)
	}); ok {
		return c.ReadContext(ctx, p)
	}
	return r.Read(p)
}

// write writes for the other process, and answers how much it has written.
func (t *streams) write(ctx context.Context, body []byte) (answer []byte, err error) {
	id, data := number(body)
	n := 0
	switch w := t.find(id).(type) {
	case interface {
		WriteContext(context.Context, []byte) (int, error)
	}:
		n, err = w.WriteContext(ctx, data)
	case io.Writer:
		n, err = w.Write(data)
	default:
		err = vfs.EBADF
	}
	return numbered(uint64(n)), err
}

// A stream is one of the other process.
type stream struct {
	ref  streamRef
	peer *peer
	ctx  context.Context // waiting ends with it

	mu   sync.Mutex // guards what is written later
	buf  bytes.Buffer
	sent chan struct{} // closed when some of it was written; nil where nothing waits
	err  error
}

// borrow returns the stream that ref names.
func (t *streams) borrow(ctx context.Context, ref streamRef) *stream {
	return &stream{ref: ref, peer: t.peer, ctx: ctx}
}

// Read reads what there is.
func (s *stream) Read(p []byte) (int, error) { return s.ReadContext(s.ctx, p) }

// ReadContext reads what there is, and waits for it no longer than ctx lasts.
func (s *stream) ReadContext(ctx context.Context, p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	data, err := s.peer.exchange(ctx, "read", numbered(s.ref.ID, numbered(uint64(len(p)))...))
	return copy(p, data), err
}

// Write writes p.
func (s *stream) Write(p []byte) (int, error) { return s.WriteContext(s.ctx, p) }

// WriteContext writes p.
func (s *stream) WriteContext(ctx context.Context, p []byte) (n int, err error) {
	if s.ref.Lazy {
		return s.later(p)
	}
	for n < len(p) {
		got, err := s.now(ctx, p[n:min(len(p), n+maxTransfer)])
		if n += got; err != nil {
			return n, err
		}
	}
	return n, nil
}

func (s *stream) now(ctx context.Context, p []byte) (int, error) {
	body, err := s.peer.exchange(ctx, "write", numbered(s.ref.ID, p...))
	n, _ := number(body)
	return int(n), err
}

// later writes p while the writer goes on, together with what has come meanwhile.
func (s *stream) later(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for s.buf.Len() >= maxTransfer && s.err == nil {
		s.wait()
	}
	if s.err != nil {
		return 0, s.err
	}
	s.buf.Write(p)
	if s.sent == nil {
		s.sent = make(chan struct{})
		go s.send()
	}
	return len(p), nil
}

// send writes what waits, until there is no more.
func (s *stream) send() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for s.buf.Len() > 0 && s.err == nil {
		p := bytes.Clone(s.buf.Next(maxTransfer))
		s.mu.Unlock()
		_, err := s.now(context.Background(), p)
		s.mu.Lock()
		s.err = err
		close(s.sent)
		s.sent = make(chan struct{})
	}
	close(s.sent)
	s.sent = nil
}

// wait waits until something was written, if something is to be. Its mu is held, and
// let go meanwhile.
func (s *stream) wait() {
	if sent := s.sent; sent != nil {
		s.mu.Unlock()
		<-sent
		s.mu.Lock()
	}
}

// Flush writes what waits.
func (s *stream) Flush() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for s.sent != nil {
		s.wait()
	}
}

// Close does nothing: the stream is the other's.
func (s *stream) Close() error { return nil }

// Terminal reports whether it is one.
func (s *stream) Terminal() bool { return s.ref.Terminal }

// Stat describes a pipe, or a device.
func (s *stream) Stat() (fs.FileInfo, error) {
	mode := fs.ModeNamedPipe | 0o600
	if s.ref.Device {
		mode = fs.ModeDevice | fs.ModeCharDevice | 0o666
	}
	return &fileInfo{FileName: "pipe", FileMode: mode, Status: vfs.Stat{Nlink: 1}}, nil
}

// A sink keeps what is written. It takes no more than there may be.
type sink struct {
	mu   sync.Mutex
	data []byte
	left int64 // negative means that there is no bound
}

var errFull = errors.New("more output than there may be")

// Write keeps p.
func (s *sink) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.left >= 0 {
		if int64(len(p)) > s.left {
			return 0, errFull
		}
		s.left -= int64(len(p))
	}
	s.data = append(s.data, p...)
	return len(p), nil
}

func (s *sink) bytes() []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.data
}
