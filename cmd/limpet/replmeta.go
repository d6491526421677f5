package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/limpet-sh/limpet"
)

// A metaCommand is a line that begins with a colon and a letter: a command to the
// program, and not to the sandbox.
type metaCommand struct {
	name, args, help string
	run              func(r *repl, ctx context.Context, args []string) error
}

// metaCommands returns all of them.
func metaCommands() []metaCommand {
	return []metaCommand{
		{"checkpoint", "[NAME]", "note the files and the state of the shell", (*repl).checkpoint},
		{"restore", "[NAME]", "go back to a checkpoint, the last one if none is named", (*repl).restore},
		{"undo", "[N]", "go back to before the last command, or the last N", (*repl).undoCommands},
		{"fork", "[NAME]", "go on in a copy of the session", (*repl).fork},
		{"switch", "[NAME]", "go back to another session, or list them", (*repl).switchTo},
		{"changes", "[-p]", "list what has changed in the files, or show it as a patch", (*repl).changes},
		{"limits", "", "show the limits of each command", (*repl).limits},
		{"network", "", "show what can be reached", (*repl).network},
		{"save", "FILE", "write the files and the state of the shell to a file of the host", (*repl).save},
		{"load", "FILE", "go on with what :save has written", (*repl).load},
		{"help", "", "list these commands", (*repl).help},
		{"quit", "", "end the session", func(*repl, context.Context, []string) error { return io.EOF }},
	}
}

// metaHelp returns the list of the commands.
func metaHelp() string {
	var b strings.Builder
	for _, m := range metaCommands() {
		fmt.Fprintf(&b, "  %-20s %s\n", ":"+m.name+" "+m.args, m.help)
	}
	return b.String()
}

// meta runs a line that is a metaCommand, and reports whether it is one.
func (r *repl) meta(ctx context.Context, line string) (bool, error) {
	words := strings.Fields(line)
	if len(words) == 0 || len(words[0]) < 2 || words[0][0] != ':' || words[0][1] < 'a' || words[0][1] > 'z' {
		return false, nil
	}
	for _, m := range metaCommands() {
		if ":"+m.name != words[0] {
			continue
		}
		args := words[1:]
		switch {
		case len(args) > 1 || m.args == "" && len(args) > 0:
			return true, fmt.Errorf("%s: too many arguments", words[0])
		case m.args == "FILE" && len(args) == 0:
			return true, fmt.Errorf("%s: which FILE of the host?", words[0])
		}
		if err := m.run(r, ctx, args); err != nil && err != io.EOF {
			return true, fmt.Errorf("%s: %w", words[0], err)
		} else {
			return true, err
		}
	}
	return true, fmt.Errorf("%s: no such command; :help lists them", words[0])
}

// A mark is a checkpoint with a name.
type mark struct {
	name string
	*limpet.Checkpoint
}

func (r *repl) checkpoint(_ context.Context, args []string) error {
	c, err := r.session.Checkpoint()
	if err != nil {
		return err
	}
	m := mark{fmt.Sprint(len(r.marks) + 1), c}
	if len(args) > 0 {
		m.name = args[0]
	}
	r.marks = append(slices.DeleteFunc(r.marks, func(o mark) bool { return o.name == m.name }), m)
	fmt.Fprintf(r.out, "checkpoint %s\n", m.name)
	return nil
}

func (r *repl) restore(_ context.Context, args []string) error {
	if len(r.marks) == 0 {
		return errors.New("there is no checkpoint")
	}
	m := r.marks[len(r.marks)-1]
	if len(args) > 0 {
		i := slices.IndexFunc(r.marks, func(m mark) bool { return m.name == args[0] })
		if i < 0 {
			return fmt.Errorf("there is no checkpoint %s", args[0])
		}
		m = r.marks[i]
	}
	r.remember()
	if err := r.session.Restore(m.Checkpoint); err != nil {
		return err
	}
	fmt.Fprintf(r.out, "back at checkpoint %s\n", m.name)
	return nil
}

func (r *repl) undoCommands(_ context.Context, args []string) error {
	n := 1
	if len(args) > 0 {
		if _, err := fmt.Sscanf(args[0], "%d", &n); err != nil || n < 1 || fmt.Sprint(n) != args[0] {
			return fmt.Errorf("%s: want a number of commands", args[0])
		}
	}
	if len(r.undo) == 0 {
		if _, err := r.session.Checkpoint(); err != nil {
			return err
		}
		return errors.New("nothing to undo")
	}
	if n > len(r.undo) {
		return fmt.Errorf("only %d commands can be undone", len(r.undo))
	}
	if err := r.session.Restore(r.undo[len(r.undo)-n]); err != nil {
		return err
	}
	r.undo = r.undo[:len(r.undo)-n]
	return nil
}

// A fork is a session that the user has left for another.
type fork struct {
	name    string
	session *limpet.Session
	undo    []*limpet.Checkpoint
}

func (r *repl) fork(_ context.Context, args []string) error {
	name := fmt.Sprint("fork", len(r.forks)+1)
	if len(args) > 0 {
		name = args[0]
	}
	if name == r.name || slices.ContainsFunc(r.forks, func(f fork) bool { return f.name == name }) {
		return fmt.Errorf("there is a session %s", name)
	}
	s, err := r.session.Fork()
	if err != nil {
		return err
	}
	r.forks = append(r.forks, fork{r.name, r.session, r.undo})
	r.name, r.session, r.undo = name, s, slices.Clone(r.undo)
	fmt.Fprintf(r.out, "session %s, a copy of %s\n", name, r.forks[len(r.forks)-1].name)
	return nil
}

func (r *repl) switchTo(_ context.Context, args []string) error {
	if len(args) == 0 {
		fmt.Fprintf(r.out, "* %s\n", r.name)
		for _, f := range r.forks {
			fmt.Fprintf(r.out, "  %s\n", f.name)
		}
		return nil
	}
	i := slices.IndexFunc(r.forks, func(f fork) bool { return f.name == args[0] })
	if i < 0 {
		return fmt.Errorf("there is no other session %s", args[0])
	}
	f := r.forks[i]
	r.forks[i] = fork{r.name, r.session, r.undo}
	r.name, r.session, r.undo = f.name, f.session, f.undo
	return nil
}

func (r *repl) changes(ctx context.Context, args []string) error {
	if len(args) > 0 && args[0] != "-p" {
		return fmt.Errorf("%s: want -p", args[0])
	}
	now, err := r.session.Checkpoint()
	if err != nil {
		return err
	}
	if len(args) > 0 {
		return limpet.Diff(ctx, r.out, r.begin, now)
	}
	list, err := limpet.Changes(r.begin, now)
	if err != nil {
		return err
	}
	for _, v := range list {
		c := changeOf(v)
		c.Name = "/" + c.Name
		fmt.Fprintln(r.out, c)
	}
	return nil
}

func (r *repl) limits(context.Context, []string) error {
	for name, value := range r.session.Shell().Limits().All() {
		fmt.Fprintf(r.out, "%-12s %s\n", name, value)
	}
	return nil
}

func (r *repl) network(context.Context, []string) error {
	fmt.Fprintln(r.out, limpet.Describe(r.session.Shell()).Network)
	return nil
}

func (r *repl) save(_ context.Context, args []string) error { return saveSession(r.session, args[0]) }

func (r *repl) load(_ context.Context, args []string) error {
	r.remember()
	return loadSession(r.session, args[0])
}

func (r *repl) help(context.Context, []string) error {
	_, err := io.WriteString(r.out, metaHelp())
	return err
}
