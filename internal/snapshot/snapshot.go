// Package snapshot is the byte form of what a sandbox holds: a stream of numbers
// and texts, cut into frames, with a checksum behind. Package vfs writes files to
// it and package interp the state of a shell.
//
// A stream is
//
//	magic     "limpet snapshot\n"
//	version   one byte
//	frames    each of them four bytes for its length, the lowest first, and as
//	          many bytes; one of length 0 is the end
//	checksum  eight bytes, the XXH64 of all that comes before, the lowest first
//
// Numbers are varints, those that may be negative in zigzag form; texts are their
// length and their bytes.
package snapshot

import (
	"errors"
	"fmt"
)

const (
	magic   = "limpet snapshot\n"
	version = 2

	frameSize = 1 << 20
)

var (
	// ErrDamaged is matched by errors that say that bytes are no snapshot, or
	// not any more.
	ErrDamaged = errors.New("not a snapshot, or a damaged one")

	// ErrVersion is matched where a snapshot is of a version that is not known.
	ErrVersion = errors.New("a snapshot of another version")

	// ErrBase is matched where a snapshot goes on from another than was given.
	ErrBase = errors.New("a snapshot on another base")
)

// A Sum identifies a snapshot: its checksum.
type Sum uint64

// Damaged returns an error that matches [ErrDamaged].
func Damaged(format string, args ...any) error {
	return fmt.Errorf("%w: "+format, append([]any{ErrDamaged}, args...)...)
}
