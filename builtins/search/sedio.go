package search

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"github.com/limpet-sh/limpet/builtins"
	"github.com/limpet-sh/limpet/vfs"
)

// A sedOutput is a file that lines are written to.
type sedOutput struct {
	w          *bufio.Writer
	unfinished bool // the last line lacks its newline
	prompt     bool // flush after each line
	delim      byte
}

func (s *sed) newOutput(w io.Writer, name string) *sedOutput {
	return &sedOutput{w: bufio.NewWriterSize(&sedFile{w, name}, 32<<10), prompt: s.unbuffered, delim: s.delim}
}

// A sedFile is what an output writes to.
type sedFile struct {
	io.Writer
	name string
}

// Write fails with what sed says of a file that it cannot write to.
func (f *sedFile) Write(p []byte) (int, error) {
	n, err := f.Writer.Write(p)
	if e, ok := errors.AsType[*fs.PathError](err); ok && e.Op == "write" && !errors.Is(err, vfs.EPIPE) {
		what := "items"
		if len(p) == 1 {
			what = "item"
		}
		err = &sedError{sedPanic, fmt.Sprintf("couldn't write %d %s to %s: %v", len(p), what, f.name, vfs.ErrnoOf(err))}
	}
	return n, err
}

// output returns the output to the file name, which it creates.
func (s *sed) output(name string) (*sedOutput, error) {
	switch name {
	case "/dev/stdout":
		return s.stdout, nil
	case "/dev/stderr":
		if s.outputs[name] == nil {
			s.outputs[name] = s.newOutput(s.Stderr, "stderr")
		}
		return s.outputs[name], nil
	}
	if o, ok := s.outputs[name]; ok {
		return o, nil
	}
	f, err := s.FS.Create(name)
	if err != nil {
		return nil, &sedError{sedPanic, fmt.Sprintf("couldn't open file %s: %v", name, vfs.ErrnoOf(err))}
	}
	s.closers = append(s.closers, func() { _ = f.Close() })
	o := s.newOutput(f, name)
	s.outputs[name] = o
	return o, nil
}

// flush writes what all outputs hold.
func (s *sed) flush() error {
	var err error
	for _, o := range s.outputs {
		err = errors.Join(err, o.w.Flush())
	}
	return errors.Join(s.stdout.w.Flush(), err)
}

// finish ends the line that the last write left open.
func (o *sedOutput) finish() {
	if o.unfinished {
		_ = o.w.WriteByte(o.delim)
		o.unfinished = false
	}
}

// settle is called at the end of each cycle.
func (o *sedOutput) settle() error {
	if o.prompt {
		return o.w.Flush()
	}
	return nil
}

// writeLine writes text, which ends in a newline, as a line.
func (o *sedOutput) writeLine(text []byte) error {
	o.finish()
	_, _ = o.w.Write(bytes.TrimSuffix(text, []byte{'\n'}))
	return o.w.WriteByte(o.delim)
}

func (o *sedOutput) writeText(text []byte) error {
	o.finish()
	_, err := o.w.Write(text)
	return err
}

// writeSpace writes a space as a line; one that had no newline gets none.
func (o *sedOutput) writeSpace(p *sedSpace, delim byte) error {
	o.finish()
	_, err := o.w.Write(p.b)
	if p.open {
		o.unfinished = true
		return err
	}
	if err == nil {
		err = o.w.WriteByte(delim)
	}
	return err
}

// writeFirst writes the first line of a space.
func (o *sedOutput) writeFirst(p *sedSpace, delim byte) error {
	i := bytes.IndexByte(p.b, delim)
	if i < 0 {
		return o.writeSpace(p, delim)
	}
	o.finish()
	_, err := o.w.Write(p.b[:i+1])
	return err
}

// A sedInput is an open input file.
type sedInput struct {
	name   string
	reader io.Reader
	lines  *builtins.LineReader
	close  func()

	// For -i: where the edited text goes until it is complete.
	temporary string
	target    string
	mode      fs.FileMode
	owner     *vfs.Stat
	file      io.Closer
}

// unread puts back what was read ahead.
func (i *sedInput) unread() { builtins.Unread(i.reader, len(i.lines.Buffered())) }

// oneByte reads one byte at a time, so that nothing is read ahead.
type oneByte struct{ r io.Reader }

func (o oneByte) Read(p []byte) (int, error) { return o.r.Read(p[:min(1, len(p))]) }

// atEnd reports whether the current line is the last: of the input or, with -s,
// of its file.
func (s *sed) atEnd() (bool, error) {
	for {
		if s.input != nil && s.input.lines.More() {
			return false, nil
		}
		if s.separate || len(s.files) == 0 {
			return true, nil
		}
		if err := s.nextFile(); err != nil {
			return false, err
		}
	}
}

// readLine reads the next line into the pattern space.
func (s *sed) readLine() (bool, error) {
	s.space.reset()
	return s.appendLine()
}

