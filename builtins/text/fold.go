package text

import (
	"context"
	"fmt"
	"io"
	"math"

	"github.com/limpet-sh/limpet/builtins"
)

var _ = commands.Add(&builtins.Command{
	Name:     "fold",
	Synopsis: "[OPTION]... [FILE]...",
	Summary:  "wrap each input line to fit in a width",
	Run:      runFold,
})

func runFold(ctx context.Context, c *builtins.Call) (err error) {
	t := folder{call: c, width: 80}
	digits := ""
	setWidth := func(s string) error {
		n, err := parseSize(s, "")
		switch {
		case err == errOverflow || err == nil && n > math.MaxUint64-9:
			return fmt.Errorf("invalid number of columns: %s: %w", builtins.QuoteLocale(s), errOverflow)
		case err == nil && n == 0:
			return fmt.Errorf("invalid number of columns: %s: %w", builtins.QuoteLocale(s), errRange)
		case err != nil:
			return fmt.Errorf("invalid number of columns: %s", builtins.QuoteLocale(s))
		}
		t.width = n
		return nil
	}
	f := c.Flags()
	f.Bool(&t.bytes, "b,bytes", "count bytes rather than columns")
	f.Bool(&t.spaces, "s,spaces", "break at spaces")
	f.Func("w,width", "use `WIDTH` columns instead of 80", setWidth)
	f.Number = func(s string) error { digits += s; return setWidth(digits) }
	files, err := f.Parse()
	if err != nil {
		return err
	}
	t.out = newOutput(c)
	defer t.out.close(&err)
	return c.EachInput(files, t.fold)
}

// A folder breaks lines.
type folder struct {
	call   *builtins.Call
	out    *output
	width  uint64
	bytes  bool
	spaces bool
}

// fold breaks the lines of r.
func (t *folder) fold(_ string, r io.Reader) error {
	held := growing{call: t.call} // of the line, what is not printed
	defer held.drop()
	column := uint64(0)
	err := eachBlock(t.call, r, func(b []byte) error {
		for len(b) > 0 {
			if len(held.data) == 0 && column == 0 {
				if n := t.plainLine(b); n > 0 {
					b = b[n:]
					if err := t.out.spill(); err != nil {
						return err
					}
					continue
				}
			}
			var err error
			if column, err = t.add(&held, b[0], column); err != nil {
				return err
			}
			b = b[1:]
		}
		return nil
	})
	t.out.buf = append(t.out.buf, held.data...)
	return err
}

// plainLine prints the line that begins b, or as much of it as fits, and returns
// how much that was. It leaves to add what it would have to look at closely,
// and returns 0.
func (t *folder) plainLine(b []byte) int {
	i := 0
	for ; i < len(b) && uint64(i) <= t.width; i++ {
		if b[i] == '\n' {
			t.out.buf = append(t.out.buf, b[:i+1]...)
			return i + 1
		}
		if b[i] < ' ' && !t.bytes {
			return 0
		}
	}
	if uint64(i) <= t.width {
		return 0
	}
	end := i - 1
	if t.spaces {
		for end > 0 && !isBlank(b[end-1]) {
			end--
		}
		if end == 0 {
			end = i - 1
		}
	}
	t.out.buf = append(append(t.out.buf, b[:end]...), '\n')
	return end
}

// add adds a byte at a column to the line, and returns the next column.
func (t *folder) add(held *growing, x byte, column uint64) (uint64, error) {
	if x == '\n' {
		t.out.buf = append(append(t.out.buf, held.data...), '\n')
		held.data = held.data[:0]
		return 0, t.out.spill()
	}
	for {
		next := t.advance(column, x)
		if next <= t.width {
			column = next
			break
		}
		if t.spaces {
			end := len(held.data)
			for end > 0 && !isBlank(held.data[end-1]) {
				end--
			}
			if end > 0 {
				t.out.buf = append(append(t.out.buf, held.data[:end]...), '\n')
				held.data = held.data[:copy(held.data, held.data[end:])]
				column = 0
				for _, y := range held.data {
					column = t.advance(column, y)
				}
				continue
			}
		}
		if len(held.data) == 0 {
			column = next
			break
		}
		t.out.buf = append(append(t.out.buf, held.data...), '\n')
		held.data = held.data[:0]
		column = 0
		if err := t.out.spill(); err != nil {
			return 0, err
		}
	}
	if len(held.data) == cap(held.data) {
		if err := held.reserve(len(held.data) + 1); err != nil {
			return 0, err
		}
	}
	held.data = append(held.data, x)
	return column, nil
}

// advance returns the column after x.
func (t *folder) advance(column uint64, x byte) uint64 {
	if t.bytes {
		return column + 1
	}
	switch x {
	case '\b':
		if column > 0 {
			column--
		}
		return column
	case '\r':
		return 0
	case '\t':
		return column + 8 - column%8
	}
	return column + 1
}
