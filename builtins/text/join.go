package text

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/limpet-sh/limpet/builtins"
)

var _ = commands.Add(&builtins.Command{
	Name:     "join",
	Synopsis: "[OPTION]... FILE1 FILE2",
	Summary:  "join lines of two files on a common field",
	Run:      runJoin,
})

// A joinField is a field of the output: one of file 1 or 2, or with file 0 the
// one that the files are joined on.
type joinField struct{ file, field int }

func runJoin(ctx context.Context, c *builtins.Call) (err error) {
	j := joiner{call: c, tab: noTab, delim: '\n', paired: true}
	var zero, header, emptySet bool
	keys := [2]int{-1, -1}
	empty := ""
	f := c.Flags()
	fileNumber := func(s string) error {
		if s != "1" && s != "2" {
			return fmt.Errorf("invalid field number: %s", builtins.QuoteLocale(s))
		}
		j.unpaired[s[0]-'1'] = true
		return nil
	}
	setKey := func(s string, which ...int) error {
		n, err := joinFieldNumber(s)
		for _, i := range which {
			if err == nil && keys[i] >= 0 && keys[i] != n {
				return fmt.Errorf("incompatible join fields %d, %d", keys[i]+1, n+1)
			}
			keys[i] = n
		}
		return err
	}
	f.Func("a", "also print the lines of file `FILENUM` that have no partner", fileNumber)
	f.Func("e", "print `STRING` for missing fields", func(s string) error {
		if emptySet && s != empty {
			return errors.New("conflicting empty-field replacement strings")
		}
		empty, emptySet = s, true
		return nil
	})
	f.Bool(&j.fold, "i,ignore-case", "compare without regard to case")
	f.Func("j", "the same as -1 `FIELD` -2 FIELD", func(s string) error { return setKey(s, 0, 1) })
	f.Func("o", "print the fields of `FORMAT`: a list of FILENUM.FIELD or 0, or auto", j.format)
	f.Func("t", "`CHAR` separates fields of input and output", j.setTab)
	f.Func("v", "print only the lines of file `FILENUM` that have no partner", func(s string) error {
		j.paired = false
		return fileNumber(s)
	})
	f.Func("1", "join on this `FIELD` of file 1", func(s string) error { return setKey(s, 0) })
	f.Func("2", "join on this `FIELD` of file 2", func(s string) error { return setKey(s, 1) })
	f.Do("check-order", "check that the input is sorted, even if all lines have partners", func() error { j.check = checkAlways; return nil })
	f.Do("nocheck-order", "do not check that the input is sorted", func() error { j.check = checkNever; return nil })
	f.Bool(&header, "header", "the first lines are field headers, which are printed unsorted")
	f.Bool(&zero, "z,zero-terminated", "lines end with NUL, not newline")
	names, err := f.Parse()
	if err != nil {
		return err
	}
	switch {
	case len(names) == 0:
		return f.Fail(builtins.Usage("missing operand"))
	case len(names) == 1:
		return f.Fail(builtins.Usage("missing operand after %s", builtins.QuoteLocale(names[0])))
	case len(names) > 2:
		return f.Fail(builtins.Usage("extra operand %s", builtins.Quote(names[2])))
	}
	j.delim = delimiter(zero)
	j.empty = []byte(empty)
	for i, k := range keys {
		j.keys[i] = max(k, 0)
	}
	j.out = newOutput(c)
	defer j.out.close(&err)
	return j.run(names, header)
}

// joinFieldNumber parses the number of a field, and returns it less one.
func joinFieldNumber(s string) (int, error) {
	n, err := parseSize(s, "")
	switch {
	case err == errOverflow || err == nil && n > math.MaxInt32:
		n = math.MaxInt32
	case err != nil || n == 0:
		return 0, fmt.Errorf("invalid field number: %s", builtins.QuoteLocale(s))
	}
	return int(n) - 1, nil
}

// setTab makes the argument of -t what separates fields.
func (j *joiner) setTab(s string) error {
	tab := noTab
	switch {
	case s == "":
		tab = '\n' // the line is a field
	case s == `\0`:
		tab = 0
	case len(s) > 1:
		return fmt.Errorf("multi-character tab %s", builtins.QuoteLocale(s))
	default:
		tab = int(s[0])
	}
	if j.tab != noTab && j.tab != tab {
		return errors.New("incompatible tabs")
	}
	j.tab = tab
	return nil
}

// format parses an argument of -o.
func (j *joiner) format(s string) error {
	if s == "auto" {
		j.auto = true
		return nil
	}
	for _, item := range strings.FieldsFunc(s, isSpanSeparator) {
		field, err := parseJoinField(item)
		if err != nil {
			return err
		}
		j.fields = append(j.fields, field)
	}
	if len(j.fields) == 0 {
		return fmt.Errorf("invalid file number in field spec: %s", builtins.QuoteLocale(s))
	}
	return nil
}

func parseJoinField(item string) (f joinField, err error) {
	switch {
	case item == "0":
		return f, nil
	case item[0] == '0':
		return f, fmt.Errorf("invalid field specifier: %s", builtins.QuoteLocale(item))
	case item[0] != '1' && item[0] != '2':
		return f, fmt.Errorf("invalid file number in field spec: %s", builtins.QuoteLocale(item))
	case len(item) < 2 || item[1] != '.':
		return f, fmt.Errorf("invalid field specifier: %s", builtins.QuoteLocale(item))
	}
	f.file = int(item[0] - '0')
	f.field, err = joinFieldNumber(item[2:])
	return f, err
}
