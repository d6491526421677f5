package interp

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/limpet-sh/limpet/builtins"
	"github.com/limpet-sh/limpet/limits"
	"mvdan.cc/sh/v3/syntax"
)

// A job is a command in the background.
type job struct {
	id     int // in the list of jobs; 0 for process substitutions
	pid    int
	proc   *process
	text   string
	waited bool     // its status has been asked for
	parent *process // whose shell may wait for it
}

// A jobList is the jobs of a shell, in order of their numbers.
type jobList struct {
	list    []*job
	current int         // the number of %+
	past    map[int]int // statuses of jobs that are no longer listed, by process
}

// inherited is what a subshell sees of its parent's jobs: it may list them, and
// not wait for them.
func (l *jobList) inherited() jobList {
	return jobList{list: slices.Clone(l.list), current: l.current}
}

// owns reports whether sh has begun the job, and may wait for it.
func (sh *Shell) owns(j *job) bool { return j.parent == sh.proc }

// ended reports whether the job has ended.
func (j *job) ended() bool {
	select {
	case <-j.proc.done:
		return true
	default:
		return false
	}
}

// state is what jobs says of it.
func (j *job) state(posix bool) string {
	if !j.ended() {
		return "Running"
	}
	if posix && j.proc.killedBy == 0 && j.proc.status != 0 {
		return "Done(" + itoa(int64(j.proc.status)) + ")"
	}
	return j.proc.outcome()
}

// outcome is how jobs says that a process has ended.
func (p *process) outcome() string {
	switch {
	case p.killedBy != 0:
		return p.killedBy.Death()
	case p.status == 0:
		return "Done"
	}
	return "Exit " + itoa(int64(p.status))
}

// reap takes note of a command in the foreground that has ended: bash tells of
// its death by a signal, and of those of jobs in the background. text returns
// what stage i of a pipeline is.
func (sh *Shell) reap(text func(i int) string, stages ...*process) {
	if len(sh.jobs.list) > 0 {
		sh.reapJobs()
	}
	by := stages[len(stages)-1].killedBy
	switch {
	case by == 0 || by == builtins.SIGINT || by == builtins.SIGPIPE || sh.inSubst:
	case by == builtins.SIGTERM || sh.traps[by.Name()] != "":
		_ = sh.write(2, []byte(by.Death()+"\n"))
	default:
		sh.tellDeath(text, stages...)
	}
}

// tellDeath prints how the processes of a job have ended.
func (sh *Shell) tellDeath(text func(i int) string, stages ...*process) {
	if sh.proc.killed.Load() != 0 {
		return // the shell dies of the same
	}
	var b strings.Builder
	for i, p := range stages {
		before := ""
		if i > 0 {
			b.WriteString("\n     ")
			before = "| "
		}
		fmt.Fprintf(&b, "%5d %-24s%s%s", p.pid, p.outcome(), before, text(i))
	}
	sh.errorf("%s", b.String())
}

// reapJobs lets go of the coprocesses that have ended, and tells of the jobs in
// the background that a signal has killed, which leave the list then.
func (sh *Shell) reapJobs() {
	for _, c := range slices.Clone(sh.coprocs) {
		if c.job.ended() {
			sh.reapCoproc(c.job)
		}
	}
	for _, j := range slices.Clone(sh.jobs.list) {
		if !sh.owns(j) || !j.ended() || j.proc.killedBy == 0 {
			continue
		}
		switch by := j.proc.killedBy; {
		case by == builtins.SIGINT || by == builtins.SIGTERM || by == builtins.SIGPIPE || sh.inSubst || sh.traps[by.Name()] != "":
		default:
			sh.tellDeath(func(int) string { return j.text }, j.proc)
		}
		sh.jobs.remove(j)
	}
}

// spawn runs do in a subshell on a goroutine of its own. prepare may change the
// subshell before sh goes on. It returns nil where there may be no more jobs.
func (sh *Shell) spawn(text string, do func(sub *Shell) ctl, prepare func(sub *Shell)) *job {
	if err := sh.chargeJob(); err != nil {
		sh.stop(err)
		return nil
	}
	sub := sh.fork(false)
	if sub == nil {
		sh.x.meter.Release(limits.Jobs, 1)
		return nil
	}
	sub.proc = sh.proc.child(text)
	sub.proc.start = sh.cfg.Clock.Now()
	sub.loops = 0
	if prepare != nil {
		prepare(sub)
	}
	j := &job{pid: sub.proc.pid, proc: sub.proc, text: text, parent: sh.proc}
	sh.x.start(func() {
		defer sh.x.meter.Release(limits.Jobs, 1)
		defer func() {
			if sub.proc.done != nil && !j.ended() {
				sub.closeFDs()
				sub.proc.end(sub.status, sub.killedBy)
			}
		}()
		defer sh.x.guard()
		sub.leave(do(sub))
	})
	return j
}

