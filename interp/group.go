package interp

import (
	"context"

	"github.com/limpet-sh/limpet/builtins"
)

// heeding adds a process that p waits for, and that a signal which ends ctx, such as that
// of timeout, is sent to, with all that descends from it; it may have a trap for it. What
// else ends ctx ends the process. The caller calls stop when it has ended.
func (p *process) heeding(ctx context.Context, command string) (c *process, stop func()) {
	c = &process{command: command, done: make(chan struct{}), heeds: true, grouped: true}
	c.ctx, c.cancel = context.WithCancelCause(p.table.ctx)
	p.table.list(p, c)
	ended := context.AfterFunc(ctx, func() {
		if s, ok := context.Cause(ctx).(builtins.Signal); ok {
			c.signalGroup(s)
			return
		}
		c.cancel(context.Cause(ctx))
	})
	killed := func() bool { return true }
	if last := builtins.KillContext(ctx); last != nil {
		killed = context.AfterFunc(last, func() { c.signalGroup(builtins.SIGKILL) })
	}
	return c, func() {
		ended()
		killed()
	}
}

// signalGroup sends a signal to p and to the processes that descend from it. Those that
// heed the end of their context notice by themselves.
func (p *process) signalGroup(s builtins.Signal) {
	p.table.mu.Lock()
	group := []*process{p}
	for _, q := range p.table.procs {
		if q != p && q.leader() == p && !q.heeds {
			group = append(group, q)
		}
	}
	p.table.mu.Unlock()
	for _, q := range group {
		q.signal(s)
		if end := q.foreground.Load(); end != nil && q.ignored.Load()&(1<<(s&63)) == 0 {
			(*end)(s)
		}
	}
}

// leader returns the nearest process that p descends from and that heeds, or nil. The
// table is locked.
func (p *process) leader() *process {
	for q := p.table.procs[p.ppid]; q != nil; q = p.table.procs[q.ppid] {
		if q.heeds {
			return q
		}
	}
	return nil
}

// waits gives p another context while it waits for a program, which a signal to the group
// ends where p itself goes on.
func (p *process) waits() (end func()) {
	if !p.grouped {
		return func() {}
	}
	outer := p.ctx
	ctx, cancel := context.WithCancelCause(outer)
	p.ctx = ctx
	p.foreground.Store(&cancel)
	return func() {
		p.foreground.Store(nil)
		p.ctx = outer
		cancel(nil)
	}
}
