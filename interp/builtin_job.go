package interp

import (
	"strings"

	"github.com/limpet-sh/limpet/builtins"
)

func jobBuiltins() []*builtin {
	return []*builtin{
		{name: "wait", usage: "[-fn] [-p var] [id ...]", run: builtinWait},
		{name: "jobs", usage: "[-lnprs] [jobspec ...] or jobs -x command [args]", run: builtinJobs},
		{name: "kill", usage: "[-s sigspec | -n signum | -sigspec] pid | jobspec ... or kill -l [sigspec]", run: builtinKill},
		{name: "disown", usage: "[-h] [-ar] [jobspec ... | pid ...]", run: builtinDisown},
		{name: "fg", usage: "[job_spec]", run: builtinFg},
		{name: "bg", usage: "[job_spec ...]", run: builtinBg},
		{name: "suspend", usage: "[-f]", run: func(sh *Shell, _ []string) ctl {
			sh.complain("suspend", "cannot suspend: no job control")
			return sh.done(1)
		}},
	}
}

// jobArg finds the job that an argument names.
func (sh *Shell) jobArg(name, arg string) (*job, bool) {
	if strings.HasPrefix(arg, "%") {
		j, ambiguous := sh.jobs.find(arg)
		if ambiguous {
			sh.complain(name, "%s: ambiguous job spec", arg)
		}
		if j == nil {
			sh.complain(name, "%s: no such job", arg)
		}
		return j, j != nil
	}
	n, ok := plainInt(arg)
	if !ok {
		return nil, false
	}
	return sh.jobs.byPID(int(n)), true
}

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
			if !j.owned {
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
				j = &job{pid: p.pid, proc: p, owned: true}
			}
		}
		if j == nil || !j.owned {
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
		if j, _ := sh.jobArg("wait", a); j != nil {
			among = append(among, j)
		}
	}
	if len(args) == 0 {
		among = sh.jobs.list
	}
	var list []*job
	for _, j := range among {
		if j.owned && !j.waited {
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
			delete(sh.jobs.past, j.pid)
			sh.reapCoproc(j)
			sh.nameWaited(name, j.pid)
			return sh.done(j.proc.status)
		}
	}
	return sh.done(127)
}

// jobLine is how jobs shows a job.
func (sh *Shell) jobLine(j *job, long bool) string {
	mark := " "
	switch j.id {
	case sh.jobs.current:
		mark = "+"
	case sh.jobs.previous():
		mark = "-"
	}
	text := "[" + itoa(int64(j.id)) + "]" + mark + " "
	if long {
		text += itoa(int64(j.pid)) + " "
	} else {
		text += " "
	}
	state := j.state()
	text += pad(state, 23) + " " + j.text
	if state == "Running" {
		text += " &"
	}
	return text + "\n"
}

func builtinJobs(sh *Shell, args []string) ctl {
	opts, args, ok := sh.options("jobs", args, "lnprsx")
	if !ok {
		return ctlNone
	}
	var long, pids, running, stopped bool
	for _, o := range opts {
		switch o.letter {
		case 'l':
			long = true
		case 'p':
			pids = true
		case 'r':
			running = true
		case 's':
			stopped = true
		case 'x':
			if len(args) == 0 {
				return sh.done(0)
			}
			words := append([]string(nil), args...)
			for i, a := range words {
				if strings.HasPrefix(a, "%") {
					if j, _ := sh.jobs.find(a); j != nil {
						words[i] = itoa(int64(j.pid))
					}
				}
			}
			return (&simpleCommand{}).dispatch(sh, words)
		}
	}
	list := sh.jobs.list
	status := 0
	if len(args) > 0 {
		list = nil
		for _, a := range args {
			j, _ := sh.jobs.find(a)
			if j == nil {
				sh.complain("jobs", "%s: no such job", a)
				status = 1
				continue
			}
			list = append(list, j)
		}
	}
	var b strings.Builder
	for _, j := range append([]*job(nil), list...) {
		ended := j.ended()
		if running && ended || stopped {
			continue
		}
		if pids {
			b.WriteString(itoa(int64(j.pid)) + "\n")
		} else {
			b.WriteString(sh.jobLine(j, long))
		}
		if ended && j.owned {
			sh.jobs.remove(j)
		}
	}
	if !sh.print("jobs", b.String()) {
		return ctlNone
	}
	return sh.done(status)
}

