package file

import (
	"bufio"
	"context"
	"fmt"
	"io/fs"
	"strconv"
	"strings"
	"time"

	"github.com/limpet-sh/limpet/builtins"
	"github.com/limpet-sh/limpet/internal/account"
	"github.com/limpet-sh/limpet/internal/filemode"
	"github.com/limpet-sh/limpet/internal/quote"
	"github.com/limpet-sh/limpet/internal/zone"
	"github.com/limpet-sh/limpet/vfs"
)

var _ = commands.Add(&builtins.Command{
	Name:     "stat",
	Synopsis: "[OPTION]... FILE...",
	Summary:  "display file or file system status",
	Run:      runStat,
})

// A statter is stat with its options.
type statter struct {
	c             *builtins.Call
	out           *bufio.Writer
	zone          *time.Location
	users, groups *account.Table
	follow        bool
	system        bool
	format        string
	escapes       bool // interpret backslashes in format
	end           string
	bare          bool // %N does not quote
}

// The formats of stat without --format.
const (
	statTerse    = "%n %s %b %f %u %g %D %i %h %t %T %X %Y %Z %W %o"
	statHead     = "  File: %N\n  Size: %-10s\tBlocks: %-10b IO Block: %-6o %F\n"
	statPlain    = "Device: %Hd,%Ld\tInode: %-10i  Links: %h\n"
	statDevice   = "Device: %Hd,%Ld\tInode: %-10i  Links: %-5h Device type: %Hr,%Lr\n"
	statTail     = "Access: (%04a/%10.10A)  Uid: (%5u/%8U)   Gid: (%5g/%8G)\nAccess: %x\nModify: %y\nChange: %z\n Birth: %w"
	statFSTerse  = "%n %i %l %t %s %S %b %f %a %c %d"
	statFSFormat = "  File: \"%n\"\n    ID: %-8i Namelen: %-7l Type: %T\nBlock size: %-10s Fundamental block size: %S\n" +
		"Blocks: Total: %-10b Free: %-10f Available: %a\nInodes: Total: %-10c Free: %d"
)

func runStat(_ context.Context, c *builtins.Call) error {
	s := &statter{
		c: c, out: bufio.NewWriter(c.Stdout), zone: zone.Load(c.Getenv("TZ")), end: "\n",
		users: userTable(c), groups: groupTable(c),
	}
	var terse bool
	var format *string
	var cached string
	f := c.Flags()
	f.Bool(&s.follow, "L,dereference", "follow links")
	f.Bool(&s.system, "f,file-system", "display file system status instead of file status")
	f.Enum(&cached, "cached", "cached", []string{"default", "never", "always"}, "how to use cached attributes: `MODE`")
	f.Func("c,format", "use the specified `FORMAT` instead of the default; output a newline after each use", func(text string) error {
		format, s.escapes, s.end = &text, false, "\n"
		return nil
	})
	f.Func("printf", "like --format, but interpret backslash escapes in `FORMAT`, and do not output a newline", func(text string) error {
		format, s.escapes, s.end = &text, true, ""
		return nil
	})
	f.Bool(&terse, "t,terse", "print the information in terse form")
	names, err := operands(f, 1, -1)
	if err != nil {
		return err
	}
	switch {
	case format != nil:
		s.format = *format
	case terse && s.system:
		s.format = statFSTerse
	case terse:
		s.format = statTerse
	case s.system:
		s.format = statFSFormat
	}
	for _, name := range names {
		if err := c.Poll(1); err != nil {
			return err
		}
		if err := s.show(name); err != nil {
			if err := warn(c, err); err != nil {
				return finish(s.out, err)
			}
		}
	}
	return finish(s.out, nil)
}

func (s *statter) show(name string) error {
	if s.system {
		return s.showSystem(name)
	}
	info, err := s.look(name)
	if err != nil {
		return err
	}
	format := s.format
	s.bare = format == ""
	if s.bare {
		device := statPlain
		if info.Mode()&fs.ModeDevice != 0 {
			device = statDevice
		}
		format = statHead + device + statTail
	}
	return s.print(format, func(d statDirective) (string, error) { return s.file(name, info, d) })
}

func (s *statter) look(name string) (fs.FileInfo, error) {
	if name == "-" {
		file, ok := s.c.Stdin.(vfs.Stream)
		if !ok {
			return nil, fmt.Errorf("cannot stat standard input: %w", vfs.EBADF)
		}
		info, err := file.Stat()
		if err != nil {
			return nil, fmt.Errorf("cannot stat standard input: %w", reason(err))
		}
		return info, nil
	}
	look := s.c.FS.Lstat
	if s.follow {
		look = s.c.FS.Stat
	}
	info, err := look(name)
	if err != nil {
		return nil, fmt.Errorf("cannot statx %s: %w", builtins.Quote(name), reason(err))
	}
	return info, nil
}

// ioBlock is the size in which files are best read and written.
const ioBlock = 4096

