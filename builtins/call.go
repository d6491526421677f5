package builtins

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"time"

	"github.com/limpet-sh/limpet/limits"
	"github.com/limpet-sh/limpet/netpolicy"
	"github.com/limpet-sh/limpet/vfs"
)

// A Call is one run of a command, and everything that run may touch. A command
// that uses nothing but its Call cannot leave the sandbox.
type Call struct {
	Command *Command
	Name    string   // the name it was called by
	Args    []string // not including the name
	Env     Environ

	// Stdin, Stdout and Stderr are never nil. Where they are files, pipes
	// or devices of the sandbox they are also [vfs.Stream].
	Stdin  io.Reader
	Stdout io.Writer
	Stderr io.Writer

	FS        *vfs.View         // relative names resolve against FS.Dir
	Net       *netpolicy.Access // refuses what the network policy refuses
	Meter     *limits.Meter     // charged by whatever allocates or loops
	Clock     Clock             // the sandbox's clock
	Rand      io.Reader         // the sandbox's randomness
	User      User              // who runs the command
	Host      string            // the sandbox's host name
	PID, PPID int               // the number of the process, and of its shell
	Processes Processes         // the sandbox's process table
	Locks     Locks             // the sandbox's locks of files; nil where there are none

	// Exec runs another command as execvp would: a program found through
	// PATH, never a function or a shell builtin. It differs from this call
	// in what set changes, and set may be nil. The status is 127 or 126 where
	// there is no such program; nothing is printed then.
	Exec func(ctx context.Context, args []string, set func(*Call)) (Exit, error)

	// LookPath finds a program as Exec would.
	LookPath func(name string) (path string, err error)

	ctx    context.Context
	status Exit
	steps  int
	flags  *Flags       // set by Describe
	flush  func() error // set by FlushBefore
}

// An Environ is a view of the variables exported to a command.
type Environ interface {
	Lookup(name string) (value string, ok bool)
	All() iter.Seq2[string, string] // in a fixed order
}

// A Clock tells the time of a sandbox. It is safe for concurrent use.
type Clock interface {
	Now() time.Time

	// Sleep returns nil after d has passed, or the context's cause when ctx
	// is done before that.
	Sleep(ctx context.Context, d time.Duration) error
}

// A User is who runs a script, as /etc/passwd and /etc/group have it.
type User struct {
	Name   string
	Group  string
	UID    int
	GID    int
	Groups []int // supplementary
	Home   string
}

// A Process is a row of the process table.
type Process struct {
	PID, PPID, PGID int
	Command         string    // its arguments, joined by spaces
	State           byte      // as ps shows it: R, S, T or Z
	Start           time.Time // when it was started
	CPU             time.Duration
}

// Processes is the table of the processes of a sandbox.
type Processes interface {
	List() []Process // by PID

	// Signal sends a signal to a process; to its group where pid is
	// negative. Signal 0 sends nothing and reports whether there is such a
	// process. The error is [vfs.ESRCH] or [vfs.EPERM].
	Signal(pid int, sig Signal) error
}

// Getenv returns the value of an exported variable, or "" where there is none.
func (c *Call) Getenv(name string) string {
	value, _ := c.Env.Lookup(name)
	return value
}

// FlushBefore makes [Call.Warn] call flush before it prints, so that messages
// come after what was printed before them even where both go to the same place.
// It is for commands that buffer their output.
func (c *Call) FlushBefore(flush func() error) { c.flush = flush }

// Warn prints err after the command's name, and makes the call end with the
// command's Trouble status unless Run returns an [Exit]. Of what ends the
// script, which says so itself, it prints nothing.
func (c *Call) Warn(err error) {
	if errors.Is(err, vfs.EPIPE) || errors.Is(err, limits.ErrExceeded) {
		return
	}
	if c.ctx != nil && c.ctx.Err() != nil { // it has been killed
		return
	}
	c.Fail()
	if c.flush != nil {
		_ = c.flush() // where it fails, so will the next one
	}
	if isWrite(err) {
		err = fmt.Errorf("write error: %w", vfs.ErrnoOf(err))
	}
	fmt.Fprintf(c.Stderr, "%s: %v\n", c.Name, err)
}

