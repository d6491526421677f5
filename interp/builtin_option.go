package interp

import (
	"slices"
	"strings"
)

func optionBuiltins() []*builtin {
	return []*builtin{
		{name: "set", special: true, usage: "[-abefhkmnptuvxBCEHPT] [-o option-name] [--] [-] [arg ...]", run: builtinSet},
		{name: "shopt", usage: "[-pqsu] [-o] [optname ...]", run: builtinShopt},
		{name: "trap", special: true, usage: "[-lp] [[arg] signal_spec ...]", run: builtinTrap},
		{name: "enable", usage: "[-a] [-dnps] [-f filename] [name ...]", run: builtinEnable},
	}
}

func builtinSet(sh *Shell, args []string) ctl {
	if len(args) == 0 {
		text := sh.allVariables()
		if !sh.is(optPosix) {
			text += sh.allFunctions()
		}
		if !sh.print("set", text) {
			return ctlNone
		}
		return sh.done(0)
	}
	if bad := badSetOption(args); bad != "" {
		sh.complain("set", "%s: invalid option", bad)
		return sh.usage("set")
	}
	if sh.is(optRestricted) && loosens(args) {
		sh.complain("set", "+r: invalid option")
		sh.usage("set")
		return sh.done(1)
	}
	for i := 0; i < len(args); i++ {
		arg := args[i]
		switch {
		case arg == "--":
			sh.setParams(args[i+1:])
			return sh.done(0)
		case arg == "-":
			sh.setOption(optXtrace|optVerbose, false)
			if i+1 < len(args) {
				sh.setParams(args[i+1:])
			}
			return sh.done(0)
		case arg == "+":
			continue
		case len(arg) < 2 || arg[0] != '-' && arg[0] != '+':
			sh.setParams(args[i:])
			return sh.done(0)
		}
		on := arg[0] == '-'
		for j := 1; j < len(arg); j++ {
			if arg[j] == 'o' {
				if i+1 >= len(args) {
					sh.listOptions(on)
					continue
				}
				i++
				if !sh.setNamed("set", args[i], on) {
					return sh.done(usageStatus)
				}
				continue
			}
			sh.setOption(setOption(arg[j]), on)
		}
	}
	return sh.done(0)
}

// badSetOption returns the first option of set that there is not, or "".
func badSetOption(args []string) string {
	for i := 0; i < len(args); i++ {
		arg := args[i]
		if arg == "+" {
			continue
		}
		if len(arg) < 2 || arg[0] != '-' && arg[0] != '+' || arg == "--" {
			break
		}
		for j := 1; j < len(arg); j++ {
			switch {
			case arg[j] == 'o':
				i++
			case setOption(arg[j]) == 0:
				return arg[:1] + arg[j:j+1]
			}
		}
	}
	return ""
}

// loosens reports whether the options of set ask for an end of restrictions.
func loosens(args []string) bool {
	for _, arg := range args {
		if len(arg) < 2 || arg[0] != '-' && arg[0] != '+' || arg == "--" {
			return false
		}
		if arg[0] == '+' && strings.IndexByte(arg, 'r') > 0 {
			return true
		}
	}
	return false
}

// holdParams charges n bytes for positional parameters, in the place of what those take that
// there are.
func (sh *Shell) holdParams(n int) bool {
	ok := sh.hold(n - sh.paramsHeld)
	sh.paramsHeld = n
	return ok
}

// setParams sets the positional parameters.
func (sh *Shell) setParams(args []string) {
	n := 16 * len(args)
	for _, s := range args {
		n += len(s)
	}
	if !sh.holdParams(n) {
		return
	}
	sh.params = slices.Clone(args)
	sh.paramSets++
}

// setNamed turns an option on or off by its name.
func (sh *Shell) setNamed(builtin, name string, on bool) bool {
	o := sh.optionByName(name)
	if o == 0 {
		sh.complain(builtin, "%s: invalid option name", name)
		return false
	}
	if on && o == optVi {
		sh.opts &^= optEmacs
	}
	if on && o == optEmacs {
		sh.opts &^= optVi
	}
	sh.setOption(o, on)
	return true
}

// listOptions prints the options of set, as set -o or as set +o does.
func (sh *Shell) listOptions(table bool) {
	var b strings.Builder
	for _, row := range setOptions {
		on := sh.is(row.bit)
		switch {
		case table && on:
			b.WriteString(pad(row.name, 15) + "\ton\n")
		case table:
			b.WriteString(pad(row.name, 15) + "\toff\n")
		case on:
			b.WriteString("set -o " + row.name + "\n")
		default:
			b.WriteString("set +o " + row.name + "\n")
		}
	}
	sh.print("set", b.String())
}

