package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"regexp"
	"strings"
	"syscall"

	"github.com/limpet-sh/limpet"
	"github.com/reeflective/readline"
)

// A visit is a conversation with a sandbox of another backend than the shell, and the
// user who types.
type visit struct {
	conversation limpet.Conversation
	read         func() (string, error) // as that of input
	status       int
}

// runElsewhere makes a sandbox of another backend and lets the user type.
func (f *replFlags) runElsewhere(ctx context.Context) (status int, err error) {
	building, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	sandbox, err := f.backend.open(building, &f.sandboxFlags, limpet.AccessFull, false)
	stop()
	if err != nil {
		return statusUsage, err
	}
	defer func() {
		if closeErr := sandbox.Close(); closeErr != nil {
			status, err = statusUsage, errors.Join(err, closeErr)
		}
	}()
	v := &visit{}
	if v.conversation, err = sandbox.OpenSession(ctx, limpet.SessionOptions{Dir: f.cwd}); err != nil {
		return statusUsage, err
	}
	defer v.conversation.Close()
	if isTerminal(os.Stdin) && isTerminal(os.Stdout) {
		e := readline.NewShell()
		e.Prompt.Primary(func() string { return f.backend.name + ":" + v.conversation.Dir() + "$ " })
		e.AcceptMultiline = func(line []rune) bool { return !limpet.Incomplete(string(line)) }
		if err := keepHistory(e, f.history); err != nil {
			fmt.Fprintf(os.Stderr, "limpet: the history is not kept: %v\n", err)
		}
		v.read = func() (string, error) {
			line, err := e.Readline()
			if errors.Is(err, readline.ErrInterrupt) {
				err = errInterrupted
			}
			return line, err
		}
	} else {
		v.read = (&plainInput{in: os.Stdin}).read
	}
	return v.loop(ctx)
}

// leaving matches a command that ends the session.
var leaving = regexp.MustCompile(`^exit(\s+[0-9]+)?$`)

// loop reads and runs commands until the end.
func (v *visit) loop(ctx context.Context) (int, error) {
	for {
		script, err := v.read()
		switch word := strings.TrimSpace(script); {
		case errors.Is(err, errInterrupted):
			v.status = statusInterrupted
		case errors.Is(err, io.EOF), word == ":quit":
			return v.status, nil
		case err != nil:
			return statusUsage, err
		case word == ":help":
			fmt.Print(":help lists these commands, :quit ends the session\n")
		default:
			// An exit without a number has the status of the command before.
			err := v.exec(ctx, fmt.Sprintf("(exit %d); %s", v.status, script))
			if err != nil || leaving.MatchString(word) {
				return v.status, err
			}
		}
	}
}

// exec runs a script. Signals go to it.
func (v *visit) exec(ctx context.Context, script string) error {
	signals, stop := hostSignals(os.Interrupt)
	defer stop()
	res, err := v.conversation.Exec(ctx, limpet.Request{Script: script, Stdout: hostFile{os.Stdout}, Stderr: hostFile{os.Stderr}, Signals: signals})
	if err != nil {
		v.status = statusUsage
		return err
	}
	v.status = res.Status
	return nil
}
