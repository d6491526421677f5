// Package box makes a [limpet.Sandbox] of whatever can run scripts of sh and give back
// what they print: a container, a machine elsewhere.
//
// Nothing depends on a connection that lasts. A supervisor in the sandbox runs each
// script as a job, with a name that this process has given it, and keeps what comes of
// it in files; every call says which part of that is wanted. So a call whose answer
// was lost is made again, and nothing is run twice.
package box

import (
	"cmp"
	"context"
	"crypto/rand"
	_ "embed"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/limpet-sh/limpet"
	"github.com/limpet-sh/limpet/internal/quote"
	"github.com/limpet-sh/limpet/limits"
	"github.com/limpet-sh/limpet/netpolicy/proxy"
)

// A Link reaches the sandbox.
type Link interface {
	// Run runs a script of sh, which may be run more than once, with input, and returns
	// all that it prints on standard output. It returns a *LostError where the answer
	// did not arrive and another try may get one.
	Run(ctx context.Context, script string, input []byte) ([]byte, error)
}

// A LostError says that a call was made and that its answer was lost.
type LostError struct{ Err error }

// Error says why.
func (e *LostError) Error() string { return "the answer was lost: " + e.Err.Error() }

// Unwrap returns the reason.
func (e *LostError) Unwrap() error { return e.Err }

// An UnknownOutcomeError says that nobody knows what a script has done: it was started,
// and the sandbox could not be asked about it any more.
type UnknownOutcomeError struct {
	Sandbox string
	Err     error
}

// Error says why.
func (e *UnknownOutcomeError) Error() string {
	return e.Sandbox + ": what the script has done is not known: " + e.Err.Error()
}

// Unwrap returns the reason.
func (e *UnknownOutcomeError) Unwrap() error { return e.Err }

// Options say what a box is.
type Options struct {
	Kind      string // of the sandbox, for messages
	Link      Link
	Control   string // absolute: a directory for the supervisor, which exists or can be made
	Workspace string // absolute, which exists or can be made
	Env       map[string]string

	Timeout   time.Duration // of each script; zero means ten minutes
	MaxOutput int64         // of each script, in bytes; zero means that of package limits

	// Slack is how much longer than its script a call may take before it is given
	// up. Zero means 15 seconds.
	Slack time.Duration

	// Turn is how long one call waits for a script at most. Zero means 20 seconds.
	Turn time.Duration

	// Page is how much output one call brings. Zero means 8 MiB.
	Page int64

	// Setup returns what every command sources before it begins: how to use a proxy.
	// It is asked again when half of the time of that is over. Nil means nothing.
	Setup func(context.Context) (proxy.Setup, error)

	// Background says whether there are background processes. NoBackground is why there
	// are none.
	Background   bool
	NoBackground string
}

// A Box runs scripts. It is safe for concurrent use.
type Box struct {
	opts      Options
	shell     string // bash or sh
	detach    bool   // setsid can fork
	terminal  string // what gives processes a terminal: script, python3, or nothing
	processes registry
	material  material

	mu      sync.Mutex
	closed  bool
	garbage []string // jobs whose files nobody needs any more
	running sync.WaitGroup
	ctx     context.Context
	cancel  context.CancelCauseFunc
}

//go:embed supervisor.sh
var supervisor string

// probe installs the supervisor and prints what the sandbox has.
const probe = `
mkdir -p -- "$W" && [ -d "$W" ] && mkdir -p -- "$C" && cat > "$C/supervisor.$$" && mv -f -- "$C/supervisor.$$" "$C/supervisor" || { echo failed; exit; }
for c in bash setsid script python3 grep base64; do command -v $c > /dev/null && printf '%s ' $c; done
setsid -f true 2> /dev/null && printf 'fork '
echo ok`

// Open makes a box.
func Open(ctx context.Context, opts Options) (*Box, error) {
	b := &Box{opts: opts}
	b.opts.Timeout = cmp.Or(opts.Timeout, 10*time.Minute)
	b.opts.MaxOutput = cmp.Or(opts.MaxOutput, limits.Limits{}.Of(limits.Output))
	b.opts.Slack = cmp.Or(opts.Slack, 15*time.Second)
	b.opts.Turn = cmp.Or(opts.Turn, 20*time.Second)
	b.opts.Page = cmp.Or(opts.Page, 8<<20)
	b.ctx, b.cancel = context.WithCancelCause(context.Background())
	out, err := b.install(ctx)
	if err != nil {
		return nil, err
	}
	has := map[string]bool{}
	for f := range strings.FieldsSeq(string(out)) {
		has[f] = true
	}
	switch {
	case !has["ok"]:
		return nil, fmt.Errorf("%s: cannot make %s or write to %s in the sandbox", opts.Kind, opts.Workspace, opts.Control)
	case !has["setsid"] || !has["grep"]:
		return nil, fmt.Errorf("%s: the image has no setsid or no grep, which the sandbox needs", opts.Kind)
	}
	b.shell, b.detach = "sh", has["fork"]
	if has["bash"] {
		b.shell = "bash"
	}
	for _, t := range []string{"python3", "script"} {
		if has[t] {
			b.terminal = t
		}
	}
	return b, nil
}

// install puts the supervisor into the sandbox, again where that has lost everything, as
// a machine that has slept does. It returns what the probe says.
func (b *Box) install(ctx context.Context) ([]byte, error) {
	return b.call(ctx, "umask 022; W="+quote.Single(b.opts.Workspace)+" C="+quote.Single(b.opts.Control)+probe, []byte(supervisor))
}

// Terminal returns the program that gives background processes a terminal; "" where
// they have pipes.
func (b *Box) Terminal() string { return b.terminal }

// Close ends every call. What runs in the sandbox goes with the sandbox.
func (b *Box) Close() {
	b.mu.Lock()
	b.closed = true
	b.mu.Unlock()
	b.cancel(limpet.ErrClosed)
	b.running.Wait()
}

// begin notes that a call has begun, and returns what ends it.
func (b *Box) begin() (end func(), err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return nil, limpet.ErrClosed
	}
	b.running.Add(1)
	return b.running.Done, nil
}

// tries is how often a call is made whose answer is lost each time.
const tries = 4

// call runs a script of the supervisor's, again where the answer is lost.
func (b *Box) call(ctx context.Context, script string, input []byte) (out []byte, err error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(b.ctx, func() { cancel(limpet.ErrClosed) })()
	for try := range tries {
		out, err = b.opts.Link.Run(ctx, script, input)
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if _, lost := errors.AsType[*LostError](err); !lost {
			return out, err
		}
		timer := time.NewTimer(50 * time.Millisecond << (2 * try))
		select {
		case <-timer.C:
		case <-ctx.Done():
		}
		timer.Stop()
	}
	return nil, err
}

// newName returns a name that nothing has.
func newName() string {
	var random [9]byte
	_, _ = rand.Read(random[:]) // never fails
	return hex.EncodeToString(random[:])
}

// sweep returns a command that removes what nobody needs any more.
func (b *Box) sweep() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.garbage) == 0 {
		return ""
	}
	text := "rm -rf --"
	for _, job := range b.garbage {
		text += " " + quote.Single(job)
	}
	b.garbage = nil
	return text + "\n"
}

// forget has the files of a job removed when something else is done.
func (b *Box) forget(job string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.garbage = append(b.garbage, job)
}

// Usable fails with [limpet.ErrClosed] after Close.
func (b *Box) Usable() error {
	end, err := b.begin()
	if err == nil {
		end()
	}
	return err
}
