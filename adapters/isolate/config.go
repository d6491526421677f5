// Package isolate is a [limpet.Shell] in a process of its own, for scripts of people who
// want to harm the host: where a script brings the Go runtime itself down, with its memory,
// its stack or a fault in it, that process dies, and the program that embeds the sandbox
// does not.
//
// The process is the same program, started once more. [Main] makes it one that serves a
// sandbox:
//
//	func main() {
//		isolate.Main()
//		…
//		s, err := isolate.New(ctx, isolate.Config{})
//
// Results are those of a Shell. Commands of the embedding program, readers, writers and
// watches are called back. When the process dies, or does not end a script that has to
// end, the scripts that were running end with a [LostError], files and sessions are gone,
// and the next script runs in a new process.
//
// It is for Linux.
package isolate

import (
	"errors"
	"time"

	"github.com/limpet-sh/limpet"
)

// A Config describes a sandbox. Every field may be left zero.
type Config struct {
	// Shell is what the process runs. What is no data cannot be handed to another
	// process: [New] refuses a configuration with Files, Quota, Mounts, a Clock,
	// Random or a Guard, and one with a network policy that has Bindings, a Resolver
	// or Roots. Watch, Lifecycle, the Log of the policy and commands that are not of
	// this module stay in the embedding program and are called back.
	Shell limpet.Config

	// Dirs are directories of the host that appear below the root.
	Dirs []Dir

	// Memory is how many bytes of data the process may have. Zero means twice the
	// memory that Shell.Limits allows to one execution, and 256 MiB. Before there are as
	// many, the execution that holds the most is stopped; see [limpet.Guard]. With the
	// race detector a process needs several times as much.
	Memory int64

	// Patience is how long the process may take for what ought to take no time,
	// such as to end a script whose time is up, before it is killed. Zero means ten
	// seconds.
	Patience time.Duration
}

// A Dir is a directory of the host that scripts see.
type Dir struct {
	Host string // its name on the host
	Path string // absolute, in the sandbox
	Mode Mode

	// Sensitive allows directories in spite of what is in them; see package hostdir.
	Sensitive []string
}

// A Mode says what becomes of what scripts write to a [Dir].
type Mode uint8

// The modes.
const (
	ReadOnly    Mode = iota // it is refused
	CopyOnWrite             // it stays in the sandbox
	ReadWrite               // it goes to the host
)

// ErrLost is what a [LostError] matches.
var ErrLost = errors.New("the process of the sandbox has ended; its files and sessions are lost")

// A LostError says that the process of a sandbox has ended while something was under
// way, or since. The files and sessions that it had are lost.
type LostError struct {
	// Cause is why the process was killed: the end of a context, a limit. Nil means
	// that it has ended by itself.
	Cause error

	// Text is what it said in the end, such as "fatal error: stack overflow".
	Text string
}

// Error says that state is lost, and why.
func (e *LostError) Error() string {
	switch {
	case e.Cause != nil:
		return ErrLost.Error() + ": it was killed: " + e.Cause.Error()
	case e.Text != "":
		return ErrLost.Error() + ": " + e.Text
	}
	return ErrLost.Error()
}

// Is reports whether target is [ErrLost].
func (e *LostError) Is(target error) bool { return target == ErrLost }

// Unwrap returns the cause.
func (e *LostError) Unwrap() error { return e.Cause }
