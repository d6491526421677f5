//go:build linux

package host

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"syscall"
	"time"

	"github.com/creack/pty"
	"github.com/limpet-sh/limpet"
	"github.com/limpet-sh/limpet/adapters/internal/invoke"
)

// processes are the background processes of a sandbox. The zero value has none.
type processes struct {
	mu   sync.Mutex
	list []*terminal
	byID map[string]*terminal
}

// A terminal is a process in the background, and the terminal that it runs on.
type terminal struct {
	info    limpet.ProcessInfo // under the mutex of the output
	mark    string
	cmd     *exec.Cmd
	master  *os.File
	output  scroll
	stopped bool // Stop was called, under the mutex of the output

	ended   chan struct{}
	stop    sync.Mutex
	writing sync.Mutex
}

// terminalEnv are the variables of processes on a terminal.
var terminalEnv = map[string]string{
	"TERM": "xterm-256color", "COLUMNS": strconv.Itoa(limpet.TerminalColumns), "LINES": strconv.Itoa(limpet.TerminalLines),
	"GIT_PAGER": "cat", "PAGER": "cat", "LESS": "-FX", "DEBIAN_FRONTEND": "noninteractive",
}

// Processes returns the background processes.
func (s *Sandbox) Processes() (limpet.Processes, error) { return (*background)(s), nil }

// background is a sandbox as its processes.
type background Sandbox

// Start starts a process on a terminal of its own, in a login shell.
func (b *background) Start(ctx context.Context, req limpet.ProcessRequest) (limpet.ProcessInfo, error) {
	s := (*Sandbox)(b)
	serial, end, err := s.begin()
	if err != nil {
		return limpet.ProcessInfo{}, err
	}
	defer end()
	if err := ctx.Err(); err != nil {
		return limpet.ProcessInfo{}, err
	}
	s.processes.mu.Lock()
	defer s.processes.mu.Unlock()
	if req.ID == "" {
		req.ID = processID(s.lease.ID, "start", strconv.Itoa(serial))
	}
	if old := s.processes.byID[req.ID]; old != nil {
		if info := old.state(); info.Command == req.Command {
			return info, nil
		}
		return limpet.ProcessInfo{}, limpet.NewProcessError(limpet.CodeIdentityConflict, req.ID, nil)
	}
	t, err := s.start(req, serial)
	if err != nil {
		return limpet.ProcessInfo{}, err
	}
	if s.processes.byID == nil {
		s.processes.byID = map[string]*terminal{}
	}
	s.processes.byID[req.ID] = t
	s.processes.list = append(s.processes.list, t)
	return t.state(), nil
}

// processID returns the id that the call of an action of a session gives a process.
func processID(session, action, call string) string {
	of := func(s string, n int) string {
		sum := sha256.Sum256([]byte(s))
		return hex.EncodeToString(sum[:])[:n]
	}
	return "process-" + of(session, 12) + "-" + of("process\x00"+session+"\x00"+action+"\x00"+call+"\x00", 24)
}

// start starts the process of a request.
func (s *Sandbox) start(req limpet.ProcessRequest, serial int) (*terminal, error) {
	dir := s.workspace
	if req.Dir != "" {
		dir = s.path(req.Dir)
	}
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return nil, limpet.NewProcessError(limpet.CodeInvalidDirectory, req.ID, nil)
	}
	if err := invoke.CheckEnv(req.Env); err != nil {
		return nil, limpet.StartFailed("spawn", err)
	}
	env := maps.Clone(s.env)
	maps.Copy(env, terminalEnv)
	maps.Copy(env, req.Env)
	t := &terminal{
		info: limpet.ProcessInfo{ID: req.ID, Command: req.Command, Status: limpet.ProcessRunning, Started: time.Now()},
		mark: s.mark("process." + strconv.Itoa(serial)), ended: make(chan struct{}),
	}
	t.cmd = &exec.Cmd{Path: s.shell, Args: []string{filepath.Base(s.shell), "-lc", req.Command}, Dir: dir, Env: append(invoke.Environ(env), t.mark)}
	var err error
	t.master, err = pty.StartWithSize(t.cmd, &pty.Winsize{Rows: limpet.TerminalLines, Cols: limpet.TerminalColumns})
	if err != nil {
		return nil, limpet.StartFailed("spawn", err)
	}
	go t.watch()
	return t, nil
}

