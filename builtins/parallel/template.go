package parallel

import (
	"errors"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// A template is a command with replacement strings.
type template struct {
	words []string
	any   bool // there is a replacement string
}

// replacement is a replacement string: a number or a name, and what is taken of
// the argument.
var replacement = regexp.MustCompile(`\{(-?\d+|[A-Za-z_][A-Za-z0-9_ ]*)?(//|/\.|/|\.|#|%)?\}`)

// parse makes a template of the words of a command. Arguments go to its end where
// nothing stands for them.
func (l *list) parse(words []string) (template, error) {
	t := template{words: slices.Clone(words)}
	for i, w := range t.words {
		if l.replace != "{}" {
			w = strings.ReplaceAll(w, l.replace, "{}")
			t.words[i] = w
		}
		if strings.Contains(w, "{=") && strings.Contains(w, "=}") {
			return t, errors.New("replacement strings that are Perl expressions cannot be run here.")
		}
		for _, m := range replacement.FindAllStringSubmatch(w, -1) {
			t.any = t.any || l.known(m)
		}
	}
	if len(words) == 0 && !l.pipe {
		t.words, t.any = []string{"{}"}, true
		return t, nil
	}
	if !t.any && !l.pipe {
		t.words = append(t.words, "{}")
		t.any = true
	}
	return t, nil
}

// known reports whether a match of replacement stands for something.
func (l *list) known(m []string) bool {
	_, err := strconv.Atoi(m[1])
	return m[1] == "" || err == nil || slices.Contains(l.names, m[1])
}

// A line is a command line in the making.
type line struct {
	*list
	records []record
	seq     int
	slot    int
	raw     bool // arguments are not quoted
}

// args returns the positional arguments.
func (n *line) args() []string {
	var out []string
	for _, r := range n.records {
		out = append(out, r...)
	}
	return out
}

// shellQuote quotes an argument for the shell.
func shellQuote(s string) string {
	if s == "" {
		return "''"
	}
	plain := !strings.ContainsFunc(s, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_.+/", r))
	})
	if plain {
		return s
	}
	s = "'" + strings.ReplaceAll(s, "'", `'"'"'`) + "'"
	return strings.TrimSuffix(strings.TrimPrefix(s, "''"), "''")
}

// part returns what a replacement string takes of an argument.
func part(arg, what string) string {
	switch what {
	case "/":
		return arg[strings.LastIndexByte(arg, '/')+1:]
	case "//":
		if i := strings.LastIndexByte(arg, '/'); i > 0 {
			return arg[:i]
		} else if i == 0 {
			return "/"
		}
		return "."
	case ".":
		return withoutExtension(arg)
	case "/.":
		return withoutExtension(arg[strings.LastIndexByte(arg, '/')+1:])
	}
	return arg
}

func withoutExtension(arg string) string {
	if ext := path.Ext(arg); ext != "" && ext != "." && !strings.HasSuffix(strings.TrimSuffix(arg, ext), "/") {
		return strings.TrimSuffix(arg, ext)
	}
	return arg
}

// quoted quotes an argument unless the line is raw.
func (n *line) quoted(arg string) string {
	if n.raw {
		return arg
	}
	return shellQuote(arg)
}

// expand replaces the replacement strings of a word. only, unless negative, is the
// argument that {} stands for.
func (n *line) expand(word string, only int) string {
	args := n.args()
	return replacement.ReplaceAllStringFunc(word, func(text string) string {
		m := replacement.FindStringSubmatch(text)
		if !n.known(m) {
			return text
		}
		switch m[2] {
		case "#":
			return strconv.Itoa(n.seq)
		case "%":
			return strconv.Itoa(n.slot)
		}
		if i := slices.Index(n.names, m[1]); i >= 0 {
			m[1] = strconv.Itoa(i + 1)
		}
		if m[1] != "" {
			i, _ := strconv.Atoi(m[1])
			if i < 0 {
				i += len(args) + 1
			}
			if i < 1 || i > len(args) {
				return ""
			}
			return n.quoted(part(args[i-1], m[2]))
		}
		if only >= 0 {
			return n.quoted(part(args[only], m[2]))
		}
		var out []string
		for _, a := range args {
			out = append(out, n.quoted(part(a, m[2])))
		}
		return strings.Join(out, " ")
	})
}

// text returns the command line.
func (n *line) text() string {
	words := make([]string, 0, len(n.template.words))
	raw := n.raw
	if len(n.template.words) == 1 && n.template.words[0] == "{}" {
		n.raw = true // the arguments are commands
	}
	for _, w := range n.template.words {
		if n.quote {
			w = quoteAround(w)
		}
		if n.context && len(n.args()) > 1 && strings.Contains(w, "{") {
			var parts []string
			for i := range n.args() {
				parts = append(parts, n.expand(w, i))
			}
			w = strings.Join(parts, " ")
		} else {
			w = n.expand(w, -1)
		}
		words = append(words, w)
	}
	n.raw = raw
	return strings.Join(words, " ")
}

// quoteAround quotes a word but for its replacement strings.
func quoteAround(w string) string {
	var b strings.Builder
	last := 0
	for _, loc := range replacement.FindAllStringIndex(w, -1) {
		if loc[0] > last {
			b.WriteString(shellQuote(w[last:loc[0]]))
		}
		b.WriteString(w[loc[0]:loc[1]])
		last = loc[1]
	}
	if last < len(w) || w == "" {
		b.WriteString(shellQuote(w[last:]))
	}
	return b.String()
}
