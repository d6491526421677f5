package archive

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/limpet-sh/limpet/builtins"
	"github.com/limpet-sh/limpet/internal/filemode"
	"github.com/limpet-sh/limpet/vfs"
)

var _ = commands.Add(&builtins.Command{
	Name:     "ar",
	Synopsis: "[-]{dmpqrstx}[abcDouUvV] [MEMBER] ARCHIVE [FILE]...",
	Summary:  "create, change and extract from archives of members side by side",
	Run:      runAr,
})

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

// An arJob is one run of ar.
type arJob struct {
	*builtins.Call
	operation                                     byte
	verbose, create, actual, newer, dates, before bool
	place                                         string // of a, b and i: the member
	archive                                       string
	in                                            vfs.Stream
	members                                       []*arMember
}

func runAr(ctx context.Context, c *builtins.Call) error {
	j := &arJob{Call: c}
	f := c.Flags()
	letters := ""
	for _, l := range "dmpqrstxabicDouUvS" {
		f.Do(string(l), arLetters[l], func() error { letters += string(l); return nil })
	}
	f.Info("h", "V")
	if len(c.Args) > 0 && c.Args[0] != "" && c.Args[0][0] != '-' {
		c.Args = append([]string{"-" + c.Args[0]}, c.Args[1:]...)
	}
	args, err := f.Parse()
	if err != nil {
		return err
	}
	if err := j.letters(letters); err != nil {
		return f.Fail(err)
	}
	if j.place == "?" {
		if len(args) == 0 {
			return f.Fail(builtins.Usage("missing position arg"))
		}
		j.place, args = args[0], args[1:]
	}
	if j.operation == 0 || len(args) == 0 {
		fmt.Fprintf(c.Stderr, "Usage: %s %s\n", c.Name, c.Command.Synopsis)
		return builtins.Exit(1)
	}
	j.archive = args[0]
	return j.run(args[1:])
}

// arLetters says what the letters mean.
var arLetters = map[rune]string{
	'd': "delete members", 'm': "move members", 'p': "print members", 'q': "append files", 'r': "replace or insert files",
	's': "act as ranlib", 't': "list members", 'x': "extract members", 'a': "put files after MEMBER", 'b': "put files before MEMBER",
	'i': "put files before MEMBER", 'c': "do not tell of the creation of the archive", 'D': "store no dates and owners, as without U",
	'o': "keep the dates of members", 'u': "replace members that are older only", 'U': "store dates and owners", 'v': "be verbose",
	'S': "make no symbol table, as always",
}

func (j *arJob) letters(letters string) error {
	for _, l := range letters {
		switch l {
		case 'a', 'b', 'i':
			j.place, j.before = "?", l != 'a'
		case 'c':
			j.create = true
		case 'D':
			j.actual = false
		case 'U':
			j.actual = true
		case 'u':
			j.newer = true
		case 'o':
			j.dates = true
		case 'v':
			j.verbose = true
		case 'S':
		case 's':
			if j.operation == 0 {
				j.operation = 's'
			}
		default:
			if j.operation != 0 && j.operation != 's' {
				return errors.New("two different operation options specified")
			}
			j.operation = byte(l)
		}
	}
	return nil
}

func (j *arJob) run(names []string) error {
	if j.newer && !j.actual && j.operation == 'r' {
		j.note("`u' modifier ignored since `D' is the default (see `U')")
		j.newer = false
	}
	err := j.read()
	if j.in != nil {
		defer j.in.Close()
	}
	if err != nil {
		return err
	}
	switch j.operation {
	case 't', 'p', 'x':
		return j.take(names)
	case 'd', 'm':
		return j.remove(names)
	case 'q', 'r':
		return j.insert(names)
	}
	return nil
}

