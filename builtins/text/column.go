package text

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/limpet-sh/limpet/builtins"
	"github.com/limpet-sh/limpet/internal/width"
)

var _ = commands.Add(&builtins.Command{
	Name:     "column",
	Synopsis: "[OPTION]... [FILE]...",
	Summary:  "arrange lines in columns",
	Run:      runColumn,
})

// A columner is one run of column.
type columner struct {
	call      *builtins.Call
	out       *output
	table     bool
	json      bool
	rows      bool // fill rows before columns
	keepEmpty bool
	width     int
	separator string // each byte of which separates cells; "" for runs of blanks
	between   string
	name      string // of the table, in JSON
	names     []string
	noHeader  bool
	right     string
	hide      string
	order     string
	limit     int
	forTable  bool // an option was given that only tables have
	held      int
	lines     [][]byte
}

func runColumn(ctx context.Context, c *builtins.Call) (err error) {
	t := columner{call: c, width: 80, between: "  ", name: "table"}
	if v, err := strconv.Atoi(c.Getenv("COLUMNS")); err == nil && v > 0 {
		t.width = v
	}
	f := c.Flags()
	f.Info("h", "V")
	t.flags(f)
	files, err := f.Parse()
	if err != nil {
		return err
	}
	switch {
	case t.rows && t.json:
		return errors.New("mutually exclusive arguments: --json --fillrows")
	case t.rows && t.table:
		return errors.New("mutually exclusive arguments: --table --fillrows")
	case t.json && len(t.names) == 0:
		return errors.New("option --table-columns required for --json")
	case t.forTable && !t.table && !t.json:
		return errors.New("option --table required for all --table-*")
	}
	t.out = newOutput(c)
	defer t.out.close(&err)
	defer func() { c.Free(t.held) }()
	if err := t.read(files); err != nil {
		return err
	}
	switch {
	case len(t.lines) == 0:
		return nil
	case t.table || t.json:
		return t.printTable()
	}
	return t.fill()
}

// read reads the files, or standard input. A file may be called "-".
func (t *columner) read(files []string) error {
	if len(files) == 0 {
		return eachLine(t.call, t.call.Stdin, '\n', t.keep)
	}
	for _, name := range files {
		file, err := t.call.Open(name)
		if err == nil {
			err = eachLine(t.call, file, '\n', t.keep)
			_ = file.Close()
		}
		if t.call.Ends(err) {
			return err
		}
		if err != nil {
			t.call.Warn(errnoError(err, "%s", name))
		}
	}
	return nil
}

// flags declares the options.
func (t *columner) flags(f *builtins.Flags) {
	option := func(p *string) func(string) error {
		return func(v string) error { *p, t.forTable = v, true; return nil }
	}
	f.Func("c,output-width", "use `WIDTH` columns of the terminal, not 80", func(v string) error {
		if v == "unlimited" {
			t.width = math.MaxInt32
			return nil
		}
		n, err := strconv.ParseUint(v, 10, 32)
		if _, number := strconv.ParseInt(v, 10, 64); err != nil && (number == nil || errors.Is(err, strconv.ErrRange)) {
			return fmt.Errorf("invalid columns argument: '%s': Numerical result out of range", v)
		}
		if err != nil {
			return fmt.Errorf("invalid columns argument: '%s'", v)
		}
		t.width = int(min(n, math.MaxInt32))
		return nil
	})
	f.Bool(&t.noHeader, "d,table-noheadings", "do not print the names of the columns")
	f.Func("H,table-hide", "do not print these `COLUMNS`", option(&t.hide))
	f.Bool(&t.json, "J,json", "print the table as JSON")
	f.Bool(&t.keepEmpty, "L,keep-empty-lines", "keep the empty lines of a table")
	f.Func("l,table-columns-limit", "the last of `NUM` columns takes the rest of the line", func(v string) error {
		n, err := strconv.ParseUint(v, 10, 31)
		if err != nil {
			return fmt.Errorf("invalid columns limit argument: '%s'", v)
		}
		if n == 0 {
			return errors.New("columns limit must be greater than zero")
		}
		t.limit, t.forTable = int(n), true
		return nil
	})
	f.Func("N,table-columns", "the `NAMES` of the columns, with commas between them", func(v string) error { t.names, t.forTable = strings.Split(v, ","), true; return nil })
	f.Func("n,table-name", "the `NAME` of the table, for JSON", option(&t.name))
	f.String(&t.between, "o,output-separator", "print `STRING` between the columns of a table, not two spaces")
	f.Func("O,table-order", "print these `COLUMNS` first", option(&t.order))
	f.Func("R,table-right", "align these `COLUMNS` to the right", option(&t.right))
	f.String(&t.separator, "s,separator", "the bytes of `STRING` separate the cells of a table, not blanks")
	f.Bool(&t.table, "t,table", "make a table")
	f.Bool(&t.rows, "x,fillrows", "fill rows before columns")
}

// keep keeps a line.
func (t *columner) keep(line []byte) error {
	text, _ := bytes.CutSuffix(line, newline)
	if len(bytes.TrimLeft(text, " \t\v\f\r")) == 0 {
		if !t.keepEmpty || !t.table {
			return nil
		}
		text = nil
	}
	size := len(text) + 96 // with its cells
	if err := t.call.Alloc(size); err != nil {
		return err
	}
	t.held += size
	t.lines = append(t.lines, bytes.Clone(text))
	return nil
}

// tabWidth is the width of the tabs that align the entries.
const tabWidth = 8

// fill prints the lines as entries of columns.
func (t *columner) fill() error {
	longest := 0
	for _, line := range t.lines {
		longest = max(longest, width.Bytes(line))
	}
	columns := 1
	if longest < t.width {
		longest = (longest + tabWidth) &^ (tabWidth - 1)
		columns = max(t.width/longest, 1)
	}
	n := len(t.lines)
	rows := (n + columns - 1) / columns
	entry := func(row, column int) int { return column*rows + row }
	if t.rows {
		entry = func(row, column int) int { return row*columns + column }
	}
	for row := range rows {
		if err := t.call.Poll(columns); err != nil {
			return err
		}
		at := 0
		for column := range columns {
			i := entry(row, column)
			t.out.buf = append(t.out.buf, t.lines[i]...)
			at += width.Bytes(t.lines[i])
			if column+1 == columns || entry(row, column+1) >= n {
				break
			}
			for end := (column + 1) * longest; ; {
				next := (at + tabWidth) &^ (tabWidth - 1)
				if next > end {
					break
				}
				t.out.buf = append(t.out.buf, '\t')
				at = next
			}
		}
		t.out.buf = append(t.out.buf, '\n')
		if err := t.out.spill(); err != nil {
			return err
		}
	}
	return nil
}

// cells splits a line into the cells of a table.
func (t *columner) cells(line []byte) [][]byte {
	var cells [][]byte
	for {
		if t.separator == "" {
			line = bytes.TrimLeft(line, "\t ")
			if len(line) == 0 {
				return cells
			}
		}
		separators := t.separator
		if separators == "" {
			separators = "\t "
		}
		end := indexByteOf(line, separators)
		if end < 0 || len(cells)+1 == t.limit {
			return append(cells, line)
		}
		cells = append(cells, line[:end])
		line = line[end+1:]
		if len(line) == 0 && t.separator != "" {
			return append(cells, line)
		}
	}
}

// indexByteOf returns the index of the first byte of b that is one of set.
func indexByteOf(b []byte, set string) int {
	for i, x := range b {
		if strings.IndexByte(set, x) >= 0 {
			return i
		}
	}
	return -1
}
