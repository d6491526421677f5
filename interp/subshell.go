package interp

import (
	"github.com/limpet-sh/limpet/limits"
	"mvdan.cc/sh/v3/syntax"
)

// enter counts a level of nesting, and reports whether there may be one more.
func (sh *Shell) enter() bool {
	sh.depth++
	if limit := sh.x.meter.Limit(limits.Depth); limit >= 0 && int64(sh.depth) > limit {
		sh.depth--
		sh.stop(sh.x.meter.Exceed(limits.Depth))
		return false
	}
	return true
}

// leave takes a subshell's ending as far as it concerns the parent: only the end
// of the execution does.
func (sub *Shell) leave(k ctl) {
	if k != ctlStop {
		sub.exits()
	}
	sub.closeFDs()
	sub.release()
	sub.proc.end(sub.status, sub.killedBy)
	sub.proc.tellParent()
}

// sub runs do in a subshell that sh waits for, and takes over its status.
func (sh *Shell) sub(do func(sub *Shell) ctl) ctl {
	k, _ := sh.subProcess(do)
	return k
}

// subProcess is sub, and returns the subshell's process, which has ended.
func (sh *Shell) subProcess(do func(sub *Shell) ctl) (ctl, *process) {
	if !sh.enter() {
		return sh.take(), nil
	}
	sub := sh.fork(true)
	if sub == nil {
		sh.depth--
		return sh.take(), nil
	}
	sub.proc = sh.proc.sub()
	k := do(sub)
	sub.leave(k)
	sh.depth--
	sh.status = sub.status
	if sh.x.halted.Load() {
		return ctlStop, sub.proc
	}
	return ctlNone, sub.proc
}

// subshell compiles ( list ).
func (c *compiler) subshell(s *syntax.Stmt, cmd *syntax.Subshell) node {
	body := c.subshellBody(s, cmd)
	describe := c.describe(s)
	text := func(int) string { return describe() }
	return func(sh *Shell) ctl {
		sh.begins(describe)
		k, proc := sh.subProcess(func(sub *Shell) ctl {
			sub.loops = 0
			return body(sub)
		})
		if proc != nil {
			sh.reap(text, proc)
		}
		return k
	}
}

// subshellBody compiles what runs in a subshell: the list with its redirections.
func (c *compiler) subshellBody(s *syntax.Stmt, cmd *syntax.Subshell) node {
	body := c.block(cmd.Stmts)
	if len(s.Redirs) > 0 {
		return c.redirected(s.Redirs, body)
	}
	return body
}
