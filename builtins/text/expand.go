package text

import (
	"bytes"
	"context"
	"io"

	"github.com/limpet-sh/limpet/builtins"
)

var _ = commands.Add(&builtins.Command{
	Name:     "expand",
	Synopsis: "[OPTION]... [FILE]...",
	Summary:  "convert tabs to spaces",
	Run:      runExpand,
})

// An expander converts tabs to spaces.
type expander struct {
	call    *builtins.Call
	out     *output
	stops   tabStops
	initial bool // only tabs before the first non-blank of a line
	column  uint64
	off     bool // nothing is converted in the rest of the line
}

func runExpand(ctx context.Context, c *builtins.Call) (err error) {
	e := expander{call: c}
	f := c.Flags()
	f.Bool(&e.initial, "i,initial", "do not convert tabs after non blanks")
	f.Func("t,tabs", "tabs are `N` columns apart, not 8, or at a LIST of columns", e.stops.add)
	f.Number = e.stops.add
	files, err := f.Parse()
	if err != nil {
		return err
	}
	if err := e.stops.finish(); err != nil {
		return f.Fail(err)
	}
	e.out = newOutput(c)
	defer e.out.close(&err)
	return c.EachInput(files, func(_ string, r io.Reader) error {
		return eachBlock(c, r, e.block)
	})
}

func (e *expander) block(b []byte) error {
	for len(b) > 0 {
		if e.off {
			n := bytes.IndexByte(b, '\n') + 1
			if n == 0 {
				return e.out.write(b)
			}
			if err := e.out.write(b[:n]); err != nil {
				return err
			}
			b, e.off, e.column = b[n:], false, 0
			continue
		}
		x := b[0]
		b = b[1:]
		switch x {
		case '\n':
			e.out.buf = append(e.out.buf, x)
			e.column = 0
			if err := e.out.spill(); err != nil {
				return err
			}
			continue
		case '\t':
			stop, ok := e.stops.next(e.column)
			if !ok {
				stop = e.column + 1
			}
			if err := e.spaces(stop - e.column); err != nil {
				return err
			}
			e.column = stop
		case '\b':
			e.out.buf = append(e.out.buf, x)
			if e.column > 0 {
				e.column--
			}
		default:
			e.out.buf = append(e.out.buf, x)
			e.column++
		}
		e.off = e.initial && !isBlank(x)
	}
	return e.out.spill()
}

func (e *expander) spaces(n uint64) error {
	for ; n > 0; n-- {
		e.out.buf = append(e.out.buf, ' ')
		if len(e.out.buf) >= blockSize {
			if err := e.call.Poll(blockSize >> 8); err != nil {
				return err
			}
			if err := e.out.flush(); err != nil {
				return err
			}
		}
	}
	return nil
}
