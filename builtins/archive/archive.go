// Package archive implements the commands that compress files and that put
// many files into one.
package archive

import (
	"io"

	"github.com/limpet-sh/limpet/builtins"
)

var commands builtins.Set

// Commands returns the commands of this package.
func Commands() []*builtins.Command { return commands.Commands() }

// A polled is a reader whose reads count as work.
type polled struct {
	io.Reader
	call *builtins.Call
}

func (p polled) Read(b []byte) (int, error) {
	n, err := p.Reader.Read(b)
	if pollErr := p.call.Poll(1 + n>>8); pollErr != nil {
		return n, pollErr
	}
	return n, err
}

// A counter counts the bytes that pass through it.
type counter struct {
	io.Reader
	io.Writer
	n int64
}

func (c *counter) Read(b []byte) (int, error) {
	n, err := c.Reader.Read(b)
	c.n += int64(n)
	return n, err
}

func (c *counter) Write(b []byte) (int, error) {
	n, err := c.Writer.Write(b)
	c.n += int64(n)
	return n, err
}

// bufferSize is how much is copied at a time.
const bufferSize = 64 << 10

// transfer copies r to w, and counts that as work.
func transfer(c *builtins.Call, w io.Writer, r io.Reader) (int64, error) {
	if err := c.Alloc(bufferSize); err != nil {
		return 0, err
	}
	defer c.Free(bufferSize)
	return io.CopyBuffer(struct{ io.Writer }{w}, polled{r, c}, make([]byte, bufferSize))
}

// A patient writes to an encoder in pieces, between which the call may end: some take
// a tenth of a second for what a buffer holds.
type patient struct {
	io.Writer
	call *builtins.Call
}

func (p patient) Write(b []byte) (n int, err error) {
	const piece = 4 << 10
	for len(b) > 0 {
		k, err := p.Writer.Write(b[:min(len(b), piece)])
		n += k
		if err != nil {
			return n, err
		}
		if err := p.call.Poll(256); err != nil {
			return n, err
		}
		b = b[k:]
	}
	return n, nil
}
