package system

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/limpet-sh/limpet/builtins"
	"github.com/limpet-sh/limpet/internal/regex"
	"github.com/limpet-sh/limpet/vfs"
)

var pgrep = commands.Add(&builtins.Command{
	Name:     "pgrep",
	Synopsis: "[options] <pattern>",
	Summary:  "look up processes based on name",
	Trouble:  2,
	Run:      runPgrep,
})

var pkill = commands.Add(&builtins.Command{
	Name:     "pkill",
	Synopsis: "[options] <pattern>",
	Summary:  "signal processes based on name",
	Trouble:  2,
	Run:      runPgrep,
})

// A processQuery is which processes pgrep and pkill look for, and what they do
// with them.
type processQuery struct {
	call                            *builtins.Call
	full, exact, invert, ignoreCase bool
	newest, oldest                  bool
	parents                         []int
	users                           bool
	count, names, lines, echo       bool
	delimiter                       string
	signal                          builtins.Signal
	pattern                         *regex.Matcher
}

func runPgrep(ctx context.Context, c *builtins.Call) error {
	q := processQuery{call: c, delimiter: "\n", signal: builtins.SIGTERM}
	kills := c.Name == "pkill"
	f := c.Flags()
	f.Info("h", "V")
	f.Hint = "Try `" + c.Name + " --help' for more information.\n"
	if kills {
		c.Args = pkillArguments(c.Args)
		f.Func("signal", "`signal` to send (either number or name)", func(s string) error {
			sig, ok := builtins.ParseSignal(s)
			if !ok {
				return builtins.Usage("Unknown signal \"%s\".", s)
			}
			q.signal = sig
			return nil
		})
		f.Bool(&q.echo, "e,echo", "display what is killed")
	} else {
		f.String(&q.delimiter, "d,delimiter", "specify output delimiter `string`")
		f.Bool(&q.names, "l,list-name", "list PID and process name")
		f.Bool(&q.lines, "a,list-full", "list PID and full command line")
		f.Bool(&q.invert, "v,inverse", "negates the matching")
	}
	f.Bool(&q.count, "c,count", "count of matching processes")
	f.Bool(&q.full, "f,full", "use full process name to match")
	f.Bool(&q.ignoreCase, "i,ignore-case", "match case insensitively")
	f.Bool(&q.newest, "n,newest", "select most recently started")
	f.Bool(&q.oldest, "o,oldest", "select least recently started")
	f.Func("P,parent", "match only child processes of the given parent `PID`", func(s string) error {
		for word := range strings.SplitSeq(s, ",") {
			n, err := strconv.Atoi(word)
			if err != nil {
				return builtins.Usage("not a number: %s", word)
			}
			q.parents = append(q.parents, n)
		}
		return nil
	})
	f.Func("u,euid,U,uid", "match by user `IDs`: all processes have the same", func(string) error { q.users = true; return nil })
	f.Bool(&q.exact, "x,exact", "match exactly with the command name")
	args, err := f.Parse()
	switch {
	case err != nil:
		return err
	case len(args) > 1:
		return f.Fail(builtins.Usage("only one pattern can be provided"))
	case len(args) == 0 && len(q.parents) == 0 && !q.users && !q.newest && !q.oldest:
		return f.Fail(builtins.Usage("no matching criteria specified"))
	}
	if len(args) == 1 {
		if err := q.compile(args[0]); err != nil {
			return err
		}
		defer q.pattern.Close()
	}
	return q.run(kills)
}

// pkillArguments rewrites -9 and -TERM as --signal.
func pkillArguments(args []string) []string {
	for i, arg := range args {
		if len(arg) > 1 && arg[0] == '-' && arg[1] != '-' {
			if sig, ok := builtins.ParseSignal(arg[1:]); ok {
				list := slices.Clone(args)
				list[i] = "--signal=" + strconv.Itoa(int(sig))
				return list
			}
		}
	}
	return args
}

func (q *processQuery) compile(pattern string) error {
	var flags regex.Flags
	if q.ignoreCase {
		flags |= regex.IgnoreCase
	}
	if q.exact {
		flags |= regex.WholeLine
	}
	re, err := regex.Compile(pattern, regex.Extended, flags)
	if err != nil {
		return err
	}
	q.pattern = re.Matcher(q.call)
	return nil
}

func (q *processQuery) run(kills bool) error {
	list, err := q.find()
	if err != nil {
		return err
	}
	if kills {
		for _, p := range list {
			if err := q.call.Processes.Signal(p.PID, q.signal); err != nil {
				q.call.Warnf("killing pid %d failed: %w", p.PID, vfs.ErrnoOf(err))
			} else if q.echo {
				fmt.Fprintf(q.call.Stdout, "%s killed (pid %d)\n", processName(p), p.PID)
			}
		}
	}
	if !kills || q.count {
		if err := q.print(list); err != nil {
			return err
		}
	}
	if len(list) == 0 {
		return builtins.Exit(1)
	}
	return nil
}

// find returns the processes, without the one that looks for them.
func (q *processQuery) find() ([]builtins.Process, error) {
	var list []builtins.Process
	for _, p := range q.call.Processes.List() {
		if p.PID == q.call.PID {
			continue
		}
		ok := len(q.parents) == 0 || slices.Contains(q.parents, p.PPID)
		if ok && q.pattern != nil {
			text := processName(p)
			if q.full {
				text = p.Command
			}
			ok = q.pattern.Match([]byte(text))
			if err := q.pattern.Err(); err != nil {
				return nil, err
			}
		}
		if ok != q.invert {
			list = append(list, p)
		}
	}
	if len(list) > 1 && (q.newest || q.oldest) {
		slices.SortStableFunc(list, func(a, b builtins.Process) int { return a.Start.Compare(b.Start) })
		if q.newest {
			return list[len(list)-1:], nil
		}
		return list[:1], nil
	}
	return list, nil
}

func (q *processQuery) print(list []builtins.Process) error {
	if q.count {
		_, err := fmt.Fprintln(q.call.Stdout, len(list))
		return err
	}
	var lines []string
	for _, p := range list {
		line := strconv.Itoa(p.PID)
		switch {
		case q.lines:
			line += " " + p.Command
		case q.names:
			line += " " + processName(p)
		}
		lines = append(lines, line)
	}
	if len(lines) == 0 {
		return nil
	}
	_, err := fmt.Fprintln(q.call.Stdout, strings.Join(lines, q.delimiter))
	return err
}