func builtinKill(sh *Shell, args []string) ctl {
	if len(args) == 0 {
		return sh.usage("kill")
	}
	sig := builtins.SIGTERM
	for len(args) > 0 {
		a := args[0]
		spec := ""
		switch {
		case a == "-l" || a == "-L":
			return sh.killList(args[1:])
		case a == "--":
			args = args[1:]
			return sh.killAll(sig, args)
		case a == "-s" || a == "-n":
			if len(args) < 2 {
				sh.complain("kill", "%s: option requires an argument", a)
				return sh.done(1)
			}
			spec, args = args[1], args[2:]
		case strings.HasPrefix(a, "-s") && len(a) > 2 || strings.HasPrefix(a, "-n") && len(a) > 2 && a[2] >= '0' && a[2] <= '9':
			spec, args = a[2:], args[1:]
		case len(a) > 1 && a[0] == '-':
			spec, args = a[1:], args[1:]
		default:
			return sh.killAll(sig, args)
		}
		s, ok := builtins.ParseSignal(spec)
		if !ok {
			sh.complain("kill", "%s: invalid signal specification", spec)
			return sh.done(1)
		}
		sig = s
		if len(args) > 0 && args[0] == "--" {
			args = args[1:]
		}
		return sh.killAll(sig, args)
	}
	return sh.usage("kill")
}

func (sh *Shell) killAll(sig builtins.Signal, args []string) ctl {
	if len(args) == 0 {
		return sh.usage("kill")
	}
	status := 1
	failed := false
	for _, a := range args {
		if sh.killOne(sig, a) {
			status = 0
		} else {
			failed = true
		}
	}
	if failed {
		status = 1
	}
	return sh.done(status)
}

func (sh *Shell) killOne(sig builtins.Signal, arg string) bool {
	pid := 0
	if strings.HasPrefix(arg, "%") {
		j, ok := sh.jobArg("kill", arg)
		if !ok {
			return false
		}
		pid = j.pid
	} else {
		n, ok := builtinInt(arg)
		if !ok {
			sh.complain("kill", "%s: arguments must be process or job IDs", arg)
			return false
		}
		pid = int(n)
	}
	if j := sh.jobs.byPID(pid); j != nil && j.ended() {
		if sig == 0 {
			return true // a zombie is still there
		}
		return true
	}
	err := processes{table: &sh.x.table}.Signal(pid, sig)
	if err != nil {
		sh.complain("kill", "(%d) - %v", pid, err)
		return false
	}
	return true
}

func (sh *Shell) killList(args []string) ctl {
	if len(args) == 0 {
		return sh.listSignals("kill")
	}
	status := 0
	for _, a := range args {
		if n, ok := builtinInt(a); ok {
			if n > 128 {
				n -= 128
			}
			s := builtins.Signal(n)
			if n < 0 || n > 64 || s.Name() == "" {
				sh.complain("kill", "%s: invalid signal specification", a)
				status = 1
				continue
			}
			sh.print("kill", s.Name()+"\n")
			continue
		}
		s, ok := builtins.ParseSignal(a)
		if !ok {
			sh.complain("kill", "%s: invalid signal specification", a)
			status = 1
			continue
		}
		sh.print("kill", itoa(int64(s))+"\n")
	}
	return sh.done(status)
}

func builtinDisown(sh *Shell, args []string) ctl {
	opts, args, ok := sh.options("disown", args, "arh")
	if !ok {
		return ctlNone
	}
	all, running, keep := false, false, false
	for _, o := range opts {
		switch o.letter {
		case 'a':
			all = true
		case 'r':
			running = true
		case 'h':
			keep = true
		}
	}
	var list []*job
	status := 0
	switch {
	case len(args) > 0:
		for _, a := range args {
			j, _ := sh.jobArg("disown", a)
			if j == nil {
				if !strings.HasPrefix(a, "%") {
					sh.complain("disown", "%s: no such job", a)
				}
				status = 1
				continue
			}
			list = append(list, j)
		}
	case all || running:
		list = append(list, sh.jobs.list...)
	default:
		j, _ := sh.jobs.find("%+")
		if j == nil {
			sh.complain("disown", "current: no such job")
			return sh.done(1)
		}
		list = append(list, j)
	}
	for _, j := range list {
		if running && j.ended() || keep {
			continue
		}
		sh.jobs.remove(j)
	}
	return sh.done(status)
}

func builtinFg(sh *Shell, args []string) ctl {
	if sh.opts&optMonitor == 0 {
		sh.complain("fg", "no job control")
		return sh.done(1)
	}
	spec := "%+"
	if len(args) > 0 {
		spec = args[0]
		if !strings.HasPrefix(spec, "%") {
			spec = "%" + spec
		}
	}
	j, _ := sh.jobs.find(spec)
	if j == nil {
		if len(args) == 0 {
			spec = "current"
		}
		sh.complain("fg", "%s: no such job", strings.TrimPrefix(spec, ""))
		return sh.done(1)
	}
	sh.print("fg", j.text+"\n")
	k, ok := sh.waitFor(j, "")
	if !ok {
		return k
	}
	return ctlNone
}

func builtinBg(sh *Shell, args []string) ctl {
	if sh.opts&optMonitor == 0 {
		sh.complain("bg", "no job control")
		return sh.done(1)
	}
	if len(args) == 0 {
		args = []string{"%+"}
	}
	for _, a := range args {
		j, _ := sh.jobs.find(a)
		if j == nil {
			sh.complain("bg", "%s: no such job", a)
			return sh.done(1)
		}
		sh.complain("bg", "job %d already in background", j.id)
	}
	return sh.done(0)
}
