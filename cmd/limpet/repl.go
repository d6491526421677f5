package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"

	"github.com/limpet-sh/limpet"
	"github.com/spf13/cobra"
)

// replFlags is the command line of limpet repl.
type replFlags struct {
	sandboxFlags
	backend backendFlags
	history string
}

func replCommand(status *int) *cobra.Command {
	var f replFlags
	cmd := &cobra.Command{
		Use:   "repl [flags]",
		Short: "type commands to a sandbox",
		Long: `Type commands to a sandbox, as to an interactive bash. The directory, variables,
functions and files stay from one command to the next, and limits count anew for each.
Ctrl-C ends the command that runs, Ctrl-D or exit the session.

` + metaHelp() + `
With another --backend than the shell there are only :help and :quit, and commands have
no standard input.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			*status = statusUsage
			if err := f.backend.check(cmd.Flags(), "history", "cwd"); err != nil {
				return err
			}
			if f.backend.elsewhere() {
				*status, err = f.runElsewhere(cmd.Context())
			} else {
				*status, err = f.run(cmd.Context())
			}
			return err
		},
	}
	f.register(cmd.Flags(), "interactive")
	f.backend.register(cmd.Flags())
	cmd.Flags().StringVar(&f.history, "history", historyFile(), "keep what was typed in a `FILE` of the host; none if empty")
	return cmd
}

// run makes the sandbox and lets the user type.
func (f *replFlags) run(ctx context.Context) (int, error) {
	cfg, err := f.config()
	if err != nil {
		return statusUsage, err
	}
	sh, err := newShell(cfg)
	if err != nil {
		return statusUsage, err
	}
	defer sh.Close()
	s, err := sh.NewSession(ctx, limpet.SessionOptions{Interactive: true})
	if err != nil {
		return statusUsage, err
	}
	if f.load != "" {
		if err := loadSession(s, f.load); err != nil {
			return statusUsage, fmt.Errorf("cannot load %s: %w", f.load, err)
		}
	}
	r := &repl{session: s, out: os.Stdout, errs: os.Stderr}
	if isTerminal(os.Stdin) && isTerminal(os.Stdout) {
		r.terminal, err = openTerminal()
		if err != nil {
			return statusUsage, err
		}
		defer r.terminal.Close()
		r.input = newEditor(r, f.history)
	} else {
		r.input = &plainInput{in: os.Stdin}
	}
	return r.loop(ctx)
}

// An input gives what the user types, a complete command at a time.
type input interface {
	// read returns [io.EOF] at the end, and errInterrupted where the user gives a
	// command up.
	read() (string, error)
	// rest is what commands have as standard input.
	rest() io.Reader
}

// errInterrupted is what input.read returns where the user gives a command up.
var errInterrupted = errors.New("interrupted")

// statusInterrupted is the status of a command that Ctrl-C has ended.
const statusInterrupted = 128 + int(syscall.SIGINT)

// A repl is a session and the user who types.
type repl struct {
	session  *limpet.Session
	input    input
	terminal *terminal // nil where there is none
	out      *os.File
	errs     *os.File

	status int
	undo   []*limpet.Checkpoint // before the commands that were run last
	marks  []mark
	begin  *limpet.Checkpoint // what :changes compares with; nil where it cannot
	forks  []fork             // the other sessions
	name   string             // of this one
}

// startup is what a session begins with.
const startup = `[ "$PS1" != '\s-\v\$ ' ] || PS1='\[\e[32m\]\u@\h\[\e[0m\]:\[\e[34m\]\w\[\e[0m\]\$ '
[ ! -f ~/.bashrc ] || . ~/.bashrc
history -c`

// loop reads and runs commands until the end.
func (r *repl) loop(ctx context.Context) (int, error) {
	r.name = "main"
	r.exec(ctx, startup)
	r.begin, _ = r.session.Checkpoint()
	for {
		script, err := r.input.read()
		switch {
		case errors.Is(err, errInterrupted):
			r.status = statusInterrupted
			continue
		case errors.Is(err, io.EOF):
			if r.terminal != nil {
				fmt.Fprintln(r.out, "exit")
			}
			return r.end(ctx)
		case err != nil:
			return statusUsage, err
		}
		if handled, err := r.meta(ctx, script); handled {
			if errors.Is(err, io.EOF) {
				return r.end(ctx)
			}
			if err != nil {
				fmt.Fprintf(r.errs, "limpet: %v\n", err)
			}
			continue
		}
		r.remember()
		if r.exec(ctx, script) {
			return r.status, nil
		}
	}
}

// end runs what the session has for its end.
func (r *repl) end(ctx context.Context) (int, error) {
	r.exec(ctx, "exit")
	return r.status, nil
}

// maxUndo is how many commands can be undone.
const maxUndo = 1000

// remember notes what :undo goes back to.
func (r *repl) remember() {
	c, err := r.session.Checkpoint()
	if err != nil {
		return // :undo says so
	}
	if len(r.undo) == maxUndo {
		r.undo = append(r.undo[:0], r.undo[1:]...)
	}
	r.undo = append(r.undo, c)
}

// exec runs a script, and reports whether it has ended the session. An interrupt goes to
// the script.
func (r *repl) exec(ctx context.Context, script string) (ended bool) {
	signals, stop := hostSignals(os.Interrupt)
	defer stop()
	r.terminal.restart()
	res, err := r.session.Exec(ctx, limpet.Request{
		Script: script + "\n", Stdin: r.input.rest(), Stdout: hostFile{r.out}, Stderr: hostFile{r.errs}, Signals: signals,
	})
	r.terminal.interrupt() // for what still reads
	if err != nil {
		fmt.Fprintf(r.errs, "limpet: %v\n", err)
		return errors.Is(err, limpet.ErrClosed)
	}
	if r.status = res.Status; r.status == statusInterrupted {
		fmt.Fprintln(r.errs)
	}
	return res.Exited
}

// prompting runs PROMPT_COMMAND, and leaves $? what it was.
func (r *repl) prompting() {
	status := r.status
	r.exec(context.Background(), `for __c in "${PROMPT_COMMAND[@]}"; do eval "$__c"; done; unset __c; (exit `+fmt.Sprint(status)+`)`)
	r.status = status
}

// ask returns the output of a script that leaves no trace in the session.
func (r *repl) ask(script string) string {
	ctx, cancel := context.WithTimeout(context.Background(), askTime)
	defer cancel()
	s, err := r.session.Fork()
	if err != nil { // a directory of the host is mounted for writing
		s, script = r.session, fmt.Sprintf("(%s\n); (exit %d)", script, r.status)
	} else {
		defer s.Close()
	}
	res, err := s.Exec(ctx, limpet.Request{Script: script})
	if err != nil {
		return ""
	}
	return string(res.Stdout)
}
