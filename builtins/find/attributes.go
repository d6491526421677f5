package find

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"strconv"
	"strings"

	"github.com/limpet-sh/limpet/builtins"
	"github.com/limpet-sh/limpet/internal/filemode"
	"github.com/limpet-sh/limpet/internal/walk"
	"github.com/limpet-sh/limpet/vfs"
)

// attributes are the predicates about the status of files, times aside.
var attributes = map[string]predicate{
	"-size":       {parse: parseSize},
	"-empty":      {parse: parseEmpty},
	"-perm":       {parse: parsePerm},
	"-user":       {parse: parseUser},
	"-group":      {parse: parseGroup},
	"-uid":        comparing(func(st *vfs.Stat) uint64 { return uint64(st.UID) }),
	"-gid":        comparing(func(st *vfs.Stat) uint64 { return uint64(st.GID) }),
	"-links":      comparing(func(st *vfs.Stat) uint64 { return st.Nlink }),
	"-inum":       comparing(func(st *vfs.Stat) uint64 { return st.Ino }),
	"-nouser":     statTest(func(f *finder, st *vfs.Stat) bool { _, ok := f.userTable().Name(st.UID); return !ok }),
	"-nogroup":    statTest(func(f *finder, st *vfs.Stat) bool { _, ok := f.groupTable().Name(st.GID); return !ok }),
	"-samefile":   {parse: parseSameFile},
	"-fstype":     {parse: parseFSType},
	"-readable":   access(4),
	"-writable":   access(2),
	"-executable": access(1),
}

// info returns the status of e. It warns where there is none.
func (f *finder) info(e *walk.Entry) (fs.FileInfo, bool) {
	info, err := e.Info()
	if info == nil {
		if err != nil {
			f.warnFile(e.Path, err)
		}
		return nil, false
	}
	return info, true
}

// infoTest returns a test of the status of files.
func (f *finder) infoTest(pass func(info fs.FileInfo) bool) test {
	return func(e *walk.Entry) bool {
		info, ok := f.info(e)
		return ok && pass(info)
	}
}

func statTest(pass func(f *finder, st *vfs.Stat) bool) predicate {
	return predicate{parse: func(p *parser, _ string) (test, error) {
		f := p.finder
		return f.infoTest(func(info fs.FileInfo) bool { return pass(f, vfs.StatOf(info)) }), nil
	}}
}

// comparing returns a predicate that compares a number of the status.
func comparing(number func(*vfs.Stat) uint64) predicate {
	return predicate{parse: func(p *parser, name string) (test, error) {
		k, err := p.comparison(name)
		if err != nil {
			return nil, err
		}
		return p.infoTest(func(info fs.FileInfo) bool { return k.matches(number(vfs.StatOf(info))) }), nil
	}}
}

// parseSize parses the argument of -size: a number and its unit.
func parseSize(p *parser, name string) (test, error) {
	arg, err := p.arg(name)
	if err != nil {
		return nil, err
	}
	if arg == "" {
		return nil, errors.New("invalid null argument to -size")
	}
	number, unit := arg[:len(arg)-1], int64(512)
	switch last := arg[len(arg)-1]; last {
	case 'b':
	case 'c':
		unit = 1
	case 'w':
		unit = 2
	case 'k':
		unit = 1 << 10
	case 'M':
		unit = 1 << 20
	case 'G':
		unit = 1 << 30
	default:
		if last < '0' || last > '9' {
			return nil, fmt.Errorf("invalid -size type `%c'", last)
		}
		number = arg
	}
	k, ok := parseComparison(number)
	if !ok {
		return nil, fmt.Errorf("Invalid argument `%s' to -size", arg)
	}
	return p.infoTest(func(info fs.FileInfo) bool {
		n := info.Size() / unit
		if info.Size()%unit != 0 {
			n++
		}
		return k.matches(uint64(n))
	}), nil
}

func parseEmpty(p *parser, _ string) (test, error) {
	f := p.finder
	return func(e *walk.Entry) bool {
		if e.Type().IsDir() {
			return f.emptyDir(e.Path)
		}
		if !e.Type().IsRegular() {
			return false
		}
		info, ok := f.info(e)
		return ok && info.Size() == 0
	}, nil
}

func (f *finder) emptyDir(path string) bool {
	dir, err := f.c.FS.Open(path)
	if err != nil {
		f.warnFile(path, err)
		return false
	}
	defer dir.Close()
	names, _ := dir.Readdirnames(1)
	return len(names) == 0
}

