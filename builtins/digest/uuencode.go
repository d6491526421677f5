package digest

import (
	"bufio"
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strconv"
	"strings"

	"github.com/limpet-sh/limpet/builtins"
	"github.com/limpet-sh/limpet/vfs"
)

// The statuses of uuencode and uudecode.
const (
	uuFatal  builtins.Exit = 1
	uuFormat builtins.Exit = 2
	uuOpen   builtins.Exit = 4
	uuUsage  builtins.Exit = 64
)

// uuLine is how many bytes stand on a line.
const uuLine = 45

var _ = commands.Add(&builtins.Command{
	Name:     "uuencode",
	Synopsis: "[OPTION]... [INFILE] NAME",
	Summary:  "encode a file into text that mail can carry",
	Trouble:  uuUsage,
	Run:      runUuencode,
})

func runUuencode(ctx context.Context, c *builtins.Call) error {
	var base bool
	f := c.Flags()
	f.Info("h", "v")
	f.Bool(&base, "m,base64", "use base 64")
	args, err := f.Parse()
	if err != nil {
		return err
	}
	if len(args) == 0 || len(args) > 2 {
		fmt.Fprintf(c.Stderr, "Usage:  %s [OPTION]... [INFILE] NAME\nTry '%s --help' for more information.\n", c.Name, c.Name)
		return uuUsage
	}
	in, mode := c.Stdin, 0o666&^c.FS.Umask
	if len(args) == 2 {
		file, err := c.FS.Open(args[0])
		if err != nil {
			fmt.Fprintf(c.Stderr, "uuencode fatal error:\nfserr %d (%v) performing 'freopen of stdin' on %s\n", vfs.ErrnoOf(err), vfs.ErrnoOf(err), args[0])
			return uuFatal
		}
		defer file.Close()
		in = file
		if info, err := file.Stat(); err == nil {
			mode = info.Mode().Perm()
		}
	}
	out := bufio.NewWriterSize(c.Stdout, 32<<10)
	word, end := "begin", "`\nend\n"
	if base {
		word, end = "begin-base64", "====\n"
	}
	fmt.Fprintf(out, "%s %o %s\n", word, mode, args[len(args)-1])
	block := make([]byte, uuLine)
	for {
		n, err := io.ReadFull(in, block)
		if e := c.Poll(1); e != nil {
			return e
		}
		if n > 0 {
			if base {
				out.WriteString(base64.StdEncoding.EncodeToString(block[:n]))
			} else {
				out.Write(uuEncode(block[:n]))
			}
			if err := out.WriteByte('\n'); err != nil {
				return err
			}
		}
		if err == io.EOF || err == io.ErrUnexpectedEOF {
			break
		}
		if err != nil {
			return err
		}
	}
	out.WriteString(end)
	return out.Flush()
}

// uuDigit returns the character for six bits.
func uuDigit(b byte) byte {
	if b &= 63; b == 0 {
		return '`'
	}
	return b + ' '
}

// uuEncode returns a line: its length, and four characters for three bytes.
func uuEncode(b []byte) []byte {
	out := []byte{uuDigit(byte(len(b)))}
	for len(b) > 0 {
		var g [3]byte
		b = b[copy(g[:], b):]
		out = append(out, uuDigit(g[0]>>2), uuDigit(g[0]<<4|g[1]>>4), uuDigit(g[1]<<2|g[2]>>6), uuDigit(g[2]))
	}
	return out
}

var _ = commands.Add(&builtins.Command{
	Name:     "uudecode",
	Synopsis: "[OPTION]... [FILE]...",
	Summary:  "decode what uuencode has encoded",
	Trouble:  uuUsage,
	Run:      runUudecode,
})

// A uuDecoder is one run of uudecode.
type uuDecoder struct {
	*builtins.Call
	output      string
	ignoreChmod bool
	title       string // of the input, in messages
}

func runUudecode(ctx context.Context, c *builtins.Call) error {
	d := &uuDecoder{Call: c}
	f := c.Flags()
	f.Info("h", "v")
	f.String(&d.output, "o,output-file", "write to `FILE`; - is standard output")
	f.Bool(&d.ignoreChmod, "c,ignore-chmod", "ignore errors of setting the mode")
	args, err := f.Parse()
	if err != nil {
		return err
	}
	if len(args) == 0 {
		d.title = "standard input"
		return d.decode(c.Stdin)
	}
	for _, name := range args {
		file, err := c.FS.Open(name)
		if err != nil {
			c.Warnf("%s: %w", name, vfs.ErrnoOf(err))
			return uuOpen
		}
		d.title = name
		err = d.decode(file)
		_ = file.Close()
		if err != nil {
			return err
		}
	}
	return nil
}

