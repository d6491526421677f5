package interp

import (
	"slices"
	"sync"

	"github.com/limpet-sh/limpet/internal/pipe"
	"github.com/limpet-sh/limpet/limits"
	"mvdan.cc/sh/v3/syntax"
)

// pipeline compiles commands joined by | and |&, which the parser nests to the
// left.
func (c *compiler) pipeline(s *syntax.Stmt) node {
	var stages []stage
	all := false // the stage writes standard error to the pipe too
	for {
		cmd, ok := s.Cmd.(*syntax.BinaryCmd)
		if !ok || cmd.Op != syntax.Pipe && cmd.Op != syntax.PipeAll || len(stages) > 0 && (s.Negated || len(s.Redirs) > 0) {
			stages = append(stages, c.stage(s, all))
			break
		}
		stages = append(stages, c.stage(cmd.Y, all))
		all = cmd.Op == syntax.PipeAll
		s = cmd.X
	}
	slices.Reverse(stages)
	stages[len(stages)-1].last = true
	return func(sh *Shell) ctl { return sh.runPipeline(stages) }
}

// A stage is a command of a pipeline, or one in the background: one that runs
// in a process of its own.
type stage struct {
	run      node
	simple   bool // bash looks at it before it makes the process
	subshell bool
	last     bool
	line     int
	describe func() string
}

// stage compiles a stage. Where all is true, standard error goes where standard output
// does, after what its own redirections have done.
func (c *compiler) stage(s *syntax.Stmt, all bool) stage {
	if all {
		s = c.merged(s)
	}
	st := stage{describe: c.describe(s)}
	switch cmd := s.Cmd.(type) {
	case nil, *syntax.CallExpr, *syntax.DeclClause, *syntax.LetClause:
		if !s.Negated {
			st.simple, st.line = true, c.commandLine(s)
			st.run = c.bare(s)
			return st
		}
	case *syntax.Subshell:
		if !s.Negated {
			st.subshell, st.line = true, c.commandLine(s)
			st.run = c.subshellBody(s, cmd)
			return st
		}
	}
	st.run = c.foreground(s)
	return st
}

// merged returns s with 2>&1 behind it.
func (c *compiler) merged(s *syntax.Stmt) *syntax.Stmt {
	end := s.End()
	lit := func(text string) *syntax.Lit { return &syntax.Lit{ValuePos: end, ValueEnd: end, Value: text} }
	m := *s
	m.Redirs = append(slices.Clone(s.Redirs), &syntax.Redirect{
		OpPos: end, Op: syntax.DplOut, N: lit("2"), Word: &syntax.Word{Parts: []syntax.WordPart{lit("1")}},
	})
	if span, ok := c.spans[s]; ok {
		c.spans[&m] = span
	}
	return &m
}

// prepare does what the parent does for a stage before the process begins: its
// LINENO, BASH_COMMAND and trap on DEBUG are those of simple commands. It
// returns what the process runs.
func (st *stage) prepare(sh *Shell) (node, ctl) {
	switch {
	case st.subshell:
		sh.line = st.line
		if !st.last && len(sh.frames) == 0 && sh.evals == 0 {
			sh.lostLine = st.line
		}
		sh.begins(st.describe)
		return st.run, ctlNone
	case !st.simple:
		return st.run, ctlNone
	}
	sh.line = st.line
	sh.begins(st.describe)
	debugged := false
	if sh.hooks&hookDebug != 0 && sh.inTrap&trapDebug == 0 {
		k, run := sh.debugTrap()
		if k != ctlNone || !run {
			return func(sub *Shell) ctl { return sub.done(0) }, k
		}
		debugged = true
	}
	return func(sub *Shell) ctl {
		sub.debugged = debugged && sub.hooks&hookDebug != 0
		if sub != sh { // not with lastpipe
			sub.stageLevel = sub.level()
		}
		return st.run(sub)
	}, ctlNone
}

// runPipeline runs the stages of a pipeline side by side: the last on this
// goroutine.
func (sh *Shell) runPipeline(stages []stage) ctl {
	if !sh.enter() {
		return sh.take()
	}
	defer func() { sh.depth-- }()
	n := len(stages)
	procs := make([]*process, n)
	var running sync.WaitGroup
	var in *openFile
	inShell := sh.runsLast(&stages[n-1])
	give := func(k ctl) ctl {
		in.release()
		running.Wait()
		return k
	}
	for i := range n - 1 {
		run, k := stages[i].prepare(sh)
		if k != ctlNone {
			return give(k)
		}
		if sh.x.meter.Charge(limits.Jobs, 1) != nil {
			return give(sh.stop(sh.x.meter.Err()))
		}
		sub := sh.fork(false) // sh forks on, and runs traps, meanwhile
		if sub == nil {
			sh.x.meter.Release(limits.Jobs, 1)
			return give(sh.take())
		}
		r, w := pipe.New()
		sub.proc = sh.proc.sub()
		procs[i] = sub.proc
		if in != nil {
			sub.setFD(0, in).release()
		}
		sub.setFD(1, newOpenFile(w)).release()
		in = newOpenFile(r)
		running.Add(1)
		go func() {
			defer running.Done()
			defer sh.x.meter.Release(limits.Jobs, 1)
			defer sh.x.guard()
			defer sub.closeFDs()
			sub.loops = 0
			sub.leave(run(sub))
		}()
	}
	run, k := stages[n-1].prepare(sh)
	if k != ctlNone {
		return give(k)
	}
	k, procs[n-1] = sh.lastStage(run, in, inShell)
	running.Wait()
	if sh.x.halted.Load() {
		return ctlStop
	}
	if out := sh.endPipeline(stages, procs); out != ctlNone {
		return out
	}
	return k
}

// endPipeline sets the statuses of a pipeline whose processes have ended. The
// last of them is nil where it was the shell itself.
func (sh *Shell) endPipeline(stages []stage, procs []*process) ctl {
	n := len(procs)
	sh.pipes, sh.piped = sh.pipes[:0], true
	for _, p := range procs[:n-1] {
		sh.pipes = append(sh.pipes, p.status)
	}
	sh.pipes = append(sh.pipes, sh.status)
	if procs[n-1] != nil {
		sh.reap(func(i int) string { return stages[i].describe() }, procs...)
	}
	if sh.opts&optPipefail != 0 {
		for _, status := range sh.pipes {
			if status != 0 {
				sh.status = status
			}
		}
	}
	if stages[n-1].subshell && sh.pipes[n-1] != 0 && sh.hooks&hookErr != 0 && sh.quiet == 0 {
		return sh.runTrap("ERR", trapErr) // Bash: for the subshell, and again for the pipeline
	}
	return ctlNone
}

// runsLast reports whether the last stage of a pipeline runs in the shell itself:
// with lastpipe, unless it is a subshell.
func (sh *Shell) runsLast(last *stage) bool {
	return sh.shopt(shoptLastpipe) && sh.opts&optMonitor == 0 && !last.subshell
}

// lastStage runs the last stage of a pipeline, in a subshell unless inShell is
// set. The process is nil then.
func (sh *Shell) lastStage(run node, in *openFile, inShell bool) (ctl, *process) {
	if inShell {
		old := sh.setFD(0, in)
		k := run(sh)
		sh.setFD(0, old).release()
		return k, nil
	}
	last := sh.fork(true)
	if last == nil {
		in.release()
		return sh.take(), nil
	}
	last.proc = sh.proc.sub()
	last.setFD(0, in).release()
	last.loops = 0
	last.leave(run(last))
	sh.status = last.status
	return ctlNone, last.proc
}
