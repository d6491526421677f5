package archive

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/limpet-sh/limpet/builtins"
	"github.com/limpet-sh/limpet/internal/dateparse"
	"github.com/limpet-sh/limpet/internal/regex"
	"github.com/limpet-sh/limpet/internal/zone"
)

// tarNames are the ways in which the names of members change.
type tarNames struct {
	absolute   bool
	strip      int
	null       bool
	verbatim   bool // -T reads names alone
	quoted     bool // and resolves escapes in them
	transforms []transformation
	told       map[string]bool // what has been said to be removed
}

// safe returns name without what would lead out of the directory: a slash at
// its start, and all up to its last "..". It says so the first time; what are
// "member names" or "hard link targets".
func (j *tarJob) safe(name, what string) string {
	if j.names.absolute {
		return name
	}
	end := 0
	for i := 0; i+2 <= len(name); i++ {
		if name[i:i+2] == ".." && (i == 0 || name[i-1] == '/') && (i+2 == len(name) || name[i+2] == '/') {
			end = i + 2
		}
	}
	for end < len(name) && name[end] == '/' {
		end++
	}
	if end == 0 {
		return name
	}
	key := name[:end] + what
	if !j.names.told[key] {
		if j.names.told == nil {
			j.names.told = map[string]bool{}
		}
		j.names.told[key] = true
		j.note("Removing leading `%s' from %s", name[:end], what)
	}
	if name = name[end:]; name == "" {
		return "."
	}
	return name
}

// stripped returns name without its first components, and false where nothing
// is left of it.
func (n *tarNames) stripped(name string) (string, bool) {
	for range n.strip {
		_, rest, ok := strings.Cut(strings.TrimLeft(name, "/"), "/")
		if !ok {
			return "", false
		}
		name = strings.TrimLeft(rest, "/")
	}
	return name, strings.Trim(name, "/") != ""
}

// changed returns name as the transformations make it.
func (j *tarJob) changed(name string) (string, error) {
	for i := range j.names.transforms {
		var err error
		if name, err = j.names.transforms[i].apply(j.call, name); err != nil {
			return name, err
		}
	}
	return name, nil
}

// A transformation is an expression s/regexp/replacement/flags.
type transformation struct {
	re          *regex.Regexp
	replacement string
	global      bool
	number      int // of the match to replace, from 1 on
}

// transform adds the expressions of --transform, which semicolons separate.
func (n *tarNames) transform(text string) error {
	bad := builtins.Usage("Invalid transform expression")
	for text != "" {
		if len(text) < 2 || text[0] != 's' {
			return bad
		}
		delim := text[1]
		re, rest, ok := cutUnescaped(text[2:], delim)
		replacement, rest, ok2 := cutUnescaped(rest, delim)
		if !ok || !ok2 {
			return bad
		}
		flags, rest, _ := strings.Cut(rest, ";")
		t := transformation{replacement: replacement, number: 1}
		dialect, options := regex.Basic, regex.Flags(0)
		for i := 0; i < len(flags); i++ {
			switch c := flags[i]; {
			case c == 'g':
				t.global = true
			case c == 'i':
				options |= regex.IgnoreCase
			case c == 'x':
				dialect = regex.Extended
			case c >= '1' && c <= '9':
				t.number = int(c - '0')
			case strings.IndexByte("rRsShH", c) >= 0: // members, symbolic and hard links: all are changed
			default:
				return builtins.Usage("Unknown flag in transform expression: %c", c)
			}
		}
		compiled, err := regex.Compile(re, dialect, options)
		if err != nil {
			return builtins.Usage("Invalid transform expression: %v", err)
		}
		t.re = compiled
		n.transforms = append(n.transforms, t)
		text = rest
	}
	return nil
}

// cutUnescaped cuts s at the first delim that no backslash precedes.
func cutUnescaped(s string, delim byte) (before, after string, ok bool) {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == delim:
			return b.String(), s[i+1:], true
		case s[i] == '\\' && i+1 < len(s):
			if s[i+1] != delim {
				b.WriteByte('\\')
			}
			i++
		}
		b.WriteByte(s[i])
	}
	return b.String(), "", false
}

// apply returns name with the matches replaced.
func (t *transformation) apply(c *builtins.Call, name string) (string, error) {
	m := t.re.Matcher(c)
	defer m.Close()
	text := []byte(name)
	var out []byte
	last := 0
	for from, n := 0, 1; from <= len(text); n++ {
		g := m.Submatches(text, from)
		if g == nil {
			break
		}
		if n >= t.number {
			out = append(out, text[last:g[0]]...)
			out = t.expand(out, text, g)
			last = g[1]
			if !t.global {
				break
			}
		}
		if from = g[1]; g[0] == g[1] {
			from++
		}
	}
	return string(append(out, text[last:]...)), m.Err()
}

