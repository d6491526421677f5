package sqlite

import (
	"strings"

	"github.com/ncruces/go-sqlite3"
)

// columnOptions are those of the modes that print columns.
type columnOptions struct {
	wrap  int  // the width of a column, at most; 0 means any
	words bool // wrap between words
	quote bool // print literals of SQL
}

// A line is one line of a table: each of its cells is a part of a value.
type line struct {
	cells []string
	last  bool // of its row
}

// A tableau is a result that is laid out in columns.
type tableau struct {
	names  []string
	lines  []line
	widths []int
	tall   bool // some row has several lines
	held   int
}

// printColumns prints the rows of a query as a table.
func (s *shell) printColumns(q *query) error {
	t := &tableau{}
	defer func() { s.Free(t.held) }()
	if err := s.layOut(q, t); err != nil || len(t.lines) == 0 {
		return err
	}
	switch s.mode {
	case modeColumn:
		s.printAligned(t)
	case modeTable:
		s.printBordered(t, border{left: "| ", between: " | ", right: " |", top: "+-+", middle: "+-+", bottom: "+-+", dash: "-"})
	case modeMarkdown:
		s.printBordered(t, border{left: "| ", between: " | ", right: " |", middle: "|-|", dash: "-"})
	default:
		s.printBordered(t, border{left: "│ ", between: " │ ", right: " │", top: "┌┬┐", middle: "├┼┤", bottom: "└┴┘", dash: "─"})
	}
	_, err := s.out.Write(nil)
	return err
}

// layOut reads all rows.
func (s *shell) layOut(q *query, t *tableau) error {
	var r row
	for {
		more, err := q.step()
		if err != nil || !more {
			return err
		}
		if t.names == nil {
			t.begin(s, s.names(q))
		}
		if err := s.load(q, &r); err != nil {
			return err
		}
		if err := s.addRow(t, &r); err != nil {
			return err
		}
	}
}

// begin lays out the header.
func (t *tableau) begin(s *shell, names []string) {
	t.names = make([]string, len(names))
	t.widths = make([]int, len(names))
	for i, name := range names {
		t.names[i], _ = s.columns.cut(name, s.wrapAt(i))
		t.widths[i] = max(s.minimum(i), characters(t.names[i]))
	}
}

// minimum returns the width that the user wants for a column, at least.
func (s *shell) minimum(i int) int {
	if i < len(s.widths) {
		return max(s.widths[i], -s.widths[i])
	}
	return 0
}

// wrapAt returns the width at which the lines of a column are broken.
func (s *shell) wrapAt(i int) int {
	if w := s.minimum(i); w > 0 {
		return w
	}
	return s.columns.wrap
}

// addRow lays out one row.
func (s *shell) addRow(t *tableau, r *row) error {
	rest := make([]string, len(r.cells))
	size := 0
	for i := range r.cells {
		c := &r.cells[i]
		rest[i] = c.or(s.null)
		if s.columns.quote {
			rest[i] = s.quoted(c)
		}
		size += 16 + len(rest[i])
	}
	if err := s.Alloc(2 * size); err != nil {
		return err
	}
	t.held += 2 * size
	for first, more := true, true; more; first = false {
		more = false
		l := line{cells: make([]string, len(rest))}
		for i, text := range rest {
			if text == "" {
				continue
			}
			l.cells[i], rest[i] = s.columns.cut(text, s.wrapAt(i))
			more = more || rest[i] != ""
			t.widths[i] = max(t.widths[i], characters(l.cells[i]))
		}
		l.last = !more
		t.tall = t.tall || !first
		t.lines = append(t.lines, l)
		if err := s.Poll(len(rest)); err != nil {
			return err
		}
	}
	return nil
}

// quoted returns a cell as a literal, for tables.
func (s *shell) quoted(c *cell) string {
	switch c.kind {
	case sqlite3.NULL:
		return "NULL"
	case sqlite3.TEXT:
		return quoteSQL(c.text)
	case sqlite3.BLOB:
		return quoteBlob(c.blob, "x")
	}
	return c.text
}

