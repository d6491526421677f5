package sqlite

import (
	"strings"

	"github.com/ncruces/go-sqlite3"
)

// A mode is a way to print rows.
type mode uint8

// The modes.
const (
	modeList mode = iota
	modeASCII
	modeBox
	modeColumn
	modeCSV
	modeHTML
	modeInsert
	modeJSON
	modeLine
	modeMarkdown
	modeQuote
	modeTable
	modeTcl
	modeOff     // nothing at all
	modeExplain // of EXPLAIN
	modePlan    // of EXPLAIN QUERY PLAN
)

// modes has the names of the modes that users choose from.
var modes = map[mode]string{
	modeList: "list", modeASCII: "ascii", modeBox: "box", modeColumn: "column", modeCSV: "csv", modeHTML: "html", modeInsert: "insert",
	modeJSON: "json", modeLine: "line", modeMarkdown: "markdown", modeQuote: "quote", modeTable: "table", modeTcl: "tcl", modeOff: "off",
	modeExplain: "explain", modePlan: "eqp",
}

// A row is one row of a result.
type row struct {
	names []string
	cells []cell
}

// A cell is a value of a row.
type cell struct {
	kind sqlite3.Datatype
	text string // as C sees it: up to its first NUL
	blob []byte // of a blob; valid until the next row
	real float64
}

// cstring returns text up to its first NUL.
func cstring(text string) string {
	if i := strings.IndexByte(text, 0); i >= 0 {
		return text[:i]
	}
	return text
}

// or returns the text of c, or null where it is NULL.
func (c *cell) or(null string) string {
	if c.kind == sqlite3.NULL {
		return null
	}
	return c.text
}

// print prints the rows of a query.
func (s *shell) print(q *query) error {
	switch s.mode {
	case modePlan:
		return s.printPlan(q)
	case modeColumn, modeTable, modeBox, modeMarkdown:
		return s.printColumns(q)
	}
	r := &row{}
	for n := 0; ; n++ {
		more, err := q.step()
		if err != nil {
			return err
		}
		if !more {
			if n > 0 && s.mode == modeJSON {
				s.out.WriteString("]\n")
			}
			return nil
		}
		if n == 0 {
			r.names = s.names(q)
		}
		if err := s.load(q, r); err != nil {
			return err
		}
		if err := s.printRow(r, n); err != nil {
			return err
		}
	}
}

// names returns the names of a query's columns.
func (s *shell) names(q *query) []string {
	names := make([]string, q.ColumnCount())
	for i := range names {
		names[i] = cstring(q.ColumnName(i))
	}
	return names
}

// load reads the current row.
func (s *shell) load(q *query, r *row) error {
	r.cells = r.cells[:0]
	for i := range q.ColumnCount() {
		c := cell{kind: q.ColumnType(i)}
		switch c.kind {
		case sqlite3.NULL:
		case sqlite3.BLOB:
			c.blob = q.ColumnRawBlob(i)
			c.text = cstring(string(c.blob))
		case sqlite3.FLOAT:
			c.real = q.ColumnFloat(i)
			c.text = q.ColumnText(i)
		default:
			c.text = cstring(q.ColumnText(i))
		}
		if err := s.Poll(len(c.text) >> 8); err != nil {
			return err
		}
		r.cells = append(r.cells, c)
	}
	return nil
}

// printRow prints the n-th row.
func (s *shell) printRow(r *row, n int) error {
	if len(r.cells) == 0 {
		return nil
	}
	header := s.headers && n == 0
	var err error
	switch s.mode {
	case modeLine:
		err = s.printLine(r, n)
	case modeList, modeASCII:
		if header {
			s.printList(r.names, func(text string) string { return text })
		}
		s.printCells(r, func(c *cell) string { return c.or(s.null) })
	case modeTcl:
		if header {
			s.printList(r.names, quoteC)
		}
		s.printCells(r, func(c *cell) string { return quoteC(c.or(s.null)) })
	case modeCSV:
		if header {
			s.printList(r.names, s.quoteCSV)
		}
		s.printCells(r, func(c *cell) string {
			if c.kind == sqlite3.NULL {
				return s.null
			}
			return s.quoteCSV(c.text)
		})
	case modeQuote:
		if header {
			s.printList(r.names, quoteSQL)
		}
		s.printCells(r, func(c *cell) string { return s.literal(c, true) })
	case modeHTML:
		s.printHTML(r, header)
	case modeJSON:
		s.printJSON(r, n)
	case modeInsert:
		s.printInsert(r)
	case modeExplain:
		s.printExplain(r, n)
	}
	if err == nil {
		_, err = s.out.Write(nil) // which fails where an earlier write has failed
	}
	return err
}

