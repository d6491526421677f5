package interp

// A hook is a bit of Shell.hooks: something that commands have to look at.
type hook uint8

const (
	hookErrexit hook = 1 << iota // set -e
	hookErr                      // a trap on ERR
	hookTrace                    // set -x
	hookDebug                    // a trap on DEBUG
	hookReturn                   // a trap on RETURN
	hookNoexec                   // set -n

	hookError    = hookErrexit | hookErr
	hookCommand  = hookTrace | hookDebug | hookNoexec
	hookFunction = hookErr | hookDebug | hookReturn
)

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
		{hookReturn, sh.traps["RETURN"] != ""},
		{hookNoexec, sh.is(optNoexec) && !sh.interactive()},
	} {
		if row.on {
			h |= row.bit
		}
	}
	sh.hooks = h
}

// begins notes the command that is about to run, for BASH_COMMAND. Bash: that of
// a trap's action does not count.
func (sh *Shell) begins(text func() string) {
	if sh.inTrap == 0 {
		sh.command = text
	}
}

// beforeCommand is called before a command where hookCommand says so. It reports
// whether the command is to run, and where it is not, what becomes of those
// around it.
func (sh *Shell) beforeCommand(line int) (k ctl, run bool) {
	if sh.hooks&hookNoexec != 0 {
		return ctlExit, false
	}
	if sh.hooks&hookDebug == 0 || sh.inTrap&trapDebug != 0 {
		return ctlNone, true
	}
	if sh.debugged {
		sh.debugged = false
		return ctlNone, true
	}
	sh.line = line
	return sh.debugTrap()
}

// debugTrap runs the trap on DEBUG. With extdebug its status decides whether the
// command runs: 2 returns from the function.
func (sh *Shell) debugTrap() (k ctl, run bool) {
	k = sh.runTrap("DEBUG", trapDebug)
	switch {
	case k != ctlNone:
		return k, false
	case !sh.shopt(shoptExtdebug) || sh.trapResult == 0:
		return ctlNone, true
	case sh.trapResult == 2 && len(sh.frames) > 0:
		sh.status = 2
		return ctlReturn, false
	}
	sh.status = 0
	return ctlNone, false
}

// onError is called when a command has failed: the ERR trap runs, and errexit
// ends the shell. armed are the hooks from before the command: a trap that it has
// set itself does not run for it.
func (sh *Shell) onError(line int, armed hook) ctl {
	if sh.quiet > 0 {
		return ctlNone
	}
	if armed&sh.hooks&hookErr != 0 && sh.inTrap&trapErr == 0 {
		sh.line = line
		if k := sh.runTrap("ERR", trapErr); k != ctlNone {
			return k
		}
	}
	if sh.hooks&hookErrexit != 0 {
		sh.unwind(0)
		sh.exitTrapHere()
		return ctlExit
	}
	return ctlNone
}

// enterFunction takes the traps away that a function does not inherit, and runs
// the one on DEBUG where it does.
func (sh *Shell) enterFunction(f *function) (k ctl, run bool) {
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
	if sh.hooks&hookDebug == 0 || sh.inTrap&trapDebug != 0 {
		return ctlNone, true
	}
	sh.line = f.bodyLine
	return sh.debugTrap()
}

// leaveFunction runs the trap on RETURN, to which $? is the status before the
// return command. It returns what becomes of the function's caller, k unless the
// trap says otherwise.
func (sh *Shell) leaveFunction(k ctl) ctl {
	if sh.inTrap&trapReturn != 0 || k == ctlExit || k == ctlStop || k == ctlDiscard {
		return k
	}
	status := sh.status
	if k == ctlReturn {
		sh.status = sh.beforeReturn
	}
	if out := sh.runTrap("RETURN", trapReturn); out == ctlExit || out == ctlStop {
		return out
	}
	sh.status = status
	return k
}

// restoreTraps brings the traps back that the innermost function did not
// inherit, unless it has set them.
func (sh *Shell) restoreTraps() {
	fr := &sh.frames[len(sh.frames)-1]
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
