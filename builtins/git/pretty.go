package git

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/limpet-sh/limpet/internal/strftime"
)

// A style says how a commit is shown.
type style struct {
	name       string // oneline, short, medium, full, fuller, reference, raw or user
	format     string // of user
	terminator bool   // a newline ends each commit, rather than stand between them
	shortNames bool   // of commits
	date       string
	decorate   string // "", short or full
	named      map[hash][]string
	marks      bool // commits are marked with their side
}

// setFormat sets the style by the value of --format or --pretty.
func (s *style) setFormat(text string) error {
	switch text {
	case "oneline":
		s.name = text
	case "short", "medium", "full", "fuller", "raw", "reference":
		s.name = text
	case "":
		s.name = "medium"
	default:
		s.name = "user"
		if rest, ok := strings.CutPrefix(text, "format:"); ok {
			s.format = rest
			return nil
		}
		rest, ok := strings.CutPrefix(text, "tformat:")
		if !ok && !strings.Contains(text, "%") {
			return fatalf("invalid --pretty format: %s", text)
		}
		s.format, s.terminator = rest, true
	}
	return nil
}

// decorations returns the names that commits have, as --decorate shows them.
func (g *git) decorations(full bool) (map[hash][]string, error) {
	names := map[hash][]string{}
	list, err := g.refs("refs/")
	if err != nil {
		return nil, err
	}
	head := g.head()
	short := func(name string) string {
		if full {
			return name
		}
		for _, prefix := range []string{"refs/heads/", "refs/remotes/", "refs/tags/"} {
			if rest, ok := strings.CutPrefix(name, prefix); ok {
				return rest
			}
		}
		return name
	}
	if h, ok := g.lookup("HEAD"); ok {
		if head == "" {
			names[h] = append(names[h], "HEAD")
		} else {
			names[h] = append(names[h], "HEAD -> "+short(head))
		}
	}
	for _, r := range slices.Backward(list) {
		h, _, err := g.objects.peel(r.hash)
		switch {
		case err != nil || r.name == head:
		case strings.HasPrefix(r.name, "refs/tags/"):
			names[h] = append(names[h], "tag: "+short(r.name))
		default:
			names[h] = append(names[h], short(r.name))
		}
	}
	return names, nil
}

// names returns the decoration of a commit, with a blank before it.
func (s *style) names(h hash) string {
	if s.decorate == "" || len(s.named[h]) == 0 {
		return ""
	}
	return " (" + strings.Join(s.named[h], ", ") + ")"
}

// show returns a commit as text, without a newline at the end for user formats and
// with one for the others. mark is the side of a symmetric range.
func (g *git) showCommit(s *style, c *commit, mark string) string {
	name := c.hash.String()
	if s.shortNames {
		name = g.abbrev(c.hash)
	}
	switch s.name {
	case "user":
		return g.expand(s, c, s.format, mark)
	case "oneline":
		return mark + name + s.names(c.hash) + " " + subjectOf(c.message) + "\n"
	case "reference":
		return g.abbrev(c.hash) + " (" + subjectOf(c.message) + ", " + g.formatDate(c.author.when, "short") + ")\n"
	}
	var b strings.Builder
	b.WriteString("commit " + mark + name + s.names(c.hash) + "\n")
	if s.name == "raw" {
		content := string(c.format())
		header, _, _ := strings.Cut(content, "\n\n")
		b.WriteString(header + "\n")
	} else if len(c.parents) > 1 {
		b.WriteString("Merge:")
		for _, p := range c.parents {
			b.WriteString(" " + g.abbrev(p))
		}
		b.WriteByte('\n')
	}
	person := func(label string, sig signature) {
		fmt.Fprintf(&b, "%s%s <%s>\n", label, sig.name, sig.email)
	}
	switch s.name {
	case "short":
		person("Author: ", c.author)
	case "medium":
		person("Author: ", c.author)
		b.WriteString("Date:   " + g.formatDate(c.author.when, s.date) + "\n")
	case "full":
		person("Author: ", c.author)
		person("Commit: ", c.committer)
	case "fuller":
		person("Author:     ", c.author)
		b.WriteString("AuthorDate: " + g.formatDate(c.author.when, s.date) + "\n")
		person("Commit:     ", c.committer)
		b.WriteString("CommitDate: " + g.formatDate(c.committer.when, s.date) + "\n")
	}
	b.WriteByte('\n')
	message := c.message
	if s.name == "short" {
		message = subjectOf(message)
	}
	b.WriteString(indentMessage(message))
	return b.String()
}

// indentMessage returns a message with four blanks before each line.
func indentMessage(message string) string {
	message = strings.TrimRight(strings.TrimLeft(message, "\n"), "\n")
	if message == "" {
		return ""
	}
	var b strings.Builder
	for line := range strings.SplitSeq(message, "\n") {
		b.WriteString("    " + expandTabs(strings.TrimRight(line, " \t\r")) + "\n")
	}
	return b.String()
}

// expandTabs replaces tabs by blanks, up to columns that are multiples of eight.
func expandTabs(line string) string {
	if !strings.Contains(line, "\t") {
		return line
	}
	var b strings.Builder
	column := 0
	for _, r := range line {
		if r != '\t' {
			b.WriteRune(r)
			column++
			continue
		}
		n := 8 - column%8
		b.WriteString(strings.Repeat(" ", n))
		column += n
	}
	return b.String()
}

