package system

import (
	"context"
	"fmt"

	"github.com/limpet-sh/limpet/builtins"
	"github.com/limpet-sh/limpet/vfs"
)

var tty = commands.Add(&builtins.Command{
	Name:     "tty",
	Synopsis: "[OPTION]...",
	Summary:  "print the file name of the terminal connected to standard input",
	Trouble:  2,
	Run: func(ctx context.Context, c *builtins.Call) error {
		var silent bool
		f := c.Flags()
		f.Bool(&silent, "s,silent,quiet", "print nothing, only return an exit status")
		if err := noOperands(f); err != nil {
			return err
		}
		terminal := builtins.Interactive(c.Stdin)
		if !silent {
			name := "not a tty"
			if terminal {
				name = "/dev/tty"
			}
			if _, err := fmt.Fprintln(c.Stdout, name); err != nil {
				return err
			}
		}
		if !terminal {
			return builtins.Exit(1)
		}
		return nil
	},
})

var stty = commands.Add(&builtins.Command{
	Name:     "stty",
	Synopsis: "[SETTING]...",
	Summary:  "change and print terminal line settings",
	Run: func(ctx context.Context, c *builtins.Call) error {
		f := c.Flags()
		f.Do("a,all", "print all current settings in human-readable form", func() error { return nil })
		f.Do("g,save", "print all current settings in a stty-readable form", func() error { return nil })
		f.Plain = func(arg string) bool { return len(arg) > 2 && arg[1] != '-' }
		if _, err := f.Parse(); err != nil {
			return err
		}
		return fmt.Errorf("'standard input': %w", vfs.ENOTTY)
	},
})

var mesg = commands.Add(&builtins.Command{
	Name:     "mesg",
	Synopsis: "[y|n]",
	Summary:  "control write access of other users to your terminal",
	Trouble:  2,
	Run: func(ctx context.Context, c *builtins.Call) error {
		f := c.Flags()
		f.Info("h", "V")
		if _, err := f.Parse(); err != nil {
			return err
		}
		return c.Command.Trouble // there is no terminal
	},
})
