// Package builtins defines what a command is: the contract between the
// interpreter, which runs commands, and the packages below this one, which
// implement them.
//
// Each command is one [Command] value in a file of its own, added to its
// package's [Set]. Nothing else names it. See builtins/text/head.go for the
// shape to copy.
package builtins

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/limpet-sh/limpet/vfs"
)

// A Command is a program that scripts can run.
type Command struct {
	Name     string   // what scripts call it
	Aliases  []string // other names that run the same code; see Call.Name
	Synopsis string   // its arguments, as a manual page shows them
	Summary  string   // what it does: one line, no capital, no period
	Trouble  Exit     // status of a usage error or a warning; zero means 1

	// Run runs the command. A nil error ends it with status 0, or Trouble if
	// it has warned (see [Call.Warn]). An [Exit] sets the status. EPIPE is
	// the silent death by SIGPIPE. Any other error counts as a warning.
	Run func(context.Context, *Call) error
}

// An Exit is an exit status in the form of an error.
type Exit uint8

// Error returns the status in words.
func (e Exit) Error() string { return fmt.Sprintf("exit status %d", uint8(e)) }

// Statuses that shells give a meaning.
const (
	NotExecutable Exit = 126
	NotFound      Exit = 127
	Signaled      Exit = 128 // plus the number of the signal
)

// A Set collects the commands of one package. The zero Set is empty.
type Set struct{ commands []*Command }

// Add adds c, and returns it. It panics if c has no name, or no Run function,
// or the name of another command of s: a mistake that no test run can miss.
// It is for the initializers of package variables.
func (s *Set) Add(c *Command) *Command {
	if c.Name == "" || c.Run == nil {
		panic(fmt.Sprintf("builtins: incomplete command %q", c.Name))
	}
	if slices.ContainsFunc(s.commands, func(o *Command) bool { return o.Name == c.Name }) {
		panic(fmt.Sprintf("builtins: command %q added twice", c.Name))
	}
	s.commands = append(s.commands, c)
	return c
}

// Commands returns the commands of s by name.
func (s *Set) Commands() []*Command {
	return slices.SortedFunc(slices.Values(s.commands), func(a, b *Command) int {
		return cmp.Compare(a.Name, b.Name)
	})
}

// Invoke runs c.Command and returns its exit status. An error is a failure of
// the sandbox and not of the command, such as an exhausted limit or a
// cancelled context; the script must stop.
//
// A context that is cancelled with a [Signal] as its cause ends the command
// and not the script.
func Invoke(ctx context.Context, c *Call) (Exit, error) {
	c.ctx, c.flush = ctx, nil
	err := c.Command.Run(ctx, c)
	if ctx.Err() != nil {
		cause := context.Cause(ctx)
		if sig, ok := errors.AsType[Signal](cause); ok {
			return Signaled + Exit(sig), nil
		}
		return 0, cause
	}
	if err := c.Meter.Err(); err != nil {
		return 0, err
	}
	exit, isExit := errors.AsType[Exit](err)
	switch {
	case isExit:
		return exit, nil
	case errors.Is(err, vfs.EPIPE):
		return Signaled + Exit(SIGPIPE), nil
	case err != nil:
		c.Warn(err)
	}
	return c.status, nil
}
