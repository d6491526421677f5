package text

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"github.com/limpet-sh/limpet/builtins"
	"github.com/limpet-sh/limpet/vfs"
)

// An input is an open file, or standard input.
type input struct {
	io.Reader
	name  string
	close func() error
}

// openInput opens the named file, or standard input for "-".
func openInput(c *builtins.Call, name string) (*input, error) {
	if name == "-" {
		return &input{c.Stdin, name, func() error { return nil }}, nil
	}
	f, err := c.FS.Open(name)
	if err != nil {
		return nil, err
	}
	return &input{f, name, f.Close}, nil
}

// title is the name of the input as headers and messages have it.
func (in *input) title() string { return inputTitle(in.name) }

func inputTitle(name string) string {
	if name == "-" {
		return "standard input"
	}
	return name
}

// stat returns the status of the file, or nil where it has none.
func stat(s any) fs.FileInfo {
	f, ok := s.(interface{ Stat() (fs.FileInfo, error) })
	if !ok {
		return nil
	}
	info, err := f.Stat()
	if err != nil {
		return nil
	}
	return info
}

// regular returns the status of r if it is a regular file that can be sought
// in, with the current offset, and nil otherwise.
func regular(r io.Reader) (s io.Seeker, info fs.FileInfo, offset int64) {
	if in, ok := r.(*input); ok {
		r = in.Reader
	}
	info = stat(r)
	s, ok := r.(io.Seeker)
	if !ok || info == nil || !info.Mode().IsRegular() {
		return nil, nil, 0
	}
	offset, err := s.Seek(0, io.SeekCurrent)
	if err != nil {
		return nil, nil, 0
	}
	return s, info, offset
}

// eachBlock calls do with what r has, a block at a time. The block is valid
// during the call.
func eachBlock(c *builtins.Call, r io.Reader, do func(block []byte) error) error {
	buf := make([]byte, 512)
	for {
		n, err := r.Read(buf)
		if err := c.Poll(1 + n>>8); err != nil {
			return err
		}
		if n > 0 {
			if err := do(buf[:n]); err != nil {
				return err
			}
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if n == len(buf) && n < 2*blockSize {
			buf = make([]byte, min(16*n, 2*blockSize))
		}
	}
}

// eachLine calls do with each record of r that delim ends, the delimiter
// included; the last may lack it. The record is valid during the call.
func eachLine(c *builtins.Call, r io.Reader, delim byte, do func(line []byte) error) error {
	lines := c.Lines(r, delim)
	defer lines.Close()
	for {
		line, err := lines.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if err := do(line); err != nil {
			return err
		}
	}
}

// readNames returns the names in r, each with a NUL after it, and how much
// memory the caller holds with them.
func readNames(c *builtins.Call, r io.Reader) (names []string, held int, err error) {
	err = eachLine(c, r, 0, func(record []byte) error {
		if err := c.Alloc(len(record) + 16); err != nil {
			return err
		}
		held += len(record) + 16
		names = append(names, strings.TrimSuffix(string(record), "\x00"))
		return nil
	})
	return names, held, err
}

// delimiter returns the byte that ends records: a NUL with -z.
func delimiter(zero bool) byte {
	if zero {
		return 0
	}
	return '\n'
}

// extraOperand is the mistake of an operand too many.
func extraOperand(name string) error {
	return builtins.Usage("extra operand %s", builtins.QuoteLocale(name))
}

// readError returns err with the name of the file that could not be read, and
// any other error as it is.
func readError(name string, err error) error {
	if _, ok := errors.AsType[*fs.PathError](err); ok && !errors.Is(err, vfs.EPIPE) {
		return builtins.FileError(name, err)
	}
	return err
}

// errnoError returns err with an explanation that the caller has formatted
// before it, if it is an error of a file, and any other error as it is.
func errnoError(err error, format string, args ...any) error {
	if _, ok := errors.AsType[*fs.PathError](err); !ok || errors.Is(err, vfs.EPIPE) {
		return err
	}
	return fmt.Errorf("%s: %w", fmt.Sprintf(format, args...), vfs.ErrnoOf(err))
}
