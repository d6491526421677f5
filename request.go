package limpet

import (
	"context"
	"errors"
	"io"
	"time"

	"github.com/limpet-sh/limpet/builtins"
	"github.com/limpet-sh/limpet/interp"
	"github.com/limpet-sh/limpet/limits"
)

// A Request is a script to run and what it starts with.
type Request struct {
	Script string
	Name   string            // $0; empty means bash
	Args   []string          // $1, $2, ...
	Env    map[string]string // added to the variables, for this script
	Dir    string            // where it starts; empty means the shell's or session's

	Stdin  io.Reader // nil means empty
	Stdout io.Writer // nil means to keep it in the result
	Stderr io.Writer // likewise

	// Timeout bounds the wall clock of this script; zero means the limit of
	// the shell, which a longer one does not raise.
	Timeout time.Duration

	// Signals are sent to all processes of the script as they come, as a terminal does
	// when somebody types Ctrl-C: a script can have a trap for them, and one that has
	// not ends with the status 128 plus the number. Nil means none.
	Signals <-chan builtins.Signal

	// Batch says that the script is one of a file, which Name names, and not
	// one of bash -c: its lines are run one by one, so that an expansion
	// that fails ends its line and not the script.
	Batch bool

	// FromStdin says that the script is what Stdin has, and not Script:
	// commands may read what follows them there.
	FromStdin bool

	// Posix is for scripts of sh.
	Posix bool
}

// A Result is how a script ended.
type Result struct {
	Status int    // 0 is success; 124 where the time ran out, 137 where another limit stopped it
	Stdout []byte // what the request had no writer for
	Stderr []byte

	// Stopped is the limit, or the cause of the context, that ended the script
	// early; nil where it ended by itself. It matches
	// [limits.ErrExceeded], [context.DeadlineExceeded] or
	// [context.Canceled].
	Stopped error

	// Exited says that a command such as exit has ended the script, and not its end.
	Exited bool

	Usage Usage
}

// A Usage is what an execution has consumed.
type Usage struct {
	Time   time.Duration // wall clock
	Steps  int64
	Memory int64 // bytes, the most at one time
	Output int64 // bytes
}

// Statuses of scripts that were stopped.
const (
	statusTimeout = 124
	statusStopped = 137
)

// run runs a request in a shell.
func (sh *Shell) run(ctx context.Context, shell *interp.Shell, req Request) (*Result, error) {
	outer := ctx
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	stop := context.AfterFunc(sh.ctx, func() { cancel(ErrClosed) })
	defer stop()
	meter := limits.NewMeter(sh.cfg.Limits, func(e *limits.ExceededError) { cancel(e) })
	end := newDeadline(req.Timeout, meter, cancel)
	defer end.stop()
	defer sh.cfg.Guard.add(meter, cancel)()
	follower := sh.follow(outer, end)
	follower.tell(&Event{Kind: ExecutionStarted, Script: req.Script})

	out := &output{meter: meter, w: req.Stdout}
	errs := &output{meter: meter, w: req.Stderr}
	in, closeIn := newInput(req.Stdin)
	defer closeIn()
	file := ""
	if req.Batch {
		file = req.Name
	}
	started := time.Now()
	status, err := shell.Run(ctx, interp.Program{
		Source: req.Script, FromStdin: req.FromStdin, File: file, Args: req.Args,
		Stdin: in, Stdout: out, Stderr: errs, Meter: meter, Hooks: follower.interp(), Grace: sh.cfg.Grace,
		Signals: req.Signals,
	})
	res := &Result{Status: status, Exited: shell.Exited(), Usage: Usage{
		Time: time.Since(started), Steps: meter.Used(limits.Steps), Memory: meter.Peak(), Output: meter.Used(limits.Output),
	}}
	if err != nil {
		var bug *interp.PanicError
		if errors.As(err, &bug) {
			return nil, err
		}
		res.Stopped = err
		res.Status = stoppedStatus(err)
		if errors.Is(err, limits.ErrExceeded) {
			follower.tell(&Event{Kind: LimitReached, Err: err})
		}
		errs.say("limpet: " + err.Error() + "\n")
	}
	res.Stdout, res.Stderr = out.kept(), errs.kept()
	follower.tell(&Event{Kind: ExecutionEnded, Status: res.Status, Took: res.Usage.Time, Err: res.Stopped})
	return res, nil
}

// stoppedStatus is the status of a script that err has stopped.
func stoppedStatus(err error) int {
	if errors.Is(err, context.DeadlineExceeded) {
		return statusTimeout
	}
	return statusStopped
}

// A TimeoutError says that the time that a request allowed has passed. It
// matches [context.DeadlineExceeded].
type TimeoutError struct{ Timeout time.Duration }

// Error names the time.
func (e *TimeoutError) Error() string { return "timed out after " + e.Timeout.String() }

// Is reports whether e matches target.
func (e *TimeoutError) Is(target error) bool { return target == context.DeadlineExceeded }

// SessionOptions says how a session starts.
type SessionOptions struct {
	Dir string            // empty means that of the shell
	Env map[string]string // added to the variables of the shell

	// Interactive says that the scripts are what somebody types: aliases are expanded,
	// messages have no line numbers, $? and traps stay from one script to the next,
	// and scripts are in the history. (bash manual, Interactive Shell Behavior)
	Interactive bool
}
