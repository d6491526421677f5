package system

import (
	"context"
	"fmt"

	"github.com/limpet-sh/limpet/builtins"
)

var whoami = commands.Add(&builtins.Command{
	Name:    "whoami",
	Summary: "print effective user name",
	Run:     runWhoami,
})

func runWhoami(ctx context.Context, c *builtins.Call) error {
	if err := noOperands(c.Flags()); err != nil {
		return err
	}
	_, err := fmt.Fprintln(c.Stdout, users(c).Show(c.User.UID))
	return err
}

// noOperands parses the options of a command that takes no operands.
func noOperands(f *builtins.Flags) error {
	args, err := f.Parse()
	if err == nil && len(args) > 0 {
		err = f.Fail(builtins.Usage("extra operand %s", builtins.QuoteLocale(args[0])))
	}
	return err
}
