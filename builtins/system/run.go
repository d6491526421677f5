package system

import (
	"context"
	"errors"

	"github.com/limpet-sh/limpet/builtins"
	"github.com/limpet-sh/limpet/vfs"
)

// run runs another program for c and returns its status as an error. Where
// there is no such program it says so: blame is the message before the quoted
// name, such as "failed to run command ".
func run(ctx context.Context, c *builtins.Call, args []string, blame string, set func(*builtins.Call)) error {
	if err := runnable(c, args[0], blame); err != nil {
		return err
	}
	status, err := c.Exec(ctx, args, set)
	if err != nil {
		return err
	}
	return status
}

// runnable returns nil where name is a program. Otherwise it says why not, and
// returns the status that tells.
func runnable(c *builtins.Call, name, blame string) error {
	_, err := c.LookPath(name)
	if err == nil {
		return nil
	}
	if errors.Is(err, vfs.EISDIR) {
		err = vfs.EACCES
	}
	c.Warnf("%s%s: %w", blame, builtins.QuoteLocale(name), vfs.ErrnoOf(err))
	if errors.Is(err, vfs.ENOENT) {
		return builtins.NotFound
	}
	return builtins.NotExecutable
}
