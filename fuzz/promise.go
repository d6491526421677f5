package fuzz

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/limpet-sh/limpet"
	"github.com/limpet-sh/limpet/limits"
)

// Limits are small enough for thousands of scripts a minute, and large enough
// for a script to do something.
var Limits = limits.Limits{
	Time: 2 * time.Second, Steps: 200_000, Memory: 16 << 20, Depth: 200, Output: 1 << 20,
	Storage: 4 << 20, Files: 2000, FileSize: 1 << 20, OpenFiles: 64, Jobs: 32, Script: 1 << 20,
}

const (
	// slack is how far beyond its deadline a script may run before that is a
	// finding: the promise is 50 ms, and the rest is for machines that are busy.
	slack = 3 * time.Second

	// patience is how long an oracle waits for a script that does not end.
	patience = 30 * time.Second
)

// A Finding is a promise that was broken.
type Finding struct {
	Promise string // what was promised
	Script  string
	Err     error // what was seen; nil where Promise says it all
}

// Error says what was found, and in which script.
func (f *Finding) Error() string {
	return fmt.Sprintf("%s: %v\n%q", f.Promise, f.Err, f.Script)
}

// Unwrap returns what was seen.
func (f *Finding) Unwrap() error { return f.Err }

// like reports whether f is the same kind of finding as another one: it breaks the
// same promise and, where shells differ, differs in the first thing in which they do.
func (f *Finding) like(other *Finding) bool {
	var a, b *Difference
	if errors.As(f, &a) && errors.As(other, &b) {
		return slices.Equal(a.In, b.In)
	}
	return f.Promise == other.Promise
}

// Promises is an [Oracle] that says that a sandbox keeps its promises whatever a
// script does: it ends in time, holds no more memory than it may, leaves no goroutine,
// sees nothing of the host or of other scripts, is stopped by nothing but a limit, and
// leaves a sandbox that can be used.
type Promises struct {
	// Target is the sandbox. Nil means a limpet.Shell of this process with the
	// Limits of this package, under a guard of memory.
	Target Target

	// Limits are those that the target enforces, of which this oracle looks at Time
	// and Memory. Zero means the Limits of this package where Target is nil, and
	// elsewhere that it does not look.
	Limits limits.Limits

	// Canary is what no script may see or touch. Nil means that nobody looks.
	Canary *Canary
}

// A promise is one that [Promises] holds a sandbox to.
type promise struct {
	text string

	// broken returns what breaks it, or nil.
	broken func(p *Promises, s *sight) error

	// again says that a sandbox must break it twice to be guilty: something else
	// that happened at the time could be the cause.
	again bool
}

// A sight is what an oracle sees of a run.
type sight struct {
	*Outcome
	mark string // of the script
	left string // goroutines that are left
}

var promises = []promise{
	{"a script does not crash the sandbox", func(_ *Promises, s *sight) error { return crash(s.Stderr) }, false},
	{"a script ends at its deadline", (*Promises).late, true},
	{"a script stays within its memory", (*Promises).large, true},
	{"only limits stop a script", func(_ *Promises, s *sight) error {
		if s.Stopped != nil && !errors.Is(s.Stopped, limits.ErrExceeded) && !errors.Is(s.Stopped, ErrStopped) {
			return s.Stopped
		}
		return nil
	}, false},
	{"a status is a byte", func(_ *Promises, s *sight) error {
		if s.Status < 0 || s.Status > 255 {
			return fmt.Errorf("status %d", s.Status)
		}
		return nil
	}, false},
	{"a sandbox stays usable", func(_ *Promises, s *sight) error { return s.After }, false},
	{"a script leaves nothing running", func(_ *Promises, s *sight) error {
		if s.left != "" {
			return errors.New(s.left)
		}
		return nil
	}, false},
	{"a script does not see another", func(_ *Promises, s *sight) error { return foreign(s.mark, s.Stdout, s.Stderr) }, false},
	{"a script does not reach the host", func(p *Promises, s *sight) error {
		if p.Canary == nil {
			return nil
		}
		return p.Canary.Check(s.Stdout, s.Stderr)
	}, false},
}

