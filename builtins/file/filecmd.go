package file

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"github.com/limpet-sh/limpet/builtins"
	"github.com/limpet-sh/limpet/internal/filemode"
	"github.com/limpet-sh/limpet/vfs"
)

var _ = commands.Add(&builtins.Command{
	Name:     "file",
	Synopsis: "[OPTION]... FILE...",
	Summary:  "determine file type",
	Run:      runFile,
})

// A typer is file with its options.
type typer struct {
	c               *builtins.Call
	out             *bufio.Writer
	brief           bool
	mime            bool // -i: type and encoding
	mimeType        bool
	mimeEncoding    bool
	follow, special bool
	noPad, nul      bool
	strict          bool // -E
	separator       string
	width           int
}

// sniffed is how much of a file is looked at.
const sniffed = 1 << 20

func runFile(_ context.Context, c *builtins.Call) error {
	_, posix := c.Env.Lookup("POSIXLY_CORRECT")
	t := &typer{c: c, out: bufio.NewWriter(c.Stdout), separator: ":", follow: posix}
	var lists []string
	f := c.Flags()
	f.Info("", "v")
	f.Bool(&t.brief, "b,brief", "do not prepend filenames to output lines")
	f.Bool(&t.strict, "E", "on filesystem errors, issue an error message and exit")
	f.String(&t.separator, "F,separator", "use `STRING` as separator instead of ':'")
	f.Strings(&lists, "f,files-from", "read the filenames to be examined from `FILE`")
	f.Do("h,no-dereference", "don't follow symlinks (default if POSIXLY_CORRECT is not set)", func() error { t.follow = false; return nil })
	f.Bool(&t.mime, "i,mime", "output MIME type strings")
	f.Bool(&t.mimeEncoding, "mime-encoding", "output the MIME encoding")
	f.Bool(&t.mimeType, "mime-type", "output the MIME type")
	f.Bool(&t.follow, "L,dereference", "follow symlinks (default if POSIXLY_CORRECT is set)")
	f.Bool(&t.noPad, "N,no-pad", "do not pad output")
	f.Do("n,no-buffer", "do not buffer output", func() error { return nil })
	f.Bool(&t.nul, "0,print0", "terminate filenames with ASCII NUL")
	f.Bool(&t.special, "s,special-files", "treat special (block/char devices) files as ordinary ones")
	names, err := f.Parse()
	if err != nil {
		return err
	}
	for _, list := range lists {
		more, err := t.namesIn(list)
		if err != nil {
			return err
		}
		names = append(more, names...)
	}
	if len(names) == 0 {
		return f.Fail(builtins.Usage("missing file operand"))
	}
	for _, name := range names {
		t.width = max(t.width, displayWidth(name))
	}
	for _, name := range names {
		if err := t.file(name); err != nil {
			return finish(t.out, err)
		}
	}
	return finish(t.out, nil)
}

// namesIn returns the lines of a file.
func (t *typer) namesIn(list string) (names []string, err error) {
	in := io.Reader(t.c.Stdin)
	if list != "-" {
		file, err := t.c.FS.Open(list)
		if err != nil {
			return nil, fmt.Errorf("cannot open `%s' (%w)", list, reason(err))
		}
		defer file.Close()
		in = file
	}
	lines := t.c.Lines(in, '\n')
	defer lines.Close()
	for {
		line, err := lines.Next()
		if err == io.EOF {
			return names, nil
		}
		if err != nil {
			return nil, err
		}
		text, _ := builtins.TrimDelim(line, '\n')
		names = append(names, string(text))
	}
}

// file prints the line of one file.
func (t *typer) file(name string) error {
	if err := t.c.Poll(1); err != nil {
		return err
	}
	k, err := t.identify(name)
	if err != nil {
		if t.c.Ends(err) {
			return err
		}
		if t.strict {
			t.c.Fail()
			k = kind{text: fmt.Sprintf("ERROR: cannot stat `%s' (%v)", name, reason(err))}
		} else {
			k = kind{text: fmt.Sprintf("cannot open `%s' (%v)", name, reason(err))}
		}
		k.mime, k.charset = k.text, ""
	}
	if !t.brief {
		shown := name
		if name == "-" {
			shown = "/dev/stdin"
		}
		t.out.WriteString(shown)
		if t.nul {
			t.out.WriteByte(0)
		}
		t.out.WriteString(t.separator + " ")
		for n := displayWidth(shown); n < t.width && !t.noPad && !t.nul; n++ {
			t.out.WriteByte(' ')
		}
	}
	_, err = t.out.WriteString(t.describe(k) + "\n")
	return err
}

