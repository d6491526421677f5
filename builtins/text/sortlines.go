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
	chunks  [][]byte // lines, each within a chunk, with their delimiters
	entries []sortEntry
	held    int
}

// A sortEntry is a line, and what of it decides most comparisons.
type sortEntry struct {
	prefix          uint64 // see sortOrder.prefix
	chunk, off, len uint32
	keyOff, keyLen  uint32 // the first key, within the line
	exact           bool   // keys with the same prefix are equal if both are exact
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

// line returns the line of e without its delimiter.
func (l *sortLines) line(e *sortEntry) []byte {
	return l.chunks[e.chunk][e.off : e.off+e.len]
}

// key returns the first key of e.
func (l *sortLines) key(e *sortEntry) []byte {
	start := e.off + e.keyOff
	return l.chunks[e.chunk][start : start+e.keyLen]
}

// split makes the entries.
func (l *sortLines) split(s *sorter) error {
	count := 0
	for _, chunk := range l.chunks {
		count += bytes.Count(chunk, []byte{l.delim})
		if err := l.call.Poll(1 + len(chunk)>>8); err != nil {
			return err
		}
	}
	size := int(unsafe.Sizeof(sortEntry{}))
	if err := l.alloc((count + count/2 + 1) * size); err != nil { // the half is for merging
		return err
	}
	l.entries = make([]sortEntry, 0, count)
	for c, chunk := range l.chunks {
		for off := 0; off < len(chunk); {
			if err := l.call.Poll(1); err != nil {
				return err
			}
			n := bytes.IndexByte(chunk[off:], l.delim)
			e := sortEntry{chunk: uint32(c), off: uint32(off), len: uint32(n)}
			s.prepare(&e, chunk[off:off+n])
			l.entries = append(l.entries, e)
			off += n + 1
		}
	}
	return nil
}
