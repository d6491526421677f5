package interp

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"maps"
	"strings"

	"github.com/limpet-sh/limpet/builtins"
	"github.com/limpet-sh/limpet/internal/quote"
	"github.com/limpet-sh/limpet/limits"
	"github.com/limpet-sh/limpet/vfs"
)

// stubMagic begins the program files that stand for commands of this module. It
// is followed by the command's name and a newline.
const stubMagic = "\x7fLIMPET "

// Stub returns the content of a program file that stands for the command called
// name. A script that copies, links or removes such a file does the same to the
// command.
func Stub(name string) []byte { return []byte(stubMagic + name + "\n") }

// A hashed is a program that the shell remembers the path of.
type hashed struct {
	path string
	hits int
}

// lookPath finds a program in the directories of PATH. Where there is only a
// file that may not be run, it returns that and EACCES.
func (sh *Shell) lookPath(v *vfs.View, path, name string) (string, error) {
	if strings.Contains(name, "/") {
		return name, sh.executable(v, name)
	}
	refused := ""
	if name == "" {
		return "", vfs.ENOENT
	}
	for dir := range strings.SplitSeq(path, ":") {
		if dir == "" {
			dir = "."
		}
		full := strings.TrimSuffix(dir, "/") + "/" + name
		switch err := sh.executable(v, full); err {
		case nil:
			return full, nil
		case error(vfs.EACCES):
			if refused == "" {
				refused = full
			}
		}
	}
	if refused != "" {
		return refused, vfs.EACCES
	}
	return "", vfs.ENOENT
}

// executable reports whether name is a file that the user may run.
func (sh *Shell) executable(v *vfs.View, name string) error {
	info, err := v.Stat(name)
	switch {
	case err != nil:
		return vfs.ErrnoOf(err)
	case info.IsDir():
		return vfs.EISDIR
	case !sh.access(info, 1):
		return vfs.EACCES
	}
	return nil
}

// access reports whether the user has the permissions of mode, bits as in
// chmod's last digit, for a file.
func (sh *Shell) access(info fs.FileInfo, mode fs.FileMode) bool {
	return sh.cfg.User.May(info, mode)
}

// program runs a program that the shell finds through PATH.
func (sh *Shell) program(argv []string) ctl {
	name := argv[0]
	if sh.restrictedPath(name) {
		sh.errorf("%s: restricted: cannot specify `/' in command names", name)
		return sh.done(1)
	}
	if k, ok := sh.notFoundHandle(argv); ok {
		return k
	}
	path, err := sh.findProgram(name)
	if err != nil {
		if path == "" {
			path = name
		}
		sh.status = sh.cannotRun(path, err)
		return ctlNone
	}
	return sh.execute(path, argv)
}

// findProgram is lookPath with the shell's memory of earlier finds.
func (sh *Shell) findProgram(name string) (string, error) {
	v := sh.view()
	if strings.Contains(name, "/") {
		return sh.lookPath(v, "", name)
	}
	if h, ok := sh.hash[name]; ok {
		err := sh.executable(v, h.path)
		if err == nil || !sh.is(optPosix) && !sh.shopt(shoptCheckhash) {
			h.hits++
			sh.hash[name] = h
			return h.path, err
		}
		sh.dropHash(name)
	}
	path, err := sh.lookPath(v, sh.get("PATH"), name)
	if err == nil && sh.is(optHashall) {
		sh.setHash(name, hashed{path, 1})
	}
	return path, err
}

// cannotRun reports a program that cannot be run, and returns the status.
func (sh *Shell) cannotRun(name string, err error) int {
	shown := name
	if strings.ContainsFunc(name, func(r rune) bool { return r < ' ' || r == 0x7f }) {
		shown = quote.ANSI(name)
	}
	switch {
	case strings.Contains(name, "/") && errors.Is(err, vfs.EISDIR):
		sh.errorf("%s: Is a directory", shown)
	case strings.Contains(name, "/") || errors.Is(err, vfs.EACCES):
		sh.errorf("%s: %v", shown, err)
		if errors.Is(err, vfs.ENOENT) {
			return int(builtins.NotFound)
		}
	case sh.get("PATH") == "":
		sh.errorf("%s: %v", shown, vfs.ENOENT)
		return int(builtins.NotFound)
	default:
		if sh.cfg.Unavailable != nil {
			if hint := sh.cfg.Unavailable(name); hint != "" {
				sh.errorf("%s: command not found: %s", shown, hint)
				return int(builtins.NotFound)
			}
		}
		sh.errorf("%s: command not found", shown)
		return int(builtins.NotFound)
	}
	return int(builtins.NotExecutable)
}

