package interp

import (
	"slices"
	"strings"

	"github.com/limpet-sh/limpet/builtins"
	"github.com/limpet-sh/limpet/internal/account"
)

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