// background compiles a command with & behind it.
func (c *compiler) background(s *syntax.Stmt) node {
	plain := *s
	plain.Negated = false // Bash: the status of a job is not inverted
	stage := c.stage(&plain, false)
	stage.last = true
	lost := c.lostLine(s.Cmd)
	describe := c.describe(s)
	return func(sh *Shell) ctl {
		if sh.due() {
			if k := sh.poll(); k != ctlNone {
				return k
			}
		}
		run, k := stage.prepare(sh)
		if k != ctlNone {
			return k
		}
		sh.losesLine(lost)
		text := describe()
		j := sh.spawn(text, run, func(sub *Shell) {
			if sub.opts&optMonitor == 0 {
				sub.proc.ignored.Or(1<<builtins.SIGINT | 1<<builtins.SIGQUIT)
				sub.setFD(0, newOpenFile(nullStream{})).release()
			}
		})
		if j == nil {
			return sh.take()
		}
		sh.jobs.add(j)
		sh.bg, sh.status = j.pid, 0
		return ctlNone
	}
}

// add lists a job.
func (l *jobList) add(j *job) {
	j.id = 1
	for _, k := range l.list {
		j.id = max(j.id, k.id+1)
	}
	l.list = append(l.list, j)
	l.current = j.id
}

// remove takes a job out of the list and keeps its status.
func (l *jobList) remove(j *job) {
	if l.past == nil {
		l.past = map[int]int{}
	}
	l.past[j.pid] = 0 // where disown has it leave while it runs
	if j.ended() {
		l.past[j.pid] = j.proc.status
	}
	l.list = slices.DeleteFunc(l.list, func(k *job) bool { return k == j })
	if l.current == j.id {
		l.current = 0
		if n := len(l.list); n > 0 {
			l.current = l.list[n-1].id
		}
	}
}

// previous returns the number of %-.
func (l *jobList) previous() int {
	prev := 0
	for _, j := range l.list {
		if j.id != l.current {
			prev = j.id
		}
	}
	if prev == 0 {
		return l.current
	}
	return prev
}

// find finds a job by %n, %+, %-, %%, %name or %?text. The second result says
// that more than one is meant.
func (l *jobList) find(spec string) (found *job, ambiguous bool) {
	name := strings.TrimPrefix(spec, "%")
	id := int64(0)
	switch name {
	case "", "%", "+":
		id = int64(l.current)
	case "-":
		id = int64(l.previous())
	default:
		n, ok := plainInt(name)
		if !ok {
			return l.named(name)
		}
		id = n
	}
	for _, j := range l.list {
		if int64(j.id) == id {
			return j, false
		}
	}
	return nil, false
}

func (l *jobList) named(name string) (found *job, ambiguous bool) {
	part, anywhere := strings.CutPrefix(name, "?")
	for _, j := range l.list {
		if anywhere && strings.Contains(j.text, part) || !anywhere && strings.HasPrefix(j.text, name) {
			if found != nil {
				return nil, true
			}
			found = j
		}
	}
	return found, false
}

// byPID finds a job by the number of its process.
func (l *jobList) byPID(pid int) *job {
	for _, j := range l.list {
		if j.pid == pid {
			return j
		}
	}
	return nil
}

// await waits until done is closed. It returns early when the shell has to
// handle a signal, whose number it returns, or has to end.
func (sh *Shell) await(done <-chan struct{}) (sig builtins.Signal, ok bool) {
	for {
		if s := sh.awaited(); s != 0 {
			return s, false
		}
		select {
		case <-done:
			if s := sh.awaited(); s != 0 {
				return s, false
			}
			return 0, true
		case <-sh.proc.wake:
		case <-sh.proc.ctx.Done():
			if s, isSignal := context.Cause(sh.proc.ctx).(builtins.Signal); isSignal {
				return s, false
			}
			return 0, false
		}
	}
}

// awaited returns a signal that has come, which ends a wait, or 0. The trap on
// SIGCHLD runs, and does not end it.
func (sh *Shell) awaited() builtins.Signal {
	if s := sh.proc.killed.Load(); s != 0 {
		return builtins.Signal(s)
	}
	pending := sh.proc.pending.Load()
	if pending == 1<<builtins.SIGCHLD {
		if sh.runSignals() != ctlNone {
			return builtins.SIGCHLD
		}
		return 0
	}
	for s := builtins.Signal(1); s < 64; s++ {
		if pending&(1<<s) != 0 {
			return s
		}
	}
	return 0
}

// coproc compiles coproc [NAME] command.
func (c *compiler) coproc(cmd *syntax.CoprocClause) node {
	name := constant("COPROC")
	if cmd.Name != nil {
		name = c.word(cmd.Name)
	}
	run := c.stmt(cmd.Stmt)
	describe := c.describe(cmd.Stmt)
	return func(sh *Shell) ctl { return sh.coprocess(name(sh), "coproc "+describe(), run) }
}
