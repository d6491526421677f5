package interp

import (
	"context"
	"maps"

	"github.com/limpet-sh/limpet/builtins"
	"github.com/limpet-sh/limpet/limits"
)

// Bits of Shell.inTrap: the traps that are running. Those on DEBUG, ERR, RETURN
// and EXIT do not run again inside themselves.
const (
	trapDebug = 1 << iota
	trapErr
	trapReturn
	trapExit
	trapSignal
)

// trapTitles are what messages about mistakes in the action of a trap call it.
var trapTitles = map[string]string{"EXIT": "exit trap", "DEBUG": "debug trap", "ERR": "error trap", "RETURN": "return trap"}

// pollEvery is the number of steps between two looks at the context.
const pollEvery = 1024

// due counts a step, and reports whether it is time to poll.
func (sh *Shell) due() bool {
	sh.steps--
	return sh.steps < 0 || sh.proc.notice.Load()
}

// poll is called after every pollEvery steps and when the process has been
// given notice. It charges the steps, looks at the context, and runs traps on
// signals.
func (sh *Shell) poll() ctl {
	if sh.steps < 0 {
		n := pollEvery - sh.steps
		sh.steps = pollEvery
		if err := sh.x.meter.Charge(limits.Steps, int64(n)); err != nil {
			return sh.stop(err)
		}
	}
	if sh.x.halted.Load() {
		sh.pending = ctlStop
		return ctlStop
	}
	if s := sh.proc.killed.Load(); s != 0 {
		return sh.die(builtins.Signal(s))
	}
	if err := sh.proc.ctx.Err(); err != nil {
		cause := context.Cause(sh.proc.ctx)
		if s, ok := cause.(builtins.Signal); ok {
			return sh.die(s)
		}
		return sh.stop(cause)
	}
	if sh.proc.pending.Load() != 0 {
		return sh.runSignals()
	}
	return ctlNone
}

// die ends a shell that a signal has killed.
func (sh *Shell) die(s builtins.Signal) ctl {
	sh.pending = ctlNone
	sh.killedBy = s
	if s == builtins.SIGKILL {
		delete(sh.traps, "EXIT")
	}
	return ctlExit
}

// runSignals runs the traps on the signals that have come.
func (sh *Shell) runSignals() ctl {
	pending := sh.proc.pending.Swap(0)
	sh.proc.notice.Store(sh.proc.killed.Load() != 0)
	for s := builtins.Signal(1); s < 64; s++ {
		if pending&(1<<s) == 0 {
			continue
		}
		times := 1
		if s == builtins.SIGCHLD {
			times = int(sh.proc.childEnds.Swap(0))
		}
		for ; times > 0; times-- {
			action := sh.traps[s.Name()]
			if action == "" {
				break
			}
			old := sh.inTrap
			sh.inTrap |= trapSignal
			k := sh.trapAction(action, "trap", true)
			sh.inTrap = old
			if k != ctlNone {
				return k
			}
		}
	}
	return ctlNone
}

// trapAction runs the action of a trap, and keeps the status, the line and
// PIPESTATUS. fromLine1 says that LINENO begins at 1 in it.
func (sh *Shell) trapAction(action, title string, fromLine1 bool) ctl {
	if !sh.enter() {
		return sh.take()
	}
	status, line, piped, last := sh.status, sh.line, sh.piped, sh.lastStatus
	pipes := append([]int(nil), sh.pipes...)
	if fromLine1 {
		sh.line = 1
	}
	sh.trapStatus = append(sh.trapStatus, status)
	quiet := sh.quiet
	sh.quiet = 0 // Bash: it is no part of a condition
	sh.evals++
	k := sh.evalString(action, title)
	sh.evals--
	sh.quiet = quiet
	sh.trapStatus = sh.trapStatus[:len(sh.trapStatus)-1]
	sh.depth--
	sh.trapResult = sh.status
	if k == ctlNone || k == ctlBreak || k == ctlContinue {
		sh.status = status
	}
	sh.line, sh.pipes, sh.piped, sh.lastStatus = line, pipes, piped, last
	return k
}

// runTrap runs the trap called name, unless it is running.
func (sh *Shell) runTrap(name string, bit int) ctl {
	action := sh.traps[name]
	if action == "" || sh.inTrap&bit != 0 {
		return ctlNone
	}
	sh.inTrap |= bit
	k := sh.trapAction(action, trapTitles[name], false)
	sh.inTrap &^= bit
	return k
}

// exits runs the trap on EXIT, where exit has not run it, and sets the status
// that the shell ends with.
func (sh *Shell) exits() {
	if sh.proc.notice.Load() && sh.killedBy == 0 {
		sh.poll()
	}
	sh.exitTrap()
	if sh.killedBy != 0 {
		sh.status = 128 + int(sh.killedBy)
	}
}

// exitTrapHere runs the trap on EXIT where the shell decides to exit. Bash: with -c it
// waits until redirections have been undone, unless a function is running.
func (sh *Shell) exitTrapHere() {
	if sh.fromCommand() && sh.subshells == 0 && sh.nested() == 0 {
		return
	}
	sh.exitTrap()
}

// exitTrap runs the trap on EXIT, once.
func (sh *Shell) exitTrap() {
	action, ok := sh.traps["EXIT"]
	if !ok || sh.x.halted.Load() {
		return
	}
	delete(sh.traps, "EXIT")
	if action == "" {
		return
	}
	sh.pending = ctlNone
	sh.proc.killed.Store(0)
	if sh.killedBy != 0 { // which has ended the context of a job
		sh.proc.ctx = sh.x.ctx
	}
	sh.inTrap |= trapExit
	status, evals := sh.status, sh.evals
	sh.evals = -1 // it is on the outermost level of traces
	if k := sh.trapAction(action, trapTitles["EXIT"], true); k != ctlExit && k != ctlStop {
		sh.status = status
	}
	sh.evals = evals
	sh.inTrap &^= trapExit
}

// inheritTraps leaves a subshell the traps that it inherits: those that ignore a
// signal, and ERR, DEBUG and RETURN where the options say so. The others are
// still listed until the subshell sets one.
func (sub *Shell) inheritTraps() {
	if len(sub.traps) == 0 {
		sub.traps = nil // a map that is empty now is not shared either
		return
	}
	old := sub.traps
	sub.traps = map[string]string{}
	sub.listed = maps.Clone(old)
	for name, action := range old {
		switch name {
		case "EXIT":
			continue
		case "ERR":
			if !sub.is(optErrtrace) {
				continue
			}
		case "DEBUG", "RETURN":
			if !sub.is(optFunctrace) {
				continue
			}
		default:
			if action != "" {
				continue
			}
		}
		sub.traps[name] = action
	}
	sub.refreshHooks()
}
