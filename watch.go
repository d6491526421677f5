package limpet

import (
	"context"
	"time"

	"github.com/limpet-sh/limpet/interp"
)

// A Watch lets the host follow what scripts do, and decide what they may. Its functions are
// called on the goroutines of scripts, several at a time, and must be safe for
// that; a script waits for them. The zero Watch costs nothing.
type Watch struct {
	// Event is told of what an execution does. The context is the one that
	// it was started with. An event and what it refers to must not be changed.
	Event func(ctx context.Context, e *Event)

	// Approve is asked before a command runs, with its words expanded and
	// before its redirections open a file. An error refuses the command: the
	// script is told its text and goes on with the status 126. Approve may
	// hold the command, for a person to decide: meanwhile the time limit of
	// the execution stands still, for all of it. It should return when ctx is
	// done.
	//
	// What a command may do is not judged by its name: a file in PATH can have
	// any, and a function too. But whatever they do, they do by commands
	// that are asked for in turn, and by redirections, which are for
	// ApproveFile.
	Approve func(ctx context.Context, run *CommandRun) error

	// ApproveFile is asked before a command or a redirection opens a file for
	// writing, makes a directory, link or FIFO, renames or removes a file, or changes
	// its mode, owner or times, and may hold it as Approve may hold a command. Where it
	// returns an error, the script is told that the permission is denied.
	ApproveFile func(ctx context.Context, file *FileOpening) error
}

// A CommandRun is one run of a command.
type CommandRun = interp.CommandRun

// A FileOpening is the opening of a file for writing, or another change of one.
type FileOpening = interp.FileOpening

// An EventKind says what has happened.
type EventKind uint8

// The kinds of events, and the fields of [Event] that they set besides those that
// all have.
const (
	ExecutionStarted EventKind = iota // Script
	ExecutionEnded                    // Status, Took, Err: what stopped it
	CommandStarted                    // Command
	CommandEnded                      // Command, Status, Took
	CommandRefused                    // Command, Err: the reason
	FileOpened                        // File
	FileRefused                       // File, Err: the reason
	NetworkRequested                  // Request, Err: why there was no answer
	LimitReached                      // Err, an *limits.ExceededError
)

// String returns the name of the kind.
func (k EventKind) String() string {
	return [...]string{
		"execution started", "execution ended", "command started", "command ended", "command refused",
		"file opened", "file refused", "network requested", "limit reached",
	}[k]
}

// An Event is something that an execution does.
type Event struct {
	Kind      EventKind
	Time      time.Time // by the clock of the sandbox
	Execution uint64    // its number in its Shell, from 1

	Script  string
	Command *CommandRun
	File    *FileOpening
	Request *NetworkRequest
	Status  int
	Took    time.Duration
	Err     error
}

// A NetworkRequest is a request that a script has made.
type NetworkRequest struct {
	Method string
	URL    string // without a password
}

// A follower tells the watch of one execution.
type follower struct {
	watch     Watch
	ctx       context.Context
	now       func() time.Time
	execution uint64
	deadline  *deadline
}

// follow returns what tells the watch of an execution; nil where there are none.
func (sh *Shell) follow(ctx context.Context, d *deadline) *follower {
	if w := sh.cfg.Watch; w.Event == nil && w.Approve == nil && w.ApproveFile == nil {
		return nil
	}
	return &follower{watch: sh.cfg.Watch, ctx: ctx, now: sh.cfg.Clock.Now, execution: sh.executions.Add(1), deadline: d}
}

// tell tells of an event. A nil follower has nobody to tell.
func (f *follower) tell(e *Event) {
	if f == nil || f.watch.Event == nil {
		return
	}
	e.Time, e.Execution = f.now(), f.execution
	f.watch.Event(f.ctx, e)
}

// interp returns the watch as the interpreter calls them.
func (f *follower) interp() *interp.Hooks {
	if f == nil {
		return nil
	}
	h := &interp.Hooks{Before: f.before}
	if f.watch.ApproveFile != nil {
		h.Opening = func(ctx context.Context, o *FileOpening) error {
			f.deadline.pause()
			err := f.watch.ApproveFile(ctx, o)
			f.deadline.resume()
			if err != nil {
				f.tell(&Event{Kind: FileRefused, File: o, Err: err})
			}
			return err
		}
	}
	if f.watch.Event != nil {
		h.After = func(c *CommandRun, status int) {
			f.tell(&Event{Kind: CommandEnded, Command: c, Status: status, Took: f.now().Sub(c.Start)})
		}
		h.Opened = func(o *FileOpening) { f.tell(&Event{Kind: FileOpened, File: o}) }
		h.Requested = func(method, url string, err error) {
			f.tell(&Event{Kind: NetworkRequested, Request: &NetworkRequest{method, url}, Err: err})
		}
	}
	return h
}

func (f *follower) before(ctx context.Context, c *CommandRun) error {
	if f.watch.Approve != nil {
		f.deadline.pause()
		err := f.watch.Approve(ctx, c)
		f.deadline.resume()
		if err != nil {
			f.tell(&Event{Kind: CommandRefused, Command: c, Err: err})
			return err
		}
	}
	f.tell(&Event{Kind: CommandStarted, Command: c})
	return nil
}
