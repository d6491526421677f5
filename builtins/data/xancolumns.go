package data

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/limpet-sh/limpet/builtins"
)

// choose returns the columns that a selection names: names, numbers from 0 or from
// the end, ranges with a colon, * for all, and ! before it for all others.
func choose(selection string, header []string) ([]int, error) {
	if rest, ok := strings.CutPrefix(selection, "!"); ok {
		out, err := choose(rest, header)
		if err != nil {
			return nil, err
		}
		var kept []int
		for i := range header {
			if !slices.Contains(out, i) {
				kept = append(kept, i)
			}
		}
		return kept, nil
	}
	var out []int
	for _, part := range splitSelection(selection, ',') {
		if part == "*" {
			for i := range header {
				out = append(out, i)
			}
			continue
		}
		ends := splitSelection(part, ':')
		if len(ends) > 2 {
			return nil, fmt.Errorf("cannot parse selection %q", part)
		}
		from, to := 0, len(header)-1
		var err error
		if ends[0] != "" || len(ends) == 1 {
			if from, err = column(ends[0], header); err != nil {
				return nil, err
			}
		}
		switch {
		case len(ends) == 1:
			to = from
		case ends[1] != "":
			if to, err = column(ends[1], header); err != nil {
				return nil, err
			}
		}
		for i := from; ; {
			out = append(out, i)
			switch {
			case i < to:
				i++
				continue
			case i > to:
				i--
				continue
			}
			break
		}
	}
	return out, nil
}

// splitSelection splits at a sign outside of quotes.
func splitSelection(s string, sign byte) []string {
	var parts []string
	start, quoted := 0, false
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '"':
			quoted = !quoted
		case s[i] == sign && !quoted:
			parts, start = append(parts, s[start:i]), i+1
		}
	}
	return append(parts, s[start:])
}

// column returns the number of a column.
func column(name string, header []string) (int, error) {
	if len(name) > 1 && name[0] == '"' && name[len(name)-1] == '"' {
		name = name[1 : len(name)-1]
	} else if n, err := strconv.Atoi(name); err == nil && !slices.Contains(header, name) {
		i := n
		if i < 0 {
			i += len(header)
		}
		if i < 0 || i >= len(header) {
			return 0, fmt.Errorf("selector index %d is out of bounds. Index must be >= 0 and <= %d.", n, len(header)-1)
		}
		return i, nil
	}
	if i := slices.Index(header, name); i >= 0 {
		return i, nil
	}
	return 0, fmt.Errorf("selector name '%s' does not exist as a named header in the given CSV data.", name)
}

// picked returns the fields of row in some columns.
func picked(row []string, columns []int) []string {
	out := make([]string, 0, len(columns))
	for _, i := range columns {
		if i < len(row) {
			out = append(out, row[i])
		} else {
			out = append(out, "")
		}
	}
	return out
}

// selected returns the columns that -s names; all where it is not given.
func (t *xanCall) selected(header []string) ([]int, error) {
	if t.columns == "" {
		return choose("*", header)
	}
	return choose(t.columns, header)
}

func xanHeaders(t *xanCall) error {
	var names bool
	t.Bool(&names, "j,just-names", "print names without numbers")
	args, err := t.operands(0, -1)
	if err != nil {
		return err
	}
	if len(args) == 0 {
		args = []string{"-"}
	}
	for _, name := range args {
		in, err := t.openFile(name)
		if err != nil {
			return err
		}
		in.close()
		width := len(strconv.Itoa(max(len(in.header)-1, 0)))
		for i, h := range in.header {
			if names {
				err = t.out.text(h + "\n")
			} else {
				err = t.out.textf("%-*d %s\n", width, i, h)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

func xanCount(t *xanCall) error {
	in, err := t.input()
	if err != nil {
		return err
	}
	n := 0
	if err := t.each(in, func([]string) error { n++; return nil }); err != nil {
		return err
	}
	return t.out.textf("%d\n", n)
}

func xanSelect(t *xanCall) error { return t.project(func(s string) string { return s }) }
func xanDrop(t *xanCall) error {
	return t.project(func(s string) string {
		if rest, ok := strings.CutPrefix(s, "!"); ok {
			return rest
		}
		return "!" + s
	})
}

// project keeps the columns that the first operand, once changed, names.
func (t *xanCall) project(change func(string) string) error {
	args, err := t.operands(1, 1)
	if err != nil {
		return err
	}
	in, err := t.open(args, 1)
	if err != nil {
		return err
	}
	columns, err := choose(change(args[0]), in.header)
	if err != nil {
		return err
	}
	if err := t.headerOut(picked(in.header, columns)); err != nil {
		return err
	}
	return t.each(in, func(row []string) error { return t.out.row(picked(row, columns)) })
}

func xanRename(t *xanCall) error {
	var prefix, suffix string
	t.String(&t.columns, "s,select", "rename only these `COLUMNS`")
	t.String(&prefix, "p,prefix", "put `TEXT` before the names")
	t.String(&suffix, "x,suffix", "put `TEXT` after the names")
	args, err := t.operands(0, 2)
	if err != nil {
		return err
	}
	need := 1
	if prefix != "" || suffix != "" {
		need = 0
	}
	if len(args) < need || len(args) > need+1 {
		return t.Flags.Fail(builtins.Usage("new names, or a prefix or suffix, and at most one file are expected"))
	}
	in, err := t.open(args, need)
	if err != nil {
		return err
	}
	columns, err := t.selected(in.header)
	if err != nil {
		return err
	}
	names := picked(in.header, columns)
	if need == 1 {
		if names = splitSelection(args[0], ','); len(names) != len(columns) {
			return fmt.Errorf("Renamed columns alignment error. Expected %d names and got %d.", len(columns), len(names))
		}
	}
	for i, c := range columns {
		in.header[c] = prefix + strings.Trim(names[i], `"`) + suffix
	}
	if err := t.out.row(in.header); err != nil {
		return err
	}
	return t.each(in, t.out.row)
}

func xanBehead(t *xanCall) error {
	in, err := t.input()
	if err != nil {
		return err
	}
	return t.each(in, t.out.row)
}

func xanEnum(t *xanCall) error {
	name, start := "index", int64(0)
	t.String(&name, "c,column-name", "the `NAME` of the new column")
	t.Int(&start, "S,start", "start", "the first `NUMBER`")
	in, err := t.input()
	if err != nil {
		return err
	}
	if err := t.headerOut(append([]string{name}, in.header...)); err != nil {
		return err
	}
	return t.each(in, func(row []string) error {
		start++
		return t.out.row(append([]string{strconv.FormatInt(start-1, 10)}, row...))
	})
}
