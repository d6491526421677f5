package limpet

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"maps"
	"strings"
	"sync"
	"time"

	"github.com/limpet-sh/limpet/builtins"
	"github.com/limpet-sh/limpet/internal/retain"
	"github.com/limpet-sh/limpet/interp"
	"github.com/limpet-sh/limpet/limits"
)

// Processes returns the background processes of the shell, which there are if
// Config.Background is set. They have no terminal: control keys act as they do on one,
// and nothing is echoed. Their time is not bounded by Limits.Time; each has the other
// limits for itself, and what is kept of the output of all is bounded by Limits.Memory.
// A fork begins with none. What a checkpoint is restored to knows those of the
// checkpoint: what was running is an orphan there, unless it is running there too.
func (sh *Shell) Processes() (Processes, error) {
	if !sh.cfg.Background {
		return nil, &UnsupportedError{Sandbox: "shell", Reason: "background processes are not available in this sandbox (Config.Background makes them so)"}
	}
	sh.background.once.Do(func() { sh.background.init(sh) })
	return &sh.background, nil
}

// A processTable is the background processes of a shell.
type processTable struct {
	once  sync.Once
	shell *Shell
	kept  *limits.Meter // charged for output

	mu   sync.Mutex
	list []*process
}

func (t *processTable) init(sh *Shell) {
	t.shell = sh
	t.kept = limits.NewMeter(limits.Limits{Memory: sh.cfg.Limits.Memory}, nil)
}

// A process is one of them.
type process struct {
	id, command string
	started     time.Time
	env         string // what it was started with, to tell requests apart
	output      *retain.Buffer
	input       *keyboard
	signals     chan builtins.Signal
	cancel      context.CancelCauseFunc
	done        chan struct{}

	mu      sync.Mutex
	status  ProcessStatus
	code    int
	stopped bool // Stop has been called while it ran
	lost    bool // it is one of a checkpoint, and there is nothing of it but this
}

// errStopped is why a process that does not heed a signal ends.
var errStopped = errors.New("stopped")

// Start starts a process.
func (t *processTable) Start(_ context.Context, req ProcessRequest) (ProcessInfo, error) {
	sh := t.shell
	if req.Dir != "" {
		if info, err := sh.view().Stat(req.Dir); err != nil || !info.IsDir() {
			return ProcessInfo{}, NewProcessError(CodeInvalidDirectory, req.ID, nil)
		}
	}
	id := cmp.Or(req.ID, "process-"+strings.ToLower(rand.Text()[:24]))
	what := fmt.Sprint(req.Dir, "\x00", req.Env) // maps are printed in order
	t.mu.Lock()
	defer t.mu.Unlock()
	running := int64(0)
	for _, p := range t.list {
		if p.id == id {
			if p.command != req.Command || p.env != what && !p.lost {
				return ProcessInfo{}, NewProcessError(CodeIdentityConflict, id, nil)
			}
			return p.info(), nil
		}
		if p.info().Status == ProcessRunning {
			running++
		}
	}
	if most := sh.cfg.Limits.Of(limits.Jobs); most >= 0 && running >= most {
		return ProcessInfo{}, StartFailed("spawn", &limits.ExceededError{Resource: limits.Jobs, Limit: most})
	}
	end, err := sh.begin()
	if err != nil {
		return ProcessInfo{}, err
	}
	p := &process{
		id: id, command: req.Command, started: time.Now(), env: what, status: ProcessRunning,
		output: retain.New(SegmentSize, Segments, t.hold), input: newKeyboard(), signals: make(chan builtins.Signal, 16), done: make(chan struct{}),
	}
	ctx, cancel := context.WithCancelCause(sh.ctx)
	p.cancel = cancel
	t.list = append(t.list, p)
	go func() {
		defer end()
		defer close(p.done)
		p.run(ctx, sh, req)
	}()
	return p.info(), nil
}

// hold charges for what is kept of output.
func (t *processTable) hold(n int) error {
	if n < 0 {
		t.kept.Release(limits.Memory, int64(-n))
		return nil
	}
	return t.kept.Charge(limits.Memory, int64(n))
}

