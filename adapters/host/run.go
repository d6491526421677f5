//go:build linux

package host

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/limpet-sh/limpet"
	"github.com/limpet-sh/limpet/adapters/internal/invoke"
	"github.com/limpet-sh/limpet/limits"
)

const (
	drain     = 100 * time.Millisecond // for what the script has left to write, after it
	kindness  = time.Second            // between SIGTERM and SIGKILL, where a script is stopped
	statusEnd = 124                    // of a script whose time is up
	statusCut = 137                    // of one that was stopped otherwise
)

// Exec runs a script and waits for it.
func (s *Sandbox) Exec(ctx context.Context, req limpet.Request) (*limpet.Result, error) {
	res, _, err := s.exec(ctx, req, req.Env)
	return res, err
}

// exec runs a script with variables in its environment. It returns the directory too
// in which a script was that was stopped.
func (s *Sandbox) exec(ctx context.Context, req limpet.Request, env map[string]string) (res *limpet.Result, dir string, err error) {
	serial, end, err := s.begin()
	if err != nil {
		return nil, "", err
	}
	defer end()
	if err := invoke.CheckEnv(env); err != nil {
		return nil, "", err
	}
	inv, err := invoke.Of(s.cfg.Shell, req)
	if err != nil {
		return nil, "", err
	}
	file := s.at("run/script." + strconv.Itoa(serial))
	if inv.File {
		if err := os.WriteFile(file, []byte(req.Script), 0o600); err != nil {
			return nil, "", err
		}
		defer os.Remove(file)
	}
	all := maps.Clone(s.env)
	maps.Copy(all, env)
	r := &run{sandbox: s, req: req, limit: s.cfg.Timeout, mark: s.mark("run." + strconv.Itoa(serial))}
	if req.Timeout > 0 {
		r.limit = min(r.limit, req.Timeout)
	}
	r.cmd = &exec.Cmd{
		Path: s.shell, Args: inv.With(file), Dir: cmp.Or(req.Dir, s.workspace),
		Env: append(invoke.Environ(all), r.mark), SysProcAttr: &syscall.SysProcAttr{Setsid: true},
	}
	res, err = r.do(ctx)
	return res, r.dir, err
}

// A run is one script on its way.
type run struct {
	sandbox *Sandbox
	req     limpet.Request
	cmd     *exec.Cmd
	mark    string
	limit   time.Duration

	ctx    context.Context
	cancel context.CancelCauseFunc

	streams sync.WaitGroup
	budget  budget
	dir     string // where a script that was stopped was
}

// do runs the script.
func (r *run) do(parent context.Context) (*limpet.Result, error) {
	if err := parent.Err(); err != nil {
		return nil, context.Cause(parent)
	}
	ctx, cancel := context.WithCancelCause(parent)
	defer cancel(nil)
	defer context.AfterFunc(r.sandbox.ctx, func() { cancel(limpet.ErrClosed) })()
	r.ctx, r.cancel = ctx, cancel
	r.budget = budget{left: r.sandbox.cfg.MaxOutput, limit: r.sandbox.cfg.MaxOutput}
	timer := time.AfterFunc(r.limit, func() { cancel(&limpet.TimeoutError{Timeout: r.limit}) })
	defer timer.Stop()

	var out, errs output
	var ends []*os.File // of this process
	defer func() {
		for _, f := range ends {
			_ = f.Close()
		}
	}()
	closeChild, err := r.connect(&out, &errs, &ends)
	if err == nil {
		err = r.cmd.Start()
	}
	closeChild()
	if err != nil {
		for _, f := range ends {
			_ = f.Close()
		}
		r.streams.Wait()
		return nil, fmt.Errorf("cannot start %s: %w", r.cmd.Args[0], err)
	}
	started := time.Now()
	waitErr := r.wait()
	if _, exited := errors.AsType[*exec.ExitError](waitErr); waitErr != nil && !exited {
		return nil, waitErr
	}
	r.settle(ends)
	res := &limpet.Result{Status: exitStatus(r.cmd.ProcessState), Usage: limpet.Usage{Time: time.Since(started), Output: r.budget.used()}}
	if ctx.Err() != nil {
		r.stopped(res, &errs, context.Cause(ctx))
	}
	res.Stdout, res.Stderr = out.data, errs.data
	return res, nil
}

// stopped says in a result why the script was.
func (r *run) stopped(res *limpet.Result, errs *output, cause error) {
	res.Stopped, res.Status = cause, statusCut
	if errors.Is(cause, context.DeadlineExceeded) {
		res.Status = statusEnd
	}
	text := "limpet: " + cause.Error() + "\n"
	if r.req.Stderr != nil {
		_, _ = io.WriteString(r.req.Stderr, text)
		return
	}
	errs.data = append(errs.data, text...)
}

