package interp

import (
	"context"
	"io"
	"io/fs"

	"github.com/limpet-sh/limpet/vfs"
)

// closedStream is what a command has for a closed descriptor.
type closedStream struct{}

func (closedStream) Read([]byte) (int, error) { return 0, vfs.EBADF }

func (closedStream) Write([]byte) (int, error) { return 0, vfs.EBADF }

// borrow makes a stream of what a command has, which somebody else closes.
func borrow(v any) vfs.Stream {
	if s, ok := v.(vfs.Stream); ok {
		return &reference{openFile: newOpenFile(s), ctx: context.Background(), borrowed: true}
	}
	return &plainStream{v}
}

// A plainStream is a reader or a writer.
type plainStream struct{ v any }

func (p *plainStream) Read(b []byte) (int, error) {
	if r, ok := p.v.(io.Reader); ok {
		return r.Read(b)
	}
	return 0, vfs.EBADF
}

func (p *plainStream) Write(b []byte) (int, error) {
	if w, ok := p.v.(io.Writer); ok {
		return w.Write(b)
	}
	return 0, vfs.EBADF
}

func (p *plainStream) Close() error { return nil }

func (p *plainStream) Stat() (fs.FileInfo, error) { return documentInfo(0), nil }
