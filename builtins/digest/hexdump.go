package digest

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/limpet-sh/limpet/builtins"
)

var hexdump = commands.Add(&builtins.Command{
	Name:     "hexdump",
	Aliases:  []string{"hd"},
	Synopsis: "[options] <file>...",
	Summary:  "display file contents in hexadecimal, decimal, octal, or ascii",
	Run:      runHexdump,
})

// hexdumpOptions has the options that stand for formats.
var hexdumpOptions = []struct {
	names, help string
	formats     []string
}{
	{"b,one-byte-octal", "one-byte octal display", []string{`"%07.7_Ax\n"`, `"%07.7_ax " 16/1 "%03o " "\n"`}},
	{"c,one-byte-char", "one-byte character display", []string{`"%07.7_Ax\n"`, `"%07.7_ax " 16/1 "%3_c " "\n"`}},
	{"C,canonical", "canonical hex+ASCII display", []string{
		`"%08.8_Ax\n"`, `"%08.8_ax  " 8/1 "%02x " "  " 8/1 "%02x "`, `"  |" 16/1 "%_p" "|\n"`,
	}},
	{"d,two-bytes-decimal", "two-byte decimal display", []string{`"%07.7_Ax\n"`, `"%07.7_ax " 8/2 "  %05u " "\n"`}},
	{"o,two-bytes-octal", "two-byte octal display", []string{`"%07.7_Ax\n"`, `"%07.7_ax " 8/2 " %06o " "\n"`}},
	{"x,two-bytes-hex", "two-byte hexadecimal display", []string{`"%07.7_Ax\n"`, `"%07.7_ax " 8/2 "   %04x " "\n"`}},
}

// defaultHexdump is what hexdump shows without options.
var defaultHexdump = []string{`"%07.7_Ax\n"`, `"%07.7_ax " 8/2 "%04x " "\n"`}

func runHexdump(ctx context.Context, c *builtins.Call) error {
	h := hexdumper{call: c, limit: -1}
	var formats []string
	f := c.Flags()
	f.Info("h", "V")
	for _, o := range hexdumpOptions {
		f.Do(o.names, o.help, func() error { formats = append(formats, o.formats...); return nil })
	}
	f.Strings(&formats, "e,format", "`format` string to be used for displaying data")
	f.Func("f,format-file", "`file` that contains format strings", func(name string) error {
		lines, err := formatFile(c, name)
		formats = append(formats, lines...)
		return err
	})
	f.Func("n,length", "interpret only `length` bytes of input", func(s string) error {
		return parseSize(&h.limit, "length", s)
	})
	f.Func("s,skip", "skip `offset` bytes from the beginning", func(s string) error {
		return parseSize(&h.skip, "offset", s)
	})
	f.Bool(&h.all, "v,no-squeezing", "output identical lines")
	files, err := f.Parse()
	if err != nil {
		return err
	}
	if c.Name == "hd" && len(formats) == 0 {
		formats = hexdumpOptions[2].formats
	}
	if len(formats) == 0 {
		formats = defaultHexdump
	}
	for _, text := range formats {
		if err := h.add(text); err != nil {
			return f.Fail(err)
		}
	}
	if err := h.layout(); err != nil {
		return f.Fail(err)
	}
	return h.run(files)
}

// formatFile returns the formats of a file, one a line; # begins a comment.
func formatFile(c *builtins.Call, name string) ([]string, error) {
	f, err := c.Open(name)
	if err != nil {
		return nil, fmt.Errorf("can't read %s: %w", name, err)
	}
	defer f.Close()
	var list []string
	lines := c.Lines(f, '\n')
	defer lines.Close()
	for {
		line, err := lines.Next()
		if err == io.EOF {
			return list, nil
		}
		if err != nil {
			return nil, err
		}
		if line = bytes.TrimSpace(line); len(line) > 0 && line[0] != '#' {
			list = append(list, string(line))
		}
	}
}

// parseSize reads a number with a suffix such as K or MiB.
func parseSize(p *int64, what, text string) error {
	n, err := odNumber("", text)
	if err != nil || n < 0 {
		return fmt.Errorf("failed to parse %s: %s: Invalid argument", what, builtins.Quote(text))
	}
	*p = n
	return nil
}

// A hexdumper shows blocks of its input in several formats, one after the other.
type hexdumper struct {
	call        *builtins.Call
	out         *bufio.Writer
	formats     []*hexFormat
	end         *hexUnit // what to print after the last block
	block       int      // bytes of a block
	all         bool
	skip, limit int64
}

// layout finds the size of a block and how often the last units repeat.
func (h *hexdumper) layout() error {
	for _, f := range h.formats {
		for _, u := range f.units {
			if err := u.resolve(); err != nil {
				return err
			}
			if u.end {
				h.end = u
			}
		}
		h.block = max(h.block, f.size())
	}
	for _, f := range h.formats {
		last := f.units[len(f.units)-1]
		if size := f.size(); size < h.block && !last.counted && last.bytes > 0 {
			last.repeat += (h.block - size) / last.bytes
		}
	}
	return nil
}

func (h *hexdumper) run(files []string) error {
	c := h.call
	in := newInput(c, files)
	in.dash = len(files) > 0
	defer in.Close()
	if !in.open() {
		return errors.New("all input file arguments failed")
	}
	if err := c.Alloc(2*h.block + bufferSize); err != nil {
		return err
	}
	defer c.Free(2*h.block + bufferSize)
	h.out = bufio.NewWriterSize(c.Stdout, bufferSize)
	from, err := h.start(in)
	if err == nil {
		err = h.blocks(in, from)
	}
	if err != nil {
		return err
	}
	return h.out.Flush()
}

// start goes to the place that is asked for, and returns its address. Of standard input
// that is a place of the file, which may be beyond its end.
func (h *hexdumper) start(in *input) (int64, error) {
	if in.dash || h.skip == 0 {
		missing, err := in.skip(h.skip)
		return h.skip - missing, err
	}
	s, ok := h.call.Stdin.(io.Seeker)
	if ok {
		_, err := s.Seek(h.skip, io.SeekStart)
		ok = err == nil
	}
	if !ok {
		return 0, errors.New("stdin: Illegal seek")
	}
	return h.skip, nil
}

// blocks shows the input, whose first byte has the address given.
func (h *hexdumper) blocks(in io.Reader, address int64) error {
	if h.limit >= 0 {
		in = io.LimitReader(in, h.limit)
	}
	if h.block == 0 {
		return nil
	}
	block, previous := make([]byte, h.block), make([]byte, h.block)
	first, starred := true, false
	for {
		n, err := io.ReadFull(in, block)
		if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
			return err
		}
		if n == 0 {
			break
		}
		if err := h.call.Poll(1); err != nil {
			return err
		}
		repeated := !first && !h.all && n == len(block) && bytes.Equal(block, previous)
		switch {
		case !repeated:
			clear(block[n:])
			h.show(block, n, address)
			starred = false
		case !starred:
			starred = true
			h.out.WriteString("*\n")
		}
		first = false
		address += int64(n)
		block, previous = previous, block
	}
	if h.end != nil && address > 0 {
		h.end.show(h.out, nil, 0, address)
	}
	return nil
}

// show shows a block, of which n bytes are input, in every format.
func (h *hexdumper) show(block []byte, n int, address int64) {
	for _, f := range h.formats {
		offset := 0
		for _, u := range f.units {
			if u.end {
				break
			}
			offset = u.showAll(h.out, block, n, offset, address)
		}
	}
}
