package snapshot

import (
	"encoding/binary"
	"io"

	"github.com/cespare/xxhash/v2"
)

// A Writer writes a snapshot. After an error it writes nothing more; Close returns
// the first.
type Writer struct {
	w     io.Writer
	hash  *xxhash.Digest
	frame []byte // four bytes for the length, and what is in it yet
	err   error
}

// NewWriter returns a Writer to w. It does not close w.
func NewWriter(w io.Writer) *Writer {
	s := &Writer{w: w, hash: xxhash.New(), frame: make([]byte, 4)}
	s.write(append([]byte(magic), version))
	return s
}

func (w *Writer) write(p []byte) {
	if w.err == nil {
		w.hash.Write(p)
		_, w.err = w.w.Write(p)
	}
}

// flush writes the frame, if there is something in it.
func (w *Writer) flush() {
	if n := len(w.frame) - 4; n > 0 {
		binary.LittleEndian.PutUint32(w.frame, uint32(n))
		w.write(w.frame)
		w.frame = w.frame[:4]
	}
}

// Close writes the end, and returns what the snapshot is identified by.
func (w *Writer) Close() (Sum, error) {
	w.flush()
	w.write(make([]byte, 4))
	sum := w.hash.Sum64()
	if w.err == nil {
		_, w.err = w.w.Write(binary.LittleEndian.AppendUint64(nil, sum))
	}
	return Sum(sum), w.err
}

// Fail makes err, if it is not nil, what Close returns, unless there was an error
// before.
func (w *Writer) Fail(err error) {
	if w.err == nil {
		w.err = err
	}
}

// Err returns the first error.
func (w *Writer) Err() error { return w.err }

// room returns how many bytes the frame has room for, n at least.
func (w *Writer) room(n int) int {
	if len(w.frame)+n > 4+frameSize {
		w.flush()
	}
	return 4 + frameSize - len(w.frame)
}

// Raw writes bytes of which the reader knows how many they are.
func (w *Writer) Raw(p []byte) {
	for len(p) > 0 {
		n := min(len(p), w.room(1))
		w.frame = append(w.frame, p[:n]...)
		p = p[n:]
	}
}

// Uint writes a number.
func (w *Writer) Uint(n uint64) {
	w.room(binary.MaxVarintLen64)
	w.frame = binary.AppendUvarint(w.frame, n)
}

// Int writes a number that may be negative.
func (w *Writer) Int(n int64) {
	w.room(binary.MaxVarintLen64)
	w.frame = binary.AppendVarint(w.frame, n)
}

// Bool writes a truth value.
func (w *Writer) Bool(b bool) {
	n := uint64(0)
	if b {
		n = 1
	}
	w.Uint(n)
}

// Text writes a text.
func (w *Writer) Text(s string) {
	w.Uint(uint64(len(s)))
	for len(s) > 0 {
		n := min(len(s), w.room(1))
		w.frame = append(w.frame, s[:n]...)
		s = s[n:]
	}
}

// Texts writes a list of texts.
func (w *Writer) Texts(list []string) {
	w.Uint(uint64(len(list)))
	for _, s := range list {
		w.Text(s)
	}
}
