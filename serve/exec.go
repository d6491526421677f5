package serve

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/danielgtaylor/huma/v2"
	"github.com/limpet-sh/limpet"
	"github.com/limpet-sh/limpet/client"
)

// A run is a script that is about to run: the turn is its own, and the store knows of it.
type run struct {
	held      *session
	account   *account
	req       client.Request
	execution client.Execution
}

// prepare waits for the turn of a script and notes in the store that it runs. Each run
// that it returns must be run.
func (held *session) prepare(ctx context.Context, req client.Request) (r *run, err error) {
	c := caller(ctx)
	n := c.running.Add(1)
	defer func() {
		if err != nil {
			c.running.Add(-1)
		}
	}()
	if c.Executions > 0 && n > int64(c.Executions) {
		return nil, huma.NewError(http.StatusTooManyRequests, fmt.Sprintf("%d scripts run already, which is the quota", c.Executions))
	}
	req.ID = cmp.Or(req.ID, newID())
	if err := held.lock(ctx); err != nil {
		return nil, err
	}
	if e, known := held.record().known(req.ID); known {
		held.unlock()
		return nil, &huma.ErrorModel{
			Status: http.StatusConflict, Title: http.StatusText(http.StatusConflict), Type: client.TypeRepeated,
			Detail: fmt.Sprintf("the execution %s is %s already, and is not run again", e.ID, e.State),
		}
	}
	r = &run{held: held, account: c, req: req}
	r.execution = client.Execution{ID: req.ID, Script: beginning(req.Script), Started: time.Now(), State: client.Running}
	next := held.record().clone()
	next.Running = &r.execution
	if err := held.write(ctx, next); err != nil {
		held.unlock()
		held.drop(errBroken)
		return nil, fmt.Errorf("%w: %w", errBroken, err)
	}
	return r, nil
}

// beginning returns a script, or the part of it that is shown.
func beginning(script string) string {
	if len(script) <= shownScript {
		return script
	}
	n := shownScript
	for !utf8.RuneStart(script[n]) {
		n--
	}
	return script[:n]
}

// run runs the script and keeps what it has done. Output goes to the writers, or into the result
// where they are nil.
func (r *run) run(ctx context.Context, stdout, stderr io.Writer) (*client.Result, error) {
	held := r.held
	defer r.account.running.Add(-1)
	defer held.unlock()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(held.ctx, func() { cancel(context.Cause(held.ctx)) })()
	held.server.metrics.running.Add(1)
	res, err := held.talk.Exec(ctx, limpet.Request{
		Script: r.req.Script, Args: r.req.Args, Env: r.req.Env, Dir: r.req.Dir, Stdin: bytes.NewReader(r.req.Stdin),
		Timeout: time.Duration(r.req.Timeout * float64(time.Second)), Stdout: stdout, Stderr: stderr,
	})
	held.server.metrics.running.Add(-1)
	if cause := context.Cause(held.ctx); cause == errLost || cause == errBroken {
		return nil, cause
	}
	e := r.execution
	e.Ended, e.State = time.Now(), client.Done
	if err != nil {
		e.Status, e.Stopped = 125, err.Error()
	} else {
		e.Status, e.Stopped = res.Status, reason(res)
	}
	held.server.metrics.script.observe(e.Ended.Sub(e.Started))
	if kept := held.keep(context.WithoutCancel(ctx), func(rec *record) { rec.ended(e) }); kept != nil || err != nil {
		return nil, cmp.Or(kept, err)
	}
	return result(e.ID, res, held.record().Dir), nil
}

func reason(res *limpet.Result) string {
	if res.Stopped == nil {
		return ""
	}
	return res.Stopped.Error()
}

// result returns what a client is told.
func result(id string, res *limpet.Result, dir string) *client.Result {
	u := res.Usage
	r := &client.Result{
		ID: id, Status: res.Status, Stdout: string(res.Stdout), Stderr: string(res.Stderr), Stopped: reason(res), Dir: dir,
		Usage: client.Usage{Seconds: u.Time.Seconds(), Steps: u.Steps, Memory: u.Memory, Output: u.Output},
	}
	if !utf8.Valid(res.Stdout) {
		r.StdoutBytes = res.Stdout
	}
	if !utf8.Valid(res.Stderr) {
		r.StderrBytes = res.Stderr
	}
	return r
}

// An events is a stream of server-sent events.
type events struct {
	mu sync.Mutex
	w  http.ResponseWriter
	c  *http.ResponseController
}

// send sends an event, whose data is JSON without line ends.
func (e *events) send(name string, data []byte) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	_, err := fmt.Fprintf(e.w, "event: %s\ndata: %s\n\n", name, data)
	if err == nil {
		err = e.c.Flush()
	}
	return err
}

// An eventWriter makes events of what is written.
type eventWriter struct {
	events *events
	name   string
}

// Write sends an event. A client that has gone away is the end of the script's pipe.
func (w eventWriter) Write(data []byte) (int, error) {
	if err := w.events.send(w.name, marshal(client.NewChunk(data))); err != nil {
		return 0, limpet.ErrPipe
	}
	return len(data), nil
}
