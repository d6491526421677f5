package interp

import (
	"bytes"
	"io/fs"
	"sync"

	"github.com/limpet-sh/limpet/internal/parse"
	"github.com/limpet-sh/limpet/internal/pipe"
	"github.com/limpet-sh/limpet/internal/unparse"
	"github.com/limpet-sh/limpet/limits"
	"github.com/limpet-sh/limpet/vfs"
	"mvdan.cc/sh/v3/syntax"
)

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
	body := c.substituted(p.Stmts, p)
	return func(sh *Shell) string { return sh.capture(body) }
}

// substituted compiles the commands of a substitution. Their lines are counted
// from that of the command which it is part of. Bash: they are those of the text
// that it makes of the commands, but for backquotes.
func (c *compiler) substituted(stmts []*syntax.Stmt, p syntax.WordPart) node {
	inner := *c
	subst, _ := p.(*syntax.CmdSubst)
	switch first := c.lineOf(p); {
	case c.at == 0:
	case subst != nil && subst.Backquotes:
		inner.line += c.at - first
		inner.spans = nil
	case first != c.at || first != c.endLine(p) || printsLines(stmts):
		inner.spans = c.spansOf(stmts)
	}
	body := inner.block(stmts)
	c.procSubsts = inner.procSubsts
	if last := len(stmts) - 1; last >= 0 && inner.spans[stmts[last]].Last > c.at {
		return startingAt(inner.spans[stmts[last]].Last, body)
	}
	return body
}

// startingAt runs a body from a line, which commands that have no line of their own keep.
func startingAt(line int, body node) node {
	return func(sh *Shell) ctl {
		sh.line = line
		return body(sh)
	}
}

// printsLines reports whether bash's text of commands that stand on one line has
// several.
func printsLines(stmts []*syntax.Stmt) bool {
	found := false
	for _, s := range stmts {
		syntax.Walk(s, func(n syntax.Node) bool {
			switch n.(type) {
			case *syntax.CmdSubst, *syntax.ProcSubst:
				return false
			case *syntax.IfClause, *syntax.WhileClause, *syntax.ForClause, *syntax.CaseClause, *syntax.FuncDecl:
				found = true
			}
			return !found
		})
	}
	return found
}

// spansOf returns the lines of the commands of a substitution; nil where they
// cannot be told.
func (c *compiler) spansOf(stmts []*syntax.Stmt) map[*syntax.Stmt]unparse.Span {
	spans, err := unparse.Spans(stmts, c.src, maxFunctionText)
	if err != nil {
		return nil
	}
	for s, span := range spans {
		spans[s] = unparse.Span{First: c.at + span.First, Last: c.at + span.Last}
	}
	return spans
}

// capture returns what a list writes to standard output, without the newlines
// at its end.
func (sh *Shell) capture(body node) string {
	out := &capture{meter: sh.x.meter}
	file := newOpenFile(out)
	k := sh.sub(func(sub *Shell) ctl {
		sub.setFD(1, file).release()
		sub.inSubst = true // in the loops around it: break ends it
		sub.evals++
		if sub.opts&optPosix == 0 && sub.shopts&shoptInheritErrexit == 0 {
			sub.opts &^= optErrexit
			sub.refreshHooks()
		}
		command := sub.command
		k := body(sub)
		sub.command = command // for its trap on EXIT
		return k
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
		sh.warnf("command substitution: ignored null byte in input")
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
