package search

import (
	"bytes"
	"fmt"
	"io"
	"strconv"

	"github.com/limpet-sh/limpet/builtins"
)

// cycles runs the script for each line of the input.
func (s *sed) cycles() error {
	for {
		ok, err := s.readLine()
		if err != nil || !ok {
			return err
		}
		if s.trace != nil {
			s.trace.input(s.name, s.line)
		}
		for again := true; again; {
			if s.trace != nil {
				s.trace.space("PATTERN", s.space.b)
			}
			if again, err = s.execute(); err != nil {
				return s.quit(err)
			}
		}
	}
}

// errQuit ends a script as q does; the status is that of sed.
var errQuit = &sedError{}

// quit ends the input.
func (s *sed) quit(err error) error {
	if err != errQuit {
		return err
	}
	if s.input != nil {
		s.input.unread()
	}
	if err := s.finishFile(); err != nil {
		return err
	}
	return s.status
}

// execute runs the script once. It reports whether to do so again without
// reading a line.
func (s *sed) execute() (again bool, err error) {
	for pc := 0; pc < len(s.script); {
		c := &s.script[pc]
		pc++
		if err := s.Poll(1); err != nil {
			return false, err
		}
		if s.trace != nil {
			s.trace.begin(c)
		}
		ok, err := s.selects(c)
		if err != nil {
			return false, err
		}
		if !ok {
			if c.name == '{' {
				pc = c.jump
			}
			continue
		}
		switch c.name {
		case '{', '}', ':':
		case 'b':
			pc = c.jump
		case 't', 'T':
			if s.replaced == (c.name == 't') {
				pc = c.jump
			}
			s.replaced = false
		case 's':
			if err := s.runSubstitution(c.subst); err != nil {
				return false, err
			}
		case 'd', 'c':
			if c.name == 'c' && c.state != rangeActive {
				if err := s.out.writeLine(c.text); err != nil {
					return false, err
				}
			}
			s.endTrace()
			return false, s.endCycle(false)
		case 'D':
			if i := bytes.IndexByte(s.space.b, s.delim); i >= 0 {
				s.space.b = append(s.space.b[:0], s.space.b[i+1:]...)
				return true, s.endCycle(false)
			}
			return false, s.endCycle(false)
		case 'n', 'N':
			more, err := s.another(c.name)
			if err != nil || !more {
				return false, err
			}
		case 'q', 'Q':
			return false, s.quitCommand(c)
		default:
			if err := s.simple(c); err != nil {
				return false, err
			}
		}
		if s.trace != nil {
			s.trace.after(c.name, s)
		}
	}
	s.endTrace()
	return false, s.endCycle(!s.quiet)
}

// endTrace has --debug say that the script has ended.
func (s *sed) endTrace() {
	if s.trace != nil {
		_, _ = s.stdout.w.WriteString("END-OF-CYCLE:\n")
	}
}

// endCycle prints the pattern space, if it is wanted, and what was to be
// appended.
func (s *sed) endCycle(print bool) error {
	if print {
		if err := s.out.writeSpace(&s.space, s.delim); err != nil {
			return err
		}
	}
	return s.flushPending()
}

func (s *sed) quitCommand(c *sedCommand) error {
	if s.status != sedBadInput { // a file that could not be read is what counts
		s.status = builtins.Exit(max(c.number, 0))
	}
	if c.name == 'q' {
		if err := s.endCycle(!s.quiet); err != nil {
			return err
		}
		s.out.finish()
	}
	return errQuit
}

// another runs n or N, and reports whether there was another line.
func (s *sed) another(name byte) (bool, error) {
	end, err := s.atEnd()
	if err != nil {
		return false, err
	}
	if end {
		s.endTrace()
		return false, s.endCycle(!s.quiet && !(name == 'N' && s.posix))
	}
	if name == 'n' {
		if err := s.endCycle(!s.quiet); err != nil {
			return false, err
		}
		return s.readLine()
	}
	if err := s.flushPending(); err != nil {
		return false, err
	}
	if err := s.space.addByte(s.delim); err != nil {
		return false, err
	}
	return s.appendLine()
}

func (s *sed) runSubstitution(c *substitution) error {
	replaced, err := s.substitute(c)
	if err != nil || !replaced {
		return err
	}
	s.replaced = true
	if c.print {
		if err := s.out.writeSpace(&s.space, s.delim); err != nil {
			return err
		}
	}
	if c.out != nil {
		return c.out.writeSpace(&s.space, s.delim)
	}
	return nil
}

