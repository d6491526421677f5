package fuzz

import (
	"context"
	"encoding/binary"
	"io"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/limpet-sh/limpet"
)

// Determinism is an [Oracle] that says that a script does the same each time that it is run:
// the output, standard error but for the order of its lines, the status and the files are equal.
// It is for scripts that do nothing of which the order is left open, as jobs do.
type Determinism struct {
	// Target runs the scripts. Nil means shells of this process with [Fixed].
	Target Target
}

// Check runs a script twice and compares what it did.
func (d *Determinism) Check(ctx context.Context, script string) error {
	target := d.Target
	if target == nil {
		target = fixedTarget{}
	}
	compare := &Differential{Reference: target, Target: target}
	diff, err := compare.compare(ctx, script)
	if err != nil || diff == nil {
		return err
	}
	return &Finding{Promise: "a script does the same each time", Script: script, Err: diff}
}

// fixedTarget runs every script in a new world that is the same.
type fixedTarget struct{}

// Run runs a script.
func (fixedTarget) Run(ctx context.Context, script string) (*Outcome, error) {
	cfg := Fixed(1)
	cfg.Limits = Limits
	cfg.Limits.Time = patience // steps are what ends scripts here
	return (&Sandbox{Config: cfg}).Run(ctx, script)
}

// Fixed returns the configuration of a shell whose time is virtual and whose randomness
// comes from a seed: whatever does not depend on the order of jobs is the same each time.
func Fixed(seed uint64) limpet.Config {
	return limpet.Config{
		Clock:  limpet.NewVirtualClock(time.Date(2001, 9, 9, 1, 46, 40, 0, time.UTC)),
		Random: Random(seed),
	}
}

// Random returns an endless stream of bytes, the same each time. It is safe for
// concurrent use.
func Random(seed uint64) io.Reader {
	var key [32]byte
	binary.LittleEndian.PutUint64(key[:], seed)
	return &random{source: rand.NewChaCha8(key)}
}

type random struct {
	mu     sync.Mutex
	source *rand.ChaCha8
}

// Read fills p.
func (r *random) Read(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.source.Read(p)
}
