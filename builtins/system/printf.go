package system

import (
	"context"
	"fmt"

	"github.com/limpet-sh/limpet/builtins"
	"github.com/limpet-sh/limpet/internal/printf"
)

var printfCommand = commands.Add(&builtins.Command{
	Name:     "printf",
	Synopsis: "FORMAT [ARGUMENT]...",
	Summary:  "format and print data",
	Run:      runPrintf,
})

func runPrintf(ctx context.Context, c *builtins.Call) error {
	f := c.Flags()
	f.Ordered = true
	f.Plain = func(arg string) bool { return arg != "--help" || len(c.Args) > 1 }
	args, err := f.Parse()
	if err != nil {
		return err
	}
	if len(args) == 0 {
		return f.Fail(builtins.Usage("missing operand"))
	}
	held := 0
	defer func() { c.Free(held) }()
	p := printf.Printer{
		GNU:  true,
		Warn: func(line string) { fmt.Fprintf(c.Stderr, "%s: %s\n", c.Name, line) },
		Grow: func(n int) error { held += n; return c.Alloc(n) },
	}
	out, ok, err := p.Append(nil, args[0], args[1:])
	if err != nil {
		return err
	}
	if _, err := c.Stdout.Write(out); err != nil {
		return err
	}
	if !ok {
		return builtins.Exit(1)
	}
	return nil
}
