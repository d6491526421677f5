package analysis

import (
	"regexp"
	"strings"
)

// runner returns what looks at the arguments of a command that runs others, or sets
// variables, in a way of its own; nil for others.
func runner(name string) func(*analyzer, *invocation) {
	switch name {
	case "eval":
		return (*analyzer).eval
	case "source", ".":
		return (*analyzer).source
	case "bash", "sh", "dash", "ksh", "ash", "rbash":
		return (*analyzer).shell
	case "command":
		return (*analyzer).commandBuiltin
	case "find":
		return (*analyzer).find
	case "trap":
		return (*analyzer).trap
	case "alias":
		return (*analyzer).alias
	case "shopt", "set":
		return (*analyzer).options
	case "awk", "gawk", "mawk", "nawk":
		return (*analyzer).awk
	case "sed":
		return (*analyzer).sed
	case "sort":
		return (*analyzer).sort
	case "mapfile", "readarray":
		return (*analyzer).mapfile
	case "let":
		return (*analyzer).let
	case "printf":
		return (*analyzer).printf
	case "read", "getopts", "unset", "wait", "declare", "typeset", "local", "export", "readonly", "test", "[":
		return (*analyzer).variables
	}
	return nil
}

func (z *analyzer) eval(v *invocation) {
	if v.unknown() {
		z.opaque(v.at, "eval of text that is computed")
		return
	}
	var words []string
	for i, w := range v.args() {
		if i == 0 && w.Text == "--" {
			continue
		}
		words = append(words, w.Text)
	}
	z.inner(strings.Join(words, " "), "eval", v.at)
}

func (z *analyzer) source(v *invocation) {
	name := ""
	if len(v.words) > 1 {
		name = v.words[1].Text
	}
	z.opaque(v.at, "commands of the file "+name)
}

// shell looks at bash and its kin.
func (z *analyzer) shell(v *invocation) {
	command := false
	i := 1
	for ; i < len(v.words); i++ {
		w := v.words[i]
		if !w.Known && command {
			break
		}
		if !w.Known {
			z.opaque(v.at, "the arguments of "+v.name()+" are computed")
			return
		}
		if w.Text == "--" || w.Text == "-" {
			i++
			break
		}
		if len(w.Text) < 2 || w.Text[0] != '-' && w.Text[0] != '+' {
			break
		}
		switch w.Text {
		case "--norc", "--noprofile", "--posix", "--restricted", "--verbose":
			continue
		}
		if strings.HasPrefix(w.Text, "--") || strings.ContainsAny(w.Text, "il") {
			z.opaque(v.at, v.name()+" "+w.Text+": it may read other files first")
			if w.Text == "--rcfile" || w.Text == "--init-file" {
				i++
			}
			continue
		}
		command = command || strings.Contains(w.Text, "c")
		i += strings.Count(strings.ToLower(w.Text[1:]), "o") // -o and -O take the next words
	}
	switch {
	case command && i >= len(v.words):
		if v.more {
			z.opaque(v.at, "the script of "+v.name()+" -c is computed")
		}
	case command && !v.words[i].Known:
		z.opaque(v.at, "the script of "+v.name()+" -c is computed")
	case command:
		z.inner(v.words[i].Text, v.name(), v.at)
	case i < len(v.words):
		z.opaque(v.at, "commands of the file "+v.words[i].Text)
	default:
		text, known := "", false
		if v.stmt != nil {
			text, known = z.input(v.stmt)
		}
		if !known || v.more {
			z.opaque(v.at, "commands from the standard input of "+v.name())
			return
		}
		z.inner(text, v.name(), v.at)
	}
}

// commandBuiltin looks at command, which with -v only tells.
func (z *analyzer) commandBuiltin(v *invocation) {
	i := 1
	for ; i < len(v.words) && v.words[i].Known && strings.HasPrefix(v.words[i].Text, "-"); i++ {
		if v.words[i].Text == "--" {
			i++
			break
		}
		if strings.ContainsAny(v.words[i].Text, "vV") {
			return
		}
	}
	z.then(v, i, false)
}

