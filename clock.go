package limpet

import (
	"context"
	"runtime/metrics"
	"sync"
	"time"
)

// A VirtualClock is a [Config.Clock] whose time passes only while somebody sleeps: a
// sleep returns at once, and the time is then that at which it would have ended. Of
// sleeps that wait together the one that ends first is first to return. Its script sees
// the same time whenever it is run.
//
// Create it with [NewVirtualClock]; it may be shared by shells.
type VirtualClock struct {
	mu       sync.Mutex
	now      time.Time
	sleepers []*sleeper // by the time of their end
	waking   bool
	waited   int // how often in a row
}

type sleeper struct {
	end  time.Time
	wake chan struct{}
}

const (
	// settle is how long a virtual clock leaves others to begin a sleep that ends
	// before those that have begun. It is real time.
	settle = 2 * time.Millisecond

	// settles is how often it waits again while goroutines of the process want to
	// run, which may be those that have not begun yet.
	settles = 20
)

// NewVirtualClock returns a clock that begins at a time.
func NewVirtualClock(start time.Time) *VirtualClock { return &VirtualClock{now: start} }

// Now returns the time.
func (c *VirtualClock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// Sleep waits until it is the turn of its end.
func (c *VirtualClock) Sleep(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return context.Cause(ctx)
	}
	c.mu.Lock()
	s := &sleeper{end: c.now.Add(d), wake: make(chan struct{})}
	at := len(c.sleepers)
	for at > 0 && c.sleepers[at-1].end.After(s.end) {
		at--
	}
	c.sleepers = append(c.sleepers[:at], append([]*sleeper{s}, c.sleepers[at:]...)...)
	c.arrange()
	c.mu.Unlock()
	select {
	case <-s.wake:
		return nil
	case <-ctx.Done():
		c.mu.Lock()
		defer c.mu.Unlock()
		for i, o := range c.sleepers {
			if o == s {
				c.sleepers = append(c.sleepers[:i], c.sleepers[i+1:]...)
				break
			}
		}
		return context.Cause(ctx)
	}
}

// arrange makes the next sleep end, a little later. The lock is held.
func (c *VirtualClock) arrange() {
	if c.waking || len(c.sleepers) == 0 {
		return
	}
	c.waking = true
	time.AfterFunc(settle, c.next)
}

// next ends the sleeps whose turn it is.
func (c *VirtualClock) next() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.waking = false
	if len(c.sleepers) == 0 {
		return
	}
	if c.waited < settles && busy() {
		c.waited++
		c.arrange()
		return
	}
	c.waited = 0
	c.now = c.sleepers[0].end
	for len(c.sleepers) > 0 && !c.sleepers[0].end.After(c.now) {
		close(c.sleepers[0].wake)
		c.sleepers = c.sleepers[1:]
	}
	c.arrange()
}

// busy reports whether a goroutine of the process other than this one runs, or waits for
// a processor.
func busy() bool {
	sample := []metrics.Sample{{Name: "/sched/goroutines/runnable:goroutines"}, {Name: "/sched/goroutines/running:goroutines"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64() > 0 || sample[1].Value.Uint64() > 1
}
