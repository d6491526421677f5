package archive

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strconv"
	"strings"

	"github.com/limpet-sh/limpet/builtins"
	"github.com/limpet-sh/limpet/vfs"
)

// arMagic begins an archive.
const arMagic = "!<arch>\n"

// An arMember is a member of an archive, or a file that is to be one.
type arMember struct {
	name     string
	date     int64
	uid, gid int
	mode     uint32
	size     int64
	offset   int64  // of the content in the archive
	file     string // that has the content; empty if the archive has
}

// read reads the headers of the archive.
func (j *arJob) read() error {
	f, err := j.FS.Open(j.archive)
	if err != nil {
		if errors.Is(err, vfs.ENOENT) && (j.operation == 'r' || j.operation == 'q') {
			if !j.create {
				j.note("creating %s", j.archive)
			}
			return nil
		}
		j.note("%s: %v", j.archive, vfs.ErrnoOf(err))
		return builtins.Exit(9)
	}
	j.in = f
	magic := make([]byte, len(arMagic))
	if _, err := io.ReadFull(f, magic); err != nil || string(magic) != arMagic {
		j.note("%s: file format not recognized", j.archive)
		return builtins.Exit(1)
	}
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if err := j.headers(f, info.Size()); err != nil {
		j.note("%s: %v", j.archive, err)
		return builtins.Exit(1)
	}
	return nil
}

// errMalformed is the error of an archive that makes no sense.
var errMalformed = errors.New("malformed archive")

func (j *arJob) headers(f io.ReadSeeker, size int64) error {
	var long []byte
	for at := int64(len(arMagic)); at < size; {
		if err := j.Poll(1); err != nil {
			return err
		}
		header := make([]byte, 60)
		if _, err := f.Seek(at, io.SeekStart); err != nil {
			return err
		}
		if _, err := io.ReadFull(f, header); err != nil || string(header[58:]) != "`\n" {
			return errMalformed
		}
		number := func(from, to, base int) int64 {
			n, _ := strconv.ParseInt(strings.TrimSpace(string(header[from:to])), base, 64)
			return n
		}
		m := &arMember{
			name: strings.TrimRight(string(header[:16]), " "), date: number(16, 28, 10), uid: int(number(28, 34, 10)), gid: int(number(34, 40, 10)),
			mode: uint32(number(40, 48, 8)), size: number(48, 58, 10), offset: at + 60,
		}
		if m.size < 0 || m.offset+m.size > size {
			return errMalformed
		}
		at = m.offset + m.size + m.size%2
		switch {
		case m.name == "/" || m.name == "/SYM64/": // a table of symbols
			continue
		case m.name == "//":
			if err := j.Alloc(int(m.size)); err != nil {
				return err
			}
			long = make([]byte, m.size)
			if _, err := io.ReadFull(f, long); err != nil {
				return errMalformed
			}
			continue
		case strings.HasPrefix(m.name, "/"):
			n, err := strconv.Atoi(m.name[1:])
			if err != nil || n < 0 || n >= len(long) {
				return errMalformed
			}
			m.name, _, _ = strings.Cut(string(long[n:]), "/\n")
		default:
			m.name = strings.TrimSuffix(m.name, "/")
		}
		if err := j.Alloc(128 + len(m.name)); err != nil {
			return err
		}
		j.members = append(j.members, m)
	}
	return nil
}

// write writes the archive anew, and puts it in the place of the old one.
func (j *arJob) write() error {
	temp := path.Join(path.Dir(j.archive), ".ar-"+strconv.Itoa(j.PID)+"-"+path.Base(j.archive))
	mode := fs.FileMode(0o666)
	if info, err := j.FS.Stat(j.archive); err == nil {
		mode = info.Mode().Perm()
	}
	f, err := j.FS.OpenFile(temp, vfs.O_WRONLY|vfs.O_CREATE|vfs.O_TRUNC, mode)
	if err != nil {
		j.note("%s: %v", j.archive, vfs.ErrnoOf(err))
		return builtins.Exit(1)
	}
	w := bufio.NewWriterSize(f, 32<<10)
	err = j.contents(w)
	if flush := w.Flush(); err == nil {
		err = flush
	}
	if end := f.Close(); err == nil {
		err = end
	}
	if err == nil {
		err = j.FS.Rename(temp, j.archive)
	}
	if err != nil {
		_ = j.FS.Remove(temp)
	}
	return err
}

// contents writes the members, after a table of the names that are too long for
// a header.
func (j *arJob) contents(w *bufio.Writer) error {
	w.WriteString(arMagic)
	table := ""
	names := make([]string, len(j.members))
	for i, m := range j.members {
		names[i] = m.name + "/"
		if len(m.name) > 15 {
			names[i] = "/" + strconv.Itoa(len(table))
			table += m.name + "/\n"
		}
	}
	if table != "" {
		table += strings.Repeat("\n", len(table)%2)
		fmt.Fprintf(w, "%-48s%-10d`\n%s", "//", len(table), table)
	}
	for i, m := range j.members {
		fmt.Fprintf(w, "%-16s%-12d%-6d%-6d%-8o%-10d`\n", names[i], m.date, m.uid, m.gid, m.mode, m.size)
		if err := j.content(w, m); err != nil {
			return err
		}
		if m.size%2 == 1 {
			if err := w.WriteByte('\n'); err != nil {
				return err
			}
		}
	}
	return nil
}
