package file

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"github.com/limpet-sh/limpet/builtins"
	"github.com/limpet-sh/limpet/internal/filemode"
	"github.com/limpet-sh/limpet/vfs"
)

// lsColors are the colors of names: escape sequences by the two letters of
// LS_COLORS, and by the ends of names.
type lsColors struct {
	codes      map[string]string
	ends       []lsEnd
	likeTarget bool // links have the color of what they lead to
	used       bool
}

// An lsEnd is the color of the names with an ending.
type lsEnd struct{ end, code string }

// defaultColors are those that LS_COLORS leaves open.
var defaultColors = map[string]string{
	"lc": "\x1b[", "rc": "m", "ec": "", "rs": "0", "no": "", "fi": "", "di": "01;34", "ln": "01;36", "pi": "33",
	"so": "01;35", "bd": "01;33", "cd": "01;33", "mi": "", "or": "", "ex": "01;32", "do": "01;35", "su": "37;41",
	"sg": "30;43", "st": "37;44", "ow": "34;42", "tw": "30;42", "ca": "30;41", "mh": "", "cl": "\x1b[K",
}

// colorTerminals are patterns of the values of TERM that stand for a terminal
// with colors.
var colorTerminals = []string{
	"Eterm", "ansi", "*color*", "con[0-9]*x[0-9]*", "cons25", "console", "cygwin", "*direct*", "dtterm", "gnome", "hurd",
	"jfbterm", "konsole", "kterm", "linux", "linux-c", "mlterm", "putty", "rxvt*", "screen*", "st", "terminator", "tmux*",
	"vt100", "xterm*",
}

// newColors reads LS_COLORS. It returns nil where names are not to be colored.
func (l *lister) newColors() *lsColors {
	if !l.color {
		return nil
	}
	cl := &lsColors{codes: map[string]string{}}
	for k, v := range defaultColors {
		cl.codes[k] = v
	}
	env := l.c.Getenv("LS_COLORS")
	if env == "" {
		if l.c.Getenv("COLORTERM") == "" && !hasColors(l.c.Getenv("TERM")) {
			return nil
		}
		return cl
	}
	if err := cl.parse(env); err != nil {
		l.complainColors(err)
		return nil
	}
	if cl.codes["ln"] == "target" {
		cl.likeTarget = true
	}
	return cl
}

func hasColors(term string) bool {
	for _, p := range colorTerminals {
		if ok, _ := path.Match(p, term); ok {
			return true
		}
	}
	return false
}

func (l *lister) complainColors(err error) {
	if prefix, ok := errors.AsType[badPrefix](err); ok {
		fmt.Fprintf(l.c.Stderr, "%s: unrecognized prefix: %s\n", l.c.Name, builtins.QuoteLocale(string(prefix)))
	}
	fmt.Fprintf(l.c.Stderr, "%s: unparsable value for LS_COLORS environment variable\n", l.c.Name)
}

// A badPrefix is two letters of LS_COLORS that mean nothing.
type badPrefix string

func (badPrefix) Error() string { return "unrecognized prefix" }

var errUnparsable = errors.New("unparsable")

// parse reads the value of LS_COLORS.
func (cl *lsColors) parse(s string) error {
	for s != "" {
		if s[0] == ':' {
			s = s[1:]
			continue
		}
		end := s[0] == '*'
		if end {
			s = s[1:]
		}
		key, rest, err := unescapeColor(s, "=")
		if err != nil || !strings.HasPrefix(rest, "=") {
			return errUnparsable
		}
		value, rest, err := unescapeColor(rest[1:], ":")
		if err != nil {
			return err
		}
		s = rest
		if end {
			cl.ends = append(cl.ends, lsEnd{key, value})
			continue
		}
		if _, ok := defaultColors[key]; !ok {
			return badPrefix(key)
		}
		cl.codes[key] = value
	}
	return nil
}

// unescapeColor decodes s up to one of the bytes of stop, which it leaves in
// rest.
func unescapeColor(s, stop string) (text, rest string, err error) {
	var b []byte
	for i := 0; ; {
		switch {
		case i == len(s) || strings.IndexByte(stop, s[i]) >= 0:
			return string(b), s[i:], nil
		case s[i] == '^' && i+1 < len(s):
			if b = append(b, s[i+1]&0o37); s[i+1] == '?' {
				b[len(b)-1] = 127
			}
			i += 2
		case s[i] == '\\' && i+1 < len(s):
			var n int
			if b, n = colorEscape(b, s[i+1:]); n == 0 {
				return "", "", errUnparsable
			}
			i += 1 + n
		case s[i] == '^' || s[i] == '\\':
			return "", "", errUnparsable
		default:
			b = append(b, s[i])
			i++
		}
	}
}

