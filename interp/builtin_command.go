package interp

import (
	"fmt"
	"slices"
	"strings"

	"github.com/limpet-sh/limpet/internal/quote"
)

func commandBuiltins() []*builtin {
	return []*builtin{
		{name: "command", usage: "[-pVv] command [arg ...]", run: builtinCommand},
		{name: "builtin", usage: "[shell-builtin [arg ...]]", run: builtinBuiltin},
		{name: "type", usage: "[-afptP] name [name ...]", run: builtinType},
		{name: "hash", usage: "[-lr] [-p pathname] [-dt] [name ...]", run: builtinHash},
		{name: "alias", usage: "[-p] [name[=value] ... ]", run: builtinAlias},
		{name: "unalias", usage: "[-a] name [name ...]", run: builtinUnalias},
	}
}

// keywords are the reserved words, in the order in which compgen -k lists them.
var keywords = []string{
	"if", "then", "else", "elif", "fi", "case", "esac", "for", "select", "while", "until", "do", "done", "in",
	"function", "time", "{", "}", "!", "[[", "]]", "coproc",
}

// standardPath is what command -p searches, and defaultPath is PATH where the
// environment has none.
const (
	standardPath = "/bin:/usr/bin:/sbin:/usr/sbin"
	defaultPath  = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
)

func builtinCommand(sh *Shell, args []string) ctl {
	opts, args, ok := sh.options("command", args, "pvV")
	if !ok {
		return ctlNone
	}
	var path, short, long bool
	for _, o := range opts {
		switch o.letter {
		case 'p':
			if sh.isRestricted("command: -p") {
				return ctlNone
			}
			path = true
		case 'v':
			short = true
		case 'V':
			long = true
		}
	}
	if len(args) == 0 {
		return sh.done(0)
	}
	if short || long {
		status := 1
		for _, name := range args {
			list := sh.find(name, false, path)
			if len(list) == 0 {
				if long {
					sh.complain("command", "%s: not found", name)
				}
				continue
			}
			status = 0
			text := list[0].short
			if long {
				text = list[0].long
			}
			if !sh.print("command", text+"\n") {
				return ctlNone
			}
		}
		return sh.done(status)
	}
	if b := sh.names.builtin(args[0]); b != nil && !sh.disabled[b.name] {
		sh.mildNext = true
		return sh.inner(KindBuiltin, args, func() ctl { return sh.runBuiltin(b, args) })
	}
	if path {
		file, err := sh.lookPath(sh.view(), standardPath, args[0])
		if err != nil {
			return sh.done(sh.cannotRun(args[0], err))
		}
		return sh.inner(KindProgram, args, func() ctl { return sh.execute(file, slices.Clone(args)) })
	}
	return sh.inner(KindProgram, args, func() ctl { return sh.program(slices.Clone(args)) })
}

func builtinBuiltin(sh *Shell, args []string) ctl {
	_, args, ok := sh.options("builtin", args, "")
	if !ok {
		return ctlNone
	}
	if len(args) == 0 {
		return sh.done(0)
	}
	b := sh.names.builtin(args[0])
	if b == nil || sh.disabled[b.name] {
		sh.complain("builtin", "%s: not a shell builtin", args[0])
		return sh.done(1)
	}
	return sh.inner(KindBuiltin, args, func() ctl { return sh.runBuiltin(b, args) })
}

// A finding is something that a command name may mean.
type finding struct {
	kind        string // as type -t says
	short, long string // what command -v and command -V print
	path        string
}

