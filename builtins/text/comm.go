package text

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strconv"

	"github.com/limpet-sh/limpet/builtins"
)

var _ = commands.Add(&builtins.Command{
	Name:     "comm",
	Synopsis: "[OPTION]... FILE1 FILE2",
	Summary:  "compare two sorted files line by line",
	Run:      runComm,
})

// How comm and join check that their input is sorted.
const (
	checkUnpaired = iota // once a line was without a partner
	checkAlways
	checkNever
)

// A commFile is one of the files of comm, at a line.
type commFile struct {
	in     *input
	lines  *builtins.LineReader
	kept   [3]keptLine // this line and the two before
	done   bool
	number int
	warned bool
}

// A comparer is one run of comm.
type comparer struct {
	call      *builtins.Call
	out       *output
	hide      [3]bool // columns
	separator []byte
	delim     byte
	check     int
	unpaired  bool
	files     [2]*commFile
	totals    [3]int64
}

func runComm(ctx context.Context, c *builtins.Call) (err error) {
	p := comparer{call: c, separator: []byte{'\t'}}
	var total, zero, separatorSet bool
	f := c.Flags()
	f.Bool(&p.hide[0], "1", "leave out the lines that only FILE1 has")
	f.Bool(&p.hide[1], "2", "leave out the lines that only FILE2 has")
	f.Bool(&p.hide[2], "3", "leave out the lines that both files have")
	f.Do("check-order", "check that the input is sorted, even if all lines are in both files", func() error { p.check = checkAlways; return nil })
	f.Do("nocheck-order", "do not check that the input is sorted", func() error { p.check = checkNever; return nil })
	f.Func("output-delimiter", "print `STRING` between columns", func(s string) error {
		if separatorSet && s != string(p.separator) {
			return errors.New("multiple output delimiters specified")
		}
		separatorSet = true
		if p.separator = []byte(s); s == "" {
			p.separator = []byte{0}
		}
		return nil
	})
	f.Bool(&total, "total", "print a summary")
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
		return f.Fail(extraOperand(names[2]))
	}
	p.delim = delimiter(zero)
	p.out = newOutput(c)
	defer p.out.close(&err)
	for i, name := range names {
		in, err := openInput(c, name)
		if err != nil {
			return builtins.FileError(name, err)
		}
		defer in.close()
		file := &commFile{in: in, lines: c.Lines(in, p.delim), number: i + 1}
		for j := range file.kept {
			file.kept[j].call = c
			defer func() { file.kept[j].drop() }()
		}
		defer file.lines.Close()
		p.files[i] = file
	}
	if err := p.run(); err != nil {
		return err
	}
	if total {
		between := bytes.TrimRight(p.separator, "\x00") // GNU: a separator of NUL separates no totals
		for i, n := range p.totals {
			if i > 0 {
				p.out.buf = append(p.out.buf, between...)
			}
			p.out.buf = strconv.AppendInt(p.out.buf, n, 10)
		}
		p.out.buf = append(append(append(p.out.buf, between...), "total"...), p.delim)
	}
	if p.files[0].warned || p.files[1].warned {
		return errors.New("input is not in sorted order")
	}
	return nil
}

// run prints the lines of both files in columns.
func (p *comparer) run() error {
	a, b := p.files[0], p.files[1]
	for _, f := range p.files {
		if err := p.next(f); err != nil {
			return err
		}
	}
	for !a.done || !b.done {
		order := 0
		switch {
		case a.done:
			order = 1
		case b.done:
			order = -1
		default:
			order = bytes.Compare(a.kept[0].text, b.kept[0].text)
		}
		p.unpaired = p.unpaired || order != 0
		switch {
		case order == 0:
			p.print(2, b.kept[0].text)
		case order < 0:
			p.print(0, a.kept[0].text)
		default:
			p.print(1, b.kept[0].text)
		}
		if err := p.out.spill(); err != nil {
			return err
		}
		if order <= 0 {
			if err := p.next(a); err != nil {
				return err
			}
		}
		if order >= 0 {
			if err := p.next(b); err != nil {
				return err
			}
		}
	}
	return nil
}

// print prints a line in a column.
func (p *comparer) print(column int, line []byte) {
	p.totals[column]++
	if p.hide[column] {
		return
	}
	for i := range column {
		if !p.hide[i] {
			p.out.buf = append(p.out.buf, p.separator...)
		}
	}
	p.out.buf = append(append(p.out.buf, line...), p.delim)
}

// next reads the next line of f, and checks the order.
func (p *comparer) next(f *commFile) error {
	line, err := f.lines.Next()
	if err == io.EOF {
		f.done = true
		if f.kept[1].set {
			return p.verify(f, &f.kept[1], &f.kept[0])
		}
		return nil
	}
	if err != nil {
		return readError(f.in.name, err)
	}
	f.kept[0], f.kept[1], f.kept[2] = f.kept[2], f.kept[0], f.kept[1]
	text, _ := bytes.CutSuffix(line, []byte{p.delim})
	if err := f.kept[0].keep(text); err != nil {
		return err
	}
	if !f.kept[1].set {
		return nil
	}
	return p.verify(f, &f.kept[1], &f.kept[0])
}

// verify warns if two lines of f are not in order.
func (p *comparer) verify(f *commFile, before, after *keptLine) error {
	if f.warned || p.check == checkNever || p.check == checkUnpaired && !p.unpaired {
		return nil
	}
	if bytes.Compare(before.text, after.text) <= 0 {
		return nil
	}
	f.warned = true
	if p.check == checkAlways {
		return p.out.fatal("file %d is not in sorted order", f.number)
	}
	p.call.Warnf("file %d is not in sorted order", f.number)
	return nil
}