// notFoundHandle calls the function command_not_found_handle where there is one
// and no such program.
func (sh *Shell) notFoundHandle(argv []string) (ctl, bool) {
	f := sh.function("command_not_found_handle")
	if f == nil || strings.Contains(argv[0], "/") {
		return ctlNone, false
	}
	if _, err := sh.findProgram(argv[0]); err != error(vfs.ENOENT) {
		return ctlNone, false
	}
	return sh.sub(func(sub *Shell) ctl {
		return sub.call(f, append([]string{f.name}, argv...))
	}), true
}

// execute runs the program file path in the foreground.
func (sh *Shell) execute(path string, argv []string) ctl {
	if !sh.enter() {
		return sh.take()
	}
	defer func() { sh.depth-- }()
	end := sh.proc.waits()
	st, err := sh.runFile(sh.proc.ctx, path, sh.launch(path, argv))
	end()
	sh.proc.childEnded()
	if err != nil {
		return sh.commandError(err)
	}
	sh.status = st
	if sh.x.halted.Load() {
		return ctlStop
	}
	if len(sh.jobs.list) > 0 {
		sh.reapJobs()
	}
	return ctlNone
}

// A death is the error of a program that a signal has killed.
type death struct{ proc *process }

// Error names the signal.
func (d death) Error() string { return d.proc.killedBy.Error() }

// commandError takes an error of a command that is not a status: its death, the
// end of the execution, or a bug.
func (sh *Shell) commandError(err error) ctl {
	switch err := err.(type) {
	case builtins.Signal:
		sh.status = 128 + int(err)
		return ctlNone
	case death:
		if err.proc == sh.proc {
			return sh.die(err.proc.killedBy)
		}
		sh.status, sh.dead = err.proc.status, err.proc
		return ctlNone
	}
	return sh.stop(err)
}

// streams are the standard streams of a command.
type streams struct {
	in       io.Reader
	out, err io.Writer
}

// streams returns the shell's own, for a command that it waits for.
func (sh *Shell) streams() streams {
	return streams{sh.reader(0), sh.writer(1), sh.writer(2)}
}

func (sh *Shell) reader(n int) io.Reader {
	f := sh.fd(n)
	if f == nil {
		return closedStream{}
	}
	if _, ok := f.Stream.(contextReader); ok {
		return &reference{openFile: f, ctx: sh.proc.ctx, borrowed: true}
	}
	return f.Stream
}

func (sh *Shell) writer(n int) io.Writer {
	f := sh.fd(n)
	if f == nil {
		return closedStream{}
	}
	if _, ok := f.Stream.(contextWriter); ok {
		return &reference{openFile: f, ctx: sh.proc.ctx, borrowed: true}
	}
	return f.Stream
}

// A launch is what a program starts with.
type launch struct {
	argv []string
	std  streams
	env  builtins.Environ
	view *vfs.View

	// instead says that the program takes the place of the shell's process,
	// which runs nothing after it.
	instead bool
}

// launch returns what a program starts with that the shell itself runs.
func (sh *Shell) launch(path string, argv []string) launch {
	return launch{
		argv: argv, std: sh.streams(), env: programEnviron{sh.environment(), path}, view: sh.view(),
		instead: sh.stageLevel == sh.level(),
	}
}

// runFile runs a program file: a command of this module, or a script. An error
// ends the execution, or is a death.
func (sh *Shell) runFile(ctx context.Context, path string, l launch) (int, error) {
	view := l.view
	head, err := readHead(view, path)
	if err != nil {
		return sh.cannotRun(path, vfs.ErrnoOf(err)), nil
	}
	if name, ok := bytes.CutPrefix(head, []byte(stubMagic)); ok {
		name, _, _ = bytes.Cut(name, []byte("\n"))
		switch s := string(name); s {
		case "bash", "sh":
			return sh.runShell(ctx, s, l)
		default:
			cmd := sh.cfg.Command(s)
			if cmd == nil {
				return sh.cannotRun(path, vfs.ENOENT), nil
			}
			return sh.runCommand(ctx, cmd, l)
		}
	}
	return sh.runScript(ctx, path, head, l)
}

func readHead(view *vfs.View, path string) ([]byte, error) {
	f, err := view.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	buf := make([]byte, 256)
	n, err := io.ReadFull(f, buf)
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		err = nil
	}
	return buf[:n], err
}

// viaEnv returns the program that the interpreter of a script, env, only has to find, or
// "". It takes the place of env, so that signals come to it.
func viaEnv(interpreter []string) string {
	if len(interpreter) != 2 || interpreter[0] != "/usr/bin/env" && interpreter[0] != "/bin/env" {
		return ""
	}
	if name := interpreter[1]; !strings.ContainsAny(name, "-=/ \t") {
		return name
	}
	return ""
}