func (j *arJob) note(format string, args ...any) {
	fmt.Fprintf(j.Stderr, "%s: %s\n", j.Name, fmt.Sprintf(format, args...))
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

// take lists, prints or extracts members.
func (j *arJob) take(names []string) error {
	out := bufio.NewWriterSize(j.Stdout, 32<<10)
	do := func(m *arMember) error {
		switch j.operation {
		case 't':
			if j.verbose {
				fmt.Fprintf(out, "%s %d/%d %6d %s ", filemode.Letters(m.mode & 0o777)[1:], m.uid, m.gid, m.size,
					time.Unix(m.date, 0).UTC().Format("Jan _2 15:04 2006"))
			}
			_, err := out.WriteString(m.name + "\n")
			return err
		case 'p':
			if j.verbose {
				fmt.Fprintf(out, "\n<%s>\n\n", m.name)
			}
			return j.content(out, m)
		}
		if j.verbose {
			fmt.Fprintf(out, "x - %s\n", m.name)
		}
		return j.extract(m)
	}
	if len(names) == 0 {
		for _, m := range j.members {
			if err := do(m); err != nil {
				return err
			}
		}
	}
	for _, name := range names {
		i := slices.IndexFunc(j.members, func(m *arMember) bool { return m.name == path.Base(name) })
		if i < 0 {
			if err := out.Flush(); err != nil {
				return err
			}
			fmt.Fprintf(j.Stderr, "no entry %s in archive\n", name)
			continue
		}
		if err := do(j.members[i]); err != nil {
			return err
		}
	}
	return out.Flush()
}

// content copies the content of a member.
func (j *arJob) content(w io.Writer, m *arMember) error {
	r := io.Reader(j.in)
	if m.file != "" {
		f, err := j.Open(m.file)
		if err != nil {
			return err
		}
		defer f.Close()
		r = f
	} else if _, err := j.in.(io.Seeker).Seek(m.offset, io.SeekStart); err != nil {
		return err
	}
	n, err := transfer(j.Call, w, io.LimitReader(r, m.size))
	if err == nil && n < m.size {
		err = errMalformed
	}
	return err
}

// extract makes the file of a member, in the working directory.
func (j *arJob) extract(m *arMember) error {
	if m.name == "" || m.name == "." || m.name == ".." || strings.Contains(m.name, "/") {
		j.note("illegal output pathname for archive member: %s, refused", m.name)
		j.Call.Fail()
		return nil
	}
	_ = j.FS.Remove(m.name)
	f, err := j.FS.OpenFile(m.name, vfs.O_WRONLY|vfs.O_CREATE|vfs.O_EXCL, fs.FileMode(m.mode)&0o777)
	if err != nil {
		j.note("%s: %v", m.name, vfs.ErrnoOf(err))
		j.Call.Fail()
		return nil
	}
	err = j.content(f, m)
	if end := f.Close(); err == nil {
		err = end
	}
	if err != nil {
		return err
	}
	if j.dates {
		date := time.Unix(m.date, 0)
		return j.FS.Chtimes(m.name, date, date)
	}
	return nil
}

// remove deletes members, or moves them.
func (j *arJob) remove(names []string) error {
	var moved []*arMember
	for _, name := range names {
		i := slices.IndexFunc(j.members, func(m *arMember) bool { return m.name == path.Base(name) })
		if i < 0 {
			if j.operation == 'm' {
				j.note("no entry %s in archive %s!", name, j.archive)
				return builtins.Exit(1)
			}
			if j.verbose {
				fmt.Fprintf(j.Stdout, "No member named `%s'\n", name)
			}
			continue
		}
		if j.verbose {
			fmt.Fprintf(j.Stdout, "%c - %s\n", j.operation, name)
		}
		moved = append(moved, j.members[i])
		j.members = slices.Delete(j.members, i, i+1)
	}
	if j.operation == 'm' {
		j.members = slices.Insert(j.members, j.position(), moved...)
	}
	return j.write()
}

// position returns where members are put.
func (j *arJob) position() int {
	i := slices.IndexFunc(j.members, func(m *arMember) bool { return m.name == path.Base(j.place) })
	switch {
	case j.place == "" || i < 0:
		return len(j.members)
	case j.before:
		return i
	}
	return i + 1
}

// insert replaces members by files, or adds these.
func (j *arJob) insert(names []string) error {
	for _, name := range names {
		info, err := j.FS.Stat(name)
		if err == nil && info.IsDir() {
			err = vfs.EISDIR
		}
		if err != nil {
			j.note("%s: %v", name, vfs.ErrnoOf(err))
			return builtins.Exit(1)
		}
		m := &arMember{name: path.Base(name), mode: 0o644, size: info.Size(), file: name}
		if j.actual {
			st := vfs.StatOf(info)
			m.date, m.uid, m.gid, m.mode = info.ModTime().Unix(), st.UID, st.GID, uint32(info.Mode().Perm())|0o100000
		}
		i := slices.IndexFunc(j.members, func(o *arMember) bool { return o.name == m.name })
		letter := 'a'
		switch {
		case j.operation == 'r' && i >= 0:
			if j.newer && j.members[i].date >= m.date {
				continue
			}
			letter = 'r'
			j.members[i] = m
		default:
			j.members = slices.Insert(j.members, j.position(), m)
		}
		if j.verbose {
			fmt.Fprintf(j.Stdout, "%c - %s\n", letter, name)
		}
	}
	return j.write()
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
