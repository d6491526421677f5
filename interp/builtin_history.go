package interp

import (
	"fmt"
	"slices"
	"strings"

	"github.com/limpet-sh/limpet/internal/pattern"
	"github.com/limpet-sh/limpet/vfs"
)

// remember adds a command to the history, where the option is on.
func (sh *Shell) remember(command string) {
	if !sh.is(optHistory) || strings.TrimSpace(command) == "" {
		return
	}
	control := sh.get("HISTCONTROL")
	if strings.HasPrefix(command, " ") && (strings.Contains(control, "ignorespace") || strings.Contains(control, "ignoreboth")) {
		return
	}
	if n := len(sh.history); n > 0 && sh.history[n-1] == command && (strings.Contains(control, "ignoredups") || strings.Contains(control, "ignoreboth")) {
		return
	}
	if sh.ignoresHistory(command) || !sh.addHistory(command) {
		return
	}
	if n, ok := plainInt(sh.get("HISTSIZE")); ok && n >= 0 && int64(len(sh.history)) > n {
		gone := len(sh.history) - int(n)
		sh.cutHistory(0, gone)
		sh.historyBase += gone
	}
}

// addHistory adds an entry to the history. It reports whether there is memory for it.
func (sh *Shell) addHistory(command string) bool {
	if !sh.hold(len(command) + 16) {
		return false
	}
	sh.history = append(sh.history, command)
	return true
}

// cutHistory removes the entries from one on up to another.
func (sh *Shell) cutHistory(from, to int) {
	sh.hold(-textSize(sh.history[from:to]))
	sh.history = append(sh.history[:from:from], sh.history[to:]...)
}

// ignoresHistory reports whether HISTIGNORE matches a command.
func (sh *Shell) ignoresHistory(command string) bool {
	list := sh.get("HISTIGNORE")
	if list == "" {
		return false
	}
	last := ""
	if n := len(sh.history); n > 0 {
		last = sh.history[n-1]
	}
	for _, p := range splitColons(list) {
		if p == "&" && command == last || sh.matchesAs(p, command, pattern.Extglob) {
			return true
		}
	}
	return false
}

func builtinHistory(sh *Shell, args []string) ctl {
	opts, args, ok := sh.options("history", args, "anrwcd:ps")
	if !ok {
		return ctlNone
	}
	for _, o := range opts {
		switch o.letter {
		case 'c':
			sh.cutHistory(0, len(sh.history))
			sh.historyBase = 0
		case 'd':
			if !sh.deleteHistory(o.value) {
				sh.complain("history", "%s: history position out of range", o.value)
				return sh.done(1)
			}
		case 's':
			sh.forgetThis()
			if !sh.addHistory(strings.Join(args, " ")) {
				return sh.take()
			}
			return sh.done(0)
		case 'p':
			sh.forgetThis()
			for _, a := range args {
				sh.print("history", a+"\n")
			}
			return sh.done(0)
		case 'a', 'w', 'r', 'n':
			return sh.historyFile(o.letter, args)
		}
	}
	if len(opts) > 0 {
		return sh.done(0)
	}
	from := 0
	if len(args) > 0 {
		n, ok := builtinInt(args[0])
		if !ok || n < 0 {
			sh.complain("history", "%s: numeric argument required", args[0])
			return sh.done(1)
		}
		if len(args) > 1 {
			sh.complain("history", "too many arguments")
			return sh.abandon()
		}
		from = max(0, len(sh.history)-int(min(n, int64(len(sh.history)))))
	}
	var b strings.Builder
	for i := from; i < len(sh.history); i++ {
		fmt.Fprintf(&b, "%5d  %s\n", sh.historyBase+i+1, sh.history[i])
	}
	if !sh.print("history", b.String()) {
		return ctlNone
	}
	return sh.done(0)
}

// deleteHistory removes one entry, or a range of them.
func (sh *Shell) deleteHistory(spec string) bool {
	place := func(s string) (int, bool) {
		n, ok := builtinInt(s)
		if n < 0 {
			n += int64(len(sh.history)) + 1
		} else {
			n -= int64(sh.historyBase)
		}
		return int(n), ok && n >= 1 && n <= int64(len(sh.history))
	}
	first, last := spec, spec
	if i := strings.IndexByte(spec[min(1, len(spec)):], '-'); i >= 0 {
		first, last = spec[:i+1], spec[i+2:]
	}
	from, ok1 := place(first)
	to, ok2 := place(last)
	if !ok1 || !ok2 || from > to {
		return false
	}
	sh.cutHistory(from-1, to)
	return true
}

