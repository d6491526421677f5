package interp

import (
	"context"
	"io"
	"unicode/utf8"

	"github.com/limpet-sh/limpet/vfs"
)

// A byteReader reads a stream byte by byte: in blocks where that reads nothing
// behind a delimiter, or where what is read too much can be given back.
type byteReader struct {
	sh     *Shell
	ctx    context.Context
	stream vfs.Stream
	delim  int // that ends what is wanted, or -1
	buf    []byte
	pos    int
}

// A delimReader is a stream that can be read up to a delimiter.
type delimReader interface {
	ReadDelimContext(ctx context.Context, b []byte, delim byte) (int, error)
}

func (r *byteReader) next() (byte, error) {
	for r.pos >= len(r.buf) {
		if err := r.fill(); err != nil {
			return 0, err
		}
	}
	r.pos++
	return r.buf[r.pos-1], nil
}

// fill reads the next block.
func (r *byteReader) fill() (err error) {
	n := 0
	switch d, ok := r.stream.(delimReader); {
	case ok && r.delim >= 0:
		r.grow(512)
		n, err = d.ReadDelimContext(r.ctx, r.buf[:cap(r.buf)], byte(r.delim))
	case r.seekable():
		r.grow(min(max(128, 4*cap(r.buf)), 4096))
		n, err = r.stream.Read(r.buf[:cap(r.buf)])
	default:
		r.grow(1)
		n, err = readAs(r.ctx, r.stream, r.buf[:1])
	}
	r.buf, r.pos = r.buf[:max(n, 0)], 0
	if n > 0 {
		return nil
	}
	return err
}

// grow makes room for a block of n bytes.
func (r *byteReader) grow(n int) {
	if cap(r.buf) < n {
		r.buf = make([]byte, 0, n)
	}
}

// seekable reports whether what is read too much can be given back.
func (r *byteReader) seekable() bool {
	if _, ok := r.stream.(io.Seeker); !ok {
		return false
	}
	info, err := r.stream.Stat()
	return err == nil && info.Mode().IsRegular()
}

// unread gives back what was read too much. From a stream that cannot be wound back nothing is
// read too much, unless the shell is killed before it has looked at all of a line.
func (r *byteReader) unread() {
	if s, ok := r.stream.(io.Seeker); ok && r.pos < len(r.buf) {
		_, _ = s.Seek(int64(r.pos-len(r.buf)), io.SeekCurrent)
	}
}

// partial reports whether the last character of b is not complete.
func (r *byteReader) partial(b []byte) bool {
	for i := 1; i <= 4 && i <= len(b); i++ {
		if c := b[len(b)-i]; utf8.RuneStart(c) {
			return c >= utf8.RuneSelf && !utf8.FullRune(b[len(b)-i:])
		}
	}
	return false
}

// giveBack gives back what was read too much, so that a command finds it.
func (r *byteReader) giveBack() {
	r.unread()
	r.buf, r.pos = r.buf[:0], 0
}