// find returns what name means as a command: the first thing, or all of them.
func (sh *Shell) find(name string, all, standard bool) []finding {
	var list []finding
	if value, ok := sh.aliases[name]; ok && sh.shopt(shoptExpandAliases) {
		list = append(list, finding{"alias", "alias " + name + "=" + quote.Single(value), fmt.Sprintf("%s is aliased to `%s'", name, value), ""})
	}
	if slices.Contains(keywords, name) {
		list = append(list, finding{"keyword", name, name + " is a shell keyword", ""})
	}
	if f := sh.function(name); f != nil {
		list = append(list, finding{"function", name, name + " is a function\n" + sh.printFunction(f), ""})
	}
	if b := sh.names.builtin(name); b != nil && !sh.disabled[name] {
		kind := name + " is a shell builtin"
		if b.special && sh.is(optPosix) {
			kind = name + " is a special shell builtin"
		}
		list = append(list, finding{"builtin", name, kind, ""})
	}
	if len(list) > 0 && !all {
		return list[:1]
	}
	return append(list, sh.findFiles(name, all, standard)...)
}

// findFiles returns the programs that name means. Bash: where there is none, a
// file in PATH that may not be run counts, unless all are asked for.
func (sh *Shell) findFiles(name string, all, standard bool) []finding {
	v := sh.view()
	if strings.Contains(name, "/") {
		if sh.executable(v, name) == nil {
			return []finding{{"file", name, name + " is " + name, name}}
		}
		return nil
	}
	if h, ok := sh.hash[name]; ok && !all && !standard {
		return []finding{{"file", h.path, name + " is hashed (" + h.path + ")", h.path}}
	}
	path := sh.get("PATH")
	if standard {
		path = standardPath
	}
	if !all {
		full, err := sh.lookPath(v, path, name)
		if full == "" || err != nil && sh.is(optPosix) {
			return nil
		}
		return []finding{{"file", full, name + " is " + full, full}}
	}
	var list []finding
	for dir := range strings.SplitSeq(path, ":") {
		if full, err := sh.lookPath(v, dir, name); err == nil {
			list = append(list, finding{"file", full, name + " is " + full, full})
		}
	}
	return list
}

func builtinType(sh *Shell, args []string) ctl {
	opts, args, ok := sh.options("type", args, "afptP")
	if !ok {
		return ctlNone
	}
	var all, noFuncs, paths, kinds, force bool
	for _, o := range opts {
		switch o.letter {
		case 'a':
			all = true
		case 'f':
			noFuncs = true
		case 'p':
			paths = true
		case 't':
			kinds = true
		case 'P':
			force = true
		}
	}
	status := 0
	for _, name := range args {
		var list []finding
		if force {
			list = sh.findFiles(name, all, false)
		} else {
			list = sh.find(name, all || noFuncs, false)
			if noFuncs {
				list = slices.DeleteFunc(list, func(f finding) bool { return f.kind == "function" })
				if len(list) > 1 && !all {
					list = list[:1]
				}
			}
		}
		if len(list) == 0 {
			if !paths && !kinds && !force {
				sh.complain("type", "%s: not found", name)
			}
			status = 1
			continue
		}
		for _, f := range list {
			text := f.long
			switch {
			case kinds:
				text = f.kind
			case paths || force:
				if text = f.path; text == "" {
					continue
				}
			}
			if !sh.print("type", text+"\n") {
				return ctlNone
			}
		}
	}
	return sh.done(status)
}

