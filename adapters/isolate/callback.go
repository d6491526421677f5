//go:build linux

package isolate

import (
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/limpet-sh/limpet/builtins"
	"github.com/limpet-sh/limpet/builtins/all"
	"github.com/limpet-sh/limpet/limits"
	"github.com/limpet-sh/limpet/vfs"
	"github.com/spf13/afero"
)

// commands returns the commands that a list names: those of this program, and others
// that are called back.
func (c *child) commands(list []wireCommand) ([]*builtins.Command, error) {
	if list == nil {
		return nil, nil
	}
	commands := []*builtins.Command{}
	for _, w := range list {
		own := c.native
		if w.Standard {
			own = all.Commands()
		}
		i := slices.IndexFunc(own, func(o *builtins.Command) bool { return o.Name == w.Name })
		switch {
		case i >= 0:
			commands = append(commands, own[i])
		case w.Standard:
			return nil, fmt.Errorf("the program has no command %q of the module", w.Name)
		default:
			commands = append(commands, &builtins.Command{
				Name: w.Name, Aliases: w.Aliases, Synopsis: w.Synopsis, Summary: w.Summary, Trouble: w.Trouble,
				Run: func(ctx context.Context, call *builtins.Call) error { return c.callBack(ctx, w.Name, call) },
			})
		}
	}
	return commands, nil
}

// callBack runs a command of the embedding program.
func (c *child) callBack(ctx context.Context, name string, b *builtins.Call) error {
	r := &remoteCall{call: b, ctx: ctx, child: c, open: map[uint64]io.Closer{}}
	c.mu.Lock()
	c.last++
	id := c.last
	c.calls[id] = r
	c.mu.Unlock()
	defer func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.calls, id)
		for _, f := range r.open {
			_ = f.Close()
		}
	}()
	m := commandCall{
		Call: id, Command: name, Name: b.Name, Args: b.Args, Env: environOf(b.Env), Dir: b.FS.Dir, Umask: b.FS.Umask,
		User: b.User, Host: b.Host, PID: b.PID, PPID: b.PPID,
	}
	for _, s := range []struct {
		stream any
		ref    *streamRef
	}{{b.Stdin, &m.Stdin}, {b.Stdout, &m.Stdout}, {b.Stderr, &m.Stderr}} {
		var end func()
		*s.ref, end = c.peer.streams.lend(s.stream, false)
		defer end()
	}
	a, err := call[commandAnswer](ctx, c.peer, "command", m)
	switch {
	case err != nil:
		return err
	case a.Panic != "":
		panic(a.Panic)
	}
	if err := b.Meter.Charge(limits.Steps, a.Steps); err != nil {
		return err
	}
	if a.Fault != nil {
		if a.Fault.Exceeded != nil {
			return b.Meter.Exceed(a.Fault.Exceeded.Resource)
		}
		return a.Fault.err()
	}
	if a.Exit != 0 {
		return a.Exit
	}
	return nil
}

// find returns a call that is under way.
func (c *child) find(id uint64) (*remoteCall, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if r := c.calls[id]; r != nil {
		return r, nil
	}
	return nil, vfs.EBADF
}

// file does something with the file system of a call.
func (c *child) file(ctx context.Context, method fileMethod, f fileCall) (a fileAnswer, err error) {
	r, err := c.find(f.Call)
	if err != nil {
		return a, err
	}
	a.Fault = faultOf(method(ctx, r, f, &a))
	return a, nil
}

// keep remembers an open file, and returns its number.
func (r *remoteCall) keep(f io.Closer) uint64 {
	r.child.mu.Lock()
	defer r.child.mu.Unlock()
	r.child.last++
	r.open[r.child.last] = f
	return r.child.last
}

func (r *remoteCall) file(id uint64) afero.File {
	r.child.mu.Lock()
	defer r.child.mu.Unlock()
	f, _ := r.open[id].(afero.File)
	return f
}

// drop closes an open file.
func (r *remoteCall) drop(id uint64) error {
	r.child.mu.Lock()
	f := r.open[id]
	delete(r.open, id)
	r.child.mu.Unlock()
	if f == nil {
		return vfs.EBADF
	}
	return f.Close()
}

// callExec runs another command for a call.
func (c *child) callExec(ctx context.Context, m execCall) (builtins.Exit, error) {
	r, err := c.find(m.Call)
	if err != nil {
		return 0, err
	}
	return r.call.Exec(ctx, m.Args, func(n *builtins.Call) {
		n.Env = environ(m.Env)
		view := *n.FS
		view.Dir, view.Umask = m.Dir, m.Umask
		n.FS = &view
		if s, ok := c.stream(ctx, m.Stdin).(io.Reader); ok {
			n.Stdin = s
		}
		if s, ok := c.stream(ctx, m.Stdout).(io.Writer); ok {
			n.Stdout = s
		}
		if s, ok := c.stream(ctx, m.Stderr).(io.Writer); ok {
			n.Stderr = s
		}
	})
}

// stream returns a stream of a call.
func (c *child) stream(ctx context.Context, s callStream) any {
	if s.Given != 0 {
		return c.peer.streams.find(s.Given)
	}
	return c.peer.streams.borrow(ctx, s.Own)
}

func (c *child) callLook(_ context.Context, m lookCall) (string, error) {
	r, err := c.find(m.Call)
	if err != nil {
		return "", err
	}
	return r.call.LookPath(m.Name)
}

func (c *child) callList(_ context.Context, m lookCall) ([]builtins.Process, error) {
	r, err := c.find(m.Call)
	if err != nil {
		return nil, err
	}
	return r.call.Processes.List(), nil
}

func (c *child) callSignal(_ context.Context, m killCall) (nothing, error) {
	r, err := c.find(m.Call)
	if err != nil {
		return nothing{}, err
	}
	return nothing{}, r.call.Processes.Signal(m.PID, m.Signal)
}
