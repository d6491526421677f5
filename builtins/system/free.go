package system

import (
	"context"
	"fmt"
	"strings"

	"github.com/limpet-sh/limpet/builtins"
	"github.com/limpet-sh/limpet/limits"
)

var free = commands.Add(&builtins.Command{
	Name:     "free",
	Synopsis: "[options]",
	Summary:  "display amount of free and used memory in the system",
	Run:      runFree,
})

// runFree shows the memory that the script may use, and what it does use. The
// memory of the host is not shown; where there is no limit, the total is what
// is used.
func runFree(ctx context.Context, c *builtins.Call) error {
	unit, human, wide, total := int64(1024), false, false, false
	f := c.Flags()
	f.Info("", "V")
	for _, o := range []struct {
		names string
		unit  int64
	}{
		{"b,bytes", 1}, {"k,kibi", 1 << 10}, {"m,mebi", 1 << 20}, {"g,gibi", 1 << 30},
		{"kilo", 1e3}, {"mega", 1e6}, {"giga", 1e9},
	} {
		f.Do(o.names, fmt.Sprintf("show output in units of %d bytes", o.unit), func() error { unit = o.unit; return nil })
	}
	f.Bool(&human, "h,human", "show human-readable output")
	f.Bool(&total, "t,total", "show total for RAM + swap")
	f.Bool(&wide, "w,wide", "wide output")
	if err := noOperands(f); err != nil {
		return err
	}
	show := func(n int64) string {
		if human {
			return humanSize(n)
		}
		return fmt.Sprint(n / unit)
	}
	used := c.Meter.Used(limits.Memory)
	all := c.Meter.Limit(limits.Memory)
	if all == limits.Unlimited {
		all = used
	}
	left := all - used
	columns := []string{"total", "used", "free", "shared", "buff/cache", "available"}
	values := []int64{all, used, left, 0, 0, left}
	if wide {
		columns = []string{"total", "used", "free", "shared", "buffers", "cache", "available"}
		values = []int64{all, used, left, 0, 0, 0, left}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%8s", "")
	for _, name := range columns {
		fmt.Fprintf(&b, "%12s", name)
	}
	b.WriteString("\nMem:    ")
	for _, n := range values {
		fmt.Fprintf(&b, "%12s", show(n))
	}
	fmt.Fprintf(&b, "\nSwap:   %12s%12s%12s\n", show(0), show(0), show(0))
	if total {
		fmt.Fprintf(&b, "Total:  %12s%12s%12s\n", show(all), show(used), show(left))
	}
	_, err := fmt.Fprint(c.Stdout, b.String())
	return err
}

// humanSize writes a size in at most three digits and a unit.
func humanSize(n int64) string {
	x, units := float64(n), []string{"B", "Ki", "Mi", "Gi", "Ti"}
	unit := 0
	for x >= 1024 && unit < len(units)-1 {
		x /= 1024
		unit++
	}
	if unit > 0 && x < 10 {
		return fmt.Sprintf("%.1f%s", x, units[unit])
	}
	return fmt.Sprintf("%d%s", int64(x), units[unit])
}
