package text

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"io/fs"
	"strconv"

	"github.com/limpet-sh/limpet/builtins"
	"github.com/limpet-sh/limpet/vfs"
)

var _ = commands.Add(&builtins.Command{
	Name:     "cat",
	Synopsis: "[OPTION]... [FILE]...",
	Summary:  "concatenate files to standard output",
	Run:      runCat,
})

func runCat(ctx context.Context, c *builtins.Call) (err error) {
	var s catStyle
	var nothing bool
	f := c.Flags()
	f.Do("A,show-all", "the same as -vET", func() error { s.caret, s.ends, s.tabs = true, true, true; return nil })
	f.Bool(&s.numberText, "b,number-nonblank", "number the lines that are not empty; overrides -n")
	f.Do("e", "the same as -vE", func() error { s.caret, s.ends = true, true; return nil })
	f.Bool(&s.ends, "E,show-ends", "show $ at the end of each line")
	f.Bool(&s.number, "n,number", "number all lines")
	f.Bool(&s.squeeze, "s,squeeze-blank", "print one of several empty lines in a row")
	f.Do("t", "the same as -vT", func() error { s.caret, s.tabs = true, true; return nil })
	f.Bool(&s.tabs, "T,show-tabs", "show tabs as ^I")
	f.Bool(&nothing, "u", "do not buffer, which is how cat works anyway")
	f.Bool(&s.caret, "v,show-nonprinting", "show control characters as ^X and bytes above 127 as M-X")
	files, err := f.Parse()
	if err != nil {
		return err
	}
	out := newOutput(c)
	defer out.close(&err)
	do := func(block []byte) error { return out.writeThrough(block) }
	if s != (catStyle{}) {
		p := catPrinter{catStyle: s, out: out, start: true}
		p.plain = p.table()
		do = p.print
		defer p.flushCR()
	}
	target := stat(c.Stdout)
	return c.EachInput(files, func(name string, r io.Reader) error {
		if sameContent(target, r) {
			return fmt.Errorf("%s: input file is output file", builtins.QuoteMaybe(name))
		}
		return eachBlock(c, r, do)
	})
}

// sameContent reports whether reading r would yield what is written to the
// regular file target, without end.
func sameContent(target fs.FileInfo, r io.Reader) bool {
	if target == nil || !target.Mode().IsRegular() {
		return false
	}
	_, info, offset := regular(r)
	return info != nil && vfs.SameFile(info, target) && offset < info.Size()
}

// A catStyle is how cat changes what it copies.
type catStyle struct {
	number, numberText, squeeze, ends, tabs, caret bool
}

// A catPrinter prints blocks in a style.
type catPrinter struct {
	catStyle
	out   *output
	plain *[256]string // what bytes are shown as; nil where all are as they are
	start bool         // the next byte begins a line
	blank int          // empty lines up to here
	line  int64
	cr    bool // a carriage return waits for its newline
}

func (p *catPrinter) print(b []byte) error {
	o := p.out
	if p.cr && len(b) > 0 && b[0] != '\n' {
		p.flushCR()
	}
	for len(b) > 0 {
		if p.start && b[0] == '\n' && !p.cr {
			b = b[1:]
			if p.blank++; p.blank > 1 && p.squeeze {
				continue
			}
			if p.number && !p.numberText {
				p.addNumber()
			}
			p.endLine()
			continue
		}
		if p.start {
			p.blank, p.start = 0, false
			if p.number || p.numberText {
				p.addNumber()
			}
		}
		end := bytes.IndexByte(b, '\n')
		text := b
		if end >= 0 {
			text = b[:end]
		}
		if p.ends && len(text) > 0 && text[len(text)-1] == '\r' {
			text, p.cr = text[:len(text)-1], true
		}
		p.addText(text)
		if end < 0 {
			break
		}
		if p.cr {
			o.buf, p.cr = append(o.buf, "^M"...), false
		}
		p.endLine()
		p.start = true
		b = b[end+1:]
		if err := o.spill(); err != nil {
			return err
		}
	}
	return o.flush()
}

// flushCR prints a carriage return after which no newline came.
func (p *catPrinter) flushCR() {
	if p.cr {
		p.cr = false
		p.addText([]byte{'\r'})
	}
}

func (p *catPrinter) endLine() {
	if p.ends {
		p.out.buf = append(p.out.buf, '$')
	}
	p.out.buf = append(p.out.buf, '\n')
}

func (p *catPrinter) addNumber() {
	p.line++
	var digits [20]byte
	n := strconv.AppendInt(digits[:0], p.line, 10)
	for range 6 - len(n) {
		p.out.buf = append(p.out.buf, ' ')
	}
	p.out.buf = append(append(p.out.buf, n...), '\t')
}

func (p *catPrinter) addText(text []byte) {
	if p.plain == nil {
		p.out.buf = append(p.out.buf, text...)
		return
	}
	buf := p.out.buf
	for _, b := range text {
		buf = append(buf, p.plain[b]...)
	}
	p.out.buf = buf
}

// table returns what each byte is shown as, or nil if all are shown as they are.
func (p *catPrinter) table() *[256]string {
	if !p.caret && !p.tabs {
		return nil
	}
	t := new([256]string)
	for i := range t {
		t[i] = string([]byte{byte(i)})
		if p.caret && i != '\t' {
			t[i] = caret(byte(i))
		}
	}
	if p.tabs {
		t['\t'] = "^I"
	}
	return t
}

// caret returns the form of a byte that shows control characters as ^X and what
// is above 127 as M-X.
func caret(b byte) string {
	switch {
	case b >= 128:
		return "M-" + caret(b-128)
	case b < 32 || b == 127:
		return string([]byte{'^', b ^ 64})
	}
	return string([]byte{b})
}
