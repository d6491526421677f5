package interp

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/limpet-sh/limpet/builtins"
	"github.com/limpet-sh/limpet/limits"
	"github.com/limpet-sh/limpet/netpolicy"
)

// An execution is one call of Shell.Run and everything that it starts.
type execution struct {
	cfg    *Config
	meter  *limits.Meter
	hooks  *Hooks // nil where there are none
	ctx    context.Context
	cancel context.CancelCauseFunc
	net    *netpolicy.Access
	table  processTable
	locks  lockTable
	halted atomic.Bool // err is set, or ctx is done

	jobs  sync.WaitGroup // the goroutines that outlive the command that began them
	begun atomic.Bool    // there were any

	mu  sync.Mutex
	err error
}

func newExecution(ctx context.Context, cfg *Config, p Program) *execution {
	x := &execution{cfg: cfg, meter: p.Meter, hooks: p.Hooks, net: cfg.Network.For(p.Meter)}
	if x.hooks != nil && x.hooks.Requested != nil {
		x.net.Watch(x.hooks.Requested)
	}
	x.ctx, x.cancel = context.WithCancelCause(ctx)
	x.table.ctx = x.ctx
	return x
}

// errEnded is why an execution's context is done when its script has ended.
var errEnded = errors.New("the script has ended")

// stop ends the execution; the first reason counts, and that the script has ended
// is none.
func (x *execution) stop(err error) {
	x.mu.Lock()
	if x.err == nil && err != errEnded {
		x.err = err
	}
	x.mu.Unlock()
	x.halted.Store(true)
	x.cancel(err)
}

func (x *execution) error() error {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.err
}

// start runs do on a goroutine that the execution waits for.
func (x *execution) start(do func()) {
	x.begun.Store(true)
	x.jobs.Add(1)
	go func() {
		defer x.jobs.Done()
		defer x.guard()
		do()
	}()
}

// dying is how long a shell that a signal from outside kills has to notice: it
// runs its trap for the end then.
const dying = 200 * time.Millisecond

// deliver sends the signals that come to all processes, until it is told to stop. A
// command in the foreground has no context of its own: one that keeps the dying shell
// top waiting is ended with the execution.
func (x *execution) deliver(top *process, signals <-chan builtins.Signal) (stop func()) {
	quit, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		for {
			select {
			case s := <-signals:
				_ = processes{table: &x.table}.Signal(0, s)
				if top.killed.Load() != 0 && !wait(quit, dying) {
					x.cancel(s)
				}
			case <-quit:
				return
			}
		}
	}()
	return func() {
		close(quit)
		<-done
	}
}

// wait waits for a time, or until done is closed, and reports whether it was.
func wait(done <-chan struct{}, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-done:
		return true
	case <-t.C:
		return false
	}
}

// finish ends the jobs that the script has left behind, after a grace, and
// waits for them.
func (x *execution) finish(grace time.Duration) {
	defer x.net.Close()
	if !x.begun.Load() {
		x.cancel(errEnded)
		return
	}
	done := make(chan struct{})
	go func() {
		x.jobs.Wait()
		close(done)
	}()
	if grace > 0 && x.error() == nil {
		t := time.NewTimer(grace)
		defer t.Stop()
		select {
		case <-done:
			return
		case <-t.C:
		case <-x.ctx.Done():
		}
	}
	x.cancel(errEnded)
	<-done
}
