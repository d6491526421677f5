package file

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/limpet-sh/limpet/internal/filemode"
	"github.com/limpet-sh/limpet/internal/strftime"
	"github.com/limpet-sh/limpet/internal/wchar"
	"github.com/limpet-sh/limpet/vfs"
)

// lines are the pieces that connect a tree: for a level that goes on, for an
// entry, for the last entry.
type lines struct{ more, entry, last string }

var (
	utf8Lines  = lines{"│\u00a0\u00a0 ", "├── ", "└── "}
	asciiLines = lines{"|   ", "|-- ", "`-- "}
)

func (t *treeLister) lines() lines {
	if s := strings.ToUpper(t.charset); s == "UTF-8" || s == "UTF8" {
		return utf8Lines
	}
	return asciiLines
}

// A treeStep is a directory of which some entries have been printed.
type treeStep struct {
	rest   []*treeNode
	indent string // of the entries
}

// print prints root and what is below it.
func (t *treeLister) print(root *treeNode) error {
	t.line("", root)
	draw := t.lines()
	stack := []treeStep{{rest: root.children}}
	for len(stack) > 0 {
		if err := t.c.Poll(1); err != nil {
			return err
		}
		top := &stack[len(stack)-1]
		if len(top.rest) == 0 {
			stack = stack[:len(stack)-1]
			continue
		}
		n := top.rest[0]
		top.rest = top.rest[1:]
		lead, below := draw.entry, draw.more
		if len(top.rest) == 0 {
			lead, below = draw.last, "    "
		}
		if err := t.line(top.indent+lead, n); err != nil {
			return err
		}
		if len(n.children) > 0 {
			stack = append(stack, treeStep{n.children, top.indent + below})
		}
	}
	return nil
}

// line prints the line of n.
func (t *treeLister) line(indent string, n *treeNode) error {
	t.count(n)
	if t.noIndent {
		indent = ""
	}
	facts := t.facts(n)
	if facts != "" {
		facts = "[" + facts[1:] + "]  "
	}
	if t.metaFirst {
		indent, facts = facts+indent, ""
	}
	t.out.WriteString(indent + facts)
	t.out.WriteString(t.shown(t.label(n)))
	if n.info != nil && t.classify && !n.isLink {
		t.out.WriteString(mark(n.info.Mode()))
	}
	if n.isLink {
		t.out.WriteString(" -> " + t.shown(n.target))
		if t.classify && n.targetInfo != nil {
			t.out.WriteString(mark(n.targetInfo.Mode()))
		}
	}
	if n.problem != "" {
		t.out.WriteString("  [" + n.problem + "]")
	}
	if err := t.out.WriteByte('\n'); err != nil {
		return writeError(err)
	}
	return nil
}

// label returns the name under which n is shown.
func (t *treeLister) label(n *treeNode) string {
	if t.fullPaths {
		return n.path
	}
	return n.name
}

// mark returns the character of -F.
func mark(mode fs.FileMode) string {
	switch {
	case mode.IsDir():
		return "/"
	case mode.Type() == fs.ModeSocket:
		return "="
	case mode.Type() == fs.ModeNamedPipe:
		return "|"
	case mode.IsRegular() && filemode.Bits(mode)&0o111 != 0:
		return "*"
	}
	return ""
}

// facts returns what the options want to be told of n, each with a space before
// it.
func (t *treeLister) facts(n *treeNode) string {
	if n.info == nil {
		return ""
	}
	st := vfs.StatOf(n.info)
	var b strings.Builder
	if t.inode {
		fmt.Fprintf(&b, " %7d", st.Ino)
	}
	if t.device {
		fmt.Fprintf(&b, " %3d", st.Dev)
	}
	if t.perms {
		b.WriteString(" " + filemode.Letters(filemode.Unix(n.info.Mode())))
	}
	if t.user {
		fmt.Fprintf(&b, " %-8.32s", t.users.Show(st.UID))
	}
	if t.group {
		fmt.Fprintf(&b, " %-8.32s", t.groups.Show(st.GID))
	}
	if t.size {
		b.WriteString(t.sizeText(n.size))
	}
	if t.date {
		b.WriteString(" " + t.dateText(n))
	}
	return b.String()
}

// sizeText returns a size with the spaces before it.
func (t *treeLister) sizeText(n int64) string {
	if !t.human && !t.si {
		return fmt.Sprintf(" %11d", n)
	}
	base, letters := 1024.0, " KMGTPEZY"
	if t.si {
		base, letters = 1000, " kMGTPEZY"
	}
	v, power := float64(n), 0
	for v >= base && power < len(letters)-1 {
		v /= base
		power++
	}
	switch {
	case power == 0:
		return fmt.Sprintf(" %4d", n)
	case v >= 10:
		return fmt.Sprintf(" %3.0f%c", v, letters[power])
	}
	return fmt.Sprintf(" %3.1f%c", v, letters[power])
}

func (t *treeLister) dateText(n *treeNode) string {
	at := n.info.ModTime()
	if t.ctime {
		at = vfs.StatOf(n.info).Ctime
	}
	at = at.In(t.zone)
	if t.timeFormat != "" {
		b, _ := strftime.Format{}.Append(nil, t.timeFormat, at)
		return string(b)
	}
	const halfYear = 6 * 31 * 24 * 60 * 60 * time.Second
	if at.After(t.now) || at.Before(t.now.Add(-halfYear)) {
		return at.Format("Jan _2  2006")
	}
	return at.Format("Jan _2 15:04")
}