func (z *analyzer) find(v *invocation) {
	for i := 1; i < len(v.words); i++ {
		w := v.words[i]
		switch {
		case !w.Known:
			if !strings.HasPrefix(w.Text, `"`) || i > 1 {
				z.opaque(v.at, "an argument of find is computed: "+w.Text)
			}
		case w.Text == "-exec" || w.Text == "-execdir" || w.Text == "-ok" || w.Text == "-okdir":
			end := i + 1
			more := false
			for end < len(v.words) && v.words[end].Text != ";" && (v.words[end].Text != "+" || v.words[end-1].Text != "{}") {
				end++
			}
			inner := invocation{at: v.at, words: append([]Word(nil), v.words[i+1:end]...), via: "find", more: more || end < len(v.words) && v.words[end].Text == "+", deep: v.deep + 1}
			for k := range inner.words {
				if strings.Contains(inner.words[k].Text, "{}") {
					inner.words[k].Known = false
				}
			}
			z.run(inner)
			i = end
		}
	}
}

func (z *analyzer) trap(v *invocation) {
	args := v.args()
	if len(args) > 0 && args[0].Text == "--" {
		args = args[1:]
	}
	switch {
	case len(args) == 0 || args[0].Known && (args[0].Text == "" || strings.HasPrefix(args[0].Text, "-")):
	case !args[0].Known:
		z.opaque(v.at, "a trap of text that is computed")
	default:
		z.inner(args[0].Text, "trap", v.at)
	}
}

func (z *analyzer) alias(v *invocation) {
	for _, w := range v.args() {
		if !w.Known || strings.Contains(w.Text, "=") {
			z.opaque(v.at, "an alias changes what commands are")
		}
	}
}

// options looks at shopt and set, which change how scripts are read.
func (z *analyzer) options(v *invocation) {
	for _, w := range v.args() {
		switch {
		case !w.Known && v.name() == "shopt":
			z.opaque(v.at, "an option that is computed")
		case w.Text == "expand_aliases":
			z.opaque(v.at, "aliases change what commands are")
		case w.Text == "posix" || w.Text == "history" || w.Text == "histexpand" || w.Text == "keyword":
			z.opaque(v.at, "an option changes how commands are read: "+w.Text)
		case w.Text == "--" || !strings.HasPrefix(w.Text, "-"):
			if v.name() == "set" && w.Text == "--" {
				return
			}
		case v.name() == "set" && strings.ContainsAny(w.Text, "kH"):
			z.opaque(v.at, "an option changes how commands are read: "+w.Text)
		}
	}
}

func (z *analyzer) awk(v *invocation) {
	program := -1
	for i := 1; i < len(v.words); i++ {
		text := v.words[i].Text
		if !v.words[i].Known {
			if i > 1 && (v.words[i-1].Text == "-v" || v.words[i-1].Text == "-F") {
				continue
			}
			break
		}
		if text == "-v" || text == "-F" {
			i++
			continue
		}
		if strings.HasPrefix(text, "-F") || strings.HasPrefix(text, "-v") {
			continue
		}
		if strings.HasPrefix(text, "-") && text != "--" {
			break // a file with a program, or what is not known
		}
		if text != "--" {
			program = i
			break
		}
	}
	if program < 0 || strings.ContainsAny(strings.ReplaceAll(v.words[program].Text, "||", ""), "|@") ||
		strings.Contains(v.words[program].Text, "system") || strings.Contains(v.words[program].Text, "getline") || writes.MatchString(v.words[program].Text) {
		z.opaque(v.at, v.name()+": a program that may run commands or write files")
	}
}

// writes matches print > file, and nothing that compares in a condition.
var writes = regexp.MustCompile(`print[^;}\n]*>`)

func (z *analyzer) sed(v *invocation) {
	scripts, any := 0, false
	for i := 1; i < len(v.words); i++ {
		w := v.words[i]
		isScript := false
		switch {
		case !w.Known:
			isScript = !any
		case w.Text == "-e" || w.Text == "--expression":
			if i++; i >= len(v.words) {
				return
			}
			w, isScript = v.words[i], true
		case w.Text == "-n" || w.Text == "-E" || w.Text == "-r" || w.Text == "-s" || w.Text == "-z" || w.Text == "-u" || w.Text == "-i" ||
			w.Text == "-ne" || w.Text == "-Ee" || w.Text == "-re" || strings.HasPrefix(w.Text, "-i"):
			if strings.HasSuffix(w.Text, "e") && !strings.HasPrefix(w.Text, "-i") {
				if i++; i >= len(v.words) {
					return
				}
				w, isScript = v.words[i], true
			}
		case strings.HasPrefix(w.Text, "-") && len(w.Text) > 1:
			isScript, w.Known = true, false // an option that is not looked at
		default:
			isScript = !any
		}
		if !isScript {
			continue
		}
		any = true
		scripts++
		if !w.Known || !simpleSed(w.Text) {
			z.opaque(v.at, "sed: a program that may run commands or write files")
			return
		}
	}
}

