package text

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/limpet-sh/limpet/builtins"
)

var _ = commands.Add(&builtins.Command{
	Name:     "tail",
	Synopsis: "[OPTION]... [FILE]...",
	Summary:  "print the last part of files",
	Run:      runTail,
})

// A tailCount is how much of a file to print: the last n lines or bytes or,
// with fromStart, all from number n on, counting from 1.
type tailCount struct {
	n         uint64
	bytes     bool
	fromStart bool
	delim     byte
}

// A tailer is one run of tail.
type tailer struct {
	call   *builtins.Call
	count  tailCount
	out    *output
	titles titles
	follow follow
}

func runTail(ctx context.Context, c *builtins.Call) (err error) {
	t := tailer{call: c, count: tailCount{n: 10}, out: newOutput(c)}
	t.follow.interval = time.Second
	var quiet, verbose, zero bool
	set := func(bytes bool, what string) func(string) error {
		return func(s string) (err error) {
			t.count.bytes = bytes
			digits := strings.TrimPrefix(s, "-")
			if strings.HasPrefix(s, "+") {
				t.count.fromStart, digits = true, s[1:] // for good: -n -5 after -n +2 is from line 5 on
			}
			t.count.n, err = numberOption(digits, sizeSuffixes, 0, math.MaxUint64, "invalid number of "+what)
			return err
		}
	}
	f := c.Flags()
	f.Func("c,bytes", "print the last `[+]NUM` bytes; with a plus, all from byte NUM on", set(true, "bytes"))
	f.Func("n,lines", "print the last `[+]NUM` lines instead of 10; with a plus, all from line NUM on", set(false, "lines"))
	f.Do("q,quiet,silent", "never print headers with file names", func() error { quiet, verbose = true, false; return nil })
	f.Do("v,verbose", "always print headers with file names", func() error { quiet, verbose = false, true; return nil })
	f.Bool(&zero, "z,zero-terminated", "lines end with NUL, not newline")
	t.follow.flags(f)
	f.Number = func(digits string) error {
		return fmt.Errorf("option used in invalid context -- %c", digits[0])
	}
	args := c.Args
	if count, following, rest, ok := obsoleteTail(args); ok {
		if count.n, err = parseSize(count.digits, "b"); err == errOverflow {
			return f.Fail(fmt.Errorf("invalid number: %s", builtins.QuoteLocale(args[0])))
		}
		t.count = count.tailCount
		if following {
			t.follow.how = "descriptor"
		}
		c.Args = rest
		defer func() { c.Args = args }()
	}
	files, err := f.Parse()
	if err != nil {
		return err
	}
	t.count.delim = delimiter(zero)
	if len(files) == 0 {
		files = []string{"-"}
	}
	if err := t.follow.check(c, files); err != nil {
		return f.Fail(err)
	}
	if t.count.n == 0 && !t.count.fromStart && !t.follow.on() {
		return nil // and files that there are not are not looked for
	}
	defer t.out.close(&err)
	t.titles = titles{on: verbose || len(files) > 1 && !quiet, out: t.out}
	return t.run(ctx, files)
}

// An obsoleteCount is a count in the old form, which is not yet a number.
type obsoleteCount struct {
	tailCount
	digits string
}

// obsoleteTail parses the old forms of the options, "-5" and "+5f", which are
// only possible as the first of few arguments.
func obsoleteTail(args []string) (count obsoleteCount, follow bool, rest []string, ok bool) {
	few := len(args) == 1 ||
		len(args) == 2 && !(len(args[1]) > 1 && args[1][0] == '-') ||
		(len(args) == 2 || len(args) == 3) && args[1] == "--"
	if !few || len(args[0]) < 2 || args[0][0] != '+' && args[0][0] != '-' {
		return count, false, nil, false
	}
	text := args[0][1:]
	count.fromStart = args[0][0] == '+'
	if !count.fromStart && text == "c" {
		return count, false, nil, false
	}
	digits := len(text) - len(strings.TrimLeft(text, "0123456789"))
	count.digits = text[:digits]
	if digits == 0 {
		count.digits = "10"
	}
	text = text[digits:]
	if text != "" {
		switch text[0] {
		case 'b':
			count.digits += "b"
			count.bytes, text = true, text[1:]
		case 'c':
			count.bytes, text = true, text[1:]
		case 'l':
			text = text[1:]
		}
	}
	if strings.HasPrefix(text, "f") {
		follow, text = true, text[1:]
	}
	return count, follow, args[1:], text == ""
}

// run prints the ends of files, and then what is added to them where that is
// wanted.
func (t *tailer) run(ctx context.Context, names []string) error {
	c := t.call
	var followed []*followedFile
	for _, name := range names {
		in, err := openInput(c, name)
		if err != nil {
			c.Warn(errnoError(err, "cannot open %s for reading", builtins.Quote(name)))
			if t.follow.on() && (t.follow.retry || t.follow.byName()) {
				followed = append(followed, &followedFile{name: name, missing: true, err: err})
			}
			continue
		}
		t.titles.print(in.title())
		err = t.print(in)
		if c.Ends(err) {
			_ = in.close()
			return err
		}
		if err != nil {
			c.Warn(errnoError(err, "error reading %s", builtins.Quote(in.title())))
		}
		if err != nil && t.count.bytes && !t.count.fromStart {
			_ = in.close()
			return builtins.Exit(1) // GNU: what fails once it has been sought in ends the command
		}
		switch {
		case !t.follow.on():
			_ = in.close()
		case err != nil:
			c.Warnf("%s: cannot follow end of this type of file; giving up on this name", in.name)
			_ = in.close()
		default:
			file := &followedFile{name: name, in: in}
			file.note()
			followed = append(followed, file)
		}
	}
	if !t.follow.on() {
		return nil
	}
	return t.watch(ctx, followed)
}

