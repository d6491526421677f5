package digest

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/limpet-sh/limpet/builtins"
	"github.com/limpet-sh/limpet/vfs"
)

var xxd = commands.Add(&builtins.Command{
	Name:     "xxd",
	Synopsis: "[options] [infile [outfile]]\n   or: xxd -r [-s [-]offset] [-c cols] [-ps] [infile [outfile]]",
	Summary:  "make a hex dump or do the reverse",
	Run:      runXxd,
})

// An xxdForm is a kind of output of xxd.
type xxdForm byte

const (
	xxdHex xxdForm = iota
	xxdBits
	xxdLittle
	xxdPlain
	xxdInclude
)

// An xxdJob is what xxd is asked to do.
type xxdJob struct {
	call              *builtins.Call
	form              xxdForm
	reverse, autoskip bool
	capital, upper    bool
	decimal           bool
	columns, group    int // -1 where not given
	seek, display     int64
	relative, fromEnd bool
	limit             int64 // -1 for none
	name              string
	in                io.Reader
	out               *bufio.Writer
	zeros             int    // lines of zeros in a row, with autoskip
	second, last      []byte // of them
}

func runXxd(ctx context.Context, c *builtins.Call) error {
	x := xxdJob{call: c, columns: -1, group: -1, limit: -1}
	c.Args = normalizeXxd(c.Args)
	f := c.Flags()
	f.Info("h", "v")
	f.Ordered = true
	form := func(names string, form xxdForm, help string) {
		f.Do(names, help, func() error { x.form = form; return nil })
	}
	number := func(names, help string, set func(int64)) {
		f.Func(names, help, func(s string) error { set(leadingNumber(s)); return nil })
	}
	f.Do("a", "toggle autoskip: a single '*' replaces nul-lines", func() error { x.autoskip = !x.autoskip; return nil })
	form("b", xxdBits, "binary digit dump (incompatible with -ps,-i,-r)")
	f.Bool(&x.capital, "C", "capitalize variable names in C include file style (-i)")
	number("c", "format `cols` octets per line. Default 16 (-i: 12, -ps: 30)", func(n int64) { x.columns = int(min(n, 1<<20)) })
	form("e", xxdLittle, "little-endian dump (incompatible with -ps,-i,-r)")
	number("g", "number of `bytes` per group in normal output. Default 2 (-e: 4)", func(n int64) { x.group = int(min(n, 1<<20)) })
	form("i", xxdInclude, "output in C include file style")
	number("l", "stop after `len` octets", func(n int64) { x.limit = n })
	f.String(&x.name, "n", "set the variable `name` used in C include output (-i)")
	number("o", "add `off` to the displayed file position", func(n int64) { x.display = n })
	form("p", xxdPlain, "output in postscript plain hexdump style")
	f.Bool(&x.reverse, "r", "reverse operation: convert (or patch) hexdump into binary")
	f.Bool(&x.decimal, "d", "show offset in decimal instead of hex")
	f.Func("s", "start at `seek` bytes abs. (or +: rel.) infile offset", func(s string) error {
		s, x.relative = strings.CutPrefix(s, "+")
		s, x.fromEnd = strings.CutPrefix(s, "-")
		x.seek = leadingNumber(s)
		return nil
	})
	f.Bool(&x.upper, "u", "use upper case hex letters")
	files, err := f.Parse()
	if err != nil {
		return err
	}
	if err := x.settle(); err != nil {
		return err
	}
	if len(files) > 2 {
		return f.Fail(builtins.Usage("too many operands"))
	}
	return x.run(files)
}

// normalizeXxd rewrites xxd's options, of which only the first letter counts
// and which cannot be bundled, in the form that the option parser takes.
func normalizeXxd(args []string) []string {
	words := map[byte]string{'c': "cols", 'g': "group", 'l': "len", 'n': "name", 'o': "offset", 's': "seek"}
	var list []string
	for i, arg := range args {
		if strings.HasPrefix(arg, "--") && len(arg) > 2 && arg != "--help" && arg != "--version" {
			arg = arg[1:]
		}
		if len(arg) < 2 || arg[0] != '-' || arg == "--" || arg == "--help" || arg == "--version" {
			return append(list, args[i:]...)
		}
		word, valued := words[arg[1]]
		switch {
		case arg == "-capitalize":
			list = append(list, "-C")
		case !valued:
			list = append(list, arg[:2])
		case len(arg) > 2 && !strings.HasPrefix(arg[1:], word[:min(len(word), 4)]) && arg[1:] != "skip":
			list = append(list, arg)
		case i+1 < len(args):
			return append(append(list, arg[:2], args[i+1]), normalizeXxd(args[i+2:])...)
		default:
			list = append(list, arg[:2])
		}
	}
	return list
}

// leadingNumber returns the number that s begins with, or 0: decimal, octal or
// hexadecimal.
func leadingNumber(s string) int64 {
	for end := len(s); end > 0; end-- {
		if n, err := strconv.ParseInt(s[:end], 0, 64); err == nil && !strings.Contains(s[:end], "_") {
			return n
		}
	}
	return 0
}

// settle fills in what was not given.
func (x *xxdJob) settle() error {
	given := x.columns > 0
	if !given && !(x.columns == 0 && x.form == xxdPlain) {
		x.columns = map[xxdForm]int{xxdHex: 16, xxdBits: 6, xxdLittle: 16, xxdPlain: 30, xxdInclude: 12}[x.form]
	}
	if x.columns > 256 && (x.form == xxdHex || x.form == xxdBits || x.form == xxdLittle) {
		return errors.New("invalid number of columns (max. 256).")
	}
	if x.group < 0 {
		x.group = map[xxdForm]int{xxdHex: 2, xxdBits: 1, xxdLittle: 4}[x.form]
	}
	if x.group < 1 || x.group > x.columns {
		x.group = max(x.columns, 1)
	}
	if x.form == xxdLittle && x.group&(x.group-1) != 0 {
		return errors.New("number of octets per group must be a power of 2 with -e.")
	}
	return nil
}