// historyFile reads or writes the file of the history.
func (sh *Shell) historyFile(letter byte, args []string) ctl {
	name := sh.get("HISTFILE")
	if len(args) > 0 {
		name = args[0]
	}
	if name == "" {
		return sh.done(0)
	}
	v := sh.view()
	if letter == 'r' || letter == 'n' {
		data, err := sh.readSource(name)
		if err != nil {
			sh.complain("history", "%s: cannot read: %v", name, vfs.ErrnoOf(err))
			return sh.done(1)
		}
		for line := range strings.Lines(data) {
			if !sh.addHistory(strings.TrimSuffix(line, "\n")) {
				return sh.take()
			}
		}
		return sh.done(0)
	}
	flag := vfs.O_WRONLY | vfs.O_CREATE | vfs.O_TRUNC
	if letter == 'a' {
		flag = vfs.O_WRONLY | vfs.O_CREATE | vfs.O_APPEND
	}
	f, err := v.OpenFile(name, flag, 0o600)
	if err == nil {
		_, err = f.WriteString(strings.Join(append(sh.history, ""), "\n"))
		f.Close()
	}
	if err != nil {
		sh.complain("history", "%s: cannot create: %v", name, vfs.ErrnoOf(err))
		return sh.done(1)
	}
	return sh.done(0)
}

// forgetThis removes the command that is running from the history.
func (sh *Shell) forgetThis() {
	if n := len(sh.history); n > 0 && sh.recorded {
		sh.cutHistory(n-1, n)
	}
	sh.recorded = false
}

// builtinFc lists and runs commands of the history. There is no editor to edit
// them with.
func builtinFc(sh *Shell, args []string) ctl {
	split := slices.IndexFunc(args, func(a string) bool { // -5 is a place in the history
		return len(a) > 1 && a[0] == '-' && a[1] >= '0' && a[1] <= '9'
	})
	var places []string
	if split >= 0 {
		args, places = args[:split], args[split:]
	}
	opts, args, ok := sh.options("fc", args, "e:lnrs")
	if !ok {
		return ctlNone
	}
	args = slices.Concat(args, places)
	var list, plain, reverse, run bool
	for _, o := range opts {
		switch o.letter {
		case 'l':
			list = true
		case 'n':
			plain = true
		case 'r':
			reverse = true
		case 's':
			run = true
		case 'e':
			run = run || o.value == "-"
		}
	}
	if !run {
		return sh.listCommands(args, list, plain, reverse)
	}
	sh.forgetThis()
	if len(sh.history) == 0 {
		sh.complain("fc", "no command found")
		return sh.done(1)
	}
	return sh.runAgain(args)
}

// listCommands is fc -l: the command that is running does not count.
func (sh *Shell) listCommands(args []string, list, plain, reverse bool) ctl {
	if sh.recorded {
		all := sh.history
		sh.history = all[:len(all)-1]
		defer func() { sh.history = all }()
	}
	if len(sh.history) == 0 {
		if list {
			return sh.done(0)
		}
		sh.complain("fc", "no command found")
		return sh.done(1)
	}
	if !list {
		sh.complain("fc", "no editor is available: use fc -s or fc -l")
		return sh.done(1)
	}
	from, to := max(0, len(sh.history)-16), len(sh.history)-1
	for i, a := range args {
		at, ok := sh.historyPlace(a)
		if !ok {
			sh.complain("fc", "history specification out of range")
			return sh.done(1)
		}
		if i == 0 {
			from = at
		} else {
			to = at
		}
	}
	if from > to {
		from, to, reverse = to, from, !reverse
	}
	var b strings.Builder
	for k := from; k <= to; k++ {
		i := k
		if reverse {
			i = to - (k - from)
		}
		if plain {
			b.WriteString("\t " + sh.history[i] + "\n")
		} else {
			fmt.Fprintf(&b, "%d\t %s\n", sh.historyBase+i+1, sh.history[i])
		}
	}
	if !sh.print("fc", b.String()) {
		return ctlNone
	}
	return sh.done(0)
}

// historyPlace finds an entry by its number, counted from the end where it is
// negative, or by its beginning.
func (sh *Shell) historyPlace(spec string) (int, bool) {
	if n, ok := builtinInt(spec); ok {
		if n < 0 {
			n += int64(len(sh.history)) + 1
		} else {
			n -= int64(sh.historyBase)
		}
		return int(n) - 1, n >= 1 && n <= int64(len(sh.history))
	}
	for i := len(sh.history) - 1; i >= 0; i-- {
		if strings.HasPrefix(sh.history[i], spec) {
			return i, true
		}
	}
	return 0, false
}

// runAgain is fc -s: it runs an earlier command, with a replacement.
func (sh *Shell) runAgain(args []string) ctl {
	from, to := "", ""
	if len(args) > 0 {
		if a, b, ok := strings.Cut(args[0], "="); ok {
			from, to, args = a, b, args[1:]
		}
	}
	at := len(sh.history) - 1
	if len(args) > 0 {
		var ok bool
		if at, ok = sh.historyPlace(args[0]); !ok {
			sh.complain("fc", "no command found")
			return sh.done(1)
		}
	}
	command := sh.history[at]
	if from != "" {
		command = strings.ReplaceAll(command, from, to)
	}
	_ = sh.write(2, []byte(command+"\n"))
	sh.remember(command)
	if !sh.enter() {
		return sh.take()
	}
	k := sh.evalString(command, "fc")
	sh.depth--
	return k
}
