package interp

import (
	"strings"

	"github.com/limpet-sh/limpet/builtins"
)

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
		if !ok || sh.is(optPosix) && len(spec) > 3 && strings.EqualFold(spec[:3], "SIG") {
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
