//go:build linux

package isolate

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"time"

	"github.com/limpet-sh/limpet"
	"github.com/limpet-sh/limpet/builtins"
	"github.com/limpet-sh/limpet/limits"
	"github.com/limpet-sh/limpet/netpolicy"
	"github.com/limpet-sh/limpet/vfs"
	"github.com/limpet-sh/limpet/vfs/hostdir"
)

// A fault is an error on its way from one process to the other. What callers read of
// errors, and what errors match, is kept.
type fault struct {
	Text  string
	Is    []int // places in sentinels
	Errno vfs.Errno

	Path     *fs.PathError // of which Err is nil here
	Link     *os.LinkError // likewise
	Exceeded *limits.ExceededError
	Barred   *hostdir.SensitiveError
	Timeout  time.Duration
	Process  *limpet.ProcessError // of which Err is nil here
	Exit     *builtins.Exit
	Signal   builtins.Signal
}

// sentinels are what errors match.
var sentinels = []error{
	io.EOF, limpet.ErrClosed, context.Canceled, context.DeadlineExceeded, errors.ErrUnsupported, limits.ErrExceeded,
	limpet.ErrMemoryGuard, netpolicy.ErrDenied, fs.ErrNotExist, fs.ErrExist, fs.ErrPermission,
}

// A remoteError is an error of the other process of which only this is known.
type remoteError struct {
	text string
	is   []int
}

// Error returns the text.
func (e *remoteError) Error() string { return e.text }

// Is reports whether the error itself matched target.
func (e *remoteError) Is(target error) bool {
	for _, i := range e.is {
		if i < len(sentinels) && sentinels[i] == target {
			return true
		}
	}
	return false
}

// faultOf returns err for the other process; nil for nil.
func faultOf(err error) *fault {
	if err == nil {
		return nil
	}
	f := &fault{Text: err.Error()}
	for i, s := range sentinels {
		if errors.Is(err, s) {
			f.Is = append(f.Is, i)
		}
	}
	f.Errno, _ = errors.AsType[vfs.Errno](err)
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		f.Path = &fs.PathError{Op: e.Op, Path: e.Path}
	}
	if e, ok := errors.AsType[*os.LinkError](err); ok {
		f.Link = &os.LinkError{Op: e.Op, Old: e.Old, New: e.New}
	}
	f.Exceeded, _ = errors.AsType[*limits.ExceededError](err)
	f.Barred, _ = errors.AsType[*hostdir.SensitiveError](err)
	if e, ok := errors.AsType[*limpet.TimeoutError](err); ok {
		f.Timeout = e.Timeout
	}
	if e, ok := errors.AsType[*limpet.ProcessError](err); ok {
		c := *e
		c.Err = nil
		if f.Process = &c; e.Err != nil {
			f.Text = e.Err.Error()
		}
	}
	if e, ok := errors.AsType[builtins.Exit](err); ok {
		f.Exit = &e
	}
	f.Signal, _ = errors.AsType[builtins.Signal](err)
	return f
}

// err returns the error; nil for nil.
func (f *fault) err() error {
	if f == nil {
		return nil
	}
	var inner error = &remoteError{f.Text, f.Is}
	if f.Errno != 0 {
		inner = f.Errno
	}
	switch {
	case f.Process != nil:
		e := *f.Process
		if f.Text != e.Message {
			e.Err = inner
		}
		return &e
	case f.Path != nil:
		f.Path.Err = inner
		return f.Path
	case f.Link != nil:
		f.Link.Err = inner
		return f.Link
	case f.Errno != 0:
		return f.Errno
	case f.Exceeded != nil:
		return f.Exceeded
	case f.Barred != nil:
		return f.Barred
	case f.Timeout != 0:
		return &limpet.TimeoutError{Timeout: f.Timeout}
	case f.Exit != nil:
		return *f.Exit
	case f.Signal != 0:
		return f.Signal
	}
	for _, s := range sentinels {
		if s.Error() == f.Text {
			return s
		}
	}
	return inner
}
