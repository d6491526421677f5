package vfstest

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"

	"github.com/limpet-sh/limpet/vfs"
)

// A machine runs scripts. Each line is an operation, its operands and, behind
// "->", what comes of it: the name of an errno, or words. A line without "->"
// succeeds and gives nothing. A "#" begins a comment. For long names see expand.
type machine struct {
	t     testing.TB
	fsys  vfs.FS
	as    func(fsys vfs.FS, u vfs.User) vfs.FS
	files map[string]afero.File
}

func (m *machine) run(script string) {
	m.t.Helper()
	for line := range strings.Lines(script) {
		line, _, _ = strings.Cut(line, "#")
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		do, want, _ := strings.Cut(line, "->")
		got, err := m.step(strings.Fields(expand(do)))
		if err != nil {
			got = strings.TrimSpace(got + " " + errnoName(err))
		}
		require.Equal(m.t, strings.TrimSpace(want), got, "%s (%v)", line, err)
	}
	for _, f := range m.files {
		f.Close()
	}
}

// repetition is what expand replaces.
var repetition = regexp.MustCompile(`(NAME|DOTS|REPEAT)\((\d+)(,\w+)?\)`)

// expand replaces NAME(n) by a name of n bytes, DOTS(n) by n times "./", and
// REPEAT(n,word) by n times that and a slash.
func expand(line string) string {
	return repetition.ReplaceAllStringFunc(line, func(s string) string {
		part := repetition.FindStringSubmatch(s)
		unit := map[string]string{"NAME": "n", "DOTS": "./", "REPEAT": strings.TrimPrefix(part[3], ",") + "/"}[part[1]]
		return strings.Repeat(unit, number(part[2]))
	})
}

func (m *machine) step(words []string) (string, error) {
	op, ok := operations[words[0]]
	if !ok {
		m.t.Fatalf("no operation %q", words[0])
	}
	return op(m, append(words[1:], "", "", "")) // operands that are left out are empty
}

// quiet makes an operation of one that gives nothing.
func quiet(f func(m *machine, a []string) error) func(*machine, []string) (string, error) {
	return func(m *machine, a []string) (string, error) { return "", f(m, a) }
}

// operations are what scripts can do. Modes are octal.
var operations = map[string]func(m *machine, a []string) (string, error){
	"mkdir":    quiet(func(m *machine, a []string) error { return m.fsys.Mkdir(a[0], mode(a[1], 0o755)) }),
	"mkdirall": quiet(func(m *machine, a []string) error { return m.fsys.MkdirAll(a[0], mode(a[1], 0o755)) }),
	"rm":       quiet(func(m *machine, a []string) error { return m.fsys.Remove(a[0]) }),
	"rmall":    quiet(func(m *machine, a []string) error { return m.fsys.RemoveAll(a[0]) }),
	"mv":       quiet(func(m *machine, a []string) error { return m.fsys.Rename(a[0], a[1]) }),
	"ln":       quiet(func(m *machine, a []string) error { return m.fsys.Link(a[0], a[1]) }),
	"symlink":  quiet(func(m *machine, a []string) error { return m.fsys.SymlinkIfPossible(a[0], a[1]) }),
	"chmod":    quiet(func(m *machine, a []string) error { return m.fsys.Chmod(a[1], mode(a[0], 0)) }),
	"chown":    quiet(func(m *machine, a []string) error { return m.fsys.Chown(a[2], number(a[0]), number(a[1])) }),
	"lchown":   quiet(func(m *machine, a []string) error { return m.fsys.Lchown(a[2], number(a[0]), number(a[1])) }),
	"mkfifo":   quiet(func(m *machine, a []string) error { return m.fsys.Mknod(a[0], fs.ModeNamedPipe|0o644, 0) }),
	"mkdev": quiet(func(m *machine, a []string) error {
		return m.fsys.Mknod(a[0], fs.ModeDevice|fs.ModeCharDevice|0o666, vfs.Dev(uint32(number(a[1])), uint32(number(a[2]))))
	}),
	"utime":  quiet(func(m *machine, a []string) error { return m.fsys.Chtimes(a[2], second(a[0]), second(a[1])) }),
	"lutime": quiet(func(m *machine, a []string) error { return m.fsys.Lchtimes(a[2], second(a[0]), second(a[1])) }),
	"as": quiet(func(m *machine, a []string) error {
		m.fsys = m.as(m.fsys, vfs.User{UID: number(a[0]), GID: number(a[0]), Groups: []int{77}})
		return nil
	}),

	"write": quiet((*machine).write),
	"append": quiet(func(m *machine, a []string) error {
		return m.change(a[0], vfs.O_WRONLY|vfs.O_APPEND|vfs.O_CREATE, a[1], 0)
	}),
	"poke":     quiet(func(m *machine, a []string) error { return m.change(a[0], vfs.O_RDWR, a[2], number(a[1])) }),
	"cut":      quiet((*machine).cut),
	"cat":      (*machine).cat,
	"ls":       (*machine).ls,
	"readlink": func(m *machine, a []string) (string, error) { return m.fsys.ReadlinkIfPossible(a[0]) },
	"stat":     (*machine).stat,
	"lstat":    (*machine).lstat,
	"times":    (*machine).times,
	"same":     (*machine).same,
	"chain":    quiet((*machine).chain),
	"fresh":    (*machine).fresh,
	"resolve":  func(m *machine, a []string) (string, error) { return vfs.Resolve(m.fsys, a[0], a[1] == "follow") },

	"open":   quiet((*machine).open),
	"close":  quiet(func(m *machine, a []string) error { return m.files[a[0]].Close() }),
	"put":    (*machine).put,
	"putat":  (*machine).putAt,
	"get":    (*machine).get,
	"getat":  (*machine).getAt,
	"seek":   (*machine).seek,
	"trunc":  quiet(func(m *machine, a []string) error { return m.files[a[0]].Truncate(int64(number(a[1]))) }),
	"fstat":  (*machine).fstat,
	"next":   (*machine).next,
	"rewind": quiet(func(m *machine, a []string) error { _, err := m.files[a[0]].Seek(0, io.SeekStart); return err }),
}

