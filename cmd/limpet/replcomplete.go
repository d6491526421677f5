package main

import (
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/reeflective/readline"
)

// askTime is how long a completion or a prompt may take.
const askTime = 2 * time.Second

// A completionPoint is where the user wants a word completed.
type completionPoint struct {
	words  []string // of the simple command before it, without quotes
	word   string   // what there is of it, without quotes
	from   int      // where in the line it begins
	quote  byte     // that it is in, or 0
	target bool     // it is the file of a redirection
}

// pointOf finds the word at the end of line.
func pointOf(line string) completionPoint {
	var p completionPoint
	var w strings.Builder
	within, assigned := false, false
	end := func(i int) {
		switch {
		case assigned:
		case within:
			p.words = append(p.words, w.String())
			p.target = false
		}
		w.Reset()
		within, assigned = false, false
		p.from = i
	}
	for i := 0; i < len(line); i++ {
		b := line[i]
		if !within {
			p.from = i
		}
		switch {
		case p.quote == '\'' && b != '\'', p.quote == '"' && b != '"' && b != '\\':
			w.WriteByte(b)
		case p.quote != 0 && b == p.quote:
			p.quote = 0
		case b == '\\' && i+1 < len(line):
			i++
			w.WriteByte(line[i])
			within = true
		case b == '\'' || b == '"':
			p.quote, within = b, true
		case b == ' ' || b == '\t':
			end(i + 1)
		case strings.IndexByte(";|&(){}\n`", b) >= 0 && !(b == '{' && within) && !(b == '}' && within):
			end(i + 1)
			p.words = nil
		case b == '<' || b == '>':
			end(i + 1)
			p.target = true
		case b == '=' && len(p.words) == 0 && within: // an assignment: its value is a word of its own
			w.Reset()
			within, assigned = false, true
			p.from = i + 1
		default:
			w.WriteByte(b)
			within = true
		}
	}
	if !within {
		p.from = len(line)
	}
	p.word = w.String()
	return p
}

// complete returns what the word at the end of line may become.
func (r *repl) complete(line string) readline.Completions {
	p := pointOf(line)
	if strings.HasPrefix(line, ":") && !strings.Contains(line, " ") {
		var names []string
		for _, m := range metaCommands() {
			names = append(names, ":"+m.name, m.help)
		}
		return readline.CompleteValuesDescribed(names...)
	}
	list, kind := r.candidates(line, p)
	word := line[p.from:]
	var done []readline.Completion
	for _, c := range list {
		value := c
		if kind == filesKind {
			value = quoteFor(p.quote, c)
		}
		done = append(done, readline.Completion{Value: value, Display: shown(c, kind), Tag: string(kind)})
	}
	out := readline.CompleteRaw(done)
	out.PREFIX = word
	return out.NoSpace('/', '=', '$')
}

// A candidateKind says what words to choose from are.
type candidateKind string

const (
	commandsKind  candidateKind = "commands"
	filesKind     candidateKind = "files"
	optionsKind   candidateKind = "options"
	variablesKind candidateKind = "variables"
	wordsKind     candidateKind = "words"
)

// shown is what stands in the list for a candidate: for a file its last name.
func shown(c string, kind candidateKind) string {
	if kind == filesKind {
		if i := strings.LastIndexByte(strings.TrimSuffix(c, "/"), '/'); i >= 0 {
			return c[i+1:]
		}
	}
	return c
}

// quoteFor quotes a name so that it is one word, where quote is open before it.
func quoteFor(quote byte, name string) string {
	switch quote {
	case '\'':
		return `'` + strings.ReplaceAll(name, `'`, `'\''`)
	case '"':
		return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, `$`, `\$`, "`", "\\`").Replace(name)
	}
	var b strings.Builder
	for i, c := range name {
		if c != utf8.RuneError && strings.ContainsRune(" \t\n\\'\"`$&|;<>()*?[]{}!#~", c) && !(c == '~' && i == 0) {
			b.WriteByte('\\')
		}
		b.WriteRune(c)
	}
	return b.String()
}

