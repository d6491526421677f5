package text

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"strconv"

	"github.com/limpet-sh/limpet/builtins"
	"github.com/limpet-sh/limpet/vfs"
)

var _ = commands.Add(&builtins.Command{
	Name:     "uniq",
	Synopsis: "[OPTION]... [INPUT [OUTPUT]]",
	Summary:  "report or omit repeated lines",
	Run:      runUniq,
})

// A uniqer compares lines with the one before.
type uniqer struct {
	call                      *builtins.Call
	out                       *output
	count                     bool
	unique, first, others     bool // of lines without repeats; the first of repeated ones; the others
	group, delimit            string
	skipFields, skip, compare uint64
	fold                      bool
	delim                     byte
}

func runUniq(ctx context.Context, c *builtins.Call) (err error) {
	u := uniqer{call: c, compare: math.MaxUint64}
	var repeated, onlyUnique, zero bool
	number := func(p *uint64, what string) func(string) error {
		return func(s string) error {
			n, err := parseSize(s, "")
			if err != nil && err != errOverflow {
				return fmt.Errorf("%s: %s", s, what)
			}
			*p = n
			return nil
		}
	}
	f := c.Flags()
	f.Bool(&u.count, "c,count", "print the number of repeats before each line")
	f.Bool(&repeated, "d,repeated", "print only repeated lines, one of each")
	f.Do("D", "print all repeated lines", func() error { u.delimit = "none"; return nil })
	f.OptionalEnum(&u.delimit, "none", "all-repeated", "all-repeated", []string{"none", "prepend", "separate"}, "the same as -D, with empty lines between groups as `METHOD` says: none, prepend or separate")
	f.Func("f,skip-fields", "do not compare the first `N` fields", number(&u.skipFields, "invalid number of fields to skip"))
	f.OptionalEnum(&u.group, "separate", "group", "group", []string{"prepend", "append", "separate", "both"}, "print all lines, with empty lines between groups as `METHOD` says: separate, prepend, append or both")
	f.Bool(&u.fold, "i,ignore-case", "compare without regard to case")
	f.Func("s,skip-chars", "do not compare the first `N` bytes", number(&u.skip, "invalid number of bytes to skip"))
	f.Bool(&onlyUnique, "u,unique", "print only lines that are not repeated")
	f.Bool(&zero, "z,zero-terminated", "lines end with NUL, not newline")
	f.Func("w,check-chars", "compare no more than `N` bytes", number(&u.compare, "invalid number of bytes to compare"))
	f.Number = number(&u.skipFields, "invalid number of fields to skip")
	names, err := f.Parse()
	if err != nil {
		return err
	}
	u.unique, u.first = !repeated && u.delimit == "", !onlyUnique
	u.others = u.delimit != ""
	u.delim = delimiter(zero)
	switch {
	case len(names) > 2:
		return f.Fail(extraOperand(names[2]))
	case u.group != "" && (u.count || repeated || onlyUnique || u.others):
		return f.Fail(builtins.Usage("--group is mutually exclusive with -c/-d/-D/-u"))
	case u.count && u.others:
		return f.Fail(builtins.Usage("printing all duplicated lines and repeat counts is meaningless"))
	}
	return u.run(append(names, "-", "-")[:max(len(names), 2)])
}

func (u *uniqer) run(names []string) (err error) {
	in, err := openInput(u.call, names[0])
	if err != nil {
		return builtins.FileError(names[0], err)
	}
	defer in.close()
	u.out = newOutput(u.call)
	if names[1] != "-" {
		f, err := u.call.FS.OpenFile(names[1], vfs.O_WRONLY|vfs.O_CREATE|vfs.O_TRUNC, 0o666)
		if err != nil {
			return builtins.FileError(names[1], err)
		}
		defer f.Close()
		u.out.w, u.out.name = f, names[1]
	}
	defer u.out.close(&err)
	if u.unique && u.first && !u.count && !u.others {
		err = u.groups(in)
	} else {
		err = u.runs(in)
	}
	if u.call.Ends(err) {
		return err
	}
	if _, ok := errors.AsType[*fs.PathError](err); ok {
		return fmt.Errorf("error reading %s", builtins.Quote(in.name))
	}
	return err
}

