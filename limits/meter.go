package limits

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
)

// ErrExceeded is matched by every error that reports an exhausted limit.
var ErrExceeded = errors.New("limit exceeded")

// An ExceededError says which limit a script ran into. It matches
// [ErrExceeded], and for [Time] also [context.DeadlineExceeded].
type ExceededError struct {
	Resource Resource
	Limit    int64 // in the unit of the resource; nanoseconds for Time
}

// Error names the limit, its value, and the options that raise it.
func (e *ExceededError) Error() string {
	row := table[e.Resource]
	return fmt.Sprintf("%s limit of %s exceeded (raise it with Limits.%s or --limit %s=N)",
		row.name, e.Resource.format(e.Limit), row.option, row.name)
}

// Is reports whether e matches target.
func (e *ExceededError) Is(target error) bool {
	return target == ErrExceeded || e.Resource == Time && target == context.DeadlineExceeded
}

// A Meter counts what one execution consumes. It is safe for concurrent use.
// Create it with [NewMeter]; a nil *Meter counts nothing and refuses nothing.
type Meter struct {
	limit  [numResources]int64
	used   [numResources]atomic.Int64
	peak   atomic.Int64 // of Memory
	first  atomic.Pointer[ExceededError]
	exceed func(*ExceededError)
}

// NewMeter returns a meter that enforces l. When a limit is exceeded for the
// first time, the meter calls exceed, unless it is nil, on the goroutine that
// asked for too much.
func NewMeter(l Limits, exceed func(*ExceededError)) *Meter {
	m := &Meter{exceed: exceed}
	for r := range numResources {
		m.limit[r] = l.Of(r)
	}
	return m
}

// Charge consumes n units of r. Where that would exceed the limit it consumes
// nothing and returns an [*ExceededError]; the execution is over then, whatever
// the caller makes of the error: see [Meter.Err].
func (m *Meter) Charge(r Resource, n int64) error {
	if m == nil {
		return nil
	}
	now := m.used[r].Add(n)
	if limit := m.limit[r]; n > 0 && limit >= 0 && (now > limit || now < 0) {
		m.used[r].Add(-n)
		return m.Exceed(r)
	}
	if r == Memory {
		m.raisePeak(now)
	}
	return nil
}

// Exceed reports that the execution wanted more of r than it may have.
func (m *Meter) Exceed(r Resource) error {
	err := &ExceededError{Resource: r, Limit: m.limit[r]}
	if m.first.CompareAndSwap(nil, err) && m.exceed != nil {
		m.exceed(err)
	}
	return err
}

func (m *Meter) raisePeak(now int64) {
	for {
		old := m.peak.Load()
		if now <= old || m.peak.CompareAndSwap(old, now) {
			return
		}
	}
}

// Fits reports whether n more units of r would be within the limit. It is for
// sizes that are known before the work is begun.
func (m *Meter) Fits(r Resource, n int64) bool {
	if m == nil || m.limit[r] < 0 {
		return true
	}
	return n >= 0 && n <= m.limit[r]-m.used[r].Load()
}

// Release gives back n units of r.
func (m *Meter) Release(r Resource, n int64) {
	if m != nil {
		m.used[r].Add(-n)
	}
}

// Used returns how much of r is consumed now.
func (m *Meter) Used(r Resource) int64 {
	if m == nil {
		return 0
	}
	return m.used[r].Load()
}

// Peak returns the most memory that was held at one time.
func (m *Meter) Peak() int64 {
	if m == nil {
		return 0
	}
	return m.peak.Load()
}

// Limit returns the bound on r, or [Unlimited].
func (m *Meter) Limit(r Resource) int64 {
	if m == nil {
		return Unlimited
	}
	return m.limit[r]
}

// Err returns the first limit that was exceeded, or nil.
func (m *Meter) Err() error {
	if m == nil {
		return nil
	}
	if err := m.first.Load(); err != nil {
		return err
	}
	return nil
}
