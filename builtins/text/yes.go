package text

import (
	"context"
	"strings"

	"github.com/limpet-sh/limpet/builtins"
)

var _ = commands.Add(&builtins.Command{
	Name:     "yes",
	Synopsis: "[STRING]...",
	Summary:  "print a line until killed",
	Run:      runYes,
})

func runYes(ctx context.Context, c *builtins.Call) error {
	words, err := c.Flags().Parse()
	if err != nil {
		return err
	}
	line := "y\n"
	if len(words) > 0 {
		line = strings.Join(words, " ") + "\n"
	}
	times := max(8<<10/len(line), 1)
	if err := c.Alloc(times * len(line)); err != nil {
		return err
	}
	defer c.Free(times * len(line))
	block := []byte(strings.Repeat(line, times))
	out := newOutput(c)
	for {
		if err := c.Poll(1 + len(block)>>8); err != nil {
			return err
		}
		if err := out.writeThrough(block); err != nil {
			return err
		}
	}
}
