package data

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/limpet-sh/limpet/builtins"
)

// A csvReader reads rows of CSV (RFC 4180): fields may be quoted, and lines end in
// LF, CRLF or CR. Empty lines are skipped.
type csvReader struct {
	call      *builtins.Call
	in        *bufio.Reader
	delimiter byte
	close     func()

	header   []string
	headed   bool     // the header is a row of the file
	pending  []string // a row that has been read
	flexible bool     // rows may have different lengths
	width    int
	rows     int // read
	line     int // of the last row

	buf  []byte
	ends []int
	row  []string
	held int
}

// next returns the next row, which is valid until the one after it.
func (r *csvReader) next() ([]string, error) {
	if r.pending != nil {
		row := r.pending
		r.pending = nil
		return row, nil
	}
	r.buf, r.ends, r.row = r.buf[:0], r.ends[:0], r.row[:0]
	if err := r.call.Poll(1); err != nil {
		return nil, err
	}
	for {
		c, err := r.in.ReadByte()
		if err != nil {
			return nil, err
		}
		if c == '\n' || c == '\r' {
			r.line++
			continue
		}
		_ = r.in.UnreadByte()
		break
	}
	for more := true; more; {
		var err error
		if more, err = r.field(); err != nil {
			return nil, err
		}
		r.ends = append(r.ends, len(r.buf))
	}
	r.rows++
	r.line++
	text, start := string(r.buf), 0
	for _, end := range r.ends {
		r.row = append(r.row, text[start:end])
		start = end
	}
	return r.row, nil
}

// put appends a byte to the row, and charges for long ones.
func (r *csvReader) put(c byte) error {
	if len(r.buf) == cap(r.buf) {
		size := max(4096, 2*cap(r.buf))
		if err := r.call.Alloc(2 * (size - r.held)); err != nil {
			return err
		}
		if err := r.call.Poll(size >> 8); err != nil {
			return err
		}
		r.held = size
		r.buf = append(make([]byte, 0, size), r.buf...)
	}
	r.buf = append(r.buf, c)
	return nil
}

// field reads one field, and reports whether another follows.
func (r *csvReader) field() (more bool, err error) {
	c, err := r.in.ReadByte()
	quoted := err == nil && c == '"'
	if quoted {
		if err := r.quoted(); err != nil {
			return false, err
		}
		c, err = r.in.ReadByte()
	}
	for {
		switch {
		case err == io.EOF:
			return false, nil
		case err != nil:
			return false, err
		case c == r.delimiter:
			return true, nil
		case c == '\n':
			return false, nil
		case c == '\r':
			if next, err := r.in.Peek(1); err == nil && next[0] == '\n' {
				_, _ = r.in.ReadByte()
			}
			return false, nil
		}
		if err := r.put(c); err != nil {
			return false, err
		}
		c, err = r.in.ReadByte()
	}
}

// quoted reads the rest of a quoted text.
func (r *csvReader) quoted() error {
	for {
		c, err := r.in.ReadByte()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if c == '"' {
			if next, err := r.in.Peek(1); err != nil || next[0] != '"' {
				return nil
			}
			_, _ = r.in.ReadByte()
		}
		if c == '\n' {
			r.line++
		}
		if err := r.put(c); err != nil {
			return err
		}
	}
}

// A csvWriter writes rows of CSV.
type csvWriter struct {
	dst       io.Writer
	buf       []byte
	delimiter byte
	quote     byte
	always    bool // quote every field
	never     bool
	crlf      bool
}

func newCSVWriter(w io.Writer) *csvWriter { return &csvWriter{dst: w, delimiter: ',', quote: '"'} }

func (w *csvWriter) flush() error {
	b := w.buf
	w.buf = w.buf[:0]
	if len(b) == 0 {
		return nil
	}
	_, err := w.dst.Write(b)
	return err
}

// text writes something that is no row.
func (w *csvWriter) text(s string) error {
	w.buf = append(w.buf, s...)
	if len(w.buf) > 32<<10 {
		return w.flush()
	}
	return nil
}

func (w *csvWriter) textf(format string, args ...any) error {
	return w.text(fmt.Sprintf(format, args...))
}

// row writes a row.
func (w *csvWriter) row(fields []string) error {
	for i, s := range fields {
		if i > 0 {
			w.buf = append(w.buf, w.delimiter)
		}
		if !w.never && (w.always || len(fields) == 1 && s == "" || w.special(s)) {
			w.buf = append(w.buf, w.quote)
			w.buf = append(w.buf, strings.ReplaceAll(s, string(w.quote), string(w.quote)+string(w.quote))...)
			w.buf = append(w.buf, w.quote)
		} else {
			w.buf = append(w.buf, s...)
		}
	}
	if w.crlf {
		w.buf = append(w.buf, '\r')
	}
	return w.text("\n")
}

// special reports whether a field must be quoted.
func (w *csvWriter) special(s string) bool {
	for i := 0; i < len(s); i++ {
		if c := s[i]; c == w.delimiter || c == w.quote || c == '\n' || c == '\r' {
			return true
		}
	}
	return false
}