// colorEscape appends what the escape s, without its backslash, stands for, and
// returns its length.
func colorEscape(b []byte, s string) ([]byte, int) {
	const from, to = "abefnrtv?_", "\a\b\x1b\f\n\r\t\v\x7f "
	if i := strings.IndexByte(from, s[0]); i >= 0 {
		return append(b, to[i]), 1
	}
	base, n := byte(0), 0
	switch {
	case s[0] >= '0' && s[0] <= '7':
		base = 8
	case s[0] == 'x' || s[0] == 'X':
		base, n = 16, 1
	default:
		return append(b, s[0]), 1
	}
	v := byte(0)
	for ; n < len(s); n++ {
		d := strings.IndexByte("0123456789abcdef", s[n]|0x20)
		if s[n] >= '0' && s[n] <= '9' {
			d = int(s[n] - '0')
		}
		if d < 0 || d >= int(base) {
			break
		}
		v = v*base + byte(d)
	}
	return append(b, v), n
}

// has reports whether files of a kind have a color of their own.
func (cl *lsColors) has(key string) bool {
	code := cl.codes[key]
	return code != "" && strings.Trim(code, "0") != ""
}

// wantTargets reports whether colors depend on what symbolic links lead to.
func (cl *lsColors) wantTargets(format lsFormat) bool {
	return cl != nil && (cl.has("or") || cl.has("ex") && cl.likeTarget || cl.has("mi") && format == lsLong)
}

// of returns the color of a name.
func (cl *lsColors) of(f *lsFile) string {
	if f.info == nil {
		return cl.codes[kindColor(f.kind)]
	}
	info := f.info
	if cl.likeTarget && f.targetInfo != nil {
		info = f.targetInfo
	}
	key := cl.key(info)
	if key == "ln" && f.dangling && (cl.likeTarget || cl.has("or")) {
		key = "or"
	}
	return cl.code(key, f.name)
}

// ofTarget returns the color of the name that a link has as its text.
func (cl *lsColors) ofTarget(f *lsFile) string {
	if f.targetInfo == nil {
		if cl.has("mi") {
			return cl.codes["mi"]
		}
		return cl.codes["or"]
	}
	return cl.code(cl.key(f.targetInfo), f.target)
}

func (cl *lsColors) code(key, name string) string {
	if key == "fi" {
		for i := len(cl.ends) - 1; i >= 0; i-- {
			if e := cl.ends[i]; strings.HasSuffix(name, e.end) {
				return e.code
			}
		}
	}
	return cl.codes[key]
}

// key returns the letters of LS_COLORS for a file.
func (cl *lsColors) key(info fs.FileInfo) string {
	bits := filemode.Bits(info.Mode())
	switch {
	case info.Mode().IsRegular():
		switch {
		case bits&filemode.SetUID != 0 && cl.has("su"):
			return "su"
		case bits&filemode.SetGID != 0 && cl.has("sg"):
			return "sg"
		case bits&0o111 != 0 && cl.has("ex"):
			return "ex"
		case vfs.StatOf(info).Nlink > 1 && cl.has("mh"):
			return "mh"
		}
	case info.IsDir():
		switch {
		case bits&filemode.Sticky != 0 && bits&0o002 != 0 && cl.has("tw"):
			return "tw"
		case bits&0o002 != 0 && cl.has("ow"):
			return "ow"
		case bits&filemode.Sticky != 0 && cl.has("st"):
			return "st"
		}
	}
	return kindColor(info.Mode().Type())
}

func kindColor(kind fs.FileMode) string {
	switch kind {
	case 0:
		return "fi"
	case fs.ModeDir:
		return "di"
	case fs.ModeSymlink:
		return "ln"
	case fs.ModeNamedPipe:
		return "pi"
	case fs.ModeSocket:
		return "so"
	case fs.ModeDevice:
		return "bd"
	case fs.ModeDevice | fs.ModeCharDevice:
		return "cd"
	}
	return "or"
}

// paint prints a name, which begins in a column of the line and takes so many,
// in a color.
func (l *lister) paint(code, name string, at, width int) {
	if code == "" && !l.colors.has("no") {
		l.out.WriteString(name)
		return
	}
	cl := l.colors.codes
	if !l.colors.used {
		l.colors.used = true
		l.out.WriteString(l.colors.reset())
	}
	if code == "" {
		code = cl["no"]
	}
	l.out.WriteString(cl["lc"] + code + cl["rc"] + name + l.colors.reset())
	if l.width > 0 && at/l.width != (at+width-1)/l.width {
		l.out.WriteString(cl["cl"])
	}
}

// reset returns what ends a color.
func (cl *lsColors) reset() string {
	if end := cl.codes["ec"]; end != "" {
		return end
	}
	return cl.codes["lc"] + cl.codes["rs"] + cl.codes["rc"]
}

// endColors leaves the terminal as it was.
func (l *lister) endColors() {
	if l.colors == nil || !l.colors.used {
		return
	}
	if cl := l.colors.codes; cl["lc"] != "\x1b[" || cl["rc"] != "m" {
		l.out.WriteString(l.colors.reset())
	}
}
