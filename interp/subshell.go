package interp

import (
	"bytes"
	"io/fs"
	"strings"
	"sync"

	"github.com/limpet-sh/limpet/internal/parse"
	"github.com/limpet-sh/limpet/internal/pipe"
	"github.com/limpet-sh/limpet/limits"
	"github.com/limpet-sh/limpet/vfs"
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
		sub.exitTrap()
	}
	sub.closeFDs()
	sub.release()
	sub.proc.end(sub.status)
}

// sub runs do in a subshell that sh waits for, and takes over its status.
func (sh *Shell) sub(do func(sub *Shell) ctl) ctl {
	if !sh.enter() {
		return sh.take()
	}
	sub := sh.fork(true)
	sub.proc = sh.proc.sub()
	k := do(sub)
	sub.leave(k)
	sh.depth--
	sh.status = sub.status
	if sh.x.halted.Load() {
		return ctlStop
	}
	return ctlNone
}

// subshell compiles ( list ).
func (c *compiler) subshell(cmd *syntax.Subshell) node {
	body := c.block(cmd.Stmts)
	return func(sh *Shell) ctl {
		return sh.sub(func(sub *Shell) ctl {
			sub.loops = 0
			return body(sub)
		})
	}
}

// pipeline compiles commands joined by | and |&, which the parser nests to the
// left.
func (c *compiler) pipeline(s *syntax.Stmt) node {
	var stages []node
	var merge []bool // the stage writes standard error to the pipe too
	all := false
	for {
		cmd, ok := s.Cmd.(*syntax.BinaryCmd)
		if !ok || cmd.Op != syntax.Pipe && cmd.Op != syntax.PipeAll || len(stages) > 0 && (s.Negated || len(s.Redirs) > 0) {
			stages, merge = append(stages, c.stage(s)), append(merge, all)
			break
		}
		stages, merge = append(stages, c.stage(cmd.Y)), append(merge, all)
		all = cmd.Op == syntax.PipeAll
		s = cmd.X
	}
	for i, j := 0, len(stages)-1; i < j; i, j = i+1, j-1 {
		stages[i], stages[j] = stages[j], stages[i]
		merge[i], merge[j] = merge[j], merge[i]
	}
	return func(sh *Shell) ctl { return sh.runPipeline(stages, merge) }
}

func (c *compiler) stage(s *syntax.Stmt) node { return c.foreground(s) }

// runPipeline runs the stages of a pipeline side by side: the last on this
// goroutine.
func (sh *Shell) runPipeline(stages []node, merge []bool) ctl {
	if !sh.enter() {
		return sh.take()
	}
	defer func() { sh.depth-- }()
	n := len(stages)
	statuses := make([]int, n)
	var running sync.WaitGroup
	var in *openFile
	wait := !sh.runsLast()
	for i := range n - 1 {
		if sh.x.meter.Charge(limits.Jobs, 1) != nil {
			in.release()
			running.Wait()
			return sh.stop(sh.x.meter.Err())
		}
		r, w := pipe.New()
		stage := sh.fork(wait)
		stage.proc = sh.proc.sub()
		if in != nil {
			stage.setFD(0, in).release()
		}
		out := newOpenFile(w)
		stage.setFD(1, out).release()
		if merge[i] {
			stage.setFD(2, out.retain()).release()
		}
		in = newOpenFile(r)
		running.Add(1)
		go func() {
			defer running.Done()
			defer sh.x.meter.Release(limits.Jobs, 1)
			defer sh.x.guard()
			defer stage.closeFDs()
			stage.loops = 0
			k := stages[i](stage)
			stage.leave(k)
			statuses[i] = stage.status
		}()
	}
	k := sh.lastStage(stages[n-1], in)
	running.Wait()
	statuses[n-1] = sh.status
	sh.pipes = append(sh.pipes[:0], statuses...)
	sh.piped = true
	if sh.opts&optPipefail != 0 {
		for _, status := range statuses {
			if status != 0 {
				sh.status = status
			}
		}
	}
	if sh.x.halted.Load() {
		return ctlStop
	}
	return k
}

// runsLast reports whether the last stage of a pipeline runs in the shell itself.
func (sh *Shell) runsLast() bool { return sh.shopt(shoptLastpipe) && sh.opts&optMonitor == 0 }

// lastStage runs the last stage of a pipeline, in a subshell unless lastpipe is
// on.
func (sh *Shell) lastStage(run node, in *openFile) ctl {
	if sh.runsLast() {
		old := sh.setFD(0, in)
		k := run(sh)
		sh.setFD(0, old).release()
		return k
	}
	last := sh.fork(true)
	last.proc = sh.proc.sub()
	last.setFD(0, in).release()
	last.loops = 0
	k := run(last)
	last.leave(k)
	sh.status = last.status
	return ctlNone
}

