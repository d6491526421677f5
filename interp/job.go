package interp

import (
	"context"
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
	waited bool // its status has been asked for
	owned  bool // this shell may wait for it
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
	c := jobList{current: l.current}
	for _, j := range l.list {
		k := *j
		k.owned = false
		c.list = append(c.list, &k)
	}
	return c
}

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
func (j *job) state() string {
	if !j.ended() {
		return "Running"
	}
	switch st := j.proc.status; {
	case st == 0:
		return "Done"
	case st > 128 && builtins.Signal(st-128).Name() != "" && j.proc.killed.Load() != 0:
		return builtins.Signal(st - 128).Death()
	default:
		return "Exit " + itoa(int64(st))
	}
}

// spawn runs do in a subshell on a goroutine of its own. prepare may change the
// subshell before sh goes on. It returns nil where there may be no more jobs.
func (sh *Shell) spawn(text string, do func(sub *Shell) ctl, prepare func(sub *Shell)) *job {
	if err := sh.x.meter.Charge(limits.Jobs, 1); err != nil {
		sh.stop(err)
		return nil
	}
	sub := sh.fork(false)
	sub.proc = sh.proc.child(text)
	sub.proc.start = sh.cfg.Clock.Now()
	sub.loops = 0
	if prepare != nil {
		prepare(sub)
	}
	j := &job{pid: sub.proc.pid, proc: sub.proc, text: text, owned: true}
	sh.x.start(func() {
		defer sh.x.meter.Release(limits.Jobs, 1)
		defer func() {
			if sub.proc.done != nil && !j.ended() {
				sub.closeFDs()
				sub.proc.end(sub.status)
			}
		}()
		defer sh.x.guard()
		sub.leave(do(sub))
	})
	return j
}

// background compiles a command with & behind it.
func (c *compiler) background(s *syntax.Stmt) node {
	run := c.foreground(s)
	describe := c.describe(s)
	return func(sh *Shell) ctl {
		if sh.steps--; sh.steps < 0 {
			if k := sh.poll(); k != ctlNone {
				return k
			}
		}
		text := describe()
		j := sh.spawn(text, run, func(sub *Shell) {
			if sub.opts&optMonitor == 0 {
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
	l.past[j.pid] = j.proc.status
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
		select {
		case <-done:
			return 0, true
		default:
		}
		select {
		case <-done:
			return 0, true
		case <-sh.proc.wake:
			if s := sh.proc.killed.Load(); s != 0 {
				return builtins.Signal(s), false
			}
			if pending := sh.proc.pending.Load(); pending != 0 {
				for s := builtins.Signal(1); s < 64; s++ {
					if pending&(1<<s) != 0 {
						return s, false
					}
				}
			}
		case <-sh.proc.ctx.Done():
			if s, isSignal := context.Cause(sh.proc.ctx).(builtins.Signal); isSignal {
				return s, false
			}
			return 0, false
		}
	}
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