// connect makes the streams of the script, and returns what closes those ends of
// them that are the script's.
func (r *run) connect(out, errs *output, ends *[]*os.File) (closeChild func(), err error) {
	var theirs []*os.File
	closeChild = func() {
		for _, f := range theirs {
			_ = f.Close()
		}
	}
	if r.req.Stdin == nil {
		null, err := os.Open(os.DevNull)
		if err != nil {
			return closeChild, err
		}
		theirs, r.cmd.Stdin = append(theirs, null), null
	} else {
		read, write, err := os.Pipe()
		if err != nil {
			return closeChild, err
		}
		theirs, r.cmd.Stdin, *ends = append(theirs, read), read, append(*ends, write)
		go func() { // until there is no more, or nobody who reads it; a Read that blocks is left behind
			_, _ = io.Copy(write, r.req.Stdin)
			_ = write.Close()
		}()
	}
	for _, o := range []struct {
		to    *io.Writer
		given io.Writer
		kept  *output
	}{{&r.cmd.Stdout, r.req.Stdout, out}, {&r.cmd.Stderr, r.req.Stderr, errs}} {
		read, write, err := os.Pipe()
		if err != nil {
			return closeChild, err
		}
		theirs, *o.to, *ends = append(theirs, write), write, append(*ends, read)
		o.kept.w = o.given
		r.streams.Go(func() { r.copy(o.kept, read) })
	}
	return closeChild, nil
}

// copy takes what the script prints until there is no more, nobody wants it, or the
// limit is reached. Then the script gets SIGPIPE, as from a pipe.
func (r *run) copy(o *output, from *os.File) {
	buf := make([]byte, 64<<10)
	for {
		n, err := from.Read(buf)
		if n > 0 {
			if !r.budget.take(n) {
				r.cancel(&limits.ExceededError{Resource: limits.Output, Limit: r.budget.limit})
				break
			}
			if _, err := o.Write(buf[:n]); err != nil {
				break
			}
		}
		if err != nil {
			break
		}
	}
	_ = from.Close()
}

// wait waits for the shell, and ends it when the context is done.
func (r *run) wait() error {
	waited := make(chan error, 1)
	go func() { waited <- r.cmd.Wait() }()
	pid := r.cmd.Process.Pid
	for r.ctx.Err() == nil {
		select {
		case err := <-waited:
			return err
		case sig := <-r.req.Signals:
			_ = signalTree(pid, r.mark, syscall.Signal(sig))
		case <-r.ctx.Done():
		}
	}
	r.dir = workingDir(pid)
	_ = signalTree(pid, r.mark, syscall.SIGTERM)
	timer := time.NewTimer(kindness)
	defer timer.Stop()
	select {
	case err := <-waited:
		return err
	case <-timer.C:
		_ = r.cmd.Process.Kill()
		return <-waited
	}
}

// settle ends what the script has left behind, and waits for its output.
func (r *run) settle(ends []*os.File) {
	done := make(chan struct{})
	go func() {
		r.streams.Wait()
		close(done)
	}()
	if r.ctx.Err() == nil {
		timer := time.NewTimer(drain)
		select {
		case <-done:
		case <-timer.C:
		}
		timer.Stop()
	}
	_ = killTree(r.cmd.Process.Pid, r.mark) // what cannot be killed cannot be helped
	timer := time.NewTimer(kindness)
	defer timer.Stop()
	select {
	case <-done:
	case <-timer.C: // somebody else has got hold of a stream
		for _, f := range ends {
			_ = f.Close()
		}
		<-done
	}
}

// exitStatus returns the status that a shell would see.
func exitStatus(p *os.ProcessState) int {
	if w, ok := p.Sys().(syscall.WaitStatus); ok && w.Signaled() {
		return 128 + int(w.Signal())
	}
	return p.ExitCode()
}

// An output is a stream of a script: a writer of the request, or memory.
type output struct {
	w    io.Writer
	data []byte
}

// Write passes b on.
func (o *output) Write(b []byte) (int, error) {
	if o.w != nil {
		return o.w.Write(b)
	}
	o.data = append(o.data, b...)
	return len(b), nil
}

// A budget is how much a script may print.
type budget struct {
	mu          sync.Mutex
	left, limit int64
}

// take reports whether n more bytes are allowed.
func (b *budget) take(n int) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.left -= int64(n)
	return b.limit < 0 || b.left >= 0
}

// used returns how many bytes were taken.
func (b *budget) used() int64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.limit - b.left
}

// trimmed returns the text of a file without the newline at its end.
func trimmed(data []byte) string { return strings.TrimSuffix(string(data), "\n") }