// isWrite reports whether err is the failure of a write, as a file gives it. GNU's
// tools do not say to which.
func isWrite(err error) bool {
	e, ok := err.(*fs.PathError)
	return ok && e.Op == "write"
}

// Warnf is [Call.Warn] with a formatted message.
func (c *Call) Warnf(format string, args ...any) { c.Warn(fmt.Errorf(format, args...)) }

// Fail makes the call end with the command's Trouble status unless Run returns
// an [Exit]. It prints nothing.
func (c *Call) Fail() { c.status = max(c.status, c.Command.Trouble, 1) }

// Failed reports whether the call has warned.
func (c *Call) Failed() bool { return c.status != 0 }

// FileError returns err in the form that most GNU tools give it: the name,
// quoted where it has to be, and the reason.
func FileError(name string, err error) error {
	return fmt.Errorf("%s: %w", QuoteMaybe(name), vfs.ErrnoOf(err))
}

// Poll counts n steps of work, and returns an error when the call must end:
// its context is done, or the steps are used up. Call it in every loop that
// input drives; it is cheap.
func (c *Call) Poll(n int) error {
	if c.steps += n; c.steps < 256 {
		return nil
	}
	steps := c.steps
	c.steps = 0
	if c.ctx != nil && c.ctx.Err() != nil {
		return context.Cause(c.ctx)
	}
	return c.Meter.Charge(limits.Steps, int64(steps))
}

// Alloc charges n bytes of memory, which the caller holds until it calls
// [Call.Free] with the same number.
func (c *Call) Alloc(n int) error { return c.Meter.Charge(limits.Memory, int64(n)) }

// Free gives back n bytes of memory.
func (c *Call) Free(n int) { c.Meter.Release(limits.Memory, int64(n)) }

// Open opens a file for reading. Directories open too, and fail with EISDIR
// when they are read.
func (c *Call) Open(name string) (io.ReadCloser, error) {
	f, err := c.FS.Open(name)
	if err != nil {
		return nil, err
	}
	return f, nil
}

// EachInput calls do for each named file, or for standard input if there are
// none; "-" names it too. It warns of files that it cannot open, and of what
// do returns, and goes on. It returns early, with an error, only when the call
// must end.
func (c *Call) EachInput(names []string, do func(name string, r io.Reader) error) error {
	if len(names) == 0 {
		names = []string{"-"}
	}
	for _, name := range names {
		err := c.input(name, do)
		if c.Ends(err) {
			return err
		}
		if err != nil {
			c.Warn(err)
		}
	}
	return nil
}

// Ends reports whether err must end the call, and is not a mere warning: it is
// an [Exit], a failure of a write such as a broken pipe, an exhausted limit or the
// end of the context.
func (c *Call) Ends(err error) bool {
	_, exit := errors.AsType[Exit](err)
	return exit || isWrite(err) || errors.Is(err, vfs.EPIPE) || errors.Is(err, limits.ErrExceeded) || c.ctx.Err() != nil
}

func (c *Call) input(name string, do func(string, io.Reader) error) error {
	r := c.Stdin
	if name != "-" {
		f, err := c.FS.Open(name)
		if err != nil {
			return FileError(name, err)
		}
		defer f.Close()
		r = f
	}
	if err := do(name, r); err != nil {
		if _, ok := errors.AsType[*fs.PathError](err); ok && !isWrite(err) && !errors.Is(err, vfs.EPIPE) {
			return FileError(name, err)
		}
		return err
	}
	return nil
}

// Interactive reports whether s is a terminal.
func Interactive(s any) bool {
	t, ok := s.(interface{ Terminal() bool })
	return ok && t.Terminal()
}
