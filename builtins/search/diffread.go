package search

import (
	"bytes"
	"fmt"
	"io"
	"unicode"
	"unicode/utf8"

	"github.com/limpet-sh/limpet/internal/linediff"
	"github.com/limpet-sh/limpet/vfs"
)

// load reads a file.
func (d *differ) load(f *diffFile) error {
	if f.absent || f.data != nil {
		return nil
	}
	r := d.Stdin
	if !f.std {
		file, err := d.Open(f.name)
		if err != nil {
			return fmt.Errorf("%s: %w", f.name, vfs.ErrnoOf(err))
		}
		defer file.Close()
		r = file
	}
	data := buffer{call: d.Call}
	defer func() { f.data, f.cost = data.b, f.cost+cap(data.b) }()
	if f.info != nil && f.info.Mode().IsRegular() {
		if err := data.reserve(int(f.info.Size()) + 1); err != nil {
			return err
		}
	}
	for {
		if err := data.reserve(min(max(4<<10, len(data.b)/4), 1<<20)); err != nil {
			return err
		}
		n, err := r.Read(data.b[len(data.b):cap(data.b)])
		data.b = data.b[:len(data.b)+n]
		if err := d.Poll(1 + n>>10); err != nil {
			return err
		}
		if err == io.EOF {
			return d.complete(f, &data)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", f.name, vfs.ErrnoOf(err))
		}
	}
}

// complete ends the last line of a file for ed, which has no other lines, and
// strips carriage returns where that is wanted.
func (d *differ) complete(f *diffFile, data *buffer) error {
	if d.stripCR && !linediff.IsBinary(data.b) {
		kept := data.b[:0]
		for i, c := range data.b {
			if c != '\r' || i+1 == len(data.b) || data.b[i+1] != '\n' {
				kept = append(kept, c)
			}
		}
		data.b = kept
	}
	ed := d.style == styleEd || d.style == styleForwardEd
	if n := len(data.b); !ed || d.brief || n == 0 || data.b[n-1] == '\n' {
		return nil
	}
	f.open = true
	return data.addByte('\n')
}

// lineCost is what a line costs beyond its text.
const lineCost = 80

// split finds the lines of a file.
func (d *differ) split(f *diffFile) error {
	n := bytes.Count(f.data, []byte{'\n'}) + 1
	if err := d.Alloc(n * lineCost); err != nil {
		return err
	}
	f.cost += n * lineCost
	f.lines = make([]line, 0, n)
	for at := 0; at < len(f.data); {
		end := len(f.data)
		if i := bytes.IndexByte(f.data[at:], '\n'); i >= 0 {
			end = at + i + 1
		}
		f.lines = append(f.lines, line{at, end})
		at = end
		if err := d.Poll(1); err != nil {
			return err
		}
	}
	return nil
}

// text returns line i of f with its newline.
func (f *diffFile) text(i int) []byte { return f.data[f.lines[i].begin:f.lines[i].end] }

// classify gives equal numbers to lines that count as equal, of those from the
// line from up to toX and toY.
func (d *differ) classify(x, y *diffFile, from, toX, toY int) error {
	numbers := make(map[string]int32)
	var room []byte
	number := func(f *diffFile, to int) error {
		f.class = make([]int32, to-from)
		for i := range f.class {
			if err := d.Poll(1); err != nil {
				return err
			}
			text := f.text(from + i)
			if !d.exact() {
				room = d.normalize(room[:0], text)
				text = room
			}
			n, ok := numbers[string(text)]
			if !ok {
				n = int32(len(numbers))
				numbers[string(text)] = n
			}
			f.class[i] = n
		}
		return nil
	}
	if err := number(x, toX); err != nil {
		return err
	}
	return number(y, toY)
}

// exact reports whether lines are equal only if their bytes are.
func (d *differ) exact() bool {
	return !d.ignoreCase && d.space == spaceCounts && !d.tabExpansion && !d.trailingSpace
}

// normalize adds to dst a form of text that equal lines have in common.
func (d *differ) normalize(dst, text []byte) []byte {
	text, ended := bytes.CutSuffix(text, []byte{'\n'})
	if d.trailingSpace || d.space != spaceCounts {
		text = bytes.TrimRight(text, " \t\v\f\r")
		ended = true
	}
	column := 0
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRune(text[i:])
		c := text[i : i+n]
		i += n
		space := n == 1 && bytes.IndexByte([]byte(" \t\v\f\r"), c[0]) >= 0
		switch {
		case space && d.space == spaceNone:
			continue
		case space && d.space == spaceAmount:
			if k := len(dst); k == 0 || dst[k-1] != ' ' {
				dst = append(dst, ' ')
			}
			continue
		case c[0] == '\t' && d.tabExpansion:
			for stop := column + d.tabSize - column%d.tabSize; column < stop; column++ {
				dst = append(dst, ' ')
			}
			continue
		case d.ignoreCase && (n > 1 || r != utf8.RuneError):
			dst = utf8.AppendRune(dst, unicode.ToLower(r))
		default:
			dst = append(dst, c...)
		}
		column++
	}
	if ended {
		dst = append(dst, '\n')
	}
	return dst
}