// cut returns the first line of text, of no more than width characters where
// width is not 0, and the rest. Tabs become blanks.
func (o columnOptions) cut(text string, width int) (first, rest string) {
	if width == 0 {
		width = 1000000
	}
	end, n := measure(text, width)
	stop := end
	if n >= width && o.words {
		stop, end = wordBreak(text, end)
	}
	switch {
	case n >= width && end < len(text) && text[end] >= ' ':
		rest = text[end:]
	case strings.HasPrefix(text[end:], "\r\n"):
		rest = text[end+2:]
	case end+1 < len(text):
		rest = text[end+1:]
	}
	if !strings.Contains(text[:stop], "\t") {
		return text[:stop], rest
	}
	var b strings.Builder
	n = 0
	for i := range stop {
		if text[i] != '\t' {
			b.WriteByte(text[i])
			if text[i]&0xc0 != 0x80 {
				n++
			}
			continue
		}
		for ok := true; ok; ok = n&7 != 0 && n < width {
			b.WriteByte(' ')
			n++
		}
	}
	return b.String(), rest
}

// measure returns how many bytes, and how many characters, of text are its first
// line, up to a width.
func measure(text string, width int) (end, n int) {
	for n < width && end < len(text) {
		switch c := text[end]; {
		case c >= ' ':
			n++
			end++
			for end < len(text) && text[end]&0xc0 == 0x80 {
				end++
			}
		case c == '\t':
			for ok := true; ok; ok = n&7 != 0 && n < width {
				n++
			}
			end++
		default:
			return end, n
		}
	}
	return end, n
}

// wordBreak returns where in the second half of text[:end] a line may end, and
// where the next one begins.
func wordBreak(text string, end int) (stop, next int) {
	if end >= len(text) {
		return end, end
	}
	k := end
	for ; k > end/2 && !isBlank(text[k-1]); k-- {
	}
	if k <= end/2 {
		for k = end; k > end/2; k-- {
			if isAlnum(text[k-1]) != isAlnum(text[k]) && text[k]&0xc0 != 0x80 {
				break
			}
		}
	}
	if k <= end/2 {
		return end, end
	}
	next = k
	for next < len(text) && text[next] == ' ' {
		next++
	}
	return k, next
}

func isBlank(c byte) bool { return c == ' ' || '\t' <= c && c <= '\r' }

func isAlnum(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

// pad returns text in a column of the given width; the user may want it at the
// right.
func (s *shell) pad(text string, column, width int) string {
	blanks := strings.Repeat(" ", max(width-characters(text), 0))
	if column < len(s.widths) && s.widths[column] < 0 {
		return blanks + text
	}
	return text + blanks
}

// printAligned prints columns with nothing between them but blanks.
func (s *shell) printAligned(t *tableau) {
	put := func(text func(i int) string) {
		for i := range t.widths {
			if i > 0 {
				s.out.WriteString("  ")
			}
			s.out.WriteString(text(i))
		}
		s.out.WriteByte('\n')
	}
	if s.headers {
		put(func(i int) string { return s.pad(t.names[i], i, t.widths[i]) })
		put(func(i int) string { return strings.Repeat("-", t.widths[i]) })
	}
	for n, l := range t.lines {
		put(func(i int) string { return s.pad(l.cells[i], i, t.widths[i]) })
		if t.tall && l.last && n < len(t.lines)-1 {
			s.out.WriteByte('\n')
		}
	}
}

// A border is what a table is drawn with. The three strings of three characters
// are the ends and the crossings of horizontal lines; an empty one is no line.
type border struct {
	left, between, right string
	top, middle, bottom  string
	dash                 string
}

// printBordered prints columns with lines around them.
func (s *shell) printBordered(t *tableau, b border) {
	rule := func(ends string) {
		if ends == "" {
			return
		}
		chars := []rune(ends)
		left, cross, right := string(chars[0]), string(chars[1]), string(chars[2])
		if b.dash == "-" {
			cross, right = left, left
		}
		for i, w := range t.widths {
			if i == 0 {
				s.out.WriteString(left)
			} else {
				s.out.WriteString(cross)
			}
			s.out.WriteString(strings.Repeat(b.dash, w+2))
		}
		s.out.WriteString(right + "\n")
	}
	put := func(text func(i int) string) {
		for i := range t.widths {
			if i == 0 {
				s.out.WriteString(b.left)
			} else {
				s.out.WriteString(b.between)
			}
			s.out.WriteString(text(i))
		}
		s.out.WriteString(b.right + "\n")
	}
	rule(b.top)
	put(func(i int) string {
		space := t.widths[i] - characters(t.names[i])
		return strings.Repeat(" ", space/2) + t.names[i] + strings.Repeat(" ", (space+1)/2)
	})
	rule(b.middle)
	for n, l := range t.lines {
		put(func(i int) string { return s.pad(l.cells[i], i, t.widths[i]) })
		if t.tall && l.last && n < len(t.lines)-1 && s.mode != modeMarkdown {
			rule(b.middle)
		}
	}
	rule(b.bottom)
}
