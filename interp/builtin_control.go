package interp

import (
	"strconv"
	"strings"

	"github.com/limpet-sh/limpet/builtins"
	"github.com/limpet-sh/limpet/vfs"
)

func controlBuiltins() []*builtin {
	return []*builtin{
		{name: ":", special: true, usage: "", run: func(sh *Shell, _ []string) ctl { return sh.done(0) }},
		{name: "true", usage: "", run: func(sh *Shell, _ []string) ctl { return sh.done(0) }},
		{name: "false", usage: "", run: func(sh *Shell, _ []string) ctl { return sh.done(1) }},
		{name: "break", special: true, usage: "[n]", run: func(sh *Shell, args []string) ctl { return sh.leaveLoops("break", args, ctlBreak) }},
		{name: "continue", special: true, usage: "[n]", run: func(sh *Shell, args []string) ctl { return sh.leaveLoops("continue", args, ctlContinue) }},
		{name: "return", special: true, usage: "[n]", run: builtinReturn},
		{name: "exit", special: true, usage: "[n]", run: builtinExit},
		{name: "logout", usage: "[n]", run: func(sh *Shell, args []string) ctl {
			sh.complain("logout", "not login shell: use `exit'")
			return sh.done(1)
		}},
		{name: "eval", special: true, usage: "[arg ...]", run: builtinEval},
		{name: "source", special: true, usage: "filename [arguments]", run: func(sh *Shell, args []string) ctl { return sh.sourceFile("source", args) }},
		{name: ".", special: true, usage: "filename [arguments]", run: func(sh *Shell, args []string) ctl { return sh.sourceFile(".", args) }},
		{name: "exec", special: true, usage: "[-cl] [-a name] [command [argument ...]] [redirection ...]", run: builtinExec},
		{name: "let", usage: "arg [arg ...]", run: builtinLet},
		{name: "caller", usage: "[expr]", run: builtinCaller},
	}
}

// leaveLoops runs break and continue.
func (sh *Shell) leaveLoops(name string, args []string, k ctl) ctl {
	if len(args) > 0 && args[0] == "--" {
		args = args[1:]
	}
	if sh.loops == 0 {
		if sh.is(optPosix) {
			return sh.done(0)
		}
		sh.complain(name, "only meaningful in a `for', `while', or `until' loop")
		return sh.done(0)
	}
	n := int64(1)
	if len(args) > 0 {
		var ok bool
		if n, ok = builtinInt(args[0]); !ok {
			sh.complain(name, "%s: numeric argument required", args[0])
			sh.status = 128
			return ctlExit
		}
	}
	if len(args) > 1 {
		sh.complain(name, "too many arguments")
		return sh.abandon()
	}
	if n < 1 {
		sh.complain(name, "%s: loop count out of range", args[0])
		sh.status, sh.levels = 1, sh.loops
		return ctlBreak
	}
	sh.status = 0
	sh.levels = int(min(n, int64(sh.loops)))
	return k
}

// builtinInt parses an integer argument of a builtin.
func builtinInt(s string) (int64, bool) {
	s = strings.TrimSpace(s)
	neg := strings.HasPrefix(s, "-")
	if neg || strings.HasPrefix(s, "+") {
		s = s[1:]
	}
	digits := strings.TrimLeft(s, "0")
	switch {
	case digits == "":
		return 0, s != ""
	case digits[0] < '0' || digits[0] > '9': // a second sign
		return 0, false
	case neg:
		digits = "-" + digits
	}
	n, err := strconv.ParseInt(digits, 10, 64)
	return n, err == nil
}

// statusArg returns the status that return and exit are given. Where it is not
// one, it reports that and returns what becomes of the command instead.
func (sh *Shell) statusArg(name string, args []string) (status int, k ctl) {
	if len(args) > 0 && args[0] == "--" {
		args = args[1:]
	}
	if len(args) == 0 {
		status = sh.status
		if n := len(sh.trapStatus); n > 0 && sh.inTrap&trapDebug == 0 {
			status = sh.trapStatus[n-1] // Bash: not what the trap's commands made of it
		}
		return status, ctlNone
	}
	n, valid := builtinInt(args[0])
	if !valid {
		sh.complain(name, "%s: numeric argument required", args[0])
		return usageStatus, ctlNone
	}
	if len(args) > 1 {
		sh.complain(name, "too many arguments")
		return 0, sh.abandon()
	}
	return int(n & 0xff), ctlNone
}

func builtinReturn(sh *Shell, args []string) ctl {
	before := sh.status
	status, k := sh.statusArg("return", args)
	switch {
	case k != ctlNone:
		return k
	case len(sh.frames) == 0:
		sh.complain("return", "can only `return' from a function or sourced script")
		return sh.done(usageStatus)
	}
	sh.status, sh.beforeReturn = status, before
	return ctlReturn
}

