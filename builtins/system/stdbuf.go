package system

import (
	"context"
	"errors"
	"fmt"

	"github.com/limpet-sh/limpet/builtins"
	"github.com/limpet-sh/limpet/internal/size"
)

var stdbuf = commands.Add(&builtins.Command{
	Name:     "stdbuf",
	Synopsis: "OPTION... COMMAND [ARG]...",
	Summary:  "run a command; how it buffers is its own affair here",
	Trouble:  125,
	Run:      runStdbuf,
})

func runStdbuf(ctx context.Context, c *builtins.Call) error {
	given := false
	mode := func(s string) error {
		given = true
		if s == "L" {
			return nil
		}
		if _, err := size.Parse(s, size.Units+"0"); err != nil {
			if errors.Is(err, size.ErrOverflow) {
				return fmt.Errorf("invalid mode %s: %w", builtins.QuoteLocale(s), err)
			}
			return fmt.Errorf("invalid mode %s", builtins.QuoteLocale(s))
		}
		return nil
	}
	f := c.Flags()
	f.Ordered = true
	f.Func("i,input", "adjust standard input stream buffering: `MODE` is L, 0 or a size", func(s string) error {
		if s == "L" {
			return builtins.Usage("line buffering stdin is meaningless")
		}
		return mode(s)
	})
	f.Func("o,output", "adjust standard output stream buffering: `MODE` is L, 0 or a size", mode)
	f.Func("e,error", "adjust standard error stream buffering: `MODE` is L, 0 or a size", mode)
	args, err := f.Parse()
	switch {
	case err != nil:
		return err
	case len(args) == 0:
		return f.Fail(builtins.Usage("missing operand"))
	case !given:
		return f.Fail(builtins.Usage("you must specify a buffering mode option"))
	}
	return run(ctx, c, args, "failed to run command ", nil)
}

var setsid = commands.Add(&builtins.Command{
	Name:     "setsid",
	Synopsis: "[options] <program> [arguments ...]",
	Summary:  "run a program in a new session, which is the same one here",
	Run: func(ctx context.Context, c *builtins.Call) error {
		f := c.Flags()
		f.Ordered = true
		f.Info("h", "V")
		f.Do("c,ctty", "set the controlling terminal to the current one", func() error { return nil })
		f.Do("f,fork", "always fork", func() error { return nil })
		f.Do("w,wait", "wait for the program to exit", func() error { return nil })
		args, err := f.Parse()
		if err != nil {
			return err
		}
		if len(args) == 0 {
			return f.Fail(builtins.Usage("no command specified"))
		}
		if _, err := c.LookPath(args[0]); err != nil {
			c.Warnf("failed to execute %s: %w", args[0], err)
			return builtins.NotFound
		}
		return run(ctx, c, args, "", nil)
	},
})