// groups prints the first line of each group of equal ones, or all of them with
// empty lines between groups.
func (u *uniqer) groups(r io.Reader) error {
	last := keptLine{call: u.call}
	defer last.drop()
	var lastKey []byte
	printed := false
	err := eachLine(u.call, r, u.delim, func(line []byte) error {
		text, _ := bytes.CutSuffix(line, []byte{u.delim})
		key := u.key(text)
		fresh := !last.set || u.differ(key, lastKey)
		if fresh && (u.group == "prepend" || u.group == "both" || printed && (u.group == "append" || u.group == "separate")) {
			u.out.buf = append(u.out.buf, u.delim)
		}
		if fresh || u.group != "" {
			u.out.buf = append(append(u.out.buf, text...), u.delim)
			printed = true
		}
		if fresh {
			if err := last.keep(text); err != nil {
				return err
			}
			lastKey = u.key(last.text)
		}
		return u.out.spill()
	})
	if printed && (u.group == "append" || u.group == "both") {
		u.out.buf = append(u.out.buf, u.delim)
	}
	return err
}

// runs prints lines when their number of repeats is known.
func (u *uniqer) runs(r io.Reader) error {
	last := keptLine{call: u.call}
	defer last.drop()
	var lastKey []byte
	repeats, firstGroup := uint64(0), true
	err := eachLine(u.call, r, u.delim, func(line []byte) error {
		text, _ := bytes.CutSuffix(line, []byte{u.delim})
		if last.set {
			match := !u.differ(u.key(text), lastKey)
			if match {
				repeats++
			}
			if u.delimit != "" {
				if !match && repeats > 0 {
					firstGroup = false
				}
				if match && repeats == 1 && (u.delimit == "prepend" || u.delimit == "separate" && !firstGroup) {
					u.out.buf = append(u.out.buf, u.delim)
				}
			}
			if match && !u.others {
				return nil
			}
			u.print(last.text, match, repeats)
			if !match {
				repeats = 0
			}
		}
		if err := last.keep(text); err != nil {
			return err
		}
		lastKey = u.key(last.text)
		return u.out.spill()
	})
	if last.set {
		u.print(last.text, false, repeats)
	}
	return err
}

// print prints a line that was repeated so many times before, if such lines
// are wanted. match is whether the next one equals it.
func (u *uniqer) print(text []byte, match bool, repeats uint64) {
	switch {
	case repeats == 0 && !u.unique, repeats > 0 && !match && !u.first, repeats > 0 && match && !u.others:
		return
	}
	if u.count {
		var digits [20]byte
		n := strconv.AppendUint(digits[:0], repeats+1, 10)
		for range 7 - len(n) {
			u.out.buf = append(u.out.buf, ' ')
		}
		u.out.buf = append(append(u.out.buf, n...), ' ')
	}
	u.out.buf = append(append(u.out.buf, text...), u.delim)
}

// key returns the part of a line that is compared.
func (u *uniqer) key(line []byte) []byte {
	for n := u.skipFields; n > 0 && len(line) > 0; n-- {
		i := 0
		for i < len(line) && isBlank(line[i]) {
			i++
		}
		for i < len(line) && !isBlank(line[i]) {
			i++
		}
		line = line[i:]
	}
	line = line[min(u.skip, uint64(len(line))):]
	return line[:min(u.compare, uint64(len(line)))]
}

func (u *uniqer) differ(a, b []byte) bool {
	if u.fold {
		return len(a) != len(b) || compareFolded(a, b) != 0
	}
	return !bytes.Equal(a, b)
}
