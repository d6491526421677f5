//go:build linux

package isolate

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime/debug"
	"sync"
	"syscall"

	"github.com/limpet-sh/limpet"
	"github.com/limpet-sh/limpet/builtins"
	"github.com/limpet-sh/limpet/limits"
	"github.com/limpet-sh/limpet/netpolicy"
)

// childMark is the variable that tells a program that it is to be the process of a
// sandbox, and childFD the descriptor of its end of the connection.
const (
	childMark = "LIMPET_ISOLATED_SANDBOX"
	childFD   = 3
)

// Main makes this process that of a sandbox, and does not return, where it was started by
// [New] to be one. Elsewhere it does nothing. It has to be called first in the main
// function of the program, before anything reads input, starts goroutines or looks at
// arguments.
//
// Commands are further commands that the process of a sandbox can run itself. Those of
// the configuration that have the same names are then not called back.
func Main(commands ...*builtins.Command) {
	if os.Getenv(childMark) == "" {
		return
	}
	if err := syscall.SetNonblock(childFD, true); err != nil {
		fmt.Fprintf(os.Stderr, "limpet: %s is set and descriptor %d is not a connection: %v\n", childMark, childFD, err)
		os.Exit(2)
	}
	syscall.CloseOnExec(childFD)
	c := &child{peer: newPeer(os.NewFile(childFD, "connection")), native: commands}
	for name, h := range c.methods() {
		c.peer.handlers[name] = h
	}
	go func() { // nothing of this process outlives the other
		<-c.peer.gone
		os.Exit(0)
	}()
	_ = c.peer.serve() // it ends with the other process
	os.Exit(0)
}

// A child is the process of a sandbox, from within.
type child struct {
	peer   *peer
	native []*builtins.Command
	shell  *limpet.Shell // once it was started

	mu       sync.Mutex
	last     uint64
	sessions map[uint64]*limpet.Session
	signals  map[uint64]chan builtins.Signal // by execution
	calls    map[uint64]*remoteCall
}

func (c *child) methods() map[string]handler {
	m := map[string]handler{
		"start": handle(c.start), "ping": handle(func(context.Context, nothing) (nothing, error) { return nothing{}, nil }),
		"close": handle(func(context.Context, nothing) (nothing, error) { return nothing{}, c.shell.Close() }),
		"exec":  handle(c.exec), "signal": handle(c.signal),
		"readfile": handle(c.readFile), "writefile": handle(c.writeFile),
		"session.open": handle(c.openSession), "session.close": handle(c.closeSession),
		"call.exec": handle(c.callExec), "call.look": handle(c.callLook), "call.list": handle(c.callList), "call.signal": handle(c.callSignal),
	}
	for name, method := range fileMethods {
		m["fs."+name] = handle(func(ctx context.Context, f fileCall) (fileAnswer, error) { return c.file(ctx, method, f) })
	}
	c.processMethods(m)
	return m
}

// A hello is what a process says of itself once it can run scripts.
type hello struct {
	Workspace   string
	Description limpet.Description
}

// start makes the shell, within the bounds that the process gives itself.
func (c *child) start(_ context.Context, w wireConfig) (hello, error) {
	c.sessions, c.signals, c.calls = map[uint64]*limpet.Session{}, map[uint64]chan builtins.Signal{}, map[uint64]*remoteCall{}
	cfg := w.Shell.config()
	cfg.Guard = limpet.NewGuard(w.Memory * 3 / 4)
	debug.SetMemoryLimit(w.Memory / 8 * 7)
	var err error
	if cfg.Mounts, err = openDirs(w.Dirs, &cfg); err != nil {
		return hello{}, err
	}
	if cfg.Commands, err = c.commands(w.Commands); err != nil {
		return hello{}, err
	}
	if cfg.Extra, err = c.commands(w.Extra); err != nil {
		return hello{}, err
	}
	c.watch(&cfg, w)
	if err := bound(w); err != nil {
		return hello{}, fmt.Errorf("limits of the process: %w", err)
	}
	if c.shell, err = limpet.New(cfg); err != nil {
		return hello{}, err
	}
	return hello{c.shell.Workspace(), c.shell.Describe()}, nil
}

// bound gives the process its limits, which it cannot raise again.
func bound(w wireConfig) error {
	var errs []error
	set := func(resource int, most uint64) {
		var now syscall.Rlimit
		if err := syscall.Getrlimit(resource, &now); err != nil {
			errs = append(errs, err)
			return
		}
		most = min(most, now.Max)
		errs = append(errs, syscall.Setrlimit(resource, &syscall.Rlimit{Cur: most, Max: most}))
	}
	set(syscall.RLIMIT_DATA, uint64(w.Memory))
	set(syscall.RLIMIT_CORE, 0)
	set(syscall.RLIMIT_NOFILE, maxDescriptors)
	if w.writesFiles() {
		if size := w.Shell.Limits.Of(limits.FileSize); size > 0 {
			set(syscall.RLIMIT_FSIZE, uint64(size))
		}
	} else {
		set(syscall.RLIMIT_FSIZE, 0)
	}
	return errors.Join(errs...)
}