func pad(s string, n int) string {
	if len(s) < n {
		s += strings.Repeat(" ", n-len(s))
	}
	return s
}

func builtinShopt(sh *Shell, args []string) ctl {
	opts, args, ok := sh.options("shopt", args, "psuqo")
	if !ok {
		return ctlNone
	}
	var set, unset, quiet, reusable, ofSet bool
	for _, o := range opts {
		switch o.letter {
		case 's':
			set = true
		case 'u':
			unset = true
		case 'q':
			quiet = true
		case 'p':
			reusable = true
		case 'o':
			ofSet = true
		}
	}
	if set && unset {
		sh.complain("shopt", "cannot set and unset shell options simultaneously")
		return sh.done(1)
	}
	if (set || unset) && len(args) > 0 {
		return sh.changeShopts(args, set, ofSet)
	}
	return sh.showShopts(args, set, unset, quiet, reusable, ofSet)
}

func (sh *Shell) changeShopts(names []string, on, ofSet bool) ctl {
	status := 0
	for _, name := range names {
		if ofSet {
			sh.setNamed("shopt", name, on) // Bash: a wrong name is no failure here
			continue
		}
		bit := shoptBit(name)
		switch {
		case bit == 0:
			sh.complain("shopt", "%s: invalid shell option name", name)
			status = 1
		default:
			sh.setShopt(bit, on)
		}
	}
	return sh.done(status)
}

func (sh *Shell) showShopts(names []string, set, unset, quiet, reusable, ofSet bool) ctl {
	var b strings.Builder
	status := 0
	all := len(names) == 0
	if all {
		if ofSet {
			for _, row := range setOptions {
				names = append(names, row.name)
			}
		} else {
			names = shoptNames
		}
	}
	for _, name := range names {
		on, known := sh.shopts&shoptBit(name) != 0, shoptBit(name) != 0
		if ofSet {
			o := sh.optionByName(name)
			on, known = sh.is(o), o != 0
		}
		if !known {
			if !sh.print("shopt", b.String()) {
				return ctlNone
			}
			b.Reset()
			sh.complain("shopt", "%s: invalid shell option name", name)
			status = 1
			continue
		}
		if !on && !all {
			status = max(status, 1)
		}
		if all && (set && !on || unset && on) {
			continue
		}
		word, sign, state := "shopt", "-u", "off"
		if on {
			sign, state = "-s", "on"
		}
		switch {
		case quiet:
		case reusable && ofSet:
			b.WriteString("set " + map[bool]string{true: "-o ", false: "+o "}[on] + name + "\n")
		case reusable:
			b.WriteString(word + " " + sign + " " + name + "\n")
		default:
			b.WriteString(pad(name, 15) + "\t" + state + "\n")
		}
	}
	if !sh.print("shopt", b.String()) {
		return ctlNone
	}
	return sh.done(status)
}

func builtinEnable(sh *Shell, args []string) ctl {
	opts, args, ok := sh.options("enable", args, "adnpsf:")
	if !ok {
		return ctlNone
	}
	var off, all, special, unload bool
	for _, o := range opts {
		switch o.letter {
		case 'n':
			off = true
		case 'a':
			all = true
		case 's':
			special = true
		case 'f': // Bash: no builtins are loaded from files
			if sh.isRestricted("enable") {
				return ctlNone
			}
			sh.complain("enable", "cannot open shared object %s: %s: cannot open shared object file: No such file or directory", o.value, o.value)
			return sh.done(1)
		case 'd':
			unload = true
		}
	}
	if len(args) == 0 {
		var b strings.Builder
		for _, name := range sh.builtinNames() {
			dis := sh.disabled[name]
			if special && !sh.names.builtin(name).special {
				continue
			}
			switch {
			case dis && (off || all):
				b.WriteString("enable -n " + name + "\n")
			case !dis && !off:
				b.WriteString("enable " + name + "\n")
			}
		}
		sh.print("enable", b.String())
		return sh.done(0)
	}
	status := 0
	for _, name := range args {
		if sh.names.builtin(name) == nil {
			sh.complain("enable", "%s: not a shell builtin", name)
			status = 1
			continue
		}
		if unload {
			sh.complain("enable", "%s: not dynamically loaded", name)
			status = 1
			continue
		}
		if sh.disabled == nil {
			sh.disabled = map[string]bool{}
		}
		if off {
			sh.disabled[name] = true
		} else {
			delete(sh.disabled, name)
		}
	}
	return sh.done(status)
}

func (sh *Shell) builtinNames() []string {
	names := make([]string, 0, len(sh.names.builtins))
	for name := range sh.names.builtins {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
