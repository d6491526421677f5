package search

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/limpet-sh/limpet/builtins"
	"github.com/limpet-sh/limpet/internal/size"
	"github.com/limpet-sh/limpet/vfs"
)

var _ = commands.Add(&builtins.Command{
	Name:     "cmp",
	Synopsis: "[OPTION]... FILE1 [FILE2 [SKIP1 [SKIP2]]]",
	Summary:  "compare two files byte by byte",
	Trouble:  2,
	Run:      func(_ context.Context, c *builtins.Call) error { return runCmp(c) },
})

// A comparer is one call of cmp.
type comparer struct {
	*builtins.Call
	out     *bufio.Writer
	names   [2]string
	skip    [2]int64
	limit   int64
	show    bool // -b
	all     bool // -l
	silent  bool
	width   int // of the numbers that -l prints
	differs bool
}

const cmpHint = "cmp: Try 'cmp --help' for more information.\n"

func runCmp(c *builtins.Call) error {
	m := &comparer{Call: c, limit: math.MaxInt64}
	f := c.Flags()
	f.Info("", "v")
	f.Hint = cmpHint
	f.Bool(&m.show, "b,print-bytes", "print differing bytes")
	f.Func("i,ignore-initial", "skip first `SKIP` bytes of both inputs; SKIP1:SKIP2 for each", m.setSkips)
	report := func(p *bool, names, help string) {
		f.Do(names, help, func() error {
			if *p = true; m.all && m.silent {
				return builtins.Usage("options -l and -s are incompatible")
			}
			return nil
		})
	}
	report(&m.all, "l,verbose", "output byte numbers and differing byte values")
	f.Func("n,bytes", "compare at most `LIMIT` bytes", func(s string) error {
		n, ok := byteCount(s)
		if !ok {
			return builtins.Usage("invalid --bytes value '%s'", s)
		}
		m.limit = min(m.limit, n)
		return nil
	})
	report(&m.silent, "s,quiet,silent", "suppress all normal output")
	operands, err := f.Parse()
	if err != nil {
		return err
	}
	if err := m.operands(operands); err != nil {
		return f.Fail(err)
	}
	m.out = bufio.NewWriter(c.Stdout)
	err = m.run()
	if flushErr := m.out.Flush(); err == nil {
		err = flushErr
	}
	if err == nil && m.differs {
		return builtins.Exit(1)
	}
	return err
}

// setSkips sets what -i skips.
func (m *comparer) setSkips(s string) error {
	first, second, two := strings.Cut(s, ":")
	texts := []string{first, second}
	if !two {
		texts = texts[:1]
	}
	for i, text := range texts {
		n, ok := byteCount(text)
		if !ok {
			return builtins.Usage("invalid --ignore-initial value '%s'", s)
		}
		m.skip[i] = max(m.skip[i], n)
	}
	if !two {
		m.skip[1] = max(m.skip[1], m.skip[0])
	}
	return nil
}

// byteCount parses a number with a suffix such as K, MB or GiB.
func byteCount(s string) (int64, bool) {
	n, err := size.Parse(s, "kKMGTPEZY0")
	return int64(n), err == nil && n <= math.MaxInt64
}

func (m *comparer) operands(list []string) error {
	if len(list) == 0 {
		return builtins.Usage("missing operand after 'cmp'")
	}
	m.names = [2]string{list[0], "-"}
	if len(list) > 1 {
		m.names[1] = list[1]
	}
	for i, s := range list[min(2, len(list)):min(4, len(list))] {
		n, ok := byteCount(s)
		if !ok {
			return builtins.Usage("invalid --ignore-initial value '%s'", s)
		}
		m.skip[i] = max(m.skip[i], n)
	}
	if len(list) > 4 {
		return builtins.Usage("extra operand '%s'", list[4])
	}
	return nil
}

// run compares the files.
func (m *comparer) run() error {
	var in [2]*bufio.Reader
	shorter := int64(math.MaxInt64)
	for i, name := range m.names {
		r := m.Stdin
		if name != "-" {
			f, err := m.FS.Open(name)
			if err != nil && m.silent {
				return builtins.Exit(2)
			}
			if err != nil {
				return fmt.Errorf("%s: %w", name, vfs.ErrnoOf(err))
			}
			defer f.Close()
			if info, err := f.Stat(); err == nil && info.Mode().IsRegular() {
				shorter = min(shorter, max(info.Size()-m.skip[i], 0))
			}
			r = f
		}
		in[i] = bufio.NewReaderSize(r, 64<<10)
		if err := m.skipBytes(in[i], i); err != nil {
			return err
		}
	}
	m.width = 1
	for n := min(shorter, m.limit); n >= 10; n /= 10 {
		m.width++
	}
	return m.compare(in[0], in[1])
}

