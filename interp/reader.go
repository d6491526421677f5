package interp

import (
	"errors"
	"io"

	"github.com/limpet-sh/limpet/internal/parse"
)

// runReader runs the commands of a stream, reading no further than it has to:
// what follows a command is there for the command to read.
func (sh *Shell) runReader(f *openFile) ctl {
	in := &byteReader{sh: sh, ctx: sh.proc.ctx, stream: f.Stream, delim: '\n'}
	var r *parse.Reader
	line := 0  // that has been read last
	first := 0 // before the first of r
	for {
		if r == nil || !r.Within() {
			r = sh.commandReader("")
			r.More = func() (string, bool) {
				line++
				return sh.readLine(in)
			}
			first = line
		}
		sh.updateReader(r)
		prog, err := r.Next()
		in.giveBack()
		switch {
		case sh.pending != ctlNone:
			return sh.take()
		case err == io.EOF:
			return ctlNone
		case errors.Is(err, parse.ErrTooDeep) || errors.Is(err, parse.ErrTooLong):
			return sh.tooDeep(err)
		}
		sh.record(prog)
		u := sh.compileProgram(prog, err, sh.file, first)
		u.partial = true
		if k := sh.runUnit(u, true); k != ctlNone {
			return k
		}
		if syn := (*parse.SyntaxError)(nil); errors.As(err, &syn) && syn.Resume == 0 || sh.opts&optOnecmd != 0 {
			return ctlNone
		}
	}
}

// commandReader returns a reader that reads as the options and aliases say now.
func (sh *Shell) commandReader(src string) *parse.Reader {
	r := parse.NewReader(sh.proc.ctx, src, sh.parseMode())
	r.Limit = maxFunctionText
	sh.updateReader(r)
	return r
}

// updateReader tells a reader of options and aliases that have changed.
func (sh *Shell) updateReader(r *parse.Reader) {
	r.Mode, r.Alias = sh.parseMode(), nil
	if sh.shopt(shoptExpandAliases) && len(sh.aliases) > 0 {
		r.Alias = func(name string) (string, bool) {
			value, ok := sh.aliases[name]
			return value, ok
		}
	}
}

// readLine reads a line, and reports whether there was one.
func (sh *Shell) readLine(in *byteReader) (string, bool) {
	var line []byte
	for {
		c, err := in.next()
		if err != nil {
			if err != io.EOF {
				sh.poll()
			}
			if n := len(line); n > 0 && line[n-1] == '\\' {
				line = append(line, '\n')
			}
			return string(line), len(line) > 0
		}
		if sh.steps--; sh.steps < 0 && sh.poll() != ctlNone {
			return "", false
		}
		line = append(line, c)
		if c == '\n' {
			return string(line), true
		}
	}
}
