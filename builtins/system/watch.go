package system

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/limpet-sh/limpet/builtins"
)

var watch = commands.Add(&builtins.Command{
	Name:     "watch",
	Synopsis: "[options] command",
	Summary:  "execute a program periodically, showing its output",
	Run:      runWatch,
})

// A watcher is what watch is asked to do.
type watcher struct {
	interval                        time.Duration
	plain, changes, errors, program bool
	equal                           int
}

func runWatch(ctx context.Context, c *builtins.Call) error {
	w := watcher{interval: 2 * time.Second}
	f := c.Flags()
	f.Info("h", "v")
	f.Ordered = true
	f.Bool(&w.errors, "e,errexit", "exit if command has a non-zero exit")
	f.Bool(&w.changes, "g,chgexit", "exit when output from command changes")
	f.Func("n,interval", "`seconds` to wait between updates", func(s string) error {
		seconds, ok := parseFloat(s)
		if !ok {
			return fmt.Errorf("failed to parse argument: '%s'", s)
		}
		w.interval = time.Duration(min(max(seconds, 0.1), 2e9) * float64(time.Second))
		return nil
	})
	f.Func("q,equexit", "exit when output from command does not change for `cycles`", func(s string) error {
		n, ok := parseFloat(s)
		if !ok || n < 1 {
			return fmt.Errorf("failed to parse argument: '%s'", s)
		}
		w.equal = int(n)
		return nil
	})
	f.Bool(&w.plain, "t,no-title", "turn off header")
	f.Bool(&w.program, "x,exec", "pass command to exec instead of \"sh -c\"")
	args, err := f.Parse()
	if err != nil {
		return err
	}
	if len(args) == 0 {
		return f.Fail(builtins.Usage("missing command"))
	}
	return w.run(ctx, c, args)
}

// run shows the command's output again and again, until it is told to stop or
// the context ends.
func (w *watcher) run(ctx context.Context, c *builtins.Call, args []string) error {
	title := strings.Join(args, " ")
	if !w.program {
		args = []string{"sh", "-c", title}
	}
	var last []byte
	same := 0
	for first := true; ; first = false {
		var out bytes.Buffer
		status, err := c.Exec(ctx, args, func(child *builtins.Call) { child.Stdout, child.Stderr = &charged{&out, c}, &charged{&out, c} })
		c.Free(out.Cap())
		if err != nil {
			return err
		}
		changed := !first && !bytes.Equal(out.Bytes(), last)
		if same++; changed || first {
			same = 0
		}
		if err := w.show(c, title, out.Bytes()); err != nil {
			return err
		}
		switch {
		case w.errors && status != 0:
			return status
		case w.changes && changed, w.equal > 0 && same >= w.equal:
			return nil
		}
		last = bytes.Clone(out.Bytes())
		if err := c.Clock.Sleep(ctx, w.interval); err != nil {
			return err
		}
	}
}

func (w *watcher) show(c *builtins.Call, title string, out []byte) error {
	if !w.plain {
		left := fmt.Sprintf("Every %.1fs: %s", w.interval.Seconds(), title)
		right := c.Host + ": " + localTime(c).Format("Mon Jan _2 15:04:05 2006")
		if _, err := fmt.Fprintf(c.Stdout, "%s%*s\n\n", left, max(80-len(left), len(right)+1), right); err != nil {
			return err
		}
	}
	_, err := c.Stdout.Write(out)
	return err
}

// A charged is a buffer whose growth is charged to a call.
type charged struct {
	*bytes.Buffer
	call *builtins.Call
}

func (b *charged) Write(p []byte) (int, error) {
	before := b.Cap()
	if b.Available() < len(p) {
		if err := b.call.Alloc(before + len(p)); err != nil {
			return 0, err
		}
		defer func() { b.call.Free(2*before + len(p) - b.Cap()) }()
	}
	return b.Buffer.Write(p)
}
