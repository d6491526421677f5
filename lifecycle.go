package limpet

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
)

// A Lifecycle is what happens when a sandbox is made and when it is closed. The
// zero Lifecycle is nothing.
type Lifecycle struct {
	// Setup runs once, before everything else.
	Setup SetupScript

	// Hooks run after it, in their order, and those for the end in the opposite
	// order.
	Hooks []Hooks
}

// A SetupScript prepares a sandbox. Where its status is not zero, or its time runs
// out, the sandbox is destroyed and creation fails with a [SetupError].
type SetupScript struct {
	Script  string        // empty means none
	Timeout time.Duration // zero means ten minutes; limits of the sandbox hold as well
}

// Hooks are functions of the host that get the sandbox to run scripts and to read
// files. Either may be nil. One that panics has failed.
type Hooks struct {
	// OnCreate runs before anybody else uses the sandbox. Where it fails the sandbox
	// is destroyed and creation fails with its error.
	OnCreate func(ctx context.Context, s Sandbox) error

	// OnDestroy runs when the sandbox is about to be closed, if OnCreate has
	// succeeded. Its error is that of Close, which does everything else all the same.
	OnDestroy func(ctx context.Context, s Sandbox) error

	// Timeout bounds each of them. Zero means one minute.
	Timeout time.Duration
}

const (
	setupTimeout = 10 * time.Minute
	hookTimeout  = time.Minute

	setupOutput = 4000 // bytes of what a setup script has printed that its error shows
)

// GitIdentity returns hooks that set the global user.name and user.email of git in
// a sandbox, without which git commit fails there.
func GitIdentity(name, email string) Hooks {
	return Hooks{OnCreate: func(ctx context.Context, s Sandbox) error {
		res, err := s.Exec(ctx, Request{
			Script: `git config --global user.name "$1" && git config --global user.email "$2"`, Args: []string{name, email},
		})
		if err == nil && res.Status != 0 {
			err = fmt.Errorf("git config: status %d: %s", res.Status, strings.TrimSpace(string(res.Stderr)))
		}
		return err
	}}
}

// A SetupError says how a setup script has failed.
type SetupError struct{ Result *Result }

// Error has the status and what the script has printed, of which it leaves out the
// middle where that is long.
func (e *SetupError) Error() string {
	how := fmt.Sprintf("failed with status %d", e.Result.Status)
	if e.Result.Stopped != nil {
		how = fmt.Sprintf("was stopped: %v", e.Result.Stopped)
	}
	out := strings.TrimSpace(string(slices.Concat(e.Result.Stdout, e.Result.Stderr)))
	if len(out) > setupOutput {
		cut := len(out) - setupOutput
		out = fmt.Sprintf("%s\n[%d bytes left out]\n%s", out[:setupOutput/2], cut, out[len(out)-setupOutput/2:])
	}
	return strings.TrimSuffix("setup script "+how+"\n"+out, "\n")
}

// Unwrap returns what stopped the script, if anything did.
func (e *SetupError) Unwrap() error { return e.Result.Stopped }

// A Life runs the lifecycle of one sandbox, for those who implement one: the
// constructor ends with Begin and, where that fails, with Close; and Close begins
// with End. The zero Life is ready for use.
type Life struct {
	mu    sync.Mutex
	begun []Hooks // whose OnCreate has succeeded
}

// Begin runs the setup script and the hooks for the creation of s, up to the first
// that fails.
func (l *Life) Begin(ctx context.Context, cycle Lifecycle, s Sandbox) error {
	if err := cycle.Setup.run(ctx, s); err != nil {
		return err
	}
	for _, h := range cycle.Hooks {
		if err := h.call(ctx, h.OnCreate, s); err != nil {
			return fmt.Errorf("on create: %w", err)
		}
		l.mu.Lock()
		l.begun = append(l.begun, h)
		l.mu.Unlock()
	}
	return nil
}

// End runs the hooks for the end of s, all of them whatever fails, once. It needs no
// context: cleaning up is not to be cancelled.
func (l *Life) End(s Sandbox) error {
	l.mu.Lock()
	hooks := l.begun
	l.begun = nil
	l.mu.Unlock()
	var errs []error
	for _, h := range slices.Backward(hooks) {
		if err := h.call(context.Background(), h.OnDestroy, s); err != nil {
			errs = append(errs, fmt.Errorf("on destroy: %w", err))
		}
	}
	return errors.Join(errs...)
}

func (p SetupScript) run(ctx context.Context, s Sandbox) error {
	if p.Script == "" {
		return nil
	}
	res, err := s.Exec(ctx, Request{Script: p.Script, Timeout: cmp.Or(p.Timeout, setupTimeout)})
	if err != nil {
		return fmt.Errorf("setup script: %w", err)
	}
	if res.Status != 0 || res.Stopped != nil {
		return &SetupError{res}
	}
	return nil
}

// call runs one hook within its time. A hook that does not return when its context
// ends is left behind.
func (h Hooks) call(ctx context.Context, hook func(context.Context, Sandbox) error, s Sandbox) error {
	if hook == nil {
		return nil
	}
	limit := cmp.Or(h.Timeout, hookTimeout)
	ctx, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("hook: %w", &TimeoutError{limit}))
	defer cancel()
	done := make(chan error, 1)
	go func() {
		defer func() {
			if v := recover(); v != nil {
				done <- fmt.Errorf("hook panicked: %v", v)
			}
		}()
		done <- hook(ctx, s)
	}()
	select {
	case err := <-done:
		if err == nil && ctx.Err() != nil { // it has returned because its time was over
			err = context.Cause(ctx)
		}
		return err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
