package data

import (
	"bytes"
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/limpet-sh/limpet/internal/regex"
)

// keep writes the rows between two numbers; a negative end is none.
func (t *xanCall) keep(args []string, i int, from, to int64) error {
	in, err := t.open(args, i)
	if err != nil {
		return err
	}
	if err := t.headerOut(in.header); err != nil {
		return err
	}
	n := int64(0)
	err = t.each(in, func(row []string) error {
		n++
		switch {
		case to >= 0 && n > to:
			return errEnough
		case n <= from:
			return nil
		}
		return t.out.row(row)
	})
	if err == errEnough {
		err = nil
	}
	return err
}

func xanHead(t *xanCall) error {
	limit := int64(10)
	t.Int(&limit, "l,limit", "limit", "keep `N` rows")
	args, err := t.operands(0, 1)
	if err != nil {
		return err
	}
	return t.keep(args, 0, 0, limit)
}

func xanTail(t *xanCall) error {
	limit := int64(10)
	t.Int(&limit, "l,limit", "limit", "keep `N` rows")
	return t.reorder(func(rows [][]string) [][]string { return rows[max(0, len(rows)-int(min(limit, int64(len(rows))))):] })
}

func xanReverse(t *xanCall) error {
	return t.reorder(func(rows [][]string) [][]string { slices.Reverse(rows); return rows })
}

// reorder writes what change makes of all rows.
func (t *xanCall) reorder(change func([][]string) [][]string) error {
	in, err := t.input()
	if err != nil {
		return err
	}
	rows, err := t.rows(in)
	if err != nil {
		return err
	}
	if err := t.headerOut(in.header); err != nil {
		return err
	}
	for _, row := range change(rows) {
		if err := t.out.row(row); err != nil {
			return err
		}
	}
	return nil
}

func xanSlice(t *xanCall) error {
	start, end, length, index := int64(0), int64(-1), int64(-1), int64(-1)
	t.Int(&start, "s,start", "start", "begin with row `N`, counted from 0")
	t.Int(&end, "e,end", "end", "end before row `N`")
	t.Int(&length, "l,len", "length", "keep `N` rows")
	t.Int(&index, "i,index", "index", "keep row `N` alone")
	args, err := t.operands(0, 1)
	switch {
	case err != nil:
		return err
	case index >= 0:
		start, end = index, index+1
	case length >= 0:
		end = start + length
	}
	return t.keep(args, 0, start, end)
}

func xanSearch(t *xanCall) error {
	var exact, ignore, invert, isRegexp, all, empty, non bool
	t.String(&t.columns, "s,select", "look into these `COLUMNS`")
	t.Bool(&exact, "e,exact", "the pattern is the whole field")
	t.Bool(&isRegexp, "r,regex", "the pattern is a regular expression")
	t.Bool(&ignore, "i,ignore-case", "do not tell upper from lower case")
	t.Bool(&invert, "v,invert-match", "keep the other rows")
	t.Bool(&all, "A,all", "all fields must match")
	t.Bool(&empty, "E,empty", "look for empty fields; there is no pattern")
	t.Bool(&non, "N,non-empty", "look for fields that are not empty; there is no pattern")
	args, err := t.operands(0, 2)
	if err != nil {
		return err
	}
	match := func(s string) bool { return (s == "") == empty }
	if !empty && !non {
		if len(args) == 0 {
			_, err := t.operands(1, 1)
			return err
		}
		m, err := searcher(t, args[0], exact, isRegexp, ignore)
		if err != nil {
			return err
		}
		defer m.Close()
		match, args = func(s string) bool { return m.Match([]byte(s)) }, args[1:]
	}
	in, err := t.open(args, 0)
	if err != nil {
		return err
	}
	columns, err := t.selected(in.header)
	if err != nil {
		return err
	}
	if err := t.headerOut(in.header); err != nil {
		return err
	}
	return t.each(in, func(row []string) error {
		fields := picked(row, columns)
		found := slices.ContainsFunc(fields, match)
		if all {
			found = !slices.ContainsFunc(fields, func(s string) bool { return !match(s) })
		}
		if found == invert {
			return nil
		}
		return t.out.row(row)
	})
}

// searcher compiles a pattern.
func searcher(t *xanCall, pattern string, exact, isRegexp, ignore bool) (*regex.Matcher, error) {
	dialect, flags := regex.Literal, regex.Flags(0)
	if isRegexp {
		dialect = regex.Perl
	}
	if ignore {
		flags |= regex.IgnoreCase
	}
	if exact {
		flags |= regex.WholeLine
	}
	re, err := regex.Compile(pattern, dialect, flags)
	if err != nil {
		return nil, err
	}
	return re.Matcher(t.Call), nil
}

// compareFields orders fields as text, or as numbers where both are; what is no
// number comes first.
func compareFields(a, b string, numeric bool) int {
	if !numeric {
		return strings.Compare(a, b)
	}
	x, errX := strconv.ParseFloat(strings.TrimSpace(a), 64)
	y, errY := strconv.ParseFloat(strings.TrimSpace(b), 64)
	switch {
	case errX != nil && errY != nil:
		return 0
	case errX != nil:
		return -1
	case errY != nil:
		return 1
	}
	return cmp.Compare(x, y)
}

