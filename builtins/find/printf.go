package find

import (
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"
	"time"

	"github.com/limpet-sh/limpet/internal/filemode"
	"github.com/limpet-sh/limpet/internal/strftime"
	"github.com/limpet-sh/limpet/internal/walk"
	"github.com/limpet-sh/limpet/vfs"
)

// A segment is a part of a format of -printf: literal text, or a directive.
type segment struct {
	text      string // literal
	letter    byte   // of a directive; 0 for literal text
	kind      byte   // what follows A, B, C or T
	flags     string
	width     int
	precision int  // -1 where there is none
	stop      bool // print nothing after this
}

// formatTo takes a format and returns the action that prints with it.
func (p *parser) formatTo(o *output, name string) (test, error) {
	format, err := p.arg(name)
	if err != nil {
		return nil, err
	}
	segments, err := p.compile(format)
	if err != nil {
		return nil, err
	}
	f := p.finder
	return func(e *walk.Entry) bool {
		for _, s := range segments {
			if s.letter == 0 {
				o.WriteString(s.text)
			} else {
				o.WriteString(f.directive(s, e))
			}
			if s.stop {
				f.wrote(o, o.Flush())
				break
			}
		}
		if len(segments) > 0 {
			_, err := o.WriteString("")
			f.wrote(o, err)
		}
		return true
	}, nil
}

// escapes are the letters of escapes, and what they stand for.
const (
	escapeLetters = `abfnrtv\`
	escapeBytes   = "\a\b\f\n\r\t\v\\"
)

// compile takes a format apart.
func (p *parser) compile(format string) ([]segment, error) {
	var list []segment
	var text []byte
	flush := func() {
		if len(text) > 0 {
			list = append(list, segment{text: string(text)})
			text = nil
		}
	}
	for i := 0; i < len(format); {
		switch format[i] {
		case '\\':
			rest := format[i+1:]
			if strings.HasPrefix(rest, "c") {
				flush()
				return append(list, segment{stop: true}), nil
			}
			var n int
			text, n = p.escape(text, rest)
			i += 1 + n
		case '%':
			s, n, err := p.conversion(format[i+1:])
			if err != nil {
				return nil, err
			}
			i += 1 + n
			if s.letter == 0 {
				text = append(text, s.text...)
				continue
			}
			flush()
			list = append(list, s)
		default:
			text = append(text, format[i])
			i++
		}
	}
	flush()
	return list, nil
}

// escape appends what the escape rest, without its backslash, stands for, and
// returns its length.
func (p *parser) escape(text []byte, rest string) ([]byte, int) {
	if rest == "" {
		p.advise(`escape %s followed by nothing at all`, "`\\'")
		return append(text, '\\'), 0
	}
	if i := strings.IndexByte(escapeLetters, rest[0]); i >= 0 {
		return append(text, escapeBytes[i]), 1
	}
	n := 0
	for n < 3 && n < len(rest) && rest[n] >= '0' && rest[n] <= '7' {
		n++
	}
	if n > 0 {
		v, _ := strconv.ParseUint(rest[:n], 8, 16)
		return append(text, byte(v)), n
	}
	p.advise("unrecognized escape `\\%c'", rest[0])
	return append(text, '\\', rest[0]), 1
}

// conversion parses the directive rest, without its percent sign. It returns a
// literal segment for "%%" and for directives that there are not.
func (p *parser) conversion(rest string) (s segment, n int, err error) {
	if strings.HasPrefix(rest, "%") {
		return segment{text: "%"}, 1, nil
	}
	s.precision = -1
	for n < len(rest) && strings.IndexByte("-+ #0", rest[n]) >= 0 {
		n++
	}
	s.flags = rest[:n]
	number := func() (v int) {
		for ; n < len(rest) && rest[n] >= '0' && rest[n] <= '9'; n++ {
			v = min(v*10+int(rest[n]-'0'), 1<<16)
		}
		return v
	}
	s.width = number()
	if n < len(rest) && rest[n] == '.' {
		n++
		s.precision = number()
	}
	if n == len(rest) {
		return s, n, errors.New("error: % at end of format string")
	}
	s.letter = rest[n]
	n++
	switch {
	case strings.IndexByte("abcdDfFgGhHiklmMnpPsStuUyY", s.letter) >= 0:
		return s, n, nil
	case strings.IndexByte("ABCT", s.letter) >= 0:
		if n == len(rest) {
			return segment{text: "%" + rest[:n]}, n, nil
		}
		s.kind = rest[n]
		return s, n + 1, nil
	}
	p.advise("unrecognized format directive `%%%c'", s.letter)
	return segment{text: "%" + rest[:n]}, n, nil
}

// directive returns what a directive stands for.
func (f *finder) directive(s segment, e *walk.Entry) string {
	switch s.letter {
	case 'p':
		return s.pad(e.Path)
	case 'f':
		return s.pad(f.lastName(e))
	case 'h':
		return s.pad(directoryOf(e.Path))
	case 'H':
		return s.pad(f.root)
	case 'P':
		return s.pad(strings.TrimLeft(e.Path[len(f.root):], "/"))
	case 'd':
		return s.number("", strconv.Itoa(e.Depth))
	case 'y':
		return s.pad(string(typeLetter(e.Type())))
	case 'Y':
		return s.pad(f.targetType(e))
	case 'F':
		return s.pad(f.systemType(e))
	case 'l':
		if e.Type() != fs.ModeSymlink {
			return s.pad("")
		}
		target, err := f.c.FS.Readlink(e.Path)
		if err != nil {
			f.warnFile(e.Path, err)
		}
		return s.pad(target)
	}
	info, ok := f.info(e)
	if !ok {
		return ""
	}
	if s.kind != 0 || s.letter == 'a' || s.letter == 'c' || s.letter == 't' {
		return s.pad(f.time(s, info))
	}
	return f.status(s, info)
}