// simple runs the commands that only touch the spaces or print.
func (s *sed) simple(c *sedCommand) error {
	switch c.name {
	case 'a':
		return s.later(sedAppend{text: c.text})
	case 'r':
		return s.later(sedAppend{file: c.file})
	case 'R':
		return s.readOne(c.file)
	case 'i':
		return s.out.writeLine(c.text)
	case '=':
		return s.out.writeLine(strconv.AppendInt(nil, s.line, 10))
	case 'F':
		return s.out.writeLine([]byte(s.name))
	case 'l':
		width := c.number
		if width < 0 {
			width = s.width
		}
		return s.list(width)
	case 'p':
		return s.out.writeSpace(&s.space, s.delim)
	case 'P':
		return s.out.writeFirst(&s.space, s.delim)
	case 'w':
		return c.out.writeSpace(&s.space, s.delim)
	case 'W':
		return c.out.writeFirst(&s.space, s.delim)
	case 'y':
		return s.transliterate(c.table)
	case 'z':
		s.space.reset()
		return nil
	}
	return s.spaces(c.name)
}

// spaces runs the commands that move text between the spaces.
func (s *sed) spaces(name byte) error {
	switch name {
	case 'x':
		s.space, s.hold = s.hold, s.space
		return nil
	case 'g':
		s.space.open = s.hold.open
		return s.space.set(s.hold.b)
	case 'h':
		s.hold.open = s.space.open
		return s.hold.set(s.space.b)
	}
	to, from := &s.space, &s.hold
	if name == 'H' {
		to, from = from, to
	}
	to.open = from.open
	if err := to.addByte(s.delim); err != nil {
		return err
	}
	return to.add(from.b)
}

// later has something printed at the end of the cycle.
func (s *sed) later(a sedAppend) error {
	if err := s.Alloc(64 + len(a.text)); err != nil {
		return err
	}
	s.pending = append(s.pending, a)
	return nil
}

// readOne runs R.
func (s *sed) readOne(name string) error {
	r, ok := s.readers[name]
	if !ok {
		if f, done := s.openInput(name); f != nil {
			r = s.Lines(f, s.delim)
			s.closers = append(s.closers, done)
		}
		s.readers[name] = r
	}
	if r == nil {
		return nil
	}
	line, err := r.Next()
	if err == io.EOF {
		return nil
	}
	if err != nil {
		return err
	}
	return s.later(sedAppend{text: bytes.Clone(line)}) // a last line that is not ended stays so
}

// flushPending prints what was to be appended.
func (s *sed) flushPending() error {
	if len(s.pending) == 0 {
		return s.out.settle()
	}
	for _, a := range s.pending {
		s.Free(64 + len(a.text))
		var err error
		if a.file != "" {
			err = s.copyFile(a.file)
		} else {
			err = s.out.writeText(a.text)
		}
		if err != nil {
			return err
		}
	}
	s.pending = s.pending[:0]
	return s.out.settle()
}

// copyFile prints the content of a file, if it can be read.
func (s *sed) copyFile(name string) error {
	s.out.finish()
	f, done := s.openInput(name)
	if f == nil {
		return nil
	}
	defer done()
	buf := make([]byte, 32<<10)
	for {
		n, err := f.Read(buf)
		if n > 0 {
			if err := s.out.writeText(buf[:n]); err != nil {
				return err
			}
		}
		if err := s.Poll(1 + n>>8); err != nil {
			return err
		}
		if err != nil {
			return nil
		}
	}
}

// openInput opens a file that r or R names, and returns what closes it; the file is
// nil where that fails.
func (s *sed) openInput(name string) (f io.Reader, done func()) {
	if name == "/dev/stdin" {
		return s.Stdin, func() {}
	}
	file, err := s.Open(name)
	if err != nil {
		return nil, nil
	}
	return file, func() { _ = file.Close() }
}

// list runs l: it prints the pattern space in a form without ambiguity, in lines
// of the given width; 0 means one line.
func (s *sed) list(width int) error {
	var b []byte
	column := 0
	for _, c := range s.space.b {
		piece := visible(c)
		if width > 0 && column+len(piece) > width-1 {
			b = append(b, '\\', s.delim)
			column = 0
		}
		b = append(b, piece...)
		column += len(piece)
		if len(b) > 1<<12 {
			if err := s.out.writeText(b); err != nil {
				return err
			}
			b = b[:0]
		}
	}
	return s.out.writeText(append(b, '$', s.delim))
}

// visible returns c as l shows it.
func visible(c byte) string {
	const letters, values = `abfnrtv\`, "\a\b\f\n\r\t\v\\"
	if i := bytes.IndexByte([]byte(values), c); i >= 0 {
		return `\` + letters[i:i+1]
	}
	if c < ' ' || c >= 0x7f {
		return fmt.Sprintf(`\%03o`, c)
	}
	return string(rune(c))
}
