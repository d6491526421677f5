package analysis

import (
	"net/url"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// call notes a simple command.
func (z *analyzer) call(s *syntax.Stmt, c *syntax.CallExpr) {
	for _, a := range c.Assigns {
		z.node(a)
	}
	if len(c.Args) == 0 {
		return
	}
	at := z.at(c.Args[0].Pos())
	words := make([]Word, 0, len(c.Args))
	for _, w := range c.Args {
		z.node(w)
		v := z.word(w)
		if w.Lit() == "[" {
			v = Word{Text: "[", Known: true}
		}
		z.arms(v, at)
		words = append(words, v)
	}
	z.run(invocation{at: at, words: words, stmt: s, via: z.via})
}

// An invocation is a command to be looked at.
type invocation struct {
	at    Position
	words []Word
	stmt  *syntax.Stmt // whose redirections it has; nil where it has none
	via   string
	more  bool // further arguments follow
	deep  int
}

// name returns the name of the command without its directory.
func (v *invocation) name() string {
	text := v.words[0].Text
	return text[strings.LastIndexByte(text, '/')+1:]
}

// args returns its arguments.
func (v *invocation) args() []Word { return v.words[1:] }

// unknown reports whether there is an argument of which nothing is known.
func (v *invocation) unknown() bool {
	return v.more || slices.ContainsFunc(v.args(), func(w Word) bool { return !w.Known })
}

// run notes a command, and what it runs in turn.
func (z *analyzer) run(v invocation) {
	if len(v.words) == 0 {
		return
	}
	c := Command{Position: v.at, Args: v.args(), Via: v.via, More: v.more}
	if !v.words[0].Known || v.words[0].Text == "" {
		z.out.Commands = append(z.out.Commands, c)
		z.opaque(v.at, "the name of a command is computed: "+v.words[0].Text)
		return
	}
	c.Name = v.words[0].Text
	z.out.Commands = append(z.out.Commands, c)
	if v.deep > maxNested {
		z.opaque(v.at, "nested too deeply")
		return
	}
	name := v.name()
	if strings.HasPrefix(name, "%") {
		return
	}
	if dir := strings.TrimSuffix(c.Name, name); dir != "" && !slices.Contains(programs, dir) {
		z.opaque(v.at, "what the file "+c.Name+" does")
	}
	if look := runner(name); look != nil {
		look(z, &v)
	}
	if w, ok := wrappers[name]; ok {
		z.wrapped(&v, w)
	}
	if reason, ok := interpreters[name]; ok {
		z.opaque(v.at, name+" "+reason)
	}
	z.network(&v, name)
}

// programs are the directories of the programs that scripts know by their names. A file
// elsewhere may be a script.
var programs = []string{"/bin/", "/usr/bin/", "/usr/local/bin/", "/sbin/", "/usr/sbin/", "/usr/local/sbin/"}

// then notes the command that v runs, of its words from i on.
func (z *analyzer) then(v *invocation, i int, more bool) {
	if i >= len(v.words) {
		if more && v.more {
			z.opaque(v.at, "the command that "+v.name()+" runs is not known")
		}
		return
	}
	z.run(invocation{at: v.at, words: v.words[i:], stmt: v.stmt, via: v.name(), more: more || v.more, deep: v.deep + 1})
}

// A wrapper is a command whose operands are a command.
type wrapper struct {
	values   string   // short options that take a value
	flags    string   // those that take none
	long     []string // long options that take no value, or one behind a "="
	valued   []string // long options whose value may be the next word
	operands int      // before the command
	assigns  bool     // assignments may stand before the command
	more     bool     // the command gets further arguments
}

var wrappers = map[string]wrapper{
	"builtin": {},
	"exec":    {values: "a", flags: "cl"},
	"env": {values: "uC", flags: "i0v", assigns: true, long: []string{"ignore-environment", "null", "debug", "block-signal", "default-signal", "ignore-signal", "list-signal-handling"},
		valued: []string{"unset", "chdir"}},
	"nohup":   {},
	"setsid":  {flags: "cfw"},
	"nice":    {values: "n", valued: []string{"adjustment"}},
	"ionice":  {values: "cnpPu", flags: "t"},
	"stdbuf":  {values: "ioe", valued: []string{"input", "output", "error"}},
	"timeout": {values: "ks", flags: "v", operands: 1, long: []string{"foreground", "preserve-status", "verbose"}, valued: []string{"kill-after", "signal"}},
	"time":    {values: "fo", flags: "apqv", long: []string{"append", "portability", "quiet", "verbose"}, valued: []string{"format", "output"}},
	"xargs": {values: "adEIiLlnPs", flags: "0oprtx", more: true, long: []string{"null", "open-tty", "interactive", "no-run-if-empty", "verbose", "exit", "show-limits", "replace", "eof", "max-lines"},
		valued: []string{"arg-file", "delimiter", "max-args", "max-procs", "max-chars", "process-slot-var"}},
	"sudo":   {values: "ugChpTrtD", flags: "AbEeHknPS", assigns: true},
	"chroot": {operands: 1, long: []string{"skip-chdir"}, valued: []string{"userspec", "groups"}},
}

// wrapped notes the command that a wrapper runs.
func (z *analyzer) wrapped(v *invocation, w wrapper) {
	i, replace := 1, ""
options:
	for ; i < len(v.words); i++ {
		word := v.words[i]
		text := word.Text
		switch {
		case !word.Known:
			break options
		case text == "--":
			i++
			break options
		case text == "-" || !strings.HasPrefix(text, "-"):
			break options
		case strings.HasPrefix(text, "--"):
			name, _, has := strings.Cut(text[2:], "=")
			switch {
			case slices.Contains(w.valued, name):
				if !has {
					i++
				}
			case !slices.Contains(w.long, name):
				z.opaque(v.at, v.name()+": an option that is not known: "+text)
				return
			}
			if name == "replace" {
				replace = "{}"
			}
		default:
			skip, value, ok := bundle(text[1:], w)
			if !ok {
				z.opaque(v.at, v.name()+": an option that is not known: "+text)
				return
			}
			if skip {
				if i++; i < len(v.words) {
					value = v.words[i].Text
				}
			}
			if v.name() == "xargs" && strings.ContainsAny(text, "Ii") {
				replace = value
				if replace == "" {
					replace = "{}"
				}
			}
		}
	}
	for w.assigns && i < len(v.words) && isAssignment(v.words[i]) {
		name, value, _ := strings.Cut(v.words[i].Text, "=")
		z.sets(strings.Trim(name, `"'`), Word{value, v.words[i].Known}, v.at)
		i++
	}
	i += w.operands
	if w.more && i >= len(v.words) {
		z.run(invocation{at: v.at, words: []Word{{Text: "echo", Known: true}}, via: v.name(), more: true, deep: v.deep + 1})
		return
	}
	if replace != "" && i < len(v.words) && strings.Contains(v.words[i].Text, replace) {
		z.opaque(v.at, "the name of a command is computed: "+v.words[i].Text)
		return
	}
	for k := i; replace != "" && k < len(v.words); k++ {
		if strings.Contains(v.words[k].Text, replace) {
			v.words[k].Known = false
		}
	}
	z.then(v, i, w.more)
}

// bundle reads short options: whether the next word is the value of the last one,
// and whether all are known.
func bundle(text string, w wrapper) (skip bool, value string, ok bool) {
	for k := range len(text) {
		switch {
		case strings.IndexByte(w.values, text[k]) >= 0:
			optional := w.more && strings.IndexByte("il", text[k]) >= 0 // of xargs
			return k+1 == len(text) && !optional, text[k+1:], true
		case strings.IndexByte(w.flags, text[k]) >= 0:
		case w.values == "n" && text[k] >= '0' && text[k] <= '9': // nice -10
		default:
			return false, "", false
		}
	}
	return false, "", true
}

func isAssignment(w Word) bool {
	name, _, ok := strings.Cut(w.Text, "=")
	return ok && identifier.FindString(name) == strings.Trim(name, `"'`)
}

// interpreters are programs that run what they are given in a language of their
// own, and what they do then.
var interpreters = map[string]string{
	"python": "runs a program", "python3": "runs a program", "perl": "runs a program", "ruby": "runs a program", "node": "runs a program",
	"php": "runs a program", "lua": "runs a program", "tclsh": "runs a program", "expect": "runs a program", "deno": "runs a program",
	"bun": "runs a program", "go": "runs a program", "make": "runs commands of a file", "cmake": "runs commands of a file",
	"npm": "runs commands of a file", "npx": "runs a program", "yarn": "runs commands of a file", "pip": "runs commands of a file",
	"ed": "can run commands", "ex": "can run commands", "vi": "can run commands", "vim": "can run commands", "less": "can run commands",
	"more": "can run commands", "m4": "can run commands", "gdb": "can run commands", "dc": "can run commands", "bc": "reads a program",
	"ssh": "runs commands elsewhere", "su": "runs commands", "doas": "runs commands", "script": "runs commands", "watch": "runs commands",
	"parallel": "runs commands", "flock": "runs commands", "busybox": "is many commands", "toybox": "is many commands",
	"strace": "runs commands", "crontab": "runs commands later", "at": "runs commands later", "batch": "runs commands later",
	"docker": "runs commands elsewhere", "kubectl": "runs commands elsewhere", "fc": "runs commands of the history",
	"enable": "changes what names mean", "bind": "can run commands", "git": "can run commands of its configuration",
	"sqlite3": "can run commands", "man": "can run commands", "systemd-run": "runs commands", "unshare": "runs commands", "nsenter": "runs commands",
	"hash": "can say which programs run", "zsh": "runs a script", "fish": "runs a script", "csh": "runs a script", "tcsh": "runs a script",
	"split": "can run commands", "tar": "can run commands", "rsync": "can run commands", "zip": "can run commands",
	"compgen": "can run commands", "complete": "can run commands", "csplit": "writes files",
}

// clients are programs that use the network.
var clients = []string{
	"curl", "wget", "nc", "ncat", "netcat", "ssh", "scp", "sftp", "rsync", "ftp", "telnet", "ping", "dig", "host", "nslookup", "http", "https",
	"socat", "openssl", "pip", "pip3", "npm", "npx", "yarn", "go", "cargo", "gem", "apt", "apt-get", "docker", "kubectl", "aws", "gcloud",
}

// network notes a use of the network.
func (z *analyzer) network(v *invocation, name string) {
	uses := slices.Contains(clients, name)
	if name == "git" {
		uses = slices.ContainsFunc(v.args(), func(w Word) bool {
			return !w.Known || slices.Contains([]string{"clone", "fetch", "pull", "push", "ls-remote", "submodule", "remote", "archive"}, w.Text)
		})
	}
	if !uses {
		return
	}
	found := false
	for _, w := range v.args() {
		if u, err := url.Parse(w.Text); w.Known && err == nil && u.Host != "" {
			z.out.Network = append(z.out.Network, Network{v.at, name, w.Text})
			found = true
		}
	}
	if !found {
		z.out.Network = append(z.out.Network, Network{v.at, name, ""})
	}
}