// print prints the part of in that is wanted.
func (t *tailer) print(in *input) error {
	switch count := t.count; {
	case count.fromStart && count.bytes:
		return t.fromByte(in, max(count.n, 1)-1)
	case count.fromStart:
		return t.fromLine(in, max(count.n, 1)-1)
	case count.bytes:
		return t.lastBytes(in)
	}
	return t.lastLines(in)
}

// copy copies all that is left of r.
func (t *tailer) copy(r io.Reader) error {
	return eachBlock(t.call, r, func(b []byte) error { return t.out.write(b) })
}

// fromByte skips n bytes and prints the rest.
func (t *tailer) fromByte(in *input, n uint64) error {
	if s, info, at := regular(in); s != nil {
		if left := uint64(max(info.Size()-at, 0)); n > left {
			n = left
		}
		if _, err := s.Seek(int64(n), io.SeekCurrent); err != nil {
			return err
		}
		return t.copy(in)
	}
	return eachBlock(t.call, in, func(b []byte) error {
		skip := min(n, uint64(len(b)))
		n -= skip
		return t.out.write(b[skip:])
	})
}

// fromLine skips n lines and prints the rest.
func (t *tailer) fromLine(in *input, n uint64) error {
	return eachBlock(t.call, in, func(b []byte) error {
		for n > 0 {
			i := bytes.IndexByte(b, t.count.delim)
			if i < 0 {
				return nil
			}
			b = b[i+1:]
			n--
		}
		return t.out.write(b)
	})
}

// lastBytes prints the last bytes.
func (t *tailer) lastBytes(in *input) error {
	n := t.count.n
	if s, info, at := regular(in); s != nil {
		if left := uint64(max(info.Size()-at, 0)); n < left {
			if _, err := s.Seek(int64(left-n), io.SeekCurrent); err != nil {
				return err
			}
		}
		return t.copy(in)
	}
	q := blockQueue{call: t.call}
	defer q.drop()
	err := eachBlock(t.call, in, func(b []byte) error {
		if n == 0 {
			return nil
		}
		if err := q.push(b, 0); err != nil {
			return err
		}
		for uint64(q.bytes-len(q.first().data)) >= n {
			q.pop()
		}
		return nil
	})
	if err != nil || q.bytes == 0 {
		return err
	}
	if uint64(q.bytes) > n {
		q.skip(q.bytes-int(n), 0)
	}
	return q.writeTo(t.out)
}

// lastLines prints the last lines.
func (t *tailer) lastLines(in *input) error {
	n := t.count.n
	if s, info, at := regular(in); s != nil && info.Size() > at {
		return t.lastLinesOfFile(in, s, at, info.Size())
	}
	q := blockQueue{call: t.call}
	defer q.drop()
	last := t.count.delim
	err := eachBlock(t.call, in, func(b []byte) error {
		if n == 0 {
			return nil
		}
		last = b[len(b)-1]
		if err := q.push(b, bytes.Count(b, []byte{t.count.delim})); err != nil {
			return err
		}
		for uint64(q.lines-q.first().lines) > n {
			q.pop()
		}
		return nil
	})
	if err != nil || q.bytes == 0 {
		return err
	}
	if last != t.count.delim {
		q.lines++ // the unfinished last line counts
	}
	for uint64(q.lines) > n {
		b := q.first()
		surplus := q.lines - int(n)
		if b.lines >= surplus {
			end := afterLines(b.data, t.count.delim, surplus)
			if end < len(b.data) {
				q.skip(end, surplus)
				break
			}
		}
		q.pop()
	}
	return q.writeTo(t.out)
}

// lastLinesOfFile prints the last lines of the part of a file from start to
// end, which it reads from the end.
func (t *tailer) lastLinesOfFile(in *input, s io.Seeker, start, end int64) error {
	if t.count.n == 0 {
		_, err := s.Seek(end, io.SeekStart)
		return err
	}
	buf := make([]byte, min(blockSize, end-start))
	delim, left := t.count.delim, t.count.n
	for pos := end; pos > start; {
		size := (pos-start-1)%int64(len(buf)) + 1
		pos -= size
		if err := t.call.Poll(1 + int(size)>>8); err != nil {
			return err
		}
		if _, err := s.Seek(pos, io.SeekStart); err != nil {
			return err
		}
		if _, err := io.ReadFull(in, buf[:size]); err != nil {
			return err
		}
		b := buf[:size]
		if pos+size == end && b[size-1] == delim {
			b = b[:size-1] // the delimiter of the last line ends none before it
		}
		if n := uint64(bytes.Count(b, []byte{delim})); n < left {
			left -= n
			continue
		}
		for {
			i := bytes.LastIndexByte(b, delim)
			if i < 0 {
				break
			}
			if left--; left == 0 {
				if _, err := s.Seek(pos+int64(i)+1, io.SeekStart); err != nil {
					return err
				}
				return t.copy(in)
			}
			b = b[:i]
		}
	}
	if _, err := s.Seek(start, io.SeekStart); err != nil {
		return err
	}
	return t.copy(in)
}

// parseInterval parses a number of seconds.
func parseInterval(s string) (time.Duration, error) {
	seconds, err := strconv.ParseFloat(s, 64)
	if err != nil || !(seconds >= 0) {
		return 0, fmt.Errorf("invalid number of seconds: %s", builtins.QuoteLocale(s))
	}
	return time.Duration(min(seconds*float64(time.Second), math.MaxInt64)), nil
}