// broken reports a mistake in the input.
func (d *uuDecoder) broken(what string) error {
	fmt.Fprintf(d.Stderr, "%s fatal error:\n%s: %s", d.Name, d.title, what)
	return uuFormat
}

// decode decodes the first encoded file of r.
func (d *uuDecoder) decode(r io.Reader) error {
	in := d.Lines(r, '\n')
	defer in.Close()
	var fields []string
	base := false
	for {
		line, err := in.Next()
		if err == io.EOF {
			return d.broken("Invalid or missing 'begin' line\n")
		}
		if err != nil {
			return err
		}
		fields = strings.SplitN(strings.TrimRight(string(line), "\r\n"), " ", 3)
		base = fields[0] == "begin-base64"
		if len(fields) == 3 && (fields[0] == "begin" || base) {
			if _, err := strconv.ParseUint(fields[1], 8, 16); err == nil {
				break
			}
		}
	}
	mode, _ := strconv.ParseUint(fields[1], 8, 16)
	out, finish, err := d.create(fields[2], fs.FileMode(mode)&fs.ModePerm)
	if err != nil {
		return err
	}
	w := bufio.NewWriterSize(out, 32<<10)
	if base {
		err = d.base64(in, w)
	} else {
		err = d.classic(in, w)
	}
	if flush := w.Flush(); err == nil {
		err = flush
	}
	if end := finish(); err == nil {
		err = end
	}
	return err
}

// create opens what is written to.
func (d *uuDecoder) create(name string, mode fs.FileMode) (io.Writer, func() error, error) {
	if d.output != "" {
		name = d.output
	}
	if name == "-" || name == "/dev/stdout" {
		return d.Stdout, func() error { return nil }, nil
	}
	f, err := d.FS.OpenFile(name, vfs.O_WRONLY|vfs.O_CREATE|vfs.O_TRUNC, 0o666)
	if err != nil {
		d.Warnf("%s: %w", name, vfs.ErrnoOf(err))
		return nil, nil, uuOpen
	}
	return f, func() error {
		err := f.Close()
		if chmod := d.FS.Chmod(name, mode); chmod != nil && !d.ignoreChmod {
			err = errors.Join(err, builtins.FileError(name, chmod))
		}
		return err
	}, nil
}

// classic decodes lines of uuencode's own form.
func (d *uuDecoder) classic(in *builtins.LineReader, w *bufio.Writer) error {
	for {
		line, err := in.Next()
		if err == io.EOF {
			return d.broken("Short file")
		}
		if err != nil {
			return err
		}
		line = bytes.TrimRight(line, "\r\n")
		if len(line) == 0 {
			return d.broken("Short file")
		}
		n := int((line[0] - ' ') & 63)
		if n == 0 {
			break
		}
		var out []byte
		for line = line[1:]; len(out) < n; {
			var g [4]byte
			for i := range g {
				if i < len(line) {
					g[i] = (line[i] - ' ') & 63
				}
			}
			line = line[min(4, len(line)):]
			out = append(out, g[0]<<2|g[1]>>4, g[1]<<4|g[2]>>2, g[2]<<6|g[3])
		}
		if _, err := w.Write(out[:n]); err != nil {
			return err
		}
	}
	line, err := in.Next()
	if err != nil && err != io.EOF {
		return err
	}
	if string(bytes.TrimRight(line, "\r\n")) != "end" {
		return d.broken("No 'end' line\n")
	}
	return nil
}

// base64 decodes lines of base 64.
func (d *uuDecoder) base64(in *builtins.LineReader, w *bufio.Writer) error {
	for {
		line, err := in.Next()
		if err == io.EOF {
			return d.broken("Short file")
		}
		if err != nil {
			return err
		}
		text := strings.TrimRight(string(line), "\r\n")
		if text == "====" {
			return nil
		}
		b, err := base64.StdEncoding.DecodeString(text)
		if err != nil {
			return d.broken("illegal line\n")
		}
		if _, err := w.Write(b); err != nil {
			return err
		}
	}
}
