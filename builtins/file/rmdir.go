package file

import (
	"context"
	"fmt"
	"io/fs"
	"strings"

	"github.com/limpet-sh/limpet/builtins"
	"github.com/limpet-sh/limpet/vfs"
)

var _ = commands.Add(&builtins.Command{
	Name:     "rmdir",
	Synopsis: "[OPTION]... DIRECTORY...",
	Summary:  "remove empty directories",
	Run:      runRmdir,
})

func runRmdir(_ context.Context, c *builtins.Call) error {
	var ignore, parents, verbose bool
	f := c.Flags()
	f.Bool(&ignore, "ignore-fail-on-non-empty", "ignore each failure that is solely because a directory is non-empty")
	f.Bool(&parents, "p,parents", "remove DIRECTORY and its ancestors")
	f.Bool(&verbose, "v,verbose", "output a diagnostic for every directory processed")
	names, err := operands(f, 1, -1)
	if err != nil {
		return err
	}
	remove := func(name, what string) bool {
		if verbose {
			fmt.Fprintf(c.Stdout, "%s: removing directory, %s\n", c.Name, builtins.Quote(name))
		}
		err := removeDir(c, name)
		if err != nil && !(ignore && reason(err) == vfs.ENOTEMPTY) {
			c.Warnf("failed to remove %s%s: %w", what, builtins.Quote(name), err)
		}
		return err == nil
	}
	for _, name := range names {
		if err := c.Poll(1); err != nil {
			return err
		}
		ok := remove(name, "")
		for parents && ok {
			trimmed := strings.TrimRight(name, "/")
			i := strings.LastIndexByte(trimmed, '/')
			if i < 0 {
				break
			}
			if name = strings.TrimRight(trimmed[:i], "/"); name == "" {
				break
			}
			ok = remove(name, "directory ")
		}
	}
	return nil
}

// removeDir removes a directory that must be empty.
func removeDir(c *builtins.Call, name string) error {
	bare := strings.TrimRight(name, "/")
	if bare == "" && name != "" {
		return vfs.EBUSY
	}
	info, err := c.FS.Lstat(bare)
	switch {
	case err != nil:
		return reason(err)
	case info.Mode().Type() == fs.ModeSymlink && bare != name:
		return fmt.Errorf("Symbolic link not followed")
	case !info.IsDir():
		return vfs.ENOTDIR
	case bare == "." || strings.HasSuffix(bare, "/."):
		return vfs.EINVAL
	}
	return reason(c.FS.Remove(name))
}