// run runs the process to its end.
func (p *process) run(ctx context.Context, sh *Shell, req ProcessRequest) {
	bounds := sh.cfg.Limits
	bounds.Time = limits.Unlimited
	meter := limits.NewMeter(bounds, func(e *limits.ExceededError) { p.cancel(e) })
	env := map[string]string{"COLUMNS": fmt.Sprint(TerminalColumns), "LINES": fmt.Sprint(TerminalLines),
		"GIT_PAGER": "cat", "PAGER": "cat", "LESS": "-FX", "DEBIAN_FRONTEND": "noninteractive"}
	maps.Copy(env, req.Env)
	shell, _ := sh.start(Request{Dir: req.Dir, Env: env}, SessionOptions{})
	in, closeIn := newInput(p.input)
	p.input.signal = func(s builtins.Signal) { p.signal(s) }
	out := &output{meter: meter, w: p.output}
	status, err := shell.Run(ctx, interp.Program{
		Source: req.Command, Stdin: in, Stdout: out, Stderr: out, Meter: meter, Signals: p.signals,
	})
	closeIn()
	p.input.close()
	p.cancel(nil)
	p.mu.Lock()
	p.status, p.code = ProcessCompleted, status
	var sig builtins.Signal
	switch {
	case p.stopped:
		p.status = ProcessStopped
	case errors.As(err, &sig):
		p.code = int(builtins.Signaled) + int(sig)
	case err != nil:
		p.status = ProcessFailed
		out.say("limpet: " + err.Error() + "\n")
	}
	p.mu.Unlock()
	out.kept()
	p.output.End()
}

// signal sends a signal to all that the process consists of, if it is still running.
func (p *process) signal(s builtins.Signal) {
	select {
	case p.signals <- s:
	default: // so many are under way that one more says nothing
	}
}

func (p *process) info() ProcessInfo {
	p.mu.Lock()
	defer p.mu.Unlock()
	return ProcessInfo{ID: p.id, Command: p.command, Status: p.status, ExitCode: p.code, Started: p.started}
}

func (t *processTable) find(id string) (*process, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, p := range t.list {
		if p.id == id {
			return p, nil
		}
	}
	return nil, UnknownProcess(id)
}

// Output returns part of the output of a process.
func (t *processTable) Output(ctx context.Context, id string, req OutputRequest) (ProcessOutput, error) {
	p, err := t.find(id)
	if err != nil {
		return ProcessOutput{}, err
	}
	if p.lost {
		return ProcessOutput{}, NewProcessError(CodeOutputUnavailable, id, errLost)
	}
	return retained(ctx, p.output, req, p.info)
}

// retained reads a page of what is kept of an output.
func retained(ctx context.Context, b *retain.Buffer, req OutputRequest, info func() ProcessInfo) (ProcessOutput, error) {
	size := cmp.Or(req.Max, 16_000)
	oldest, total := b.Bounds()
	cursor := req.Cursor
	if req.FromEnd {
		cursor = total
	}
	if cursor < 0 || cursor > total {
		return ProcessOutput{}, InvalidCursor(cursor, oldest, total)
	}
	if req.Wait > 0 {
		wait, cancel := context.WithTimeout(ctx, req.Wait)
		b.Wait(wait, cursor)
		cancel()
	}
	out := ProcessOutput{ProcessInfo: info()} // before the output, so that an end comes with all of it
	oldest, total = b.Bounds()
	if req.FromEnd {
		cursor = max(oldest, total-int64(size))
	}
	out.Data, out.Start = b.Read(cursor, size)
	out.Next, out.Oldest, out.Available = out.Start+int64(len(out.Data)), oldest, total
	return out, nil
}

// Write sends input to a process.
func (t *processTable) Write(ctx context.Context, id string, data []byte) (ProcessInfo, int, error) {
	p, err := t.find(id)
	if err != nil {
		return ProcessInfo{}, 0, err
	}
	if info := p.info(); info.Status != ProcessRunning {
		return info, 0, NewProcessError(CodeNotRunning, id, nil)
	}
	ctx, cancel := context.WithTimeout(ctx, WriteGrace)
	defer cancel()
	n := p.input.press(ctx, data)
	return p.info(), n, nil
}

