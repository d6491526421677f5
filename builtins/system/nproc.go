package system

import (
	"context"
	"fmt"
	"strconv"
	"strings"

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
	ignore, all := uint64(0), false
	f := c.Flags()
	f.Bool(&all, "all", "print the number of installed processors")
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
	n := uint64(processors)
	if !all {
		if threads, ok := openMP(c.Getenv("OMP_NUM_THREADS")); ok {
			n = threads
		}
		if limit, ok := openMP(c.Getenv("OMP_THREAD_LIMIT")); ok {
			n = min(n, limit)
		}
	}
	if ignore < n {
		n -= ignore
	} else {
		n = 1
	}
	_, err := fmt.Fprintln(c.Stdout, n)
	return err
}

// openMP reads a number as OpenMP's variables have it: the first of a list, if it
// is one and not zero.
func openMP(s string) (n uint64, ok bool) {
	s = strings.TrimLeft(s, " \t\n\v\f\r")
	digits := len(s) - len(strings.TrimLeft(s, "0123456789"))
	rest := strings.TrimLeft(s[digits:], " \t\n\v\f\r")
	n, err := strconv.ParseUint(s[:digits], 10, 64)
	return n, err == nil && n > 0 && (rest == "" || rest[0] == ',')
}