// substitution compiles $(list) and `list`.
func (c *compiler) substitution(p *syntax.CmdSubst) text {
	if t := c.fileSubstitution(p); t != nil {
		return t
	}
	if src, ok := parse.Unparsed(p); ok {
		return func(sh *Shell) string {
			return sh.capture(func(sub *Shell) ctl { return sub.evalString(src, "command substitution") })
		}
	}
	body := c.block(p.Stmts)
	return func(sh *Shell) string { return sh.capture(body) }
}

// capture returns what a list writes to standard output, without the newlines
// at its end.
func (sh *Shell) capture(body node) string {
	out := &capture{meter: sh.x.meter}
	file := newOpenFile(out)
	k := sh.sub(func(sub *Shell) ctl {
		sub.setFD(1, file).release()
		sub.loops, sub.inSubst = 0, true
		if sub.opts&optPosix == 0 && sub.shopts&shoptInheritErrexit == 0 {
			sub.opts &^= optErrexit
			sub.refreshHooks()
		}
		return body(sub)
	})
	sh.substStatus = sh.status
	out.wait(sh)
	if k == ctlStop {
		sh.pending = ctlStop
		return ""
	}
	data := out.data.Bytes()
	sh.x.meter.Release(limits.Memory, out.held)
	if bytes.IndexByte(data, 0) >= 0 {
		sh.warnf("warning: command substitution: ignored null byte in input")
		data = bytes.ReplaceAll(data, []byte{0}, nil)
	}
	return string(bytes.TrimRight(data, "\n"))
}

// A capture is where the output of a command substitution goes. Jobs that the
// substitution leaves behind may write to it too: it is complete when nothing
// refers to it.
type capture struct {
	meter *limits.Meter

	mu     sync.Mutex
	data   bytes.Buffer
	held   int64
	done   chan struct{}
	closed bool
}

// Read fails: it is for writing.
func (c *capture) Read([]byte) (int, error) { return 0, vfs.EBADF }

// Write keeps b, and charges for it.
func (c *capture) Write(b []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if grow := int64(c.data.Len() + len(b) - c.data.Cap()); grow > 0 {
		grow = max(grow, int64(c.data.Cap()))
		if err := c.meter.Charge(limits.Memory, grow); err != nil {
			return 0, err
		}
		c.held += grow
	}
	return c.data.Write(b)
}

// Close marks it complete.
func (c *capture) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed = true
	if c.done != nil {
		close(c.done)
	}
	return nil
}

// wait waits until the capture is complete, or the execution has ended.
func (c *capture) wait(sh *Shell) {
	c.mu.Lock()
	if c.closed {
		c.mu.Unlock()
		return
	}
	c.done = make(chan struct{})
	c.mu.Unlock()
	select {
	case <-c.done:
	case <-sh.proc.ctx.Done():
	}
}

// Stat describes a pipe.
func (c *capture) Stat() (fs.FileInfo, error) {
	r, _ := pipe.New()
	return r.Stat()
}

// fileSubstitution compiles $(<file), or returns nil.
func (c *compiler) fileSubstitution(p *syntax.CmdSubst) text {
	if len(p.Stmts) != 1 {
		return nil
	}
	s := p.Stmts[0]
	if s.Cmd != nil || len(s.Redirs) != 1 || s.Redirs[0].Op != syntax.RdrIn || s.Negated || s.Background {
		return nil
	}
	red := c.redirection(s.Redirs[0])
	read := func(sh *Shell) ctl {
		restore, ok := sh.redirect([]*redirection{red})
		if !ok {
			sh.status = 1
			return sh.take()
		}
		defer restore.undo(sh)
		sh.status = 0
		buf := make([]byte, 32<<10)
		for {
			n, err := readAs(sh.proc.ctx, sh.fd(red.fd).Stream, buf)
			if n > 0 && sh.write(1, buf[:n]) != nil || err != nil || sh.step(1) != nil {
				return ctlNone
			}
		}
	}
	return func(sh *Shell) string { return sh.capture(read) }
}

// processSubst compiles <(list) and >(list).
func (c *compiler) processSubst(p *syntax.ProcSubst) text {
	c.procSubsts++
	body := c.block(p.Stmts)
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
			return body(sub)
		}, func(sub *Shell) { sub.setFD(n, its).release() })
		if job == nil {
			mine.release()
			its.release()
			return ""
		}
		sh.setFD(fd, mine).release()
		sh.substFDs = append(sh.substFDs, fd)
		sh.bg = job.pid
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
