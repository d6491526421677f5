package system

import (
	"bufio"
	"context"
	"fmt"
	"strconv"

	"github.com/limpet-sh/limpet/builtins"
	"github.com/limpet-sh/limpet/internal/bc"
)

var bcCommand = commands.Add(&builtins.Command{
	Name:     "bc",
	Synopsis: "[options] [file ...]",
	Summary:  "an arbitrary precision calculator language",
	Run:      runBc,
})

// lineLength is where bc and dc break lines, unless a variable says otherwise.
const lineLength = 70

func runBc(ctx context.Context, c *builtins.Call) error {
	var o bc.Options
	f := c.Flags()
	f.Info("h", "v")
	f.Bool(&o.Library, "l,mathlib", "use the predefined math routines")
	f.Do("q,quiet", "don't print initial banner; there is none", func() error { return nil })
	files, err := f.Parse()
	if err != nil {
		return err
	}
	o.Width = outputWidth(c, "BC_LINE_LENGTH")
	stdin := bufio.NewReader(c.Stdin)
	stdout := bufio.NewWriter(c.Stdout)
	i := bc.New(o, c, stdin, stdout, c.Stderr)
	defer i.Close()
	more := true
	for _, name := range files {
		file, err := c.Open(name)
		if err != nil {
			fmt.Fprintf(c.Stderr, "File %s is unavailable.\n", name)
			return builtins.Exit(1)
		}
		more, err = i.Run(name, bufio.NewReader(file))
		file.Close()
		if err != nil {
			return err
		}
		if !more {
			break
		}
	}
	if more {
		if _, err := i.Run("(standard_in)", stdin); err != nil {
			return err
		}
	}
	return stdout.Flush()
}

// outputWidth returns the length of lines that a variable asks for, or 0 for
// lines of any length.
func outputWidth(c *builtins.Call, variable string) int {
	n, err := strconv.Atoi(c.Getenv(variable))
	if err != nil || n < 3 && n != 0 {
		return lineLength
	}
	return n
}
