package text

import (
	"context"
	"strings"

	"github.com/limpet-sh/limpet/builtins"
	"github.com/limpet-sh/limpet/internal/quote"
)

var _ = commands.Add(&builtins.Command{
	Name:     "echo",
	Synopsis: "[-neE] [STRING]...",
	Summary:  "print a line of text",
	Run:      runEcho,
})

func runEcho(ctx context.Context, c *builtins.Call) (err error) {
	var bare, escapes, plain bool
	f := c.Flags()
	f.Bool(&bare, "n", "print no newline at the end")
	f.Bool(&escapes, "e", "interpret backslash escapes")
	f.Bool(&plain, "E", "do not interpret backslash escapes")
	words := c.Args
	if c.FS == nil || len(words) == 1 && words[0] == "--help" { // only then are there options as elsewhere
		_, err := f.Parse()
		return err
	}
	for len(words) > 0 && len(words[0]) > 1 && words[0][0] == '-' && strings.Trim(words[0][1:], "neE") == "" {
		for _, letter := range words[0][1:] {
			switch letter {
			case 'n':
				bare = true
			case 'e':
				escapes = true
			case 'E':
				escapes = false
			}
		}
		words = words[1:]
	}
	out := newOutput(c)
	defer out.close(&err)
	for i, w := range words {
		if i > 0 {
			out.buf = append(out.buf, ' ')
		}
		stopped := false
		if escapes {
			out.buf, stopped = quote.GNUEcho.Append(out.buf, w)
		} else {
			out.buf = append(out.buf, w...)
		}
		if stopped {
			return nil
		}
		if err := out.spill(); err != nil {
			return err
		}
	}
	if !bare {
		out.buf = append(out.buf, '\n')
	}
	return nil
}
