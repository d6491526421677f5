package data

import (
	"strconv"
	"strings"

	"github.com/limpet-sh/limpet/internal/width"
)

// columnsOf returns the width of a text.
func columnsOf(s string) int {
	n := 0
	for _, r := range s {
		n += max(width.Rune(r), 0)
	}
	return n
}

// padded returns s with spaces up to a width.
func padded(s string, n int) string { return s + strings.Repeat(" ", max(n-columnsOf(s), 0)) }

// widest is the widest that a column is shown.
const widest = 60

// shown returns a field as a table shows it: on one line, and shortened.
func shown(s string) string {
	s = strings.NewReplacer("\n", " ", "\r", " ", "\t", " ").Replace(s)
	if columnsOf(s) <= widest {
		return s
	}
	n := 0
	for i, r := range s {
		if n += max(width.Rune(r), 0); n > widest-1 {
			return s[:i] + "…"
		}
	}
	return s
}

func xanView(t *xanCall) error {
	limit, all, plain := int64(100), false, false
	t.Int(&limit, "l,limit", "limit", "show `N` rows")
	t.Bool(&all, "A,all", "show all rows")
	t.Bool(&plain, "I,hide-index", "show no numbers of rows")
	in, err := t.input()
	if err != nil {
		return err
	}
	var rows [][]string
	total := 0
	err = t.each(in, func(row []string) error {
		total++
		if !all && int64(total) > limit {
			return nil
		}
		line := []string{strconv.Itoa(total - 1)}
		for _, s := range row {
			line = append(line, shown(s))
			if err := t.grow(len(s) + 48); err != nil {
				return err
			}
		}
		rows = append(rows, line)
		return nil
	})
	if err != nil {
		return err
	}
	header := append([]string{"-"}, in.header...)
	if plain {
		header = header[1:]
		for i := range rows {
			rows[i] = rows[i][1:]
		}
	}
	return t.box(header, rows, total)
}

// box draws a table.
func (t *xanCall) box(header []string, rows [][]string, total int) error {
	widths := make([]int, len(header))
	for _, row := range append([][]string{header}, rows...) {
		for i, s := range row {
			widths[i] = max(widths[i], columnsOf(shown(s)))
		}
	}
	rule := func(left, middle, right string) string {
		parts := make([]string, len(widths))
		for i, w := range widths {
			parts[i] = strings.Repeat("─", w+2)
		}
		return left + strings.Join(parts, middle) + right + "\n"
	}
	line := func(row []string) string {
		parts := make([]string, len(row))
		for i, s := range row {
			parts[i] = " " + padded(shown(s), widths[i]) + " "
		}
		return "│" + strings.Join(parts, "│") + "│\n"
	}
	err := t.out.textf("Displaying %d cols from %d rows\n%s%s%s", len(header), total, rule("┌", "┬", "┐"), line(header), rule("├", "┼", "┤"))
	for _, row := range rows {
		if err == nil {
			err = t.out.text(line(row))
		}
	}
	if err != nil {
		return err
	}
	return t.out.text(rule("└", "┴", "┘"))
}
