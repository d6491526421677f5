package interp

import (
	"context"
	"io"
	"io/fs"
	"strings"
	"sync"
	"time"

	"github.com/limpet-sh/limpet/internal/pipe"
	"github.com/limpet-sh/limpet/limits"
	"github.com/limpet-sh/limpet/vfs"
)

// pipeCapacity is how much of a here-document a pipe takes on Linux. Bash: a longer one
// is in a file that has no name.
const pipeCapacity = 1 << 16

// A document is the content of a here-document or a here-string, as a descriptor has it:
// a pipe, or a file where it is long.
type document struct {
	text  string
	meter *limits.Meter // is charged for text, until the document is closed

	mu sync.Mutex
	at int // offset of the next byte
}

func (d *document) Read(b []byte) (int, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.at == len(d.text) && len(b) > 0 {
		return 0, io.EOF
	}
	n := copy(b, d.text[d.at:])
	d.at += n
	return n, nil
}

// ReadDelimContext reads up to a delimiter. It never waits.
func (d *document) ReadDelimContext(_ context.Context, b []byte, delim byte) (int, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	rest := d.text[d.at:]
	if rest == "" {
		return 0, io.EOF
	}
	n := min(len(b), len(rest))
	if i := strings.IndexByte(rest[:n], delim); i >= 0 {
		n = i + 1
	}
	d.at += copy(b, rest[:n])
	return n, nil
}

// Write fails: a here-document is for reading.
func (*document) Write([]byte) (int, error) { return 0, vfs.EBADF }

// Close gives back what the text took.
func (d *document) Close() error {
	d.meter.Release(limits.Memory, int64(len(d.text)))
	return nil
}

// Stat describes a pipe, or a file without a name.
func (d *document) Stat() (fs.FileInfo, error) {
	if len(d.text) <= pipeCapacity {
		return pipe.Info{}, nil
	}
	return documentInfo(len(d.text)), nil
}

// Seek sets the offset in a file. A pipe has none.
func (d *document) Seek(offset int64, whence int) (int64, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	switch {
	case len(d.text) <= pipeCapacity:
		return 0, vfs.ESPIPE
	case whence == io.SeekCurrent:
		offset += int64(d.at)
	case whence == io.SeekEnd:
		offset += int64(len(d.text))
	}
	if offset < 0 {
		return 0, vfs.EINVAL
	}
	d.at = int(min(offset, int64(len(d.text))))
	return offset, nil
}

type documentInfo int64

func (documentInfo) Name() string       { return "here-document" }
func (i documentInfo) Size() int64      { return int64(i) }
func (documentInfo) Mode() fs.FileMode  { return 0o600 }
func (documentInfo) ModTime() time.Time { return time.Time{} }
func (documentInfo) IsDir() bool        { return false }
func (documentInfo) Sys() any           { return &vfs.Stat{Nlink: 1} }
