package search

import (
	"bytes"
	"fmt"
	"strconv"

	"github.com/limpet-sh/limpet/internal/zone"
)

// Colors of the parts of a difference.
const (
	colorHeader = "1"
	colorHunk   = "36"
	colorDelete = "31"
	colorInsert = "32"
)

// print prints the changes in the style that was asked for.
func (d *differ) print(x, y *diffFile, changes []change) error {
	switch d.style {
	case styleContext, styleUnified:
		return d.printHunks(x, y, changes)
	case styleSide:
		return d.printSides(x, y, changes)
	case styleEd:
		return d.printEd(y, changes)
	}
	for i := range changes {
		if changes[i].trivial {
			continue
		}
		if err := d.Poll(1); err != nil {
			return err
		}
		switch d.style {
		case styleForwardEd:
			d.printForwardEd(y, &changes[i])
		case styleRCS:
			d.printRCS(y, &changes[i])
		default:
			d.printNormal(x, y, &changes[i])
		}
	}
	_, err := d.out.Write(nil)
	return err
}

// colorize prints what do prints, which is a part of a line, in a color.
func (d *differ) colorize(color string, do func()) {
	if d.colored && color != "" {
		fmt.Fprintf(d.out, "\x1b[%sm", color)
		defer func() { _, _ = d.out.WriteString("\x1b[0m") }()
	}
	do()
}

// headingLine prints a line in a color.
func (d *differ) headingLine(color, format string, args ...any) {
	d.colorize(color, func() { fmt.Fprintf(d.out, format, args...) })
	_ = d.out.WriteByte('\n')
}

// editSpan writes the lines from i to i+n as ed does.
func editSpan(i, n int, sep string) string {
	if n <= 1 {
		return strconv.Itoa(i + n)
	}
	return strconv.Itoa(i+1) + sep + strconv.Itoa(i+n)
}

// letter returns the command of ed for a change.
func (c *change) letter() byte {
	switch {
	case c.del == 0:
		return 'a'
	case c.ins == 0:
		return 'd'
	}
	return 'c'
}

func (d *differ) printNormal(x, y *diffFile, c *change) {
	d.headingLine(colorHunk, "%s%c%s", editSpan(c.a, c.del, ","), c.letter(), editSpan(c.b, c.ins, ","))
	for i := range c.del {
		d.printLine(x, c.a+i, "<", " ", colorDelete)
	}
	if c.del > 0 && c.ins > 0 {
		_, _ = d.out.WriteString("---\n")
	}
	for i := range c.ins {
		d.printLine(y, c.b+i, ">", " ", colorInsert)
	}
}

// printLine prints line i of f after its flag; the separator is what stands
// between them unless a tab does.
func (d *differ) printLine(f *diffFile, i int, flag, separator, color string) {
	text, ended := bytes.CutSuffix(f.text(i), []byte{'\n'})
	d.colorize(color, func() {
		if d.suppressBlankEmpty && len(text) == 0 {
			separator = ""
			if flag == " " {
				flag = ""
			}
		} else if d.initialTab {
			separator = "\t"
			if flag == " " {
				flag = ""
			}
		}
		_, _ = d.out.WriteString(flag)
		_, _ = d.out.WriteString(separator)
		d.printText(text)
	})
	_ = d.out.WriteByte('\n')
	if !ended {
		_, _ = d.out.WriteString("\\ No newline at end of file\n")
	}
}

// printText prints the text of a line, with tabs as spaces if -t is given.
func (d *differ) printText(text []byte) {
	if !d.expandTabs {
		_, _ = d.out.Write(text)
		return
	}
	column := 0
	for _, c := range text {
		switch {
		case c == '\t':
			for n := d.tabSize - column%d.tabSize; n > 0; n-- {
				_ = d.out.WriteByte(' ')
				column++
			}
			continue
		case c == '\r':
			column = 0
		case c == '\b' && column > 0:
			column--
		case c >= ' ' && c&0xc0 != 0x80:
			column++
		}
		_ = d.out.WriteByte(c)
	}
}

func (d *differ) printForwardEd(y *diffFile, c *change) {
	fmt.Fprintf(d.out, "%c%s\n", c.letter(), editSpan(c.a, c.del, " "))
	if c.ins > 0 {
		for i := range c.ins {
			_, _ = d.out.Write(y.text(c.b + i))
		}
		_, _ = d.out.WriteString(".\n")
	}
}

func (d *differ) printRCS(y *diffFile, c *change) {
	if c.del > 0 {
		fmt.Fprintf(d.out, "d%d %d\n", c.a+1, c.del)
	}
	if c.ins > 0 {
		fmt.Fprintf(d.out, "a%d %d\n", c.a+c.del, c.ins)
		for i := range c.ins {
			_, _ = d.out.Write(y.text(c.b + i))
		}
	}
}

// printEd prints a script for ed, the last change first.
func (d *differ) printEd(y *diffFile, changes []change) error {
	for k := len(changes) - 1; k >= 0; k-- {
		c := &changes[k]
		if c.trivial {
			continue
		}
		if err := d.Poll(1); err != nil {
			return err
		}
		fmt.Fprintf(d.out, "%s%c\n", editSpan(c.a, c.del, ","), c.letter())
		if c.ins == 0 {
			continue
		}
		open := true // ed is reading text
		for i := range c.ins {
			if !open {
				_, _ = d.out.WriteString("a\n")
				open = true
			}
			text := bytes.TrimSuffix(y.text(c.b+i), []byte{'\n'})
			if len(text) == 1 && text[0] == '.' {
				_, _ = d.out.WriteString("..\n.\ns/.//\n")
				open = false
				continue
			}
			_, _ = d.out.Write(text)
			_ = d.out.WriteByte('\n')
		}
		if open {
			_, _ = d.out.WriteString(".\n")
		}
	}
	_, err := d.out.Write(nil)
	return err
}

