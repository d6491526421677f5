package data

import "github.com/limpet-sh/limpet/builtins"

func xanJoin(t *xanCall) error {
	var left, right, full, cross, nulls bool
	t.Do("inner", "keep rows that both files have, as without an option", func() error { return nil })
	t.Bool(&left, "left", "keep all rows of the first file")
	t.Bool(&right, "right", "keep all rows of the second file")
	t.Bool(&full, "full", "keep all rows of both files")
	t.Bool(&cross, "cross", "join every row with every other; there are no columns")
	t.Bool(&nulls, "nulls", "join empty fields too")
	args, err := t.operands(2, 2)
	if err != nil {
		return err
	}
	if cross {
		args = []string{"", args[0], "", args[len(args)-1]}
	}
	if len(args) == 3 {
		args = []string{args[0], args[1], args[0], args[2]}
	}
	if len(args) != 4 {
		return t.Flags.Fail(builtins.Usage("columns and a file, twice, are expected"))
	}
	first, err := t.openFile(args[1])
	if err != nil {
		return err
	}
	second, err := t.openFile(args[3])
	if err != nil {
		return err
	}
	var leftColumns, rightColumns []int
	if !cross {
		if leftColumns, err = choose(args[0], first.header); err != nil {
			return err
		}
		if rightColumns, err = choose(args[2], second.header); err != nil {
			return err
		}
	}
	rows, err := t.rows(second)
	if err != nil {
		return err
	}
	j := &joined{xanCall: t, rows: rows, used: make([]bool, len(rows)), index: map[string][]int{}}
	for i, row := range rows {
		fields := picked(row, rightColumns)
		if !nulls && !cross && key(fields) == key(make([]string, len(fields))) {
			continue
		}
		k := key(fields)
		if err := t.grow(len(k) + 32); err != nil {
			return err
		}
		j.index[k] = append(j.index[k], i)
	}
	if err := t.headerOut(append(first.header[:len(first.header):len(first.header)], second.header...)); err != nil {
		return err
	}
	err = t.each(first, func(row []string) error { return j.row(row, leftColumns, left || full, len(second.header)) })
	if err != nil || !right && !full {
		return err
	}
	for i, row := range rows {
		if !j.used[i] {
			if err := t.out.row(append(make([]string, len(first.header)), row...)); err != nil {
				return err
			}
		}
	}
	return nil
}

// A joined is the second file of a join.
type joined struct {
	*xanCall
	rows  [][]string
	used  []bool
	index map[string][]int
}

// row writes a row of the first file with each that it matches.
func (j *joined) row(row []string, columns []int, keep bool, width int) error {
	found := j.index[key(picked(row, columns))]
	for _, i := range found {
		if err := j.Poll(1); err != nil {
			return err
		}
		j.used[i] = true
		if err := j.out.row(append(row[:len(row):len(row)], j.rows[i]...)); err != nil {
			return err
		}
	}
	if len(found) == 0 && keep {
		return j.out.row(append(row[:len(row):len(row)], make([]string, width)...))
	}
	return nil
}