// expand replaces the placeholders of a user format.
func (g *git) expand(s *style, c *commit, format, mark string) string {
	var b strings.Builder
	pad, left := 0, false
	for i := 0; i < len(format); i++ {
		if format[i] != '%' || i+1 == len(format) {
			b.WriteByte(format[i])
			continue
		}
		rest := format[i+1:]
		if (rest[0] == '<' || rest[0] == '>') && len(rest) > 2 && rest[1] == '(' {
			if end := strings.IndexByte(rest, ')'); end > 0 {
				number, _, _ := strings.Cut(rest[2:end], ",")
				pad, _ = strconv.Atoi(strings.TrimSpace(number))
				left = rest[0] == '<'
				i += end + 1
				continue
			}
		}
		space := ""
		used := 0
		if rest[0] == '+' || rest[0] == '-' || rest[0] == ' ' {
			space, used = rest[:1], 1
			rest = rest[1:]
		}
		text, n := g.placeholder(s, c, rest, mark)
		if n == 0 {
			b.WriteByte('%')
			continue
		}
		if pad > 0 {
			blanks := strings.Repeat(" ", max(pad-characters(text), 0))
			if left {
				text += blanks
			} else {
				text = blanks + text
			}
			pad = 0
		}
		switch {
		case space == "+" && text != "":
			b.WriteByte('\n')
		case space == " " && text != "":
			b.WriteByte(' ')
		case space == "-" && text == "":
			trimmed := strings.TrimRight(b.String(), "\n")
			b.Reset()
			b.WriteString(trimmed)
		}
		b.WriteString(text)
		i += n + used
	}
	return b.String()
}

// placeholder returns what the placeholder that text begins with stands for, and
// its length; 0 where it is none.
func (g *git) placeholder(s *style, c *commit, text, mark string) (value string, n int) {
	if text == "" {
		return "", 0
	}
	join := func(list []hash, short bool) string {
		var names []string
		for _, h := range list {
			if short {
				names = append(names, g.abbrev(h))
			} else {
				names = append(names, h.String())
			}
		}
		return strings.Join(names, " ")
	}
	switch text[0] {
	case 'H':
		return c.hash.String(), 1
	case 'h':
		return g.abbrev(c.hash), 1
	case 'T':
		return c.tree.String(), 1
	case 't':
		return g.abbrev(c.tree), 1
	case 'P':
		return join(c.parents, false), 1
	case 'p':
		return join(c.parents, true), 1
	case 's':
		return subjectOf(c.message), 1
	case 'f':
		return slug(subjectOf(c.message)), 1
	case 'b':
		return bodyOf(c.message), 1
	case 'B':
		return strings.TrimLeft(c.message, "\n"), 1
	case 'n':
		return "\n", 1
	case '%':
		return "%", 1
	case 'm':
		if mark == "" {
			mark = ">"
		}
		return mark, 1
	case 'd', 'D':
		names := strings.Join(s.named[c.hash], ", ")
		if names != "" && text[0] == 'd' {
			names = " (" + names + ")"
		}
		return names, 1
	case 'x':
		if len(text) >= 3 {
			if v, err := strconv.ParseUint(text[1:3], 16, 8); err == nil {
				return string([]byte{byte(v)}), 3
			}
		}
	case 'e', 'N', 'g', 'G', 'S':
		if text[0] == 'e' || text[0] == 'N' {
			return "", 1
		}
	case 'C':
		return "", colorLength(text)
	case 'a', 'c':
		if len(text) > 1 {
			sig := c.author
			if text[0] == 'c' {
				sig = c.committer
			}
			if v, ok := g.personal(s, sig, text[1]); ok {
				return v, 2
			}
		}
	}
	return "", 0
}

// colorLength returns the length of a placeholder for a color.
func colorLength(text string) int {
	if strings.HasPrefix(text, "C(") {
		return strings.IndexByte(text, ')') + 1
	}
	for _, name := range []string{"red", "green", "blue", "reset"} {
		if strings.HasPrefix(text[1:], name) {
			return 1 + len(name)
		}
	}
	return 0
}

// personal returns one of the placeholders that are about a person and a time.
func (g *git) personal(s *style, sig signature, letter byte) (string, bool) {
	switch letter {
	case 'n', 'N':
		return sig.name, true
	case 'e', 'E':
		return sig.email, true
	case 'l', 'L':
		local, _, _ := strings.Cut(sig.email, "@")
		return local, true
	case 'd':
		return g.formatDate(sig.when, s.date), true
	case 'D':
		return g.formatDate(sig.when, "rfc"), true
	case 'r':
		return g.formatDate(sig.when, "relative"), true
	case 't':
		return strconv.FormatInt(sig.when.Unix(), 10), true
	case 'i':
		return g.formatDate(sig.when, "iso"), true
	case 'I':
		return g.formatDate(sig.when, "iso-strict"), true
	case 's':
		return g.formatDate(sig.when, "short"), true
	}
	return "", false
}

// slug returns a subject as the name of a file has it.
func slug(subject string) string {
	var b strings.Builder
	gap := false
	for i := range len(subject) {
		c := subject[i]
		if c == '.' || c == '_' || '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z' {
			if gap && b.Len() > 0 {
				b.WriteByte('-')
			}
			gap = false
			if c == '.' && strings.HasSuffix(b.String(), ".") {
				continue
			}
			b.WriteByte(c)
		} else {
			gap = true
		}
	}
	return strings.TrimRight(b.String(), ".-")
}

// strftime formats a time as the C library does.
func (g *git) strftime(format string, t time.Time) string {
	text, err := strftime.Format{Grow: func(n int) error { return g.hold(n) }}.Append(nil, format, t)
	if err != nil {
		return ""
	}
	return string(text)
}