func number(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil {
		panic(err)
	}
	return n
}

// second returns the time that is s seconds after the epoch, the zero time for
// "-".
func second(s string) time.Time {
	if s == "-" {
		return time.Time{}
	}
	return time.Unix(int64(number(s)), 5)
}

// mode returns the mode with the octal digits s, standard if there are none.
func mode(s string, standard fs.FileMode) fs.FileMode {
	if s == "" {
		return standard
	}
	n, err := strconv.ParseUint(s, 8, 32)
	if err != nil {
		panic(err)
	}
	m := fs.FileMode(n & 0o777)
	for bit, flag := range map[uint64]fs.FileMode{0o4000: fs.ModeSetuid, 0o2000: fs.ModeSetgid, 0o1000: fs.ModeSticky} {
		if n&bit != 0 {
			m |= flag
		}
	}
	return m
}

// errnos has the names of the errors that scripts expect.
var errnos = map[vfs.Errno]string{
	vfs.EPERM: "EPERM", vfs.ENOENT: "ENOENT", vfs.ENXIO: "ENXIO", vfs.EBADF: "EBADF", vfs.EACCES: "EACCES",
	vfs.EBUSY: "EBUSY", vfs.EEXIST: "EEXIST", vfs.EXDEV: "EXDEV", vfs.ENOTDIR: "ENOTDIR", vfs.EISDIR: "EISDIR",
	vfs.EINVAL: "EINVAL", vfs.EFBIG: "EFBIG", vfs.ENOSPC: "ENOSPC", vfs.ESPIPE: "ESPIPE", vfs.EROFS: "EROFS", vfs.EDQUOT: "EDQUOT",
	vfs.ENAMETOOLONG: "ENAMETOOLONG", vfs.ENOTEMPTY: "ENOTEMPTY", vfs.ELOOP: "ELOOP", vfs.EPIPE: "EPIPE", vfs.EIO: "EIO",
}

// errnoName returns the name of the Errno in err, which must be of the kind that
// [vfs.FS] promises.
func errnoName(err error) string {
	if err == io.EOF {
		return "EOF"
	}
	e, ok := errors.AsType[vfs.Errno](err)
	if !ok {
		return fmt.Sprintf("%T", err)
	}
	return errnos[e]
}

func (m *machine) write(a []string) error {
	return vfs.WriteFile(m.fsys, a[0], []byte(a[1]), 0o644)
}

// change writes text to a file at off, or behind its end.
func (m *machine) change(name string, flag int, text string, off int) error {
	f, err := m.fsys.OpenFile(name, flag, 0o644)
	if err != nil {
		return err
	}
	defer f.Close()
	if flag&vfs.O_APPEND != 0 {
		_, err = f.WriteString(text)
	} else {
		_, err = f.WriteAt([]byte(text), int64(off))
	}
	return err
}

