// Package retain keeps the end of an output that may have no end: the newest segments
// of it, by offset.
package retain

import (
	"context"
	"sync"
)

// A Buffer is the output of one process. It is safe for concurrent use. Create it with
// [New].
type Buffer struct {
	size, count int
	hold        func(n int) error // charges for n more bytes, or lets go of -n

	mu       sync.Mutex // guards what follows
	segments [][]byte
	oldest   int64 // offset of the first byte of segments
	total    int64
	ended    bool
	changed  chan struct{} // closed when there is more, or an end
}

// New returns a buffer that keeps count segments of size bytes; older ones are
// dropped, one at a time. Hold, unless it is nil, is asked before more is kept, and told
// with a negative number of what is dropped.
func New(size, count int, hold func(n int) error) *Buffer {
	if hold == nil {
		hold = func(int) error { return nil }
	}
	return &Buffer{size: size, count: count, hold: hold, changed: make(chan struct{})}
}

// Write appends b.
func (b *Buffer) Write(data []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for rest := data; len(rest) > 0; {
		last := len(b.segments) - 1
		if last < 0 || len(b.segments[last]) == b.size {
			if len(b.segments) == b.count {
				b.oldest += int64(b.size)
				_ = b.hold(-b.size) // letting go does not fail
				b.segments = append(b.segments[:0], b.segments[1:]...)
			}
			b.segments = append(b.segments, nil)
			last = len(b.segments) - 1
		}
		n := min(len(rest), b.size-len(b.segments[last]))
		if err := b.hold(n); err != nil {
			return len(data) - len(rest), err
		}
		b.segments[last] = append(b.segments[last], rest[:n]...)
		b.total += int64(n)
		rest = rest[n:]
	}
	b.tell()
	return len(data), nil
}

// End says that there will be no more.
func (b *Buffer) End() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.ended = true
	b.tell()
}

func (b *Buffer) tell() {
	close(b.changed)
	b.changed = make(chan struct{})
}

// Bounds returns the offset of the oldest byte that is kept, and how many bytes there
// have been.
func (b *Buffer) Bounds() (oldest, total int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.oldest, b.total
}

// Read returns a copy of at most n bytes from an offset on. Where those are no longer
// kept, it begins with the oldest that are.
func (b *Buffer) Read(offset int64, n int) (data []byte, start int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	start = min(max(offset, b.oldest), b.total)
	data = make([]byte, 0, min(int64(n), b.total-start))
	for at := start; at < b.total && len(data) < n; {
		in := at - b.oldest
		segment := b.segments[in/int64(b.size)][in%int64(b.size):]
		take := min(len(segment), n-len(data))
		data = append(data, segment[:take]...)
		at += int64(take)
	}
	return data, start
}

// Wait waits until there is something behind an offset, or will not be, or ctx is done.
func (b *Buffer) Wait(ctx context.Context, offset int64) {
	for {
		b.mu.Lock()
		there, changed := b.total > offset || b.ended, b.changed
		b.mu.Unlock()
		if there {
			return
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return
		}
	}
}
