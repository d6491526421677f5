package fuzz

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unicode/utf8"
)

// A Trial is where scripts come from, and what judges them.
type Trial struct {
	// Name is what findings show. It may be empty.
	Name string

	// Source returns the script with a number; see [Generator.Scripts].
	Source func(n uint64) string

	// Oracle judges them.
	Oracle Oracle
}

// Oracles is an [Oracle] that asks several, until one finds something.
type Oracles []Oracle

// Check asks the oracles.
func (list Oracles) Check(ctx context.Context, script string) error {
	for _, o := range list {
		if err := o.Check(ctx, script); err != nil {
			return err
		}
	}
	return nil
}

// A Campaign runs many scripts past oracles.
type Campaign struct {
	// Trials are run in turn: of k trials, script number n is number n/k of the
	// trial n%k.
	Trials []Trial

	// First is the number of the first script.
	First uint64

	// Count is how many scripts to run. Zero means until the context ends,
	// which is no error.
	Count uint64

	// Workers is how many run at a time. Zero means one for each processor.
	Workers int

	// MaxFindings is how many findings end the campaign. Zero means that none
	// does.
	MaxFindings int

	// MinimizeRuns is how often the oracle may be asked to make the script of
	// a finding small. Zero means 500; a negative number means not to.
	MinimizeRuns int

	// Log is where progress and findings are printed. Nil means nowhere.
	Log io.Writer

	// Interval is the time between two lines of progress. Zero means 10 s.
	Interval time.Duration
}

// A Report is what a campaign has seen.
type Report struct {
	Scripts  uint64 // that have been judged
	Unstable uint64 // of which nothing could be said
	Known    uint64 // that differ as is known
	Findings []*Case
	Took     time.Duration
}

// A Case is a finding and the script that a campaign was running.
type Case struct {
	Trial    string   // its name
	Number   uint64   // of the script
	Original string   // as the source returned it
	Finding  *Finding // with the minimised script
}

// String is the report of a case, as a campaign prints it.
func (c *Case) String() string {
	script := c.Finding.Script
	if !utf8.ValidString(script) || strings.ContainsRune(script, 0) {
		script = strconv.Quote(script)
	}
	return fmt.Sprintf("=== %s script %d: %s\n%s\n%v\n", c.Trial, c.Number, c.Finding.Promise, script, c.Finding.Err)
}

// String sums the report up in a line.
func (r *Report) String() string {
	return fmt.Sprintf("%d scripts in %v: %d findings, %d known, %d unstable", r.Scripts, r.Took.Round(time.Second), len(r.Findings), r.Known, r.Unstable)
}

// Run runs the campaign until it has run its scripts, has found what it may, or the
// context ends. An error says that the oracle could not judge, as where the program of
// the reference is not there.
func (c *Campaign) Run(ctx context.Context) (*Report, error) {
	r := &run{Campaign: c, started: time.Now()}
	r.ctx, r.cancel = context.WithCancelCause(ctx)
	defer r.cancel(nil)
	workers := c.Workers
	if workers == 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	var working sync.WaitGroup
	for range workers {
		working.Go(r.work)
	}
	stop := r.progress()
	working.Wait()
	stop()
	slices.SortFunc(r.report.Findings, func(a, b *Case) int { return int(int64(a.Number - b.Number)) })
	r.report.Took = time.Since(r.started)
	if err := context.Cause(r.ctx); err != nil && ctx.Err() == nil && !errors.Is(err, errEnough) {
		return &r.report, err
	}
	return &r.report, nil
}

// errEnough ends a campaign that has found what it may.
var errEnough = errors.New("enough findings")

// A run is a campaign that is running.
type run struct {
	*Campaign
	ctx     context.Context
	cancel  context.CancelCauseFunc
	started time.Time
	next    atomic.Uint64

	mu     sync.Mutex
	report Report
}

// work runs scripts until there is none.
func (r *run) work() {
	for r.ctx.Err() == nil {
		i := r.next.Add(1) - 1
		if r.Count > 0 && i >= r.Count {
			return
		}
		n := r.First + i
		k := uint64(len(r.Trials))
		trial := r.Trials[n%k]
		script := trial.Source(n / k)
		err := trial.Oracle.Check(r.ctx, script)
		var found *Finding
		switch {
		case r.ctx.Err() != nil:
			return
		case errors.As(err, &found):
			r.found(&Case{Trial: trial.Name, Number: n, Original: script, Finding: r.minimize(trial.Oracle, found)})
		case err != nil && !errors.Is(err, ErrUnstable) && !errors.As(err, new(*KnownError)):
			r.cancel(err)
			return
		}
		r.mu.Lock()
		r.report.Scripts++
		if errors.Is(err, ErrUnstable) {
			r.report.Unstable++
		}
		if errors.As(err, new(*KnownError)) {
			r.report.Known++
		}
		r.mu.Unlock()
	}
}

// minimizing is how long a campaign may make the script of a finding small: those that do not
// end take their time each time.
const minimizing = time.Minute

// minimize returns the finding with the smallest script that breaks the same
// promise in the same way.
func (r *run) minimize(oracle Oracle, found *Finding) *Finding {
	runs := r.MinimizeRuns
	if runs == 0 {
		runs = 500
	}
	end := time.Now().Add(minimizing)
	Minimize(found.Script, runs, func(script string) bool {
		var f *Finding
		if time.Now().After(end) || !errors.As(oracle.Check(r.ctx, script), &f) || !f.like(found) {
			return false
		}
		found = f
		return true
	})
	return found
}

// found notes a finding.
func (r *run) found(c *Case) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.ctx.Err() != nil {
		return
	}
	r.report.Findings = append(r.report.Findings, c)
	if r.Log != nil {
		fmt.Fprintf(r.Log, "%v\n", c)
	}
	if r.MaxFindings > 0 && len(r.report.Findings) >= r.MaxFindings {
		r.cancel(errEnough)
	}
}

// progress prints lines until the function that it returns is called.
func (r *run) progress() (stop func()) {
	if r.Log == nil {
		return func() {}
	}
	interval := r.Interval
	if interval == 0 {
		interval = 10 * time.Second
	}
	ticker := time.NewTicker(interval)
	done := make(chan struct{})
	var printing sync.WaitGroup
	printing.Go(func() {
		for {
			select {
			case <-ticker.C:
				r.mu.Lock()
				r.report.Took = time.Since(r.started)
				fmt.Fprintln(r.Log, &r.report)
				r.mu.Unlock()
			case <-done:
				return
			}
		}
	})
	return func() {
		ticker.Stop()
		close(done)
		printing.Wait()
	}
}
