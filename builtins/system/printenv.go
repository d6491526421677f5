package system

import (
	"bufio"
	"context"
	"strings"

	"github.com/limpet-sh/limpet/builtins"
)

var printenv = commands.Add(&builtins.Command{
	Name:     "printenv",
	Synopsis: "[OPTION]... [VARIABLE]...",
	Summary:  "print all or part of environment",
	Trouble:  2,
	Run:      runPrintenv,
})

func runPrintenv(ctx context.Context, c *builtins.Call) error {
	var null bool
	f := c.Flags()
	f.Ordered = true
	f.Bool(&null, "0,null", "end each output line with NUL, not newline")
	names, err := f.Parse()
	if err != nil {
		return err
	}
	if len(names) == 0 {
		return printEnviron(c, c.Env, null)
	}
	end := byte('\n')
	if null {
		end = 0
	}
	missing := false
	w := bufio.NewWriter(c.Stdout)
	for _, name := range names {
		value, ok := c.Env.Lookup(name)
		if !ok || strings.Contains(name, "=") {
			missing = true
			continue
		}
		w.WriteString(value)
		w.WriteByte(end)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if missing {
		return builtins.Exit(1)
	}
	return nil
}
