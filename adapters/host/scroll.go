//go:build linux

package host

import (
	"context"
	"sync"
	"time"

	"github.com/limpet-sh/limpet"
)

// A scroll is the output of a process: the newest [limpet.Segments] of it. The zero
// scroll is empty.
type scroll struct {
	mu       sync.Mutex
	segments [][]byte // all but the last of SegmentSize
	oldest   int64
	total    int64
	changed  chan struct{} // closed, and nil, when something changes
}

// append adds output.
func (s *scroll) append(b []byte) {
	s.update(func() {
		for len(b) > 0 {
			last := len(s.segments) - 1
			if last < 0 || len(s.segments[last]) == limpet.SegmentSize {
				s.segments = append(s.segments, nil)
				if len(s.segments) > limpet.Segments {
					s.segments = append([][]byte(nil), s.segments[1:]...)
					s.oldest += limpet.SegmentSize
				}
				last = len(s.segments) - 1
			}
			n := min(len(b), limpet.SegmentSize-len(s.segments[last]))
			s.segments[last] = append(s.segments[last], b[:n]...)
			s.total += int64(n)
			b = b[n:]
		}
	})
}

// update changes what the mutex guards, and wakes who waits for that.
func (s *scroll) update(change func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change()
	if s.changed != nil {
		close(s.changed)
		s.changed = nil
	}
}

// look reads what the mutex guards.
func (s *scroll) look(read func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	read()
}

// defaultPage is how much of the output is returned where nobody says.
const defaultPage = 16_000

// page returns part of the output, with what info is then.
func (s *scroll) page(ctx context.Context, req limpet.OutputRequest, info *limpet.ProcessInfo) (limpet.ProcessOutput, error) {
	most := int64(req.Max)
	if most <= 0 {
		most = defaultPage
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if !req.FromEnd && (req.Cursor < 0 || req.Cursor > s.total) {
		return limpet.ProcessOutput{}, limpet.InvalidCursor(req.Cursor, s.oldest, s.total)
	}
	if req.Wait > 0 {
		after := req.Cursor
		if req.FromEnd {
			after = s.total
		}
		if err := s.wait(ctx, req.Wait, func() bool { return s.total > after || info.Status != limpet.ProcessRunning }); err != nil {
			return limpet.ProcessOutput{}, err
		}
	}
	start := max(req.Cursor, s.oldest)
	if req.FromEnd {
		start = max(s.oldest, s.total-most)
	}
	out := limpet.ProcessOutput{ProcessInfo: *info, Start: start, Oldest: s.oldest, Available: s.total}
	for at := start; at < s.total && at < start+most; at = start + int64(len(out.Data)) {
		i, off := (at-s.oldest)/limpet.SegmentSize, (at-s.oldest)%limpet.SegmentSize
		part := s.segments[i][off:]
		out.Data = append(out.Data, part[:min(int64(len(part)), start+most-at)]...)
	}
	out.Next = start + int64(len(out.Data))
	return out, nil
}

// wait waits, with the mutex, for a condition, no longer than d and ctx last.
func (s *scroll) wait(ctx context.Context, d time.Duration, ready func() bool) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	for !ready() {
		if s.changed == nil {
			s.changed = make(chan struct{})
		}
		changed := s.changed
		s.mu.Unlock()
		late := false
		select {
		case <-changed:
		case <-timer.C:
			late = true
		case <-ctx.Done():
		}
		s.mu.Lock()
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if late {
			return nil
		}
	}
	return nil
}