var (
	sedAddress = regexp.MustCompile(`^(?:[0-9]+|\$|/(?:[^/\\\n]|\\.)*/I?)(?:,(?:\+?[0-9]+|\$|/(?:[^/\\\n]|\\.)*/I?))? *!? *`)
	sedSimple  = regexp.MustCompile(`^[{}pdDnNgGhHxPqQ=lz]`)
	sedFlags   = regexp.MustCompile(`^[gpiI0-9m]*`)
)

// simpleSed reports whether a program of sed does no more than edit.
func simpleSed(s string) bool {
	for {
		s = strings.TrimLeft(s, " \t\n;")
		if s == "" {
			return true
		}
		s = s[len(sedAddress.FindString(s)):]
		switch {
		case strings.HasPrefix(s, "s") || strings.HasPrefix(s, "y"):
			substitute := s[0] == 's'
			if len(s) < 2 || s[1] == '\\' || s[1] == '\n' {
				return false
			}
			mark, parts, i := s[1], 0, 2
			for ; i < len(s) && parts < 2; i++ {
				switch s[i] {
				case '\\':
					i++
				case '[':
					if parts == 0 { // what a bracket is depends on what is in it
						end := strings.IndexByte(s[i+1:], ']')
						if end < 1 || strings.IndexByte(s[i+1:i+1+end], mark) >= 0 || strings.IndexByte(s[i+1:i+1+end], '[') >= 0 || s[i+1] == '^' && end < 2 {
							return false
						}
						i += end + 1
					}
				case mark:
					parts++
				}
			}
			if parts < 2 {
				return false
			}
			if s = s[min(i, len(s)):]; substitute {
				s = s[len(sedFlags.FindString(s)):]
			}
		case sedSimple.MatchString(s):
			s = s[1:]
		default:
			return false
		}
		s = strings.TrimLeft(s, " \t")
		if s != "" && !strings.ContainsRune(";\n}", rune(s[0])) {
			return false
		}
	}
}

// sort has an option that runs a program.
func (z *analyzer) sort(v *invocation) {
	for _, w := range v.args() {
		if strings.HasPrefix(w.Text, "--comp") {
			z.opaque(v.at, "sort runs a program to compress")
		}
	}
}

func (z *analyzer) mapfile(v *invocation) {
	for i, w := range v.words {
		if i > 0 && strings.HasPrefix(w.Text, "-") && strings.Contains(w.Text, "C") {
			if i+1 >= len(v.words) || !v.words[i+1].Known || !strings.HasSuffix(w.Text, "C") {
				z.opaque(v.at, "a callback that is computed")
				continue
			}
			before := len(z.out.Commands)
			z.inner(v.words[i+1].Text, v.name(), v.at)
			if last := len(z.out.Commands) - 1; last >= before { // it gets an index and a line
				z.out.Commands[last].More = true
			}
		}
	}
	z.variables(v)
}

func (z *analyzer) let(v *invocation) {
	for _, w := range v.args() {
		if !w.Known {
			z.opaque(v.at, "an expression that is computed")
			continue
		}
		z.raw(w.Text, v.at)
		z.assigned(w.Text, v.at)
		z.names(w.Text, v.at)
	}
}

// variables looks at builtins that are given names of variables, whose subscripts
// they evaluate.
func (z *analyzer) variables(v *invocation) {
	name := v.name()
	names := false
	for i, w := range v.args() {
		option := w.Known && strings.HasPrefix(w.Text, "-")
		switch name {
		case "wait":
			names = i > 0 && v.words[i].Text == "-p"
		case "test", "[":
			names = i > 0 && (v.words[i].Text == "-v" || v.words[i].Text == "-R")
		default:
			names = !option
		}
		if names {
			z.variable(v, w)
		}
	}
}

// variable looks at the name of a variable that a builtin is given.
func (z *analyzer) variable(v *invocation, w Word) {
	if !w.Known {
		z.opaque(v.at, "the name of a variable is computed")
		return
	}
	z.raw(w.Text, v.at)
	variable, _, _ := strings.Cut(w.Text, "[")
	variable, _, _ = strings.Cut(variable, "=")
	if identifier.FindString(variable) != variable || variable == "" {
		return
	}
	if strings.Contains(w.Text, "[") {
		z.names(w.Text[len(variable):], v.at)
	}
	if name := v.name(); name != "test" && name != "[" && name != "unset" {
		z.sets(variable, Word{Text: name}, v.at) // a value that is not known
	}
}
