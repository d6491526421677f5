package builtins

import (
	"bufio"
	"bytes"
	"io"
)

// A LineReader reads records of any length, charging the memory that long ones
// need. Create it with [Call.Lines].
type LineReader struct {
	call  *Call
	in    *bufio.Reader
	delim byte
	long  []byte
	held  int
}

// Lines returns a reader of the records of r that delim ends.
func (c *Call) Lines(r io.Reader, delim byte) *LineReader {
	return &LineReader{call: c, in: bufio.NewReaderSize(r, 64<<10), delim: delim}
}

// Next returns the next record, with its delimiter where it has one; the last
// of the input may lack it. The slice is valid until the next call. The error
// is io.EOF after the last record, and otherwise that of the input or of
// [Call.Poll].
func (l *LineReader) Next() ([]byte, error) {
	if err := l.call.Poll(1); err != nil {
		return nil, err
	}
	line, err := l.in.ReadSlice(l.delim)
	if err == nil {
		return line, nil
	}
	l.long = l.long[:0]
	for err == bufio.ErrBufferFull {
		if err := l.grow(len(line)); err != nil {
			return nil, err
		}
		l.long = append(l.long, line...)
		line, err = l.in.ReadSlice(l.delim)
	}
	if len(l.long) > 0 {
		if err := l.grow(len(line)); err != nil {
			return nil, err
		}
		l.long = append(l.long, line...)
		line = l.long
	}
	if err == io.EOF && len(line) > 0 {
		err = nil
	}
	return line, err
}

// grow makes room for n more bytes of a long record.
func (l *LineReader) grow(n int) error {
	if err := l.call.Poll(n >> 8); err != nil {
		return err
	}
	need := len(l.long) + n
	if need <= cap(l.long) {
		return nil
	}
	size := max(need, 2*cap(l.long))
	if err := l.call.Alloc(size - l.held); err != nil {
		return err
	}
	l.held = size
	l.long = append(make([]byte, 0, size), l.long...)
	return nil
}

// More reports whether there is another record. It may wait for input, and the
// record that Next returned last is no longer valid.
func (l *LineReader) More() bool {
	_, err := l.in.Peek(1)
	return err != io.EOF
}

// Buffered returns what has been read from the input and not yet returned.
func (l *LineReader) Buffered() []byte {
	b, _ := l.in.Peek(l.in.Buffered())
	return b
}

// Close gives back the memory of long records.
func (l *LineReader) Close() {
	l.call.Free(l.held)
	l.held, l.long = 0, nil
}

// Unread moves the offset of r back by n bytes where it is a file, so that what
// was read ahead is there for the next command.
func Unread(r io.Reader, n int) {
	if s, ok := r.(io.Seeker); ok && n > 0 {
		_, _ = s.Seek(int64(-n), io.SeekCurrent)
	}
}

// TrimDelim returns record without its delimiter, and whether it had one.
func TrimDelim(record []byte, delim byte) ([]byte, bool) {
	return bytes.CutSuffix(record, []byte{delim})
}
