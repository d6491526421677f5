package interp

import (
	"strings"

	"github.com/limpet-sh/limpet/internal/pipe"
	"mvdan.cc/sh/v3/syntax"
)

// processSubst compiles <(list) and >(list).
func (c *compiler) processSubst(p *syntax.ProcSubst) text {
	c.procSubsts++
	body := c.substituted(p.Stmts, p)
	in := p.Op == syntax.CmdIn
	source := strings.TrimSpace(c.text(p.Pos(), p.End()))
	return func(sh *Shell) string {
		r, w := pipe.New()
		mine, its := newOpenFile(r), newOpenFile(w)
		n := 1
		if !in {
			mine, its, n = its, mine, 0
		}
		fd := 63
		for fd > 3 && sh.fd(fd) != nil {
			fd--
		}
		job := sh.spawn(source, func(sub *Shell) ctl {
			sub.evals++
			return body(sub)
		}, func(sub *Shell) { sub.setFD(n, its).release() })
		if job == nil {
			mine.release()
			its.release()
			return ""
		}
		sh.setFD(fd, mine).release()
		sh.substFDs = append(sh.substFDs, fd)
		sh.bg, sh.substJob = job.pid, job
		return "/dev/fd/" + itoa(int64(fd))
	}
}

// closingSubsts closes the descriptors of the process substitutions of a command
// when it has ended.
func closingSubsts(run node) node {
	return func(sh *Shell) ctl {
		mark := len(sh.substFDs)
		k := run(sh)
		for _, fd := range sh.substFDs[mark:] {
			sh.setFD(fd, nil).release()
		}
		sh.substFDs = sh.substFDs[:mark]
		return k
	}
}
