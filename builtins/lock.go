package builtins

import (
	"context"

	"github.com/limpet-sh/limpet/vfs"
)

// Locks is the table of advisory locks of a sandbox, as flock(2) has them: on
// files, and held by open files. It is safe for concurrent use.
type Locks interface {
	// Lock gives the open file f a lock on the file that it is, in place of
	// the one that it has: one that others may share, or one for f alone.
	// Where others are in the way it waits or, unless wait is set, returns
	// [vfs.EAGAIN]. The error is the context's cause when ctx is done first.
	// The lock ends with [Locks.Unlock], and when the last descriptor of a
	// shell that refers to f is closed.
	Lock(ctx context.Context, f vfs.Stream, shared, wait bool) error

	// Unlock takes the lock of f away, if it has one.
	Unlock(f vfs.Stream)
}