// candidates chooses what the word may be.
func (r *repl) candidates(line string, p completionPoint) ([]string, candidateKind) {
	if i := strings.LastIndexByte(p.word, '$'); i >= 0 && p.quote != '\'' && isNamePrefix(strings.TrimPrefix(p.word[i+1:], "{")) {
		open := p.word[:i+1]
		rest := p.word[i+1:]
		if name, ok := strings.CutPrefix(rest, "{"); ok {
			open, rest = open+"{", name
		}
		list := r.compgen("-v", rest)
		for i := range list {
			list[i] = open + list[i]
		}
		return list, variablesKind
	}
	switch {
	case p.target:
		return r.files(p.word, false), filesKind
	case len(p.words) == 0:
		if strings.Contains(p.word, "/") {
			return r.files(p.word, false), filesKind
		}
		return r.compgen("-c", p.word), commandsKind
	}
	command := p.words[0]
	if list, ok := r.specified(line, p); ok {
		return list, wordsKind
	}
	if strings.HasPrefix(p.word, "-") {
		return r.options(command, p.word), optionsKind
	}
	switch command {
	case "cd", "pushd", "rmdir":
		return r.files(p.word, true), filesKind
	case "export", "unset", "readonly", "declare", "local", "typeset", "read":
		return r.compgen("-v", p.word), variablesKind
	case "type", "which", "command", "builtin", "exec", "env", "sudo", "xargs", "time", "nohup", "timeout":
		if list := r.compgen("-c", p.word); len(list) > 0 && len(p.words) == 1 {
			return list, commandsKind
		}
	case "help":
		return r.compgen("-A helptopic", p.word), wordsKind
	case "alias", "unalias":
		return r.compgen("-a", p.word), wordsKind
	case "trap", "kill":
		if list := r.compgen("-A signal", p.word); len(list) > 0 && p.word != "" {
			return list, wordsKind
		}
	case "shopt":
		return r.compgen("-A shopt", p.word), wordsKind
	}
	return r.files(p.word, false), filesKind
}

func isNamePrefix(s string) bool {
	return !strings.ContainsFunc(s, func(c rune) bool {
		return c != '_' && (c < '0' || c > '9') && (c < 'A' || c > 'Z') && (c < 'a' || c > 'z')
	})
}

// compgen returns the words of a kind that begin with word.
func (r *repl) compgen(kind, word string) []string {
	return unique(r.ask("compgen " + kind + " -- " + quoteWord(word)))
}

// files returns the names of files, or directories, that begin with word. Those of
// directories end with a slash.
func (r *repl) files(word string, dirs bool) []string {
	kind := "-f"
	if dirs {
		kind = "-d"
	}
	return unique(r.ask("word=" + quoteWord(word) + `; home=
case $word in '~/'*) home=$HOME/ word=$HOME/${word#'~/'};; esac
compgen ` + kind + ` -- "$word" | while IFS= read -r f; do
	[ ! -d "$f" ] || f+=/
	[ -z "$home" ] || f='~'/${f#"$home"}
	printf '%s\n' "$f"
done`))
}

// options returns the options of a command, which its help lists, as it does for
// those who read it.
func (r *repl) options(command, word string) []string {
	help := r.ask(`case $(type -t -- ` + quoteWord(command) + `) in
file) ` + quoteWord(command) + ` --help;;
builtin) help ` + quoteWord(command) + `;;
esac 2> /dev/null < /dev/null`)
	var list []string
	for line := range strings.Lines(help) {
		for _, field := range strings.FieldsFunc(line, func(c rune) bool { return strings.ContainsRune(" \t\n,=[|]", c) }) {
			if field = strings.TrimRight(field, ".:;)"); strings.HasPrefix(field, word) && isOption(field) {
				list = append(list, field)
			}
			if !strings.HasPrefix(field, "-") {
				break // what the option is for
			}
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

func isOption(s string) bool {
	name := strings.TrimLeft(s, "-")
	return name != "" && len(s)-len(name) <= 2 && isNamePrefix(strings.ReplaceAll(name, "-", ""))
}

// specified returns what the specification of the builtin complete for the command
// says, if there is one.
func (r *repl) specified(line string, p completionPoint) ([]string, bool) {
	command := quoteWord(p.words[0])
	words := make([]string, 0, len(p.words)+1)
	for _, w := range append(slices.Clone(p.words), p.word) {
		words = append(words, quoteWord(w))
	}
	previous := p.words[len(p.words)-1]
	out := r.ask(`spec=$(complete -p -- ` + command + ` 2> /dev/null) || exit
echo yes
COMP_WORDS=(` + strings.Join(words, " ") + `) COMP_CWORD=` + strconv.Itoa(len(p.words)) + ` COMP_LINE=` + quoteWord(line) + ` COMP_POINT=` + strconv.Itoa(len(line)) + `
eval "set -- ${spec#complete }"
args=() function=
while [ $# -gt 1 ]; do
	if [ "$1" = -F ]; then function=$2; shift 2; else args+=("$1"); shift; fi
done
if [ "$function" ]; then
	COMPREPLY=(); "$function" ` + command + ` ` + quoteWord(p.word) + ` ` + quoteWord(previous) + ` > /dev/null
	printf '%s\n' "${COMPREPLY[@]}"
fi
[ "${#args[@]}" = 0 ] || compgen "${args[@]}" -- ` + quoteWord(p.word))
	rest, ok := strings.CutPrefix(out, "yes\n")
	return unique(rest), ok
}

// unique returns the lines of text, each once.
func unique(text string) []string {
	list := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	list = slices.DeleteFunc(list, func(s string) bool { return s == "" })
	slices.Sort(list)
	return slices.Compact(list)
}

// quoteWord quotes a text for a script.
func quoteWord(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
