package system

import (
	"context"
	"fmt"
	"time"

	"github.com/limpet-sh/limpet/builtins"
)

var timeout = commands.Add(&builtins.Command{
	Name:     "timeout",
	Synopsis: "[OPTION] DURATION COMMAND [ARG]...",
	Summary:  "run a command with a time limit",
	Trouble:  125,
	Run:      runTimeout,
})

// expired is the status of timeout where it ended the command.
const expired builtins.Exit = 124

// A deadline is what timeout does to a command, and when.
type deadline struct {
	after, killAfter  time.Duration
	signal            builtins.Signal
	verbose, preserve bool
}

func runTimeout(ctx context.Context, c *builtins.Call) error {
	d := deadline{signal: builtins.SIGTERM}
	f := c.Flags()
	f.Ordered = true
	f.Bool(&d.preserve, "preserve-status", "exit with the same status as COMMAND, even when the command times out")
	// No command of a sandbox has a terminal to itself: all run in the foreground.
	f.Do("foreground", "do not make the command a background process group", func() error { return nil })
	f.Func("k,kill-after", "also send a KILL signal if COMMAND is still running this `DURATION` later", func(s string) error {
		return setDuration(&d.killAfter, s)
	})
	f.Func("s,signal", "specify the `SIGNAL` to be sent on timeout", func(s string) (err error) {
		sig, ok := builtins.ParseSignal(s)
		if !ok {
			return builtins.Usage("%s: invalid signal", builtins.QuoteLocale(s))
		}
		d.signal = sig
		return nil
	})
	f.Bool(&d.verbose, "v,verbose", "diagnose to stderr any signal sent upon timeout")
	args, err := f.Parse()
	if err != nil {
		return err
	}
	if len(args) < 2 {
		fmt.Fprintf(c.Stderr, "Try '%s --help' for more information.\n", c.Name)
		return c.Command.Trouble
	}
	if err := setDuration(&d.after, args[0]); err != nil {
		return f.Fail(err)
	}
	if err := runnable(c, args[1], "failed to run command "); err != nil {
		return err
	}
	return d.run(ctx, c, args[1:])
}

func setDuration(d *time.Duration, text string) error {
	n, ok := parseDuration(text)
	if !ok {
		return builtins.Usage("invalid time interval %s", builtins.QuoteLocale(text))
	}
	*d = n
	return nil
}

// run runs the command beside a watch that ends it.
func (d *deadline) run(ctx context.Context, c *builtins.Call, args []string) error {
	if d.after == 0 {
		return run(ctx, c, args, "", nil)
	}
	final, kill := context.WithCancelCause(ctx)
	defer kill(nil)
	child, end := context.WithCancelCause(builtins.WithKill(final, final))
	defer end(nil)
	watch, stop := context.WithCancel(ctx)
	sent := make(chan builtins.Signal, 1)
	go func() { sent <- d.watch(watch, c, args[0], end, kill) }()
	status, err := c.Exec(child, args, nil)
	stop()
	last := <-sent
	switch {
	case err != nil:
		return err
	case last == none || d.preserve:
		return status
	case last == builtins.SIGKILL:
		return builtins.Signaled + builtins.Exit(last)
	}
	return expired
}

// none is no signal; 0 is one that timeout can send.
const none builtins.Signal = 255

// watch sends the signals when their time has come, by end and by kill, until ctx is
// done, and returns the last one.
func (d *deadline) watch(ctx context.Context, c *builtins.Call, name string, end, kill context.CancelCauseFunc) builtins.Signal {
	if c.Clock.Sleep(ctx, d.after) != nil {
		return none
	}
	d.send(c, d.signal, name, end)
	if d.killAfter == 0 || c.Clock.Sleep(ctx, d.killAfter) != nil {
		return d.signal
	}
	d.send(c, builtins.SIGKILL, name, kill)
	return builtins.SIGKILL
}

func (d *deadline) send(c *builtins.Call, sig builtins.Signal, name string, kill context.CancelCauseFunc) {
	if d.verbose {
		fmt.Fprintf(c.Stderr, "timeout: sending signal %s to command %s\n", sig.Name(), builtins.QuoteLocale(name))
	}
	if fatal(sig) {
		kill(sig)
	}
}

// fatal reports whether a process that does not care about sig dies of it.
func fatal(sig builtins.Signal) bool {
	switch sig.Name() {
	case "EXIT", "CHLD", "CONT", "URG", "WINCH", "STOP", "TSTP", "TTIN", "TTOU":
		return false
	}
	return true
}