// status returns what a directive about the status of a file stands for.
func (f *finder) status(s segment, info fs.FileInfo) string {
	st := vfs.StatOf(info)
	switch s.letter {
	case 'b':
		return s.number("", strconv.FormatInt(st.Blocks, 10))
	case 'k':
		return s.number("", strconv.FormatInt((st.Blocks+1)/2, 10))
	case 'D':
		return s.number("", strconv.FormatUint(st.Dev, 10))
	case 'g':
		return s.pad(f.groupTable().Show(st.GID))
	case 'u':
		return s.pad(f.userTable().Show(st.UID))
	case 'G':
		return s.number("", strconv.Itoa(st.GID))
	case 'U':
		return s.number("", strconv.Itoa(st.UID))
	case 'i':
		return s.number("", strconv.FormatUint(st.Ino, 10))
	case 'n':
		return s.number("", strconv.FormatUint(st.Nlink, 10))
	case 's':
		return s.number("", strconv.FormatInt(info.Size(), 10))
	case 'M':
		return s.pad(filemode.Letters(filemode.Unix(info.Mode())))
	case 'm':
		prefix := ""
		if strings.Contains(s.flags, "#") && filemode.Bits(info.Mode()) != 0 {
			prefix = "0"
		}
		return s.number(prefix, strconv.FormatUint(uint64(filemode.Bits(info.Mode())), 8))
	}
	// S: how much of the file is no hole
	switch {
	case info.Size() != 0:
		return s.pad(strconv.FormatFloat(float64(st.Blocks)*512/float64(info.Size()), 'g', 6, 64))
	case st.Blocks == 0:
		return s.pad("1")
	}
	return s.pad("inf")
}

// pad cuts text to the precision and widens it to the width.
func (s segment) pad(text string) string {
	if s.precision >= 0 && s.precision < len(text) {
		text = text[:s.precision]
	}
	n := s.width - len(text)
	switch {
	case n <= 0:
		return text
	case strings.Contains(s.flags, "-"):
		return text + strings.Repeat(" ", n)
	}
	return strings.Repeat(" ", n) + text
}

// number is pad for digits: find prints them as text, whose flag 0 has no effect.
func (s segment) number(prefix, digits string) string {
	if s.letter == 'm' || s.letter == 'd' {
		// These two are printed as numbers.
		if n := s.width - len(prefix) - len(digits); n > 0 && strings.Contains(s.flags, "0") && !strings.Contains(s.flags, "-") {
			digits = strings.Repeat("0", n) + digits
		}
		if strings.Contains(s.flags, "+") && s.letter == 'd' {
			prefix = "+"
		}
	}
	return s.pad(prefix + digits)
}

// directoryOf returns what %h stands for.
func directoryOf(path string) string {
	i := strings.LastIndexByte(path, '/')
	switch {
	case i < 0:
		return "."
	case strings.Trim(path, "/") == "":
		return ""
	case i == len(path)-1:
		trimmed := strings.TrimRight(path, "/")
		if j := strings.LastIndexByte(trimmed, '/'); j >= 0 {
			return trimmed[:j]
		}
		return "."
	}
	return path[:i]
}

// lastName returns what %f stands for: the slashes that end an operand remain.
func (f *finder) lastName(e *walk.Entry) string {
	if e.Depth > 0 || e.Path == "/" {
		return e.Name()
	}
	trimmed := strings.TrimRight(e.Path, "/")
	return e.Path[strings.LastIndexByte(trimmed, '/')+1:]
}

func typeLetter(t fs.FileMode) byte {
	for letter, kind := range typeLetters {
		if kind == t {
			return letter
		}
	}
	return 'U'
}

// targetType returns the letter of the type of what a link leads to.
func (f *finder) targetType(e *walk.Entry) string {
	if e.Type() != fs.ModeSymlink {
		return string(typeLetter(e.Type()))
	}
	info, err := f.c.FS.Stat(e.Path)
	switch vfs.ErrnoOf(err) {
	case nil:
		return string(typeLetter(info.Mode().Type()))
	case vfs.ENOENT, vfs.ENOTDIR:
		return "N"
	case vfs.ELOOP:
		return "L"
	}
	return "?"
}

// time returns what a directive about a time stands for.
func (f *finder) time(s segment, info fs.FileInfo) string {
	t := info.ModTime()
	switch s.letter {
	case 'a', 'A':
		t = accessed(info)
	case 'c', 'C':
		t = changed(info)
	case 'B':
		t = born(info)
	}
	if t.IsZero() {
		return ""
	}
	local := t.In(f.zone)
	fraction := fmt.Sprintf(".%09d0", t.Nanosecond())
	switch s.kind {
	case 0:
		return local.Format("Mon Jan _2 15:04:05") + fraction + local.Format(" 2006")
	case '@':
		return strconv.FormatInt(t.Unix(), 10) + fraction
	case '+':
		return local.Format("2006-01-02+15:04:05") + fraction
	case 'S':
		return local.Format("05") + fraction
	case 'T', 'X':
		return local.Format("15:04:05") + fraction
	}
	if strings.IndexByte(timeKinds, s.kind) < 0 {
		return "%" + string(s.kind)
	}
	return f.strftime(s.kind, local)
}

// timeKinds are the conversions of strftime that -printf has.
const timeKinds = "aAbBcdDFgGhHIjklmMnprRstuUVwWxyYzZ"

func (f *finder) strftime(kind byte, t time.Time) string {
	b, _ := strftime.Format{}.Append(nil, "%"+string(kind), t)
	return string(b)
}
