package system

import (
	"context"
	"fmt"
	"strconv"

	"github.com/limpet-sh/limpet/builtins"
)

var nproc = commands.Add(&builtins.Command{
	Name:     "nproc",
	Synopsis: "[OPTION]...",
	Summary:  "print the number of processing units available",
	Run:      runNproc,
})

// processors is how many processing units a sandbox shows. It does not tell
// how many the host has.
const processors = 1

func runNproc(ctx context.Context, c *builtins.Call) error {
	ignore := uint64(0)
	f := c.Flags()
	f.Do("all", "print the number of installed processors", func() error { return nil })
	f.Func("ignore", "if possible, exclude `N` processing units", func(s string) error {
		n, err := strconv.ParseUint(s, 10, 64)
		if err != nil {
			return fmt.Errorf("invalid number: %s", builtins.QuoteLocale(s))
		}
		ignore = n
		return nil
	})
	if err := noOperands(f); err != nil {
		return err
	}
	n := 1
	if ignore < processors {
		n = processors - int(ignore)
	}
	_, err := fmt.Fprintln(c.Stdout, n)
	return err
}