// maxDescriptors is how many descriptors the process may have: those of the files of host
// directories, of connections, and its own.
const maxDescriptors = 4096

// watch makes what follows scripts tell the other process.
func (c *child) watch(cfg *limpet.Config, w wireConfig) {
	if w.Events {
		cfg.Watch.Event = func(ctx context.Context, e *limpet.Event) {
			m := wireEvent{Execution: execution(ctx), Event: *e, Fault: faultOf(e.Err)}
			m.Event.Err = nil
			_, _ = call[nothing](ctx, c.peer, "event", m) // nobody answers
		}
	}
	if w.Approves {
		cfg.Watch.Approve = func(ctx context.Context, run *limpet.CommandRun) error {
			_, err := call[nothing](ctx, c.peer, "approve", approval{Execution: execution(ctx), Command: run})
			return err
		}
	}
	if w.ApprovesFiles {
		cfg.Watch.ApproveFile = func(ctx context.Context, file *limpet.FileOpening) error {
			_, err := call[nothing](ctx, c.peer, "approve", approval{Execution: execution(ctx), File: file})
			return err
		}
	}
	if w.LogsNetwork {
		cfg.Network.Log = func(e netpolicy.Event) {
			m := wireDecision{Event: e, Fault: faultOf(e.Err)}
			m.Event.Err = nil
			_, _ = call[nothing](context.Background(), c.peer, "network", m) // nobody answers
		}
	}
	cfg.Random = rand.Reader
}

// executionKey is where the context of an execution has its number.
type executionKey struct{}

func execution(ctx context.Context) uint64 {
	id, _ := ctx.Value(executionKey{}).(uint64)
	return id
}

// exec runs a script.
func (c *child) exec(ctx context.Context, x wireExecution) (wireResult, error) {
	ctx = context.WithValue(ctx, executionKey{}, x.ID)
	req := x.request()
	signals := make(chan builtins.Signal, 16)
	req.Signals = signals
	c.mu.Lock()
	c.signals[x.ID] = signals
	s := c.sessions[x.Session]
	c.mu.Unlock()
	defer func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.signals, x.ID)
	}()
	within, cancel := context.WithCancel(ctx)
	defer cancel()
	if x.Stdin.ID != 0 {
		req.Stdin = c.peer.streams.borrow(within, x.Stdin)
	}
	out, errs := c.peer.streams.borrow(context.WithoutCancel(ctx), x.Stdout), c.peer.streams.borrow(context.WithoutCancel(ctx), x.Stderr)
	req.Stdout, req.Stderr = out, errs
	var res *limpet.Result
	var err error
	switch {
	case x.Session == 0:
		res, err = c.shell.Exec(ctx, req)
	case s == nil:
		err = limpet.ErrClosed
	default:
		res, err = s.Exec(ctx, req)
	}
	out.Flush()
	errs.Flush()
	if err != nil {
		return wireResult{}, err
	}
	r := wireResult{Status: res.Status, Stopped: faultOf(res.Stopped), Exited: res.Exited, Usage: res.Usage}
	if s != nil {
		r.Dir = s.Dir()
	}
	return r, nil
}

func (c *child) signal(_ context.Context, s signalCall) (nothing, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	select {
	case c.signals[s.Execution] <- s.Signal:
	default: // it has ended, or so many are under way that one more says nothing
	}
	return nothing{}, nil
}

type namedFile struct {
	Name string
	Data []byte
	Mode fs.FileMode
}

func (c *child) readFile(ctx context.Context, f namedFile) (namedFile, error) {
	data, err := c.shell.ReadFile(ctx, f.Name)
	return namedFile{Data: data}, err
}

func (c *child) writeFile(ctx context.Context, f namedFile) (nothing, error) {
	return nothing{}, c.shell.WriteFile(ctx, f.Name, f.Data, f.Mode)
}

// A sessionRef names a session, and the directory that it is in.
type sessionRef struct {
	ID  uint64
	Dir string
}

func (c *child) openSession(ctx context.Context, opts limpet.SessionOptions) (sessionRef, error) {
	s, err := c.shell.NewSession(ctx, opts)
	if err != nil {
		return sessionRef{}, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.last++
	c.sessions[c.last] = s
	return sessionRef{c.last, s.Dir()}, nil
}

func (c *child) closeSession(_ context.Context, ref sessionRef) (nothing, error) {
	c.mu.Lock()
	s := c.sessions[ref.ID]
	delete(c.sessions, ref.ID)
	c.mu.Unlock()
	if s == nil {
		return nothing{}, nil
	}
	return nothing{}, s.Close()
}