// A hunk is changes that are printed together, with the lines around them.
type hunk struct {
	changes []change
	a0, a1  int // lines of the first file
	b0, b1  int
}

// hunks groups changes whose context touches.
func (d *differ) hunks(x, y *diffFile, changes []change) []hunk {
	var list []hunk
	for len(changes) > 0 {
		n := 1
		for n < len(changes) {
			limit := 2*d.context + 1
			if changes[n].trivial {
				limit = d.context
			}
			if changes[n].a-(changes[n-1].a+changes[n-1].del) >= limit {
				break
			}
			n++
		}
		h := hunk{changes: changes[:n]}
		changes = changes[n:]
		counts := false
		for _, c := range h.changes {
			counts = counts || !c.trivial
		}
		if !counts {
			continue
		}
		first, last := h.changes[0], h.changes[n-1]
		endA, endB := last.a+last.del, last.b+last.ins
		h.a0, h.b0 = max(first.a-d.context, 0), max(first.b-d.context, 0)
		h.a1, h.b1 = min(endA+d.context, len(x.lines)), min(endB+d.context, len(y.lines))
		list = append(list, h)
	}
	return list
}

func (d *differ) printHunks(x, y *diffFile, changes []change) error {
	hunks := d.hunks(x, y, changes)
	if len(hunks) == 0 {
		return nil
	}
	marks := [2]string{"***", "---"}
	if d.style == styleUnified {
		marks = [2]string{"---", "+++"}
	}
	d.headingLine(colorHeader, "%s %s", marks[0], d.title(x, 0))
	d.headingLine(colorHeader, "%s %s", marks[1], d.title(y, 1))
	searched, found := 0, ""
	for i := range hunks {
		h := &hunks[i]
		if err := d.Poll(1 + h.a1 - h.a0 + h.b1 - h.b0); err != nil {
			return err
		}
		if d.heading != nil {
			for k := h.a0 - 1; k >= searched; k-- {
				text := bytes.TrimSuffix(x.text(k), []byte{'\n'})
				if d.heading.Match(text) {
					found = " " + string(bytes.TrimRight(text[:min(len(text), 40)], " \t"))
					break
				}
			}
			searched = h.a0
		}
		if d.style == styleUnified {
			d.printUnified(x, y, h, found)
		} else {
			d.printContext(x, y, h, found)
		}
	}
	_, err := d.out.Write(nil)
	return err
}

// title returns the name and the time of a file, or its label.
func (d *differ) title(f *diffFile, i int) string {
	if i < len(d.labels) {
		return d.labels[i]
	}
	t := f.mtime.In(zone.Load(d.Getenv("TZ")))
	if f.absent {
		t = zeroTime(d.Getenv("TZ"))
	}
	return f.name + "\t" + t.Format("2006-01-02 15:04:05.000000000 -0700")
}

// unifiedSpan writes the lines from i to j as a unified header does.
func unifiedSpan(i, j int) string {
	switch j - i {
	case 1:
		return strconv.Itoa(j)
	case 0:
		return strconv.Itoa(i) + ",0"
	}
	return strconv.Itoa(i+1) + "," + strconv.Itoa(j-i)
}

func (d *differ) printUnified(x, y *diffFile, h *hunk, function string) {
	d.colorize(colorHunk, func() {
		fmt.Fprintf(d.out, "@@ -%s +%s @@", unifiedSpan(h.a0, h.a1), unifiedSpan(h.b0, h.b1))
	})
	_, _ = d.out.WriteString(function + "\n")
	a := h.a0
	for _, c := range h.changes {
		for ; a < c.a; a++ {
			d.printLine(x, a, " ", "", "")
		}
		for i := range c.del {
			d.printLine(x, c.a+i, "-", "", colorDelete)
		}
		for i := range c.ins {
			d.printLine(y, c.b+i, "+", "", colorInsert)
		}
		a = c.a + c.del
	}
	for ; a < h.a1; a++ {
		d.printLine(x, a, " ", "", "")
	}
}

// contextSpan writes the lines from i to j as a context header does.
func contextSpan(i, j int) string {
	if j-i <= 1 {
		return strconv.Itoa(j)
	}
	return strconv.Itoa(i+1) + "," + strconv.Itoa(j)
}

func (d *differ) printContext(x, y *diffFile, h *hunk, function string) {
	_, _ = d.out.WriteString("***************" + function + "\n")
	deletes, inserts := false, false
	for _, c := range h.changes {
		deletes = deletes || c.del > 0
		inserts = inserts || c.ins > 0
	}
	d.headingLine(colorHunk, "*** %s ****", contextSpan(h.a0, h.a1))
	if deletes {
		d.printContextSide(x, h.a0, h.a1, h.changes, "-", colorDelete, func(c *change) (int, int, bool) { return c.a, c.del, c.ins > 0 })
	}
	d.headingLine(colorHunk, "--- %s ----", contextSpan(h.b0, h.b1))
	if inserts {
		d.printContextSide(y, h.b0, h.b1, h.changes, "+", colorInsert, func(c *change) (int, int, bool) { return c.b, c.ins, c.del > 0 })
	}
}

// printContextSide prints the lines of one file in a hunk. part returns the
// lines of a change, and whether the other file has lines there too.
func (d *differ) printContextSide(f *diffFile, from, to int, changes []change, flag, color string, part func(*change) (int, int, bool)) {
	for i := from; i < to; i++ {
		mark := " "
		for k := range changes {
			if at, n, both := part(&changes[k]); i >= at && i < at+n {
				if mark = flag; both {
					mark = "!"
				}
				break
			}
		}
		d.printLine(f, i, mark, " ", color)
	}
}