// watch keeps the output of the process and notes its end.
func (t *terminal) watch() {
	read := make(chan struct{})
	go func() {
		defer close(read)
		buf := make([]byte, 64<<10)
		for {
			n, err := t.master.Read(buf)
			t.output.append(buf[:n])
			if err != nil { // EIO, when nobody has the terminal open any more
				return
			}
		}
	}()
	err := t.cmd.Wait()
	_ = killTree(t.cmd.Process.Pid, t.mark) // what cannot be killed cannot be helped
	timer := time.NewTimer(limpet.StopGrace)
	select {
	case <-read:
	case <-timer.C:
	}
	timer.Stop()
	_ = t.master.Close()
	<-read
	t.output.update(func() {
		_, exited := errors.AsType[*exec.ExitError](err)
		switch {
		case t.stopped:
			t.info.Status = limpet.ProcessStopped
		case err != nil && !exited:
			t.info.Status = limpet.ProcessFailed
		default:
			t.info.Status, t.info.ExitCode = limpet.ProcessCompleted, exitStatus(t.cmd.ProcessState)
		}
	})
	close(t.ended)
}

// state returns what is known of the process.
func (t *terminal) state() (info limpet.ProcessInfo) {
	t.output.look(func() { info = t.info })
	return info
}

// find returns the process with an id.
func (b *background) find(id string) (*terminal, error) {
	b.processes.mu.Lock()
	defer b.processes.mu.Unlock()
	if t := b.processes.byID[id]; t != nil {
		return t, nil
	}
	return nil, limpet.UnknownProcess(id)
}

// Output returns part of the output.
func (b *background) Output(ctx context.Context, id string, req limpet.OutputRequest) (limpet.ProcessOutput, error) {
	t, err := b.find(id)
	if err != nil {
		return limpet.ProcessOutput{}, err
	}
	return t.output.page(ctx, req, &t.info)
}

// Write types bytes.
func (b *background) Write(_ context.Context, id string, data []byte) (limpet.ProcessInfo, int, error) {
	t, err := b.find(id)
	if err != nil {
		return limpet.ProcessInfo{}, 0, err
	}
	t.writing.Lock()
	defer t.writing.Unlock()
	if info := t.state(); info.Status != limpet.ProcessRunning {
		return info, 0, limpet.NewProcessError(limpet.CodeNotRunning, id, nil)
	}
	if err := t.master.SetWriteDeadline(time.Now().Add(limpet.WriteGrace)); err != nil {
		return t.state(), 0, limpet.NewProcessError(limpet.CodeIOFailed, id, err)
	}
	n, err := t.master.Write(data)
	switch {
	case err == nil, errors.Is(err, os.ErrDeadlineExceeded):
		return t.state(), n, nil
	case errors.Is(err, syscall.EIO), errors.Is(err, fs.ErrClosed):
		return t.state(), n, limpet.NewProcessError(limpet.CodeNotRunning, id, nil)
	default:
		return t.state(), n, limpet.NewProcessError(limpet.CodeIOFailed, id, err)
	}
}

// List returns all processes.
func (b *background) List(context.Context) ([]limpet.ProcessInfo, error) {
	b.processes.mu.Lock()
	defer b.processes.mu.Unlock()
	list := make([]limpet.ProcessInfo, len(b.processes.list))
	for i, t := range b.processes.list {
		list[i] = t.state()
	}
	return list, nil
}

// Stop ends a process.
func (b *background) Stop(_ context.Context, id string) (limpet.ProcessInfo, error) {
	t, err := b.find(id)
	if err != nil {
		return limpet.ProcessInfo{}, err
	}
	if !t.end() {
		return t.state(), limpet.NewProcessError(limpet.CodeStopFailed, id, nil)
	}
	return t.state(), nil
}

// end ends the process and reports whether it has ended.
func (t *terminal) end() bool {
	t.stop.Lock()
	defer t.stop.Unlock()
	running := false
	t.output.update(func() {
		running = t.info.Status == limpet.ProcessRunning
		t.stopped = t.stopped || running
	})
	if !running {
		return true
	}
	_ = signalTree(t.cmd.Process.Pid, t.mark, syscall.SIGTERM)
	if t.endsWithin(limpet.StopGrace) {
		return true
	}
	_ = killTree(t.cmd.Process.Pid, t.mark)
	return t.endsWithin(2 * limpet.StopGrace)
}

func (t *terminal) endsWithin(d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-t.ended:
		return true
	case <-timer.C:
		return false
	}
}

// close ends all processes at once.
func (p *processes) close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, t := range p.list {
		t.output.update(func() { t.stopped = t.stopped || t.info.Status == limpet.ProcessRunning })
		if t.state().Status == limpet.ProcessRunning {
			_ = killTree(t.cmd.Process.Pid, t.mark)
			<-t.ended
		}
	}
}
