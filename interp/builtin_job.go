package interp

import (
	"strings"
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
			sh.complain(name, "%s: ambiguous job spec", strings.TrimPrefix(arg, "%"))
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
	j := sh.jobs.byPID(int(n))
	return j, j != nil
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
	state := j.state(sh.is(optPosix))
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
			j, ambiguous := sh.jobs.find(a)
			if ambiguous {
				sh.complain("jobs", "%s: ambiguous job spec", strings.TrimPrefix(a, "%"))
			}
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
		if ended && sh.owns(j) {
			sh.jobs.remove(j)
		}
	}
	if !sh.print("jobs", b.String()) {
		return ctlNone
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
