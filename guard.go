package limpet

import (
	"errors"
	"fmt"
	"runtime"
	"runtime/metrics"
	"sync"
	"time"

	"github.com/limpet-sh/limpet/limits"
)

// ErrMemoryGuard is matched by what stops an execution because the process was about
// to hold more memory than its guard allows.
var ErrMemoryGuard = errors.New("memory guard of the process")

// A GuardError says why a [Guard] has stopped an execution. It matches
// [ErrMemoryGuard] and [limits.ErrExceeded].
type GuardError struct {
	Heap    int64 // bytes that the process held
	Ceiling int64
}

// Error names the sizes and the option.
func (e *GuardError) Error() string {
	return fmt.Sprintf("%v: %d bytes held, %d allowed (raise it with NewGuard)", ErrMemoryGuard, e.Heap, e.Ceiling)
}

// Is reports whether e matches target.
func (e *GuardError) Is(target error) bool {
	return target == ErrMemoryGuard || target == limits.ErrExceeded
}

// A Guard watches the heap of the process while scripts run. Where it is above a
// ceiling, the guard ends the execution that holds the most memory by its own
// account, and the next when that was not enough. Limits bound what each script may
// hold; a guard is for many of them at once, and for what no limit has counted. One
// guard may serve many shells. Create it with [NewGuard].
type Guard struct {
	ceiling int64
	heap    func() int64

	mu      sync.Mutex
	running map[*guarded]struct{}
	stop    chan struct{} // of the watcher; nil where nothing runs
}

// A guarded is an execution that a guard may end.
type guarded struct {
	meter  *limits.Meter
	cancel func(error)
	ended  bool
}

// guardInterval is how often a guard looks.
const guardInterval = 5 * time.Millisecond

// NewGuard returns a guard that lets the heap of the process, all of it, grow to a
// number of bytes.
func NewGuard(ceiling int64) *Guard {
	return &Guard{ceiling: ceiling, heap: liveHeap, running: map[*guarded]struct{}{}}
}

// liveHeap returns the bytes of heap objects, those included that nobody holds and that
// have not been collected yet.
func liveHeap() int64 {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(sample)
	return int64(sample[0].Value.Uint64())
}

// add puts an execution under the guard, until the function that it returns is
// called. A nil guard guards nothing.
func (g *Guard) add(m *limits.Meter, cancel func(error)) (done func()) {
	if g == nil {
		return func() {}
	}
	x := &guarded{meter: m, cancel: cancel}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.running[x] = struct{}{}
	if g.stop == nil {
		g.stop = make(chan struct{})
		go g.watch(g.stop)
	}
	return func() {
		g.mu.Lock()
		defer g.mu.Unlock()
		delete(g.running, x)
		if len(g.running) == 0 {
			close(g.stop)
			g.stop = nil
		}
	}
}

func (g *Guard) watch(stop chan struct{}) {
	t := time.NewTicker(guardInterval)
	defer t.Stop()
	for {
		select {
		case <-t.C:
			if g.heap() <= g.ceiling {
				continue
			}
			runtime.GC() // what nobody holds any more is no reason to end a script
			if heap := g.heap(); heap > g.ceiling {
				g.end(heap)
			}
		case <-stop:
			return
		}
	}
}

// end ends the largest execution, unless one is ending already.
func (g *Guard) end(heap int64) {
	g.mu.Lock()
	defer g.mu.Unlock()
	var largest *guarded
	for x := range g.running {
		if x.ended {
			return
		}
		if largest == nil || x.meter.Used(limits.Memory) > largest.meter.Used(limits.Memory) {
			largest = x
		}
	}
	if largest != nil {
		largest.ended = true
		largest.cancel(&GuardError{Heap: heap, Ceiling: g.ceiling})
	}
}
