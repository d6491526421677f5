package network

import (
	"context"
	"errors"
	"sync/atomic"
	"time"
)

// errSlow is the cause of the end of a transfer that was too slow.
var errSlow = errors.New("too slow")

// speedTime is how long a transfer may be slow where only the limit is given.
const speedTime = 30

// A pace ends a transfer that is slower than a limit for a time.
type pace struct {
	got atomic.Int64 // bytes of the body
}

// watch looks at the pace each second until ctx is done, and cancels what is too slow.
func (p *pace) watch(ctx context.Context, limit, most int64, cancel context.CancelCauseFunc) {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	var before, slow int64
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		got := p.got.Load()
		if slow++; got-before >= limit {
			slow = 0
		}
		if before = got; slow >= most {
			cancel(errSlow)
			return
		}
	}
}

// keepPace watches the transfer where that is wanted; end is to be called after it.
func (t *transfer) keepPace(ctx context.Context, cancel context.CancelCauseFunc) (end func()) {
	if !t.o.paced {
		return func() {}
	}
	ctx, stop := context.WithCancel(ctx)
	done := make(chan struct{})
	t.pace.got.Store(0)
	go func() {
		defer close(done)
		t.pace.watch(ctx, t.o.slowest(), t.o.patience(), cancel)
	}()
	return func() { stop(); <-done }
}

// slowest is the limit in bytes a second, and patience how many seconds it may be missed.
func (o *operation) slowest() int64 { return max(o.speedLimit, 1) }

func (o *operation) patience() int64 {
	if o.speedTime == 0 {
		return speedTime
	}
	return o.speedTime
}
