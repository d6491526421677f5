package system

import (
	"context"
	"fmt"
	"math/big"

	"github.com/limpet-sh/limpet/builtins"
)

var nohup = commands.Add(&builtins.Command{
	Name:     "nohup",
	Synopsis: "COMMAND [ARG]...",
	Summary:  "run a command immune to hangups, with output to a non-tty",
	Trouble:  125,
	Run: func(ctx context.Context, c *builtins.Call) error {
		f := c.Flags()
		f.Ordered = true
		args, err := f.Parse()
		if err != nil {
			return err
		}
		if len(args) == 0 {
			return f.Fail(builtins.Usage("missing operand"))
		}
		if _, err := c.LookPath(args[0]); err != nil {
			c.Warnf("failed to run command %s: %w", builtins.Quote(args[0]), err)
			if runnable(silent(c), args[0], "") == builtins.NotFound {
				return builtins.NotFound
			}
			return builtins.NotExecutable
		}
		return run(ctx, c, args, "", nil)
	},
})

// silent returns c with its errors shown nowhere.
func silent(c *builtins.Call) *builtins.Call {
	d := *c
	d.Stderr = discard{}
	return &d
}

type discard struct{}

func (discard) Write(b []byte) (int, error) { return len(b), nil }

var nice = commands.Add(&builtins.Command{
	Name:     "nice",
	Synopsis: "[OPTION] [COMMAND [ARG]...]",
	Summary:  "run a program with modified scheduling priority",
	Trouble:  125,
	Run:      runNice,
})

func runNice(ctx context.Context, c *builtins.Call) error {
	adjustment, given := "10", false
	set := func(s string) error { adjustment, given = s, true; return nil }
	f := c.Flags()
	f.Ordered = true
	f.Number = set
	f.Func("n,adjustment", "add integer `N` to the niceness (default 10)", set)
	args, err := f.Parse()
	switch {
	case err != nil:
		return err
	case !isInteger(adjustment):
		return f.Fail(fmt.Errorf("invalid adjustment %s", builtins.QuoteLocale(adjustment)))
	case len(args) == 0 && given:
		return f.Fail(builtins.Usage("a command must be given with an adjustment"))
	case len(args) == 0:
		_, err := fmt.Fprintln(c.Stdout, 0)
		return err
	}
	return run(ctx, c, args, "", nil)
}

// isInteger reports whether s is a number, of any size.
func isInteger(s string) bool {
	_, ok := new(big.Int).SetString(s, 10)
	return ok
}
