package system

import (
	"context"
	"fmt"
	"io"
	"path"
	"strings"

	"github.com/limpet-sh/limpet/builtins"
	"github.com/limpet-sh/limpet/internal/pattern"
)

var dircolors = commands.Add(&builtins.Command{
	Name:     "dircolors",
	Synopsis: "[OPTION]... [FILE]",
	Summary:  "output commands to set the environment variable LS_COLORS",
	Run:      runDircolors,
})

// colorKinds has the keywords of the database for kinds of files, with the
// letters of LS_COLORS for them, and the color that the built-in database has.
var colorKinds = []struct{ keyword, letters, color string }{
	{"NORMAL", "no", ""}, {"NORM", "no", ""}, {"FILE", "fi", ""}, {"RESET", "rs", "0"}, {"DIR", "di", "01;34"},
	{"LNK", "ln", ""}, {"LINK", "ln", "01;36"}, {"SYMLINK", "ln", ""}, {"MULTIHARDLINK", "mh", "00"}, {"ORPHAN", "or", ""},
	{"MISSING", "mi", ""}, {"FIFO", "pi", "40;33"}, {"PIPE", "pi", ""}, {"SOCK", "so", "01;35"}, {"DOOR", "do", "01;35"},
	{"BLK", "bd", "40;33;01"}, {"BLOCK", "bd", ""}, {"CHR", "cd", "40;33;01"}, {"CHAR", "cd", ""}, {"ORPHAN", "or", "40;31;01"},
	{"MISSING", "mi", "00"}, {"EXEC", "ex", ""}, {"LEFT", "lc", ""}, {"LEFTCODE", "lc", ""}, {"RIGHT", "rc", ""},
	{"RIGHTCODE", "rc", ""}, {"END", "ec", ""}, {"ENDCODE", "ec", ""}, {"SUID", "su", ""}, {"SETUID", "su", "37;41"},
	{"SGID", "sg", ""}, {"SETGID", "sg", "30;43"}, {"CAPABILITY", "ca", "00"}, {"STICKY_OTHER_WRITABLE", "tw", "30;42"},
	{"OTHER_WRITABLE", "ow", "34;42"}, {"STICKY", "st", "37;44"}, {"EXEC", "ex", "01;32"},
}

// colorNames has the ends of names that the built-in database colors.
var colorNames = []struct{ color, names string }{
	{"01;31", ".tar .tgz .arc .arj .taz .lha .lz4 .lzh .lzma .tlz .txz .tzo .t7z .zip .z .dz .gz .lrz .lz .lzo .xz .zst .tzst .bz2 .bz " +
		".tbz .tbz2 .tz .deb .rpm .jar .war .ear .sar .rar .alz .ace .zoo .cpio .7z .rz .cab .wim .swm .dwm .esd"},
	{"01;35", ".avif .jpg .jpeg .mjpg .mjpeg .gif .bmp .pbm .pgm .ppm .tga .xbm .xpm .tif .tiff .png .svg .svgz .mng .pcx .mov .mpg .mpeg " +
		".m2v .mkv .webm .webp .ogm .mp4 .m4v .mp4v .vob .qt .nuv .wmv .asf .rm .rmvb .flc .avi .fli .flv .gl .dl .xcf .xwd .yuv .cgm " +
		".emf .ogv .ogx"},
	{"00;36", ".aac .au .flac .m4a .mid .midi .mka .mp3 .mpc .ogg .ra .wav .oga .opus .spx .xspf"},
	{"00;90", "*~ *# .bak .old .orig .part .rej .swp .tmp .dpkg-dist .dpkg-old .ucf-dist .ucf-new .ucf-old .rpmnew .rpmorig .rpmsave"},
}

// colorTerms has the terminals for which the built-in database is.
const colorTerms = "Eterm ansi *color* con[0-9]*x[0-9]* cons25 console cygwin *direct* dtterm gnome hurd jfbterm konsole kterm linux " +
	"linux-c mlterm putty rxvt* screen* st terminator tmux* vt100 xterm*"

// colorDatabase returns the built-in database.
func colorDatabase() string {
	var b strings.Builder
	b.WriteString("# Colors of files for dircolors, which makes LS_COLORS of them.\nCOLORTERM ?*\n")
	for t := range strings.FieldsSeq(colorTerms) {
		b.WriteString("TERM " + t + "\n")
	}
	for _, k := range colorKinds {
		if k.color != "" {
			b.WriteString(k.keyword + " " + k.color + "\n")
		}
	}
	for _, list := range colorNames {
		for n := range strings.FieldsSeq(list.names) {
			b.WriteString(n + " " + list.color + "\n")
		}
	}
	return b.String()
}

