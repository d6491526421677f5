package text

import (
	"bytes"
	"context"
	"errors"
	"io"

	"github.com/limpet-sh/limpet/builtins"
	"github.com/limpet-sh/limpet/internal/regex"
)

var _ = commands.Add(&builtins.Command{
	Name:     "tac",
	Synopsis: "[OPTION]... [FILE]...",
	Summary:  "concatenate and print files in reverse",
	Run:      runTac,
})

// A reverser prints the records of its input from the last to the first.
type reverser struct {
	call      *builtins.Call
	out       *output
	separator []byte
	regex     *regex.Matcher // what separators match, instead
	before    bool           // separators stand before their records
}

func runTac(ctx context.Context, c *builtins.Call) (err error) {
	t := reverser{call: c, separator: newline}
	f := c.Flags()
	f.Bool(&t.before, "b,before", "separators stand before records, not after them")
	f.Func("s,separator", "`STRING` separates records, not a newline", func(s string) error {
		if s == "" {
			s = "\x00"
		}
		t.separator = []byte(s)
		return nil
	})
	isRegex := false
	f.Bool(&isRegex, "r,regex", "the separator is a regular expression")
	files, err := f.Parse()
	if err != nil {
		return err
	}
	if isRegex && string(t.separator) == "\x00" {
		return f.Fail(errors.New("separator cannot be empty"))
	}
	if isRegex {
		re, err := regex.Compile(string(t.separator), regex.Emacs, regex.Multiline)
		if err != nil {
			return f.Fail(err)
		}
		t.regex = re.Matcher(c)
		defer t.regex.Close()
	}
	t.out = newOutput(c)
	defer t.out.close(&err)
	if len(files) == 0 {
		files = []string{"-"}
	}
	for _, name := range files {
		in, err := openInput(c, name)
		if err != nil {
			c.Warn(errnoError(err, "failed to open %s for reading", builtins.Quote(name)))
			continue
		}
		err = t.reverse(in)
		_ = in.close()
		if c.Ends(err) {
			return err
		}
		if err != nil {
			c.Warn(errnoError(err, "%s: read error", builtins.QuoteMaybe(in.title())))
		}
	}
	return nil
}

func (t *reverser) reverse(in *input) error {
	if s, info, _ := regular(in); s != nil && info.Size() > 0 && t.regex == nil {
		return t.file(in, s, info.Size())
	}
	var all growing
	all.call = t.call
	defer all.drop()
	err := eachBlock(t.call, in, all.add)
	if err != nil {
		return err
	}
	rest, err := t.print(all.data)
	if err != nil {
		return err
	}
	return t.out.write(all.data[:rest])
}

// file reverses a file of a known size, wherever its offset is. It reads from
// the end, in blocks that are as long as the longest record needs.
func (t *reverser) file(in *input, s io.Seeker, end int64) error {
	size := int64(blockSize)
	var window growing
	window.call = t.call
	defer window.drop()
	var rest []byte // a record whose beginning has not been read
	for pos := end; pos > 0; {
		n := min(size, pos)
		pos -= n
		if err := window.prepend(rest, int(n)); err != nil {
			return err
		}
		if _, err := s.Seek(pos, io.SeekStart); err != nil {
			return err
		}
		if _, err := io.ReadFull(in, window.data[:n]); err != nil {
			return err
		}
		if err := t.call.Poll(1 + int(n)>>8); err != nil {
			return err
		}
		whole := len(window.data)
		left, err := t.print(window.data)
		if err != nil {
			return err
		}
		if rest = window.data[:left]; left == whole {
			size *= 2 // so that a long record is not searched again and again
		}
	}
	return t.out.write(rest)
}

// print prints the records of b from the last on, but not the first, whose
// beginning may be before b. It returns how much of b it has not printed.
//
// A separator that ends b may be a part of the input's end, after which there
// is no record: then the record that is printed is the empty one.
func (t *reverser) print(b []byte) (rest int, err error) {
	end := len(b) // of what is not printed
	for from := end; ; {
		start, after := t.lastSeparator(b[:from])
		if start < 0 {
			return end, t.err()
		}
		from = start
		cut := start
		if !t.before {
			if cut = after; cut == end {
				continue
			}
		}
		if err := t.call.Poll(1); err != nil {
			return 0, err
		}
		if err := t.out.write(b[cut:end]); err != nil {
			return 0, err
		}
		end = cut
	}
}

// lastSeparator returns the bounds of the last separator in b, or -1.
func (t *reverser) lastSeparator(b []byte) (start, end int) {
	switch {
	case t.regex != nil:
		return t.lastMatch(b)
	case len(t.separator) == 1:
		start = bytes.LastIndexByte(b, t.separator[0])
	default:
		start = bytes.LastIndex(b, t.separator)
	}
	return start, start + len(t.separator)
}

// lastMatch returns the bounds of the match that begins last. It searches from
// ever farther before the end.
func (t *reverser) lastMatch(b []byte) (start, end int) {
	start = -1
	for from, step := len(b)-1, 1; from >= 0; from, step = max(from-step, 0), 2*step {
		for at := from; at < len(b); at = start + 1 {
			s, e, ok := t.regex.Find(b, at)
			if !ok || s == len(b) {
				break
			}
			start, end = s, e
		}
		if start >= 0 || from == 0 {
			break
		}
	}
	return start, end
}

// err returns the error that has stopped the search for an expression.
func (t *reverser) err() error {
	if t.regex == nil {
		return nil
	}
	return t.regex.Err()
}
