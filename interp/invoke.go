package interp

import (
	"context"
	"fmt"
	"runtime/debug"
	"strings"

	"github.com/limpet-sh/limpet/builtins"
	"github.com/limpet-sh/limpet/internal/parse"
	"github.com/limpet-sh/limpet/vfs"
)

// panicError returns the value of a panic as an error.
func panicError(v any) error { return &PanicError{Value: v, Stack: debug.Stack()} }

// An Invocation is the command line of bash or sh, parsed.
type Invocation struct {
	Startup
	Script  string   // with -c
	File    string   // the script file, or "" for standard input
	Args    []string // $1, $2, ...
	Options []string // arguments of set and shopt, as in "-e" and "-O extglob"
}

// ParseInvocation parses the arguments of bash or sh, which do not include the
// name.
func ParseInvocation(name string, args []string) (*Invocation, error) {
	v := &Invocation{Startup: Startup{Name: name, Posix: name == "sh" || strings.HasSuffix(name, "/sh")}}
	for len(args) > 0 {
		a := args[0]
		if a == "--" || a == "-" {
			args = args[1:]
			break
		}
		if long, ok := strings.CutPrefix(a, "--"); ok {
			args = args[1:]
			switch long {
			case "posix":
				v.Posix = true
			case "norc", "noprofile", "noediting", "login", "restricted", "verbose":
				if long == "verbose" {
					v.Options = append(v.Options, "-v")
				}
			case "rcfile", "init-file":
				if len(args) > 0 {
					args = args[1:]
				}
			default:
				return nil, fmt.Errorf("%s: invalid option", a)
			}
			continue
		}
		if len(a) < 2 || a[0] != '-' && a[0] != '+' {
			break
		}
		args = args[1:]
		for i := 1; i < len(a); i++ {
			switch c := a[i]; c {
			case 'c':
				v.Command = true
			case 's':
				v.Stdin = true
			case 'i':
				v.Interactive = true
			case 'l':
			case 'o', 'O':
				if len(args) == 0 {
					v.Options = append(v.Options, a[:1]+string(c))
					continue
				}
				v.Options = append(v.Options, a[:1]+string(c)+" "+args[0])
				args = args[1:]
			default:
				if strings.IndexByte("abefhkmnptuvxBCEHPT", c) < 0 {
					return nil, fmt.Errorf("%c%c: invalid option", a[0], c)
				}
				v.Options = append(v.Options, a[:1]+string(c))
			}
		}
	}
	switch {
	case v.Command:
		if len(args) == 0 {
			return nil, fmt.Errorf("-c: option requires an argument")
		}
		v.Script, args = args[0], args[1:]
		if len(args) > 0 {
			v.Name, args = args[0], args[1:]
		}
	case !v.Stdin && len(args) > 0:
		v.File, v.Name, args = args[0], args[0], args[1:]
	default:
		v.Stdin = true
	}
	v.Args = args
	return v, nil
}

// runShell runs bash or sh as a command: a shell of its own that inherits the
// environment.
func (sh *Shell) runShell(ctx context.Context, name string, argv []string, std streams, env builtins.Environ, view *vfs.View) (int, error) {
	if err := sh.x.error(); err != nil {
		return 0, err
	}
	args := argv[1:]
	if len(args) > 0 && args[0] == "--version" {
		_, _ = std.out.Write([]byte("GNU bash, version " + version + " (x86_64-pc-linux-gnu)\n"))
		return 0, nil
	}
	inv, err := ParseInvocation(argv[0], args)
	if err != nil {
		fmt.Fprintf(std.err, "%s: %v\n", name, err)
		return 2, nil
	}
	inv.Posix = inv.Posix || name == "sh"
	inv.Startup.Dir, inv.Startup.Env, inv.Startup.Umask = view.Dir, environMap(env), view.Umask
	sub := New(sh.cfg, inv.Startup)
	sub.x, sub.depth = sh.x, sh.depth+1
	sub.proc = sh.x.table.add(sh.proc, ctx, strings.Join(argv, " "))
	sub.proc.ignored.Store(sh.proc.ignored.Load())
	sub.mainPID = sub.proc.pid
	sub.fds = []*openFile{newOpenFile(borrow(std.in)), newOpenFile(borrow(std.out)), newOpenFile(borrow(std.err))}
	if view.Descriptor != nil {
		sub.inheritFDs(sh)
	}
	sub.params = inv.Args
	ppid := sub.own(sub.id("PPID"))
	ppid.str = itoa(int64(sh.proc.pid))
	defer func() { sub.proc.end(sub.status, sub.killedBy) }()
	defer sub.closeFDs()
	defer sub.release()
	if !sub.enter() {
		return 0, sh.x.error()
	}
	status, err := sub.runInvocation(inv)
	if err == nil && sub.killedBy != 0 {
		err = death{sub.proc}
	}
	return status, err
}

// inheritFDs gives a program the descriptors above 2 that its parent has.
func (sub *Shell) inheritFDs(sh *Shell) {
	for n := 3; n < len(sh.fds); n++ {
		if f := sh.fds[n]; f != nil {
			sub.setFD(n, f.retain()).release()
		}
	}
}

// runInvocation runs what a command line names.
func (sh *Shell) runInvocation(inv *Invocation) (int, error) {
	sh.refreshHooks()
	sh.defineImports()
	if k := sh.applyOptions(inv.Options); k != ctlNone {
		return sh.status, sh.x.error()
	}
	src, file := inv.Script, ""
	switch {
	case inv.Command:
	case inv.File != "":
		s, err := sh.readSource(sh.sourcePath(inv.File))
		if err != nil {
			name := sh.cfg.shellName(inv.Posix)
			status := 127
			if err != error(vfs.ENOENT) {
				status = 126
			}
			if err == errIsDirectory {
				_ = sh.write(2, []byte(fmt.Sprintf("%s: %s: Is a directory\n", inv.File, inv.File)))
			} else {
				_ = sh.write(2, []byte(fmt.Sprintf("%s: %s: %v\n", name, inv.File, err)))
			}
			return status, sh.x.error()
		}
		src, file = s, inv.File
	default:
		return sh.runStdin()
	}
	sh.runSource(src, file)
	sh.exits()
	return sh.status, sh.x.error()
}

func (c *Config) shellName(posix bool) string {
	if posix {
		return "sh"
	}
	return "bash"
}

// applyOptions applies the options of a command line.
func (sh *Shell) applyOptions(options []string) ctl {
	for _, o := range options {
		sign, rest := o[0], o[1:]
		var k ctl
		switch {
		case strings.HasPrefix(rest, "O"):
			flag := "-s"
			if sign == '+' {
				flag = "-u"
			}
			if name := strings.TrimPrefix(rest, "O "); name != rest {
				k = builtinShopt(sh, []string{flag, name})
			} else {
				k = builtinShopt(sh, nil)
			}
		default:
			k = builtinSet(sh, strings.Fields(o))
		}
		if k != ctlNone || sh.status != 0 {
			return ctlExit
		}
	}
	return ctlNone
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

// runStdin runs the commands of standard input. They may read the rest of it
// themselves, and so the shell reads no more than it runs.
func (sh *Shell) runStdin() (int, error) {
	f := sh.fd(0)
	if f == nil {
		return 0, nil
	}
	k := sh.runReader(f)
	_ = k
	sh.exits()
	return sh.status, sh.x.error()
}
