package fuzz

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// An Oracle judges what a shell does with a script.
type Oracle interface {
	// Check runs the script and returns nil where all is well, a [*Finding]
	// where it is not, [ErrUnstable] where the script does not do the same
	// each time, and any other error where it could not judge. It must be
	// safe for concurrent use.
	Check(ctx context.Context, script string) error
}

// ErrUnstable says that nothing can be said about a script because its outcome is
// not the same each time.
var ErrUnstable = errors.New("the script does not do the same each time")

// Differential is an [Oracle] that says that a script does in one shell what it does
// in another: the same standard output, status and files, and standard error as
// far as Stderr says.
type Differential struct {
	Reference Target // what is right
	Target    Target // what is tested

	// Stderr says how standard error is compared. The zero value compares
	// its lines.
	Stderr StderrMode

	// Repeats is how often both shells must confirm a difference before it
	// is a finding. Zero means 2.
	Repeats int

	// Known are differences that are no findings: Check returns a
	// [*KnownError] for them.
	Known []KnownDifference
}

// A StderrMode says how standard error is compared.
type StderrMode int

const (
	StderrLines   StderrMode = iota // lines must be equal, in any order: processes print side by side
	StderrExact                     // bytes must be equal
	StderrIgnored                   // anything will do
)

var stderrModes = []string{"lines", "exact", "ignored"}

// String returns the name of the mode.
func (m StderrMode) String() string { return stderrModes[m] }

// Set makes m the mode that has a name: lines, exact or ignored.
func (m *StderrMode) Set(name string) error {
	i := slices.Index(stderrModes, name)
	if i < 0 {
		return fmt.Errorf("fuzz: no way to compare standard error is named %q; there are %s", name, strings.Join(stderrModes, ", "))
	}
	*m = StderrMode(i)
	return nil
}

// SameOutcome is the promise that [Differential] holds a shell to.
const SameOutcome = "a script does what it does in the reference"

// A Difference is what two shells do not agree about.
type Difference struct {
	Reference *Outcome
	Target    *Outcome
	In        []string // of "stopped", "status", "stdout", "files" and "stderr"
}

// Error shows both sides of what differs.
func (d *Difference) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "different %s", strings.Join(d.In, ", "))
	for _, in := range d.In {
		fmt.Fprintf(&b, "\n--- %s of the reference\n%s\n+++ %s of the target\n%s", in, d.Reference.show(in), in, d.Target.show(in))
	}
	return b.String()
}

// show returns the text of a part of an outcome.
func (o *Outcome) show(part string) string {
	switch part {
	case "status":
		return fmt.Sprint(o.Status)
	case "stdout":
		return strings.TrimSuffix(o.Stdout, "\n")
	case "stderr":
		return strings.TrimSuffix(o.Stderr, "\n")
	case "files":
		var b strings.Builder
		for _, name := range slices.Sorted(maps.Keys(o.Files)) {
			fmt.Fprintf(&b, "%s: %q\n", name, o.Files[name])
		}
		return strings.TrimSuffix(b.String(), "\n")
	default:
		return fmt.Sprint(o.Stopped)
	}
}

// Check runs a script in both shells. What ends neither of them is no difference.
func (d *Differential) Check(ctx context.Context, script string) error {
	diff, err := d.compare(ctx, script)
	if err != nil || diff == nil {
		return err
	}
	repeats := d.Repeats
	if repeats == 0 {
		repeats = 2
	}
	for range repeats {
		again, err := d.compare(ctx, script)
		if err != nil {
			return err
		}
		if again == nil || d.different(diff.Reference, again.Reference) != nil || d.different(diff.Target, again.Target) != nil {
			return ErrUnstable
		}
	}
	for _, k := range d.Known {
		if k.Is(script, diff) {
			return &KnownError{k.Name}
		}
	}
	return &Finding{Promise: SameOutcome, Script: script, Err: diff}
}

// compare runs a script in both shells and returns how they differ, or nil.
func (d *Differential) compare(ctx context.Context, script string) (*Difference, error) {
	want, err := d.Reference.Run(ctx, script)
	if err != nil {
		return nil, err
	}
	got, err := d.Target.Run(ctx, script)
	if err != nil {
		return nil, &Finding{Promise: "a script has an outcome", Script: script, Err: err}
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if in := d.different(want, got); in != nil {
		return &Difference{Reference: want, Target: got, In: in}, nil
	}
	return nil, nil
}

// different names the parts in which two outcomes differ.
func (d *Differential) different(a, b *Outcome) (in []string) {
	if a.Stopped != nil && b.Stopped != nil {
		return nil
	}
	if (a.Stopped != nil) != (b.Stopped != nil) {
		return []string{"stopped"}
	}
	if a.Status != b.Status {
		in = append(in, "status")
	}
	if a.Stdout != b.Stdout {
		in = append(in, "stdout")
	}
	if !maps.Equal(a.Files, b.Files) {
		in = append(in, "files")
	}
	if d.Stderr.normalize(a.Stderr) != d.Stderr.normalize(b.Stderr) {
		in = append(in, "stderr")
	}
	return in
}

// normalize returns what is compared of standard error.
func (m StderrMode) normalize(text string) string {
	switch m {
	case StderrLines:
		lines := strings.Split(text, "\n")
		slices.Sort(lines)
		return strings.Join(lines, "\n")
	case StderrExact:
		return text
	default:
		return ""
	}
}