// expand appends the replacement of a match.
func (t *transformation) expand(dst, text []byte, groups []int) []byte {
	fold := func(b []byte) []byte { return b }
	for i := 0; i < len(t.replacement); i++ {
		c := t.replacement[i]
		if c == '\\' && i+1 < len(t.replacement) {
			i++
			switch d := t.replacement[i]; {
			case d >= '0' && d <= '9':
				dst = append(dst, fold(group(text, groups, int(d-'0')))...)
			case d == 'U':
				fold = bytes.ToUpper
			case d == 'L':
				fold = bytes.ToLower
			case d == 'E':
				fold = func(b []byte) []byte { return b }
			case d == 'n':
				dst = append(dst, '\n')
			default:
				dst = append(dst, d)
			}
			continue
		}
		if c == '&' {
			dst = append(dst, fold(group(text, groups, 0))...)
			continue
		}
		dst = append(dst, fold([]byte{c})...)
	}
	return dst
}

func group(text []byte, groups []int, n int) []byte {
	if 2*n+1 >= len(groups) || groups[2*n] < 0 {
		return nil
	}
	return text[groups[2*n]:groups[2*n+1]]
}

// filesFrom adds the names in a file to the operands.
func (j *tarJob) filesFrom(name string, null *bool) error {
	j.fileLists = true
	delim := byte('\n')
	if *null {
		delim = 0
	}
	var err error
	readErr := j.eachLine(name, delim, func(line string) {
		if len(j.listed) > 0 {
			err = cmp.Or(err, j.listedOptions())
		}
		if *null {
			j.operand(line)
			return
		}
		if strings.HasPrefix(line, "-") && !j.names.verbatim {
			j.listed = append(j.listed, strings.Fields(line)...)
			return
		}
		j.operand(j.unquoted(line))
	})
	if len(j.listed) > 0 {
		err = cmp.Or(err, j.listedOptions())
	}
	return cmp.Or(readErr, err)
}

// listedOptions takes the options that a line of -T has been found to be.
func (j *tarJob) listedOptions() error {
	c := j.call
	args := c.Args
	defer func() { c.Args = args }()
	c.Args, j.listed = j.listed, nil
	rest, err := j.flags.Parse()
	for _, name := range rest {
		j.operand(name)
	}
	return err
}

func (j *tarJob) excludeFrom(name string) error { return j.eachLine(name, '\n', j.selection.exclude) }

// eachLine calls do for each line of a file that is not empty.
func (j *tarJob) eachLine(name string, delim byte, do func(string)) error {
	in := j.call.Stdin
	if name != "-" {
		f, err := j.view.Open(name)
		if err != nil {
			return j.finish(j.fatal("%s: Cannot open: %v", name, openError(err)))
		}
		defer f.Close()
		in = f
	}
	lines := j.call.Lines(in, delim)
	defer lines.Close()
	for {
		line, err := lines.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if line, _ = builtins.TrimDelim(line, delim); len(line) > 0 {
			do(string(line))
		}
	}
}

// date reads the value of --mtime and its kin: a date, or a file whose time
// counts if it begins with / or a dot.
func (j *tarJob) date(text string) (*time.Time, error) {
	if strings.HasPrefix(text, "/") || strings.HasPrefix(text, ".") {
		info, err := j.view.Stat(text)
		if err != nil {
			return nil, j.finish(j.fatal("%s: Cannot stat: %v", text, openError(err)))
		}
		t := info.ModTime()
		return &t, nil
	}
	now := j.call.Clock.Now().In(zone.Load(j.call.Getenv("TZ")))
	if t, ok := dateparse.Parse(text, now); ok {
		return &t, nil
	}
	j.note("Substituting -9223372036854775808 for unknown date format %s", builtins.QuoteLocale(text))
	t := time.Unix(0, 0)
	return &t, nil
}

// shownName returns name as listings show it: with an escape for what cannot
// be printed.
func shownName(name string) string {
	if strings.IndexFunc(name, func(r rune) bool { return r < ' ' || r == '\\' || r == 0x7f }) < 0 {
		return name
	}
	var b strings.Builder
	for i := range len(name) {
		c := name[i]
		switch k := strings.IndexByte("\a\b\t\n\v\f\r\\", c); {
		case k >= 0:
			b.WriteByte('\\')
			b.WriteByte(`abtnvfr\`[k])
		case c < ' ' || c == 0x7f:
			fmt.Fprintf(&b, `\%03s`, strconv.FormatUint(uint64(c), 8))
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}
