package search

import (
	"bytes"
	"io"
	"path"
	"strings"

	"github.com/limpet-sh/limpet/builtins"
	"github.com/limpet-sh/limpet/internal/regex"
)

// An ignoreRule is a line of a .gitignore file, or a glob of rg.
type ignoreRule struct {
	glob    *regex.Matcher
	base    string // the directory that the glob is relative to
	keep    bool   // what matches is not ignored
	dirOnly bool
	anyDir  bool // the glob is about the last element of the path
}

// A verdict is what rules say of a file.
type verdict int8

const (
	undecided verdict = iota
	ignored
	kept
)

// parseRule parses a line of a .gitignore file in the directory base. It returns
// nil for lines that are no rules.
func parseRule(c *builtins.Call, line, base string, flags regex.Flags) *ignoreRule {
	line = strings.TrimSuffix(line, "\r")
	for strings.HasSuffix(line, " ") && !strings.HasSuffix(line, `\ `) {
		line = line[:len(line)-1]
	}
	if line == "" || line[0] == '#' {
		return nil
	}
	r := &ignoreRule{base: base}
	line, r.keep = strings.CutPrefix(line, "!")
	line, r.dirOnly = strings.CutSuffix(line, "/")
	r.anyDir = !strings.Contains(line, "/")
	line = strings.TrimPrefix(line, "/")
	re, err := regex.Compile(globPattern(line), regex.Perl, flags|regex.WholeLine)
	if line == "" || err != nil {
		return nil
	}
	r.glob = re.Matcher(c)
	return r
}

// globPattern returns a Perl expression for a glob, in which * and ? match no
// slash, ** matches directories, and {a,b} is a choice.
func globPattern(glob string) string {
	var b strings.Builder
	braces := 0
	for i := 0; i < len(glob); i++ {
		rest := glob[i:]
		switch c := glob[i]; {
		case strings.HasPrefix(rest, "**/") && (i == 0 || glob[i-1] == '/'):
			b.WriteString("(?:.*/)?")
			i += 2
		case rest == "**" && (i == 0 || glob[i-1] == '/'):
			b.WriteString(".+")
			i++
		case c == '*':
			b.WriteString("[^/]*")
		case c == '?':
			b.WriteString("[^/]")
		case c == '[':
			if n := bracketLen(rest); n > 0 {
				b.WriteString(bracketPattern(rest[1 : n-1]))
				i += n - 1
				continue
			}
			b.WriteString(`\[`)
		case c == '{' && strings.Contains(rest, "}"):
			braces++
			b.WriteString("(?:")
		case c == '}' && braces > 0:
			braces--
			b.WriteString(")")
		case c == ',' && braces > 0:
			b.WriteString("|")
		case c == '\\' && i+1 < len(glob):
			i++
			b.WriteString(regex.Quote(glob[i : i+1]))
		default:
			b.WriteString(regex.Quote(glob[i : i+1]))
		}
	}
	return b.String() + strings.Repeat(")", braces)
}

// bracketLen returns the length of the bracket expression that glob begins with;
// 0 if it has no end.
func bracketLen(glob string) int {
	from := 1
	if len(glob) > 1 && (glob[1] == '!' || glob[1] == '^') {
		from = 2
	}
	if from >= len(glob) {
		return 0
	}
	if i := strings.IndexByte(glob[from+1:], ']'); i >= 0 {
		return from + 1 + i + 1
	}
	return 0
}

func bracketPattern(inner string) string {
	negation := ""
	if inner[0] == '!' || inner[0] == '^' {
		negation, inner = "^/", inner[1:]
	}
	return "[" + negation + strings.NewReplacer(`\`, `\\`, "[", `\[`, "]", `\]`).Replace(inner) + "]"
}

// decide returns what a list of rules says of the file at the absolute path abs.
// The last rule that matches decides.
func decide(rules []*ignoreRule, abs string, dir bool) verdict {
	for i := len(rules) - 1; i >= 0; i-- {
		r := rules[i]
		if r.dirOnly && !dir {
			continue
		}
		name, ok := strings.CutPrefix(abs, strings.TrimSuffix(r.base, "/")+"/")
		if !ok {
			continue
		}
		if r.anyDir {
			name = path.Base(name)
		}
		if r.glob.Match([]byte(name)) {
			if r.keep {
				return kept
			}
			return ignored
		}
	}
	return undecided
}

// readRules returns the rules in a file; none if there is no such file.
func readRules(c *builtins.Call, name, base string, flags regex.Flags) ([]*ignoreRule, error) {
	f, err := c.FS.Open(name)
	if err != nil {
		return nil, nil
	}
	defer f.Close()
	lines := c.Lines(f, '\n')
	defer lines.Close()
	var list []*ignoreRule
	for {
		line, err := lines.Next()
		if err != nil {
			if err == io.EOF || !c.Ends(err) {
				err = nil
			}
			return list, err
		}
		if r := parseRule(c, string(bytes.TrimSuffix(line, []byte{'\n'})), base, flags); r != nil {
			list = append(list, r)
		}
	}
}