func builtinExit(sh *Shell, args []string) ctl {
	status, k := sh.statusArg("exit", args)
	if k != ctlNone {
		return k
	}
	sh.status = status
	sh.exitTrapHere() // where local variables are those of the function
	return ctlExit
}

func builtinEval(sh *Shell, args []string) ctl {
	if len(args) > 0 && args[0] == "--" {
		args = args[1:]
	} else if len(args) > 0 && len(args[0]) > 1 && args[0][0] == '-' {
		sh.complain("eval", "%s: invalid option", args[0][:2])
		return sh.usage("eval")
	}
	src := strings.Join(args, " ")
	if strings.TrimSpace(src) == "" {
		return sh.done(0)
	}
	if !sh.enter() {
		return sh.take()
	}
	sh.evals++
	spared := b2i(sh.quiet > 0)
	sh.spared += spared
	k := sh.evalString(src, "eval")
	sh.spared -= spared
	sh.evals--
	sh.depth--
	return k
}

// sourceFile runs the commands of a file in the shell itself.
func (sh *Shell) sourceFile(name string, args []string) ctl {
	if len(args) > 0 && args[0] == "--" {
		args = args[1:]
	} else if len(args) > 0 && len(args[0]) > 1 && args[0][0] == '-' {
		sh.complain(name, "%s: invalid option", args[0][:2])
		return sh.usage(name)
	}
	if len(args) == 0 {
		sh.complain(name, "filename argument required")
		return sh.usage(name)
	}
	if sh.restrictedPath(args[0]) {
		sh.complain(name, "%s: restricted", args[0])
		return sh.done(1)
	}
	path := sh.sourcePath(args[0])
	src, err := "", error(vfs.ENOENT)
	if path != "" {
		src, err = sh.readSource(path)
	}
	if err != nil {
		switch {
		case err == errIsDirectory:
			sh.complain(name, "%s: %v", args[0], err)
		case strings.Contains(path, "/") || !sh.is(optPosix):
			sh.errorf("%s: %v", args[0], err)
		default:
			sh.complain(name, "%s: file not found", args[0])
		}
		if sh.strict() && !sh.mild {
			sh.status = 1
			return ctlExit
		}
		return sh.notSourced(1)
	}
	if isProgram(src) {
		sh.complain(name, "%s: %v", path, errBinary)
		return sh.notSourced(int(builtins.NotExecutable))
	}
	if !sh.enter() {
		return sh.take()
	}
	params := sh.params
	replaced := len(args) > 1
	if replaced {
		sh.params = append([]string(nil), args[1:]...)
	}
	sets := sh.paramSets
	k := sh.runSourced(src, path)
	if replaced && (sets == sh.paramSets || sh.functionFrame() > 0) {
		sh.params = params
	}
	sh.depth--
	if k == ctlReturn {
		return ctlNone
	}
	return k
}

// notSourced ends source without a file. Bash: that runs the trap on RETURN too, to
// which $? is still that of the last command.
func (sh *Shell) notSourced(status int) ctl {
	defer sh.suspendDebug()()
	k := ctlNone
	if sh.hooks&hookReturn != 0 && (sh.opts&optErrexit == 0 || sh.quiet > 0) {
		k = sh.leaveFunction(k)
	}
	if k == ctlNone {
		sh.status = status
	}
	return k
}

// suspendDebug takes the trap on DEBUG away, which a sourced file does not inherit, until the
// function that it returns is called.
func (sh *Shell) suspendDebug() func() {
	debug, ok := sh.traps["DEBUG"]
	if !ok || sh.is(optFunctrace) {
		return func() {}
	}
	delete(sh.traps, "DEBUG")
	sh.refreshHooks()
	return func() {
		if _, ok := sh.traps["DEBUG"]; !ok {
			sh.traps["DEBUG"] = debug
			sh.refreshHooks()
		}
	}
}

// runSourced runs the text of a file as source does.
func (sh *Shell) runSourced(src, path string) ctl {
	u, err := sh.compileSource(src, path, 0)
	if err != nil {
		return sh.tooDeep(err)
	}
	name, command := sh.evalName, sh.command
	sh.frames = append(sh.frames, frame{name: "source", file: path, line: sh.line, caller: sh.file, params: sh.params, locals: len(sh.locals)})
	sh.file, sh.evalName = path, ""
	defer sh.suspendDebug()()
	sh.evals++
	spared := b2i(sh.quiet > 0)
	sh.spared += spared
	k := sh.runUnit(u, false)
	sh.spared -= spared
	sh.evals--
	sh.command = command
	if sh.hooks&hookReturn != 0 {
		k = sh.leaveFunction(k)
	}
	if len(u.groups) == 0 && u.err == nil {
		sh.status = 0
	}
	fr := sh.frames[len(sh.frames)-1]
	sh.frames = sh.frames[:len(sh.frames)-1]
	sh.file, sh.line, sh.evalName = fr.caller, fr.line, name
	return k
}

