package interp

import (
	"slices"
	"strings"

	"github.com/limpet-sh/limpet/internal/pattern"
)

// A compSpec is what complete remembers of a command: how its arguments are
// completed. (bash manual, Programmable Completion)
type compSpec struct {
	actions []string // as -A names them
	options []string // of -o
	glob    string   // -G
	words   string   // -W
	hasList bool     // -W was given
	fn      string   // -F
	command string   // -C
	filter  string   // -X
	prefix  string   // -P
	suffix  string   // -S
}

// compActions are the actions of compgen in the order in which their results are
// listed, with their letters.
var compActions = []struct {
	name   string
	letter byte
}{
	{"alias", 'a'}, {"arrayvar", 0}, {"binding", 0}, {"builtin", 'b'}, {"disabled", 0}, {"enabled", 0},
	{"export", 'e'}, {"function", 0}, {"helptopic", 0}, {"hostname", 0}, {"job", 'j'}, {"keyword", 'k'},
	{"running", 0}, {"setopt", 0}, {"shopt", 0}, {"signal", 0}, {"stopped", 0}, {"variable", 'v'},
	{"command", 'c'}, {"file", 'f'}, {"user", 'u'}, {"group", 'g'}, {"service", 's'}, {"directory", 'd'},
}

var compOptions = []string{"bashdefault", "default", "dirnames", "filenames", "noquote", "nosort", "nospace", "plusdirs"}

func completionBuiltins() []*builtin {
	const options = "[-abcdefgjksuv] [-o option] [-A action] [-G globpat] [-W wordlist] [-F function] [-C command] [-X filterpat] [-P prefix] [-S suffix]"
	return []*builtin{
		{name: "compgen", usage: options + " [word]", run: builtinCompgen},
		{name: "complete", usage: "[-abcdefgjksuv] [-pr] [-DEI] [-o option] [-A action] [-G globpat] [-W wordlist] [-F function] [-C command] [-X filterpat] [-P prefix] [-S suffix] [name ...]", run: builtinComplete},
		{name: "compopt", usage: "[-o|+o option] [-DEI] [name ...]", run: builtinCompopt},
	}
}

// compOptionsOf reads the options that compgen and complete share. Letters that
// only complete has are returned as flags.
func (sh *Shell) compOptionsOf(name string, args []string, extra string) (spec *compSpec, flags string, rest []string, ok bool) {
	opts, rest, ok := sh.options(name, args, "abcdefgjksuvo:A:G:W:F:C:X:P:S:"+extra)
	if !ok {
		return nil, "", nil, false
	}
	spec = &compSpec{}
	for _, o := range opts {
		switch o.letter {
		case 'o':
			if !slices.Contains(compOptions, o.value) {
				sh.complain(name, "%s: invalid option name", o.value)
				sh.status = usageStatus
				return nil, "", nil, false
			}
			spec.options = append(spec.options, o.value)
		case 'A':
			if !slices.ContainsFunc(compActions, func(a struct {
				name   string
				letter byte
			}) bool {
				return a.name == o.value
			}) {
				sh.complain(name, "%s: invalid action name", o.value)
				sh.status = usageStatus
				return nil, "", nil, false
			}
			spec.actions = append(spec.actions, o.value)
		case 'G':
			spec.glob = o.value
		case 'W':
			spec.words, spec.hasList = o.value, true
		case 'F':
			spec.fn = o.value
		case 'C':
			spec.command = o.value
		case 'X':
			spec.filter = o.value
		case 'P':
			spec.prefix = o.value
		case 'S':
			spec.suffix = o.value
		default:
			known := false
			for _, a := range compActions {
				if a.letter == o.letter {
					spec.actions, known = append(spec.actions, a.name), true
				}
			}
			if !known {
				flags += string(o.letter)
			}
		}
	}
	return spec, flags, rest, true
}

func builtinCompgen(sh *Shell, args []string) ctl {
	spec, _, rest, ok := sh.compOptionsOf("compgen", args, "")
	if !ok {
		return ctlNone
	}
	if spec.fn != "" {
		sh.complain("compgen", "warning: -F option may not work as you expect")
	}
	if spec.command != "" {
		sh.complain("compgen", "warning: -C option may not work as you expect")
	}
	word := ""
	if len(rest) > 0 {
		word = rest[0]
	}
	list, ok := sh.completions(spec, word)
	if !ok {
		return sh.done(1)
	}
	if len(list) == 0 && slices.Contains(spec.options, "default") {
		list = sh.completeFiles(word, false)
	}
	if len(list) == 0 && slices.Contains(spec.options, "dirnames") {
		list = sh.completeFiles(word, true)
	}
	if slices.Contains(spec.options, "plusdirs") {
		list = append(list, sh.completeFiles(word, true)...)
	}
	if len(list) == 0 {
		return sh.done(1)
	}
	if !sh.print("compgen", strings.Join(list, "\n")+"\n") {
		return ctlNone
	}
	return sh.done(0)
}

