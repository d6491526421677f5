package text

import (
	"context"
	"errors"

	"github.com/limpet-sh/limpet/builtins"
	"github.com/limpet-sh/limpet/internal/printf"
)

var _ = commands.Add(&builtins.Command{
	Name:     "printf",
	Synopsis: "FORMAT [ARGUMENT]...",
	Summary:  "format and print arguments",
	Run:      runPrintf,
})

func runPrintf(ctx context.Context, c *builtins.Call) error {
	args := c.Args
	f := c.Flags()
	if c.FS == nil || len(args) == 1 && args[0] == "--help" { // only then is it an option
		_, err := f.Parse()
		return err
	}
	if len(args) > 0 && args[0] == "--" {
		args = args[1:]
	}
	if len(args) == 0 {
		return f.Fail(builtins.Usage("missing operand"))
	}
	held := 0
	defer func() { c.Free(held) }()
	p := &printf.Printer{
		GNU:  true,
		Warn: func(line string) { c.Warn(errors.New(line)) },
		Grow: func(n int) error {
			held += n
			return c.Alloc(n)
		},
	}
	out, ok, err := p.Append(nil, args[0], args[1:])
	if err != nil {
		return err
	}
	if err := newOutput(c).writeThrough(out); err != nil {
		return err
	}
	if !ok {
		return builtins.Exit(1)
	}
	return builtins.Exit(0) // whatever it has warned of
}
