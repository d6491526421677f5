package system

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/limpet-sh/limpet/builtins"
	"github.com/limpet-sh/limpet/vfs"
)

var kill = commands.Add(&builtins.Command{
	Name:     "kill",
	Synopsis: "[options] <pid> [...]",
	Summary:  "send a signal to a process",
	Run:      runKill,
})

func runKill(ctx context.Context, c *builtins.Call) error {
	signal := builtins.SIGTERM
	known := true
	c.Args = killArguments(c.Args)
	var list, table bool
	listed := ""
	f := c.Flags()
	f.Ordered = true
	f.Func("s,signal", "specify the `signal` to be sent", func(s string) error {
		signal, known = builtins.ParseSignal(s)
		return nil
	})
	f.Optional("l,list", "list all signal names, or convert one `signal` to a name", func(s string, ok bool) error {
		list, listed = true, s
		return nil
	})
	f.Bool(&table, "L,table", "list all signal names in a nice table")
	args, err := f.Parse()
	switch {
	case err != nil:
		return err
	case table:
		return signalTable(c)
	case list && listed == "" && len(args) == 0:
		return signalList(c)
	case list:
		if listed == "" {
			listed = args[0]
		}
		return translateSignal(c, listed)
	case len(args) == 0:
		return f.Fail(builtins.Usage("not enough arguments"))
	}
	for _, arg := range args {
		pid, err := strconv.Atoi(arg)
		if err != nil {
			c.Warnf("failed to parse argument: '%s'", arg)
			return builtins.Exit(1)
		}
		if !known {
			err = vfs.EINVAL
		} else {
			err = c.Processes.Signal(pid, signal)
		}
		if err != nil {
			c.Warnf("(%d): %w", pid, vfs.ErrnoOf(err))
		}
	}
	return nil
}

// killArguments rewrites -9 and -TERM in the form of -s, and marks what follows
// as operands, which may be negative.
func killArguments(args []string) []string {
	for i, arg := range args {
		if len(arg) < 2 || arg[0] != '-' {
			break
		}
		sig, ok := builtins.ParseSignal(arg[1:])
		if ok && strings.IndexByte("lLsq", arg[1]) < 0 {
			rest := append([]string{"-s", strconv.Itoa(int(sig)), "--"}, args[i+1:]...)
			return append(args[:i:i], rest...)
		}
	}
	return args
}

// signalNames returns the names of the standard signals by number.
func signalNames() []string {
	names := []string{}
	for _, s := range builtins.Signals() {
		if s > 31 {
			break
		}
		name := s.Name()
		if name == "IO" {
			name = "POLL"
		}
		names = append(names, name)
	}
	return names
}

// signalList prints the names in lines of less than 80 columns.
func signalList(c *builtins.Call) error {
	line := ""
	for i, name := range signalNames() {
		switch {
		case i == 0:
			line = name
		case len(line)-strings.LastIndexByte(line, '\n')+len(name) > 78:
			line += "\n" + name
		default:
			line += " " + name
		}
	}
	_, err := fmt.Fprintln(c.Stdout, line)
	return err
}

func signalTable(c *builtins.Call) error {
	text := ""
	names := signalNames()
	for i, name := range names {
		text += fmt.Sprintf("%2d %-8s", i+1, name)
		if (i+1)%7 == 0 {
			text = strings.TrimRight(text, " ") + "\n"
		}
	}
	_, err := fmt.Fprintln(c.Stdout, text)
	return err
}

// translateSignal prints the number of a name, or the name of a number.
func translateSignal(c *builtins.Call, text string) error {
	sig, ok := builtins.ParseSignal(text)
	if !ok || sig == 0 {
		c.Warnf("unknown signal name %s", text)
		return builtins.Exit(0)
	}
	out := sig.Name()
	if _, err := strconv.Atoi(text); err != nil {
		out = strconv.Itoa(int(sig))
	}
	_, err := fmt.Fprintln(c.Stdout, out)
	return err
}