func runDircolors(ctx context.Context, c *builtins.Call) error {
	var sh, csh, database, display bool
	f := c.Flags()
	f.Do("b,sh,bourne-shell", "output Bourne shell code", func() error { sh, csh = true, false; return nil })
	f.Do("c,csh,c-shell", "output C shell code", func() error { sh, csh = false, true; return nil })
	f.Bool(&database, "p,print-database", "output the default database")
	f.Bool(&display, "print-ls-colors", "output fully escaped colors for display")
	args, err := f.Parse()
	switch {
	case err != nil:
		return err
	case (database || display) && (sh || csh):
		return f.Fail(builtins.Usage("the options to output non shell syntax,\nand to select a shell syntax are mutually exclusive"))
	case database && display:
		return f.Fail(builtins.Usage("options --print-database and --print-ls-colors are mutually exclusive"))
	case database && len(args) > 0:
		return f.Fail(builtins.Usage("extra operand %s\nfile operands cannot be combined with --print-database (-p)", builtins.QuoteLocale(args[0])))
	case len(args) > 1:
		return f.Fail(builtins.Usage("extra operand %s", builtins.QuoteLocale(args[1])))
	case database:
		_, err := io.WriteString(c.Stdout, colorDatabase())
		return err
	}
	if !sh && !csh && !display {
		shell := c.Getenv("SHELL")
		if shell == "" {
			c.Warnf("no SHELL environment variable, and no shell type option given")
			return builtins.Exit(1)
		}
		csh = strings.HasSuffix(path.Base(shell), "csh")
	}
	d := &colorReader{call: c, term: c.Getenv("TERM"), colorTerm: c.Getenv("COLORTERM"), on: true, display: display}
	if d.term == "" {
		d.term = "none"
	}
	if err := d.readAll(args); err != nil {
		return err
	}
	if c.Failed() {
		return nil
	}
	return d.print(csh)
}

// A colorReader makes LS_COLORS of a database.
type colorReader struct {
	call            *builtins.Call
	term, colorTerm string
	name            string // of the file, for messages
	on              bool   // what follows is for this terminal
	inTerms         bool   // the last lines named terminals
	display         bool
	out             strings.Builder
}

func (d *colorReader) readAll(args []string) error {
	if len(args) == 0 {
		return d.read(strings.NewReader(colorDatabase()))
	}
	return d.call.EachInput(args, func(name string, r io.Reader) error {
		d.name = builtins.QuoteMaybe(name)
		return d.read(r)
	})
}

func (d *colorReader) read(r io.Reader) error {
	lines := d.call.Lines(r, '\n')
	defer lines.Close()
	for n := 1; ; n++ {
		b, err := lines.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if err := d.call.Alloc(2 * len(b)); err != nil {
			return err
		}
		d.line(n, string(b))
	}
}

// line reads a line: a keyword, a value and perhaps a comment.
func (d *colorReader) line(n int, text string) {
	keyword, value, _ := strings.Cut(strings.TrimLeft(text, " \t\n")+" ", " ")
	if i := strings.IndexAny(keyword, "\t\n"); i >= 0 {
		keyword, value = keyword[:i], keyword[i:]+" "+value
	}
	if keyword == "" || keyword[0] == '#' {
		return
	}
	value = strings.TrimSpace(value)
	if i := strings.Index(" "+value, " #"); i >= 0 {
		value = strings.TrimSpace(value[:max(i-1, 0)])
	}
	if value == "" {
		d.call.Warnf("%s:%d: invalid line;  missing second token", d.name, n)
		return
	}
	upper := strings.ToUpper(keyword)
	if upper == "TERM" || upper == "COLORTERM" {
		actual := d.term
		if upper == "COLORTERM" {
			actual = d.colorTerm
		}
		matched := pattern.Compile(value, 0).Match(actual)
		d.on = matched || d.inTerms && d.on
		d.inTerms = true
		return
	}
	d.inTerms = false
	known := d.entry(keyword, upper, value)
	if !known && d.on {
		d.call.Warnf("%s:%d: unrecognized keyword %s", d.name, n, keyword)
	}
}

// entry adds what a line says, and reports whether its keyword is one.
func (d *colorReader) entry(keyword, upper, value string) bool {
	name := ""
	switch {
	case keyword[0] == '.':
		name = "*" + keyword
	case keyword[0] == '*':
		name = keyword
	case upper == "OPTIONS", upper == "COLOR", upper == "EIGHTBIT":
		return true
	}
	for _, k := range colorKinds {
		if k.keyword == upper {
			name = k.letters
		}
	}
	switch {
	case name == "":
		return false
	case !d.on:
	case d.display:
		fmt.Fprintf(&d.out, "\x1b[%sm%s\t%s\x1b[0m\n", value, name, value)
	default:
		d.out.WriteString(colorEscape(name) + "=" + colorEscape(value) + ":")
	}
	return true
}

// colorEscape escapes what separates entries.
func colorEscape(s string) string {
	return strings.NewReplacer("'", `'\''`, ":", `\:`, "=", `\=`).Replace(s)
}

func (d *colorReader) print(csh bool) error {
	text := d.out.String()
	switch {
	case d.display:
	case csh:
		text = "setenv LS_COLORS '" + text + "'\n"
	default:
		text = "LS_COLORS='" + text + "';\nexport LS_COLORS\n"
	}
	_, err := io.WriteString(d.call.Stdout, text)
	return err
}
