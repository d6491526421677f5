package text

import (
	"bytes"
	"context"
	"strconv"
	"strings"

	"github.com/limpet-sh/limpet/builtins"
)

var _ = commands.Add(&builtins.Command{
	Name:     "wc",
	Synopsis: "[OPTION]... [FILE]...",
	Summary:  "print newline, word, and byte counts for each file",
	Run:      runWc,
})

// The columns of wc, in the order in which they are printed.
const (
	wcLines = iota
	wcWords
	wcChars
	wcBytes
	wcWidth
	wcColumns
)

// wcCounts has one count for each column.
type wcCounts [wcColumns]int64

// A wcPrinter prints the columns that are wanted.
type wcPrinter struct {
	want  [wcColumns]bool
	width int
	out   *output
}

func runWc(ctx context.Context, c *builtins.Call) (err error) {
	var p wcPrinter
	from := ""
	f := c.Flags()
	f.Bool(&p.want[wcBytes], "c,bytes", "print the number of bytes")
	f.Bool(&p.want[wcChars], "m,chars", "print the number of characters")
	f.Bool(&p.want[wcLines], "l,lines", "print the number of newlines")
	f.String(&from, "files0-from", "read the names of the files, each with a NUL after it, from `F`; from standard input if F is -")
	f.Bool(&p.want[wcWidth], "L,max-line-length", "print the width of the widest line")
	f.Bool(&p.want[wcWords], "w,words", "print the number of words")
	files, err := f.Parse()
	if err != nil {
		return err
	}
	if p.want == [wcColumns]bool{} {
		p.want = [wcColumns]bool{wcLines: true, wcWords: true, wcBytes: true}
	}
	p.out = newOutput(c)
	defer p.out.close(&err)
	if from != "" {
		if len(files) > 0 {
			return f.Fail(builtins.Usage("extra operand %s\nfile operands cannot be combined with --files0-from", builtins.Quote(files[0])))
		}
		return p.namesFrom(c, from)
	}
	p.width = p.columnWidth(c, files)
	if len(files) == 0 {
		counts, err := p.count(c, c.Stdin)
		p.print(&counts, "")
		return readError("standard input", err)
	}
	return p.files(c, files)
}

// files prints the counts of files, and of all together.
func (p *wcPrinter) files(c *builtins.Call, files []string) error {
	var total wcCounts
	for _, name := range files {
		if err := p.file(c, name, &total); err != nil {
			return err
		}
	}
	if len(files) > 1 {
		p.print(&total, "total")
	}
	return nil
}

// file prints the counts of one file and adds them to total.
func (p *wcPrinter) file(c *builtins.Call, name string, total *wcCounts) error {
	in, err := openInput(c, name)
	if err != nil {
		c.Warn(builtins.FileError(name, err))
		return nil
	}
	counts, err := p.count(c, in.Reader)
	_ = in.close()
	if c.Ends(err) {
		return err
	}
	if err != nil {
		c.Warn(readError(name, err))
	}
	p.print(&counts, name)
	for i, n := range counts {
		if i == wcWidth {
			total[i] = max(total[i], n)
		} else {
			total[i] += n
		}
	}
	return nil
}

// namesFrom counts the files whose names the file from lists.
func (p *wcPrinter) namesFrom(c *builtins.Call, from string) error {
	in, err := openInput(c, from)
	if err != nil {
		return errnoError(err, "cannot open %s for reading", builtins.Quote(from))
	}
	defer in.close()
	if _, info, _ := regular(in); info != nil && info.Size() <= 10<<20 {
		return p.namesFromFile(c, in, from)
	}
	p.width = 1
	var total wcCounts
	n := 0
	err = eachLine(c, in, 0, func(record []byte) error {
		n++
		name, _ := bytes.CutSuffix(record, []byte{0})
		if p.badName(c, from, string(name), n) {
			return nil
		}
		return p.file(c, string(name), &total)
	})
	if n > 1 {
		p.print(&total, "total")
	}
	return readError(from, err)
}

// namesFromFile is namesFrom for a file that can be read at once, which lets
// the columns fit.
func (p *wcPrinter) namesFromFile(c *builtins.Call, in *input, from string) error {
	names, held, err := readNames(c, in)
	defer c.Free(held)
	if err != nil {
		return readError(from, err)
	}
	p.width = 1
	if len(names) > 0 {
		p.width = p.columnWidth(c, names)
	}
	var total wcCounts
	for i, name := range names {
		if p.badName(c, from, name, i+1) {
			continue
		}
		if err := p.file(c, name, &total); err != nil {
			return err
		}
	}
	if len(names) > 1 {
		p.print(&total, "total")
	}
	return nil
}

// badName reports, after a warning, that the name with number n in the file
// from cannot be one.
func (p *wcPrinter) badName(c *builtins.Call, from, name string, n int) bool {
	switch {
	case from == "-" && name == "-":
		c.Warnf("when reading file names from stdin, no file name of %s allowed", builtins.Quote("-"))
		return true
	case name == "":
		c.Warnf("%s:%d: invalid zero-length file name", builtins.QuoteMaybe(from), n)
		return true
	}
	return false
}

// columnWidth returns the width that all counts of files fit in, judging by
// their sizes.
func (p *wcPrinter) columnWidth(c *builtins.Call, files []string) int {
	wanted := 0
	for _, w := range p.want {
		if w {
			wanted++
		}
	}
	if len(files) <= 1 && wanted == 1 {
		return 1
	}
	if len(files) == 0 {
		files = []string{"-"}
	}
	least, size := 1, int64(0)
	for _, name := range files {
		info := stat(c.Stdin)
		if name != "-" {
			var err error
			if info, err = c.FS.Stat(name); err != nil {
				continue
			}
		}
		if info != nil && info.Mode().IsRegular() {
			size += info.Size()
		} else {
			least = 7
		}
	}
	return max(least, len(strconv.FormatInt(size, 10)))
}

// print prints a row, followed by name unless it is empty.
func (p *wcPrinter) print(counts *wcCounts, name string) {
	first := true
	for i, n := range counts {
		if !p.want[i] {
			continue
		}
		if !first {
			p.out.buf = append(p.out.buf, ' ')
		}
		first = false
		var digits [20]byte
		text := strconv.AppendInt(digits[:0], n, 10)
		for range p.width - len(text) {
			p.out.buf = append(p.out.buf, ' ')
		}
		p.out.buf = append(p.out.buf, text...)
	}
	if name != "" {
		if strings.Contains(name, "\n") {
			name = builtins.QuoteMaybe(name)
		}
		p.out.buf = append(append(p.out.buf, ' '), name...)
	}
	p.out.buf = append(p.out.buf, '\n')
}
