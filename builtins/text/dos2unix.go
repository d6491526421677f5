package text

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"

	"github.com/limpet-sh/limpet/builtins"
	"github.com/limpet-sh/limpet/vfs"
)

var _ = commands.Add(&builtins.Command{
	Name:     "dos2unix",
	Synopsis: "[OPTION]... [FILE]... [-n INFILE OUTFILE]...",
	Summary:  "convert line ends from DOS to Unix",
	Run:      func(ctx context.Context, c *builtins.Call) error { return runLineEnds(c, "Unix", toUnix) },
})

var _ = commands.Add(&builtins.Command{
	Name:     "unix2dos",
	Synopsis: "[OPTION]... [FILE]... [-n INFILE OUTFILE]...",
	Summary:  "convert line ends from Unix to DOS",
	Run:      func(ctx context.Context, c *builtins.Call) error { return runLineEnds(c, "DOS", toDOS) },
})

// A lineEnder appends the converted form of block to buf. last is the byte
// before block, or 0; rest is what can only be converted with what follows.
type lineEnder func(buf, block []byte, last byte) (converted, rest []byte)

// lineEnds is one run of dos2unix or unix2dos.
type lineEnds struct {
	call     *builtins.Call
	format   string
	convert  lineEnder
	quiet    bool
	force    bool
	keepDate bool
	links    byte // what of files that are symbolic links: 'S' skip, 'F' follow, 'R' replace
	missing  bool // a file was not there
}

func runLineEnds(c *builtins.Call, format string, convert lineEnder) error {
	l := lineEnds{call: c, format: format, convert: convert, links: 'S'}
	var pairs, stdout bool
	f := c.Flags()
	f.Info("h", "V")
	f.Bool(&l.force, "f,force", "convert binary files too")
	f.Do("s,safe", "skip binary files, unless -f comes later", func() error { l.force = false; return nil })
	for _, o := range []struct{ names, help string }{
		{"F,follow-symlink", "convert the targets of symbolic links"},
		{"R,replace-symlink", "replace symbolic links by converted files"},
		{"S,skip-symlink", "leave symbolic links alone"},
	} {
		f.Do(o.names, o.help, func() error { l.links = o.names[0]; return nil })
	}
	f.Bool(&l.keepDate, "k,keepdate", "keep the time of the file")
	f.Do("n,newfile", "the files are pairs of an input and an output", func() error { pairs = true; return nil })
	f.Do("o,oldfile", "convert the files in place", func() error { pairs = false; return nil })
	f.Bool(&stdout, "O,to-stdout", "write to standard output")
	f.Bool(&l.quiet, "q,quiet", "print no messages")
	files, err := f.Parse()
	if err != nil {
		return err
	}
	if len(files) == 0 {
		return l.standard()
	}
	for i := 0; i < len(files); i++ {
		in, out := files[i], files[i]
		if pairs {
			if i++; i == len(files) {
				c.Warnf("target of file %s not specified in new-file mode", in)
				return nil
			}
			out = files[i]
		}
		if err := l.file(in, out, stdout); err != nil {
			return err
		}
	}
	if l.missing {
		return builtins.Exit(2)
	}
	return nil
}

// file converts a file.
func (l *lineEnds) file(name, out string, stdout bool) error {
	c := l.call
	target := out
	if !stdout {
		if target = l.resolve(name, out); target == "" {
			return nil
		}
	}
	info, err := c.FS.Stat(name)
	switch {
	case err != nil:
		l.say("%s: %v", name, vfs.ErrnoOf(err))
		l.say("Skipping %s, not a regular file.", name)
		l.missing = !l.quiet || l.missing
		return nil
	case !info.Mode().IsRegular():
		l.say("Skipping %s, not a regular file.", name)
		return nil
	}
	f, err := c.Open(name)
	if err != nil {
		c.Warn(builtins.FileError(name, err))
		return nil
	}
	defer f.Close()
	if !l.force {
		binary, err := l.binary(name)
		if err != nil {
			return err
		}
		if binary {
			return nil
		}
	}
	if stdout {
		return l.stream(f, c.Stdout, nil)
	}
	scratch := path.Join(path.Dir(target), "d2u"+fmt.Sprint(c.PID)+".tmp")
	file, err := c.FS.OpenFile(scratch, vfs.O_WRONLY|vfs.O_CREATE|vfs.O_EXCL, info.Mode().Perm())
	if err != nil {
		c.Warn(errnoError(err, "Failed to open temporary output file"))
		return nil
	}
	if name == out {
		l.say("converting file %s to %s format...", name, l.format)
	} else {
		l.say("converting file %s to file %s in %s format...", name, out, l.format)
	}
	err = l.stream(f, file, nil)
	if closed := file.Close(); err == nil {
		err = closed
	}
	if err == nil {
		err = c.FS.Rename(scratch, target)
	}
	if err == nil && l.keepDate {
		err = c.FS.Chtimes(target, vfs.StatOf(info).Atime, info.ModTime())
	}
	if err != nil {
		_ = c.FS.Remove(scratch)
		return errnoError(err, "%s", target)
	}
	return nil
}

