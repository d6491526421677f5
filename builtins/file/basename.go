package file

import (
	"bufio"
	"context"
	"strings"

	"github.com/limpet-sh/limpet/builtins"
	"github.com/limpet-sh/limpet/internal/walk"
)

var _ = commands.Add(&builtins.Command{
	Name:     "basename",
	Synopsis: "NAME [SUFFIX] | OPTION... NAME...",
	Summary:  "strip directory and suffix from file names",
	Run:      runBasename,
})

func runBasename(_ context.Context, c *builtins.Call) error {
	var multiple, zero bool
	var suffix string
	f := c.Flags()
	f.Ordered = true
	f.Bool(&multiple, "a,multiple", "support multiple arguments and treat each as a NAME")
	f.Func("s,suffix", "remove a trailing `SUFFIX`; implies -a", func(s string) error {
		suffix, multiple = s, true
		return nil
	})
	f.Bool(&zero, "z,zero", "end each output line with NUL, not newline")
	names, err := operands(f, 1, -1)
	if err != nil {
		return err
	}
	if !multiple {
		if len(names) > 2 {
			return f.Fail(builtins.Usage("extra operand %s", builtins.QuoteLocale(names[2])))
		}
		if len(names) == 2 {
			suffix, names = names[1], names[:1]
		}
	}
	out := bufio.NewWriter(c.Stdout)
	for _, name := range names {
		if err := c.Poll(1); err != nil {
			return err
		}
		base := walk.Base(name)
		if base != suffix {
			base = strings.TrimSuffix(base, suffix)
		}
		out.WriteString(base)
		out.WriteByte(lineEnd(zero))
	}
	return finish(out, nil)
}

// lineEnd returns what ends a line of output.
func lineEnd(zero bool) byte {
	if zero {
		return 0
	}
	return '\n'
}
