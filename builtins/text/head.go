package text

import (
	"bytes"
	"context"
	"io"
	"math"

	"github.com/limpet-sh/limpet/builtins"
)

var _ = commands.Add(&builtins.Command{
	Name:     "head",
	Synopsis: "[OPTION]... [FILE]...",
	Summary:  "print the first part of files",
	Run:      runHead,
})

// A headCount is how much of a file to print: the first n lines or bytes or,
// with elide, all but the last n.
type headCount struct {
	n     uint64
	bytes bool
	elide bool
	delim byte
}

func runHead(ctx context.Context, c *builtins.Call) (err error) {
	count := headCount{n: 10}
	var quiet, verbose, zero bool
	set := func(bytes bool, what string) func(string) error {
		return func(s string) error {
			count.bytes = bytes
			count.elide = len(s) > 0 && s[0] == '-'
			if count.elide {
				s = s[1:]
			}
			n, err := numberOption(s, sizeSuffixes, 0, math.MaxUint64, "invalid number of "+what)
			count.n = n
			return err
		}
	}
	f := c.Flags()
	f.Func("c,bytes", "print the first `[-]NUM` bytes; with a minus, all but the last NUM", set(true, "bytes"))
	f.Func("n,lines", "print the first `[-]NUM` lines instead of 10; with a minus, all but the last NUM", set(false, "lines"))
	f.Do("q,quiet,silent", "never print headers with file names", func() error { quiet, verbose = true, false; return nil })
	f.Do("v,verbose", "always print headers with file names", func() error { quiet, verbose = false, true; return nil })
	f.Bool(&zero, "z,zero-terminated", "lines end with NUL, not newline")
	f.Number = set(false, "lines")
	files, err := f.Parse()
	if err != nil {
		return err
	}
	count.delim = delimiter(zero)
	out := newOutput(c)
	defer out.close(&err)
	titles := titles{on: verbose || len(files) > 1 && !quiet, out: out}
	if len(files) == 0 {
		files = []string{"-"}
	}
	for _, name := range files {
		in, err := openInput(c, name)
		if err != nil {
			c.Warn(errnoError(err, "cannot open %s for reading", builtins.Quote(name)))
			continue
		}
		titles.print(in.title())
		err = printHead(c, out, in, count)
		_ = in.close()
		if c.Ends(err) {
			return err
		}
		if err != nil {
			c.Warn(errnoError(err, "error reading %s", builtins.Quote(in.title())))
		}
	}
	return nil
}

// titles prints the headers of head and tail.
type titles struct {
	on    bool
	out   *output
	later bool
}

func (t *titles) print(title string) {
	if !t.on {
		return
	}
	if t.later {
		t.out.buf = append(t.out.buf, '\n')
	}
	t.later = true
	t.out.buf = append(append(append(t.out.buf, "==> "...), title...), " <==\n"...)
}

func printHead(c *builtins.Call, out *output, in *input, count headCount) error {
	switch {
	case count.bytes && count.elide:
		return headExceptBytes(c, out, in, count.n)
	case count.bytes:
		return headBytes(c, out, in, count.n)
	case count.elide:
		return headExceptLines(c, out, in, count.n, count.delim)
	}
	return headLines(c, out, in, count.n, count.delim)
}

// headBytes copies the first n bytes, and reads no more than these.
func headBytes(c *builtins.Call, out *output, r io.Reader, n uint64) error {
	if n == 0 {
		return nil
	}
	err := eachBlock(c, io.LimitReader(r, int64(min(n, math.MaxInt64))), func(b []byte) error {
		return out.write(b)
	})
	return err
}

// headLines copies the first n lines, and leaves the offset of a file after
// them.
func headLines(c *builtins.Call, out *output, in *input, n uint64, delim byte) error {
	if n == 0 {
		return nil
	}
	err := eachBlock(c, in, func(b []byte) error {
		end := 0
		for n > 0 {
			i := bytes.IndexByte(b[end:], delim)
			if i < 0 {
				return out.write(b)
			}
			end += i + 1
			n--
		}
		builtins.Unread(in.Reader, len(b)-end)
		if err := out.write(b[:end]); err != nil {
			return err
		}
		return io.EOF
	})
	if err == io.EOF {
		return nil
	}
	return err
}

// headExceptBytes copies all but the last n bytes.
func headExceptBytes(c *builtins.Call, out *output, in *input, n uint64) error {
	if s, info, at := regular(in); s != nil {
		left := uint64(max(info.Size()-at, 0))
		return headBytes(c, out, in, left-min(n, left))
	}
	q := blockQueue{call: c}
	defer q.drop()
	return eachBlock(c, in, func(b []byte) error {
		if err := q.push(b, 0); err != nil {
			return err
		}
		for uint64(q.bytes) > n {
			first := q.first().data
			surplus := uint64(q.bytes) - n
			if surplus < uint64(len(first)) {
				q.skip(int(surplus), 0)
				return out.write(first[:surplus])
			}
			if err := out.write(first); err != nil {
				return err
			}
			q.pop()
		}
		return nil
	})
}

// headExceptLines copies all but the last n lines.
func headExceptLines(c *builtins.Call, out *output, in *input, n uint64, delim byte) error {
	q := blockQueue{call: c}
	defer q.drop()
	last := delim
	err := eachBlock(c, in, func(b []byte) error {
		if n == 0 {
			return out.write(b)
		}
		last = b[len(b)-1]
		if err := q.push(b, bytes.Count(b, []byte{delim})); err != nil {
			return err
		}
		for uint64(q.lines-q.first().lines) > n {
			if err := out.write(q.first().data); err != nil {
				return err
			}
			q.pop()
		}
		return nil
	})
	if last != delim {
		q.lines++ // the unfinished last line counts
	}
	for surplus := q.lines - int(min(n, math.MaxInt)); surplus > 0 && err == nil && q.bytes > 0; {
		b := q.first()
		if b.lines >= surplus {
			end := afterLines(b.data, delim, surplus)
			builtins.Unread(in.Reader, q.bytes-end)
			return out.write(b.data[:end])
		}
		surplus -= b.lines
		err = out.write(b.data)
		q.pop()
	}
	builtins.Unread(in.Reader, q.bytes)
	return err
}

// afterLines returns the offset after the first n lines of b, which has as many.
func afterLines(b []byte, delim byte, n int) int {
	end := 0
	for range n {
		end += bytes.IndexByte(b[end:], delim) + 1
	}
	return end
}
