//go:build linux

package isolate

import (
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"time"

	"github.com/limpet-sh/limpet/builtins"
	"github.com/limpet-sh/limpet/limits"
	"github.com/limpet-sh/limpet/vfs"
)

// A commandCall runs a command of the embedding program for the process, which knows the
// call by a number: what the command does with the call comes back with that.
type commandCall struct {
	Call                  uint64
	Command               string // as the configuration has it
	Name                  string
	Args                  []string
	Env                   [][2]string
	Dir                   string
	Umask                 fs.FileMode
	User                  builtins.User
	Host                  string
	PID, PPID             int
	Stdin, Stdout, Stderr streamRef
}

// A commandAnswer is how the command has ended.
type commandAnswer struct {
	Exit  builtins.Exit
	Fault *fault // it is the script that ends
	Panic string
	Steps int64 // that it has taken
}

// An execCall runs another command for a command of the embedding program.
type execCall struct {
	Call                  uint64
	Args                  []string
	Env                   [][2]string
	Dir                   string
	Umask                 fs.FileMode
	Stdin, Stdout, Stderr callStream
}

// A callStream is a stream of such a call: one that its command was given, or one of its
// own.
type callStream struct {
	Given uint64 // the number of the first
	Own   streamRef
}

// An environ is an environment on its way.
type environ [][2]string

func environOf(env builtins.Environ) (list environ) {
	for name, value := range env.All() {
		list = append(list, [2]string{name, value})
	}
	return list
}

// Lookup finds a variable.
func (e environ) Lookup(name string) (string, bool) {
	for _, v := range e {
		if v[0] == name {
			return v[1], true
		}
	}
	return "", false
}

// All has the variables in their order.
func (e environ) All() iter.Seq2[string, string] {
	return func(yield func(string, string) bool) {
		for _, v := range e {
			if !yield(v[0], v[1]) {
				return
			}
		}
	}
}

// hostClock is the time of the host.
type hostClock struct{}

// Now returns the time, in UTC.
func (hostClock) Now() time.Time { return time.Now().UTC() }

// Sleep waits for d, or until ctx is done.
func (hostClock) Sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// command runs a command of the embedding program.
func (p *process) command(ctx context.Context, m commandCall) (a commandAnswer, err error) {
	cmd := p.commands[m.Command]
	if cmd == nil {
		return a, fmt.Errorf("no command %q", m.Command)
	}
	defer func() {
		if v := recover(); v != nil {
			a.Panic = fmt.Sprint(v)
		}
	}()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	meter := limits.NewMeter(p.limits, func(e *limits.ExceededError) { cancel(e) })
	access := p.network.For(meter)
	defer access.Close()
	streams := &p.peer.streams
	c := &builtins.Call{
		Command: cmd, Name: m.Name, Args: m.Args, Env: environ(m.Env),
		Stdin: streams.borrow(ctx, m.Stdin), Stdout: streams.borrow(ctx, m.Stdout), Stderr: streams.borrow(ctx, m.Stderr),
		FS:  &vfs.View{FS: &filesystem{peer: p.peer, call: m.Call, ctx: ctx}, Dir: m.Dir, Umask: m.Umask, Context: ctx},
		Net: access, Meter: meter, Clock: hostClock{}, Rand: rand.Reader,
		User: m.User, Host: m.Host, PID: m.PID, PPID: m.PPID, Processes: &processList{p.peer, m.Call},
	}
	c.LookPath = func(name string) (string, error) {
		return call[string](ctx, p.peer, "call.look", lookCall{m.Call, name})
	}
	base := *c
	c.Exec = func(ctx context.Context, args []string, set func(*builtins.Call)) (builtins.Exit, error) {
		return p.execFor(ctx, m.Call, &base, args, set)
	}
	exit, err := builtins.Invoke(ctx, c)
	return commandAnswer{Exit: exit, Fault: faultOf(err), Steps: meter.Used(limits.Steps)}, nil
}

// execFor runs another command for a command of the embedding program.
func (p *process) execFor(ctx context.Context, id uint64, caller *builtins.Call, args []string, set func(*builtins.Call)) (builtins.Exit, error) {
	c := *caller
	view := *caller.FS
	c.FS = &view
	c.Name, c.Args = args[0], args[1:]
	if set != nil {
		set(&c)
	}
	m := execCall{Call: id, Args: append([]string{c.Name}, c.Args...), Env: environOf(c.Env), Dir: c.FS.Dir, Umask: c.FS.Umask}
	for _, s := range []struct {
		stream any
		ref    *callStream
	}{{c.Stdin, &m.Stdin}, {c.Stdout, &m.Stdout}, {c.Stderr, &m.Stderr}} {
		if given, ok := s.stream.(*stream); ok && given.peer == p.peer {
			s.ref.Given = given.ref.ID
			continue
		}
		var end func()
		s.ref.Own, end = p.peer.streams.lend(s.stream, false)
		defer end()
	}
	return call[builtins.Exit](ctx, p.peer, "call.exec", m)
}

type lookCall struct {
	Call uint64
	Name string
}

// A processList is the processes that a command of the embedding program sees.
type processList struct {
	peer *peer
	call uint64
}

// List returns the processes by PID; none where the other process has gone.
func (l *processList) List() []builtins.Process {
	list, _ := call[[]builtins.Process](context.Background(), l.peer, "call.list", lookCall{Call: l.call})
	return list
}

// Signal sends a signal.
func (l *processList) Signal(pid int, sig builtins.Signal) error {
	_, err := call[nothing](context.Background(), l.peer, "call.signal", killCall{l.call, pid, sig})
	return err
}

type killCall struct {
	Call   uint64
	PID    int
	Signal builtins.Signal
}

// A remoteCall is a call, in the process of the sandbox, whose command runs in the
// other.
type remoteCall struct {
	call *builtins.Call
	ctx  context.Context

	child *child
	open  map[uint64]io.Closer // guarded by the child's mu
}