// print prints format with what value returns for its directives.
func (s *statter) print(format string, value func(statDirective) (string, error)) error {
	var failed error
	for i := 0; i < len(format); i++ {
		switch b := format[i]; {
		case b == '\\' && s.escapes:
			i += s.escape(format[i+1:])
		case b != '%':
			s.out.WriteByte(b)
		default:
			d, n := parseDirective(format[i+1:])
			text := format[i : i+1+n]
			i += n
			switch {
			case d.letter == 0 || d.letter == '%' && n == 1:
				s.out.WriteByte('%')
				continue
			case d.letter == '%':
				_ = s.out.Flush()
				s.c.Warnf("%s: invalid directive", builtins.QuoteLocale(text))
				return builtins.Exit(1)
			}
			v, err := value(d)
			if err != nil {
				failed = err
			}
			s.out.WriteString(v)
		}
	}
	if _, err := s.out.WriteString(s.end); err != nil {
		return err
	}
	return failed
}

// escape prints the escape whose backslash text follows, and returns its length.
func (s *statter) escape(text string) int {
	if text == "" {
		fmt.Fprintf(s.c.Stderr, "%s: warning: backslash at end of format\n", s.c.Name)
		s.out.WriteByte('\\')
		return 0
	}
	if i := strings.IndexByte(`abefnrtv"\`, text[0]); i >= 0 {
		s.out.WriteByte("\a\b\x1b\f\n\r\t\v\"\\"[i])
		return 1
	}
	base, digits, skip := 8, "01234567", 0
	most := 3
	if text[0] == 'x' && len(text) > 1 && strings.IndexByte("0123456789abcdefABCDEF", text[1]) >= 0 {
		base, digits, skip, most = 16, "0123456789abcdefABCDEF", 1, 2
	}
	n := skip
	for n < len(text) && n-skip < most && strings.IndexByte(digits, text[n]) >= 0 {
		n++
	}
	if n == skip {
		_ = s.out.Flush()
		fmt.Fprintf(s.c.Stderr, "%s: warning: unrecognized escape '\\%c'\n", s.c.Name, text[0])
		s.out.WriteByte(text[0])
		return 1
	}
	v, _ := strconv.ParseUint(text[skip:n], base, 16)
	s.out.WriteByte(byte(v))
	return n
}

// file returns what a directive stands for.
func (s *statter) file(name string, info fs.FileInfo, d statDirective) (string, error) {
	st := vfs.StatOf(info)
	bits := filemode.Unix(info.Mode())
	switch d.letter {
	case 'n':
		return d.text(name), nil
	case 'N':
		return d.text(s.quoted(name, info)), nil
	case 'd':
		return d.device(st.Dev), nil
	case 'D':
		return d.hex(st.Dev), nil
	case 'i':
		return d.uint(st.Ino), nil
	case 'a':
		return d.octal(uint64(bits & filemode.All)), nil
	case 'A':
		return d.text(filemode.Letters(bits)), nil
	case 'f':
		return d.hex(uint64(bits)), nil
	case 'F':
		return d.text(kindOf(info)), nil
	case 'h':
		return d.uint(st.Nlink), nil
	case 'u':
		return d.int(int64(st.UID)), nil
	case 'U':
		return d.text(nameOr(s.users, st.UID)), nil
	case 'g':
		return d.int(int64(st.GID)), nil
	case 'G':
		return d.text(nameOr(s.groups, st.GID)), nil
	case 'm':
		system, err := s.c.FS.StatFS(name)
		if err != nil {
			return d.text("?"), fmt.Errorf("failed to canonicalize %s: %w", builtins.Quote(name), reason(err))
		}
		return d.text(system.Point), nil
	case 's':
		return d.int(info.Size()), nil
	case 'r':
		return d.device(st.Rdev), nil
	case 'R':
		return d.hex(st.Rdev), nil
	case 't':
		major, _ := vfs.DevNumbers(st.Rdev)
		return d.hex(uint64(major)), nil
	case 'T':
		_, minor := vfs.DevNumbers(st.Rdev)
		return d.hex(uint64(minor)), nil
	case 'B':
		return d.int(512), nil
	case 'b':
		return d.int(st.Blocks), nil
	case 'o':
		return d.int(ioBlock), nil
	case 'C':
		return d.text("?"), fmt.Errorf("failed to get security context of %s: No data available", builtins.Quote(name))
	}
	return s.time(info, d)
}

// time returns what a directive about a time stands for.
func (s *statter) time(info fs.FileInfo, d statDirective) (string, error) {
	st := vfs.StatOf(info)
	var t time.Time
	switch d.letter {
	case 'w', 'W':
		t = st.Birth
	case 'x', 'X':
		t = st.Atime
	case 'y', 'Y':
		t = info.ModTime()
	case 'z', 'Z':
		t = st.Ctime
	default:
		return "?", nil
	}
	switch {
	case d.letter >= 'a' && t.IsZero():
		return d.text("-"), nil
	case d.letter >= 'a':
		return d.text(t.In(s.zone).Format("2006-01-02 15:04:05.000000000 -0700")), nil
	case t.IsZero():
		return d.int(0), nil
	}
	return d.seconds(t), nil
}

func nameOr(t *account.Table, id int) string {
	if name, ok := t.Name(id); ok {
		return name
	}
	return "UNKNOWN"
}

// quoted returns a name as %N shows it, with what it links to.
func (s *statter) quoted(name string, info fs.FileInfo) string {
	q := quote.Always
	if s.bare {
		q = func(s string) string { return s }
	} else if style := quoting(s.c.Getenv("QUOTING_STYLE")); style != nil {
		q = style
	}
	if !isLink(info) {
		return q(name)
	}
	target, err := s.c.FS.Readlink(name)
	if err != nil {
		return q(name)
	}
	return q(name) + " -> " + q(target)
}
