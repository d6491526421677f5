package jq

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/limpet-sh/limpet/builtins"
)

// An Input is the values that a program reads: those of files, one after the
// other.
type Input struct {
	Raw    bool // lines of text, each a string
	Slurp  bool // all of it as one value
	Stream bool // events, as of --stream
	Seq    bool

	// Open opens a file. A file that cannot be opened is skipped; Open
	// reports that.
	Open func(name string) (io.ReadCloser, bool)

	m       *machine
	files   []string // to come
	file    io.ReadCloser
	name    Value // of file
	read    func() (Value, error)
	scanner *scanner
	done    bool // slurped
	release func()
}

// NewInput returns the input from the files; from standard input if there are
// none.
func NewInput(ctx context.Context, call *builtins.Call, files []string) *Input {
	in := &Input{m: newMachine(ctx, call), release: func() {}}
	in.file = io.NopCloser(call.Stdin)
	in.SetFiles(files)
	return in
}

// Another returns an input from a file that is held as long as in is.
func (in *Input) Another(file string) *Input {
	return &Input{m: in.m, files: []string{file}, release: func() {}}
}

// Close gives back what in, and the program that reads it, hold.
func (in *Input) Close() {
	if in.file != nil {
		_ = in.file.Close()
	}
	in.m.release()
}

// SetFiles makes files what is read; standard input if there are none.
func (in *Input) SetFiles(files []string) {
	in.files = files
	if len(files) > 0 {
		in.file = nil
	}
}

// Name returns the name of the file that was read last, as a value.
func (in *Input) Name() Value { return in.name }

// Line returns the number of lines that have been read from it, the one that
// the last value ends in included.
func (in *Input) Line() int {
	s := in.scanner
	if s == nil {
		return 0
	}
	if bytes.IndexByte(s.buf[s.r:s.w], '\n') >= 0 && !in.Raw {
		return s.lines + 1
	}
	return s.lines
}

// Position returns the place that has been read up to, as messages have it.
func (in *Input) Position() string {
	name := "<stdin>"
	switch {
	case in.scanner == nil:
		return "<unknown>"
	case in.name != nil:
		name = in.name.(string)
	}
	return fmt.Sprintf("%s:%d", name, in.Line())
}

// Read reads from the files as if they were one.
func (in *Input) Read(p []byte) (int, error) {
	for {
		if in.file == nil {
			if len(in.files) == 0 {
				return 0, io.EOF
			}
			name := in.files[0]
			in.files = in.files[1:]
			f, ok := in.Open(name)
			if !ok {
				continue
			}
			in.file, in.name = f, name
			if in.scanner != nil {
				in.scanner.lines = 0
			}
		}
		n, err := in.file.Read(p)
		if err == nil || n > 0 {
			return n, nil
		}
		_ = in.file.Close()
		in.file = nil
		if err != io.EOF {
			return 0, err
		}
	}
}

// Next returns the next value; io.EOF at the end. Its memory is charged until
// the call of Next after the next.
func (in *Input) Next() (v Value, err error) {
	defer func() {
		if e := recover(); e != nil {
			a, ok := e.(abort)
			if !ok {
				panic(e)
			}
			err = a.err
		}
	}()
	if in.read == nil {
		in.start()
	}
	if in.Slurp {
		return in.all()
	}
	return in.read()
}

// start prepares to read in the way that the fields say.
func (in *Input) start() {
	switch {
	case in.Raw && in.Slurp:
		in.scanner = newScanner(in.m, in)
		in.read = in.text
	case in.Raw:
		in.scanner = newScanner(in.m, in)
		in.read = in.textLine
	case in.Stream:
		r := &eventReader{scanner: newScanner(in.m, in)}
		in.scanner, in.read = r.scanner, r.read
	default:
		r := newReader(in.m, in)
		in.scanner, in.read, in.release = r.scanner, r.read, r.release
		if !in.Slurp {
			in.read = func() (Value, error) {
				r.release()
				return r.read()
			}
		}
	}
}

// all returns all values as an array, or all text as a string, once.
func (in *Input) all() (Value, error) {
	if in.done {
		return nil, io.EOF
	}
	in.done = true
	if in.Raw {
		return in.read()
	}
	var list []Value
	for {
		v, err := in.read()
		if err == io.EOF {
			return in.m.made(newArray(list)), nil
		}
		if err != nil {
			return nil, err
		}
		list = append(list, v)
	}
}

// text returns the rest of the input as a string.
func (in *Input) text() (Value, error) {
	s := in.scanner
	for s.fill() {
	}
	if err := s.readError(); err != nil {
		return nil, err
	}
	in.m.hold(s.w - s.r)
	text := valid(string(s.buf[s.r:s.w]))
	s.r = s.w
	return text, nil
}

// textLine returns the next line.
func (in *Input) textLine() (Value, error) {
	s := in.scanner
	for seen := 0; ; {
		if i := bytes.IndexByte(s.buf[s.r+seen:s.w], '\n'); i >= 0 {
			text := string(s.buf[s.r : s.r+seen+i])
			s.r += seen + i + 1
			s.lines++
			return valid(text), nil
		}
		seen = s.w - s.r
		if s.fill() {
			continue
		}
		if err := s.readError(); err != nil {
			return nil, err
		}
		if seen == 0 {
			return nil, io.EOF
		}
		text := string(s.buf[s.r:s.w])
		s.r = s.w
		return valid(text), nil
	}
}

// IsSyntax reports whether err is a mistake in the text of the input.
func IsSyntax(err error) bool {
	_, ok := errors.AsType[*parseError](err)
	return ok
}

// ParseValue returns the only value of a JSON text.
func (in *Input) ParseValue(text string) (v Value, err error) {
	v, err = in.m.parseJSON(text)
	return v, err
}
