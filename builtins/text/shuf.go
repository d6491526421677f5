package text

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/limpet-sh/limpet/builtins"
	"github.com/limpet-sh/limpet/vfs"
)

var _ = commands.Add(&builtins.Command{
	Name:     "shuf",
	Synopsis: "[OPTION]... [FILE | -e ARG... | -i LO-HI]",
	Summary:  "print lines in random order",
	Run:      runShuf,
})

// A shuffler is one run of shuf.
type shuffler struct {
	call   *builtins.Call
	out    *output
	random *chooser
	head   uint64 // how many lines to print
	repeat bool
	delim  byte
	lo, hi uint64 // of -i

	echo, isRange bool
	zero          bool
	source        string // of randomness, or ""
	target        string
	targetSet     bool
}

func runShuf(ctx context.Context, c *builtins.Call) (err error) {
	s := shuffler{call: c, head: math.MaxUint64}
	f := c.Flags()
	s.flags(f)
	args, err := f.Parse()
	if err != nil {
		return err
	}
	switch {
	case s.echo && s.isRange:
		return f.Fail(builtins.Usage("cannot combine -e and -i options"))
	case s.isRange && len(args) > 0:
		return f.Fail(extraOperand(args[0]))
	case !s.echo && len(args) > 1:
		return f.Fail(extraOperand(args[1]))
	}
	s.delim = delimiter(s.zero)
	random, done, err := openChooser(c, s.source)
	if err != nil {
		return err
	}
	defer done()
	s.random = random
	s.out = newOutput(c)
	defer func() {
		s.out.close(&err)
		if file, ok := s.out.w.(io.Closer); ok && s.out.name != "" {
			_ = file.Close()
		}
	}()
	switch {
	case s.isRange:
		return s.numbers()
	case s.echo:
		return s.print(len(args), func(i uint64) []byte { return []byte(args[i]) })
	}
	name := "-"
	if len(args) > 0 {
		name = args[0]
	}
	return s.file(name)
}

// flags declares the options.
func (s *shuffler) flags(f *builtins.Flags) {
	f.Bool(&s.echo, "e,echo", "treat each argument as an input line")
	f.Func("i,input-range", "the numbers `LO-HI` are the input lines", func(v string) error {
		if s.isRange {
			return errors.New("multiple -i options specified")
		}
		s.isRange = true
		return s.parseRange(v)
	})
	f.Func("n,head-count", "print at most `COUNT` lines", func(v string) error {
		n, err := parseSize(v, "")
		if err != nil && err != errOverflow {
			return fmt.Errorf("invalid line count: %s", builtins.QuoteLocale(v))
		}
		s.head = min(s.head, n)
		return nil
	})
	f.Func("o,output", "write to `FILE`", func(v string) error {
		if s.targetSet && v != s.target {
			return errors.New("multiple output files specified")
		}
		s.target, s.targetSet = v, true
		return nil
	})
	f.Func("random-source", "get random bytes from `FILE`", func(v string) error {
		if s.source != "" && v != s.source {
			return errors.New("multiple random sources specified")
		}
		s.source = v
		return nil
	})
	f.Bool(&s.repeat, "r,repeat", "lines may be printed more than once")
	f.Bool(&s.zero, "z,zero-terminated", "lines end with NUL, not newline")
}

// openTarget makes the file of -o what is written to. It is done late, for that
// file may be the input.
func (s *shuffler) openTarget() error {
	if !s.targetSet {
		return nil
	}
	file, err := s.call.FS.OpenFile(s.target, vfs.O_WRONLY|vfs.O_CREATE|vfs.O_TRUNC, 0o666)
	if err != nil {
		return builtins.FileError(s.target, err)
	}
	s.out.w, s.out.name = file, s.target
	return nil
}

// parseRange parses the argument of -i.
func (s *shuffler) parseRange(v string) error {
	lo, hi, dash := strings.Cut(v, "-")
	const what = "invalid input range"
	mistake := fmt.Errorf("%s: %s", what, builtins.QuoteLocale(v))
	if !dash {
		return mistake
	}
	var err error
	if s.lo, err = numberOption(lo, "", 0, math.MaxUint64, what); err != nil {
		return err
	}
	if s.hi, err = numberOption(hi, "", 0, math.MaxUint64, what); err != nil {
		return err
	}
	if s.lo > s.hi && s.lo != s.hi+1 {
		return mistake
	}
	return nil
}

