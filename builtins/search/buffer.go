package search

import "github.com/limpet-sh/limpet/builtins"

// A buffer is bytes that are charged to a call. The zero buffer, with a call,
// is empty.
type buffer struct {
	b    []byte
	call *builtins.Call
}

// reserve makes room for n more bytes.
func (b *buffer) reserve(n int) error {
	if len(b.b)+n <= cap(b.b) {
		return nil
	}
	size := max(len(b.b)+n, 2*cap(b.b), 256)
	if err := b.call.Alloc(size); err != nil {
		return err
	}
	b.call.Free(cap(b.b))
	grown := make([]byte, len(b.b), size)
	copy(grown, b.b)
	b.b = grown[:len(b.b):size]
	return b.call.Poll(size >> 10)
}

func (b *buffer) reset() { b.b = b.b[:0] }

func (b *buffer) add(p []byte) error {
	if len(b.b)+len(p) > cap(b.b) {
		if err := b.reserve(len(p)); err != nil {
			return err
		}
	}
	b.b = append(b.b, p...)
	return nil
}

func (b *buffer) addByte(c byte) error {
	if err := b.reserve(1); err != nil {
		return err
	}
	b.b = append(b.b, c)
	return nil
}

// set makes p the content.
func (b *buffer) set(p []byte) error {
	b.reset()
	return b.add(p)
}

func (b *buffer) release() {
	b.call.Free(cap(b.b))
	b.b = nil
}