func builtinHash(sh *Shell, args []string) ctl {
	opts, args, ok := sh.options("hash", args, "lrp:dt")
	if !ok {
		return ctlNone
	}
	var list, remove, show bool
	path := ""
	for _, o := range opts {
		switch o.letter {
		case 'l':
			list = true
		case 'r':
			sh.clearHash()
		case 'p':
			path = o.value
		case 'd':
			remove = true
		case 't':
			show = true
		}
	}
	if !sh.is(optHashall) {
		sh.complain("hash", "hashing disabled")
		return sh.done(1)
	}
	if len(args) == 0 {
		switch {
		case remove || show:
			sh.complain("hash", "-%c: option requires an argument", opts[len(opts)-1].letter)
			return sh.done(1)
		case len(opts) == 0 || list:
			return sh.listHash(list)
		}
		return sh.done(0)
	}
	status := 0
	for _, name := range args {
		h, known := sh.hash[name]
		switch {
		case strings.Contains(name, "/"):
		case sh.restrictedPath(path):
			sh.complain("hash", "%s: restricted", path)
			status = 1
		case path != "":
			if !sh.setHash(name, hashed{path: path}) {
				return sh.take()
			}
		case remove || show:
			if !known {
				sh.complain("hash", "%s: not found", name)
				status = 1
			} else if remove {
				sh.dropHash(name)
			} else {
				text := h.path
				if len(args) > 1 {
					text = name + "\t" + text
				}
				sh.print("hash", text+"\n")
			}
		case sh.function(name) != nil || sh.names.builtin(name) != nil && !sh.disabled[name]:
		default:
			sh.dropHash(name)
			if file, err := sh.lookPath(sh.view(), sh.get("PATH"), name); err == nil {
				sh.setHash(name, hashed{path: file})
			} else {
				sh.complain("hash", "%s: not found", name)
				status = 1
			}
		}
	}
	return sh.done(status)
}

func (sh *Shell) listHash(reusable bool) ctl {
	if len(sh.hash) == 0 {
		if !sh.is(optPosix) {
			sh.print("hash", "hash: hash table empty\n")
		}
		return sh.done(0)
	}
	names := make([]string, 0, len(sh.hash))
	for name := range sh.hash {
		names = append(names, name)
	}
	slices.Sort(names)
	var b strings.Builder
	if !reusable {
		b.WriteString("hits\tcommand\n")
	}
	for _, name := range names {
		h := sh.hash[name]
		if reusable {
			b.WriteString("builtin hash -p " + h.path + " " + name + "\n")
		} else {
			fmt.Fprintf(&b, "%4d\t%s\n", h.hits, h.path)
		}
	}
	sh.print("hash", b.String())
	return sh.done(0)
}

func builtinAlias(sh *Shell, args []string) ctl {
	opts, args, ok := sh.options("alias", args, "p")
	if !ok {
		return ctlNone
	}
	show := func(name string) string {
		text := name + "=" + quote.Single(sh.aliases[name]) + "\n"
		if !sh.is(optPosix) || len(opts) > 0 {
			text = "alias " + text
		}
		return text
	}
	if len(args) == 0 || len(opts) > 0 {
		names := make([]string, 0, len(sh.aliases))
		for name := range sh.aliases {
			names = append(names, name)
		}
		slices.Sort(names)
		var b strings.Builder
		for _, name := range names {
			b.WriteString(show(name))
		}
		if !sh.print("alias", b.String()) {
			return ctlNone
		}
	}
	status := 0
	for _, a := range args {
		name, value, ok := strings.Cut(a, "=")
		switch {
		case ok && name != "":
			if strings.ContainsAny(name, " \t\n/$`'\"\\=&|;<>()") {
				sh.complain("alias", "`%s': invalid alias name", name)
				status = 1
				continue
			}
			if !sh.setAlias(name, value) {
				return sh.take()
			}
		default:
			if _, ok := sh.aliases[a]; !ok {
				sh.complain("alias", "%s: not found", a)
				status = 1
				continue
			}
			sh.print("alias", show(a))
		}
	}
	return sh.done(status)
}

func builtinUnalias(sh *Shell, args []string) ctl {
	opts, args, ok := sh.options("unalias", args, "a")
	if !ok {
		return ctlNone
	}
	if len(opts) > 0 {
		for name := range sh.aliases {
			sh.dropAlias(name)
		}
		return sh.done(0)
	}
	if len(args) == 0 {
		return sh.usage("unalias")
	}
	status := 0
	for _, name := range args {
		if _, ok := sh.aliases[name]; !ok {
			sh.complain("unalias", "%s: not found", name)
			status = 1
		}
		sh.dropAlias(name)
	}
	return sh.done(status)
}
