//go:build linux

package isolate

import (
	"context"
	"errors"
	"io"
	"sync"
	"time"

	"github.com/limpet-sh/limpet"
	"github.com/limpet-sh/limpet/limits"
)

// Statuses of scripts that were stopped, as a Shell gives them.
const (
	statusTimeout = 124
	statusStopped = 137
)

// A run is an execution that is under way.
type run struct {
	id      uint64
	ctx     context.Context // that it was started with
	process *process
	started time.Time
	limit   time.Duration // zero is none
	bound   error         // what it is ended with when the time is up
	done    chan struct{}

	mu    sync.Mutex
	held  int           // approvals that are under way
	since time.Time     // that they are
	stood time.Duration // that the time has stood still before
}

// exec runs a request in the process, in a session unless that is 0.
func (p *process) exec(ctx context.Context, req limpet.Request, session uint64) (*limpet.Result, string, error) {
	r := p.begin(ctx, req)
	defer r.end()
	x := wireExecutionOf(req)
	x.ID, x.Session = r.id, session
	most := p.limits.Of(limits.Output)
	out, errs := &sink{left: most}, &sink{left: most}
	streams := &p.peer.streams
	endIn, endOut, endErr := func() {}, func() {}, func() {}
	if req.Stdin != nil {
		x.Stdin, endIn = streams.lend(req.Stdin, false)
	}
	x.Stdout, endOut = lendWriter(streams, req.Stdout, out)
	x.Stderr, endErr = lendWriter(streams, req.Stderr, errs)
	defer func() { endIn(); endOut(); endErr() }()

	w, err := call[wireResult](ctx, p.peer, "exec", x)
	res := &limpet.Result{Status: w.Status, Stopped: w.Stopped.err(), Exited: w.Exited, Usage: w.Usage}
	switch {
	case errors.Is(err, errGone):
		res = r.lost(p.lost(), req, errs)
	case err != nil:
		return nil, "", err
	case ctx.Err() != nil && res.Stopped != nil && res.Stopped.Error() == context.Cause(ctx).Error():
		res.Stopped = context.Cause(ctx) // itself, and not what has come back of it
	}
	res.Stdout, res.Stderr = out.bytes(), errs.bytes()
	return res, w.Dir, nil
}

func lendWriter(t *streams, w io.Writer, kept *sink) (streamRef, func()) {
	if w != nil {
		return t.lend(w, false)
	}
	return t.lend(kept, true)
}

// lost returns the result of an execution whose process has ended.
func (r *run) lost(err error, req limpet.Request, errs *sink) *limpet.Result {
	res := &limpet.Result{Status: statusStopped, Stopped: err, Usage: limpet.Usage{Time: time.Since(r.started)}}
	if errors.Is(err, context.DeadlineExceeded) {
		res.Status = statusTimeout
	}
	text := "limpet: " + err.Error() + "\n"
	if req.Stderr != nil {
		_, _ = io.WriteString(req.Stderr, text)
		return res
	}
	errs.mu.Lock()
	defer errs.mu.Unlock()
	errs.data = append(errs.data, text...)
	return res
}

// begin notes an execution, and starts to watch it.
func (p *process) begin(ctx context.Context, req limpet.Request) *run {
	r := &run{ctx: ctx, process: p, started: time.Now(), done: make(chan struct{})}
	if limit := time.Duration(p.limits.Of(limits.Time)); limit > 0 {
		r.limit, r.bound = limit, &limits.ExceededError{Resource: limits.Time, Limit: int64(limit)}
	}
	if req.Timeout > 0 && (r.limit == 0 || req.Timeout < r.limit) {
		r.limit, r.bound = req.Timeout, &limpet.TimeoutError{Timeout: req.Timeout}
	}
	p.mu.Lock()
	p.last++
	r.id = p.last
	p.runs[r.id] = r
	p.mu.Unlock()
	p.served.Go(r.guard)
	if req.Signals != nil {
		p.served.Go(func() { r.forward(req) })
	}
	return r
}

// end notes that the execution has ended.
func (r *run) end() {
	r.process.mu.Lock()
	delete(r.process.runs, r.id)
	r.process.mu.Unlock()
	close(r.done)
}

// forward passes signals on.
func (r *run) forward(req limpet.Request) {
	for {
		select {
		case s, ok := <-req.Signals:
			if !ok {
				return
			}
			_, _ = call[nothing](r.ctx, r.process.peer, "signal", signalCall{r.id, s}) // or it has ended
		case <-r.done:
			return
		}
	}
}

// guard kills the process where the execution does not end when it has to, and where the
// process does not answer.
func (r *run) guard() {
	p := r.process
	tick := time.NewTicker(max(p.patience/8, time.Millisecond))
	defer tick.Stop()
	answered := make(chan struct{}, 1)
	last, asked := time.Now(), false
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	over := time.Time{} // since when the context is done
	for {
		select {
		case <-r.done:
			return
		case <-p.peer.gone:
			return
		case <-answered:
			last, asked = time.Now(), false
			continue
		case <-tick.C:
		}
		if !asked {
			asked = true
			p.served.Go(func() {
				if _, err := call[nothing](ctx, p.peer, "ping", nothing{}); err == nil {
					answered <- struct{}{}
				}
			})
		}
		if r.ctx.Err() != nil && over.IsZero() {
			over = time.Now()
		}
		switch {
		case !over.IsZero() && time.Since(over) > p.patience:
			go p.kill(context.Cause(r.ctx)) // which waits for this goroutine
			return
		case r.limit > 0 && r.taken() > r.limit+p.patience:
			go p.kill(r.bound)
			return
		case time.Since(last) > p.patience:
			go p.kill(errSilent)
			return
		}
	}
}

var errSilent = errors.New("it has not answered for too long")

// taken returns how much of its time the execution has had.
func (r *run) taken() time.Duration {
	r.mu.Lock()
	defer r.mu.Unlock()
	stood := r.stood
	if r.held > 0 {
		stood += time.Since(r.since)
	}
	return time.Since(r.started) - stood
}

// hold stops the time of the execution, until resume was called as often.
func (r *run) hold() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.held++; r.held == 1 {
		r.since = time.Now()
	}
}

func (r *run) resume() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.held--; r.held == 0 {
		r.stood += time.Since(r.since)
	}
}
