package fuzz

import (
	"context"
	"errors"
	"fmt"
	"slices"
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

// slack is how far beyond its deadline a script may run before that is a
// finding: the promise is 50 ms, and the rest is for machines that are busy.
const slack = 3 * time.Second

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
// script does; see [Check].
type Promises struct {
	Config limpet.Config

	// Canary is what no script may see or touch. Nil means that nobody looks.
	Canary *Canary
}

// Check runs a script in a new sandbox.
func (p *Promises) Check(ctx context.Context, script string) error {
	res, err := check(ctx, p.Config, script)
	if err != nil || p.Canary == nil {
		return err
	}
	if err := p.Canary.Check(string(res.Stdout), string(res.Stderr)); err != nil {
		return &Finding{Promise: "a script does not reach the host", Script: script, Err: err}
	}
	return nil
}

// Check runs script in a new sandbox made of cfg, whose Limits are replaced by
// those of this package. It returns a [*Finding] when the sandbox has panicked,
// has run beyond its deadline or its memory, has ended for a reason that is not a
// limit, or cannot run a second script afterwards.
func Check(ctx context.Context, cfg limpet.Config, script string) error {
	_, err := check(ctx, cfg, script)
	return err
}

func check(ctx context.Context, cfg limpet.Config, script string) (*limpet.Result, error) {
	cfg.Limits = Limits
	sh, err := limpet.New(cfg)
	if err != nil {
		return nil, err
	}
	defer sh.Close()
	started := time.Now()
	res, err := sh.Exec(ctx, limpet.Request{Script: script, Name: "fuzz", Batch: true})
	took := time.Since(started)
	switch {
	case err != nil:
		return nil, &Finding{Promise: "a script does not panic", Script: script, Err: err}
	case took > Limits.Time+slack:
		return nil, &Finding{Promise: "a script ends at its deadline", Script: script, Err: fmt.Errorf("ran for %v", took)}
	case res.Stopped != nil && !errors.Is(res.Stopped, limits.ErrExceeded) && ctx.Err() == nil:
		return nil, &Finding{Promise: "only limits stop a script", Script: script, Err: res.Stopped}
	case res.Usage.Memory > Limits.Memory:
		return nil, &Finding{Promise: "a script stays within its memory", Script: script, Err: fmt.Errorf("%d bytes", res.Usage.Memory)}
	case res.Status < 0 || res.Status > 255:
		return nil, &Finding{Promise: "a status is a byte", Script: script, Err: fmt.Errorf("status %d", res.Status)}
	}
	again, err := sh.Exec(ctx, limpet.Request{Script: "echo alive"})
	if err == nil && ctx.Err() == nil && string(again.Stdout) != "alive\n" {
		err = fmt.Errorf("printed %q", again.Stdout)
	}
	if err != nil {
		return nil, &Finding{Promise: "a sandbox stays usable", Script: script, Err: err}
	}
	return res, nil
}