// Statuses of xxd.
const (
	xxdNoInput  builtins.Exit = 2
	xxdNoOutput builtins.Exit = 3
	xxdNoSeek   builtins.Exit = 4
	xxdBackward builtins.Exit = 5
)

func (x *xxdJob) run(files []string) error {
	c := x.call
	x.in = c.Stdin
	if len(files) > 0 && files[0] != "-" {
		f, err := c.Open(files[0])
		if err != nil {
			c.Warnf("%s: %w", files[0], vfs.ErrnoOf(err))
			return xxdNoInput
		}
		defer f.Close()
		x.in = f
		if x.name == "" {
			x.name = files[0]
		}
	}
	var w io.Writer = c.Stdout
	if len(files) > 1 && files[1] != "-" {
		mode := vfs.O_RDWR | vfs.O_CREATE
		if !x.reverse {
			mode |= vfs.O_TRUNC
		}
		f, err := c.FS.OpenFile(files[1], mode, 0o666)
		if err != nil {
			c.Warnf("%s: %w", files[1], vfs.ErrnoOf(err))
			return xxdNoOutput
		}
		defer f.Close()
		w = f
	}
	if err := c.Alloc(2 * bufferSize); err != nil {
		return err
	}
	defer c.Free(2 * bufferSize)
	x.out = bufio.NewWriterSize(w, bufferSize)
	var err error
	if x.reverse {
		err = x.revert(w)
	} else {
		err = x.dump()
	}
	if flushErr := x.out.Flush(); err == nil {
		err = flushErr
	}
	return err
}

func (x *xxdJob) dump() error {
	if err := x.seekInput(); err != nil {
		return err
	}
	in := x.in
	if x.limit >= 0 {
		in = io.LimitReader(in, x.limit)
	}
	r := bufio.NewReaderSize(in, bufferSize)
	var err error
	switch x.form {
	case xxdPlain:
		err = x.plain(r)
	case xxdInclude:
		err = x.include(r)
	default:
		err = x.lines(r)
	}
	if err != nil && !x.call.Ends(err) {
		x.call.Warn(vfs.ErrnoOf(err))
		return xxdNoInput
	}
	return err
}

// seekInput moves to where the dump starts.
func (x *xxdJob) seekInput() error {
	if x.seek == 0 {
		return nil
	}
	if s, ok := x.in.(io.Seeker); ok {
		offset, whence := x.seek, io.SeekStart
		switch {
		case x.fromEnd:
			offset, whence = -offset, io.SeekEnd
		case x.relative:
			whence = io.SeekCurrent
		}
		if at, err := s.Seek(offset, whence); err == nil {
			x.seek = at
			return nil
		} else if x.fromEnd {
			x.call.Warn(errors.New("Sorry, cannot seek."))
			return xxdNoSeek
		}
	}
	if x.fromEnd {
		x.call.Warn(errors.New("Sorry, cannot seek."))
		return xxdNoSeek
	}
	_, err := feed(x.call, io.Discard, io.LimitReader(x.in, x.seek))
	return err
}

func (x *xxdJob) digits() string {
	if x.upper {
		return "0123456789ABCDEF"
	}
	return "0123456789abcdef"
}

// plain writes hex digits only.
func (x *xxdJob) plain(r *bufio.Reader) error {
	digits, p := x.digits(), 0
	for {
		b, err := r.ReadByte()
		if err == nil {
			err = x.call.Poll(1)
		}
		if err != nil {
			if err == io.EOF && p > 0 {
				return x.out.WriteByte('\n')
			}
			return ignoreEOF(err)
		}
		x.out.WriteByte(digits[b>>4])
		x.out.WriteByte(digits[b&15])
		if p++; p == x.columns {
			x.out.WriteByte('\n')
			p = 0
		}
	}
}

func ignoreEOF(err error) error {
	if err == io.EOF {
		return nil
	}
	return err
}

// include writes the declaration of an array in C.
func (x *xxdJob) include(r *bufio.Reader) error {
	name := x.variable()
	if name != "" {
		fmt.Fprintf(x.out, "unsigned char %s[] = {\n", name)
	}
	format := "0x%02x"
	if x.upper {
		format = "0X%02X"
	}
	n := 0
	for {
		b, err := r.ReadByte()
		if err == nil {
			err = x.call.Poll(1)
		}
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
		switch {
		case n == 0:
			x.out.WriteString("  ")
		case n%x.columns == 0:
			x.out.WriteString(",\n  ")
		default:
			x.out.WriteString(", ")
		}
		fmt.Fprintf(x.out, format, b)
		n++
	}
	if n > 0 {
		x.out.WriteByte('\n')
	}
	if name == "" {
		return nil
	}
	suffix := "_len"
	if x.capital {
		suffix = "_LEN"
	}
	_, err := fmt.Fprintf(x.out, "};\nunsigned int %s%s = %d;\n", name, suffix, n)
	return err
}

// variable returns the name of the array: that of the file as far as C allows.
func (x *xxdJob) variable() string {
	name := []byte(x.name)
	for i, b := range name {
		if b|0x20 < 'a' || b|0x20 > 'z' {
			if b < '0' || b > '9' {
				name[i] = '_'
			}
		} else if x.capital {
			name[i] = b &^ 0x20
		}
	}
	if len(name) > 0 && name[0] >= '0' && name[0] <= '9' {
		return "__" + string(name)
	}
	return string(name)
}
