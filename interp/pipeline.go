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

	// The name of echo or printf, and its number, where the stage is that
	// and nothing in it can wait.
	brief   string
	briefID int
}

// isBrief reports whether a stage ends soon, whatever the others do, unless they
// do not read what it prints.
func (st *stage) isBrief(sh *Shell) bool {
	return st.brief != "" && sh.funcs[st.briefID] == nil && !sh.disabled[st.brief] && sh.hooks&hookDebug == 0
}

// setBrief finds out whether a stage is brief.
func (c *compiler) setBrief(st *stage, s *syntax.Stmt) {
	cmd, ok := s.Cmd.(*syntax.CallExpr)
	if !ok || len(cmd.Args) == 0 || len(cmd.Assigns)+len(s.Redirs) > 0 {
		return
	}
	name := cmd.Args[0].Lit()
	if name != "echo" && name != "printf" {
		return
	}
	waits := false
	for _, w := range cmd.Args {
		syntax.Walk(w, func(n syntax.Node) bool {
			switch n.(type) {
			case *syntax.CmdSubst, *syntax.ProcSubst:
				waits = true
			}
			return !waits
		})
	}
	if !waits {
		st.brief, st.briefID = name, c.id(name)
	}
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
			c.setBrief(&st, s)
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

// lostLine returns the line of the last subshell of a pipeline, 0 without one.
func (c *compiler) lostLine(cmd syntax.Command) int {
	pipe, ok := cmd.(*syntax.BinaryCmd)
	if !ok || pipe.Op != syntax.Pipe && pipe.Op != syntax.PipeAll {
		return 0
	}
	for _, s := range []*syntax.Stmt{pipe.Y, pipe.X} {
		if _, ok := s.Cmd.(*syntax.Subshell); ok {
			return c.commandLine(s)
		}
	}
	return c.lostLine(pipe.X.Cmd)
}

// losesLine makes the reader of a script count on from a line; see runDrifted.
func (sh *Shell) losesLine(line int) {
	if line > 0 && len(sh.frames) == 0 && sh.evals == 0 {
		sh.lostLine = line
	}
}

// prepare does what the parent does for a stage before the process begins: its
// LINENO, BASH_COMMAND and trap on DEBUG are those of simple commands. It
// returns what the process runs.
func (st *stage) prepare(sh *Shell) (node, ctl) {
	switch {
	case st.subshell:
		sh.line, sh.errLine = st.line, st.line
		if !st.last {
			sh.losesLine(st.line)
		}
		sh.begins(st.describe)
		return st.run, ctlNone
	case !st.simple:
		return st.run, ctlNone
	}
	sh.line, sh.errLine = st.line, st.line
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

// A pipelineRun is a pipeline whose stages are being started.
type pipelineRun struct {
	sh      *Shell
	stages  []stage
	procs   []*process
	running sync.WaitGroup
	inShell bool // the last stage runs in the shell itself
}

// runPipeline runs the stages of a pipeline side by side: the last on this
// goroutine.
func (sh *Shell) runPipeline(stages []stage) ctl {
	if !sh.enter() {
		return sh.take()
	}
	defer func() { sh.depth-- }()
	n := len(stages)
	p := pipelineRun{sh: sh, stages: stages, procs: make([]*process, n), inShell: sh.runsLast(&stages[n-1])}
	k, all := p.from(0, nil)
	p.running.Wait()
	switch {
	case !all:
		return k
	case sh.x.halted.Load():
		return ctlStop
	}
	if out := sh.endPipeline(stages, p.procs); out != ctlNone {
		return out
	}
	return k
}

// from starts stage i, which reads in, and those after it, and waits for the last.
// It reports whether it could start all of them.
func (p *pipelineRun) from(i int, in *openFile) (k ctl, all bool) {
	sh := p.sh
	run, k := p.stages[i].prepare(sh)
	if k != ctlNone {
		in.release()
		return k, false
	}
	if i == len(p.stages)-1 {
		k, p.procs[i] = sh.lastStage(run, in, p.inShell)
		return k, true
	}
	if sh.chargeJob() != nil {
		in.release()
		return sh.stop(sh.x.meter.Err()), false
	}
	here := p.stages[i].isBrief(sh)
	sub := sh.fork(here) // where it is not here, sh forks on, and runs traps, meanwhile
	if sub == nil {
		sh.x.meter.Release(limits.Jobs, 1)
		in.release()
		return sh.take(), false
	}
	r, w := pipe.New()
	sub.proc = sh.proc.sub()
	p.procs[i] = sub.proc
	if in != nil {
		sub.setFD(0, in).release()
	}
	sub.setFD(1, newOpenFile(w)).release()
	next := newOpenFile(r)
	if here {
		return p.runHere(i, sub, run, w, next)
	}
	p.running.Add(1)
	go func() {
		defer p.running.Done()
		p.runStage(sub, run)
	}()
	return p.from(i+1, next)
}

// runStage runs what is a stage in its subshell.
func (p *pipelineRun) runStage(sub *Shell, run node) {
	defer p.sh.x.meter.Release(limits.Jobs, 1)
	defer p.sh.x.guard()
	defer sub.closeFDs()
	sub.loops = 0
	sub.leave(run(sub))
}

// runHere runs stage i, which is brief, on this goroutine: what it prints waits in
// the pipe w, and the other stages, of which the first reads in, begin when it has
// ended. They begin at once, on another goroutine, where that is more than the pipe
// holds.
func (p *pipelineRun) runHere(i int, sub *Shell, run node, w *pipe.Writer, in *openFile) (k ctl, all bool) {
	var begun chan struct{}
	w.WhenFull(func() {
		p.sh.disown()
		sub.parent = nil
		k, begun = ctlStop, make(chan struct{})
		go func() {
			defer close(begun)
			defer p.sh.x.guard()
			k, all = p.from(i+1, in)
		}()
	})
	p.runStage(sub, run)
	if begun != nil {
		<-begun
		return k, all
	}
	return p.from(i+1, in)
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
