package system

import (
	"context"
	"fmt"
	"io"

	"github.com/limpet-sh/limpet/builtins"
)

var hostid = commands.Add(&builtins.Command{
	Name:    "hostid",
	Summary: "print the numeric identifier of the host",
	Run: func(ctx context.Context, c *builtins.Call) error {
		if err := noOperands(c.Flags()); err != nil {
			return err
		}
		_, err := io.WriteString(c.Stdout, "007f0100\n") // that of a host whose address is 127.0.1.1
		return err
	},
})

var pinky = commands.Add(&builtins.Command{
	Name:     "pinky",
	Synopsis: "[OPTION]... [USER]...",
	Summary:  "print information about users",
	Run:      runPinky,
})

func runPinky(ctx context.Context, c *builtins.Call) error {
	var long, noHeading, noName, noHost, noIdle, noHome bool
	f := c.Flags()
	f.Bool(&long, "l", "produce long format output for the specified USERs")
	f.Bool(&noHome, "b", "omit the user's home directory and shell in long format")
	f.Do("h", "omit the user's project file in long format", func() error { return nil })
	f.Do("p", "omit the user's plan file in long format", func() error { return nil })
	f.Do("s", "do short format output, this is the default", func() error { long = false; return nil })
	f.Bool(&noHeading, "f", "omit the line of column headings in short format")
	f.Bool(&noName, "w", "omit the user's full name in short format")
	f.Do("i", "omit the user's full name and remote host in short format", func() error { noName, noHost = true, true; return nil })
	f.Do("q", "omit the user's full name, remote host and idle time in short format", func() error {
		noName, noHost, noIdle = true, true, true
		return nil
	})
	names, err := f.Parse()
	switch {
	case err != nil:
		return err
	case long && len(names) == 0:
		return f.Fail(builtins.Usage("no username specified; at least one must be specified when using -l"))
	case long:
		return pinkyLong(c, names, noHome)
	case noHeading:
		return nil // nobody is logged in
	}
	text := fmt.Sprintf("%-8s", "Login")
	for _, column := range []struct {
		hidden bool
		text   string
	}{{noName, fmt.Sprintf(" %-19s", "Name")}, {false, fmt.Sprintf(" %-9s", " TTY")}, {noIdle, fmt.Sprintf(" %-6s", "Idle")},
		{false, fmt.Sprintf(" %-16s", "When")}, {noHost, " Where"}} {
		if !column.hidden {
			text += column.text
		}
	}
	_, err = fmt.Fprintln(c.Stdout, text)
	return err
}

// pinkyLong tells of users one by one.
func pinkyLong(c *builtins.Call, names []string, noHome bool) error {
	for _, name := range names {
		u, ok := lookupUser(c, name)
		real, shell := "???", ""
		if row := users(c).Row(name); ok {
			real, shell = "", "/bin/bash"
			if len(row) > 6 {
				real, shell = row[4], row[6]
			}
		}
		text := fmt.Sprintf("Login name: %-28sIn real life:  %s\n", name, real)
		if ok && !noHome {
			text += fmt.Sprintf("Directory: %-29sShell:  %s\n", u.Home, shell)
		}
		if ok {
			text += "\n"
		}
		if _, err := io.WriteString(c.Stdout, text); err != nil {
			return err
		}
	}
	return nil
}
