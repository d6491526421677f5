// Package limits bounds what a script may consume.
//
// [Limits] is the configuration: one field a resource. A [Meter] enforces it
// for one execution, and is shared by everything that the execution starts, so
// that no part of a script gets a budget of its own.
package limits

import (
	"fmt"
	"iter"
	"strconv"
	"strings"
	"time"
)

// Unlimited, as the value of a field of [Limits], removes that bound.
const Unlimited = -1

// Limits bounds the resources of one execution, and of the files that
// executions share. A zero field means the default for that field, never "no
// limit"; see [Unlimited]. The zero Limits is the same as [Default].
type Limits struct {
	Time      time.Duration // wall clock of one execution
	Steps     int64         // commands, loop turns, expansions and records of commands
	Memory    int64         // bytes held by variables, buffers, pipes and kept output
	Depth     int64         // nested calls, subshells, sources, evals and expressions
	Output    int64         // bytes written to stdout and stderr together
	Storage   int64         // bytes in all files
	Files     int64         // files and directories
	FileSize  int64         // bytes in one file
	OpenFiles int64         // descriptors that a process has open at once; a file system, sixteen times that
	Jobs      int64         // commands running at the same time
	Script    int64         // bytes of source in one script, eval or sourced file
	Requests  int64         // network requests
	Network   int64         // bytes sent to and received from the network
}

// A Resource is something that a [Meter] counts.
type Resource uint8

// The resources, in the order of the fields of [Limits].
const (
	Time Resource = iota
	Steps
	Memory
	Depth
	Output
	Storage
	Files
	FileSize
	OpenFiles
	Jobs
	Script
	Requests
	Network
	numResources
)

// A unit is how the amount of a resource is written.
type unit uint8

const (
	count unit = iota
	bytes
	duration
)

const (
	mib = 1 << 20
	gib = 1 << 30
)

// table has one row a resource: all that is known of it.
var table = [numResources]struct {
	name                            string // as --limit and error texts have it
	option                          string // the field of Limits
	unit                            unit
	standard, hardened, interactive int64
	field                           func(*Limits) *int64
}{
	Time:      {"time", "Time", duration, int64(2 * time.Minute), int64(10 * time.Second), Unlimited, func(l *Limits) *int64 { return (*int64)(&l.Time) }},
	Steps:     {"steps", "Steps", count, Unlimited, 50_000_000, Unlimited, func(l *Limits) *int64 { return &l.Steps }},
	Memory:    {"memory", "Memory", bytes, 256 * mib, 64 * mib, gib, func(l *Limits) *int64 { return &l.Memory }},
	Depth:     {"depth", "Depth", count, 4000, 1000, 4000, func(l *Limits) *int64 { return &l.Depth }},
	Output:    {"output", "Output", bytes, gib, 16 * mib, Unlimited, func(l *Limits) *int64 { return &l.Output }},
	Storage:   {"storage", "Storage", bytes, 256 * mib, 64 * mib, 4 * gib, func(l *Limits) *int64 { return &l.Storage }},
	Files:     {"files", "Files", count, 1 << 20, 1 << 14, 1 << 22, func(l *Limits) *int64 { return &l.Files }},
	FileSize:  {"file-size", "FileSize", bytes, 256 * mib, 16 * mib, 4 * gib, func(l *Limits) *int64 { return &l.FileSize }},
	OpenFiles: {"open-files", "OpenFiles", count, 1024, 128, 1024, func(l *Limits) *int64 { return &l.OpenFiles }},
	Jobs:      {"jobs", "Jobs", count, 1000, 64, 1000, func(l *Limits) *int64 { return &l.Jobs }},
	Script:    {"script", "Script", bytes, 8 * mib, mib, 8 * mib, func(l *Limits) *int64 { return &l.Script }},
	Requests:  {"requests", "Requests", count, 1000, 100, Unlimited, func(l *Limits) *int64 { return &l.Requests }},
	Network:   {"network", "Network", bytes, gib, 16 * mib, Unlimited, func(l *Limits) *int64 { return &l.Network }},
}

// String returns the name of r, as the command line's --limit has it.
func (r Resource) String() string { return table[r].name }

