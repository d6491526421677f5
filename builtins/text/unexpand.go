package text

import (
	"context"
	"io"

	"github.com/limpet-sh/limpet/builtins"
)

var _ = commands.Add(&builtins.Command{
	Name:     "unexpand",
	Synopsis: "[OPTION]... [FILE]...",
	Summary:  "convert blanks to tabs",
	Run:      runUnexpand,
})

// An unexpander converts blanks to tabs.
type unexpander struct {
	call    *builtins.Call
	out     *output
	stops   tabStops
	all     bool // blanks after the first non-blank of a line too
	column  uint64
	off     bool    // nothing is converted in the rest of the line
	pending growing // blanks that may become a tab
	edge    bool    // the first of these is a blank right before a stop
	blank   bool    // the last byte was a blank
}

func runUnexpand(ctx context.Context, c *builtins.Call) (err error) {
	u := unexpander{call: c, pending: growing{call: c}, blank: true}
	first := false
	f := c.Flags()
	tabs := func(s string) error { u.all = true; return u.stops.add(s) }
	f.Bool(&u.all, "a,all", "convert all blanks, not only those at the start of lines")
	f.Bool(&first, "first-only", "convert only the blanks at the start of lines; overrides -a")
	f.Func("t,tabs", "tabs are `N` columns apart, not 8, or at a LIST of columns; enables -a", tabs)
	f.Number = tabs
	files, err := f.Parse()
	if err != nil {
		return err
	}
	if err := u.stops.finish(); err != nil {
		return f.Fail(err)
	}
	u.all = u.all && !first
	u.out = newOutput(c)
	defer u.out.close(&err)
	defer u.pending.drop()
	err = c.EachInput(files, func(_ string, r io.Reader) error {
		return eachBlock(c, r, func(b []byte) error {
			for _, x := range b {
				if err := u.byte(x); err != nil {
					return err
				}
			}
			return u.out.spill()
		})
	})
	u.flush()
	return err
}

// byte converts the next byte.
func (u *unexpander) byte(x byte) error {
	if !u.off {
		blank := isBlank(x)
		if blank {
			wait, y, err := u.convert(x)
			if wait || err != nil {
				return err
			}
			x = y
		} else if x == '\b' {
			if u.column > 0 {
				u.column--
			}
		} else {
			u.column++
		}
		u.flush()
		u.blank = blank
		u.off = u.off || !u.all && !blank
	}
	u.out.buf = append(u.out.buf, x)
	if x == '\n' {
		u.column, u.off, u.blank, u.edge = 0, false, true, false
	}
	return nil
}

// convert takes a blank. It returns true if it waits for what follows, and
// otherwise the byte to print after the pending ones.
func (u *unexpander) convert(x byte) (wait bool, y byte, err error) {
	stop, ok := u.stops.next(u.column)
	if !ok {
		u.off = true
		return false, x, nil
	}
	if x == '\t' {
		u.column = stop
		if len(u.pending.data) > 0 {
			u.pending.data[0] = '\t'
		}
	} else {
		u.column++
		if !(u.blank && u.column == stop) {
			if u.column == stop {
				u.edge = true
			}
			u.blank = true
			return true, 0, u.pending.add([]byte{x})
		}
		x = '\t'
		if len(u.pending.data) > 0 {
			u.pending.data[0] = '\t'
		}
	}
	// What is pending becomes the tab, but for a blank right before the
	// stop before.
	keep := 0
	if u.edge {
		keep = min(1, len(u.pending.data))
	}
	u.pending.data = u.pending.data[:keep]
	return false, x, nil
}

// flush prints the pending blanks.
func (u *unexpander) flush() {
	if len(u.pending.data) == 0 {
		return
	}
	if len(u.pending.data) > 1 && u.edge {
		u.pending.data[0] = '\t'
	}
	u.out.buf = append(u.out.buf, u.pending.data...)
	u.pending.data, u.edge = u.pending.data[:0], false
}
