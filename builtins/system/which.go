package system

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/limpet-sh/limpet/builtins"
)

var which = commands.Add(&builtins.Command{
	Name:     "which",
	Synopsis: "[-a] args",
	Summary:  "locate a command",
	Trouble:  2,
	Run:      runWhich,
})

func runWhich(ctx context.Context, c *builtins.Call) error {
	var all bool
	f := c.Flags()
	f.Ordered = true
	f.Bool(&all, "a", "print all matching pathnames of each argument")
	for _, arg := range c.Args {
		if len(arg) < 2 || arg[0] != '-' || arg == "--" {
			break
		}
		if i := strings.IndexFunc(arg[1:], func(r rune) bool { return r != 'a' }); i >= 0 && arg != "--help" {
			fmt.Fprintf(c.Stderr, "Illegal option -%s\n", arg[i+1:i+2])
			fmt.Fprintf(c.Stdout, "Usage: /usr/bin/which [-a] args\n")
			return c.Command.Trouble
		}
	}
	names, err := f.Parse()
	if err != nil {
		return err
	}
	missing := len(names) == 0
	for _, name := range names {
		paths := programs(c, name, all)
		missing = missing || len(paths) == 0
		for _, p := range paths {
			if _, err := fmt.Fprintln(c.Stdout, p); err != nil {
				return err
			}
		}
	}
	if missing {
		return builtins.Exit(1)
	}
	return nil
}

// programs returns the path of the program called name, or all paths that
// there are in PATH.
func programs(c *builtins.Call, name string, all bool) []string {
	path, err := c.LookPath(name)
	if err != nil {
		return nil
	}
	list := []string{path}
	if !all || strings.Contains(name, "/") {
		return list
	}
	for _, dir := range strings.Split(c.Getenv("PATH"), ":") {
		if dir == "" {
			dir = "."
		}
		file := dir + "/" + name
		info, err := c.FS.Stat(file)
		if err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0 && !slices.Contains(list, file) {
			list = append(list, file)
		}
	}
	return list
}