// format writes n units of r as error texts show it.
func (r Resource) format(n int64) string {
	switch table[r].unit {
	case bytes:
		return strconv.FormatInt(n, 10) + " bytes"
	case duration:
		return time.Duration(n).String()
	}
	return strconv.FormatInt(n, 10)
}

// Default is the profile for ordinary work: two minutes of wall clock, 256 MiB
// of memory and of files, no bound on the number of commands.
func Default() Limits {
	return profile(func(r Resource) int64 { return table[r].standard })
}

// Hardened is the profile for scripts of strangers: seconds and tens of MiB.
func Hardened() Limits {
	return profile(func(r Resource) int64 { return table[r].hardened })
}

// Interactive is the profile for a person at a prompt: no bound on time or
// output.
func Interactive() Limits {
	return profile(func(r Resource) int64 { return table[r].interactive })
}

// None removes every bound. What a script may hurt then is the host.
func None() Limits {
	return profile(func(Resource) int64 { return Unlimited })
}

func profile(of func(Resource) int64) (l Limits) {
	for r := range numResources {
		*table[r].field(&l) = of(r)
	}
	return l
}

// Profile returns the profile called name: hardened, default, interactive or
// unlimited.
func Profile(name string) (Limits, error) {
	switch name {
	case "hardened":
		return Hardened(), nil
	case "default":
		return Default(), nil
	case "interactive":
		return Interactive(), nil
	case "unlimited":
		return None(), nil
	}
	return Limits{}, fmt.Errorf("unknown profile %q: want hardened, default, interactive or unlimited", name)
}

// Of returns the bound that l sets for r: its field, or the default where the
// field is zero.
func (l Limits) Of(r Resource) int64 {
	if n := *table[r].field(&l); n != 0 {
		return n
	}
	return table[r].standard
}

// Set sets the limit called name from its text: a duration such as "30s" for
// time, a number with an optional suffix K, M or G (powers of 1024) for the
// others, or "unlimited".
func (l *Limits) Set(name, value string) error {
	for r := range numResources {
		if table[r].name == name {
			n, err := parse(table[r].unit, value)
			if err != nil {
				return fmt.Errorf("limit %s: %w", name, err)
			}
			*table[r].field(l) = n
			return nil
		}
	}
	return fmt.Errorf("unknown limit %q: want one of %s", name, strings.Join(Names(), ", "))
}

// Names returns the names that [Limits.Set] knows.
func Names() []string {
	names := make([]string, 0, numResources)
	for r := range numResources {
		names = append(names, table[r].name)
	}
	return names
}

func parse(u unit, s string) (int64, error) {
	if s == "unlimited" {
		return Unlimited, nil
	}
	if u == duration {
		d, err := time.ParseDuration(s)
		if err == nil && d <= 0 {
			err = fmt.Errorf("%q is not positive", s)
		}
		return int64(d), err
	}
	digits, scale := s, int64(1)
	if i := strings.IndexByte("KMG", suffix(s)); i >= 0 {
		digits, scale = s[:len(s)-1], 1<<(10*(i+1))
	}
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || n <= 0 || n > (1<<62)/scale {
		return 0, fmt.Errorf("%q is not a positive number", s)
	}
	return n * scale, nil
}

func suffix(s string) byte {
	if s == "" {
		return 0
	}
	return s[len(s)-1]
}

// All returns the name and the value of every bound of l, as they are written.
func (l Limits) All() iter.Seq2[string, string] {
	return func(yield func(string, string) bool) {
		for r := range numResources {
			text := "unlimited"
			if n := l.Of(r); n >= 0 {
				text = r.format(n)
			}
			if !yield(r.String(), text) {
				return
			}
		}
	}
}

// Within returns an error that names a bound of l that is above that of most, and nil
// where there is none.
func (l Limits) Within(most Limits) error {
	for r := range numResources {
		asked, bound := l.Of(r), most.Of(r)
		if bound >= 0 && (asked < 0 || asked > bound) {
			return fmt.Errorf("the limit %s may be at most %s", r, r.format(bound))
		}
	}
	return nil
}
