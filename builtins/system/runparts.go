package system

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/limpet-sh/limpet/builtins"
	"github.com/limpet-sh/limpet/internal/regex"
	"github.com/limpet-sh/limpet/vfs"
)

var runParts = commands.Add(&builtins.Command{
	Name:     "run-parts",
	Synopsis: "[OPTION]... DIRECTORY",
	Summary:  "run scripts or programs in a directory",
	Run:      runRunParts,
})

func runRunParts(ctx context.Context, c *builtins.Call) error {
	var test, list, verbose, report, reverse, stop bool
	var args []string
	expression := "^[a-zA-Z0-9_-]+$"
	f := c.Flags()
	f.Bool(&test, "test", "print script names which would run, but don't run them")
	f.Bool(&list, "list", "print names of all valid files (can not be used with --test)")
	f.Bool(&verbose, "v,verbose", "print script names before running them")
	f.Bool(&report, "report", "print script names if they produce output")
	f.Bool(&reverse, "reverse", "reverse execution order of scripts")
	f.Bool(&stop, "exit-on-error", "exit as soon as a script returns with a non-zero exit code")
	f.Strings(&args, "a,arg", "pass `ARGUMENT` to scripts, use once for each argument")
	f.String(&expression, "regex", "validate filenames based on POSIX ERE `PATTERN`")
	dirs, err := f.Parse()
	if err != nil {
		return err
	}
	if len(dirs) != 1 {
		return f.Fail(builtins.Usage("missing operand"))
	}
	names, err := parts(c, dirs[0], expression)
	if err != nil {
		return err
	}
	if reverse {
		slices.Reverse(names)
	}
	for _, name := range names {
		info, err := c.FS.Stat(name)
		if err != nil || !info.Mode().IsRegular() {
			continue
		}
		executable := c.User.May(info, 1)
		switch {
		case list, test && executable:
			fmt.Fprintln(c.Stdout, name)
			continue
		case !executable:
			continue
		}
		if verbose {
			fmt.Fprintf(c.Stderr, "run-parts: executing %s\n", strings.Join(append([]string{name}, args...), " "))
		}
		status, err := c.Exec(ctx, append([]string{name}, args...), func(child *builtins.Call) {
			if report {
				child.Stdout = &headed{call: c, title: name + ":\n"}
			}
		})
		if err != nil {
			return err
		}
		if status != 0 {
			c.Warnf("%s exited with return code %d", name, status)
			if stop {
				return status
			}
		}
	}
	return nil
}

// parts returns the files of a directory whose names match the expression.
func parts(c *builtins.Call, dir, expression string) ([]string, error) {
	entries, err := c.FS.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("failed to open directory %s: %w", dir, vfs.ErrnoOf(err))
	}
	re, err := regex.Compile(expression, regex.Extended, 0)
	if err != nil {
		return nil, fmt.Errorf("failed to compile regular expression: %w", err)
	}
	m := re.Matcher(c)
	defer m.Close()
	var names []string
	for _, e := range entries {
		if m.Match([]byte(e.Name())) {
			names = append(names, strings.TrimSuffix(dir, "/")+"/"+e.Name())
		}
	}
	return names, m.Err()
}

// A headed writes a title before the first output.
type headed struct {
	call  *builtins.Call
	title string
}

func (h *headed) Write(p []byte) (int, error) {
	if h.title != "" {
		if _, err := h.call.Stdout.Write([]byte(h.title)); err != nil {
			return 0, err
		}
		h.title = ""
	}
	return h.call.Stdout.Write(p)
}
