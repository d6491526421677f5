package text

import (
	"cmp"
	"fmt"
)

// A prLine is a line of pr that is being made of columns. Spaces wait until
// something follows them, so that they can become tabs.
type prLine struct {
	pr         *paginator
	start      int // in the output
	position   int // on the page, without the pending spaces
	spaces     int // pending
	separators int // pending
	err        error
}

func (l *prLine) begin() { *l = prLine{pr: l.pr, start: len(l.pr.out.buf)} }

// column returns the column of the page at which a column begins, with its
// separator.
func (l *prLine) column(i int) int {
	p := l.pr
	at := p.margin
	if i > 0 {
		at += i*p.columnWidth + (i-1)*len(p.separator)
		if p.merge {
			at += p.numberWidth
		}
	}
	return at
}

// align moves to a column, and prints the separators before it.
func (l *prLine) align(i int) {
	p := l.pr
	if p.truncate || i == 0 || p.columns == 1 {
		l.padTo(l.column(i))
	}
	if p.columns == 1 {
		return
	}
	if l.separators <= 0 {
		l.flushSpaces()
		return
	}
	for ; l.separators > 0; l.separators-- {
		for _, b := range []byte(p.separator) {
			if b == ' ' {
				l.spaces++
				continue
			}
			l.put(b)
		}
		l.flushSpaces()
	}
}

// padTo moves to a column of the page.
func (l *prLine) padTo(column int) {
	if l.pr.tabify {
		l.spaces = max(column-l.position, 0)
		return
	}
	for ; l.position < column; l.position++ {
		l.pr.out.buf = append(l.pr.out.buf, ' ')
	}
}

// flushSpaces prints the pending spaces, as tabs where that is shorter.
func (l *prLine) flushSpaces() {
	goal := l.position + l.spaces
	for i := 1; goal-l.position > 1; i++ {
		if i%(8<<10) == 0 && l.err == nil {
			l.err = l.pr.call.Poll(256)
		}
		if l.err != nil {
			return
		}
		tab := l.position + l.pr.outputTab - l.position%l.pr.outputTab
		if tab > goal {
			break
		}
		l.pr.out.buf = append(l.pr.out.buf, l.pr.outputChar)
		l.position = tab
	}
	for ; l.position < goal; l.position++ {
		l.pr.out.buf = append(l.pr.out.buf, ' ')
	}
	l.spaces = 0
}

// put prints a byte that takes a column.
func (l *prLine) put(b byte) {
	l.flushSpaces()
	l.pr.out.buf = append(l.pr.out.buf, b)
	l.position++
}

// text prints a byte of text.
func (l *prLine) text(b byte) {
	switch {
	case !l.pr.tabify:
		l.pr.out.buf = append(l.pr.out.buf, b)
		l.position++
	case b == ' ':
		l.spaces++
	case b == '\b':
		l.flushSpaces()
		l.pr.out.buf = append(l.pr.out.buf, b)
		l.position--
	case b < ' ' || b >= 127: // no width, bytes of other characters too
		l.flushSpaces()
		l.pr.out.buf = append(l.pr.out.buf, b)
	default:
		l.put(b)
	}
}

// cell prints a line in a column.
func (l *prLine) cell(i int, line []byte, number int64) {
	p := l.pr
	l.align(i)
	used := 0
	if p.number && (i == 0 || !p.merge) {
		used = l.number(number)
		if p.merge || !p.truncate {
			used = 0 // the first column is wider, or lines are as long as they are
		}
	}
	for _, b := range line {
		clump, columns := p.clump(b, used)
		if used+columns < 0 {
			continue // before the first column there is nothing to go back to
		}
		if p.truncate && used+columns > p.columnWidth {
			break
		}
		used += columns
		for _, x := range clump {
			l.text(x)
		}
		if len(p.out.buf)-l.start > 1<<16 && !p.merge && l.err == nil {
			l.err = cmp.Or(p.call.Poll(256), p.out.spill())
			l.start = len(p.out.buf)
		}
		if l.err != nil {
			return
		}
	}
}

// number prints the number of a line, and returns its width.
func (l *prLine) number(n int64) int {
	p := l.pr
	digits := fmt.Sprintf("%*d", p.numberDigits, n)
	for _, b := range []byte(digits[len(digits)-p.numberDigits:]) {
		l.text(b)
	}
	switch {
	case p.numberSep != '\t':
		l.text(p.numberSep)
	case p.columns > 1:
		for range p.numberWidth - p.numberDigits {
			l.text(' ')
		}
	default:
		p.out.buf = append(p.out.buf, '\t')
		l.position += p.numberWidth - p.numberDigits
	}
	return p.numberWidth
}

// clump returns what a byte is shown as, at a column of its line, and its width.
func (p *paginator) clump(b byte, at int) (text []byte, columns int) {
	switch {
	case p.expandTab > 0 && b == p.expandChar || b == '\t':
		size := 8
		if p.expandTab > 0 && b == p.expandChar {
			size = p.expandTab
		}
		columns = size - at%size
		if p.expandTab == 0 {
			return []byte{b}, columns
		}
		text = make([]byte, columns)
		for i := range text {
			text[i] = ' '
		}
		return text, columns
	case b >= ' ' && b < 127:
		return []byte{b}, 1
	case p.control == 'v':
		text = fmt.Appendf(nil, `\%03o`, b)
		return text, len(text)
	case p.control == 'c' && b < ' ' || p.control == 'c' && b == 127:
		return []byte{'^', b ^ 64}, 2
	case p.control == 'c':
		return fmt.Appendf(nil, `\%03o`, b), 4
	case b == '\b':
		return []byte{b}, -1
	}
	return []byte{b}, 0
}
