package text

import (
	"context"
	"errors"
	"io"

	"github.com/limpet-sh/limpet/builtins"
	"github.com/limpet-sh/limpet/limits"
	"github.com/limpet-sh/limpet/vfs"
)

var _ = commands.Add(&builtins.Command{
	Name:     "tee",
	Synopsis: "[OPTION]... [FILE]...",
	Summary:  "copy standard input to each file, and also to standard output",
	Run:      runTee,
})

// A teeTarget is what tee copies to, under its name in messages.
type teeTarget struct {
	w    io.Writer
	name string
}

func runTee(ctx context.Context, c *builtins.Call) error {
	var appending, interrupts bool
	mode := ""
	f := c.Flags()
	f.Bool(&appending, "a,append", "append to the files, do not overwrite them")
	f.Bool(&interrupts, "i,ignore-interrupts", "ignore interrupt signals")
	f.Do("p", "the same as --output-error", func() error { mode = "warn-nopipe"; return nil })
	f.OptionalEnum(&mode, "warn-nopipe", "output-error", "output-error", []string{"warn", "warn-nopipe", "exit", "exit-nopipe"}, "go on after a write fails, or end, as `MODE` says: warn, warn-nopipe, exit or exit-nopipe")
	names, err := f.Parse()
	if err != nil {
		return err
	}
	targets := []teeTarget{{c.Stdout, "standard output"}}
	flag := vfs.O_WRONLY | vfs.O_CREATE | vfs.O_TRUNC
	if appending {
		flag = vfs.O_WRONLY | vfs.O_CREATE | vfs.O_APPEND
	}
	for _, name := range names {
		file, err := c.FS.OpenFile(name, flag, 0o666)
		if err != nil {
			c.Warn(builtins.FileError(name, err))
			if mode == "exit" || mode == "exit-nopipe" {
				return builtins.Exit(1)
			}
			continue
		}
		defer file.Close()
		targets = append(targets, teeTarget{file, name})
	}
	err = eachBlock(c, c.Stdin, func(b []byte) error {
		kept := targets[:0]
		for _, t := range targets {
			_, err := t.w.Write(b)
			if err == nil {
				kept = append(kept, t)
				continue
			}
			if err := t.failed(c, mode, err); err != nil {
				return err
			}
		}
		if targets = kept; len(targets) == 0 {
			return io.EOF
		}
		return nil
	})
	if err == io.EOF {
		return nil
	}
	return errnoError(err, "read error")
}

// failed reports a write that failed with err. An error ends tee.
func (t *teeTarget) failed(c *builtins.Call, mode string, err error) error {
	broken := errors.Is(err, vfs.EPIPE)
	switch {
	case errors.Is(err, limits.ErrExceeded) || broken && mode == "":
		return err
	case broken && (mode == "warn-nopipe" || mode == "exit-nopipe"):
		return nil
	}
	c.Fail()
	_, _ = io.WriteString(c.Stderr, c.Name+": "+builtins.QuoteMaybe(t.name)+": "+vfs.ErrnoOf(err).Error()+"\n")
	if mode == "exit" || mode == "exit-nopipe" {
		return builtins.Exit(1)
	}
	return nil
}
