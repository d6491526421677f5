package text

import (
	"errors"
	"io"

	"github.com/limpet-sh/limpet/builtins"
	"github.com/limpet-sh/limpet/limits"
	"github.com/limpet-sh/limpet/vfs"
)

// blockSize is how much is read or written at once.
const blockSize = 64 << 10

// An output buffers what a command prints. Code appends to buf and calls spill
// after each record. A write that fails ends the command: silently if the pipe
// is broken, otherwise with a message.
type output struct {
	buf  []byte
	call *builtins.Call
	w    io.Writer
	name string // of a file, in messages; "" for standard output
}

// newOutput returns an output to the standard output of c. The caller defers
// its close.
func newOutput(c *builtins.Call) *output {
	o := &output{call: c, w: c.Stdout}
	c.FlushBefore(o.flush)
	return o
}

// spill writes the buffer if it has a block.
func (o *output) spill() error {
	if len(o.buf) < blockSize {
		return nil
	}
	return o.flush()
}

// flush writes the buffer.
func (o *output) flush() error {
	b := o.buf
	o.buf = o.buf[:0]
	return o.writeThrough(b)
}

// write appends p, or writes it at once when it is large.
func (o *output) write(p []byte) error {
	if len(o.buf)+len(p) < blockSize {
		o.buf = append(o.buf, p...)
		return nil
	}
	if len(o.buf) > 0 {
		if err := o.flush(); err != nil {
			return err
		}
	}
	return o.writeThrough(p)
}

func (o *output) writeThrough(p []byte) error {
	if len(p) == 0 {
		return nil
	}
	_, err := o.w.Write(p)
	return o.explain(err)
}

// explain returns the error of a write in a form that ends the command, after
// a message where GNU tools have one.
func (o *output) explain(err error) error {
	_, known := errors.AsType[vfs.Errno](err)
	if !known || errors.Is(err, vfs.EPIPE) || errors.Is(err, limits.ErrExceeded) {
		return err
	}
	if o.name == "" {
		o.call.Warnf("write error: %w", vfs.ErrnoOf(err))
	} else {
		o.call.Warn(builtins.FileError(o.name, err))
	}
	return max(o.call.Command.Trouble, 1)
}

// Write makes an output a writer for package fmt.
func (o *output) Write(p []byte) (int, error) { return len(p), o.write(p) }

// close writes what is left. It sets *err if it fails and *err was nil or the
// status of a command that was otherwise at its end.
func (o *output) close(err *error) {
	failed := o.flush()
	if _, exit := errors.AsType[builtins.Exit](*err); failed != nil && (*err == nil || exit) {
		*err = failed
	}
}

// fatal warns, and returns the error that ends the command at once.
func (o *output) fatal(format string, args ...any) error {
	o.call.Warnf(format, args...)
	return max(o.call.Command.Trouble, 1)
}
