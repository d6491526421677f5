package interp

import (
	"strings"
)

func variableBuiltins() []*builtin {
	const declareUsage = "[-aAfFgiIlnrtux] [name[=value] ...] or declare -p [-aAfFilnrtux] [name ...]"
	words := func(run func(*Shell, string, []declared) ctl, name string) func(*Shell, []string) ctl {
		return func(sh *Shell, args []string) ctl {
			list := make([]declared, len(args))
			for i, a := range args {
				list[i].word = a
			}
			return run(sh, name, list)
		}
	}
	declare := func(name, usage string, special bool, run func(*Shell, string, []declared) ctl) *builtin {
		return &builtin{name: name, usage: usage, special: special, declare: run, run: words(run, name)}
	}
	return []*builtin{
		declare("declare", declareUsage, false, builtinDeclare),
		declare("typeset", strings.ReplaceAll(strings.Replace(declareUsage, "[name[=value] ...]", "name[=value] ...", 1), "declare", "typeset"), false, builtinDeclare),
		declare("local", "[option] name[=value] ...", false, builtinDeclare),
		declare("export", "[-fn] [name[=value] ...] or export -p", true, builtinDeclare),
		declare("readonly", "[-aAf] [name[=value] ...] or readonly -p", true, builtinDeclare),
		{name: "unset", special: true, usage: "[-f] [-v] [-n] [name ...]", run: builtinUnset},
		{name: "shift", special: true, usage: "[n]", run: builtinShift},
		{name: "getopts", usage: "optstring name [arg ...]", run: builtinGetopts},
	}
}

// adopt makes the variable that an assignment before the call of the running
// function has made a local one of it, and reports whether there is one.
func (sh *Shell) adopt(id int) bool {
	for i := len(sh.locals) - 1; i >= 0; i-- {
		l := &sh.locals[i]
		if l.id != id || l.opts != nil {
			continue
		}
		if l.by != byCall || l.frame != sh.functionFrame()-1 {
			return false
		}
		l.frame = sh.functionFrame()
		sh.own(id).flags |= vLocal
		return true
	}
	return false
}

// ready returns the assignment with its values expanded: a declaration expands
// all its arguments before it makes the first variable. assoc says that it makes
// associative arrays.
func (a *assignment) ready(sh *Shell, assoc bool) *assignment {
	if a.isList {
		return a.expanded(sh, assoc)
	}
	b := *a
	b.value = constant(a.value(sh))
	b.run = b.general
	return &b
}

func builtinShift(sh *Shell, args []string) ctl {
	if len(args) > 0 && args[0] == "--" {
		args = args[1:]
	}
	n := int64(1)
	if len(args) > 0 {
		var ok bool
		if n, ok = builtinInt(args[0]); !ok {
			sh.complain("shift", "%s: numeric argument required", args[0])
			return sh.done(1)
		}
	}
	switch {
	case len(args) > 1:
		sh.complain("shift", "too many arguments")
		return sh.done(1)
	case n < 0:
		sh.complain("shift", "%s: shift count out of range", args[0])
		return sh.done(1)
	case n > int64(len(sh.params)):
		if sh.shopt(shoptShiftVerbose) {
			sh.complain("shift", "%d: shift count out of range", n)
		}
		return sh.done(1)
	}
	sh.params = sh.params[n:]
	return sh.done(0)
}
