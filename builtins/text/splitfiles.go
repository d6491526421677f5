package text

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"

	"github.com/limpet-sh/limpet/builtins"
	"github.com/limpet-sh/limpet/vfs"
)

// The digits of suffixes.
const (
	lowercase     = "abcdefghijklmnopqrstuvwxyz"
	decimalDigits = "0123456789"
	hexDigits     = "0123456789abcdef"
)

// splitFiles makes the files of split, one after the other.
type splitFiles struct {
	call     *builtins.Call
	ctx      context.Context
	input    string // the name of the input
	prefix   string
	suffix   string // after the counting part
	alphabet string
	start    string // the first number, or ""
	length   int    // of suffixes
	widen    bool   // suffixes grow when they are used up
	filter   string
	verbose  bool

	digits []int // of the current suffix
}

// setLength decides on the length of suffixes.
func (s *splitFiles) setLength(j *splitJob) error {
	needed := 0
	if j.way >= splitChunks {
		last := j.n - 1
		if s.start != "" {
			first := uint64(0)
			for _, d := range []byte(s.start) {
				first = first*uint64(len(s.alphabet)) + uint64(strings.IndexByte(s.alphabet, d))
			}
			if first < j.n {
				last += first
			}
		}
		for {
			needed++
			if last /= uint64(len(s.alphabet)); last == 0 {
				break
			}
		}
	}
	if j.lengthOK {
		if s.length < needed {
			return fmt.Errorf("the suffix length needs to be at least %d", needed)
		}
	} else {
		s.length = max(2, needed, len(s.start))
		s.widen = needed == 0 && s.start == ""
	}
	if strings.Trim(s.start, s.alphabet) != "" {
		return builtins.Usage("%s: invalid start value for numerical suffix", builtins.QuoteLocale(s.start))
	}
	if len(s.start) > s.length {
		return builtins.Usage("numerical suffix start value is too large for the suffix length")
	}
	return nil
}

// next returns the name of the next file.
func (s *splitFiles) next() (string, error) {
	if s.digits == nil {
		s.digits = make([]int, s.length)
		for i := range len(s.start) {
			s.digits[s.length-len(s.start)+i] = strings.IndexByte(s.alphabet, s.start[i])
		}
		return s.name(), nil
	}
	i := len(s.digits) - 1
	for ; i >= 0; i-- {
		s.digits[i]++
		if i == 0 && s.widen && s.digits[0] == len(s.alphabet)-1 {
			// The last first digit means that there is one more.
			s.prefix += s.alphabet[len(s.alphabet)-1:]
			s.digits = make([]int, len(s.digits)+1)
			return s.name(), nil
		}
		if s.digits[i] < len(s.alphabet) {
			return s.name(), nil
		}
		s.digits[i] = 0
	}
	return "", errors.New("output file suffixes exhausted")
}

func (s *splitFiles) name() string {
	var b strings.Builder
	b.WriteString(s.prefix)
	for _, d := range s.digits {
		b.WriteByte(s.alphabet[d])
	}
	return b.String() + s.suffix
}

// create makes the next file.
func (s *splitFiles) create() (*piece, error) {
	name, err := s.next()
	if err != nil {
		return nil, err
	}
	p := &piece{files: s, name: name, out: &output{call: s.call, name: name}}
	if s.filter != "" {
		if s.verbose {
			fmt.Fprintf(s.call.Stdout, "executing with FILE=%s\n", builtins.QuoteMaybe(name))
		}
		p.held.call = s.call
		p.out.w = &p.held
		return p, nil
	}
	if s.verbose {
		fmt.Fprintf(s.call.Stdout, "creating file %s\n", builtins.Quote(name))
	}
	if s.overwrites(name) {
		return nil, fmt.Errorf("%s would overwrite input; aborting", builtins.Quote(name))
	}
	f, err := s.call.FS.OpenFile(name, vfs.O_WRONLY|vfs.O_CREATE|vfs.O_TRUNC, 0o666)
	if err != nil {
		return nil, builtins.FileError(name, err)
	}
	p.file, p.out.w = f, f
	return p, nil
}

// overwrites reports whether name is the input.
func (s *splitFiles) overwrites(name string) bool {
	info, err := s.call.FS.Stat(name)
	if err != nil {
		return false
	}
	input := stat(s.call.Stdin)
	if s.input != "-" {
		if input, err = s.call.FS.Stat(s.input); err != nil {
			return false
		}
	}
	return input != nil && vfs.SameFile(info, input)
}

// A piece is a file that split makes, or what a filter gets. What is for a
// filter is held, and charged, until the filter runs.
type piece struct {
	files *splitFiles
	name  string
	out   *output
	file  io.Closer
	held  growing
}

func (p *piece) write(b []byte) error { return p.out.write(b) }

// close ends the piece: the file is written, or the filter has run.
func (p *piece) close() error {
	err := p.out.flush()
	if p.file != nil {
		return errors.Join(err, p.file.Close())
	}
	defer p.held.drop()
	if err != nil {
		return err
	}
	s := p.files
	status, err := s.call.Exec(s.ctx, []string{"sh", "-c", s.filter}, func(c *builtins.Call) {
		c.Stdin = strings.NewReader(string(p.held.data))
		c.Env = withVariable{c.Env, "FILE", p.name}
	})
	if err != nil {
		return err
	}
	if status != 0 {
		s.call.Warnf("with FILE=%s, exit %d from command: %s", builtins.QuoteMaybe(p.name), uint8(status), s.filter)
		return status
	}
	return nil
}

// withVariable is an environment with one more variable.
type withVariable struct {
	builtins.Environ
	name, value string
}

func (e withVariable) Lookup(name string) (string, bool) {
	if name == e.name {
		return e.value, true
	}
	return e.Environ.Lookup(name)
}

func (e withVariable) All() iter.Seq2[string, string] {
	return func(yield func(string, string) bool) {
		for name, value := range e.Environ.All() {
			if name != e.name && !yield(name, value) {
				return
			}
		}
		yield(e.name, e.value)
	}
}
