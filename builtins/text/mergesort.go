package text

import (
	"context"
	"sync/atomic"
)

const (
	insertionSize = 12       // entries that are sorted by insertion
	parallelSize  = 64 << 10 // entries that are worth a goroutine
)

// A mergeSort sorts entries, and leaves equal ones in their order.
type mergeSort struct {
	compare func(a, b *sortEntry) int
	poll    func(n int) error
}

// sort sorts the entries of l, on two goroutines if there are many and parallel
// is true. It ends early with the error of the call.
func (l *sortLines) sort(ctx context.Context, compare func(a, b *sortEntry) int, parallel bool) error {
	m := mergeSort{compare: compare, poll: l.call.Poll}
	n := len(l.entries)
	spare := make([]sortEntry, n/2+1)
	if n < parallelSize || !parallel {
		return m.sort(l.entries, spare)
	}
	half, quarter := n/2, n/4+1
	other := m.start(l.entries[half:], make([]sortEntry, quarter))
	err := m.sort(l.entries[:half], spare)
	if err == nil {
		err = other.wait(ctx)
	} else {
		other.stop()
	}
	if err != nil {
		return err
	}
	return m.merge(l.entries, half, spare)
}

// A sortTask is a sort on a goroutine of its own.
type sortTask struct {
	stopped  atomic.Bool
	done     chan struct{}
	panicked any
}

// start sorts a on another goroutine.
func (m mergeSort) start(a, spare []sortEntry) *sortTask {
	t := &sortTask{done: make(chan struct{})}
	m.poll = func(int) error {
		if t.stopped.Load() {
			return context.Canceled
		}
		return nil
	}
	go func() {
		defer close(t.done)
		defer func() { t.panicked = recover() }()
		_ = m.sort(a, spare)
	}()
	return t
}

// wait waits for the end of the sort or of the context, in which case it stops
// the sort.
func (t *sortTask) wait(ctx context.Context) error {
	select {
	case <-t.done:
		if t.panicked != nil {
			panic(t.panicked)
		}
		return nil
	case <-ctx.Done():
		t.stop()
		return context.Cause(ctx)
	}
}

// stop makes the sort end, and waits for that.
func (t *sortTask) stop() {
	t.stopped.Store(true)
	<-t.done
}

// sort sorts a. spare has room for half of it.
func (m *mergeSort) sort(a, spare []sortEntry) error {
	if len(a) <= insertionSize {
		for i := 1; i < len(a); i++ {
			for j := i; j > 0 && m.compare(&a[j], &a[j-1]) < 0; j-- {
				a[j], a[j-1] = a[j-1], a[j]
			}
		}
		return nil
	}
	half := len(a) / 2
	if err := m.sort(a[:half], spare); err != nil {
		return err
	}
	if err := m.sort(a[half:], spare); err != nil {
		return err
	}
	return m.merge(a, half, spare)
}

// merge merges the sorted parts of a before and after half.
func (m *mergeSort) merge(a []sortEntry, half int, spare []sortEntry) error {
	if err := m.poll(min(len(a), 0x1000)); err != nil {
		return err
	}
	if m.compare(&a[half-1], &a[half]) <= 0 {
		return nil
	}
	left := spare[:copy(spare, a[:half])]
	i, j := 0, half
	for k := 0; i < len(left); k++ {
		if k&0xfff == 0xfff {
			if err := m.poll(0x1000); err != nil {
				return err
			}
		}
		if j == len(a) || m.compare(&left[i], &a[j]) <= 0 {
			a[k] = left[i]
			i++
		} else {
			a[k] = a[j]
			j++
		}
	}
	return nil
}
