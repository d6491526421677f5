package snapshot

import (
	"bytes"
	"encoding/binary"
	"io"
	"iter"
	"math"

	"github.com/cespare/xxhash/v2"

	"github.com/limpet-sh/limpet/limits"
)

// A Reader reads a snapshot, which may be hostile. After an error all that it
// returns is zero, and nothing counts before Close has returned without one.
type Reader struct {
	r      io.Reader
	hash   *xxhash.Digest
	meter  *limits.Meter
	length [4]byte
	frame  []byte // to be used again
	rest   []byte // of the frame
	ended  bool
	err    error
}

// NewReader returns a Reader of r. What is read is charged to meter as memory
// before there is any.
func NewReader(r io.Reader, meter *limits.Meter) *Reader {
	s := &Reader{r: r, hash: xxhash.New(), meter: meter}
	var head [len(magic) + 1]byte
	s.read(head[:])
	switch {
	case s.err != nil:
	case string(head[:len(magic)]) != magic:
		s.err = Damaged("it begins otherwise")
	case head[len(magic)] != version:
		s.err = ErrVersion
	}
	return s
}

// read fills p with bytes that count for the checksum.
func (r *Reader) read(p []byte) {
	if r.err != nil {
		return
	}
	if _, err := io.ReadFull(r.r, p); err != nil {
		r.err = err
		if err == io.EOF || err == io.ErrUnexpectedEOF {
			r.err = Damaged("it ends early")
		}
		return
	}
	r.hash.Write(p)
}

// next reads the next frame. It reports whether there is one.
func (r *Reader) next() bool {
	if r.ended {
		return false
	}
	r.read(r.length[:])
	n := int(binary.LittleEndian.Uint32(r.length[:]))
	switch {
	case r.err != nil:
		return false
	case n == 0:
		r.ended = true
		return false
	case n > frameSize:
		r.Fail(Damaged("a frame of %d bytes", n))
		return false
	case cap(r.frame) < n:
		r.frame = make([]byte, n)
	}
	r.rest = r.frame[:n]
	r.read(r.rest)
	return r.err == nil
}

// Close reads the end. It fails unless the snapshot was whole and nothing is left
// of it, and returns what it is identified by.
func (r *Reader) Close() (Sum, error) {
	if r.err == nil && (len(r.rest) > 0 || r.next()) {
		r.Fail(Damaged("more than is said"))
	}
	sum := r.hash.Sum64()
	var check [8]byte
	r.read(check[:])
	if r.err == nil && binary.LittleEndian.Uint64(check[:]) != sum {
		r.err = Damaged("the checksum is wrong")
	}
	return Sum(sum), r.err
}

// Fail makes err, if it is not nil, what is wrong, unless something was before.
func (r *Reader) Fail(err error) {
	if r.err == nil && err != nil {
		r.err, r.rest, r.ended = err, nil, true
	}
}

// Err returns what is wrong.
func (r *Reader) Err() error { return r.err }

// Hold charges n bytes of memory.
func (r *Reader) Hold(n int64) { r.Fail(r.meter.Charge(limits.Memory, n)) }

func (r *Reader) byte() byte {
	for len(r.rest) == 0 {
		if !r.next() {
			r.Fail(Damaged("it ends early"))
			return 0
		}
	}
	b := r.rest[0]
	r.rest = r.rest[1:]
	return b
}

// Uint reads a number that is at most most.
func (r *Reader) Uint(most uint64) uint64 {
	n, size := binary.Uvarint(r.rest)
	if size > 0 {
		r.rest = r.rest[size:]
	} else {
		n = r.slowUint()
	}
	if r.err == nil && n > most {
		r.Fail(Damaged("a number of %d where %d is the most", n, most))
	}
	if r.err != nil {
		return 0
	}
	return n
}

// slowUint reads a number that may be in two frames.
func (r *Reader) slowUint() (n uint64) {
	for shift := 0; shift < 64; shift += 7 {
		b := r.byte()
		n |= uint64(b&0x7f) << shift
		if b < 0x80 {
			return n
		}
	}
	r.Fail(Damaged("a number without an end"))
	return 0
}

// Int reads a number that may be negative.
func (r *Reader) Int() int64 {
	n := r.Uint(math.MaxUint64)
	return int64(n>>1) ^ -int64(n&1)
}

// Bool reads a truth value.
func (r *Reader) Bool() bool { return r.Uint(1) == 1 }

// Raw returns the next n bytes, which are the caller's. It is for the caller to
// see that there may be so many; the Reader does not charge for them.
func (r *Reader) Raw(n int) []byte {
	if r.err != nil {
		return nil
	}
	if n <= len(r.rest) {
		p := bytes.Clone(r.rest[:n])
		r.rest = r.rest[n:]
		return p
	}
	p := make([]byte, n)
	for got := 0; got < n; {
		if len(r.rest) == 0 && !r.next() {
			r.Fail(Damaged("it ends early"))
			return nil
		}
		c := copy(p[got:], r.rest)
		got, r.rest = got+c, r.rest[c:]
	}
	return p
}

// Text reads a text of at most most bytes.
func (r *Reader) Text(most int) string {
	n := r.Uint(uint64(most))
	if r.Hold(int64(n)); n == 0 || r.err != nil {
		return ""
	}
	if n <= uint64(len(r.rest)) {
		s := string(r.rest[:n])
		r.rest = r.rest[n:]
		return s
	}
	return string(r.Raw(int(n)))
}

// textSize is what a text in a list is charged for, besides its bytes.
const textSize = 16

// Texts reads a list of texts that have at most most bytes each.
func (r *Reader) Texts(most int) (list []string) {
	for range r.Each(math.MaxUint32) {
		r.Hold(textSize)
		list = append(list, r.Text(most))
	}
	return list
}

// Each reads how many there are of what follows, which are at most most, and
// yields for each, as long as nothing is wrong.
func (r *Reader) Each(most uint64) iter.Seq[uint64] {
	return func(yield func(uint64) bool) {
		n := r.Uint(most)
		for i := uint64(0); i < n && r.err == nil; i++ {
			if !yield(i) {
				return
			}
		}
	}
}
