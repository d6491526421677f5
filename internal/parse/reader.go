package parse

import (
	"context"

	"io"
	"strings"

	"github.com/limpet-sh/limpet/internal/parse/scan"
)

// A Reader reads source as an interactive shell does: one complete command at
// a time, so that what a command changes has an effect on how the next is read.
type Reader struct {
	Mode // may change between calls of Next

	// Alias returns the value of an alias. Nil: aliases are not expanded.
	Alias func(name string) (value string, ok bool)

	// More returns further source when a command is not complete, and false
	// when there is none. Nil: there is none.
	More func() (text string, ok bool)

	// Limit bounds the bytes that a command may have once its aliases are
	// expanded; zero does not.
	Limit int

	src    string // what was not given to a scanner yet begins at offset
	grown  scan.Text
	offset int
	line   int
	parser *parser

	within *scan.Scanner // in the text of an alias that goes on after a command
}

// NewReader returns a reader of src.
func NewReader(ctx context.Context, src string, mode Mode) *Reader {
	return &Reader{Mode: mode, src: whole(src), line: 1, parser: newParser(ctx)}
}

// Next reads a complete command. It returns [io.EOF] at the end. After a
// [*SyntaxError], Next may be called again when Resume is set there, and on a
// terminal; what is left of the line is skipped.
//
// Each program has a source of its own when Alias is set; otherwise they share
// that of the reader.
func (r *Reader) Next() (*Program, error) {
	start := -1
	for {
		prog, empty, err := r.next()
		if start >= 0 && r.Alias == nil {
			prog.Start = start
		}
		if err != nil || !empty {
			return prog, err
		}
		start = prog.Start
	}
}

// Within reports whether the reader holds text that it has not read yet: that of an
// alias, or the rest of the line on which one ended.
func (r *Reader) Within() bool { return r.within != nil || r.offset < len(r.src) }

// Rest returns what has not been read yet, but for the text of an alias.
func (r *Reader) Rest() string { return r.src[r.offset:] }

// SetRest replaces what Rest returns.
func (r *Reader) SetRest(text string) { r.src = r.src[:r.offset] + text }

func (r *Reader) next() (prog *Program, empty bool, err error) {
	s := r.within
	if s == nil {
		s = r.scanner()
	}
	r.within = nil
	s.ExtGlob, s.Posix, s.Alias = r.ExtGlob, r.Posix, r.Alias
	cmd, ok, err := s.Next()
	prog = &Program{Source: s.Source(), Start: cmd.Start}
	prog.warn(cmd.Warnings)
	if err != nil {
		r.skipLine(s, cmd)
		return prog, false, err
	}
	r.consumed(s, cmd)
	if !ok {
		return prog, false, io.EOF
	}
	if cmd.Empty {
		return prog, true, nil
	}
	prog.Stmts, err = r.parser.repaired(s.Source(), cmd, nil)
	return prog, false, err
}

// scanner returns a scanner at the start of the next command.
func (r *Reader) scanner() *scan.Scanner {
	var s *scan.Scanner
	if r.Alias == nil {
		s = scan.New(r.src, r.offset, r.line)
		s.More = r.more
	} else {
		// Aliases change the text. So that each costs the length of a command
		// and not that of the source, the scanner gets the source in pieces.
		fed := &feeder{Reader: r}
		first, _ := fed.more()
		s = scan.New(first, 0, r.line)
		s.More = fed.more
	}
	s.Limit, s.Poll = r.Limit, r.parser.ctx.Err
	return s
}

func (r *Reader) more() (string, bool) {
	if r.More == nil {
		return "", false
	}
	text, ok := r.More()
	text = whole(text)
	r.src = r.grown.Append(r.src, text)
	return text, ok
}

// A feeder hands out the source of a reader in growing pieces of whole lines.
type feeder struct {
	*Reader
	given int
}

func (f *feeder) more() (string, bool) {
	rest := f.src[f.offset+f.given:]
	if rest == "" {
		text, ok := f.Reader.more()
		f.given += len(text)
		return text, ok
	}
	n := min(f.given, len(rest))
	if i := strings.IndexByte(rest[n:], '\n'); i >= 0 {
		n += i + 1
	} else {
		n = len(rest)
	}
	f.given += n
	return rest[:n], true
}

// consumed moves behind a command.
func (r *Reader) consumed(s *scan.Scanner, cmd scan.Command) {
	text := s.Source()
	if r.Alias == nil {
		r.line += strings.Count(text[cmd.Start:cmd.End], "\n")
		r.src, r.offset = text, cmd.End
		return
	}
	if s.InAlias() {
		r.within = s
		return
	}
	start := r.offset
	// The rest of what the scanner got is unchanged, and ends what was given.
	r.offset += s.Given() - (len(text) - cmd.End)
	r.line += strings.Count(r.src[start:r.offset], "\n")
}

// skipLine moves behind the line on which an error was found.
func (r *Reader) skipLine(s *scan.Scanner, cmd scan.Command) {
	text := s.Source()
	if i := strings.IndexByte(text[cmd.End:], '\n'); i >= 0 {
		cmd.End += i + 1
	} else {
		cmd.End = len(text)
	}
	s.LeaveAliases()
	r.consumed(s, cmd)
}

// NeedsReader reports whether a script should be read with a [Reader], because
// of something in it that changes how the rest is read.
func NeedsReader(src string) bool {
	return strings.Contains(src, "alias") || strings.Contains(src, "extglob") || strings.Contains(src, "posix") ||
		strings.Contains(src, "history")
}
