package system

import (
	"context"

	"github.com/limpet-sh/limpet/builtins"
)

var trueCommand = commands.Add(&builtins.Command{
	Name:    "true",
	Summary: "do nothing, successfully",
	Run: func(ctx context.Context, c *builtins.Call) error {
		return anyArguments(c, 0)
	},
})

var falseCommand = commands.Add(&builtins.Command{
	Name:    "false",
	Summary: "do nothing, unsuccessfully",
	Run: func(ctx context.Context, c *builtins.Call) error {
		return anyArguments(c, 1)
	},
})

// anyArguments returns status, whatever the arguments are, unless the only one
// asks for help.
func anyArguments(c *builtins.Call, status builtins.Exit) error {
	f := c.Flags()
	if len(c.Args) == 1 && c.Args[0] == "--help" {
		if _, err := f.Parse(); err != builtins.Exit(0) {
			return err
		}
	}
	return status
}
