package interp

import (
	"slices"
	"strings"

	"github.com/limpet-sh/limpet/builtins"
	"github.com/limpet-sh/limpet/internal/account"
	"github.com/limpet-sh/limpet/internal/pattern"
	"github.com/limpet-sh/limpet/internal/quote"
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
	for _, w := range words {
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

// completeFunction calls a function for completions, which it leaves in
// COMPREPLY.
func (sh *Shell) completeFunction(name, word string) ([]string, bool) {
	f := sh.function(name)
	if f == nil {
		return nil, true
	}
	sh.storeList(sh.id("COMP_WORDS"), nil, false)
	for v, s := range map[string]string{"COMP_CWORD": "-1", "COMP_LINE": "", "COMP_POINT": "0", "COMP_TYPE": "9", "COMP_KEY": "9"} {
		sh.set(v, s)
	}
	sh.unsetVariable(sh.id("COMPREPLY"))
	k := sh.call(f, []string{name, "compgen", word, ""})
	if k != ctlNone || sh.pending != ctlNone {
		sh.take()
		return nil, false
	}
	val := sh.elements(sh.resolve(sh.id("COMPREPLY")), false)
	for _, v := range []string{"COMP_WORDS", "COMP_CWORD", "COMP_LINE", "COMP_POINT", "COMP_TYPE", "COMP_KEY", "COMPREPLY"} {
		sh.unsetVariable(sh.id(v))
	}
	return slices.Clone(val.list), true
}

// completeCommand runs a command for completions, which it prints.
func (sh *Shell) completeCommand(command, word string) []string {
	out := sh.capture(func(sub *Shell) ctl {
		return sub.evalString(command+" compgen "+quoteArg(word)+" ''", "compgen")
	})
	if out == "" {
		return nil
	}
	return strings.Split(out, "\n")
}

// completeAction returns the names of one kind that begin with word.
func (sh *Shell) completeAction(action, word string) []string {
	names := func(list []string) []string {
		list = beginning(list, word)
		slices.Sort(list)
		return list
	}
	switch action {
	case "alias":
		var list []string
		for name := range sh.aliases {
			list = append(list, name)
		}
		return names(list)
	case "arrayvar":
		return names(sh.variableNames(func(_ string, v *variable) bool { return v.flags&(vIndexed|vAssoc) != 0 }))
	case "builtin":
		return names(sh.builtinNames())
	case "enabled", "disabled":
		return names(slices.DeleteFunc(sh.builtinNames(), func(n string) bool { return sh.disabled[n] != (action == "disabled") }))
	case "helptopic":
		return names(append(sh.builtinNames(), keywords...))
	case "command":
		return sh.completeCommands(word)
	case "directory":
		return sh.completeFiles(word, true)
	case "file":
		return sh.completeFiles(word, false)
	case "export":
		return names(sh.variableNames(func(_ string, v *variable) bool { return v.flags&vExport != 0 && v.isSet() }))
	case "function":
		return names(sh.functionList())
	case "group", "user":
		return names(sh.accounts(action))
	case "hostname":
		return names([]string{"localhost", sh.cfg.Host})
	case "job", "running", "stopped":
		var list []string
		for _, j := range sh.jobs.list {
			if action == "job" || action == "running" && !j.ended() {
				first, _, _ := strings.Cut(j.text, " ")
				list = append(list, first)
			}
		}
		return beginning(list, word)
	case "keyword":
		return beginning(keywords, word)
	case "setopt":
		var list []string
		for _, row := range setOptions {
			list = append(list, row.name)
		}
		return names(list)
	case "shopt":
		return names(slices.Clone(shoptNames))
	case "signal":
		var list []string
		for _, s := range builtins.Signals() {
			list = append(list, s.Error())
		}
		return beginning(list, word)
	case "variable":
		return names(sh.variableNames(func(_ string, v *variable) bool { return v.flags&(vSet|vDynamic) != 0 }))
	}
	return nil
}

// accounts returns the names of users or groups.
func (sh *Shell) accounts(kind string) []string {
	if kind == "group" {
		return account.Groups(sh.view()).Names()
	}
	return account.Users(sh.view()).Names()
}

// completeCommands returns the names of everything that can be run.
func (sh *Shell) completeCommands(word string) []string {
	var list []string
	for name := range sh.aliases {
		list = append(list, name)
	}
	slices.Sort(list)
	list = append(list, keywords...)
	list = append(list, sh.functionList()...)
	list = append(list, sh.builtinNames()...)
	list = beginning(list, word)
	if strings.Contains(word, "/") {
		return append(list, sh.completeFiles(word, false)...)
	}
	v := sh.view()
	for _, dir := range strings.Split(sh.get("PATH"), ":") {
		entries, err := v.ReadDir(dir)
		if err != nil || sh.step(len(entries)) != nil {
			continue
		}
		for _, e := range entries {
			if strings.HasPrefix(e.Name(), word) && sh.executable(v, dir+"/"+e.Name()) == nil {
				list = append(list, e.Name())
			}
		}
	}
	return list
}

// completeFiles returns the files, or directories, whose names begin with word.
func (sh *Shell) completeFiles(word string, dirs bool) []string {
	dir, base := "", word
	if i := strings.LastIndexByte(word, '/'); i >= 0 {
		dir, base = word[:i+1], word[i+1:]
	}
	at := dir
	if at == "" {
		at = "."
	}
	v := sh.view()
	entries, err := v.ReadDir(at)
	if err != nil || sh.step(len(entries)) != nil {
		return nil
	}
	var list []string
	for _, e := range entries {
		name := e.Name()
		if !strings.HasPrefix(name, base) || base == "" && strings.HasPrefix(name, ".") {
			continue
		}
		if dirs {
			if info, err := v.Stat(dir + name); err != nil || !info.IsDir() {
				continue
			}
		}
		list = append(list, dir+name)
	}
	return list
}

// specials are the names that complete uses for -D, -E and -I.
var specials = map[rune]string{'D': "_DefaultCmD_", 'E': "_EmptycmD_", 'I': "_InitialWorD_"}

func builtinComplete(sh *Shell, args []string) ctl {
	spec, flags, names, ok := sh.compOptionsOf("complete", args, "prDEI")
	if !ok {
		return ctlNone
	}
	for letter, name := range specials {
		if strings.ContainsRune(flags, letter) {
			names = append(names, name)
		}
	}
	switch {
	case strings.Contains(flags, "r"):
		if len(names) == 0 {
			names = slices.Clone(sh.specNames)
		}
		status := 0
		for _, name := range names {
			if spec := sh.specs[name]; spec == nil {
				sh.complain("complete", "%s: no completion specification", name)
				status = 1
			} else {
				sh.hold(-spec.size(name))
			}
			delete(sh.specs, name)
			sh.specNames = slices.DeleteFunc(sh.specNames, func(n string) bool { return n == name })
		}
		return sh.done(status)
	case len(args) == 0 || strings.Contains(flags, "p"):
		return sh.printSpecs(names)
	case len(names) == 0:
		return sh.usage("complete")
	}
	for _, name := range names {
		if !sh.setSpec(name, spec) {
			return sh.take()
		}
	}
	return sh.done(0)
}

func (sh *Shell) printSpecs(names []string) ctl {
	status := 0
	if len(names) == 0 {
		names = sh.specNames
	}
	var b strings.Builder
	for _, name := range names {
		spec := sh.specs[name]
		if spec == nil {
			sh.complain("complete", "%s: no completion specification", name)
			status = 1
			continue
		}
		b.WriteString(spec.text(name))
	}
	if !sh.print("complete", b.String()) {
		return ctlNone
	}
	return sh.done(status)
}

// text returns the command that makes a specification.
func (c *compSpec) text(name string) string {
	words := []string{"complete"}
	for _, o := range compOptions {
		if slices.Contains(c.options, o) {
			words = append(words, "-o", o)
		}
	}
	for _, a := range compActions {
		if !slices.Contains(c.actions, a.name) {
			continue
		}
		if a.letter != 0 {
			words = append(words, "-"+string(a.letter))
		} else {
			words = append(words, "-A", a.name)
		}
	}
	add := func(option, value string) {
		if value != "" {
			words = append(words, option, quote.Single(value))
		}
	}
	add("-G", c.glob)
	if c.hasList {
		words = append(words, "-W", quote.Single(c.words))
	}
	add("-P", c.prefix)
	add("-S", c.suffix)
	add("-X", c.filter)
	add("-C", c.command)
	if c.fn != "" {
		words = append(words, "-F", c.fn)
	}
	shown := quote.Listing(name)
	for letter, special := range specials {
		if name == special {
			shown = "-" + string(letter)
		}
	}
	return strings.Join(append(words, shown), " ") + "\n"
}

func builtinCompopt(sh *Shell, args []string) ctl {
	var on, off []string
	for len(args) > 0 && len(args[0]) > 1 && (args[0][0] == '-' || args[0][0] == '+') {
		a := args[0]
		args = args[1:]
		switch {
		case (a == "-o" || a == "+o") && len(args) > 0:
			if !slices.Contains(compOptions, args[0]) {
				sh.complain("compopt", "%s: invalid option name", args[0])
				return sh.done(usageStatus)
			}
			if a == "-o" {
				on = append(on, args[0])
			} else {
				off = append(off, args[0])
			}
			args = args[1:]
		case a == "-D" || a == "-E" || a == "-I":
			args = append(args, specials[rune(a[1])])
		default:
			sh.complain("compopt", "%s: invalid option", a)
			return sh.usage("compopt")
		}
	}
	if len(args) == 0 {
		sh.complain("compopt", "not currently executing completion function")
		return sh.done(1)
	}
	status := 0
	for _, name := range args {
		spec := sh.specs[name]
		if spec == nil {
			sh.complain("compopt", "%s: no completion specification", name)
			status = 1
			continue
		}
		c := *spec
		c.options = slices.DeleteFunc(slices.Concat(c.options, on), func(o string) bool { return slices.Contains(off, o) })
		if !sh.setSpec(name, &c) {
			return sh.take()
		}
	}
	return sh.done(status)
}
