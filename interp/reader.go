package interp

import (
	"errors"
	"io"
	"strings"

	"github.com/limpet-sh/limpet/internal/parse"
)

// runReader runs the commands of a stream, reading no further than it has to:
// what follows a command is there for the command to read.
func (sh *Shell) runReader(f *openFile) ctl {
	in := &byteReader{sh: sh, ctx: sh.proc.ctx, stream: f.Stream}
	line := 0
	for {
		src, lines, end, k := sh.readCommand(in)
		if k != ctlNone {
			return k
		}
		if strings.TrimSpace(src) != "" {
			in.settle()
			u, err := sh.compileSource(src, sh.file, line)
			if err != nil {
				return sh.tooDeep(err)
			}
			if k := sh.runUnit(u, true); k != ctlNone {
				return k
			}
			if u.err != nil {
				return ctlNone
			}
		}
		line += lines
		if end {
			return ctlNone
		}
	}
}

// readCommand reads the lines of one complete command.
func (sh *Shell) readCommand(in *byteReader) (src string, lines int, end bool, k ctl) {
	var b strings.Builder
	next := 1 // the number of lines at which to try
	for {
		ended, err := sh.readLine(in, &b)
		if err != nil {
			if sh.pending != ctlNone {
				return "", 0, true, sh.take()
			}
			ended = true
		}
		lines++
		if ended {
			return b.String(), lines, true, ctlNone
		}
		if lines < next {
			continue
		}
		if src := b.String(); sh.complete(src) {
			return src, lines, false, ctlNone
		}
		next = lines + 1 + lines/16
	}
}

// readLine adds a line to b, and reports whether it is the last.
func (sh *Shell) readLine(in *byteReader, b *strings.Builder) (end bool, err error) {
	for {
		c, err := in.next()
		if err == io.EOF {
			return true, nil
		}
		if err != nil {
			sh.poll()
			return true, err
		}
		if sh.steps--; sh.steps < 0 && sh.poll() != ctlNone {
			return true, sh.x.error()
		}
		b.WriteByte(c)
		if c == '\n' {
			return false, nil
		}
	}
}

// complete reports whether src holds whole commands.
func (sh *Shell) complete(src string) bool {
	if strings.HasSuffix(src, "\\\n") {
		return false
	}
	prog, err := parse.File(src, sh.parseMode())
	var syn *parse.SyntaxError
	if errors.As(err, &syn) {
		return !syn.Incomplete
	}
	return len(prog.Warnings) == 0
}

// settle gives back what was read too much, so that a command finds it.
func (r *byteReader) settle() {
	r.unread()
	r.buf, r.pos = r.buf[:0], 0
}
