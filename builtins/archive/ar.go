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
