package serve

import (
	"context"
	"errors"
	"fmt"
)

// A Store keeps sessions while nobody holds them in memory. Keys have the form
// CLIENT.ID. Its methods may be called at the same time.
type Store interface {
	// Claim makes this process the owner of a session, until Release, or until the
	// channel is closed because others may have taken it. Where another owns it,
	// Claim fails with a *ClaimedError.
	Claim(ctx context.Context, key string) (lost <-chan struct{}, err error)
	Release(ctx context.Context, key string) error

	// Read returns a record and its revision; its error matches fs.ErrNotExist
	// where there is none.
	Read(ctx context.Context, key string) (data []byte, revision uint64, err error)

	// Write replaces the record that has the revision, or makes one where that is
	// zero, and returns the new revision. It has been kept when Write returns. The error matches ErrConflict
	// where the record has another revision.
	Write(ctx context.Context, key string, data []byte, revision uint64) (uint64, error)

	// Remove removes a record that may not be there.
	Remove(ctx context.Context, key string) error

	// Keys returns the keys of a client, or all where it is empty.
	Keys(ctx context.Context, client string) ([]string, error)

	// WriteBlob keeps bytes by a name that was never used before. ReadBlob returns them, and
	// RemoveBlob removes what may not be there.
	WriteBlob(ctx context.Context, name string, data []byte) error
	ReadBlob(ctx context.Context, name string) ([]byte, error)
	RemoveBlob(ctx context.Context, name string) error

	// Close gives everything back that was claimed.
	Close() error
}

// ErrConflict is matched where somebody else has written a record meanwhile.
var ErrConflict = errors.New("serve: the record was changed by another")

// A ClaimedError says that another process owns a session.
type ClaimedError struct{ Owner string }

// Error names the owner.
func (e *ClaimedError) Error() string {
	return fmt.Sprintf("serve: the session is owned by %s", e.Owner)
}
