package interp

import (
	"context"
	"sync"

	"github.com/limpet-sh/limpet/vfs"
)

// A lockTable has the advisory locks of an execution. The zero table has none.
type lockTable struct {
	mu      sync.Mutex
	held    map[any]heldLock // by who holds it: an open file
	changed chan struct{}    // closed when a lock goes
}

// A heldLock is a lock on a file.
type heldLock struct {
	dev, ino uint64
	shared   bool
}

// holder returns who holds the locks of s: the open file that it refers to.
func holder(s vfs.Stream) any {
	if r, ok := s.(interface{ Shared() *openFile }); ok {
		return r.Shared()
	}
	return s
}

// Lock locks the file that s is, as builtins.Locks says.
func (t *lockTable) Lock(ctx context.Context, s vfs.Stream, shared, wait bool) error {
	info, err := s.Stat()
	if err != nil {
		return err
	}
	st := vfs.StatOf(info)
	want := heldLock{st.Dev, st.Ino, shared}
	who := holder(s)
	for {
		changed, ok := t.try(who, want)
		switch {
		case ok:
			return nil
		case !wait:
			return vfs.EAGAIN
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// try takes a lock if none is in the way. Otherwise it returns what is closed when
// that may have changed.
func (t *lockTable) try(who any, want heldLock) (changed <-chan struct{}, ok bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for other, l := range t.held {
		if other != who && l.dev == want.dev && l.ino == want.ino && !(l.shared && want.shared) {
			if t.changed == nil {
				t.changed = make(chan struct{})
			}
			return t.changed, false
		}
	}
	if t.held == nil {
		t.held = map[any]heldLock{}
	}
	t.held[who] = want
	if f, isOpen := who.(*openFile); isOpen {
		f.locks.Store(t)
	}
	return nil, true
}

// Unlock takes the lock of s away.
func (t *lockTable) Unlock(s vfs.Stream) { t.unlock(holder(s)) }

func (t *lockTable) unlock(who any) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.held, who)
	if t.changed != nil {
		close(t.changed)
		t.changed = nil
	}
}
