package digest

import (
	"io"

	"github.com/limpet-sh/limpet/builtins"
	"github.com/limpet-sh/limpet/vfs"
)

// An input is files one after the other, or standard input where there are
// none. It warns of what cannot be opened or read, and goes on with the next.
type input struct {
	call  *builtins.Call
	names []string
	file  io.ReadCloser
	name  string
	dash  bool // "-" is the name of a file
}

func newInput(c *builtins.Call, names []string) *input {
	if len(names) == 0 {
		names = []string{"-"}
	}
	return &input{call: c, names: names}
}

// Read reads from the current file. Its errors are io.EOF after the last file,
// and those that must end the call.
func (in *input) Read(p []byte) (int, error) {
	if err := in.call.Poll(1 + len(p)>>8); err != nil {
		return 0, err
	}
	for in.file != nil || in.open() {
		n, err := in.file.Read(p)
		if err != nil {
			if err != io.EOF && in.call.Ends(err) {
				return n, err
			}
			if err != io.EOF {
				in.call.Warn(builtins.FileError(in.name, err))
			}
			in.Close()
		}
		if n > 0 {
			return n, nil
		}
	}
	return 0, io.EOF
}

// open opens the next file that can be, and reports whether there is one.
func (in *input) open() bool {
	for len(in.names) > 0 {
		in.name = in.names[0]
		in.names = in.names[1:]
		if in.name == "-" && !in.dash {
			in.file = io.NopCloser(in.call.Stdin)
			return true
		}
		f, err := in.call.Open(in.name)
		if err == nil {
			in.file = f
			return true
		}
		in.call.Warn(builtins.FileError(in.name, err))
	}
	return false
}

// Close closes the current file.
func (in *input) Close() {
	if in.file != nil {
		in.file.Close()
		in.file = nil
	}
}

// skip reads past n bytes, or seeks where the file is one. It reports how many
// bytes were missing.
func (in *input) skip(n int64) (missing int64, err error) {
	for n > 0 && (in.file != nil || in.open()) {
		if f, ok := in.file.(io.Seeker); ok && in.name != "-" {
			if st, ok := in.file.(vfs.Stream); ok {
				if info, err := st.Stat(); err == nil && info.Mode().IsRegular() && info.Size() > 0 {
					step := min(n, info.Size())
					if _, err := f.Seek(step, io.SeekStart); err == nil {
						n -= step
						if n > 0 {
							in.Close()
						}
						continue
					}
				}
			}
		}
		copied, err := feed(in.call, io.Discard, io.LimitReader(in.file, n))
		n -= copied
		if err != nil && in.call.Ends(err) {
			return n, err
		}
		if n > 0 {
			in.Close()
		}
	}
	return n, nil
}
