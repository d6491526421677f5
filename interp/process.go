package interp

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/limpet-sh/limpet/builtins"
	"github.com/limpet-sh/limpet/vfs"
)

// firstPID is the process number of the first shell of an execution.
const firstPID = 1000

// A process is a row of the process table: a shell, or a command that another
// one runs.
type process struct {
	table     *processTable
	pid, ppid int
	pgid      int
	command   string
	start     time.Time
	ctx       context.Context
	cancel    context.CancelCauseFunc // nil for a process with its parent's context
	done      chan struct{}           // closed when it has ended
	status    int                     // valid when done is closed
	killedBy  builtins.Signal         // likewise: what it has died of, or 0

	caught  atomic.Uint64 // signals with a handler, by number
	ignored atomic.Uint64

	pending atomic.Uint64 // signals to handle
	killed  atomic.Uint32 // the signal that ends the process
	notice  atomic.Bool   // pending or killed is set
	wake    chan struct{} // has an element when pending or killed has changed

	childEnds atomic.Int32 // children that have ended, while SIGCHLD has a handler

	heeds      bool                                    // signals that end the context it was given come to it; see heeding
	grouped    bool                                    // it, or a process that it descends from, heeds
	foreground atomic.Pointer[context.CancelCauseFunc] // of the program that it waits for, if it is grouped
}

// A processTable holds the processes of one execution. The zero table is empty.
type processTable struct {
	ctx context.Context // of the execution

	mu    sync.Mutex
	procs map[int]*process
	last  int
}

// add adds a process with the context ctx, as a child of parent.
func (t *processTable) add(parent *process, ctx context.Context, command string) *process {
	p := &process{ctx: ctx, command: command}
	t.list(parent, p)
	return p
}

// list gives the process p, a child of parent, its number.
func (t *processTable) list(parent, p *process) {
	p.table, p.wake = t, make(chan struct{}, 1)
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.procs == nil {
		t.procs = map[int]*process{}
		t.last = firstPID - 1
	}
	t.last++
	p.pid, p.pgid, p.ppid = t.last, t.last, 1
	if parent != nil {
		p.ppid, p.pgid = parent.pid, parent.pgid
		p.ignored.Store(parent.ignored.Load())
		p.grouped = p.grouped || parent.grouped
	}
	t.procs[p.pid] = p
}

func (t *processTable) remove(p *process) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.procs, p.pid)
}

func (t *processTable) find(pid int) *process {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.procs[pid]
}

// child adds a process that runs in the background of p, with a context of its
// own: it goes on when p ends.
func (p *process) child(command string) *process {
	return p.within(p.table.ctx, command)
}

// sub adds a process that p waits for, with its context, or with one within that where a
// signal to the group may end it alone.
func (p *process) sub() *process {
	if p.grouped {
		return p.within(p.ctx, p.command)
	}
	return p.table.add(p, p.ctx, p.command)
}

// within adds a process with a context of its own within ctx.
func (p *process) within(ctx context.Context, command string) *process {
	c := &process{command: command, done: make(chan struct{})}
	c.ctx, c.cancel = context.WithCancelCause(ctx)
	p.table.list(p, c)
	return c
}

// end records how p has ended: with a status, or because of a signal.
func (p *process) end(status int, killedBy builtins.Signal) {
	p.status, p.killedBy = status, killedBy
	p.table.remove(p)
	if p.cancel != nil {
		p.cancel(errEnded)
		close(p.done)
	}
}

// tellParent tells the parent of p that it has ended.
func (p *process) tellParent() {
	if parent := p.table.find(p.ppid); parent != nil {
		parent.childEnded()
	}
}

// childEnded tells p that a child has ended, where p wants to know.
func (p *process) childEnded() {
	if p.caught.Load()&(1<<builtins.SIGCHLD) != 0 {
		p.childEnds.Add(1)
		p.signal(builtins.SIGCHLD)
	}
}

// signal delivers a signal, as kill(2) does: it is handled, ignored, or ends the
// process.
func (p *process) signal(s builtins.Signal) {
	bit := uint64(1) << (s & 63)
	switch {
	case s == 0 || s != builtins.SIGKILL && p.ignored.Load()&bit != 0:
		return
	case s != builtins.SIGKILL && p.caught.Load()&bit != 0:
		p.pending.Or(bit)
	case s == builtins.SIGCHLD || s == builtins.SIGCONT || s == 23 || s == 28:
		return // ignored by default
	case s == builtins.SIGSTOP || s == builtins.SIGTSTP || s == 21 || s == 22:
		return // Bash: processes of a sandbox cannot be stopped
	default:
		p.killed.CompareAndSwap(0, uint32(s))
		if p.cancel != nil {
			p.cancel(s)
		}
	}
	p.notice.Store(true)
	select {
	case p.wake <- struct{}{}:
	default:
	}
}

// table's view for commands.
type processes struct {
	table *processTable
	now   time.Time
}

// List returns the processes by number.
func (p processes) List() []builtins.Process {
	p.table.mu.Lock()
	defer p.table.mu.Unlock()
	var list []builtins.Process
	for _, proc := range p.table.procs {
		list = append(list, builtins.Process{PID: proc.pid, PPID: proc.ppid, PGID: proc.pgid, Command: proc.command, State: 'S', Start: proc.start})
	}
	slices.SortFunc(list, func(a, b builtins.Process) int { return a.PID - b.PID })
	return list
}

// Signal sends a signal to a process, or to a group where pid is negative.
func (p processes) Signal(pid int, s builtins.Signal) error {
	p.table.mu.Lock()
	var targets []*process
	for _, proc := range p.table.procs {
		if proc.pid == pid || pid < 0 && proc.pgid == -pid || pid == 0 {
			targets = append(targets, proc)
		}
	}
	p.table.mu.Unlock()
	if len(targets) == 0 {
		if pid == 1 {
			return vfs.EPERM
		}
		return vfs.ESRCH
	}
	slices.SortFunc(targets, func(a, b *process) int { return a.pid - b.pid })
	for _, proc := range targets {
		proc.signal(s)
	}
	return nil
}
