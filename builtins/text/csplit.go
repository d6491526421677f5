package text

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/limpet-sh/limpet/builtins"
	"github.com/limpet-sh/limpet/internal/regex"
	"github.com/limpet-sh/limpet/vfs"
)

var _ = commands.Add(&builtins.Command{
	Name:     "csplit",
	Synopsis: "[OPTION]... FILE PATTERN...",
	Summary:  "split a file at lines that patterns determine",
	Run:      runCsplit,
})

// A splitPoint is a pattern of csplit.
type splitPoint struct {
	text    string
	line    int            // of a line number
	regex   *regex.Matcher // of an expression, or nil
	offset  int
	skip    bool // %…%: what comes before is not printed
	repeat  int  // more times
	forever bool
}

// A contextSplitter is one run of csplit.
type contextSplitter struct {
	call     *builtins.Call
	prefix   string
	format   *intFormat // of the numbers of files
	digits   int
	keep     bool // files after an error
	suppress bool // the matched lines
	quiet    bool
	elide    bool

	data   growing // the input
	starts []int   // of lines, and the end
	next   int     // the line that is written next, from 0
	search int     // the line after which expressions are searched for, from 0
	made   []string
	out    *output
}

func runCsplit(ctx context.Context, c *builtins.Call) (err error) {
	s := contextSplitter{call: c, prefix: "xx", digits: 2, search: -1, data: growing{call: c}}
	format := ""
	f := c.Flags()
	f.String(&format, "b,suffix-format", "number files in the `FORMAT` of printf for integers, not %02d")
	f.String(&s.prefix, "f,prefix", "begin the names of files with `PREFIX`, not xx")
	f.Bool(&s.keep, "k,keep-files", "do not remove the files after an error")
	f.Bool(&s.suppress, "suppress-matched", "leave out the lines that match")
	f.Func("n,digits", "use `DIGITS` digits, not 2", func(v string) error {
		n, err := numberOption(v, "", 0, 1<<16, "invalid number")
		s.digits = int(n)
		return err
	})
	f.Bool(&s.quiet, "s,quiet,silent", "do not print the sizes of files")
	f.Bool(&s.elide, "z,elide-empty-files", "remove empty files")
	args, err := f.Parse()
	if err != nil {
		return err
	}
	switch {
	case len(args) == 0:
		return f.Fail(builtins.Usage("missing operand"))
	case len(args) == 1:
		return f.Fail(builtins.Usage("missing operand after %s", builtins.QuoteLocale(args[0])))
	}
	if format != "" {
		if s.format, err = parseIntFormat(format); err != nil {
			return f.Fail(err)
		}
	}
	points, err := parseSplitPoints(c, args[1:])
	defer func() {
		for _, p := range points {
			if p.regex != nil {
				p.regex.Close()
			}
		}
	}()
	if err != nil {
		return f.Fail(err)
	}
	s.out = newOutput(c)
	defer s.out.close(&err)
	defer s.drop()
	if err := s.read(args[0]); err != nil {
		return err
	}
	if err := s.split(points); err != nil {
		if !s.keep && c.Poll(256) == nil {
			for _, name := range s.made {
				_ = c.FS.Remove(name)
			}
		}
		return err
	}
	return nil
}

// parseSplitPoints parses the patterns.
func parseSplitPoints(c *builtins.Call, args []string) ([]*splitPoint, error) {
	var points []*splitPoint
	last := 0
	for _, arg := range args {
		if arg != "" && arg[0] == '{' && len(points) > 0 {
			if err := points[len(points)-1].parseRepeat(arg); err != nil {
				return points, err
			}
			continue
		}
		p := &splitPoint{text: arg}
		points = append(points, p)
		if arg != "" && (arg[0] == '/' || arg[0] == '%') {
			if err := p.parseRegex(c); err != nil {
				return points, err
			}
			continue
		}
		n, err := parseSize(arg, "")
		switch {
		case err != nil:
			return points, fmt.Errorf("%s: invalid pattern", builtins.QuoteLocale(arg))
		case n == 0:
			return points, fmt.Errorf("%s: line number must be greater than zero", arg)
		case int(n) < last:
			return points, fmt.Errorf("line number %s is smaller than preceding line number, %d", builtins.QuoteLocale(arg), last)
		case int(n) == last:
			fmt.Fprintf(c.Stderr, "%s: warning: line number %s is the same as preceding line number\n", c.Name, builtins.QuoteLocale(arg))
		}
		p.line = int(min(n, math.MaxInt32))
		last = p.line
	}
	return points, nil
}

func (p *splitPoint) parseRepeat(arg string) error {
	body, ok := strings.CutSuffix(arg[1:], "}")
	if !ok {
		return fmt.Errorf("%s: '}' is required in repeat count", builtins.QuoteLocale(arg))
	}
	if body == "*" {
		p.forever = true
		return nil
	}
	n, err := parseSize(body, "")
	if err != nil {
		return fmt.Errorf("%s}: integer required between '{' and '}'", builtins.QuoteLocale(arg[:len(arg)-1]))
	}
	p.repeat = int(min(n, math.MaxInt32))
	return nil
}

func (p *splitPoint) parseRegex(c *builtins.Call) error {
	delim := p.text[0]
	end := strings.LastIndexByte(p.text, delim)
	if end == 0 {
		return fmt.Errorf("%s: closing delimiter '%c' missing", p.text, delim)
	}
	p.skip = delim == '%'
	re, err := regex.Compile(p.text[1:end], regex.Basic, 0)
	if err != nil {
		return fmt.Errorf("%s: invalid regular expression: %w", builtins.QuoteLocale(p.text), err)
	}
	p.regex = re.Matcher(c)
	if offset := p.text[end+1:]; offset != "" {
		n, err := strconv.Atoi(offset)
		if err != nil {
			return fmt.Errorf("%s: integer expected after delimiter", builtins.QuoteLocale(p.text))
		}
		p.offset = n
	}
	return nil
}

