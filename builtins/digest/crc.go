package digest

import (
	"encoding/binary"
	"math/bits"
	"sync"
)

// crcTables has, for each of the last eight bytes, what it adds to the CRC of
// POSIX cksum. They are computed on first use.
var crcTables = sync.OnceValue(func() *[8][256]uint32 {
	const polynomial = 0x04c11db7
	var t [8][256]uint32
	for i := range 256 {
		r := uint32(i) << 24
		for range 8 {
			r = r<<1 ^ polynomial&-(r>>31)
		}
		t[0][i] = r
	}
	for k := 1; k < 8; k++ {
		for i := range 256 {
			t[k][i] = t[k-1][i]<<8 ^ t[0][t[k-1][i]>>24]
		}
	}
	return &t
})

// A crc computes the check sum of POSIX cksum.
type crc struct{ value uint32 }

func (c *crc) Write(p []byte) (int, error) {
	n, t, r := len(p), crcTables(), c.value
	for ; len(p) >= 8; p = p[8:] {
		a := r ^ binary.BigEndian.Uint32(p)
		b := binary.BigEndian.Uint32(p[4:])
		r = t[7][a>>24] ^ t[6][a>>16&255] ^ t[5][a>>8&255] ^ t[4][a&255] ^
			t[3][b>>24] ^ t[2][b>>16&255] ^ t[1][b>>8&255] ^ t[0][b&255]
	}
	for _, b := range p {
		r = r<<8 ^ t[0][byte(r>>24)^b]
	}
	c.value = r
	return n, nil
}

// sum returns the check sum of n bytes, whose number is a part of it.
func (c *crc) sum(n int64) uint32 {
	d := *c
	for ; n > 0; n >>= 8 {
		_, _ = d.Write([]byte{byte(n)})
	}
	return ^d.value
}

// A bsdSum computes the 16-bit check sum of BSD sum.
type bsdSum uint16

func (s *bsdSum) Write(p []byte) (int, error) {
	r := uint16(*s)
	for _, b := range p {
		r = bits.RotateLeft16(r, -1) + uint16(b)
	}
	*s = bsdSum(r)
	return len(p), nil
}

// A sysvSum computes the 16-bit check sum of System V sum.
type sysvSum uint32

func (s *sysvSum) Write(p []byte) (int, error) {
	r := uint32(*s)
	for _, b := range p {
		r += uint32(b)
	}
	*s = sysvSum(r)
	return len(p), nil
}

func (s *sysvSum) sum() uint32 {
	r := uint32(*s)
	r = r&0xffff + r>>16
	return r&0xffff + r>>16
}
