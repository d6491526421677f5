package system

import (
	"bufio"
	"context"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"github.com/limpet-sh/limpet/builtins"
	"github.com/limpet-sh/limpet/vfs"
)

var env = commands.Add(&builtins.Command{
	Name:     "env",
	Synopsis: "[OPTION]... [-] [NAME=VALUE]... [COMMAND [ARG]...]",
	Summary:  "run a program in a modified environment",
	Trouble:  125,
	Run:      runEnv,
})

// An envSetup is what the options of env ask for.
type envSetup struct {
	empty, null, debug bool
	unset              []string
	dir                string
}

func runEnv(ctx context.Context, c *builtins.Call) error {
	var s envSetup
	if err := splitArgs(c); err != nil {
		return err
	}
	f := c.Flags()
	f.Ordered = true
	f.Bool(&s.empty, "i,ignore-environment", "start with an empty environment")
	f.Bool(&s.null, "0,null", "end each output line with NUL, not newline")
	f.Strings(&s.unset, "u,unset", "remove the variable `NAME` from the environment")
	f.String(&s.dir, "C,chdir", "change working directory to `DIR`")
	f.Func("S,split-string", "process and split `S` into separate arguments", func(string) error { return nil })
	f.Bool(&s.debug, "v,debug", "print verbose information for each processing step")
	args, err := f.Parse()
	if err != nil {
		return err
	}
	if len(args) > 0 && args[0] == "-" {
		s.empty, args = true, args[1:]
	}
	e, args, err := s.environ(c, args)
	if err != nil {
		return err
	}
	switch {
	case len(args) == 0 && s.dir != "":
		return f.Fail(builtins.Usage("must specify command with --chdir (-C)"))
	case len(args) == 0:
		return printEnviron(c, e, s.null)
	case s.null:
		return f.Fail(builtins.Usage("cannot specify --null (-0) with command"))
	}
	return s.exec(ctx, c, e, args)
}

// environ returns the environment that s and the assignments at the start of
// args make, and the rest of args.
func (s *envSetup) environ(c *builtins.Call, args []string) (*environ, []string, error) {
	e := newEnviron(c.Env)
	if s.empty {
		s.log(c, "cleaning environ\n")
		e = newEnviron(nil)
	}
	for _, name := range s.unset {
		if s.empty {
			break
		}
		if name == "" || strings.Contains(name, "=") {
			c.Warnf("cannot unset %s: %w", builtins.QuoteLocale(name), vfs.EINVAL)
			return nil, nil, c.Command.Trouble
		}
		s.log(c, "unset:    %s\n", name)
		e.unset(name)
	}
	for len(args) > 0 && strings.Contains(args[0], "=") {
		s.log(c, "setenv:   %s\n", args[0])
		name, value, _ := strings.Cut(args[0], "=")
		e.set(name, value)
		args = args[1:]
	}
	return e, args, nil
}

// exec runs a command in the environment e and the directory of s.
func (s *envSetup) exec(ctx context.Context, c *builtins.Call, e *environ, args []string) error {
	view := *c.FS
	if s.dir != "" {
		s.log(c, "chdir:    %s\n", builtins.Quote(s.dir))
		info, err := c.FS.Stat(s.dir)
		if err == nil && !info.IsDir() {
			err = &fs.PathError{Op: "chdir", Path: s.dir, Err: vfs.ENOTDIR}
		}
		if err != nil {
			c.Warnf("cannot change directory to %s: %w", builtins.Quote(s.dir), vfs.ErrnoOf(err))
			return c.Command.Trouble
		}
		view.Dir = path.Clean(c.FS.Abs(s.dir))
	}
	s.log(c, "executing: %s\n", args[0])
	for i, arg := range args {
		s.log(c, "   arg[%d]= %s\n", i, builtins.QuoteLocale(arg))
	}
	err := run(ctx, c, args, "", func(child *builtins.Call) {
		child.Env = e
		child.FS = &view
	})
	if err == builtins.NotFound && c.Failed() && strings.ContainsAny(args[0], " \t\n\v\f\r") {
		c.Warnf("use -[v]S to pass options in shebang lines")
	}
	return err
}

// log prints a step of the work where debugging was asked for.
func (s *envSetup) log(c *builtins.Call, format string, args ...any) {
	if s.debug {
		fmt.Fprintf(c.Stderr, format, args...)
	}
}

// printEnviron prints the variables of e.
func printEnviron(c *builtins.Call, e builtins.Environ, null bool) error {
	end := byte('\n')
	if null {
		end = 0
	}
	w := bufio.NewWriter(c.Stdout)
	for name, value := range e.All() {
		w.WriteString(name)
		w.WriteByte('=')
		w.WriteString(value)
		w.WriteByte(end)
	}
	return w.Flush()
}