// read reads the input.
func (s *contextSplitter) read(name string) error {
	in, err := openInput(s.call, name)
	if err != nil {
		return errnoError(err, "cannot open %s for reading", builtins.Quote(name))
	}
	defer in.close()
	if err := eachBlock(s.call, in, s.data.add); err != nil {
		return errnoError(err, "read error")
	}
	n := 8 * (bytes.Count(s.data.data, newline) + 2)
	if err := s.call.Alloc(n); err != nil {
		return err
	}
	s.starts = make([]int, 0, n/8)
	for i := 0; i < len(s.data.data); {
		s.starts = append(s.starts, i)
		n := bytes.IndexByte(s.data.data[i:], '\n') + 1
		if n == 0 {
			n = len(s.data.data) - i
		}
		i += n
	}
	s.starts = append(s.starts, len(s.data.data))
	return nil
}

func (s *contextSplitter) drop() {
	s.call.Free(8 * cap(s.starts))
	s.data.drop()
}

// lines is how many lines there are.
func (s *contextSplitter) lines() int { return len(s.starts) - 1 }

// line returns line i without its newline.
func (s *contextSplitter) line(i int) []byte {
	text, _ := bytes.CutSuffix(s.data.data[s.starts[i]:s.starts[i+1]], newline)
	return text
}

// split writes all pieces.
func (s *contextSplitter) split(points []*splitPoint) error {
	for _, p := range points {
		for i := 0; p.forever || i <= p.repeat; i++ {
			var done bool
			var err error
			if p.regex != nil {
				done, err = s.atMatch(p, i)
			} else {
				err = s.atLine(p, i)
			}
			if done || err != nil {
				return err
			}
		}
	}
	return s.write(s.lines())
}

// atLine writes a piece up to a line number.
func (s *contextSplitter) atLine(p *splitPoint, repetition int) error {
	if s.lines() == 0 {
		s.quiet, s.keep = true, true // the file is made, and not finished
		return errors.Join(s.write(0), s.fail("input disappeared"))
	}
	last := p.line*(repetition+1) - 1
	out := min(last, s.lines())
	if err := s.write(max(out, s.next)); err != nil {
		return err
	}
	if last > s.lines() || last == s.lines() && !s.suppress {
		if p.forever {
			return s.fail("%s: line number out of range on repetition %d", builtins.QuoteLocale(strconv.Itoa(p.line)), repetition)
		}
		return s.fail("%s: line number out of range%s", builtins.QuoteLocale(strconv.Itoa(p.line)), onRepetition(repetition))
	}
	if s.suppress {
		s.next = min(s.next+1, s.lines())
	}
	s.search = s.next - 1
	return nil
}

func onRepetition(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(" on repetition %d", n)
}

// atMatch writes a piece up to a line that matches. It reports whether it has
// written all that is left because there is none, and there need not be.
func (s *contextSplitter) atMatch(p *splitPoint, repetition int) (done bool, err error) {
	i := s.search + 1
	for ; i < s.lines(); i++ {
		if err := s.call.Poll(1); err != nil {
			return false, err
		}
		if p.regex.Match(s.line(i)) {
			break
		}
	}
	if err := p.regex.Err(); err != nil {
		return false, err
	}
	if i >= s.lines() {
		if !p.skip {
			if err := s.write(s.lines()); err != nil {
				return false, err
			}
		}
		if p.forever {
			return true, nil
		}
		return false, s.fail("%s: match not found%s", builtins.QuoteLocale(p.text), onRepetition(repetition))
	}
	s.search = i
	at := i + p.offset
	if at < s.next || at > s.lines() {
		if !p.skip {
			if err := s.write(max(s.next, min(at, s.lines()))); err != nil {
				return false, err
			}
		}
		return false, s.fail("%s: line number out of range", builtins.QuoteLocale(p.text))
	}
	if p.skip {
		s.next = at
	} else if err := s.write(at); err != nil {
		return false, err
	}
	if p.offset > 0 {
		s.search = at
	}
	if s.suppress {
		s.next = min(s.next+1, s.lines())
	}
	return false, nil
}

// fail warns, and ends the command.
func (s *contextSplitter) fail(format string, args ...any) error {
	return s.out.fatal(format, args...)
}

// write makes a file of the lines up to line end, and prints its size.
func (s *contextSplitter) write(end int) error {
	part := s.data.data[s.starts[s.next]:s.starts[end]]
	s.next = end
	if len(part) == 0 && s.elide {
		return nil
	}
	name := s.name(len(s.made))
	f, err := s.call.FS.OpenFile(name, vfs.O_WRONLY|vfs.O_CREATE|vfs.O_TRUNC, 0o666)
	if err != nil {
		return builtins.FileError(name, err)
	}
	s.made = append(s.made, name)
	out := &output{call: s.call, w: f, name: name}
	err = out.write(part)
	err = errors.Join(err, out.flush(), f.Close())
	if err == nil && !s.quiet {
		s.out.buf = strconv.AppendInt(s.out.buf, int64(len(part)), 10)
		s.out.buf = append(s.out.buf, '\n')
	}
	return err
}

// name returns the name of file i.
func (s *contextSplitter) name(i int) string {
	if s.format != nil {
		return s.prefix + s.format.format(i)
	}
	return fmt.Sprintf("%s%0*d", s.prefix, s.digits, i)
}