func (m *machine) cut(a []string) error {
	f, err := m.fsys.OpenFile(a[0], vfs.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	return f.Truncate(int64(number(a[1])))
}

func (m *machine) cat(a []string) (string, error) {
	data, err := vfs.ReadFile(m.fsys, a[0])
	return visible(data), err
}

func (m *machine) ls(a []string) (string, error) {
	list, err := vfs.ReadDir(m.fsys, a[0])
	var words []string
	for _, e := range list {
		word := e.Name()
		if typ := e.Type(); typ != 0 {
			word += typ.String()[:1]
		}
		words = append(words, word)
	}
	return strings.Join(words, " "), err
}

func (m *machine) stat(a []string) (string, error) {
	info, err := m.fsys.Stat(a[0])
	return describe(info, err, a[1:])
}

func (m *machine) lstat(a []string) (string, error) {
	info, err := vfs.Lstat(m.fsys, a[0])
	return describe(info, err, a[1:])
}

func (m *machine) fstat(a []string) (string, error) {
	info, err := m.files[a[0]].Stat()
	return describe(info, err, a[1:])
}

// describe returns what fields ask of info: name, size, mode, type, links,
// blocks, owner.
func describe(info fs.FileInfo, err error, fields []string) (string, error) {
	if err != nil {
		return "", err
	}
	st := vfs.StatOf(info)
	var words []string
	for _, f := range fields {
		switch f {
		case "name":
			words = append(words, info.Name())
		case "size":
			words = append(words, strconv.FormatInt(info.Size(), 10))
		case "mode":
			words = append(words, info.Mode().String())
		case "links":
			words = append(words, strconv.FormatUint(st.Nlink, 10))
		case "blocks":
			words = append(words, strconv.FormatInt(st.Blocks, 10))
		case "owner":
			words = append(words, fmt.Sprintf("%d:%d", st.UID, st.GID))
		case "dev":
			words = append(words, strconv.FormatUint(st.Rdev, 16))
		}
	}
	return strings.Join(words, " "), nil
}

// times returns the seconds of the access and the modification time.
func (m *machine) times(a []string) (string, error) {
	info, err := vfs.Lstat(m.fsys, a[0])
	if err != nil {
		return "", err
	}
	return fmt.Sprint(vfs.StatOf(info).Atime.Unix(), info.ModTime().Unix()), nil
}

func (m *machine) same(a []string) (string, error) {
	x, err := vfs.Lstat(m.fsys, a[0])
	if err != nil {
		return "", err
	}
	y, err := vfs.Lstat(m.fsys, a[1])
	if err != nil {
		return "", err
	}
	return strconv.FormatBool(vfs.SameFile(x, y)), nil
}

// chain makes a[1] symbolic links a[0]1, a[0]2, …, each to the one before it, and
// the first to a[2].
func (m *machine) chain(a []string) error {
	for i := 1; i <= number(a[1]); i++ {
		name := a[0] + strconv.Itoa(i)
		if err := m.fsys.SymlinkIfPossible(a[2], name); err != nil {
			return err
		}
		a[2] = name
	}
	return nil
}

// fresh reports whether the modification time is another than 100 seconds.
func (m *machine) fresh(a []string) (string, error) {
	info, err := vfs.Lstat(m.fsys, a[0])
	if err != nil {
		return "", err
	}
	return strconv.FormatBool(info.ModTime().Unix() != 100), nil
}

// open opens a[2] as a[0]. The letters of a[1] are r, w, a, c, x and t.
func (m *machine) open(a []string) error {
	flag := 0
	switch has := func(s string) bool { return strings.Contains(a[1], s) }; {
	case has("r") && has("w"):
		flag = vfs.O_RDWR
	case has("w"):
		flag = vfs.O_WRONLY
	}
	for letter, bit := range map[string]int{"a": vfs.O_APPEND, "c": vfs.O_CREATE, "x": vfs.O_EXCL, "t": vfs.O_TRUNC} {
		if strings.Contains(a[1], letter) {
			flag |= bit
		}
	}
	f, err := m.fsys.OpenFile(a[2], flag, mode(a[3], 0o644))
	if err == nil {
		m.files[a[0]] = f
	}
	return err
}

func (m *machine) put(a []string) (string, error) {
	n, err := m.files[a[0]].WriteString(a[1])
	return short(n, len(a[1])), err
}

func (m *machine) putAt(a []string) (string, error) {
	n, err := m.files[a[0]].WriteAt([]byte(a[2]), int64(number(a[1])))
	return short(n, len(a[2])), err
}

// short returns n, and nothing if that is all.
func short(n, all int) string {
	if n == all || n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}

func (m *machine) get(a []string) (string, error) {
	p := make([]byte, number(a[1]))
	n, err := m.files[a[0]].Read(p)
	return visible(p[:n]), err
}

func (m *machine) getAt(a []string) (string, error) {
	p := make([]byte, number(a[2]))
	n, err := m.files[a[0]].ReadAt(p, int64(number(a[1])))
	return visible(p[:n]), err
}

// visible shows zero bytes as dots.
func visible(p []byte) string { return strings.ReplaceAll(string(p), "\x00", ".") }

func (m *machine) seek(a []string) (string, error) {
	whence := map[string]int{"": io.SeekStart, "cur": io.SeekCurrent, "end": io.SeekEnd, "bad": 9}[a[2]]
	n, err := m.files[a[0]].Seek(int64(number(a[1])), whence)
	if err != nil {
		return "", err
	}
	return strconv.FormatInt(n, 10), nil
}

// next reads a[1] entries of a directory, sorted if those are all.
func (m *machine) next(a []string) (string, error) {
	n := number(a[1])
	names, err := m.files[a[0]].Readdirnames(n)
	if n <= 0 {
		slices.Sort(names)
	}
	return strings.Join(names, " "), err
}
