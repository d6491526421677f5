package text

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/limpet-sh/limpet/internal/width"
)

// A tableColumn is a column of a table.
type tableColumn struct {
	cell   int // which cell of a line
	name   string
	width  int
	right  bool
	hidden bool
}

// printTable prints the lines as a table.
func (t *columner) printTable() error {
	rows := make([][][]byte, 0, len(t.lines))
	count := len(t.names)
	for _, line := range t.lines {
		cells := t.cells(line)
		if err := t.call.Poll(1 + len(cells)); err != nil {
			return err
		}
		if err := t.call.Alloc(24 * len(cells)); err != nil {
			return err
		}
		t.held += 24 * len(cells)
		rows = append(rows, cells)
		count = max(count, len(cells))
	}
	if t.json {
		for i, cells := range rows {
			if len(cells) > len(t.names) {
				return fmt.Errorf("line %d: for JSON the name of the column %d is required", i+2, len(t.names)+1) // the names are a line
			}
		}
	}
	const perColumn = 160 // in the order of cells and in that of the output
	if err := t.call.Alloc(perColumn * count); err != nil {
		return err
	}
	t.held += perColumn * count
	columns, err := t.columns(count)
	if err != nil {
		return err
	}
	if t.json {
		return t.printJSON(columns, rows)
	}
	if len(t.names) > 0 && !t.noHeader {
		header := make([][]byte, len(t.names))
		for i, name := range t.names {
			header[i] = []byte(name)
		}
		rows = slices.Insert(rows, 0, header)
	}
	at := make([]int, count) // of the column that has a cell
	for i, c := range columns {
		at[c.cell] = i
	}
	for _, row := range rows {
		if err := t.call.Poll(1 + len(row)); err != nil {
			return err
		}
		for i, cell := range row {
			columns[at[i]].grow(cell)
		}
	}
	columns = slices.DeleteFunc(columns, func(c tableColumn) bool { return c.hidden })
	for _, row := range rows {
		t.printRow(columns, row)
		if err := t.call.Poll(len(columns)); err != nil {
			return err
		}
		if err := t.out.spill(); err != nil {
			return err
		}
	}
	return nil
}

func (c *tableColumn) grow(cell []byte) { c.width = max(c.width, width.Bytes(cell)) }

// columns returns the columns in the order in which they are printed.
func (t *columner) columns(count int) ([]tableColumn, error) {
	columns := make([]tableColumn, count)
	for i := range columns {
		columns[i].cell = i
		if i < len(t.names) {
			columns[i].name = t.names[i]
		}
	}
	err := t.each(t.right, columns, func(i int) { columns[i].right = true })
	if err == nil {
		err = t.each(t.hide, columns, func(i int) { columns[i].hidden = true })
	}
	var ordered []tableColumn
	placed := make([]bool, count)
	place := func(i int) {
		if !placed[i] {
			placed[i] = true
			ordered = append(ordered, columns[i])
		}
	}
	if err == nil {
		err = t.each(t.order, columns, place)
	}
	for i := range columns {
		place(i)
	}
	return ordered, err
}

// each calls do for each column that a list names or numbers.
func (t *columner) each(list string, columns []tableColumn, do func(i int)) error {
	if list == "" {
		return nil
	}
	for _, item := range strings.Split(list, ",") {
		if n, err := strconv.ParseUint(item, 10, 31); err == nil {
			for i := range columns {
				if n == 0 || uint64(i) == n-1 {
					do(i)
				}
			}
			continue
		}
		if item == "-" && list == t.hide {
			for i := len(t.names); i < len(columns); i++ {
				do(i)
			}
			continue
		}
		i := slices.Index(t.names, item)
		if i < 0 {
			return fmt.Errorf("undefined column name '%s'", item)
		}
		do(i)
	}
	return nil
}

// printRow prints a row. Its last cell is not padded.
func (t *columner) printRow(columns []tableColumn, row [][]byte) {
	for i, c := range columns {
		var cell []byte
		if c.cell < len(row) {
			cell = row[c.cell]
		}
		pad := bytes.Repeat([]byte{' '}, c.width-width.Bytes(cell))
		last := i == len(columns)-1
		switch {
		case c.right && last && len(cell) == 0:
		case c.right:
			t.out.buf = append(append(t.out.buf, pad...), cell...)
		default:
			t.out.buf = append(t.out.buf, cell...)
			if !last {
				t.out.buf = append(t.out.buf, pad...)
			}
		}
		if !last {
			t.out.buf = append(t.out.buf, t.between...)
		}
	}
	t.out.buf = append(t.out.buf, '\n')
}

// printJSON prints the table as JSON.
func (t *columner) printJSON(columns []tableColumn, rows [][][]byte) error {
	columns = slices.DeleteFunc(columns, func(c tableColumn) bool { return c.hidden })
	t.out.buf = fmt.Appendf(t.out.buf, "{\n   %s: [\n", quoteJSON([]byte(t.name)))
	for i, row := range rows {
		if i == 0 {
			t.out.buf = append(t.out.buf, "      {\n"...)
		} else {
			t.out.buf = append(t.out.buf, ",{\n"...)
		}
		for j, c := range columns {
			value := "null"
			if c.cell < len(row) && len(row[c.cell]) > 0 {
				value = quoteJSON(row[c.cell])
			}
			comma := ","
			if j == len(columns)-1 {
				comma = ""
			}
			t.out.buf = fmt.Appendf(t.out.buf, "         %s: %s%s\n", quoteJSON([]byte(strings.ToLower(c.name))), value, comma)
		}
		t.out.buf = append(t.out.buf, "      }"...)
		if err := t.out.spill(); err != nil {
			return err
		}
	}
	t.out.buf = append(t.out.buf, "\n   ]\n}\n"...)
	return nil
}

// quoteJSON returns text as a JSON string, in which only what must be is
// escaped.
func quoteJSON(text []byte) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, x := range text {
		switch {
		case x == '"' || x == '\\':
			b.WriteByte('\\')
			b.WriteByte(x)
		case x < ' ':
			escaped, _ := json.Marshal(string(rune(x)))
			b.Write(bytes.Trim(escaped, `"`))
		default:
			b.WriteByte(x)
		}
	}
	b.WriteByte('"')
	return b.String()
}
