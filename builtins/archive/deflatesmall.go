package archive

import (
	"bytes"
	"io"
	"math/bits"

	"github.com/klauspost/compress/flate"
)

// smallInput is the size up to which data is compressed at once, so that it can
// be one block: the encoder for streams ends in an empty block of its own.
const smallInput = 1 << 10

// A smallDeflater compresses like the encoder that open returns, but writes no more
// than one block for little data: finish gets it, with the data.
type smallDeflater struct {
	open   func() (io.WriteCloser, error)
	finish func(data, packed []byte) error
	data   []byte
	stream io.WriteCloser // once the data is more than little
}

// newDeflater returns a writer that compresses to w.
func newDeflater(w io.Writer, level int) io.WriteCloser {
	return &smallDeflater{
		open: func() (io.WriteCloser, error) { return flate.NewWriter(w, level) },
		finish: func(_, packed []byte) error {
			_, err := w.Write(packed)
			return err
		},
	}
}

func (s *smallDeflater) Write(b []byte) (int, error) {
	if s.stream == nil && len(s.data)+len(b) <= smallInput {
		s.data = append(s.data, b...)
		return len(b), nil
	}
	if s.stream == nil {
		var err error
		if s.stream, err = s.open(); err != nil {
			return 0, err
		}
		if _, err := s.stream.Write(s.data); err != nil {
			return 0, err
		}
		s.data = nil
	}
	return s.stream.Write(b)
}

func (s *smallDeflater) Close() error {
	if s.stream != nil {
		return s.stream.Close()
	}
	return s.finish(s.data, deflateSmall(s.data))
}

// deflateSmall returns data compressed, in the shortest of the ways that there are.
func deflateSmall(data []byte) []byte {
	best := fixedBlock(data)
	for _, pack := range []func(w io.Writer) error{
		func(w io.Writer) error { return flate.StatelessDeflate(w, data, true, nil) },
		func(w io.Writer) error {
			z, err := flate.NewWriter(w, flate.BestCompression)
			if err == nil {
				_, err = z.Write(data)
			}
			if err == nil {
				err = z.Close()
			}
			return err
		},
	} {
		var other bytes.Buffer
		if pack(&other) == nil && other.Len() < len(best) {
			best = other.Bytes()
		}
	}
	return best
}

// A bitWriter collects bits, the least first.
type bitWriter struct {
	out  []byte
	bits uint64
	n    uint
}

func (w *bitWriter) write(value uint64, n uint) {
	w.bits |= value << w.n
	for w.n += n; w.n >= 8; w.n -= 8 {
		w.out = append(w.out, byte(w.bits))
		w.bits >>= 8
	}
}

// code writes a Huffman code, whose first bit is its most significant one.
func (w *bitWriter) code(value uint16, n uint) {
	w.write(uint64(bits.Reverse16(value)>>(16-n)), n)
}

// symbol writes the code of a literal or length in blocks of fixed codes (RFC 1951,
// 3.2.6).
func (w *bitWriter) symbol(s uint16) {
	switch {
	case s < 144:
		w.code(0x30+s, 8)
	case s < 256:
		w.code(0x190+s-144, 9)
	case s < 280:
		w.code(s-256, 7)
	default:
		w.code(0xc0+s-280, 8)
	}
}

// fixedBlock returns data as one last block of fixed codes.
func fixedBlock(data []byte) []byte {
	w := &bitWriter{}
	w.write(1, 1)
	w.write(1, 2)
	for i := 0; i < len(data); {
		length, distance := longestMatch(data, i)
		if length < 3 {
			w.symbol(uint16(data[i]))
			i++
			continue
		}
		if next, _ := longestMatch(data, i+1); next > length {
			w.symbol(uint16(data[i]))
			i++
			continue
		}
		w.match(length, distance)
		i += length
	}
	w.symbol(256)
	w.write(0, 7) // fills the last byte
	return w.out
}

// longestMatch returns the longest match of what is at i with what is before it,
// and how far before.
func longestMatch(data []byte, i int) (length, distance int) {
	for from := i - 1; from >= 0; from-- {
		n := 0
		for n < 258 && i+n < len(data) && data[from+n] == data[i+n] {
			n++
		}
		if n > length {
			length, distance = n, i-from
		}
	}
	return length, distance
}

// match writes a length and a distance.
func (w *bitWriter) match(length, distance int) {
	switch {
	case length == 258:
		w.symbol(285)
	case length < 11:
		w.symbol(uint16(254 + length))
	default:
		extra := uint(bits.Len(uint(length-3))) - 3
		w.symbol(uint16(257 + 4*int(extra) + (length-3)>>extra))
		w.write(uint64(length-3)&(1<<extra-1), extra)
	}
	if distance < 5 {
		w.code(uint16(distance-1), 5)
		return
	}
	extra := uint(bits.Len(uint(distance-1))) - 2
	w.code(uint16(2*int(extra)+(distance-1)>>extra), 5)
	w.write(uint64(distance-1)&(1<<extra-1), extra)
}
