package limpet

import (
	"bytes"
	"context"
	"io"
	"io/fs"
	"slices"
	"sync"
	"time"

	"github.com/limpet-sh/limpet/limits"
	"github.com/limpet-sh/limpet/vfs"
)

// An output is where standard output or standard error goes: to a writer of the
// host, or to memory.
type output struct {
	meter *limits.Meter
	w     io.Writer

	mu   sync.Mutex
	data bytes.Buffer
	done bool
}

// Write charges for b and passes it on.
func (o *output) Write(b []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.done {
		return len(b), nil
	}
	if err := o.meter.Charge(limits.Output, int64(len(b))); err != nil {
		return 0, err
	}
	if o.w != nil {
		return o.w.Write(b)
	}
	if grow := o.data.Len() + len(b) - o.data.Cap(); grow > 0 {
		if err := o.meter.Charge(limits.Memory, int64(max(grow, o.data.Cap()))); err != nil {
			return 0, err
		}
	}
	return o.data.Write(b)
}

// say writes text of this package itself, which no limit keeps back.
func (o *output) say(text string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.w != nil {
		_, _ = io.WriteString(o.w, text)
		return
	}
	o.data.WriteString(text)
}

// kept returns what was kept, and drops what comes later.
func (o *output) kept() []byte {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.done = true
	return o.data.Bytes()
}

// Read fails: it is for writing.
func (o *output) Read([]byte) (int, error) { return 0, vfs.EBADF }

// Close does nothing: the writer is the host's.
func (o *output) Close() error { return nil }

// Stat describes a pipe.
func (o *output) Stat() (fs.FileInfo, error) { return pipeInfo{}, nil }

// Terminal reports whether the writer is a terminal.
func (o *output) Terminal() bool {
	t, ok := o.w.(interface{ Terminal() bool })
	return ok && t.Terminal()
}

// An input is standard input: a reader of the host, which may block, read on a
// goroutine of its own so that a script does not have to wait for it.
type input struct {
	r    io.Reader
	once sync.Once
	ask  chan int
	got  chan block
	quit chan struct{}

	mu   sync.Mutex
	rest []byte
	err  error
	wait bool // a read is under way
}

type block struct {
	data []byte
	err  error
}

// newInput returns a stream that reads r, or nothing where r is nil, and what
// lets go of it.
func newInput(r io.Reader) (vfs.Stream, func()) {
	switch r := r.(type) {
	case nil:
		return emptyInput{}, func() {}
	case *bytes.Reader:
		return seekableInput{r}, func() {}
	}
	in := &input{r: r, ask: make(chan int), got: make(chan block, 1), quit: make(chan struct{})}
	return in, func() { close(in.quit) }
}

// pump reads as much as it is asked for.
func (in *input) pump() {
	for {
		select {
		case n := <-in.ask:
			buf := make([]byte, n)
			n, err := in.r.Read(buf)
			in.got <- block{buf[:n], err}
		case <-in.quit:
			return
		}
	}
}

// Read is ReadContext with a context that is never done.
func (in *input) Read(b []byte) (int, error) { return in.ReadContext(context.Background(), b) }

// ReadContext reads what there is, and waits for it no longer than ctx lasts.
func (in *input) ReadContext(ctx context.Context, b []byte) (int, error) {
	in.mu.Lock()
	defer in.mu.Unlock()
	if len(b) == 0 {
		return 0, nil
	}
	for len(in.rest) == 0 {
		if in.err != nil {
			return 0, in.err
		}
		if ctx.Err() != nil {
			return 0, vfs.EINTR
		}
		in.once.Do(func() { go in.pump() })
		if !in.wait {
			select {
			case in.ask <- max(len(b), 4096):
				in.wait = true
			case <-ctx.Done():
				return 0, vfs.EINTR
			}
		}
		select {
		case got := <-in.got:
			in.wait, in.rest, in.err = false, got.data, got.err
		case <-ctx.Done():
			return 0, vfs.EINTR
		}
	}
	n := copy(b, in.rest)
	in.rest = in.rest[n:]
	return n, nil
}

// ReadDelimContext is ReadContext that reads nothing behind the first delim.
func (in *input) ReadDelimContext(ctx context.Context, b []byte, delim byte) (int, error) {
	n, err := in.ReadContext(ctx, b)
	if i := bytes.IndexByte(b[:n], delim); i >= 0 {
		in.mu.Lock()
		in.rest = append(slices.Clone(b[i+1:n]), in.rest...)
		in.mu.Unlock()
		n = i + 1
	}
	return n, err
}

// Write fails: it is for reading.
func (in *input) Write([]byte) (int, error) { return 0, vfs.EBADF }

// Close does nothing: the reader is the host's.
func (in *input) Close() error { return nil }

// Stat describes a pipe, or a device such as /dev/null where the reader is one.
func (in *input) Stat() (fs.FileInfo, error) {
	if f, ok := in.r.(interface{ Stat() (fs.FileInfo, error) }); ok {
		if info, err := f.Stat(); err == nil && info.Mode()&fs.ModeCharDevice != 0 {
			return deviceInfo{}, nil
		}
	}
	return pipeInfo{}, nil
}

// Terminal reports whether the reader is a terminal.
func (in *input) Terminal() bool {
	t, ok := in.r.(interface{ Terminal() bool })
	return ok && t.Terminal()
}

// emptyInput is standard input where there is none.
type emptyInput struct{}

// Read finds the end at once.
func (emptyInput) Read([]byte) (int, error) { return 0, io.EOF }

// Write fails.
func (emptyInput) Write([]byte) (int, error) { return 0, vfs.EBADF }

// Close does nothing.
func (emptyInput) Close() error { return nil }

// Stat describes a device such as /dev/null, which is what programs get as input
// where there is none.
func (emptyInput) Stat() (fs.FileInfo, error) { return deviceInfo{}, nil }

// Ready reports that a read does not wait.
func (emptyInput) Ready() bool { return true }

// seekableInput is standard input from memory.
type seekableInput struct{ *bytes.Reader }

// Write fails.
func (seekableInput) Write([]byte) (int, error) { return 0, vfs.EBADF }

// Close does nothing.
func (seekableInput) Close() error { return nil }

// Stat describes a pipe.
func (seekableInput) Stat() (fs.FileInfo, error) { return pipeInfo{}, nil }

// pipeInfo describes a stream of the host.
type pipeInfo struct{}

func (pipeInfo) Name() string       { return "pipe" }
func (pipeInfo) Size() int64        { return 0 }
func (pipeInfo) Mode() fs.FileMode  { return fs.ModeNamedPipe | 0o600 }
func (pipeInfo) ModTime() time.Time { return time.Time{} }
func (pipeInfo) IsDir() bool        { return false }
func (pipeInfo) Sys() any           { return &vfs.Stat{Nlink: 1} }

// deviceInfo describes a character device of the host.
type deviceInfo struct{ pipeInfo }

func (deviceInfo) Name() string      { return "null" }
func (deviceInfo) Mode() fs.FileMode { return fs.ModeDevice | fs.ModeCharDevice | 0o666 }

// hostClock is the time of the host.
type hostClock struct{}

// Now returns the time, in UTC.
func (hostClock) Now() time.Time { return time.Now().UTC() }

// Sleep waits for d, or until ctx is done.
func (hostClock) Sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// lockedReader serialises reads.
type lockedReader struct {
	mu sync.Mutex
	r  io.Reader
}

// Read reads under the lock.
func (l *lockedReader) Read(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.r.Read(b)
}
