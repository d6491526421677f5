package text

import (
	"bytes"
	"context"
	"io"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/limpet-sh/limpet/builtins"
	"github.com/limpet-sh/limpet/internal/wchar"
	"github.com/limpet-sh/limpet/internal/width"
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

// count counts what r has, as far as it is wanted.
func (p *wcPrinter) count(c *builtins.Call, r io.Reader) (counts wcCounts, err error) {
	w := &p.want
	switch {
	case w[wcWords] || w[wcWidth]:
		t := wordCounter{counts: &counts, width: w[wcWidth]}
		err = eachBlock(c, r, t.block)
		t.finish()
	case w[wcChars]:
		var left []byte
		err = eachBlock(c, r, func(b []byte) error {
			counts[wcBytes] += int64(len(b))
			counts[wcLines] += int64(bytes.Count(b, newline))
			counts[wcChars] += countChars(b, &left)
			return nil
		})
	case w[wcLines]:
		err = eachBlock(c, r, func(b []byte) error {
			counts[wcBytes] += int64(len(b))
			counts[wcLines] += int64(bytes.Count(b, newline))
			return nil
		})
	default:
		if s, info, at := regular(r); s != nil {
			if _, err := s.Seek(0, io.SeekEnd); err == nil {
				counts[wcBytes] = max(info.Size()-at, 0)
				return counts, nil
			}
		}
		err = eachBlock(c, r, func(b []byte) error { counts[wcBytes] += int64(len(b)); return nil })
	}
	return counts, err
}

var newline = []byte{'\n'}

// countChars returns the number of valid characters that end in b. left is the
// beginning of one from before b, and becomes the unfinished one at the end.
func countChars(b []byte, left *[]byte) (n int64) {
	if len(*left) > 0 {
		b = append(*left, b...)
		*left = nil
	}
	for len(b) > 0 {
		ascii := 0
		for ascii < len(b) && b[ascii] < utf8.RuneSelf {
			ascii++
		}
		n += int64(ascii)
		b = b[ascii:]
		if len(b) == 0 {
			break
		}
		if !utf8.FullRune(b) {
			*left = append([]byte(nil), b...)
			break
		}
		r, size := utf8.DecodeRune(b)
		if r != utf8.RuneError || size > 1 {
			n++
		}
		b = b[size:]
	}
	return n
}

// A wordCounter counts everything.
type wordCounter struct {
	counts *wcCounts
	width  bool // count the width of lines too
	inWord bool
	column int64
	left   []byte // the beginning of a character
}

// The classes of a byte for counting words.
const (
	wcOther = iota // neither begins nor ends a word
	wcGraph
	wcSpace
	wcMulti // part of a longer character
)

// wcClass has the class of each byte.
var wcClass = func() (t [256]uint8) {
	for b := range t {
		switch {
		case b == ' ' || b >= '\t' && b <= '\r':
			t[b] = wcSpace
		case b > ' ' && b < 127:
			t[b] = wcGraph
		case b >= 128:
			t[b] = wcMulti
		}
	}
	return t
}()

func (t *wordCounter) block(b []byte) error {
	t.counts[wcBytes] += int64(len(b))
	t.counts[wcLines] += int64(bytes.Count(b, newline))
	if len(t.left) > 0 {
		b = append(t.left, b...)
		t.left = nil
	}
	words, chars, inWord := int64(0), int64(0), t.inWord
	for i := 0; i < len(b); i++ {
		class := wcClass[b[i]]
		if class == wcMulti {
			if !utf8.FullRune(b[i:]) {
				t.left = append([]byte(nil), b[i:]...)
				break
			}
			r, size := utf8.DecodeRune(b[i:])
			if r == utf8.RuneError && size == 1 {
				continue // no character at all
			}
			i += size - 1
			class = t.multi(r)
		} else if t.width {
			t.advance(b[i])
		}
		chars++
		switch class {
		case wcSpace:
			if inWord {
				words++
			}
			inWord = false
		case wcGraph:
			inWord = true
		}
	}
	t.inWord = inWord
	t.counts[wcWords] += words
	t.counts[wcChars] += chars
	return nil
}

// multi returns the class of a character beyond ASCII, and counts its width.
func (t *wordCounter) multi(r rune) uint8 {
	if !wchar.IsPrint(r) {
		return wcOther
	}
	t.column += int64(max(width.Rune(r), 0))
	if unicode.IsSpace(r) || r == 0x2060 {
		return wcSpace
	}
	return wcGraph
}

// advance moves the column past an ASCII byte.
func (t *wordCounter) advance(b byte) {
	switch {
	case b == '\n' || b == '\r' || b == '\f':
		t.counts[wcWidth] = max(t.counts[wcWidth], t.column)
		t.column = 0
	case b == '\t':
		t.column += 8 - t.column%8
	case b >= ' ' && b < 127:
		t.column++
	}
}

// finish counts what the end of the input ends.
func (t *wordCounter) finish() {
	if t.inWord {
		t.counts[wcWords]++
	}
	t.counts[wcWidth] = max(t.counts[wcWidth], t.column)
}
