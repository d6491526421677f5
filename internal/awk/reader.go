package awk

import (
	"bytes"
	"io"
)

// A reader splits an input into records.
type reader struct {
	m    *machine
	in   io.Reader
	buf  []byte
	r, w int   // what has been read and not yet returned is buf[r:w]
	err  error // of the input; io.EOF at its end
	rt   []byte
}

const readSize = 64 << 10

func newReader(m *machine, in io.Reader) *reader { return &reader{m: m, in: in} }

// close gives back the memory of the reader.
func (r *reader) close() {
	if len(r.buf) > readSize {
		r.m.hold(-len(r.buf))
	}
	r.buf = nil
}

// fill reads more input behind what is there. It reports whether there may be
// more.
func (r *reader) fill() bool {
	if r.err != nil {
		return false
	}
	if r == r.m.main {
		r.m.rec.own()
	}
	if r.r > 0 {
		copy(r.buf, r.buf[r.r:r.w])
		r.w -= r.r
		r.r = 0
	}
	if r.w == len(r.buf) {
		size := max(readSize, 2*len(r.buf))
		if size > readSize {
			r.m.hold(size - len(r.buf)*int(truth(len(r.buf) > readSize)))
		}
		r.buf = append(make([]byte, 0, size), r.buf[:r.w]...)[:size]
	}
	n, err := r.in.Read(r.buf[r.w:])
	r.m.poll(1 + n>>10)
	r.w += n
	r.err = err
	return n > 0 || err == nil
}

// next returns the next record, which is valid until the next call. It is false
// at the end of the input.
func (r *reader) next() ([]byte, bool) {
	switch rs := r.m.rs; {
	case rs == "":
		return r.paragraph()
	case len(rs) == 1 && (!r.m.ignorecase || !isNameStart(rs[0])):
		return r.delimited(rs[0])
	}
	return r.matched()
}

func (r *reader) delimited(delim byte) ([]byte, bool) {
	seen := 0
	for {
		if i := bytes.IndexByte(r.buf[r.r+seen:r.w], delim); i >= 0 {
			end := r.r + seen + i
			text := r.buf[r.r:end]
			r.rt = r.buf[end : end+1]
			r.r = end + 1
			return text, true
		}
		seen = r.w - r.r
		if !r.fill() {
			return r.rest()
		}
	}
}

// rest returns what is left at the end of the input as the last record.
func (r *reader) rest() ([]byte, bool) {
	text := r.buf[r.r:r.w]
	r.r = r.w
	r.rt = nil
	return text, len(text) > 0
}

// paragraph returns a record that empty lines end. Newlines before it do not
// count.
func (r *reader) paragraph() ([]byte, bool) {
	for {
		for r.r < r.w && r.buf[r.r] == '\n' {
			r.r++
		}
		if r.r < r.w {
			break
		}
		if !r.fill() {
			return nil, false
		}
	}
	seen := 0
	for {
		if i := bytes.Index(r.buf[r.r+seen:r.w], []byte("\n\n")); i >= 0 {
			return r.untilText(seen + i)
		}
		seen = max(0, r.w-r.r-1)
		if !r.fill() {
			break
		}
	}
	text := r.buf[r.r:r.w]
	r.r = r.w
	if len(text) == 0 {
		return nil, false
	}
	trimmed := bytes.TrimSuffix(text, []byte("\n"))
	r.rt = text[len(trimmed):]
	return trimmed, true
}

// untilText ends a paragraph of n bytes at the last of the newlines after it.
func (r *reader) untilText(n int) ([]byte, bool) {
	end := n
	for {
		for r.r+end < r.w && r.buf[r.r+end] == '\n' {
			end++
		}
		if r.r+end < r.w || !r.fill() {
			break
		}
	}
	text := r.buf[r.r : r.r+n]
	r.rt = r.buf[r.r+n : r.r+end]
	r.r += end
	return text, true
}

// matched returns a record that a match of RS ends. A match that touches the end
// of what has been read may go on beyond it.
func (r *reader) matched() ([]byte, bool) {
	re := r.m.regexp(r.m.rs)
	searched := 0
	for {
		if have := r.w - r.r; have > 0 && (r.err != nil || have < readSize || have >= 2*searched) {
			s, e, ok := r.separator(re)
			if ok && (e < have || r.err != nil) {
				text := r.buf[r.r : r.r+s]
				r.rt = r.buf[r.r+s : r.r+e]
				r.r += e
				return text, true
			}
			searched = have
			if r.err != nil {
				break
			}
		}
		if !r.fill() && r.w-r.r == 0 {
			break
		}
	}
	text, ok := r.rest()
	return text, ok
}

// separator finds the first match of RS that is not empty.
func (r *reader) separator(re *matcher) (start, end int, ok bool) {
	text := r.buf[r.r:r.w]
	for from := 0; from <= len(text); from = end + 1 {
		start, end, ok = re.find(text, from)
		if !ok || end > start {
			return start, end, ok
		}
	}
	return 0, 0, false
}