// resolve returns the name of the file to write for out, or "" where there is to be none:
// where out is a symbolic link, that depends on the options.
func (l *lineEnds) resolve(name, out string) string {
	files := l.call.FS
	for range 40 {
		info, err := files.Lstat(out)
		if err != nil || info.Mode()&fs.ModeSymlink == 0 || l.links == 'R' {
			return out
		}
		if l.links == 'S' {
			if name == out {
				l.say("Skipping symbolic link %s.", name)
			} else {
				l.say("Skipping %s, output file %s is a symbolic link.", name, out)
			}
			return ""
		}
		to, err := files.Readlink(out)
		if err != nil {
			return out
		}
		if !path.IsAbs(to) {
			to = path.Join(path.Dir(out), to)
		}
		out = to
	}
	return out // which is a circle, and cannot be opened
}

// say prints a message that is no warning.
func (l *lineEnds) say(format string, args ...any) {
	if !l.quiet {
		fmt.Fprintf(l.call.Stderr, l.call.Name+": "+format+"\n", args...)
	}
}

// standard converts standard input, up to the first byte that text has not.
func (l *lineEnds) standard() error {
	line := 1
	found := false
	err := l.stream(l.call.Stdin, l.call.Stdout, func(b []byte) []byte {
		if i := binaryByte(b); i >= 0 && !l.force {
			line += bytes.Count(b[:i], newline)
			l.say("Binary symbol 0x%02X found at line %d", b[i], line)
			l.say("Skipping binary file stdin")
			found = true
			return b[:i]
		}
		line += bytes.Count(b, newline)
		return b
	})
	if found && (err == nil || err == io.EOF) {
		return builtins.Exit(1)
	}
	return err
}

// binaryByte returns the index of the first byte that text has not, or -1.
func binaryByte(b []byte) int {
	return bytes.IndexFunc(b, func(r rune) bool { return r < ' ' && !strings.ContainsRune("\n\t\f\r\x1a", r) })
}

// binary reports, after a message, whether a file has bytes that text has not.
func (l *lineEnds) binary(name string) (bool, error) {
	f, err := l.call.Open(name)
	if err != nil {
		return false, nil // it will fail again, and be reported
	}
	defer f.Close()
	line := 1
	found := false
	err = eachBlock(l.call, f, func(b []byte) error {
		if i := binaryByte(b); i >= 0 {
			l.say("Binary symbol 0x%02X found at line %d", b[i], line+bytes.Count(b[:i], newline))
			l.say("Skipping binary file %s", name)
			found = true
			return io.EOF
		}
		line += bytes.Count(b, newline)
		return nil
	})
	if err == io.EOF {
		err = nil
	}
	return found, err
}

// mark is what some texts in UTF-8 begin with.
const mark = "\ufeff"

// stream converts what r has. look, unless nil, sees each block first, and returns
// how much of it to convert; where that is not all, it is the end.
func (l *lineEnds) stream(r io.Reader, w io.Writer, look func([]byte) []byte) (err error) {
	out := &output{call: l.call, w: w}
	defer out.close(&err)
	last := byte(0)
	var rest []byte
	begun := false
	err = eachBlock(l.call, r, func(b []byte) error {
		if !begun && l.format == "Unix" {
			b = bytes.TrimPrefix(b, []byte(mark))
		}
		begun = true
		all := len(b)
		if look != nil {
			b = look(b)
		}
		if len(b) == 0 {
			return eofUnless(all == 0)
		}
		tail := b[len(b)-1]
		ended := len(b) < all
		if len(rest) > 0 {
			b = append(rest, b...)
		}
		out.buf, rest = l.convert(out.buf, b, last)
		rest = bytes.Clone(rest)
		last = tail
		return errors.Join(out.spill(), eofUnless(!ended))
	})
	if errors.Is(err, io.EOF) {
		err = nil
	}
	out.buf = append(out.buf, rest...)
	return err
}

// eofUnless returns io.EOF unless more is to come.
func eofUnless(more bool) error {
	if more {
		return nil
	}
	return io.EOF
}

// toUnix removes the carriage returns before newlines.
func toUnix(buf, block []byte, _ byte) (converted, rest []byte) {
	for {
		i := bytes.IndexByte(block, '\r')
		switch {
		case i < 0:
			return append(buf, block...), nil
		case i == len(block)-1:
			return append(buf, block[:i]...), block[i:]
		case block[i+1] == '\n':
			buf = append(buf, block[:i]...)
		default:
			buf = append(buf, block[:i+1]...)
		}
		block = block[i+1:]
	}
}

// toDOS puts carriage returns before the newlines that have none.
func toDOS(buf, block []byte, last byte) (converted, rest []byte) {
	for {
		i := bytes.IndexByte(block, '\n')
		if i < 0 {
			return append(buf, block...), nil
		}
		if i > 0 {
			last = block[i-1]
		}
		buf = append(buf, block[:i]...)
		if last != '\r' {
			buf = append(buf, '\r')
		}
		buf = append(buf, '\n')
		last = '\n'
		block = block[i+1:]
	}
}
