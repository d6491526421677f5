package system

import (
	"context"
	"math"
	"time"

	"github.com/limpet-sh/limpet/builtins"
)

var sleep = commands.Add(&builtins.Command{
	Name:     "sleep",
	Synopsis: "NUMBER[SUFFIX]...",
	Summary:  "delay for a specified amount of time",
	Run:      runSleep,
})

func runSleep(ctx context.Context, c *builtins.Call) error {
	f := c.Flags()
	args, err := f.Parse()
	if err != nil {
		return err
	}
	if len(args) == 0 {
		return f.Fail(builtins.Usage("missing operand"))
	}
	var total time.Duration
	bad := ""
	for _, arg := range args {
		d, ok := parseDuration(arg)
		if !ok {
			if bad != "" {
				c.Warnf("invalid time interval %s", builtins.QuoteLocale(bad))
			}
			bad = arg
		}
		if total += d; total < 0 {
			total = math.MaxInt64
		}
	}
	if bad != "" {
		return f.Fail(builtins.Usage("invalid time interval %s", builtins.QuoteLocale(bad)))
	}
	return c.Clock.Sleep(ctx, total)
}