// parsePerm parses MODE, -MODE or /MODE.
func parsePerm(p *parser, name string) (test, error) {
	arg, err := p.arg(name)
	if err != nil {
		return nil, err
	}
	text, how := arg, byte(0)
	if arg != "" && (arg[0] == '-' || arg[0] == '/') {
		how, text = arg[0], arg[1:]
	}
	change, err := filemode.Parse(text)
	if err != nil || len(text) > 1 && text[0] == '+' && text[1] >= '0' && text[1] <= '7' {
		return nil, fmt.Errorf("invalid mode %s", builtins.QuoteLocale(arg))
	}
	file, dir := change.Apply(0, false, 0), change.Apply(0, true, 0)
	if how == '/' && file == 0 && dir == 0 {
		how = '-'
		if p.warnings {
			p.advise("you have specified a mode pattern %s (which is equivalent to /000). The meaning of -perm /000 has now been changed to be consistent with -perm -000; that is, while it used to match no files, it now matches all files.", arg)
		}
	}
	return p.infoTest(func(info fs.FileInfo) bool {
		bits, want := filemode.Bits(info.Mode()), file
		if info.IsDir() {
			want = dir
		}
		switch how {
		case '-':
			return bits&want == want
		case '/':
			return bits&want != 0
		}
		return bits == want
	}), nil
}

// id parses the argument of -user or -group.
func (p *parser) id(name, what string, parse func(string) (int, bool)) (int, error) {
	arg, err := p.arg(name)
	if err != nil {
		return 0, err
	}
	if arg == "" {
		return 0, fmt.Errorf("The argument to %s should not be empty", name)
	}
	id, ok := parse(arg)
	if !ok {
		return 0, fmt.Errorf("%s is not the name of %s", builtins.QuoteLocale(arg), what)
	}
	return id, nil
}

func parseUser(p *parser, name string) (test, error) {
	id, err := p.id(name, "a known user", p.userTable().Parse)
	return p.infoTest(func(info fs.FileInfo) bool { return vfs.StatOf(info).UID == id }), err
}

func parseGroup(p *parser, name string) (test, error) {
	id, err := p.id(name, "an existing group", p.groupTable().Parse)
	return p.infoTest(func(info fs.FileInfo) bool { return vfs.StatOf(info).GID == id }), err
}

// reference returns the status of a file that others are compared with.
func (p *parser) reference(name string) (fs.FileInfo, error) {
	arg, err := p.arg(name)
	if err != nil {
		return nil, err
	}
	look := p.c.FS.Stat
	if p.follow == walk.Never {
		look = p.c.FS.Lstat
	}
	info, err := look(arg)
	if err != nil && p.follow != walk.Never {
		info, err = p.c.FS.Lstat(arg)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", builtins.QuoteLocale(arg), vfs.ErrnoOf(err))
	}
	return info, nil
}

func parseSameFile(p *parser, name string) (test, error) {
	ref, err := p.reference(name)
	if err != nil {
		return nil, err
	}
	return p.infoTest(func(info fs.FileInfo) bool { return vfs.SameFile(info, ref) }), nil
}

func parseFSType(p *parser, name string) (test, error) {
	arg, err := p.arg(name)
	if err != nil {
		return nil, err
	}
	f := p.finder
	return func(e *walk.Entry) bool { return f.systemType(e) == arg }, nil
}

// systemType returns the type of the file system of e.
func (f *finder) systemType(e *walk.Entry) string {
	path := e.Path
	if e.Type() == fs.ModeSymlink {
		path = dirOf(path)
	}
	system, err := f.c.FS.StatFS(path)
	if err != nil {
		return "unknown"
	}
	return system.Type
}

// access returns a predicate that asks whether the user may do want, bits of
// rwx, with a file.
func access(want fs.FileMode) predicate {
	return predicate{parse: func(p *parser, _ string) (test, error) {
		f := p.finder
		return func(e *walk.Entry) bool {
			info, err := f.c.FS.Stat(e.Path)
			return err == nil && f.c.User.May(info, want)
		}, nil
	}}
}

// parseReal parses a number that may have a fraction.
func parseReal(s string) (float64, bool) {
	if strings.Trim(s, "0123456789.") != "" {
		return 0, false
	}
	n, err := strconv.ParseFloat(s, 64)
	return n, err == nil && !math.IsInf(n, 0)
}