// shown returns a name as it is printed: what cannot be shown as an escape.
func (t *treeLister) shown(s string) string {
	if t.raw {
		return s
	}
	var b strings.Builder
	if t.quoteNames {
		b.WriteByte('"')
	}
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case (r != utf8.RuneError || n > 1) && wchar.IsPrint(r):
			if t.quoteNames && (r == '"' || r == '\\') {
				b.WriteByte('\\')
			}
			b.WriteString(s[i : i+n])
		case t.question:
			b.WriteByte('?')
		default:
			for _, c := range []byte(s[i : i+n]) {
				fmt.Fprintf(&b, `\%03o`, c)
			}
		}
		i += n
	}
	if t.quoteNames {
		b.WriteByte('"')
	}
	return b.String()
}

// newline returns what ends a line of -J.
func (t *treeLister) newline() string {
	if t.noIndent {
		return ""
	}
	return "\n"
}

// indentJSON returns the indentation of a level of -J.
func (t *treeLister) indentJSON(level int) string {
	if t.noIndent {
		return ""
	}
	return strings.Repeat("  ", level+1)
}

// printJSON prints root and what is below it as JSON. more says that another
// tree follows.
func (t *treeLister) printJSON(root *treeNode, more bool) error {
	type step struct {
		node *treeNode
		rest []*treeNode
	}
	var stack []step
	open := func(n *treeNode, last bool) {
		t.count(n)
		t.out.WriteString(t.indentJSON(len(stack)) + t.object(n))
		switch {
		case len(n.children) > 0:
			t.out.WriteString(`,"contents":[` + t.newline())
			stack = append(stack, step{n, n.children})
			return
		case n.problem != "":
			fmt.Fprintf(t.out, `,"contents":[{"error": "%s"}]`, n.problem)
		}
		t.out.WriteString("}" + comma(!last) + t.newline())
	}
	open(root, !more)
	for len(stack) > 0 {
		if err := t.c.Poll(1); err != nil {
			return err
		}
		top := &stack[len(stack)-1]
		if len(top.rest) > 0 {
			n := top.rest[0]
			top.rest = top.rest[1:]
			open(n, len(top.rest) == 0)
			continue
		}
		stack = stack[:len(stack)-1]
		follows := more
		if len(stack) > 0 {
			follows = len(stack[len(stack)-1].rest) > 0
		}
		if _, err := t.out.WriteString(t.indentJSON(len(stack)) + "]}" + comma(follows) + t.newline()); err != nil {
			return writeError(err)
		}
	}
	return nil
}

func comma(needed bool) string {
	if needed {
		return ","
	}
	return ""
}

// object returns the members of n for -J, without the end.
func (t *treeLister) object(n *treeNode) string {
	var b strings.Builder
	member := func(name, value string) { fmt.Fprintf(&b, `,"%s":%s`, name, value) }
	fmt.Fprintf(&b, `{"type":"%s"`, jsonType(n.info))
	member("name", jsonText(t.label(n)))
	if n.info == nil {
		return b.String()
	}
	st := vfs.StatOf(n.info)
	if n.isLink {
		member("target", jsonText(n.target))
	}
	if t.inode {
		member("inode", strconv.FormatUint(st.Ino, 10))
	}
	if t.device {
		member("dev", strconv.FormatUint(st.Dev, 10))
	}
	if t.perms {
		member("mode", fmt.Sprintf(`"%04o"`, filemode.Bits(n.info.Mode())))
		member("prot", `"`+filemode.Letters(filemode.Unix(n.info.Mode()))+`"`)
	}
	if t.user {
		member("user", jsonText(t.users.Show(st.UID)))
	}
	if t.group {
		member("group", jsonText(t.groups.Show(st.GID)))
	}
	switch size := strings.TrimSpace(t.sizeText(n.size)); {
	case !t.size:
	case t.human || t.si:
		member("size", `"`+size+`"`)
	default:
		member("size", size)
	}
	if t.date {
		member("time", jsonText(t.dateText(n)))
	}
	return b.String()
}

func jsonType(info fs.FileInfo) string {
	if info == nil {
		return "unknown"
	}
	switch filemode.TypeLetter(filemode.Unix(info.Mode())) {
	case 'd':
		return "directory"
	case 'l':
		return "link"
	case 'p':
		return "fifo"
	case 's':
		return "socket"
	case 'b':
		return "block"
	case 'c':
		return "char"
	}
	return "file"
}

// jsonText returns s as a string of JSON. Bytes that are no characters pass
// unchanged.
func jsonText(s string) string {
	b := []byte{'"'}
	for i := range len(s) {
		switch c := s[i]; {
		case c == '"' || c == '\\':
			b = append(b, '\\', c)
		case c < ' ':
			escaped, _ := json.Marshal(string(c))
			b = append(b, escaped[1:len(escaped)-1]...)
		default:
			b = append(b, c)
		}
	}
	return string(append(b, '"'))
}

// reportJSON prints the totals, and ends the list.
func (t *treeLister) reportJSON() {
	if !t.noReport {
		lead := "\n  "
		if t.noIndent {
			lead = ""
		}
		t.out.WriteString("," + lead + `{"type":"report"`)
		if t.du {
			fmt.Fprintf(t.out, `,"size":%d`, t.bytes)
		}
		fmt.Fprintf(t.out, `,"directories":%d`, t.dirs)
		if !t.dirsOnly {
			fmt.Fprintf(t.out, `,"files":%d`, t.files)
		}
		t.out.WriteString("}")
	}
	t.out.WriteString(t.newline() + "]\n")
}