func (m *comparer) skipBytes(r *bufio.Reader, i int) error {
	for left := m.skip[i]; left > 0; {
		n, err := r.Discard(int(min(left, 32<<10)))
		left -= int64(n)
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return m.readError(i, err)
		}
		if err := m.Poll(1 + n>>8); err != nil {
			return err
		}
	}
	return nil
}

func (m *comparer) readError(i int, err error) error {
	return fmt.Errorf("%s: %w", m.names[i], vfs.ErrnoOf(err))
}

// A place is how far the comparison has come.
type place struct {
	bytes, lines int64
	midline      bool
}

// pass goes past bytes that are equal.
func (p *place) pass(b []byte) {
	if len(b) > 0 {
		p.bytes += int64(len(b))
		p.lines += int64(bytes.Count(b, []byte{'\n'}))
		p.midline = b[len(b)-1] != '\n'
	}
}

func (m *comparer) compare(x, y *bufio.Reader) error {
	var at place
	for at.bytes < m.limit {
		a, errA := chunkOf(x, m.limit-at.bytes)
		if errA != nil && errA != io.EOF {
			return m.readError(0, errA)
		}
		b, errB := chunkOf(y, m.limit-at.bytes)
		if errB != nil && errB != io.EOF {
			return m.readError(1, errB)
		}
		n := min(len(a), len(b))
		if n == 0 {
			return m.end(len(a), len(b), &at)
		}
		if err := m.Poll(1 + n>>8); err != nil {
			return err
		}
		if done := m.chunk(a[:n], b[:n], &at); done {
			return nil
		}
		_, _ = x.Discard(n)
		_, _ = y.Discard(n)
	}
	return nil
}

// chunkOf returns what comes next of r, up to limit bytes.
func chunkOf(r *bufio.Reader, limit int64) ([]byte, error) {
	if _, err := r.Peek(1); err != nil {
		return nil, err
	}
	b, _ := r.Peek(r.Buffered())
	return b[:min(int64(len(b)), limit)], nil
}

// chunk compares two pieces of the same length, and reports whether that ends
// the comparison.
func (m *comparer) chunk(a, b []byte, at *place) bool {
	for from := 0; ; {
		i := from + mismatch(a[from:], b[from:])
		at.pass(a[from:i])
		if i == len(a) {
			return false
		}
		m.differs = true
		if !m.all {
			m.first(a[i], b[i], at)
			return true
		}
		m.each(a[i], b[i], at)
		at.pass(a[i : i+1])
		from = i + 1
	}
}

// mismatch returns the first position at which a and b differ.
func mismatch(a, b []byte) int {
	const step = 512
	i := 0
	for i+step <= len(a) && bytes.Equal(a[i:i+step], b[i:i+step]) {
		i += step
	}
	for i < len(a) && a[i] == b[i] {
		i++
	}
	return i
}

// first reports the first difference.
func (m *comparer) first(a, b byte, at *place) {
	if m.silent {
		return
	}
	fmt.Fprintf(m.out, "%s %s differ: byte %d, line %d", m.names[0], m.names[1], at.bytes+1, at.lines+1)
	if m.show {
		fmt.Fprintf(m.out, " is %3o %s %3o %s", a, visibleByte(a), b, visibleByte(b))
	}
	_ = m.out.WriteByte('\n')
}

// each reports one of all differences.
func (m *comparer) each(a, b byte, at *place) {
	if m.show {
		fmt.Fprintf(m.out, "%*d %3o %-4s %3o %s\n", m.width, at.bytes+1, a, visibleByte(a), b, visibleByte(b))
	} else {
		fmt.Fprintf(m.out, "%*d %3o %3o\n", m.width, at.bytes+1, a, b)
	}
}

// visibleByte returns c in the notation of cat -v.
func visibleByte(c byte) string {
	prefix := ""
	if c >= 0x80 {
		prefix, c = "M-", c-0x80
	}
	switch {
	case c < ' ':
		return prefix + "^" + string(rune(c+'@'))
	case c == 0x7f:
		return prefix + "^?"
	}
	return prefix + string(rune(c))
}

// end reports that one of the files has ended, unless both have.
func (m *comparer) end(a, b int, at *place) error {
	if a == 0 && b == 0 {
		return nil
	}
	m.differs = true
	if m.silent {
		return nil
	}
	name := m.names[0]
	if a > 0 {
		name = m.names[1]
	}
	// GNU: this is printed before what is still in the buffer.
	switch {
	case at.bytes == 0:
		fmt.Fprintf(m.Stderr, "cmp: EOF on %s which is empty\n", name)
	case m.all:
		fmt.Fprintf(m.Stderr, "cmp: EOF on %s after byte %d\n", name, at.bytes)
	case at.midline:
		fmt.Fprintf(m.Stderr, "cmp: EOF on %s after byte %d, in line %d\n", name, at.bytes, at.lines+1)
	default:
		fmt.Fprintf(m.Stderr, "cmp: EOF on %s after byte %d, line %d\n", name, at.bytes, at.lines)
	}
	return nil
}
