package interp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"strings"

	"github.com/limpet-sh/limpet/builtins"
	"github.com/limpet-sh/limpet/internal/parse"
	"github.com/limpet-sh/limpet/vfs"
)

// panicError returns the value of a panic as an error.
func panicError(v any) error { return &PanicError{Value: v, Stack: debug.Stack()} }

// runShell runs bash or sh as a command: a shell of its own that inherits the
// environment.
func (sh *Shell) runShell(ctx context.Context, name string, l launch) (int, error) {
	argv, std, view := l.argv, l.std, l.view
	if err := sh.x.error(); err != nil {
		return 0, err
	}
	inv, err := ParseInvocation(argv[0], argv[1:])
	switch {
	case err != nil:
		text := argv[0] + ": " + err.Error() + "\n"
		if _, ok := err.(usageError); ok {
			text += shellUsage(argv[0])
		}
		_, _ = io.WriteString(std.err, text)
		return usageStatus, nil
	case inv.help:
		_, _ = io.WriteString(std.out, "GNU bash, version "+version+"-(x86_64-pc-linux-gnu)\n"+shellUsage(argv[0]))
		return 0, nil
	case inv.showVersion:
		_, _ = io.WriteString(std.out, "GNU bash, version "+version+" (x86_64-pc-linux-gnu)\n")
		return 0, nil
	}
	inv.Posix = inv.Posix || name == "sh"
	inv.Startup.Dir, inv.Startup.Env, inv.Startup.Umask = view.Dir, environMap(l.env), view.Umask
	if inv.Startup.Env["PWD"] != view.Dir { // only PWD tells of symbolic links
		if dir, err := sh.physicalDir(view, view.Dir); err == nil {
			inv.Startup.Dir = dir
		}
	}
	sub := New(sh.cfg, inv.Startup)
	sub.x, sub.depth = sh.x, sh.depth+1
	if l.instead {
		sub.proc = sh.proc
		sub.proc.caught.Store(0)
	} else {
		var stop func()
		sub.proc, stop = sh.proc.heeding(ctx, strings.Join(argv, " "))
		defer stop()
	}
	sub.heedNot(sub.proc.ignored.Load())
	sub.mainPID = sub.proc.pid
	sub.fds = []*openFile{newOpenFile(borrow(std.in)), newOpenFile(borrow(std.out)), newOpenFile(borrow(std.err))}
	if view.Descriptor != nil {
		sub.inheritFDs(sh)
	}
	sub.params = inv.Args
	ppid := sub.own(sub.id("PPID"))
	ppid.str = itoa(int64(sub.proc.ppid))
	if !l.instead {
		defer func() {
			sub.proc.end(sub.status, sub.killedBy)
			sub.proc.tellParent()
		}()
	}
	defer sub.closeFDs()
	defer sub.release()
	if !sub.enter() {
		return 0, sh.x.error()
	}
	sub.runInvocation(inv)
	if err := sh.x.error(); err != nil {
		return sub.status, err
	}
	if sub.killedBy != 0 {
		sub.proc.killedBy = sub.killedBy
		return sub.status, death{sub.proc}
	}
	return sub.status, nil
}

// heedNot makes signals those that the shell was started to ignore, which traps
// cannot change.
func (sh *Shell) heedNot(signals uint64) {
	sh.unheeded = signals
	for _, s := range builtins.Signals() {
		if signals&(1<<s) != 0 {
			if sh.traps == nil {
				sh.traps = map[string]string{}
			}
			sh.traps[s.Name()] = ""
		}
	}
}

// inheritFDs gives a program the descriptors above 2 that its parent has.
func (sub *Shell) inheritFDs(sh *Shell) {
	for n := 3; n < len(sh.fds); n++ {
		if f := sh.fds[n]; f != nil {
			sub.setFD(n, f.retain()).release()
		}
	}
}

// runInvocation runs what a command line names, and sets the status.
func (sh *Shell) runInvocation(inv *Invocation) {
	sh.refreshHooks()
	sh.importOptions()
	sh.defineImports()
	if !sh.applyOptions(inv.Options) {
		return
	}
	if inv.Command {
		sh.set("BASH_EXECUTION_STRING", inv.Script)
	}
	if inv.login {
		sh.shopts |= shoptLoginShell
	}
	if sh.startupFiles(inv) == ctlNone {
		if inv.debugger {
			sh.startDebugger()
		}
		if inv.restricted {
			sh.restrict()
		}
		sh.dumping, sh.catalogue = inv.strings, inv.catalogue
		sh.runInvoked(inv)
	}
	sh.exits()
}

// runInvoked runs the script of a command line.
func (sh *Shell) runInvoked(inv *Invocation) {
	switch {
	case inv.Command:
		sh.runSource(inv.Script, "")
	case inv.File != "":
		src, err := sh.readScript(inv.File)
		if err == nil {
			sh.runSource(src, inv.File)
			return
		}
		sh.status = int(builtins.NotExecutable)
		name := sh.startup.Shell
		switch err {
		case errIsDirectory:
			name, err = inv.File, vfs.EISDIR
		case errBinary:
			name = inv.File
		case error(vfs.ENOENT):
			sh.status = int(builtins.NotFound)
		}
		_ = sh.write(2, []byte(fmt.Sprintf("%s: %s: %v\n", name, inv.File, err)))
	default:
		if f := sh.fd(0); f != nil {
			sh.runReader(f)
		}
	}
}