// runScript runs a file that is not a command: by its #! line, or as a script
// of this shell.
func (sh *Shell) runScript(ctx context.Context, path string, head []byte, l launch) (int, error) {
	argv, view := l.argv, l.view
	interpreter := []string{"bash"}
	if line, ok := bytes.CutPrefix(head, []byte("#!")); ok {
		line, _, _ = bytes.Cut(line, []byte("\n"))
		if text := strings.Trim(string(line), " \t"); text != "" {
			interpreter = []string{text}
			if i := strings.IndexAny(text, " \t"); i > 0 {
				interpreter = []string{text[:i], strings.TrimLeft(text[i:], " \t")}
			}
		}
		target := interpreter[0]
		switch err := sh.executable(view, target); err {
		case nil:
		case error(vfs.ENOENT), error(vfs.ENOTDIR):
			sh.errorf("%s: cannot execute: required file not found", path)
			return int(builtins.NotFound), nil
		default:
			sh.errorf("%s: %s: bad interpreter: %v", path, target, err)
			return int(builtins.NotExecutable), nil
		}
		if name := viaEnv(interpreter); name != "" {
			if found, err := sh.findProgram(name); err == nil {
				target, interpreter = found, []string{name}
			}
		}
		l.argv = append(interpreter, append([]string{path}, argv[1:]...)...)
		return sh.runFile(ctx, target, l)
	}
	if isBinary(string(head)) {
		sh.errorf("%s: cannot execute binary file: %v", path, vfs.ENOEXEC)
		return int(builtins.NotExecutable), nil
	}
	l.argv = append([]string{"bash", path}, argv[1:]...)
	return sh.runShell(ctx, "bash", l)
}

// runCommand calls a command of this module.
func (sh *Shell) runCommand(ctx context.Context, cmd *builtins.Command, l launch) (status int, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = panicError(v)
		}
	}()
	call := &builtins.Call{
		Command: cmd, Name: l.argv[0], Args: l.argv[1:], Env: l.env,
		Stdin: l.std.in, Stdout: l.std.out, Stderr: l.std.err,
		FS: l.view, Net: sh.x.net, Meter: sh.x.meter, Clock: sh.cfg.Clock, Rand: sh.cfg.Rand,
		User: sh.cfg.User, Host: sh.cfg.Host, PID: sh.proc.pid, PPID: sh.proc.ppid,
		Processes: processes{table: &sh.x.table}, Locks: &sh.x.locks,
	}
	if i := strings.LastIndexByte(call.Name, '/'); i >= 0 {
		call.Name = call.Name[i+1:]
	}
	call.LookPath = func(name string) (string, error) {
		return sh.lookPath(call.FS, execPath(call.Env), name)
	}
	base := *call // what others start from, while this one goes on counting its steps
	call.Exec = func(ctx context.Context, args []string, set func(*builtins.Call)) (builtins.Exit, error) {
		return sh.exec(ctx, &base, args, set)
	}
	st, err := builtins.Invoke(ctx, call)
	return int(st), err
}

// exec runs another command for a command, as Call.Exec.
func (sh *Shell) exec(ctx context.Context, caller *builtins.Call, args []string, set func(*builtins.Call)) (builtins.Exit, error) {
	if err := sh.x.meter.Charge(limits.Depth, 1); err != nil {
		return 0, err
	}
	defer sh.x.meter.Release(limits.Depth, 1)
	c := *caller
	view := *caller.FS
	c.FS = &view
	c.Name, c.Args = args[0], args[1:]
	if set != nil {
		set(&c)
	}
	view = *c.FS
	view.Context = ctx
	file, err := sh.lookPath(&view, execPath(c.Env), args[0])
	if err != nil {
		if errors.Is(err, vfs.ENOENT) || errors.Is(err, vfs.ENOTDIR) {
			return builtins.NotFound, nil
		}
		return builtins.NotExecutable, nil
	}
	l := launch{argv: append([]string{c.Name}, c.Args...), std: streams{c.Stdin, c.Stdout, c.Stderr}, env: c.Env, view: &view}
	run := func() (int, error) { return sh.runFile(ctx, file, l) }
	var st int
	if sh.x.hooks == nil {
		st, err = run()
	} else {
		st, err = sh.watchedProgram(ctx, append(args[:1:1], c.Args...), view.Dir, c.Stderr, run)
	}
	if dead, ok := err.(death); ok {
		return builtins.Exit(dead.proc.status), nil
	}
	return builtins.Exit(st), err
}

// execPath returns where execvp looks for programs.
func execPath(env builtins.Environ) string {
	if path, ok := env.Lookup("PATH"); ok {
		return path
	}
	return "/bin:/usr/bin"
}

// environMap copies an environment.
func environMap(env builtins.Environ) map[string]string { return maps.Collect(env.All()) }
