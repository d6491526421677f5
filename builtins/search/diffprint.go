package search

import (
	"bytes"
	"fmt"
	"strconv"

	"github.com/limpet-sh/limpet/internal/linediff"
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
	case styleFormat:
		return d.printFormatted(x, y, changes)
	}
	for i := range changes {
		if changes[i].Trivial {
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
func letter(c *change) byte {
	switch {
	case c.Del == 0:
		return 'a'
	case c.Ins == 0:
		return 'd'
	}
	return 'c'
}

func (d *differ) printNormal(x, y *diffFile, c *change) {
	d.headingLine(colorHunk, "%s%c%s", editSpan(c.A, c.Del, ","), letter(c), editSpan(c.B, c.Ins, ","))
	for i := range c.Del {
		d.printLine(x, c.A+i, "<", " ", colorDelete)
	}
	if c.Del > 0 && c.Ins > 0 {
		_, _ = d.out.WriteString("---\n")
	}
	for i := range c.Ins {
		d.printLine(y, c.B+i, ">", " ", colorInsert)
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
		d.printText(text, flag+separator)
	})
	_ = d.out.WriteByte('\n')
	if !ended {
		_, _ = d.out.WriteString("\\ No newline at end of file\n")
	}
}

// printText prints the text of a line, with tabs as spaces if -t is given, and
// then with what stands before the line again after a carriage return.
func (d *differ) printText(text []byte, before string) {
	if !d.expandTabs {
		_, _ = d.out.Write(text)
		return
	}
	column := 0
	for i, c := range text {
		switch {
		case c == '\t':
			for n := d.tabSize - column%d.tabSize; n > 0; n-- {
				_ = d.out.WriteByte(' ')
				column++
			}
			continue
		case c == '\r':
			column = 0
			if _ = d.out.WriteByte(c); i+1 < len(text) {
				_, _ = d.out.WriteString(before)
			}
			continue
		case c == '\b' && column == 0:
			continue
		case c == '\b':
			column--
		case c >= ' ' && c < 0x7f:
			column++
		}
		_ = d.out.WriteByte(c)
	}
}

func (d *differ) printForwardEd(y *diffFile, c *change) {
	fmt.Fprintf(d.out, "%c%s\n", letter(c), editSpan(c.A, c.Del, " "))
	if c.Ins > 0 {
		for i := range c.Ins {
			d.printText(y.text(c.B+i), "")
		}
		_, _ = d.out.WriteString(".\n")
	}
}

func (d *differ) printRCS(y *diffFile, c *change) {
	if c.Del > 0 {
		fmt.Fprintf(d.out, "d%d %d\n", c.A+1, c.Del)
	}
	if c.Ins > 0 {
		fmt.Fprintf(d.out, "a%d %d\n", c.A+c.Del, c.Ins)
		for i := range c.Ins {
			d.printText(y.text(c.B+i), "")
		}
	}
}

// printEd prints a script for ed, the last change first.
func (d *differ) printEd(y *diffFile, changes []change) error {
	for k := len(changes) - 1; k >= 0; k-- {
		c := &changes[k]
		if c.Trivial {
			continue
		}
		if err := d.Poll(1); err != nil {
			return err
		}
		fmt.Fprintf(d.out, "%s%c\n", editSpan(c.A, c.Del, ","), letter(c))
		if c.Ins == 0 {
			continue
		}
		open := true // ed is reading text
		for i := range c.Ins {
			if !open {
				_, _ = d.out.WriteString("a\n")
				open = true
			}
			text := bytes.TrimSuffix(y.text(c.B+i), []byte{'\n'})
			if len(text) == 1 && text[0] == '.' {
				_, _ = d.out.WriteString("..\n.\ns/.//\n")
				open = false
				continue
			}
			d.printText(text, "")
			_ = d.out.WriteByte('\n')
		}
		if open {
			_, _ = d.out.WriteString(".\n")
		}
	}
	_, err := d.out.Write(nil)
	return err
}

func (d *differ) printHunks(x, y *diffFile, changes []change) error {
	hunks := linediff.Hunks(changes, len(x.lines), len(y.lines), d.context)
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
		if err := d.Poll(1 + h.A1 - h.A0 + h.B1 - h.B0); err != nil {
			return err
		}
		if d.heading != nil {
			for k := h.A0 - 1; k >= searched; k-- {
				text := bytes.TrimSuffix(x.text(k), []byte{'\n'})
				if d.heading.Match(text) {
					found = " " + string(bytes.TrimRight(text[:min(len(text), 40)], " \t"))
					break
				}
			}
			searched = h.A0
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

func (d *differ) printUnified(x, y *diffFile, h *linediff.Hunk, function string) {
	d.colorize(colorHunk, func() { _, _ = d.out.WriteString(h.Header()) })
	_, _ = d.out.WriteString(function + "\n")
	a := h.A0
	for _, c := range h.Changes {
		for ; a < c.A; a++ {
			d.printLine(x, a, " ", "", "")
		}
		for i := range c.Del {
			d.printLine(x, c.A+i, "-", "", colorDelete)
		}
		for i := range c.Ins {
			d.printLine(y, c.B+i, "+", "", colorInsert)
		}
		a = c.A + c.Del
	}
	for ; a < h.A1; a++ {
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

func (d *differ) printContext(x, y *diffFile, h *linediff.Hunk, function string) {
	_, _ = d.out.WriteString("***************" + function + "\n")
	deletes, inserts := false, false
	for _, c := range h.Changes {
		deletes = deletes || c.Del > 0
		inserts = inserts || c.Ins > 0
	}
	d.headingLine(colorHunk, "*** %s ****", contextSpan(h.A0, h.A1))
	if deletes {
		d.printContextSide(x, h.A0, h.A1, h.Changes, "-", colorDelete, func(c *change) (int, int, bool) { return c.A, c.Del, c.Ins > 0 })
	}
	d.headingLine(colorHunk, "--- %s ----", contextSpan(h.B0, h.B1))
	if inserts {
		d.printContextSide(y, h.B0, h.B1, h.Changes, "+", colorInsert, func(c *change) (int, int, bool) { return c.B, c.Ins, c.Del > 0 })
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
