package interp

import (
	"slices"
	"strings"

	"github.com/limpet-sh/limpet/builtins"
	"github.com/limpet-sh/limpet/internal/quote"
)

// pseudoSignals are the conditions that trap knows besides signals.
var pseudoSignals = []string{"EXIT", "DEBUG", "ERR", "RETURN"}

// trapName returns the name of a condition that trap is given.
func trapName(spec string) (string, bool) {
	if spec == "0" {
		return "EXIT", true
	}
	upper := strings.TrimPrefix(strings.ToUpper(spec), "SIG")
	if slices.Contains(pseudoSignals, upper) {
		return upper, true
	}
	s, ok := builtins.ParseSignal(spec)
	return s.Name(), ok && s != 0
}

func builtinTrap(sh *Shell, args []string) ctl {
	opts, args, ok := sh.options("trap", args, "lp")
	if !ok {
		return ctlNone
	}
	show := false
	for _, o := range opts {
		if o.letter == 'l' {
			return sh.listSignals("trap")
		}
		show = true
	}
	if show || len(args) == 0 {
		return sh.showTraps(args, show)
	}
	action, conditions := args[0], args[1:]
	reset := action == "-"
	if _, isSignal := trapName(action); len(conditions) == 0 {
		if n, isNum := plainInt(action); !isSignal || sh.is(optPosix) && !(isNum && n >= 0) {
			return sh.usage("trap")
		}
		reset, conditions = true, args
	} else if n, isNum := plainInt(action); isNum && n >= 0 {
		reset, conditions = true, args
	}
	status := 0
	for _, c := range conditions {
		name, ok := trapName(c)
		if !ok {
			sh.complain("trap", "%s: invalid signal specification", c)
			status = 1
			continue
		}
		sh.setTrap(name, action, reset)
	}
	sh.refreshHooks()
	return sh.done(status)
}

// setTrap sets or resets the trap called name.
func (sh *Shell) setTrap(name, action string, reset bool) {
	s, isSignal := builtins.ParseSignal(name)
	isSignal = isSignal && s != 0 && !slices.Contains(pseudoSignals, name)
	if isSignal && sh.unheeded&(1<<s) != 0 {
		return // Bash: what a shell was started to ignore it ignores
	}
	sh.listed = nil
	if reset {
		action = ""
	}
	if !sh.hold(len(action) - len(sh.traps[name])) {
		return
	}
	if sh.traps == nil {
		sh.traps = map[string]string{}
	}
	if reset {
		delete(sh.traps, name)
	} else {
		sh.traps[name] = action
	}
	if !isSignal {
		return
	}
	bit := uint64(1) << s
	sh.proc.caught.And(^bit)
	sh.proc.ignored.And(^bit)
	switch {
	case reset:
	case action == "":
		sh.proc.ignored.Or(bit)
	default:
		sh.proc.caught.Or(bit)
	}
}

// showTraps lists traps. In POSIX mode, those of trap -p include the ones that are not
// set.
func (sh *Shell) showTraps(names []string, explicit bool) ctl {
	traps := sh.traps
	if sh.listed != nil {
		traps = sh.listed
	}
	status := 0
	var list []string
	if len(names) == 0 {
		list = append(list, "EXIT")
		for _, s := range builtins.Signals() {
			list = append(list, s.Name())
		}
		list = append(list, "DEBUG", "ERR", "RETURN")
	}
	for _, n := range names {
		name, ok := trapName(n)
		if !ok {
			sh.complain("trap", "%s: invalid signal specification", n)
			status = 1
			continue
		}
		list = append(list, name)
	}
	var b strings.Builder
	for _, name := range list {
		action, ok := traps[name]
		posix := sh.is(optPosix)
		if ok {
			action = quote.Single(action)
		} else if action = "-"; !posix || !explicit {
			continue
		}
		if !posix && !slices.Contains(pseudoSignals, name) {
			name = "SIG" + name
		}
		b.WriteString("trap -- " + action + " " + name + "\n")
	}
	if !sh.print("trap", b.String()) {
		return ctlNone
	}
	return sh.done(status)
}

// listSignals prints the signals as kill -l does.
func (sh *Shell) listSignals(name string) ctl {
	var b strings.Builder
	if sh.is(optPosix) {
		for i, s := range builtins.Signals() {
			if i > 0 {
				b.WriteByte(' ')
			}
			b.WriteString(s.Name())
		}
		b.WriteByte('\n')
		sh.print(name, b.String())
		return sh.done(0)
	}
	for i, s := range builtins.Signals() {
		text := strings.Repeat(" ", max(0, 2-len(itoa(int64(s))))) + itoa(int64(s)) + ") " + s.Error()
		b.WriteString(text)
		if i%5 == 4 {
			b.WriteString("\n")
		} else {
			b.WriteString("\t")
		}
	}
	b.WriteString("\n")
	if !sh.print(name, b.String()) {
		return ctlNone
	}
	return sh.done(0)
}
