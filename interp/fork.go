package interp

import (
	"context"
	"maps"
	"slices"

	"github.com/limpet-sh/limpet/limits"
)

// What a subshell takes, in bytes; a goroutine for its stack.
const (
	shellSize     = 2 << 10
	frameSize     = 192
	savedSize     = 48
	goroutineSize = 8 << 10
)

// fork returns a subshell: a copy that a change of either does not show in the
// other. Where wait is true, sh does nothing until the copy has ended. It returns
// nil, and sh is stopped, where the execution is over or there is no memory for
// one more.
func (sh *Shell) fork(wait bool) *Shell {
	if sh.x.halted.Load() || sh.x.ctx.Err() != nil {
		sh.stop(context.Cause(sh.x.ctx))
		return nil
	}
	size := shellSize + 16*len(sh.vars) + frameSize*len(sh.frames) + savedSize*len(sh.locals)
	if !wait {
		size += goroutineSize
	}
	if err := sh.x.meter.Charge(limits.Memory, int64(size)); err != nil {
		sh.stop(err)
		return nil
	}
	if sh.env == nil {
		sh.env = new(inheritance)
	}
	sub := new(Shell)
	*sub = *sh
	sub.parent = nil
	if wait {
		sub.parent = sh
	} else {
		sh.disown()
	}
	sub.owner = sub.names.owners.Add(1)
	sub.unshare()
	sub.held, sub.charged, sub.steps = 0, size, min(sh.steps, 256)
	for _, f := range sub.fds {
		f.retain()
	}
	sub.seeded = false
	sub.coprocs = nil
	sub.substFDs, sub.globs, sub.through = nil, nil, nil
	sub.jobs = sh.jobs.inherited()
	sub.subshells++
	sub.stageLevel = -1
	sub.inheritTraps()
	return sub
}

// unshare gives sh, which is a copy of another shell, tables of its own where it
// writes in place. Those of variables and functions are shared until one of them
// writes; so is each variable; see own.
func (sh *Shell) unshare() {
	sh.borrowedVars, sh.borrowedFuncs = true, true
	sh.frames = slices.Clone(sh.frames)
	sh.locals = slices.Clone(sh.locals)
	sh.fds = slices.Clone(sh.fds)
	sh.params = slices.Clip(sh.params)
	sh.stack = slices.Clip(sh.stack)
	sh.pipes = slices.Clone(sh.pipes)
	sh.hash = maps.Clone(sh.hash)
	sh.aliases = maps.Clone(sh.aliases)
	sh.disabled = maps.Clone(sh.disabled)
	sh.specs = maps.Clone(sh.specs)
	sh.ulimits, sh.hardLimits = maps.Clone(sh.ulimits), maps.Clone(sh.hardLimits)
	sh.history = slices.Clip(sh.history)
	sh.specNames = slices.Clip(sh.specNames)
	sh.args, sh.outBuf, sh.spare = nil, nil, nil
	sh.matcher = cachedMatcher{}
}

// disown makes sh and the shells that wait for it write neither variables nor
// tables in place that they have now: another shell is about to share them.
func (sh *Shell) disown() {
	sh.names.mu.Lock()
	defer sh.names.mu.Unlock()
	for s := sh; s != nil; s = s.parent {
		s.owner, s.spare = s.names.owners.Add(1), nil
		s.borrowedVars, s.borrowedFuncs = true, true
	}
}