// numbers prints the numbers of -i.
func (s *shuffler) numbers() error {
	count := s.hi - s.lo + 1
	return s.printSome(count, func(i uint64) {
		s.out.buf = append(strconv.AppendUint(s.out.buf, s.lo+i, 10), s.delim)
	})
}

// print prints some of n lines.
func (s *shuffler) print(n int, line func(i uint64) []byte) error {
	return s.printSome(uint64(n), func(i uint64) {
		s.out.buf = append(append(s.out.buf, line(i)...), s.delim)
	})
}

// printSome calls print for the numbers of the chosen ones of n lines.
func (s *shuffler) printSome(n uint64, print func(i uint64)) error {
	next := func() (uint64, error) { return s.random.choose(n) }
	head := s.head
	if !s.repeat {
		head = min(head, n)
		p, err := permute(s.call, s.random, n, head)
		if err != nil {
			return err
		}
		defer p.drop()
		next = p.next
	}
	if err := s.openTarget(); err != nil {
		return err
	}
	if s.repeat && head > 0 && n == 0 {
		return errors.New("no lines to repeat")
	}
	for ; head > 0; head-- {
		if err := s.call.Poll(1); err != nil {
			return err
		}
		i, err := next()
		if err != nil {
			return err
		}
		print(i)
		if err := s.out.spill(); err != nil {
			return err
		}
	}
	return nil
}

// reservoirSize is the size of the input from which on shuf -n keeps only the
// lines that it may print.
const reservoirSize = 8 << 20

// file shuffles the lines of a file.
func (s *shuffler) file(name string) error {
	in, err := openInput(s.call, name)
	if err != nil {
		return builtins.FileError(name, err)
	}
	defer in.close()
	_, info, at := regular(in)
	if s.head != math.MaxUint64 && !s.repeat && (s.head == 0 || info == nil || info.Size()-at > reservoirSize) {
		return s.reservoir(in)
	}
	var all growing
	all.call = s.call
	defer all.drop()
	if err := eachBlock(s.call, in, all.add); err != nil {
		return errnoError(err, "read error")
	}
	if n := len(all.data); n > 0 && all.data[n-1] != s.delim {
		if err := all.add([]byte{s.delim}); err != nil {
			return err
		}
	}
	count := bytes.Count(all.data, []byte{s.delim})
	if err := s.call.Alloc(8 * count); err != nil {
		return err
	}
	defer s.call.Free(8 * count)
	starts := make([]int, 0, count)
	for i := 0; i < len(all.data); {
		starts = append(starts, i)
		i += bytes.IndexByte(all.data[i:], s.delim) + 1
	}
	return s.print(count, func(i uint64) []byte {
		line := all.data[starts[i]:]
		return line[:bytes.IndexByte(line, s.delim)]
	})
}

// reservoir shuffles the lines of r in the memory of those that it prints.
func (s *shuffler) reservoir(r io.Reader) error {
	var kept []keptLine
	defer func() {
		for i := range kept {
			kept[i].drop()
		}
	}()
	n := uint64(0)
	err := eachLine(s.call, r, s.delim, func(line []byte) error {
		text, _ := bytes.CutSuffix(line, []byte{s.delim})
		n++
		if s.head == 0 {
			return io.EOF
		}
		if n <= s.head {
			kept = append(kept, keptLine{call: s.call})
			return kept[n-1].keep(text)
		}
		j, err := s.random.choose(n)
		if err != nil || j >= s.head {
			return err
		}
		return kept[j].keep(text)
	})
	if err != nil && err != io.EOF {
		return errnoError(err, "read error")
	}
	if s.head > 0 && n >= s.head {
		// GNU chooses a place for a line before it finds that there is none.
		if _, err := s.random.choose(n + 1); err != nil {
			return err
		}
	}
	return s.print(len(kept), func(i uint64) []byte { return kept[i].text })
}
