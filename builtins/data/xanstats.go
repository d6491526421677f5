package data

import (
	"cmp"
	"math"
	"slices"
	"strconv"
)

func xanFrequency(t *xanCall) error {
	limit, all := int64(10), false
	t.String(&t.columns, "s,select", "count the values of these `COLUMNS`")
	t.Int(&limit, "l,limit", "limit", "show the `N` most frequent of each; 0 for all")
	t.Bool(&all, "A,all", "show all")
	in, columns, err := t.inputSelected()
	if err != nil {
		return err
	}
	type entry struct {
		value string
		n     int
	}
	counts := make([][]entry, len(columns))
	index := make([]map[string]int, len(columns))
	for i := range index {
		index[i] = map[string]int{}
	}
	err = t.each(in, func(row []string) error {
		for i, value := range picked(row, columns) {
			at, ok := index[i][value]
			if !ok {
				if err := t.grow(len(value) + 96); err != nil {
					return err
				}
				at = len(counts[i])
				counts[i] = append(counts[i], entry{value: value})
				index[i][value] = at
			}
			counts[i][at].n++
		}
		return nil
	})
	if err != nil {
		return err
	}
	if err := t.out.row([]string{"field", "value", "count"}); err != nil {
		return err
	}
	for i, list := range counts {
		slices.SortStableFunc(list, func(a, b entry) int { return cmp.Compare(b.n, a.n) })
		rest := 0
		for j, e := range list {
			if limit > 0 && !all && int64(j) >= limit {
				rest += e.n
				continue
			}
			value := e.value
			if value == "" {
				value = "<empty>"
			}
			if err := t.out.row([]string{in.header[columns[i]], value, strconv.Itoa(e.n)}); err != nil {
				return err
			}
		}
		if rest > 0 {
			if err := t.out.row([]string{in.header[columns[i]], "<rest>", strconv.Itoa(rest)}); err != nil {
				return err
			}
		}
	}
	return nil
}

// A summary is what is known of the values of a column.
type summary struct {
	count, empty        int
	ints, floats, texts int
	sum, mean, squares  float64 // squares of distances from the mean
	min, max            float64
	first, last         string // in the order of text
	shortest, longest   int
	some                bool
}

// add adds a value.
func (s *summary) add(value string) {
	if value == "" {
		s.empty++
		return
	}
	s.count++
	if !s.some {
		s.first, s.last, s.shortest, s.longest, s.some = value, value, len(value), len(value), true
	}
	s.first, s.last = min(s.first, value), max(s.last, value)
	s.shortest, s.longest = min(s.shortest, len(value)), max(s.longest, len(value))
	f, err := strconv.ParseFloat(value, 64)
	if err != nil {
		s.texts++
		return
	}
	if _, err := strconv.ParseInt(value, 10, 64); err == nil {
		s.ints++
	} else {
		s.floats++
	}
	n := float64(s.ints + s.floats)
	if n == 1 {
		s.min, s.max = f, f
	}
	s.min, s.max = min(s.min, f), max(s.max, f)
	s.sum += f
	step := f - s.mean
	s.mean += step / n
	s.squares += step * (f - s.mean)
}

// kind names the type of the values.
func (s *summary) kind() string {
	switch {
	case s.texts > 0:
		return "string"
	case s.floats > 0:
		return "float"
	case s.ints > 0:
		return "int"
	}
	return "empty"
}

// kinds names all types that values have.
func (s *summary) kinds() string {
	out := ""
	for _, k := range []struct {
		name string
		n    int
	}{{"int", s.ints}, {"float", s.floats}, {"string", s.texts}, {"empty", s.empty}} {
		if k.n > 0 {
			if out != "" {
				out += "|"
			}
			out += k.name
		}
	}
	return out
}

// row returns the summary as fields.
func (s *summary) row(name string) []string {
	row := []string{name, strconv.Itoa(s.count), strconv.Itoa(s.empty), s.kind(), s.kinds()}
	if n := float64(s.ints + s.floats); n > 0 {
		variance := s.squares / n
		for _, f := range []float64{s.sum, s.mean, variance, math.Sqrt(variance), s.min, s.max} {
			row = append(row, strconv.FormatFloat(f, 'f', -1, 64))
		}
	} else {
		row = append(row, "", "", "", "", "", "")
	}
	if !s.some {
		return append(row, "", "", "", "")
	}
	return append(row, s.first, s.last, strconv.Itoa(s.shortest), strconv.Itoa(s.longest))
}

func xanStats(t *xanCall) error {
	t.String(&t.columns, "s,select", "tell about these `COLUMNS`")
	in, columns, err := t.inputSelected()
	if err != nil {
		return err
	}
	summaries := make([]summary, len(columns))
	err = t.each(in, func(row []string) error {
		for i, value := range picked(row, columns) {
			summaries[i].add(value)
		}
		return nil
	})
	if err != nil {
		return err
	}
	err = t.out.row([]string{
		"field", "count", "count_empty", "type", "types", "sum", "mean", "variance", "stddev", "min", "max",
		"lex_first", "lex_last", "min_length", "max_length",
	})
	for i := range summaries {
		if err == nil {
			err = t.out.row(summaries[i].row(in.header[columns[i]]))
		}
	}
	return err
}