// sourcePath finds the file that source is given: through PATH where its name
// has no slash.
func (sh *Shell) sourcePath(name string) string {
	if strings.Contains(name, "/") || !sh.shopt(shoptSourcepath) {
		return name
	}
	v := sh.view()
	for _, dir := range strings.Split(sh.get("PATH"), ":") {
		full := strings.TrimSuffix(dir, "/") + "/" + name
		if dir == "" {
			full = name
		}
		if info, err := v.Stat(full); err == nil && !info.IsDir() {
			return full
		}
	}
	if sh.is(optPosix) {
		return ""
	}
	return name
}

// readSource reads a script.
func (sh *Shell) readSource(path string) (string, error) {
	v := sh.view()
	f, err := v.Open(path)
	if err != nil {
		return "", vfs.ErrnoOf(err)
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.IsDir() {
		return "", errIsDirectory
	}
	return sh.readAll(f)
}

func builtinLet(sh *Shell, args []string) ctl {
	if len(args) > 0 && args[0] == "--" {
		args = args[1:]
	}
	if len(args) == 0 {
		sh.complain("let", "expression expected")
		return sh.done(1)
	}
	var n int64
	for _, a := range args {
		n = sh.named("let", func(sh *Shell) int64 { return sh.evalText(a) })
		if sh.pending != ctlNone {
			return sh.takeArith()
		}
	}
	return sh.done(b2i(n == 0))
}

func builtinCaller(sh *Shell, args []string) ctl {
	n := int64(0)
	if len(args) > 0 {
		var ok bool
		if n, ok = builtinInt(args[0]); !ok {
			sh.complain("caller", "%s: invalid number", args[0])
			return sh.usage("caller")
		}
	}
	names, files, lines := sh.frameNames(), sh.sourceFiles(), sh.callLines()
	if len(sh.frames) == 0 && len(args) == 0 && sh.mainFile() != "" {
		sh.print("caller", "0 NULL\n")
		return sh.done(0)
	}
	if len(sh.frames) == 0 || n < 0 || int(n) >= len(sh.frames) {
		return sh.done(1)
	}
	file := "NULL"
	if int(n)+1 < len(files) {
		file = files[n+1]
	}
	text := lines[n]
	if len(args) > 0 {
		if int(n)+1 >= len(names) {
			return sh.done(1)
		}
		text += " " + names[n+1]
	}
	if !sh.print("caller", text+" "+file+"\n") {
		return ctlNone
	}
	return sh.done(0)
}

// builtinExec replaces the shell by a program; without one it does nothing: its
// redirections have been done.
func builtinExec(sh *Shell, args []string) ctl {
	opts, args, ok := sh.options("exec", args, "cla:")
	if !ok {
		return ctlNone
	}
	if len(args) == 0 {
		return sh.done(0)
	}
	if sh.isRestricted("exec") {
		return ctlNone
	}
	argv := append([]string(nil), args...)
	clean := false
	for _, o := range opts {
		switch o.letter {
		case 'c':
			clean = true
		case 'a':
			argv[0] = o.value
		case 'l':
			argv[0] = "-" + argv[0]
		}
	}
	path, err := sh.findProgram(args[0])
	if err != nil {
		switch {
		case !strings.Contains(args[0], "/") && err == error(vfs.ENOENT):
			sh.complain("exec", "%s: not found", args[0])
			sh.status = int(builtins.NotFound)
		case err == error(vfs.ENOENT):
			sh.status = sh.cannotRun(sh.view().Abs(strings.TrimPrefix(args[0], "./")), err)
		default:
			path = sh.view().Abs(strings.TrimPrefix(path, "./"))
			sh.cannotRun(path, err)
			sh.complain("exec", "%s: cannot execute: %v", path, err)
			sh.status = int(builtins.NotExecutable)
		}
		if sh.interactive() || sh.shopt(shoptExecfail) {
			return ctlNone
		}
		return ctlExit
	}
	k := sh.inner(KindProgram, args, func() ctl { return sh.replace(path, argv, clean) })
	if k == ctlNone && !sh.interactive() && !sh.shopt(shoptExecfail) { // it was refused
		return ctlExit
	}
	return k
}

// replace runs a program in the place of the shell.
func (sh *Shell) replace(path string, argv []string, clean bool) ctl {
	delete(sh.traps, "EXIT")
	if level := sh.lookup("SHLVL"); level.flags&vExport != 0 { // Bash: it stays for the program
		n, _ := plainInt(level.text(sh))
		sh.set("SHLVL", itoa(n-1))
	}
	l := sh.launch(path, argv)
	l.instead = true
	if clean {
		l.env = &environ{}
	}
	st, err := sh.runFile(sh.proc.ctx, path, l)
	if err != nil {
		return sh.commandError(err)
	}
	sh.status = st
	return ctlExit
}