// appendLine adds the next line to the pattern space.
func (s *sed) appendLine() (bool, error) {
	for {
		if s.input == nil {
			if len(s.files) == 0 {
				return false, nil
			}
			if err := s.nextFile(); err != nil {
				return false, err
			}
			continue
		}
		line, err := s.input.lines.Next()
		switch {
		case err == nil:
			s.line++
			s.replaced = false
			s.name = s.input.name
			text, ended := builtins.TrimDelim(line, s.delim)
			s.space.open = !ended
			return true, s.space.add(text)
		case err != io.EOF:
			if _, ok := errors.AsType[*fs.PathError](err); ok || errors.Is(err, vfs.EISDIR) {
				return false, &sedError{sedPanic, fmt.Sprintf("read error on %s: %v", s.input.name, vfs.ErrnoOf(err))}
			}
			return false, err
		}
		if err := s.finishFile(); err != nil {
			return false, err
		}
	}
}

// nextFile opens the next input file, if that can be done.
func (s *sed) nextFile() error {
	if err := s.finishFile(); err != nil {
		return err
	}
	name := s.files[0]
	s.files = s.files[1:]
	if name == "-" && !s.inPlace {
		s.open("-", s.Stdin, func() {})
		return nil
	}
	f, err := s.FS.Open(name)
	if err != nil {
		fmt.Fprintf(s.Stderr, "sed: can't read %s: %v\n", name, vfs.ErrnoOf(err))
		s.status = sedBadInput
		return nil
	}
	s.open(name, f, func() { _ = f.Close() })
	if s.separate {
		s.line = 0
		s.resetRanges()
	}
	if s.inPlace {
		return s.beginEdit(name)
	}
	return nil
}

func (s *sed) open(name string, r io.Reader, closer func()) {
	in := r
	if s.unbuffered {
		in = oneByte{r}
	}
	lines := s.Lines(in, s.delim)
	s.input = &sedInput{name: name, reader: r, lines: lines, close: func() { lines.Close(); closer() }}
}

// finishFile closes the current input; with -i, the edited text takes the place
// of the file.
func (s *sed) finishFile() error {
	i := s.input
	if i == nil {
		return nil
	}
	if i.temporary != "" {
		if err := s.endEdit(i); err != nil {
			return err
		}
	}
	i.close()
	s.input = nil
	return nil
}

// beginEdit directs the output to a new file next to the one that is edited.
func (s *sed) beginEdit(name string) error {
	target := name
	if s.follow {
		target = s.resolve(name)
	}
	info, err := s.FS.Stat(target)
	if err != nil {
		return &sedError{sedPanic, fmt.Sprintf("couldn't edit %s: %v", name, vfs.ErrnoOf(err))}
	}
	if !info.Mode().IsRegular() {
		return &sedError{sedPanic, fmt.Sprintf("couldn't edit %s: not a regular file", name)}
	}
	dir := ""
	if i := bytes.LastIndexByte([]byte(target), '/'); i >= 0 {
		dir = target[:i+1]
	}
	for range 100 {
		temporary := dir + "sed" + s.randomName()
		f, err := s.FS.OpenFile(temporary, vfs.O_WRONLY|vfs.O_CREATE|vfs.O_EXCL, 0o600)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return &sedError{sedPanic, fmt.Sprintf("couldn't open temporary file %s: %v", temporary, vfs.ErrnoOf(err))}
		}
		s.input.temporary, s.input.target, s.input.mode, s.input.owner, s.input.file = temporary, target, info.Mode(), vfs.StatOf(info), f
		s.out = s.newOutput(f, temporary)
		return nil
	}
	return &sedError{sedPanic, "couldn't open temporary file: File exists"}
}

// resolve returns what name is a symbolic link to, in the end.
func (s *sed) resolve(name string) string {
	for range 40 {
		to, err := s.FS.Readlink(name)
		if err != nil {
			break
		}
		if i := bytes.LastIndexByte([]byte(name), '/'); i >= 0 && (to == "" || to[0] != '/') {
			to = name[:i+1] + to
		}
		name = to
	}
	return name
}

// randomName returns six letters and digits.
func (s *sed) randomName() string {
	const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
	var b [6]byte
	_, _ = io.ReadFull(s.Rand, b[:])
	for i := range b {
		b[i] = letters[int(b[i])%len(letters)]
	}
	return string(b[:])
}

// endEdit puts the edited text in the place of the file.
func (s *sed) endEdit(i *sedInput) error {
	err := s.out.w.Flush()
	s.out = s.stdout
	if closeErr := i.file.Close(); err == nil {
		err = closeErr
	}
	if err == nil {
		_ = s.FS.Chown(i.temporary, i.owner.UID, i.owner.GID)
		err = s.FS.Chmod(i.temporary, i.mode)
	}
	if err == nil && s.suffix != "" {
		err = s.FS.Rename(i.target, s.backupName(i.target))
	}
	if err == nil {
		err = s.FS.Rename(i.temporary, i.target)
	}
	if err != nil {
		return &sedError{sedPanic, fmt.Sprintf("cannot rename %s: %v", i.temporary, vfs.ErrnoOf(err))}
	}
	i.temporary = ""
	return nil
}

// discardTemporary removes the output of an edit that was not completed.
func (s *sed) discardTemporary() {
	if s.input == nil || s.input.temporary == "" {
		return
	}
	s.out = s.stdout
	_ = s.input.file.Close()
	_ = s.FS.Remove(s.input.temporary)
	s.input.temporary = ""
}
