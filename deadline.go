package limpet

import (
	"context"
	"sync"
	"time"

	"github.com/limpet-sh/limpet/limits"
)

// A deadline cancels an execution when its time is up. The zero deadline never
// does.
type deadline struct {
	timer *time.Timer // nil where there is no bound

	mu      sync.Mutex
	held    int // how many times it is paused
	stopped bool
	left    time.Duration // where it is stopped
	passed  time.Time     // when the time is up, where it is not
}

// newDeadline arranges for the time limit of a request to cancel its execution.
func newDeadline(timeout time.Duration, meter *limits.Meter, cancel context.CancelCauseFunc) *deadline {
	limit := time.Duration(meter.Limit(limits.Time))
	bound := error(nil)
	if limit > 0 {
		bound = &limits.ExceededError{Resource: limits.Time, Limit: int64(limit)}
	}
	if timeout > 0 && (limit <= 0 || timeout < limit) {
		limit = timeout
		bound = &TimeoutError{limit}
	}
	d := new(deadline)
	if limit > 0 {
		d.passed = time.Now().Add(limit)
		d.timer = time.AfterFunc(limit, func() { cancel(bound) })
	}
	return d
}

// pause stops the time. What was paused more than once stands still until it has
// been resumed as often.
func (d *deadline) pause() {
	if d.timer == nil {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.held++
	if d.held == 1 && d.timer.Stop() {
		d.stopped, d.left = true, time.Until(d.passed)
	}
}

// resume lets the time go on.
func (d *deadline) resume() {
	if d.timer == nil {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.held--
	if d.held == 0 && d.stopped {
		d.stopped, d.passed = false, time.Now().Add(d.left)
		d.timer.Reset(d.left)
	}
}

// stop lets go of the timer.
func (d *deadline) stop() {
	if d.timer != nil {
		d.timer.Stop()
	}
}
