package archive

import (
	"bufio"
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"hash"
	"hash/crc32"
	"hash/crc64"
	"io"

	"github.com/ulikunitz/xz/lzma"
)

// An xzReader reads the streams of an .xz file, one after the other, as
// the specification of the format (version 1.1.0) has them. Before a block is decoded, its
// dictionary is charged: the header of a block may ask for 4 GB.
type xzReader struct {
	in     countingReader
	window *window

	flags   [2]byte // of the stream
	begun   bool    // the header of a stream was read
	records uint64  // blocks of the stream
	sizes   hash.Hash

	block  io.Reader // nil between blocks
	start  int64     // where the block began
	length int64     // of what it held so far
	check  hash.Hash // nil where there is none, or none that is known
}

// xzChecks are the sizes of checks, by their number.
var xzChecks = [16]int{0, 4, 4, 4, 8, 8, 8, 16, 16, 16, 32, 32, 32, 64, 64, 64}

var xzMagic, xzEnd = []byte("\xfd7zXZ\x00"), []byte("YZ")

func decodeXz(w *window, r *bufio.Reader, _ *member) (io.Reader, error) {
	return &xzReader{in: countingReader{Reader: r}, window: w}, nil
}

// Read reads what the blocks hold.
func (x *xzReader) Read(b []byte) (int, error) {
	for {
		if x.block == nil {
			if err := x.next(); err != nil {
				return 0, err
			}
			continue
		}
		n, err := x.block.Read(b)
		x.length += int64(n)
		if x.check != nil {
			_, _ = x.check.Write(b[:n])
		}
		if err == io.EOF {
			err = x.endBlock()
		}
		if n > 0 || err != nil {
			return n, translate(err)
		}
	}
}

// next goes to the next block, which may be of the next stream.
func (x *xzReader) next() error {
	if !x.begun {
		return x.beginStream()
	}
	size, err := x.in.ReadByte()
	switch {
	case err != nil:
		return truncatedAt(err)
	case size == 0:
		return x.endStream()
	}
	return x.beginBlock(int(size)*4 + 4)
}

// beginStream reads the header of a stream. Zeros, four at a time, may precede one that is
// not the first.
func (x *xzReader) beginStream() error {
	var head [12]byte
	for first := x.in.n == 0; ; {
		n, err := io.ReadFull(&x.in, head[:4])
		if n == 0 && err == io.EOF && !first {
			return io.EOF
		}
		if err != nil {
			return truncatedAt(err)
		}
		if first || head[0] != 0 {
			break
		}
		if !bytes.Equal(head[:4], make([]byte, 4)) {
			return errCorrupt
		}
	}
	if _, err := io.ReadFull(&x.in, head[4:]); err != nil {
		return truncatedAt(err)
	}
	if !bytes.Equal(head[:6], xzMagic) || head[6] != 0 || head[7] > 15 || crc32.ChecksumIEEE(head[6:8]) != binary.LittleEndian.Uint32(head[8:]) {
		return errCorrupt
	}
	x.flags, x.begun, x.records, x.sizes = [2]byte(head[6:8]), true, 0, sha256.New()
	return nil
}

// beginBlock reads the header of a block, which has size bytes of which one was read.
func (x *xzReader) beginBlock(size int) error {
	x.start = x.in.n - 1
	head := make([]byte, size)
	head[0] = byte(size/4 - 1)
	if _, err := io.ReadFull(&x.in, head[1:]); err != nil {
		return truncatedAt(err)
	}
	head, sum := head[:size-4], head[size-4:]
	if crc32.ChecksumIEEE(head) != binary.LittleEndian.Uint32(sum) {
		return errCorrupt
	}
	flags, rest := head[1], head[2:]
	for _, there := range []bool{flags&0x40 != 0, flags&0x80 != 0} { // the two sizes, which the index has too
		if there {
			_, n := binary.Uvarint(rest)
			if n <= 0 {
				return errCorrupt
			}
			rest = rest[n:]
		}
	}
	// One filter, LZMA2, whose only property is the size of the dictionary.
	if flags&0x3f != 0 || len(rest) < 3 || rest[0] != 0x21 || rest[1] != 1 || rest[2] > 40 {
		return errCorrupt
	}
	return x.openBlock(dictionarySize(rest[2]))
}

// dictionarySize returns the size that a byte stands for.
func dictionarySize(b byte) int64 {
	if b == 40 {
		return 1<<32 - 1
	}
	return int64(2|b&1) << (b/2 + 11)
}

