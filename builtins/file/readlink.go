package file

import (
	"bufio"
	"context"
	"fmt"
	"io/fs"

	"github.com/limpet-sh/limpet/builtins"
	"github.com/limpet-sh/limpet/vfs"
)

var _ = commands.Add(&builtins.Command{
	Name:     "readlink",
	Synopsis: "[OPTION]... FILE...",
	Summary:  "print resolved symbolic links or canonical file names",
	Run:      runReadlink,
})

func runReadlink(_ context.Context, c *builtins.Call) error {
	var bare, verbose, zero, canonical bool
	r := resolver{c: c}
	mode := func(n need) func() error {
		return func() error { canonical, r.need = true, n; return nil }
	}
	f := c.Flags()
	f.Do("f,canonicalize", "follow every symlink; all but the last component must exist", mode(needParent))
	f.Do("e,canonicalize-existing", "follow every symlink; all components must exist", mode(needAll))
	f.Do("m,canonicalize-missing", "follow every symlink; no component need exist", mode(needNothing))
	f.Bool(&bare, "n,no-newline", "do not output the trailing delimiter")
	f.Do("q,quiet,s,silent", "suppress most error messages", func() error { verbose = false; return nil })
	f.Bool(&verbose, "v,verbose", "report error messages")
	f.Bool(&zero, "z,zero", "end each output line with NUL, not newline")
	names, err := operands(f, 1, -1)
	if err != nil {
		return err
	}
	if bare && len(names) > 1 {
		fmt.Fprintf(c.Stderr, "%s: ignoring --no-newline with multiple arguments\n", c.Name)
		bare = false
	}
	out := bufio.NewWriter(c.Stdout)
	for _, name := range names {
		if err := c.Poll(1); err != nil {
			return err
		}
		var text string
		if canonical {
			text, err = r.resolve(name)
		} else {
			text, err = readlink(c, name)
		}
		if err != nil {
			c.Fail()
			if verbose {
				c.Warn(builtins.FileError(name, err))
			}
			continue
		}
		out.WriteString(text)
		if !bare {
			out.WriteByte(lineEnd(zero))
		}
	}
	return finish(out, nil)
}

// readlink returns the text of a symbolic link.
func readlink(c *builtins.Call, name string) (string, error) {
	info, err := c.FS.Lstat(name)
	if err != nil {
		return "", err
	}
	if info.Mode().Type() != fs.ModeSymlink {
		return "", vfs.EINVAL
	}
	return c.FS.Readlink(name)
}
