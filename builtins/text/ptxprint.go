package text

import (
	"bufio"
	"io"
	"strconv"
	"strings"
)

// measure settles the widths of the fields.
func (x *indexer) measure() {
	if x.auto {
		for _, in := range x.inputs {
			x.refMax = max(x.refMax, len(in.name)+len(":"+strconv.Itoa(in.lines+1)))
		}
	}
	if (x.auto || x.refs) && !x.rightRefs {
		x.width = max(0, x.width-x.refMax-x.gap)
	}
	x.half = x.width / 2
	x.before, x.after = x.half-x.gap, x.half
	if n := len(x.truncation); n > 0 {
		x.before = max(0, x.before-2*n)
		x.after -= 2 * n
		if x.traditional {
			x.before, x.after = x.half-x.gap, x.half-2*n-1
		}
	}
}

// A ptxPart is a part of a text, with whether something is missing beside it.
type ptxPart struct {
	from, to int
	cut      bool
}

func (s ptxPart) width() int { return s.to - s.from }

// A ptxLine is a line of the index.
type ptxLine struct {
	text                      []byte
	tail, before, after, head ptxPart
	reference                 string
}

// skip moves over a word, or over one character that belongs to none.
func (x *indexer) skip(text []byte, i, limit int) int {
	if x.word != nil {
		loc := x.word.Bounds(text[i:limit], 0)
		if loc == nil || loc[0] != 0 {
			return i + 1
		}
		return i + max(loc[1], 1)
	}
	if !x.letters[text[i]] {
		return i + 1
	}
	for i < limit && x.letters[text[i]] {
		i++
	}
	return i
}

// fill returns how far words from start on fit into a width.
func (x *indexer) fill(text []byte, start, cursor, end, width int, strict bool) int {
	fits := func(i int) bool { return i < start+width || !strict && i == start+width }
	to := cursor
	for to < end && fits(cursor) {
		to = cursor
		if cursor >= end {
			break
		}
		cursor = x.skip(text, cursor, end)
	}
	if fits(cursor) {
		to = cursor
	}
	return to
}

// line fits an occurrence into the fields of a line: the keyword with what follows
// it, what precedes it, and where there is room the rest of what follows and of
// what precedes.
func (x *indexer) line(o occurrence) ptxLine {
	text := o.in.text
	e := ptxLine{text: text}
	flagged := x.truncation != ""

	e.after = ptxPart{from: o.start, to: x.fill(text, o.start, o.end, o.right, x.after, false)}
	e.after.cut = flagged && e.after.to < o.right
	e.after.to = backWhite(text, e.after.to, e.after.from)

	left := o.left
	if o.start-o.left > x.half+x.longest {
		left = x.skip(text, o.start-(x.half+x.longest), o.start)
	}
	e.before = ptxPart{from: left, to: backWhite(text, o.start, left)}
	for e.before.from+max(x.before, 0) < e.before.to {
		e.before.from = x.skip(text, e.before.from, e.before.to)
	}
	e.before.cut = flagged && backWhite(text, e.before.from, 0) > o.left
	e.before.from = skipWhite(text, e.before.from, len(text))

	if room := x.before - e.before.width() - x.gap; room > 0 {
		start := skipWhite(text, e.after.to, len(text))
		e.tail = ptxPart{from: start, to: x.fill(text, start, start, o.right, room, true)}
		if e.tail.to > e.tail.from {
			e.after.cut = false
			e.tail.cut = flagged && e.tail.to < o.right
		}
		e.tail.to = backWhite(text, e.tail.to, e.tail.from)
	}
	if room := x.after - e.after.width() - x.gap; room > 0 {
		e.head = ptxPart{from: left, to: backWhite(text, e.before.from, 0)}
		for e.head.from+room < e.head.to {
			e.head.from = x.skip(text, e.head.from, e.head.to)
		}
		if e.head.to > e.head.from {
			e.before.cut = false
			e.head.cut = flagged && e.head.from > o.left
			e.head.from = skipWhite(text, e.head.from, e.head.to)
		} else {
			e.head = ptxPart{}
		}
	}
	switch {
	case x.auto:
		e.reference = o.in.name + ":" + strconv.Itoa(o.line)
	case x.refs:
		e.reference = string(text[o.refStart:skipBlack(text, o.refStart, len(text))])
	}
	return e
}

