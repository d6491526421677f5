package text

import (
	"bytes"
	"context"
	"errors"
	"io"

	"github.com/limpet-sh/limpet/builtins"
)

var _ = commands.Add(&builtins.Command{
	Name:     "paste",
	Synopsis: "[OPTION]... [FILE]...",
	Summary:  "merge lines of files",
	Run:      runPaste,
})

// A paster joins lines.
type paster struct {
	call   *builtins.Call
	out    *output
	delims [][]byte // in turn; an empty one is none
	line   byte
}

func runPaste(ctx context.Context, c *builtins.Call) (err error) {
	p := paster{call: c}
	list := "\t"
	var serial, zero bool
	f := c.Flags()
	f.String(&list, "d,delimiters", "separate lines with the characters of `LIST` in turn, not with tabs")
	f.Bool(&serial, "s,serial", "paste the lines of one file at a time")
	f.Bool(&zero, "z,zero-terminated", "lines end with NUL, not newline")
	files, err := f.Parse()
	if err != nil {
		return err
	}
	if p.delims, err = pasteDelimiters(list); err != nil {
		return f.Fail(err)
	}
	p.line = delimiter(zero)
	p.out = newOutput(c)
	defer p.out.close(&err)
	if serial {
		return c.EachInput(files, p.serial)
	}
	if len(files) == 0 {
		files = []string{"-"}
	}
	return p.parallel(files)
}

// pasteDelimiters parses a list of delimiters, of which \0 is the empty one.
func pasteDelimiters(list string) ([][]byte, error) {
	if list == "" {
		list = `\0`
	}
	var delims [][]byte
	for i := 0; i < len(list); i++ {
		b := list[i]
		if b != '\\' {
			delims = append(delims, []byte{b})
			continue
		}
		if i++; i == len(list) {
			return nil, errors.New("delimiter list ends with an unescaped backslash: " + list)
		}
		switch b = list[i]; b {
		case '0':
			delims = append(delims, nil)
			continue
		case 'b', 'f', 'n', 'r', 't', 'v':
			b = "\b\f\n\r\t\v"[bytes.IndexByte([]byte("bfnrtv"), b)]
		}
		delims = append(delims, []byte{b})
	}
	return delims, nil
}

// serial joins the lines of one file.
func (p *paster) serial(_ string, r io.Reader) error {
	n := 0
	err := eachLine(p.call, r, p.line, func(line []byte) error {
		if n > 0 {
			p.out.buf = append(p.out.buf, p.delims[(n-1)%len(p.delims)]...)
		}
		n++
		text, _ := bytes.CutSuffix(line, []byte{p.line})
		p.out.buf = append(p.out.buf, text...)
		return p.out.spill()
	})
	if err != nil {
		return err
	}
	p.out.buf = append(p.out.buf, p.line)
	return nil
}

// A column is a file whose lines parallel joins with those of others.
type column struct {
	name  string
	lines *builtins.LineReader // nil after the end
	close func() error
}

// parallel joins the first lines of all files, then the second ones.
func (p *paster) parallel(names []string) error {
	c := p.call
	columns := make([]*column, 0, len(names))
	defer func() {
		for _, col := range columns {
			if col.lines != nil {
				col.lines.Close()
			}
			_ = col.close()
		}
	}()
	var stdin *builtins.LineReader
	for _, name := range names {
		in, err := openInput(c, name)
		if err != nil {
			return builtins.FileError(name, err)
		}
		col := &column{name: name, close: in.close}
		if name == "-" && stdin != nil {
			col.lines = stdin
		} else {
			col.lines = c.Lines(in, p.line)
		}
		if name == "-" {
			stdin = col.lines
		}
		columns = append(columns, col)
	}
	for {
		more, err := p.row(columns)
		if err != nil || !more {
			return err
		}
	}
}

// row prints a line of each file that has one, and reports whether any had.
func (p *paster) row(columns []*column) (more bool, err error) {
	start := len(p.out.buf)
	for i, col := range columns {
		if i > 0 {
			p.out.buf = append(p.out.buf, p.delims[(i-1)%len(p.delims)]...)
		}
		if col.lines == nil {
			continue
		}
		line, err := col.lines.Next()
		if err != nil {
			if err != io.EOF {
				if p.call.Ends(err) {
					return false, err
				}
				p.call.Warn(readError(col.name, err))
			}
			col.lines.Close()
			col.lines = nil
			continue
		}
		more = true
		text, _ := bytes.CutSuffix(line, []byte{p.line})
		p.out.buf = append(p.out.buf, text...)
	}
	if !more {
		p.out.buf = p.out.buf[:start]
		return false, nil
	}
	p.out.buf = append(p.out.buf, p.line)
	return true, p.out.spill()
}
