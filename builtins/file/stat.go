package file

import (
	"bufio"
	"context"
	"errors"
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

// A statDirective is a conversion of a format.
type statDirective struct {
	flags     string // of "'-+ #0"
	width     int
	precision int  // -1 where there is none
	digits    bool // the precision was given as digits
	prefix    byte // 'H', 'L' or 0
	letter    byte
}

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

func parseDirective(text string) (d statDirective, n int) {
	d.precision = -1
	for n < len(text) && strings.IndexByte("'-+ #0I", text[n]) >= 0 {
		n++
	}
	d.flags = text[:n]
	number := func() (v int) {
		for ; n < len(text) && text[n] >= '0' && text[n] <= '9'; n++ {
			v = min(v*10+int(text[n]-'0'), 1<<16)
		}
		return v
	}
	d.width = number()
	if n < len(text) && text[n] == '.' {
		n++
		at := n
		d.precision = number()
		d.digits = n > at
	}
	if n < len(text) && (text[n] == 'H' || text[n] == 'L') {
		d.prefix = text[n]
		if n+1 < len(text) && (text[n+1] == 'd' || text[n+1] == 'r') {
			n++
		}
	}
	if n < len(text) {
		d.letter = text[n]
		n++
	}
	return d, n
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

func (d statDirective) has(flag string) bool { return strings.Contains(d.flags, flag) }

// pad widens text to the width of the directive.
func (d statDirective) pad(text string) string {
	n := d.width - len([]rune(text))
	switch {
	case n <= 0:
		return text
	case d.has("-"):
		return text + strings.Repeat(" ", n)
	}
	return strings.Repeat(" ", n) + text
}

func (d statDirective) text(s string) string {
	if d.precision >= 0 && d.precision < len(s) {
		s = s[:d.precision]
	}
	return d.pad(s)
}

// number pads digits with zeros as the flags want it, after the prefix.
func (d statDirective) number(prefix, digits string) string {
	if n := d.precision - len(digits); n > 0 {
		digits = strings.Repeat("0", n) + digits
	}
	if n := d.width - len(prefix) - len(digits); n > 0 && d.has("0") && !d.has("-") && d.precision < 0 {
		digits = strings.Repeat("0", n) + digits
	}
	return d.pad(prefix + digits)
}

func (d statDirective) int(n int64) string {
	digits, sign := strconv.FormatInt(n, 10), ""
	switch {
	case n < 0:
		sign, digits = "-", digits[1:]
	case d.has("+"):
		sign = "+"
	case d.has(" "):
		sign = " "
	}
	return d.number(sign, digits)
}

func (d statDirective) uint(n uint64) string { return d.number("", strconv.FormatUint(n, 10)) }

func (d statDirective) octal(n uint64) string {
	digits := strconv.FormatUint(n, 8)
	if d.has("#") && digits[0] != '0' {
		digits = "0" + digits
	}
	return d.number("", digits)
}

func (d statDirective) hex(n uint64) string {
	prefix := ""
	if d.has("#") && n != 0 {
		prefix = "0x"
	}
	return d.number(prefix, strconv.FormatUint(n, 16))
}

// device returns a device number, or the half of it that %H or %L asks for.
func (d statDirective) device(dev uint64) string {
	major, minor := vfs.DevNumbers(dev)
	switch d.prefix {
	case 'H':
		return d.uint(uint64(major))
	case 'L':
		return d.uint(uint64(minor))
	}
	return d.uint(dev)
}

// seconds returns the seconds since the epoch, with as many digits of a
// fraction as the precision says.
func (d statDirective) seconds(t time.Time) string {
	sec, nsec := t.Unix(), fmt.Sprintf("%09d", t.Nanosecond())
	if d.precision < 0 {
		return d.int(sec)
	}
	digits := d.precision
	if !d.digits {
		digits = 9
	}
	if digits <= 9 {
		nsec = nsec[:digits]
	} else {
		nsec += strings.Repeat("0", digits-9)
	}
	whole := d
	whole.precision = -1
	if digits == 0 {
		return whole.int(sec)
	}
	if whole.has("-") {
		whole.width = 0
	} else {
		whole.width -= digits + 1
	}
	text := whole.int(sec) + "." + nsec
	return d.pad(text)
}

// systemMagic has the numbers of file systems that Linux gives them, and the
// names by which stat knows them.
var systemMagic = map[string]struct {
	number uint64
	name   string
}{
	"tmpfs":    {0x1021994, "tmpfs"},
	"overlay":  {0x794c7630, "overlayfs"},
	"ext4":     {0xef53, "ext2/ext3"},
	"proc":     {0x9fa0, "proc"},
	"sysfs":    {0x62656572, "sysfs"},
	"devtmpfs": {0x1021994, "tmpfs"},
	"fuse":     {0x65735546, "fuseblk"},
}

func (s *statter) showSystem(name string) error {
	if name == "-" {
		return errors.New("using '-' to denote standard input does not work in file system mode")
	}
	system, err := s.c.FS.StatFS(name)
	if err != nil {
		return fmt.Errorf("cannot read file system information for %s: %w", builtins.Quote(name), reason(err))
	}
	id := uint64(0)
	if info, err := s.c.FS.Stat(name); err == nil {
		id = vfs.StatOf(info).Dev
	}
	return s.print(s.format, func(d statDirective) (string, error) { return systemValue(name, id, system, d), nil })
}

// systemValue returns what a directive of stat -f stands for.
func systemValue(name string, id uint64, system vfs.StatFS, d statDirective) string {
	magic, known := systemMagic[system.Type]
	switch d.letter {
	case 'n':
		return d.text(name)
	case 'i':
		return d.hex(id)
	case 'l':
		return d.int(system.NameMax)
	case 't':
		return d.hex(magic.number)
	case 'T':
		if !known {
			return d.text(system.Type)
		}
		return d.text(magic.name)
	case 'b':
		return d.int(system.Blocks)
	case 'f', 'a':
		return d.int(system.Free)
	case 's', 'S':
		return d.int(system.BlockSize)
	case 'c':
		return d.int(system.Files)
	case 'd':
		return d.int(system.FilesFree)
	}
	return "?"
}