// completions returns what a specification makes of a word.
func (sh *Shell) completions(spec *compSpec, word string) (list []string, ok bool) {
	for _, a := range compActions {
		if slices.Contains(spec.actions, a.name) {
			list = append(list, sh.completeAction(a.name, word)...)
		}
	}
	if spec.glob != "" {
		list = append(list, sh.glob(spec.glob)...)
	}
	if spec.hasList {
		words, ok := sh.wordList(spec.words)
		if !ok {
			return nil, false
		}
		list = append(list, beginning(words, word)...)
	}
	if spec.fn != "" {
		words, ok := sh.completeFunction(spec.fn, word)
		if !ok {
			return nil, false
		}
		list = append(list, words...)
	}
	if spec.command != "" {
		list = append(list, sh.completeCommand(spec.command, word)...)
	}
	if spec.filter != "" {
		list = sh.filterWords(list, spec.filter, word)
	}
	if spec.prefix+spec.suffix != "" {
		for i := range list {
			list[i] = spec.prefix + list[i] + spec.suffix
		}
	}
	return list, true
}

// beginning returns the words that begin with prefix.
func beginning(words []string, prefix string) []string {
	var list []string
	for _, w := range words {
		if strings.HasPrefix(w, prefix) {
			list = append(list, w)
		}
	}
	return list
}

// filterWords removes the words that a pattern of -X matches, in which & stands
// for the word that is completed; with ! before it, those that it does not.
func (sh *Shell) filterWords(list []string, filter, word string) []string {
	filter, keep := strings.CutPrefix(filter, "!")
	p := strings.ReplaceAll(strings.ReplaceAll(filter, "\\&", "\x00"), "&", pattern.Quote(word))
	p = strings.ReplaceAll(p, "\x00", "&")
	return slices.DeleteFunc(list, func(w string) bool { return sh.matches(p, w) != keep })
}

// wordList splits the words of -W at the characters of IFS, and expands each.
func (sh *Shell) wordList(text string) ([]string, bool) {
	t := sh.ifs.table(sh)
	var words []string
	var cur strings.Builder
	open := false
	for i := 0; i < len(text); i++ {
		switch {
		case text[i] == '\\' && i+1 < len(text):
			cur.WriteString(text[i : i+2])
			open = true
			i++
			continue
		case text[i] == '\'' || text[i] == '"' || text[i] == '$' || text[i] == '`':
			end := min(skipExpansion(text, i), len(text))
			cur.WriteString(text[i:end])
			open = true
			i = end - 1
			continue
		case t[text[i]] == 0:
			cur.WriteByte(text[i])
			open = true
			continue
		}
		if open {
			words = append(words, cur.String())
			cur.Reset()
			open = false
		}
	}
	if open {
		words = append(words, cur.String())
	}
	var list []string
	held := 0
	defer func() { sh.hold(-held) }()
	for _, w := range words {
		if !strings.ContainsAny(w, "\\'\"$`{[*?~<>=()") { // it stands for itself
			held += 16 + len(w)
			if list = append(list, w); !sh.hold(16+len(w)) || sh.step(1) != nil {
				return nil, false
			}
			continue
		}
		if sh.step(10+len(w)>>4) != nil {
			return nil, false
		}
		c := (&compiler{names: sh.names, file: sh.file}).within(w)
		run, ok := c.wordFields()
		if !ok {
			return nil, false
		}
		sh.grow()
		list = run(sh, list)
		if sh.pending != ctlNone {
			sh.take()
			return nil, false
		}
	}
	return list, true
}

// wordFields compiles the source as one word whose expansions are split; blanks
// in it are literal.
func (c *compiler) wordFields() (fields, bool) {
	if strings.HasPrefix(c.src, "${") && !strings.Contains(c.src, "}") {
		return nil, false
	}
	src := c.src
	if w := parseWord(src); w != nil {
		return c.field(w), true
	}
	if t, ok := c.rawText(src, inText, func(s string) string { return unescape(s, inText) }); ok {
		return func(sh *Shell, dst []string) []string { return append(dst, t(sh)) }, true
	}
	return func(_ *Shell, dst []string) []string { return append(dst, unescape(src, inText)) }, true
}