// openBlock begins to decode a block.
func (x *xzReader) openBlock(dictionary int64) error {
	if err := x.window.atLeast(dictionary); err != nil {
		return err
	}
	block, err := lzma.Reader2Config{DictCap: int(dictionary)}.NewReader2(&x.in)
	if err != nil {
		return translate(err)
	}
	x.block, x.length, x.check = block, 0, nil
	switch x.flags[1] {
	case 1:
		x.check = crc32.NewIEEE()
	case 4:
		x.check = crc64.New(crc64.MakeTable(crc64.ECMA))
	case 10:
		x.check = sha256.New()
	}
	return nil
}

// endBlock reads what follows the data of a block: padding and the check.
func (x *xzReader) endBlock() error {
	unpadded := x.in.n - x.start
	x.block = nil
	if err := x.padding(unpadded); err != nil {
		return err
	}
	size := xzChecks[x.flags[1]]
	sum := make([]byte, size)
	if _, err := io.ReadFull(&x.in, sum); err != nil {
		return truncatedAt(err)
	}
	if x.check != nil {
		want := x.check.Sum(nil)
		if size < 32 { // the two of CRC are little-endian
			for i, j := 0, size-1; i < j; i, j = i+1, j-1 {
				want[i], want[j] = want[j], want[i]
			}
		}
		if !bytes.Equal(sum, want) {
			return errChecksum
		}
	}
	x.records++
	x.note(uint64(unpadded)+uint64(size), uint64(x.length))
	return nil
}

// note adds the sizes of a block to the sum that the index is compared with.
func (x *xzReader) note(unpadded, length uint64) {
	_, _ = x.sizes.Write(binary.AppendUvarint(binary.AppendUvarint(nil, unpadded), length))
}

// padding reads the zeros that follow n bytes so that there are a multiple of four.
func (x *xzReader) padding(n int64) error {
	for ; n%4 != 0; n++ {
		if b, err := x.in.ReadByte(); err != nil || b != 0 {
			return cmp.Or(truncatedAt(err), errCorrupt)
		}
	}
	return nil
}

// endStream reads the index, of which one byte was read, and the end of the stream.
func (x *xzReader) endStream() error {
	start := x.in.n - 1
	sum := crc32.NewIEEE()
	_, _ = sum.Write([]byte{0})
	x.in.sum = sum
	had := x.sizes.Sum(nil)
	x.sizes = sha256.New()
	records, err := binary.ReadUvarint(&x.in)
	for i := uint64(0); err == nil && i < x.records; i++ {
		var unpadded, length uint64
		if unpadded, err = binary.ReadUvarint(&x.in); err == nil {
			length, err = binary.ReadUvarint(&x.in)
		}
		x.note(unpadded, length)
	}
	if err != nil {
		return truncatedAt(err)
	}
	if err := x.padding(x.in.n - start); err != nil {
		return err
	}
	x.in.sum = nil
	size := x.in.n - start
	var end [16]byte
	if _, err := io.ReadFull(&x.in, end[:]); err != nil {
		return truncatedAt(err)
	}
	le := binary.LittleEndian
	if records != x.records || !bytes.Equal(had, x.sizes.Sum(nil)) || le.Uint32(end[:]) != sum.Sum32() ||
		le.Uint32(end[4:]) != crc32.ChecksumIEEE(end[8:14]) || (int64(le.Uint32(end[8:]))+1)*4 != size+4 ||
		[2]byte(end[12:14]) != x.flags || !bytes.Equal(end[14:], xzEnd) {
		return errCorrupt
	}
	x.begun = false
	return nil
}

// truncatedAt returns the error for err where data end too early.
func truncatedAt(err error) error {
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return translate(err)
}

// A countingReader counts what is read, and sums it where sum is not nil.
type countingReader struct {
	*bufio.Reader
	n   int64
	sum hash.Hash32
}

func (c *countingReader) Read(b []byte) (int, error) {
	n, err := c.Reader.Read(b)
	c.n += int64(n)
	if c.sum != nil {
		_, _ = c.sum.Write(b[:n])
	}
	return n, err
}

func (c *countingReader) ReadByte() (byte, error) {
	b, err := c.Reader.ReadByte()
	if err == nil {
		c.n++
		if c.sum != nil {
			_, _ = c.sum.Write([]byte{b})
		}
	}
	return b, err
}
