package interp

import (
	"strings"

	"github.com/limpet-sh/limpet/builtins"
)

func builtinWait(sh *Shell, args []string) ctl {
	opts, args, ok := sh.options("wait", args, "fnp:")
	if !ok {
		return ctlNone
	}
	next, name := false, ""
	for _, o := range opts {
		switch o.letter {
		case 'n':
			next = true
		case 'p':
			name = o.value
			if !isName(name) && !isElementName(name) {
				sh.complain("wait", "`%s': not a valid identifier", name)
				return sh.done(1)
			}
			sh.unsetVariable(sh.id(name))
		}
	}
	if next {
		return sh.waitNext(args, name)
	}
	if len(args) == 0 {
		for _, j := range append([]*job(nil), sh.jobs.list...) {
			if !sh.owns(j) {
				continue
			}
			if k, ok := sh.waitJob(j); !ok {
				return k
			}
			sh.reapJobs()
			sh.jobs.remove(j)
			sh.reapCoproc(j)
		}
		return sh.done(0)
	}
	for _, arg := range args {
		if k, ok := sh.waitArg(arg, name); !ok {
			return k
		}
	}
	return ctlNone
}

// waitArg waits for the job that an argument names, and sets the status.
func (sh *Shell) waitArg(arg, name string) (ctl, bool) {
	if !strings.HasPrefix(arg, "%") {
		n, ok := plainInt(arg)
		if !ok || n < 0 {
			sh.complain("wait", "`%s': not a pid or valid job spec", arg)
			return sh.done(1), true
		}
		if status, ok := sh.jobs.past[int(n)]; ok {
			sh.nameWaited(name, int(n))
			return sh.done(status), true
		}
		j := sh.jobs.byPID(int(n))
		if s := sh.substJob; j == nil && s != nil && s.pid == int(n) {
			j = s
		}
		if j == nil {
			if p := sh.x.table.find(int(n)); p != nil && p.ppid == sh.proc.pid && p.done != nil {
				j = &job{pid: p.pid, proc: p, parent: sh.proc}
			}
		}
		if j == nil || !sh.owns(j) {
			sh.complain("wait", "pid %s is not a child of this shell", arg)
			return sh.done(127), true
		}
		return sh.waitFor(j, name)
	}
	j, ok := sh.jobArg("wait", arg)
	if !ok || j == nil {
		return sh.done(127), true
	}
	return sh.waitFor(j, name)
}

func (sh *Shell) waitFor(j *job, name string) (ctl, bool) {
	if k, ok := sh.waitJob(j); !ok {
		return k, false
	}
	sh.reapJobs()
	sh.jobs.remove(j)
	sh.reapCoproc(j)
	sh.nameWaited(name, j.pid)
	return sh.done(j.proc.status), true
}

func (sh *Shell) nameWaited(name string, pid int) {
	if name != "" {
		sh.set(name, itoa(int64(pid)))
	}
}

// waitJob waits for a job. Where a signal comes first it returns false, and
// what the wait builtin does then.
func (sh *Shell) waitJob(j *job) (ctl, bool) {
	sig, ok := sh.await(j.proc.done)
	if ok {
		return ctlNone, true
	}
	return sh.interrupted(sig), false
}

// interrupted is what a wait does that a signal has ended.
func (sh *Shell) interrupted(sig builtins.Signal) ctl {
	if k := sh.poll(); k != ctlNone {
		return k
	}
	return sh.done(128 + int(sig))
}

// waitNext is wait -n.
func (sh *Shell) waitNext(args []string, name string) ctl {
	var among []*job
	for _, a := range args {
		j, _ := sh.jobArg("wait", a)
		switch {
		case j != nil:
			among = append(among, j)
		case !strings.HasPrefix(a, "%"):
			sh.complain("wait", "%s: no such job", a)
		}
	}
	if len(args) == 0 {
		among = sh.jobs.list
	}
	var list []*job
	for _, j := range among {
		if sh.owns(j) && !j.waited {
			list = append(list, j)
		}
	}
	if len(list) == 0 {
		return sh.done(127)
	}
	any := make(chan struct{}, len(list))
	stop := make(chan struct{})
	defer close(stop)
	for _, j := range list {
		if j.ended() {
			any <- struct{}{}
			break
		}
	}
	if len(any) == 0 {
		for _, j := range list {
			sh.x.start(func() {
				select {
				case <-j.proc.done:
					any <- struct{}{}
				case <-stop:
				}
			})
		}
	}
	first := make(chan struct{})
	sh.x.start(func() {
		select {
		case <-any:
			close(first)
		case <-stop:
		}
	})
	if sig, ok := sh.await(first); !ok {
		return sh.interrupted(sig)
	}
	for _, j := range list {
		if j.ended() {
			sh.jobs.remove(j)
			sh.reapCoproc(j)
			sh.nameWaited(name, j.pid)
			return sh.done(j.proc.status)
		}
	}
	return sh.done(127)
}
