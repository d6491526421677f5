package file

import (
	"context"
	"fmt"
	"strings"

	"github.com/limpet-sh/limpet/builtins"
	"github.com/limpet-sh/limpet/vfs"
)

var _ = commands.Add(&builtins.Command{
	Name:     "pwd",
	Synopsis: "[OPTION]...",
	Summary:  "print the name of the current directory",
	Run:      runPwd,
})

func runPwd(_ context.Context, c *builtins.Call) error {
	_, logical := c.Env.Lookup("POSIXLY_CORRECT")
	f := c.Flags()
	f.Do("L,logical", "use PWD from the environment, even if it contains symlinks", func() error { logical = true; return nil })
	f.Do("P,physical", "avoid all symlinks", func() error { logical = false; return nil })
	args, err := f.Parse()
	if err != nil {
		return err
	}
	if len(args) > 0 {
		fmt.Fprintf(c.Stderr, "%s: ignoring non-option arguments\n", c.Name)
	}
	dir := c.Getenv("PWD")
	if !logical || !isCurrent(c, dir) {
		if dir, err = (resolver{c: c, need: needAll}).resolve("."); err != nil {
			return fmt.Errorf("cannot find current directory: %w", reason(err))
		}
	}
	_, err = fmt.Fprintln(c.Stdout, dir)
	return err
}

// isCurrent reports whether dir is an absolute name, without "." and "..", of
// the current directory.
func isCurrent(c *builtins.Call, dir string) bool {
	if !strings.HasPrefix(dir, "/") || strings.Contains(dir+"/", "/./") || strings.Contains(dir+"/", "/../") {
		return false
	}
	a, err1 := c.FS.Stat(dir)
	b, err2 := c.FS.Stat(".")
	return err1 == nil && err2 == nil && vfs.SameFile(a, b)
}
