// Package file implements the commands that look at and change files and
// directories: coreutils' ls, cp, mv, rm and their kin, tree and file.
package file

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"

	"github.com/limpet-sh/limpet/builtins"
	"github.com/limpet-sh/limpet/internal/account"
	"github.com/limpet-sh/limpet/vfs"
)

var commands builtins.Set

// Commands returns the commands of this package.
func Commands() []*builtins.Command { return commands.Commands() }

// operands parses the arguments of a command that wants at least min of them
// and, where max is not negative, at most max.
func operands(f *builtins.Flags, min, max int) ([]string, error) {
	args, err := f.Parse()
	switch {
	case err != nil:
		return nil, err
	case len(args) < min && len(args) == 0:
		return nil, f.Fail(builtins.Usage("missing operand"))
	case len(args) < min:
		return nil, f.Fail(builtins.Usage("missing operand after %s", builtins.QuoteLocale(args[len(args)-1])))
	case max >= 0 && len(args) > max:
		return nil, f.Fail(builtins.Usage("extra operand %s", builtins.QuoteLocale(args[max])))
	}
	return args, nil
}

// reason returns err without the name and the operation that a file system
// puts before it.
func reason(err error) error { return vfs.ErrnoOf(err) }

// warn warns of err and returns nil, unless err ends the call.
func warn(c *builtins.Call, err error) error {
	if c.Ends(err) {
		return err
	}
	c.Warn(err)
	return nil
}

// finish flushes out at the end of a Run that got err.
func finish(out *bufio.Writer, err error) error {
	if flushed := out.Flush(); flushed != nil && err == nil {
		return writeError(flushed)
	}
	return err
}

// writeError returns err, the failure to write standard output, as GNU words
// it.
func writeError(err error) error { return fmt.Errorf("write error: %w", reason(err)) }

// isNotExist reports whether err says that there is no such file, or that a
// directory on the way to it is none.
func isNotExist(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || reason(err) == vfs.ENOTDIR
}

// userTable returns the names of users, with that of who runs the command.
func userTable(c *builtins.Call) *account.Table {
	t := account.Users(c.FS)
	t.Add(c.User.Name, c.User.UID)
	return t
}

// groupTable returns the names of groups, with that of who runs the command.
func groupTable(c *builtins.Call) *account.Table {
	t := account.Groups(c.FS)
	t.Add(c.User.Group, c.User.GID)
	return t
}