func xanSort(t *xanCall) error {
	var numeric, reverse, unique bool
	t.String(&t.columns, "s,select", "sort by these `COLUMNS`")
	t.Bool(&numeric, "N,numeric", "compare numbers")
	t.Bool(&reverse, "R,reverse", "sort in reverse")
	t.Bool(&unique, "u,uniq", "keep the first of rows that compare equal")
	in, columns, err := t.inputSelected()
	if err != nil {
		return err
	}
	rows, err := t.rows(in)
	if err != nil {
		return err
	}
	var stop error
	compare := func(a, b []string) int {
		if err := t.Poll(1); err != nil {
			stop = err
			return 0
		}
		for _, c := range columns {
			if order := compareFields(a[c], b[c], numeric); order != 0 {
				if reverse {
					return -order
				}
				return order
			}
		}
		return 0
	}
	slices.SortStableFunc(rows, compare)
	if stop != nil {
		return stop
	}
	if unique {
		rows = slices.CompactFunc(rows, func(a, b []string) bool { return compare(a, b) == 0 })
	}
	if err := t.headerOut(in.header); err != nil {
		return err
	}
	for _, row := range rows {
		if err := t.out.row(row); err != nil {
			return err
		}
	}
	return nil
}

// key joins fields to a key of a map.
func key(fields []string) string {
	var b bytes.Buffer
	for _, f := range fields {
		b.WriteString(strconv.Itoa(len(f)))
		b.WriteByte(':')
		b.WriteString(f)
	}
	return b.String()
}

func xanDedup(t *xanCall) error {
	t.String(&t.columns, "s,select", "compare these `COLUMNS`")
	in, columns, err := t.inputSelected()
	if err != nil {
		return err
	}
	if err := t.headerOut(in.header); err != nil {
		return err
	}
	seen := map[string]bool{}
	return t.each(in, func(row []string) error {
		k := key(picked(row, columns))
		if seen[k] {
			return nil
		}
		if err := t.grow(len(k) + 64); err != nil {
			return err
		}
		seen[k] = true
		return t.out.row(row)
	})
}

func xanFixLengths(t *xanCall) error {
	length := int64(-1)
	t.Int(&length, "l,length", "length", "give all rows `N` fields")
	args, err := t.operands(0, 1)
	if err != nil {
		return err
	}
	t.noHeaders = true
	in, err := t.open(args, 0)
	if err != nil {
		return err
	}
	in.flexible = true
	if length >= 0 {
		return t.each(in, func(row []string) error { return t.out.row(lengthened(row, int(min(length, 1<<20)))) })
	}
	rows, err := t.rows(in)
	if err != nil {
		return err
	}
	longest := 0
	for _, row := range rows {
		longest = max(longest, len(row))
	}
	for _, row := range rows {
		if err := t.out.row(lengthened(row, longest)); err != nil {
			return err
		}
	}
	return nil
}

// lengthened returns row with n fields.
func lengthened(row []string, n int) []string {
	if len(row) >= n {
		return row[:n]
	}
	return append(slices.Clone(row), make([]string, n-len(row))...)
}

func xanTranspose(t *xanCall) error {
	in, err := t.input()
	if err != nil {
		return err
	}
	rows, err := t.rows(in)
	if err != nil {
		return err
	}
	if in.headed {
		rows = append([][]string{in.header}, rows...)
	}
	if len(rows) == 0 {
		return nil
	}
	for i := range rows[0] {
		column := make([]string, len(rows))
		for j, row := range rows {
			column[j] = row[i]
		}
		if err := t.out.row(column); err != nil {
			return err
		}
	}
	return nil
}

func xanCat(t *xanCall) error {
	args, err := t.operands(1, -1)
	if err != nil {
		return err
	}
	how, files := args[0], args[1:]
	if how != "rows" && how != "cols" && how != "columns" {
		return t.Flags.Fail(errHow(how))
	}
	if len(files) == 0 {
		files = []string{"-"}
	}
	if how != "rows" {
		return t.beside(files)
	}
	for i, name := range files {
		in, err := t.openFile(name)
		if err != nil {
			return err
		}
		if i == 0 {
			err = t.headerOut(in.header)
		}
		if err == nil {
			err = t.each(in, t.out.row)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// errHow is the error of a wrong word after cat.
type errHow string

func (e errHow) Error() string { return "cat takes rows or cols, not " + strconv.Quote(string(e)) }

// beside writes the rows of files side by side, as long as all have some.
func (t *xanCall) beside(files []string) error {
	var all [][][]string
	var header []string
	shortest := -1
	for _, name := range files {
		in, err := t.openFile(name)
		if err != nil {
			return err
		}
		header = append(header, in.header...)
		rows, err := t.rows(in)
		if err != nil {
			return err
		}
		if shortest < 0 || len(rows) < shortest {
			shortest = len(rows)
		}
		all = append(all, rows)
	}
	if err := t.headerOut(header); err != nil {
		return err
	}
	for i := range shortest {
		var row []string
		for _, rows := range all {
			row = append(row, rows[i]...)
		}
		if err := t.out.row(row); err != nil {
			return err
		}
	}
	return nil
}
