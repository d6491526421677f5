package text

import (
	"bytes"
	"io"
	"unsafe"

	"github.com/limpet-sh/limpet/builtins"
)

// sortLines holds the lines that are to be sorted. What it holds is charged.
type sortLines struct {
	call    *builtins.Call
	delim   byte
	chunks  [][]byte    // lines, each within a chunk, with their delimiters
	entries []sortEntry // one a line, in the order of the input at first
	held    int
}

const (
	minSortChunk = 16 << 10
	maxSortChunk = 4 << 20
)

// add reads the lines of r.
func (l *sortLines) add(r io.Reader) error {
	for {
		chunk, err := l.room()
		if err != nil {
			return err
		}
		n, err := r.Read((*chunk)[len(*chunk):cap(*chunk)])
		*chunk = (*chunk)[:len(*chunk)+n]
		if err := l.call.Poll(1 + n>>8); err != nil {
			return err
		}
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
	}
	last := &l.chunks[len(l.chunks)-1]
	if n := len(*last); n > 0 && (*last)[n-1] != l.delim {
		*last = append(*last, l.delim) // room has left a byte
	}
	return nil
}

// room returns the last chunk, with room for more than a byte. An unfinished
// line at the end of a full one moves to the next.
func (l *sortLines) room() (*[]byte, error) {
	size, keep := minSortChunk, []byte(nil)
	if n := len(l.chunks); n > 0 {
		last := &l.chunks[n-1]
		if cap(*last)-len(*last) > 1 {
			return last, nil
		}
		end := bytes.LastIndexByte(*last, l.delim) + 1
		keep = (*last)[end:]
		size = max(min(2*cap(*last), maxSortChunk), 2*len(keep))
		if end > 0 {
			*last = (*last)[:end]
		} else {
			l.chunks = l.chunks[:n-1]
			defer l.free(cap(*last))
		}
	}
	if err := l.alloc(size); err != nil {
		return nil, err
	}
	l.chunks = append(l.chunks, append(make([]byte, 0, size), keep...))
	return &l.chunks[len(l.chunks)-1], nil
}

func (l *sortLines) alloc(n int) error {
	err := l.call.Alloc(n)
	if err == nil {
		l.held += n
	}
	return err
}

func (l *sortLines) free(n int) {
	l.call.Free(n)
	l.held -= n
}

// drop gives the memory back.
func (l *sortLines) drop() {
	l.call.Free(l.held)
	*l = sortLines{}
}

// line returns the line at p without its delimiter.
func (l *sortLines) line(p sortPlace) []byte {
	rest := l.chunks[p.chunk()][p.offset():]
	return rest[:bytes.IndexByte(rest, l.delim)]
}

// split makes the entries.
func (l *sortLines) split() error {
	count := 0
	for _, chunk := range l.chunks {
		count += bytes.Count(chunk, []byte{l.delim})
		if err := l.call.Poll(1 + len(chunk)>>8); err != nil {
			return err
		}
	}
	if err := l.alloc(count * int(unsafe.Sizeof(sortEntry{}))); err != nil {
		return err
	}
	l.entries = make([]sortEntry, 0, count)
	for c, chunk := range l.chunks {
		for off := 0; off < len(chunk); {
			if err := l.call.Poll(1); err != nil {
				return err
			}
			l.entries = append(l.entries, sortEntry{place: sortPlace(c)<<offsetBits | sortPlace(off)})
			off += bytes.IndexByte(chunk[off:], l.delim) + 1
		}
	}
	return nil
}