// print prints the index.
func (x *indexer) print(w io.Writer) error {
	out := bufio.NewWriterSize(w, 32<<10)
	for _, o := range x.found {
		if err := x.Poll(8); err != nil {
			return err
		}
		e := x.line(o)
		var line string
		switch x.format {
		case 'O':
			line = x.roff(e)
		case 'T':
			line = x.tex(e)
		default:
			line = x.plain(e)
		}
		if _, err := out.WriteString(line + "\n"); err != nil {
			return err
		}
	}
	return out.Flush()
}

// field returns a part of the text, with spaces for all that is white.
func (e *ptxLine) field(s ptxPart) string {
	if s.to <= s.from {
		return ""
	}
	b := make([]byte, 0, s.width())
	for _, c := range e.text[s.from:s.to] {
		if white(c) {
			c = ' '
		}
		b = append(b, c)
	}
	return string(b)
}

// flag returns the mark of a part beside which something is missing.
func (x *indexer) flag(s ptxPart) string {
	if s.cut {
		return x.truncation
	}
	return ""
}

func blanks(n int) string { return strings.Repeat(" ", max(n, 0)) }

// plain returns a line in columns.
func (x *indexer) plain(e ptxLine) string {
	var b strings.Builder
	referenced := x.auto || x.refs
	if !x.rightRefs {
		b.WriteString(e.reference)
		if x.auto {
			b.WriteString(":" + blanks(x.refMax+x.gap-len(e.reference)-1))
		} else {
			b.WriteString(blanks(x.refMax + x.gap - len(e.reference)))
		}
	}
	before := x.flag(e.before) + e.field(e.before)
	tail := ""
	if e.tail.to > e.tail.from {
		tail = e.field(e.tail) + x.flag(e.tail)
	}
	b.WriteString(tail + blanks(x.half-x.gap-len(x.flag(e.before))-e.before.width()-len(tail)) + before + blanks(x.gap))
	after := e.field(e.after) + x.flag(e.after)
	b.WriteString(after)
	switch {
	case e.head.to > e.head.from:
		head := x.flag(e.head) + e.field(e.head)
		b.WriteString(blanks(x.half-len(after)-len(head)) + head)
	case referenced && x.rightRefs:
		b.WriteString(blanks(x.half - len(after)))
	}
	if referenced && x.rightRefs {
		b.WriteString(blanks(x.gap) + e.reference)
	}
	return b.String()
}

// roff returns a line as a macro of roff.
func (x *indexer) roff(e ptxLine) string {
	quote := func(s string) string { return ` "` + strings.ReplaceAll(s, `"`, `""`) + `"` }
	line := "." + x.macro + quote(e.field(e.tail)+x.flag(e.tail)) + quote(x.flag(e.before)+e.field(e.before)) +
		quote(e.field(e.after)+x.flag(e.after)) + quote(x.flag(e.head)+e.field(e.head))
	if x.auto || x.refs {
		line += quote(e.reference)
	}
	return line
}

// texSigns are what TeX wants written otherwise.
var texSigns = strings.NewReplacer("$", `\$`, "%", `\%`, "&", `\&`, "#", `\#`, "_", `\_`, "{", `$\{$`, "}", `$\}$`, `\`, `\backslash{}`)

// tex returns a line as a macro of TeX, which has the keyword apart from what
// follows it.
func (x *indexer) tex(e ptxLine) string {
	group := func(s string) string { return "{" + texSigns.Replace(s) + "}" }
	split := e.after.from
	if e.after.to > e.after.from {
		split = x.skip(e.text, e.after.from, e.after.to)
	}
	line := `\` + x.macro + " " + group(e.field(e.tail)) + group(e.field(e.before)) +
		group(e.field(ptxPart{from: e.after.from, to: split})) + group(e.field(ptxPart{from: split, to: e.after.to})) + group(e.field(e.head))
	if x.auto || x.refs {
		line += group(e.reference)
	}
	return line
}
