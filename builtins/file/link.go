package file

import (
	"context"
	"fmt"
	"strings"

	"github.com/limpet-sh/limpet/builtins"
	"github.com/limpet-sh/limpet/vfs"
)

var _ = commands.Add(&builtins.Command{
	Name:     "link",
	Synopsis: "FILE1 FILE2",
	Summary:  "call the link function to create a link to a file",
	Run:      runLink,
})

func runLink(_ context.Context, c *builtins.Call) error {
	args, err := operands(c.Flags(), 2, 2)
	if err != nil {
		return err
	}
	if err := c.FS.Link(args[0], args[1]); err != nil {
		return fmt.Errorf("cannot create link %s to %s: %w", builtins.Quote(args[1]), builtins.Quote(args[0]), reason(err))
	}
	return nil
}

var _ = commands.Add(&builtins.Command{
	Name:     "unlink",
	Synopsis: "FILE",
	Summary:  "call the unlink function to remove a file",
	Run:      runUnlink,
})

func runUnlink(_ context.Context, c *builtins.Call) error {
	args, err := operands(c.Flags(), 1, 1)
	if err != nil {
		return err
	}
	if err := unlink(c, args[0]); err != nil {
		return fmt.Errorf("cannot unlink %s: %w", builtins.Quote(args[0]), reason(err))
	}
	return nil
}

// unlink removes a name that is not that of a directory.
func unlink(c *builtins.Call, name string) error {
	info, err := c.FS.Lstat(name)
	if err != nil {
		return err
	}
	if info.IsDir() {
		if link, err := c.FS.Lstat(strings.TrimRight(name, "/")); err == nil && isLink(link) {
			return vfs.ENOTDIR
		}
		return vfs.EISDIR
	}
	return c.FS.Remove(name)
}
