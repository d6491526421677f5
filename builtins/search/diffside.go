package search

import (
	"bytes"
	"cmp"
	"errors"
	"time"
	"unicode/utf8"

	"github.com/limpet-sh/limpet/internal/width"
	"github.com/limpet-sh/limpet/internal/zone"
)

// zeroTime is the time of a file that does not exist.
func zeroTime(tz string) time.Time { return time.Unix(0, 0).In(zone.Load(tz)) }

// gutter is the least width between the columns.
const gutter = 3

// A sidePrinter prints two files next to each other.
type sidePrinter struct {
	*differ
	half   int // width of a column
	second int // where the second column begins
	column int
	err    error // why no more is printed
}

// sides returns a printer with the columns that the width allows.
func (d *differ) sides() *sidePrinter {
	p := &sidePrinter{differ: d}
	tab := d.tabSize
	if d.expandTabs {
		tab = 1
	}
	offset := d.width>>1 + (tab+gutter)>>1 + d.width&(tab+gutter)&1
	offset -= offset % tab
	p.second = d.width
	if offset > gutter && d.width > offset {
		p.half = min(offset-gutter, d.width-offset)
	}
	if p.half > 0 {
		p.second = offset
	}
	return p
}

func (d *differ) printSides(x, y *diffFile, changes []change) error {
	p := d.sides()
	a, b := 0, 0
	for i := range changes {
		c := &changes[i]
		if c.Trivial {
			continue
		}
		if err := p.common(diffSpan{x, a, c.A}, diffSpan{y, b, c.B}); err != nil {
			return err
		}
		if err := d.Poll(1 + c.Del + c.Ins); err != nil {
			return err
		}
		if p.changed(x, y, c); p.err != nil {
			return p.err
		}
		a, b = c.A+c.Del, c.B+c.Ins
	}
	return p.common(diffSpan{x, a, len(x.lines)}, diffSpan{y, b, len(y.lines)})
}

// common prints lines that both files have, or the changes among them do not count.
func (p *sidePrinter) common(left, right diffSpan) error {
	if p.suppressCommon {
		return nil
	}
	for a, b := left.first, right.first; a < left.end || b < right.end; a, b = a+1, b+1 {
		if err := cmp.Or(p.err, p.Poll(1)); err != nil {
			return err
		}
		switch {
		case a >= left.end:
			p.line(nil, ')', right.file.text(b))
		case b >= right.end || p.leftColumn:
			p.line(left.file.text(a), '(', nil)
		default:
			p.line(left.file.text(a), ' ', right.file.text(b))
		}
	}
	_, err := p.out.Write(nil)
	return err
}

func (p *sidePrinter) changed(x, y *diffFile, c *change) {
	both := min(c.Del, c.Ins)
	for i := range both {
		p.line(x.text(c.A+i), '|', y.text(c.B+i))
	}
	for i := both; i < c.Ins; i++ {
		p.colorize(colorInsert, func() { p.line(nil, '>', y.text(c.B+i)) })
	}
	for i := both; i < c.Del; i++ {
		p.colorize(colorDelete, func() { p.line(x.text(c.A+i), '<', nil) })
	}
}

// line prints one line of either file, or both.
func (p *sidePrinter) line(left []byte, mark byte, right []byte) {
	if p.column = 0; p.err != nil {
		return
	}
	ended := func(text []byte) bool { return bytes.HasSuffix(text, []byte{'\n'}) }
	newline := left != nil && ended(left)
	if left != nil {
		p.text(left, 0)
	}
	if mark != ' ' {
		p.moveTo((p.half + p.second - 1) / 2)
		if mark == '|' && newline != ended(right) {
			if mark = '\\'; newline {
				mark = '/'
			}
		}
		_ = p.out.WriteByte(mark)
		p.column++
	}
	if right != nil {
		newline = newline || ended(right)
		if right[0] != '\n' {
			p.moveTo(p.second)
			p.text(right, p.second)
		}
	}
	if newline {
		_ = p.out.WriteByte('\n')
	}
}

// ends reports whether the call must end.
func (p *sidePrinter) ends() bool {
	if p.err == nil {
		p.err = p.Poll(256)
	}
	return p.err != nil
}

// moveTo goes to a column with tabs and spaces.
func (p *sidePrinter) moveTo(column int) {
	for i := 1; !p.expandTabs; i++ {
		if i%(8<<10) == 0 && p.ends() {
			return
		}
		next := p.column + p.tabSize - p.column%p.tabSize
		if next > column {
			break
		}
		_ = p.out.WriteByte('\t')
		p.column = next
	}
	for ; p.column < column; p.column++ {
		if (p.column+1)%(64<<10) == 0 && p.ends() {
			return
		}
		_ = p.out.WriteByte(' ')
	}
}

// text prints as much of a line as there is room for.
func (p *sidePrinter) text(text []byte, indent int) {
	in, out := 0, 0 // columns of the text and of what was printed
	defer func() { p.column = indent + out }()
	for len(text) > 0 {
		c := text[0]
		n := 1
		switch {
		case c == '\n':
			return
		case c == '\t':
			next := in + p.tabSize - in%p.tabSize
			if in == out {
				out = p.tab(out, next)
			}
			in = next
		case c == '\r':
			_ = p.out.WriteByte(c)
			p.column = 0
			p.moveTo(indent)
			in, out = 0, 0
		case c == '\b':
			if in > 0 {
				if in--; in < p.half {
					if out <= in {
						for ; out < in; out++ {
							_ = p.out.WriteByte(' ')
						}
					} else {
						out = in
						_ = p.out.WriteByte(c)
					}
				}
			}
		case c < ' ' || c == 0x7f:
			if in < p.half {
				_ = p.out.WriteByte(c)
			}
		default:
			var r rune
			r, n = utf8.DecodeRune(text)
			in += max(width.Rune(r), 0)
			if in <= p.half {
				out = in
				_, _ = p.out.Write(text[:n])
			}
		}
		text = text[n:]
	}
}

// tab prints a tab from column out to column next, and returns where that ends.
func (p *sidePrinter) tab(out, next int) int {
	if p.expandTabs {
		for next = min(next, p.half); out < next; out++ {
			_ = p.out.WriteByte(' ')
		}
		return out
	}
	if next < p.half {
		_ = p.out.WriteByte('\t')
		return next
	}
	return out
}

// setWidth sets the width, which has to be the same each time that it is given.
func (o *diffOptions) setWidth(n int) error {
	if o.widthGiven && n != o.width {
		return errors.New("conflicting width options")
	}
	o.width, o.widthGiven = n, true
	return nil
}

// setTabSize sets the distance of tab stops, likewise.
func (o *diffOptions) setTabSize(n int) error {
	if o.tabSizeGiven && n != o.tabSize {
		return errors.New("conflicting tabsize options")
	}
	o.tabSize, o.tabSizeGiven = n, true
	return nil
}
