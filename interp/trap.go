package interp

import (
	"context"
	"io"
	"maps"

	"github.com/limpet-sh/limpet/builtins"
	"github.com/limpet-sh/limpet/limits"
)

// A hook is a bit of Shell.hooks: something that commands have to look at.
type hook uint8

const (
	hookErrexit hook = 1 << iota // set -e
	hookErr                      // a trap on ERR
	hookTrace                    // set -x
	hookDebug                    // a trap on DEBUG
	hookTraps                    // any trap, which BASH_COMMAND is for
	hookReturn                   // a trap on RETURN
	hookNoexec                   // set -n

	hookError    = hookErrexit | hookErr
	hookCommand  = hookTrace | hookDebug | hookTraps | hookNoexec
	hookFunction = hookErr | hookDebug | hookReturn
)

// pollEvery is the number of steps between two looks at the context.
const pollEvery = 1024

// errEOF is what reading finds at the end.
var errEOF = io.EOF

// refreshHooks computes the hooks from options and traps.
func (sh *Shell) refreshHooks() {
	var h hook
	for _, row := range []struct {
		bit hook
		on  bool
	}{
		{hookErrexit, sh.is(optErrexit)},
		{hookErr, sh.traps["ERR"] != ""},
		{hookTrace, sh.is(optXtrace)},
		{hookDebug, sh.traps["DEBUG"] != ""},
		{hookTraps, len(sh.traps) > 0},
		{hookReturn, sh.traps["RETURN"] != ""},
		{hookNoexec, sh.is(optNoexec) && !sh.interactive()},
	} {
		if row.on {
			h |= row.bit
		}
	}
	sh.hooks = h
}

// restoreHooks is for the end of a function.
func (sh *Shell) restoreHooks(hook) {
	if fr := &sh.frames[len(sh.frames)-1]; fr.suspended != nil {
		if sh.traps == nil {
			sh.traps = map[string]string{}
		}
		for name, action := range fr.suspended {
			if _, ok := sh.traps[name]; !ok {
				sh.traps[name] = action
			}
		}
		sh.refreshHooks()
	}
}

// enterFunction takes the traps away that a function does not inherit.
func (sh *Shell) enterFunction(f *function) {
	fr := &sh.frames[len(sh.frames)-1]
	suspend := func(name string) {
		if action, ok := sh.traps[name]; ok {
			if fr.suspended == nil {
				fr.suspended = map[string]string{}
			}
			fr.suspended[name] = action
			delete(sh.traps, name)
		}
	}
	if !sh.is(optFunctrace) && !f.trace {
		suspend("DEBUG")
		suspend("RETURN")
	}
	if !sh.is(optErrtrace) {
		suspend("ERR")
	}
	sh.refreshHooks()
}

// leaveFunction runs the trap on RETURN.
func (sh *Shell) leaveFunction(*function) {
	if sh.inTrap&trapReturn == 0 {
		sh.runTrap("RETURN", trapReturn)
	}
}

// Bits of Shell.inTrap: the traps that are running and do not run again inside
// themselves.
const (
	trapDebug = 1 << iota
	trapErr
	trapReturn
	trapExit
)

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
	sh.status = 128 + int(s)
	sh.pending = ctlNone
	sh.dying = true
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
		if action := sh.traps[s.Name()]; action != "" {
			if k := sh.trapAction(action, s.Error()); k != ctlNone {
				return k
			}
		}
	}
	return ctlNone
}

// trapAction runs the action of a trap, and keeps the status.
func (sh *Shell) trapAction(action, name string) ctl {
	if !sh.enter() {
		return sh.take()
	}
	status, line, pipes := sh.status, sh.line, append([]int(nil), sh.pipes...)
	sh.trapStatus = append(sh.trapStatus, status)
	k := sh.evalString(action, name)
	sh.trapStatus = sh.trapStatus[:len(sh.trapStatus)-1]
	sh.depth--
	if k == ctlNone || k == ctlBreak || k == ctlContinue {
		sh.status = status
	}
	sh.line, sh.pipes = line, pipes
	return k
}

// runTrap runs the trap called name, unless it is running.
func (sh *Shell) runTrap(name string, bit int) ctl {
	action := sh.traps[name]
	if action == "" || sh.inTrap&bit != 0 {
		return ctlNone
	}
	sh.inTrap |= bit
	k := sh.trapAction(action, name)
	sh.inTrap &^= bit
	return k
}

// beforeCommand does what has to be done before a command runs: BASH_COMMAND is
// set and the DEBUG trap runs.
func (sh *Shell) beforeCommand(text func() string, line int) ctl {
	if sh.hooks&hookNoexec != 0 {
		return ctlExit
	}
	if sh.inTrap == 0 {
		sh.command = text()
	}
	if sh.hooks&hookDebug == 0 || sh.inTrap&trapDebug != 0 {
		return ctlNone
	}
	sh.line = line
	k := sh.runTrap("DEBUG", trapDebug)
	if k == ctlNone && sh.shopt(shoptExtdebug) && sh.debugStatus != 0 {
		if sh.debugStatus == 2 && len(sh.frames) > 0 {
			return ctlReturn
		}
		return ctlNone
	}
	return k
}

// onError is called when a command has failed: the ERR trap runs, and errexit
// ends the shell.
func (sh *Shell) onError(line int) ctl {
	if sh.quiet > 0 {
		return ctlNone
	}
	if sh.hooks&hookErr != 0 && sh.inTrap&trapErr == 0 {
		sh.line = line
		if k := sh.runTrap("ERR", trapErr); k != ctlNone {
			return k
		}
	}
	if sh.hooks&hookErrexit != 0 {
		return ctlExit
	}
	return ctlNone
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
	sh.inTrap |= trapExit
	status := sh.status
	sh.trapStatus = append(sh.trapStatus, status)
	for len(sh.frames) > 0 { // the functions that exit has left
		fr := &sh.frames[len(sh.frames)-1]
		if !fr.isFunc {
			break
		}
		break
	}
	k := sh.evalString(action, "EXIT")
	if k != ctlExit && k != ctlStop {
		sh.status = status
	}
	sh.inTrap &^= trapExit
}

// inheritTraps leaves a subshell the traps that it inherits: those that ignore a
// signal, and ERR, DEBUG and RETURN where the options say so. The others are
// still listed until the subshell sets one.
func (sub *Shell) inheritTraps() {
	if len(sub.traps) == 0 {
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
