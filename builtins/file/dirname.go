package file

import (
	"bufio"
	"context"
	"strings"

	"github.com/limpet-sh/limpet/builtins"
)

var _ = commands.Add(&builtins.Command{
	Name:     "dirname",
	Synopsis: "[OPTION] NAME...",
	Summary:  "strip the last component from file names",
	Run:      runDirname,
})

func runDirname(_ context.Context, c *builtins.Call) error {
	var zero bool
	f := c.Flags()
	f.Bool(&zero, "z,zero", "end each output line with NUL, not newline")
	names, err := operands(f, 1, -1)
	if err != nil {
		return err
	}
	out := bufio.NewWriter(c.Stdout)
	for _, name := range names {
		if err := c.Poll(1); err != nil {
			return err
		}
		out.WriteString(dirOf(name))
		out.WriteByte(lineEnd(zero))
	}
	return finish(out, nil)
}

// dirOf returns name without its last component and the slashes around it; "."
// where there is none.
func dirOf(name string) string {
	trimmed := strings.TrimRight(name, "/")
	if trimmed == "" && name != "" {
		return "/"
	}
	i := strings.LastIndexByte(trimmed, '/')
	if i < 0 {
		return "."
	}
	if dir := strings.TrimRight(trimmed[:i], "/"); dir != "" {
		return dir
	}
	return "/"
}