// List returns the processes.
func (t *processTable) List(context.Context) ([]ProcessInfo, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	list := make([]ProcessInfo, len(t.list))
	for i, p := range t.list {
		list[i] = p.info()
	}
	return list, nil
}

// Stop ends a process.
func (t *processTable) Stop(ctx context.Context, id string) (ProcessInfo, error) {
	p, err := t.find(id)
	if err != nil {
		return ProcessInfo{}, err
	}
	if p.lost {
		return p.info(), nil
	}
	p.mu.Lock()
	p.stopped = p.stopped || p.status == ProcessRunning
	p.mu.Unlock()
	p.signal(builtins.SIGTERM)
	grace := time.NewTimer(StopGrace)
	defer grace.Stop()
	select {
	case <-p.done:
		return p.info(), nil
	case <-ctx.Done():
	case <-grace.C:
	}
	p.cancel(errStopped)
	<-p.done // an execution whose context is done ends
	return p.info(), nil
}

// keyboardSize is how much input waits for a process to read it.
const keyboardSize = 64 << 10

// A keyboard is the input of a process: what is typed, with the keys that mean something to
// a terminal.
type keyboard struct {
	signal func(builtins.Signal)

	mu      sync.Mutex
	data    []byte
	ends    []int // where in data the end of the input was typed
	closed  bool
	changed chan struct{}
}

func newKeyboard() *keyboard { return &keyboard{changed: make(chan struct{})} }

func (k *keyboard) tell() {
	close(k.changed)
	k.changed = make(chan struct{})
}

// press types bytes, and waits for the process to read if there are too many. It returns
// how many it has typed.
func (k *keyboard) press(ctx context.Context, keys []byte) int {
	for n, c := range keys {
		k.mu.Lock()
		for len(k.data) >= keyboardSize && !k.closed {
			changed := k.changed
			k.mu.Unlock()
			select {
			case <-changed:
			case <-ctx.Done():
				return n
			}
			k.mu.Lock()
		}
		if k.closed {
			k.mu.Unlock()
			return n
		}
		k.one(c)
		k.mu.Unlock()
	}
	return len(keys)
}

// one types a byte. Its mu is held.
func (k *keyboard) one(c byte) {
	switch c {
	case 0x03:
		k.signal(builtins.SIGINT)
	case 0x1c:
		k.signal(builtins.SIGQUIT)
	case 0x1a:
		k.signal(builtins.SIGTSTP)
	case 0x04:
		k.ends = append(k.ends, len(k.data))
	case '\r':
		k.data = append(k.data, '\n')
	case 0x7f:
		if i := len(k.data) - 1; i >= 0 && k.data[i] != '\n' {
			k.data = k.data[:i]
		}
	default:
		k.data = append(k.data, c)
	}
	k.tell()
}

// Read returns what was typed up to the end of a line, as a terminal does.
func (k *keyboard) Read(b []byte) (int, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for {
		line := bytes.IndexByte(k.data, '\n') + 1
		if len(k.ends) > 0 && (line == 0 || k.ends[0] < line) {
			return k.take(b, k.ends[0], true)
		}
		if line > 0 {
			return k.take(b, line, false)
		}
		if len(k.data) >= keyboardSize || k.closed {
			return k.take(b, len(k.data), k.closed)
		}
		changed := k.changed
		k.mu.Unlock()
		<-changed
		k.mu.Lock()
	}
}

// take hands out the first n bytes, or some of them. Behind the last comes the end of the
// input if last is true. Its mu is held.
func (k *keyboard) take(b []byte, n int, last bool) (int, error) {
	if n == 0 {
		if len(k.ends) > 0 {
			k.ends = k.ends[1:]
		}
		return 0, io.EOF
	}
	n = copy(b, k.data[:n])
	k.data = k.data[n:]
	for i := range k.ends {
		k.ends[i] -= n
	}
	if last && len(k.ends) > 0 && k.ends[0] == 0 {
		k.ends = k.ends[1:] // it ended a line that was not empty
	}
	k.tell()
	return n, nil
}

func (k *keyboard) close() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.closed = true
	k.tell()
}
