//go:build linux

package isolate

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/limpet-sh/limpet"
	"github.com/limpet-sh/limpet/builtins"
	"github.com/limpet-sh/limpet/limits"
	"github.com/limpet-sh/limpet/netpolicy"
)

// A process is that of a sandbox, from without. It lives until it is killed.
type process struct {
	peer     *peer
	cmd      *exec.Cmd
	commands map[string]*builtins.Command // that it calls back
	limits   limits.Limits
	network  *netpolicy.Guard
	watch    limpet.Watch
	log      func(netpolicy.Event)
	patience time.Duration

	hello  hello
	ready  chan struct{} // closed when the setup of the sandbox is over
	dead   chan struct{} // closed when it has ended
	words  lastWords
	served sync.WaitGroup

	mu    sync.Mutex
	cause error // why it was killed
	last  uint64
	runs  map[uint64]*run
}

// startProcess starts a process, and makes the shell in it.
func startProcess(ctx context.Context, cfg Config, wire wireConfig, network *netpolicy.Guard) (*process, error) {
	p := &process{
		commands: callbacks(cfg.Shell), limits: cfg.Shell.Limits, network: network,
		watch: cfg.Shell.Watch, log: cfg.Shell.Network.Log, patience: cfg.Patience,
		ready: make(chan struct{}), dead: make(chan struct{}), runs: map[uint64]*run{},
	}
	fds, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC|syscall.SOCK_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	ours, theirs := os.NewFile(uintptr(fds[0]), "connection"), os.NewFile(uintptr(fds[1]), "connection")
	p.cmd = &exec.Cmd{
		Path: "/proc/self/exe", Args: []string{"limpet-isolated-sandbox"}, Dir: "/",
		Env: []string{childMark + "=1", "GOTRACEBACK=none"}, Stderr: &p.words, ExtraFiles: []*os.File{theirs},
		SysProcAttr: &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGKILL},
	}
	if home, err := os.UserHomeDir(); err == nil { // where sensitive directories are
		p.cmd.Env = append(p.cmd.Env, "HOME="+home)
	}
	p.peer = newPeer(ours)
	for name, h := range map[string]handler{
		"event": handle(p.event), "approve": handle(p.approve), "network": handle(p.decision), "command": handle(p.command),
	} {
		p.peer.handlers[name] = h
	}
	started := make(chan error)
	go p.live(started)
	err = <-started
	_ = theirs.Close()
	if err != nil {
		_ = ours.Close()
		return nil, err
	}
	p.served.Go(func() {
		_ = p.peer.serve() // it ends with the process
		_ = p.cmd.Process.Kill()
	})
	if p.hello, err = call[hello](ctx, p.peer, "start", wire); err != nil {
		p.kill(nil)
		if errors.Is(err, errGone) {
			err = p.lost()
		}
		return nil, err
	}
	return p, nil
}

// live starts the process and waits for its end, on one thread of the system: with that
// the kernel would take this program to have ended.
func (p *process) live(started chan<- error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	err := p.cmd.Start()
	started <- err
	if err != nil {
		return
	}
	_ = p.cmd.Wait() // that it has ended is all that counts
	_ = p.peer.conn.Close()
	close(p.dead)
}

// kill ends the process, for a reason that those who wait for it are told, and waits until
// nothing of it is left.
func (p *process) kill(cause error) {
	p.mu.Lock()
	if p.cause == nil {
		p.cause = cause
	}
	p.mu.Unlock()
	_ = p.cmd.Process.Kill() // or it has ended
	<-p.dead
	p.served.Wait()
}

// alive reports whether the process has not ended.
func (p *process) alive() bool {
	select {
	case <-p.dead:
		return false
	case <-p.peer.gone:
		return false
	default:
		return true
	}
}

// lost returns what to say of the end of the process.
func (p *process) lost() error {
	<-p.dead
	p.mu.Lock()
	defer p.mu.Unlock()
	e := &LostError{Cause: p.cause}
	if p.cause == nil {
		e.Text = p.words.reason()
		if e.Text == "" {
			e.Text = p.cmd.ProcessState.String()
		}
	}
	return e
}

// or returns err, or what is to be said in its place where the process has ended.
func (p *process) or(err error) error {
	if errors.Is(err, errGone) {
		return p.lost()
	}
	return err
}

// run returns an execution that is under way; nil where there is none of the number.
func (p *process) run(id uint64) *run {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.runs[id]
}

// context returns the context that an execution was started with.
func (p *process) context(id uint64) context.Context {
	if r := p.run(id); r != nil {
		return r.ctx
	}
	return context.Background()
}

func (p *process) event(_ context.Context, m wireEvent) (nothing, error) {
	m.Event.Err = m.Fault.err()
	p.watch.Event(p.context(m.Execution), &m.Event)
	return nothing{}, nil
}

// approve asks. The time of the execution stands still meanwhile.
func (p *process) approve(ctx context.Context, m approval) (nothing, error) {
	if r := p.run(m.Execution); r != nil {
		r.hold()
		defer r.resume()
	}
	within, cancel := context.WithCancelCause(p.context(m.Execution))
	defer cancel(nil)
	defer context.AfterFunc(ctx, func() { cancel(context.Cause(ctx)) })()
	if m.File != nil {
		return nothing{}, p.watch.ApproveFile(within, m.File)
	}
	return nothing{}, p.watch.Approve(within, m.Command)
}

func (p *process) decision(_ context.Context, m wireDecision) (nothing, error) {
	m.Event.Err = m.Fault.err()
	p.log(m.Event)
	return nothing{}, nil
}

// lastWords keep the beginning of what a process writes to standard error, where the Go
// runtime says why it ends.
type lastWords struct {
	mu   sync.Mutex
	text []byte
}

const maxWords = 4 << 10

// Write keeps what there is room for.
func (w *lastWords) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.text = append(w.text, p[:min(len(p), maxWords-len(w.text))]...)
	return len(p), nil
}

// reason returns the line that says why; "" where there is none.
func (w *lastWords) reason() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	first := ""
	for line := range strings.Lines(string(w.text)) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "fatal error: ") || strings.HasPrefix(line, "panic: ") {
			return line
		}
		if first == "" {
			first = line
		}
	}
	return first
}
