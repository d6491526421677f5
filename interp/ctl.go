package interp

import (
	"fmt"
	"runtime/debug"
)

// A ctl says where execution goes after a command: on, or out of something.
type ctl uint8

const (
	ctlNone     ctl = iota
	ctlBreak        // out of sh.levels loops
	ctlContinue     // to the next turn of the loop sh.levels out
	ctlReturn       // out of the function or sourced file
	ctlDiscard      // out of the top-level command: an expansion failed
	ctlExit         // out of the shell, with sh.status
	ctlStop         // out of the execution, because of sh.x.err
)

// A PanicError is a bug of this module, found while a script ran.
type PanicError struct {
	Value any
	Stack []byte
}

// Error says what the panic's value was.
func (e *PanicError) Error() string { return fmt.Sprintf("internal error: %v", e.Value) }

// stop ends the execution because of err: a limit, a cancelled context, a bug.
func (sh *Shell) stop(err error) ctl {
	sh.x.stop(err)
	sh.pending = ctlStop
	return ctlStop
}

// fail makes the expansion in progress fail: the command that it is part of does
// not run, and its status is 1.
func (sh *Shell) fail(format string, args ...any) {
	if sh.pending != ctlNone {
		return
	}
	sh.errorf(format, args...)
	sh.failed(ctlDiscard, 1)
}

// failReported is fail for the errors that end a shell with errexit wherever the
// command stands.
func (sh *Shell) failReported(format string, args ...any) {
	if sh.pending != ctlNone {
		return
	}
	sh.reported(format, args...)
	sh.failed(ctlDiscard, 1)
}

// reported is errorf for those errors, where they are none that end the command.
func (sh *Shell) reported(format string, args ...any) {
	sh.errorf(format, args...)
	if sh.opts&optErrexit != 0 && sh.spared == 0 {
		sh.failed(ctlExit, max(sh.status, 1))
	}
}

// failed sets what becomes of the command whose expansion is in progress.
func (sh *Shell) failed(c ctl, status int) {
	if sh.pending == ctlNone {
		sh.pending, sh.failStatus = c, status
	}
}

// fatalInPosix makes a failed expansion or assignment end the shell in POSIX mode.
func (sh *Shell) fatalInPosix() {
	if sh.pending == ctlDiscard && sh.strict() {
		sh.pending, sh.failStatus = ctlExit, sh.fatalStatus()
	}
}

// abandon gives up, with the status 1, all that is being run from strings, and
// the line of the script that it is part of.
func (sh *Shell) abandon() ctl {
	sh.status, sh.abandoned = 1, true
	return ctlDiscard
}

// indexFailed is called where the subscript of an array may have failed, which
// gives up more than other expressions do.
func (sh *Shell) indexFailed() bool {
	if sh.pending == ctlDiscard {
		sh.abandoned = true
	}
	return sh.pending != ctlNone
}

// take returns what a failed expansion demands, and forgets it.
func (sh *Shell) take() ctl {
	c := sh.pending
	sh.pending = ctlNone
	if c != ctlNone && c != ctlStop {
		sh.status = sh.failStatus
	}
	return c
}

// guard turns a panic into the end of the execution. It is deferred wherever a
// goroutine runs user input.
func (x *execution) guard() {
	if v := recover(); v != nil {
		x.stop(&PanicError{Value: v, Stack: debug.Stack()})
	}
}
