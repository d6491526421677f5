package system

import (
	"context"

	"github.com/limpet-sh/limpet/builtins"
	"github.com/limpet-sh/limpet/vfs"
)

var chcon = commands.Add(&builtins.Command{
	Name:     "chcon",
	Synopsis: "[OPTION]... CONTEXT FILE...\n       chcon [OPTION]... [-u USER] [-r ROLE] [-l RANGE] [-t TYPE] FILE...\n       chcon [OPTION]... --reference=RFILE FILE...",
	Summary:  "change the security context of each file, which no file here has",
	Run:      runChcon,
})

func runChcon(ctx context.Context, c *builtins.Call) error {
	parts := 0
	part := func(string) error { parts++; return nil }
	reference := ""
	noop := func() error { return nil }
	f := c.Flags()
	f.Do("dereference", "affect what symbolic links refer to", noop)
	f.Do("h,no-dereference", "affect symbolic links themselves", noop)
	f.Func("u,user", "set user `USER` in the context", part)
	f.Func("r,role", "set role `ROLE` in the context", part)
	f.Func("t,type", "set type `TYPE` in the context", part)
	f.Func("l,range", "set range `RANGE` in the context", part)
	f.Do("no-preserve-root", "do not treat '/' specially", noop)
	f.Do("preserve-root", "fail to operate recursively on '/'", noop)
	f.String(&reference, "reference", "use the context of `RFILE`")
	f.Do("R,recursive", "operate on files and directories recursively", noop)
	f.Do("v,verbose", "tell of every file", noop)
	f.Do("H", "follow operands that are links to directories", noop)
	f.Do("L", "follow every link to a directory", noop)
	f.Do("P", "follow no links", noop)
	args, err := f.Parse()
	if err != nil {
		return err
	}
	needed := 2
	if parts > 0 || reference != "" {
		needed = 1
	}
	switch {
	case len(args) == 0:
		return f.Fail(builtins.Usage("missing operand"))
	case len(args) < needed:
		return f.Fail(builtins.Usage("missing operand after %s", builtins.QuoteLocale(args[0])))
	}
	if reference != "" {
		c.Warnf("failed to get security context of %s: %w", builtins.Quote(reference), vfs.EOPNOTSUPP)
		return builtins.Exit(1)
	}
	for _, name := range args[needed-1:] {
		switch _, err := c.FS.Stat(name); {
		case err != nil:
			c.Warnf("cannot access %s: %w", builtins.Quote(name), vfs.ErrnoOf(err))
		case parts > 0:
			c.Warnf("can't apply partial context to unlabeled file %s", builtins.Quote(name))
		default:
			c.Warnf("failed to change context of %s to %s: %w", builtins.Quote(name), builtins.QuoteLocale(args[0]), vfs.EOPNOTSUPP)
		}
	}
	return nil
}

var runcon = commands.Add(&builtins.Command{
	Name:     "runcon",
	Synopsis: "CONTEXT COMMAND [ARG]...",
	Summary:  "run a program in another security context, which cannot be had here",
	Run: func(ctx context.Context, c *builtins.Call) error {
		set := func(string) error { return nil }
		f := c.Flags()
		f.Ordered = true
		f.Do("c,compute", "compute the context before modifying it", func() error { return nil })
		f.Func("t,type", "the `TYPE` of the context", set)
		f.Func("u,user", "the `USER` of the context", set)
		f.Func("r,role", "the `ROLE` of the context", set)
		f.Func("l,range", "the `RANGE` of the context", set)
		args, err := f.Parse()
		switch {
		case err != nil:
			return err
		case len(args) == 0 && len(c.Args) == 0:
			c.Warnf("failed to get current context: Invalid argument")
		default:
			c.Warnf("%s may be used only on a SELinux kernel", c.Name)
		}
		return nil
	},
})