// Check runs a script and looks for a promise that it breaks.
func (p *Promises) Check(ctx context.Context, script string) error {
	q, err := p.check(ctx, script)
	if q != nil && q.again {
		again, second := p.check(ctx, script)
		if again != q {
			return errors.Join(second, ErrUnstable)
		}
	}
	return err
}

// check returns the promise that a script breaks, and the finding.
func (p *Promises) check(ctx context.Context, script string) (*promise, error) {
	s, err := p.see(ctx, script)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		return nil, &Finding{Promise: "a script has an outcome", Script: script, Err: err}
	}
	for i := range promises {
		if seen := promises[i].broken(p, s); seen != nil {
			return &promises[i], &Finding{Promise: promises[i].text, Script: script, Err: seen}
		}
	}
	return nil, nil
}

// errHung is what stops a script that nothing else does.
var errHung = fmt.Errorf("it has not ended after %v", patience)

// see runs a script.
func (p *Promises) see(ctx context.Context, script string) (*sight, error) {
	target := p.Target
	if target == nil {
		target = &Sandbox{Config: limpet.Config{Limits: Limits, Guard: heapGuard()}}
	}
	mark := markOf(script)
	type run struct {
		out *Outcome
		err error
	}
	ended := make(chan run, 1)
	label := labelled(func() {
		out, err := target.Run(ctx, marked(mark, script))
		ended <- run{out, err}
	})
	hung := time.NewTimer(patience)
	defer hung.Stop()
	select {
	case r := <-ended:
		if r.err != nil {
			return nil, r.err
		}
		return &sight{Outcome: r.out, mark: mark, left: leftOf(label)}, nil
	case <-hung.C:
		return &sight{Outcome: &Outcome{Stopped: errHung, Took: patience}, mark: mark}, nil
	}
}

// heapGuard is the guard of scripts in this process: it ends one that holds much more
// than it is charged for.
var heapGuard = sync.OnceValue(func() *limpet.Guard {
	return limpet.NewGuard(384<<20 + int64(runtime.GOMAXPROCS(0))*2*Limits.Memory)
})

// bounds returns the limits that the target enforces.
func (p *Promises) bounds() limits.Limits {
	if p.Target == nil && p.Limits == (limits.Limits{}) {
		return Limits
	}
	return p.Limits
}

// late returns an error where a script has run for too long.
func (p *Promises) late(s *sight) error {
	switch limit := p.bounds().Time; {
	case errors.Is(s.Stopped, ErrStopped), errors.Is(s.Stopped, errHung):
		return s.Stopped
	case limit > 0 && s.Took > limit+slack:
		return fmt.Errorf("ran for %v", s.Took)
	}
	return nil
}

// large returns an error where a script has held too much.
func (p *Promises) large(s *sight) error {
	switch limit := p.bounds().Memory; {
	case errors.Is(s.Stopped, limpet.ErrMemoryGuard):
		return s.Stopped
	case limit > 0 && s.Memory > limit:
		return fmt.Errorf("%d bytes", s.Memory)
	}
	return nil
}

// crashPattern is what a Go program prints when it crashes.
var crashPattern = regexp.MustCompile(`(?m)^(?:panic: |fatal error: |unexpected fault address|SIG[A-Z]+: )[^\n]*\n(?:.*\n)*?goroutine [0-9]+ .*\[`)

// crash returns the end of a program that prints what is in stderr.
func crash(stderr string) error {
	if at := crashPattern.FindStringIndex(stderr); at != nil {
		return fmt.Errorf("%.1000s", stderr[at[0]:])
	}
	return nil
}

// Check runs script in a new sandbox made of cfg, whose Limits are replaced by
// those of this package, and returns a [*Finding] where a promise of [Promises] is
// broken.
func Check(ctx context.Context, cfg limpet.Config, script string) error {
	cfg.Limits = Limits
	return (&Promises{Target: &Sandbox{Config: cfg}, Limits: Limits}).Check(ctx, script)
}
