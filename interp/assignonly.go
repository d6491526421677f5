package interp

// assignOnly compiles a command without words.
func (sc *simpleCommand) assignOnly() node {
	if len(sc.redirs) == 0 && len(sc.assigns) == 1 {
		run := sc.assigns[0].run
		return func(sh *Shell) ctl {
			if sh.hooks&hookCommand != 0 {
				return sc.assignSlow(sh)
			}
			sh.begins(sc.source)
			sh.substStatus = 0
			if !run(sh) {
				return sh.takeAssign()
			}
			sh.unreserve()
			sh.status, sh.last = sh.substStatus, ""
			return ctlNone
		}
	}
	return sc.assignSlow
}

func (sc *simpleCommand) assignSlow(sh *Shell) ctl {
	sh.begins(sc.source)
	if sh.hooks&hookCommand != 0 {
		if k, run := sh.beforeCommand(sc.line); !run {
			return k
		}
	}
	sh.substStatus = 0
	return sc.withoutWords(sh)
}

// withoutWords makes the assignments, and only then the redirections, which last
// no longer than that.
func (sc *simpleCommand) withoutWords(sh *Shell) ctl {
	for _, a := range sc.assigns {
		if !a.traced(sh) {
			return sh.takeAssign()
		}
	}
	sh.unreserve()
	sh.last = ""
	restore, ok := sh.redirect(sc.redirs)
	if !ok {
		return sh.redirectFailed(nil)
	}
	restore.undo(sh)
	sh.status = max(sh.substStatus, 0)
	return ctlNone
}

// takeAssign is take after an assignment that failed.
func (sh *Shell) takeAssign() ctl {
	if sh.pending == ctlNone {
		sh.status = 1
		return ctlNone
	}
	return sh.takeExpansion()
}

// takeExpansion is take after an expansion that failed. Bash: a simple command of a pipeline
// that ends so runs the trap on EXIT of the shell that it is part of.
func (sh *Shell) takeExpansion() ctl {
	if action, ok := sh.listed["EXIT"]; ok && sh.stageLevel == sh.level() {
		sh.traps["EXIT"] = action
	}
	return sh.take()
}
