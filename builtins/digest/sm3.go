package digest

import (
	"encoding/binary"
	"math/bits"
)

// An sm3 computes the digest SM3 (GB/T 32905-2016).
type sm3 struct {
	state [8]uint32
	block [64]byte
	used  int
	total uint64
}

func newSM3() *sm3 {
	h := &sm3{}
	h.Reset()
	return h
}

func (h *sm3) Reset() {
	*h = sm3{state: [8]uint32{
		0x7380166f, 0x4914b2b9, 0x172442d7, 0xda8a0600, 0xa96f30bc, 0x163138aa, 0xe38dee4d, 0xb0fb0e4e,
	}}
}

func (h *sm3) Size() int      { return 32 }
func (h *sm3) BlockSize() int { return 64 }

func (h *sm3) Write(p []byte) (int, error) {
	n := len(p)
	h.total += uint64(n)
	for len(p) > 0 {
		k := copy(h.block[h.used:], p)
		h.used, p = h.used+k, p[k:]
		if h.used == len(h.block) {
			h.compress()
			h.used = 0
		}
	}
	return n, nil
}

func (h *sm3) Sum(b []byte) []byte {
	d := *h
	length := d.total * 8
	_, _ = d.Write([]byte{0x80})
	for d.used != 56 {
		_, _ = d.Write([]byte{0})
	}
	_, _ = d.Write(binary.BigEndian.AppendUint64(nil, length))
	for _, word := range d.state {
		b = binary.BigEndian.AppendUint32(b, word)
	}
	return b
}

func (h *sm3) compress() {
	var w [68]uint32
	for i := range 16 {
		w[i] = binary.BigEndian.Uint32(h.block[4*i:])
	}
	for i := 16; i < 68; i++ {
		x := w[i-16] ^ w[i-9] ^ bits.RotateLeft32(w[i-3], 15)
		x ^= bits.RotateLeft32(x, 15) ^ bits.RotateLeft32(x, 23)
		w[i] = x ^ bits.RotateLeft32(w[i-13], 7) ^ w[i-6]
	}
	s := h.state
	for i := range 64 {
		s = round(s, i, w[i], w[i]^w[i+4])
	}
	for i := range s {
		h.state[i] ^= s[i]
	}
}

// round is one of the 64 rounds of the compression function.
func round(s [8]uint32, i int, w, w1 uint32) [8]uint32 {
	a, b, c, d, e, f, g, h := s[0], s[1], s[2], s[3], s[4], s[5], s[6], s[7]
	t, ff, gg := uint32(0x79cc4519), a^b^c, e^f^g
	if i >= 16 {
		t, ff, gg = 0x7a879d8a, a&b|a&c|b&c, e&f|^e&g
	}
	a12 := bits.RotateLeft32(a, 12)
	ss1 := bits.RotateLeft32(a12+e+bits.RotateLeft32(t, i%32), 7)
	tt1 := ff + d + (ss1 ^ a12) + w1
	tt2 := gg + h + ss1 + w
	p0 := tt2 ^ bits.RotateLeft32(tt2, 9) ^ bits.RotateLeft32(tt2, 17)
	return [8]uint32{tt1, a, bits.RotateLeft32(b, 9), c, p0, e, bits.RotateLeft32(f, 19), g}
}