// printList prints texts between separators.
func (s *shell) printList(texts []string, quote func(string) string) {
	for i, text := range texts {
		if i > 0 {
			s.out.WriteString(s.columnSep)
		}
		s.out.WriteString(quote(text))
	}
	s.out.WriteString(s.rowSep)
}

// printCells prints the cells of a row between separators.
func (s *shell) printCells(r *row, text func(*cell) string) {
	for i := range r.cells {
		if i > 0 {
			s.out.WriteString(s.columnSep)
		}
		s.out.WriteString(text(&r.cells[i]))
	}
	s.out.WriteString(s.rowSep)
}

// printLine prints a row with a line for each column.
func (s *shell) printLine(r *row, n int) error {
	width := 5
	for _, name := range r.names {
		width = max(width, len(name))
	}
	if n > 0 {
		s.out.WriteString(s.rowSep)
	}
	for i, name := range r.names {
		s.out.WriteString(strings.Repeat(" ", width-len(name)) + name + " = " + r.cells[i].or(s.null) + s.rowSep)
	}
	return nil
}

// htmlEscapes are those of HTML's special characters.
var htmlEscapes = strings.NewReplacer("<", "&lt;", "&", "&amp;", ">", "&gt;", `"`, "&quot;", "'", "&#39;")

func (s *shell) printHTML(r *row, header bool) {
	if header {
		s.out.WriteString("<TR>")
		for _, name := range r.names {
			s.out.WriteString("<TH>" + htmlEscapes.Replace(name) + "</TH>\n")
		}
		s.out.WriteString("</TR>\n")
	}
	s.out.WriteString("<TR>")
	for i := range r.cells {
		s.out.WriteString("<TD>" + htmlEscapes.Replace(r.cells[i].or(s.null)) + "</TD>\n")
	}
	s.out.WriteString("</TR>\n")
}

func (s *shell) printJSON(r *row, n int) {
	if n == 0 {
		s.out.WriteString("[{")
	} else {
		s.out.WriteString(",\n{")
	}
	for i := range r.cells {
		c := &r.cells[i]
		if i > 0 {
			s.out.WriteByte(',')
		}
		s.out.WriteString(quoteJSON(r.names[i]) + ":")
		switch c.kind {
		case sqlite3.NULL:
			s.out.WriteString("null")
		case sqlite3.FLOAT:
			s.out.WriteString(formatReal(c.real))
		case sqlite3.BLOB:
			s.out.WriteString(quoteJSON(string(c.blob)))
		case sqlite3.TEXT:
			s.out.WriteString(quoteJSON(c.text))
		default:
			s.out.WriteString(c.text)
		}
	}
	s.out.WriteByte('}')
}

func (s *shell) printInsert(r *row) {
	s.out.WriteString("INSERT INTO " + s.table)
	if s.headers {
		for i, name := range r.names {
			s.out.WriteString("(,"[min(i, 1):][:1] + quoteName(name))
		}
		s.out.WriteByte(')')
	}
	for i := range r.cells {
		if i == 0 {
			s.out.WriteString(" VALUES(")
		} else {
			s.out.WriteByte(',')
		}
		s.out.WriteString(s.literal(&r.cells[i], s.newlines))
	}
	s.out.WriteString(");\n")
}

// literal returns a cell as SQL has it. Newlines and carriage returns are within
// strings as they are, or else in a way that keeps the statement on one line.
func (s *shell) literal(c *cell, newlines bool) string {
	switch c.kind {
	case sqlite3.NULL:
		return "NULL"
	case sqlite3.FLOAT:
		return formatReal(c.real)
	case sqlite3.BLOB:
		return quoteBlob(c.blob, "X")
	case sqlite3.TEXT:
		if newlines {
			return quoteSQL(c.text)
		}
		return quoteOneLine(c.text)
	}
	return c.text
}

// explainWidths are those of the columns of EXPLAIN.
var explainWidths = []int{4, 13, 4, 4, 4, 13, 2, 13}

// printExplain prints a row of EXPLAIN.
func (s *shell) printExplain(r *row, n int) {
	line := func(text func(i int) string) {
		for i := range min(len(r.cells), len(explainWidths)) {
			if i > 0 {
				s.out.WriteString("  ")
			}
			t := text(i)
			s.out.WriteString(t)
			if i < len(r.cells)-1 || n == 0 && t != "" {
				s.out.WriteString(strings.Repeat(" ", max(explainWidths[i]-characters(t), 0)))
			}
		}
		s.out.WriteByte('\n')
	}
	if n == 0 {
		line(func(i int) string { return r.names[i] })
		line(func(i int) string { return strings.Repeat("-", explainWidths[i]) })
	}
	line(func(i int) string { return r.cells[i].or(s.null) })
}