func (t *typer) describe(k kind) string {
	switch {
	case t.mimeType || t.mime && k.charset == "":
		return k.mime
	case t.mimeEncoding && k.charset != "":
		return k.charset
	case t.mime:
		return k.mime + "; charset=" + k.charset
	}
	return k.text
}

// identify finds out what a file is.
func (t *typer) identify(name string) (kind, error) {
	if name == "-" {
		return t.sniff(t.c.Stdin, -1)
	}
	info, err := t.c.FS.Lstat(name)
	if err == nil && isLink(info) {
		target, err2 := t.c.FS.Stat(name)
		switch {
		case t.follow && err2 != nil:
			return kind{}, err2
		case t.follow:
			info = target
		default:
			return t.link(name, err2 != nil), nil
		}
	}
	if err != nil {
		return kind{}, err
	}
	prefix := specialBits(info)
	if k, ok := t.specialFile(info); ok {
		if prefix != "" {
			k.text = prefix + ", " + k.text
		}
		return k, nil
	}
	file, err := t.c.FS.Open(name)
	if err != nil {
		return kind{text: "regular file, no read permission", mime: "regular file, no read permission"}, nil
	}
	defer file.Close()
	k, err := t.sniff(file, info.Size())
	switch {
	case prefix == "":
	case k.plain:
		k.text = prefix + " , " + k.text
	case info.Size() == 0:
		k.text = prefix + ", " + k.text
	default:
		k.text = prefix + " " + k.text
	}
	return k, err
}

func (t *typer) link(name string, broken bool) kind {
	target, _ := t.c.FS.Readlink(name)
	if broken {
		return kind{text: "broken symbolic link to " + target, mime: "inode/symlink"}
	}
	return kind{text: "symbolic link to " + target, mime: "inode/symlink", charset: "binary"}
}

func specialBits(info fs.FileInfo) string {
	var words []string
	for _, w := range []struct {
		bit  uint32
		word string
	}{{filemode.SetUID, "setuid"}, {filemode.SetGID, "setgid"}, {filemode.Sticky, "sticky"}} {
		if filemode.Bits(info.Mode())&w.bit != 0 {
			words = append(words, w.word)
		}
	}
	return strings.Join(words, ", ")
}

// specialFile describes what is no regular file.
func (t *typer) specialFile(info fs.FileInfo) (kind, bool) {
	major, minor := vfs.DevNumbers(vfs.StatOf(info).Rdev)
	switch mode := info.Mode(); {
	case mode.IsDir():
		return kind{text: "directory", mime: "inode/directory", charset: "binary"}, true
	case mode.Type() == fs.ModeNamedPipe:
		return kind{text: "fifo (named pipe)", mime: "inode/fifo", charset: "binary"}, true
	case mode.Type() == fs.ModeSocket:
		return kind{text: "socket", mime: "inode/socket", charset: "binary"}, true
	case mode&fs.ModeCharDevice != 0 && !t.special:
		return kind{text: fmt.Sprintf("character special (%d/%d)", major, minor), mime: "inode/chardevice", charset: "binary"}, true
	case mode&fs.ModeDevice != 0 && !t.special:
		return kind{text: fmt.Sprintf("block special (%d/%d)", major, minor), mime: "inode/blockdevice", charset: "binary"}, true
	}
	return kind{}, false
}

// sniff looks at the beginning of a file of a size, which is negative where
// nobody knows.
func (t *typer) sniff(r io.Reader, size int64) (kind, error) {
	n := int64(sniffed)
	if size >= 0 {
		n = min(n, size+1)
	}
	if err := t.c.Alloc(int(n)); err != nil {
		return kind{}, err
	}
	defer t.c.Free(int(n))
	head := make([]byte, n)
	got, err := io.ReadFull(r, head)
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		return kind{}, err
	}
	head = head[:got]
	if got == 0 {
		return kind{text: "empty", mime: "inode/x-empty", charset: "binary"}, nil
	}
	return identifyContent(head, t.tail(r, head, size)), nil
}

// tail returns the last four bytes of a file that begins with head.
func (t *typer) tail(r io.Reader, head []byte, size int64) []byte {
	if size <= int64(len(head)) {
		return head[max(0, len(head)-4):]
	}
	last := make([]byte, 4)
	if at, ok := r.(io.ReaderAt); ok {
		if n, _ := at.ReadAt(last, size-4); n == 4 {
			return last
		}
	}
	return nil
}