// errBinary reports a file that is no script.
var errBinary = errors.New("cannot execute binary file")

// readScript reads the script of a command line, which is searched in PATH where
// it is not in the working directory.
func (sh *Shell) readScript(name string) (string, error) {
	src, err := sh.readSource(name)
	if err == error(vfs.ENOENT) && !strings.Contains(name, "/") {
		if found := sh.sourcePath(name); found != name {
			src, err = sh.readSource(found)
		}
	}
	if err == nil && isBinary(src) {
		err = errBinary
	}
	return src, err
}

// isBinary reports whether a file that begins with head is none that a shell
// runs: an ELF file, or one with a NUL byte in its first line.
func isBinary(head string) bool {
	if isProgram(head) {
		return true
	}
	head = head[:min(len(head), 80)]
	i := strings.IndexAny(head, "\n\x00")
	return i >= 0 && head[i] == 0
}

// isProgram reports whether a file that begins with head is a program of a machine, or
// stands for one.
func isProgram(head string) bool {
	return strings.HasPrefix(head, "\x7fELF") || strings.HasPrefix(head, stubMagic)
}

// startupFiles runs the files that bash reads before its script. (bash manual,
// Bash Startup Files)
func (sh *Shell) startupFiles(inv *Invocation) ctl {
	home := sh.get("HOME")
	if inv.login && !inv.noProfile {
		if _, k := sh.startupFile("/etc/profile"); k != ctlNone {
			return k
		}
		for _, name := range []string{".bash_profile", ".bash_login", ".profile"} {
			if found, k := sh.startupFile(home + "/" + name); found || k != ctlNone {
				return k
			}
		}
		return ctlNone
	}
	file := ""
	switch {
	case sh.is(optPrivileged):
	case sh.interactive() && !sh.is(optPosix):
		if inv.noRC {
			return ctlNone
		}
		if file = home + "/.bashrc"; inv.rcFile != "" {
			file = inv.rcFile
		}
	case sh.interactive():
		file = sh.documentText(sh.get("ENV"))(sh)
	case !sh.is(optPosix):
		file = sh.documentText(sh.get("BASH_ENV"))(sh)
	}
	if sh.pending != ctlNone {
		return sh.take()
	}
	if file == "" {
		return ctlNone
	}
	_, k := sh.startupFile(file)
	return k
}

// startupFile runs a file where there is one.
func (sh *Shell) startupFile(name string) (found bool, k ctl) {
	src, err := sh.readSource(name)
	if err != nil {
		return false, ctlNone
	}
	if k = sh.runSourced(src, name); k == ctlReturn {
		k = ctlNone
	}
	sh.status = 0
	return true, k
}

// applyOptions applies the options of a command line, and reports whether they
// are all known.
func (sh *Shell) applyOptions(options []invocationOption) bool {
	for _, o := range options {
		switch {
		case o.letter == 'O' && o.name == "":
			sh.showShopts(nil, false, false, false, !o.on, false)
		case o.letter == 'O':
			bit := shoptBit(o.name)
			if bit == 0 {
				sh.errorf("%s: invalid shell option name", o.name)
				sh.status = usageStatus
				return false
			}
			sh.setShopt(bit, o.on)
		case o.letter == 'o' && o.name == "":
			sh.listOptions(o.on)
		case o.letter == 'o':
			if !sh.setNamed(sh.startup.Shell, o.name, o.on) {
				sh.status = usageStatus
				return false
			}
		default:
			sh.setOption(setOption(o.letter), o.on)
		}
	}
	sh.status = 0
	return true
}

// importOptions turns on the options that SHELLOPTS and BASHOPTS of the
// environment name.
func (sh *Shell) importOptions() {
	for name := range strings.SplitSeq(sh.startup.Env["SHELLOPTS"], ":") {
		switch o := sh.optionByName(name); {
		case name == "":
		case o == 0:
			sh.errorf("%s: invalid option name", name)
		default:
			sh.setOption(o, true)
		}
	}
	for name := range strings.SplitSeq(sh.startup.Env["BASHOPTS"], ":") {
		sh.setShopt(shoptBit(name), true)
	}
}

// defineImports defines the functions that the environment has.
func (sh *Shell) defineImports() {
	for _, f := range sh.imports {
		name, body, _ := strings.Cut(f, " ")
		if !strings.HasPrefix(body, "() {") || strings.ContainsAny(name, " ;|&()") {
			continue
		}
		prog, err := parse.File(name+" "+body, sh.parseMode())
		if err != nil || len(prog.Stmts) != 1 {
			continue // Bash: what is not a function alone is not run
		}
		sh.evalString(name+" "+body, "")
		if g := sh.function(name); g != nil {
			g.exported = true
		}
	}
	sh.imports, sh.status = nil, 0
}
