package text

import (
	"io"

	"github.com/limpet-sh/limpet/builtins"
)

// endOfInput is what a byteReader returns after the last byte.
const endOfInput = -1

// A byteReader reads bytes one at a time. An error ends the input, and stays.
type byteReader struct {
	call *builtins.Call
	in   io.Reader
	buf  []byte
	pos  int
	err  error // other than io.EOF
	done bool
}

func newByteReader(c *builtins.Call, r io.Reader) *byteReader {
	return &byteReader{call: c, in: r, buf: make([]byte, 0, 16<<10)}
}

// next returns the next byte, or endOfInput.
func (b *byteReader) next() int {
	if b.pos < len(b.buf) {
		b.pos++
		return int(b.buf[b.pos-1])
	}
	return b.fill()
}

func (b *byteReader) fill() int {
	for !b.done {
		n, err := b.in.Read(b.buf[:cap(b.buf)])
		b.buf, b.pos = b.buf[:n], 0
		if stop := b.call.Poll(1 + n>>8); stop != nil {
			b.err, b.done = stop, true
			return endOfInput
		}
		if err != nil {
			b.done = true
			if err != io.EOF {
				b.err = err
			}
		}
		if n > 0 {
			b.pos = 1
			return int(b.buf[0])
		}
	}
	return endOfInput
}
