package interp

import (
	"runtime"
	"time"

	"github.com/limpet-sh/limpet/limits"
)

// rowSize is what an element of a table takes besides its texts, in bytes.
const rowSize = 64

// setAlias defines an alias. It reports whether there is memory for it.
func (sh *Shell) setAlias(name, value string) bool {
	old, had := sh.aliases[name]
	n := len(value) - len(old)
	if !had {
		n += len(name) + rowSize
	}
	if !sh.hold(n) {
		return false
	}
	if sh.aliases == nil {
		sh.aliases = map[string]string{}
	}
	sh.aliases[name] = value
	return true
}

// dropAlias takes an alias away.
func (sh *Shell) dropAlias(name string) {
	if value, ok := sh.aliases[name]; ok {
		sh.hold(-len(name) - len(value) - rowSize)
		delete(sh.aliases, name)
	}
}

// setHash remembers where a program is. It reports whether there is memory for it.
func (sh *Shell) setHash(name string, h hashed) bool {
	old, had := sh.hash[name]
	n := len(h.path) - len(old.path)
	if !had {
		n += len(name) + rowSize
	}
	if !sh.hold(n) {
		return false
	}
	if sh.hash == nil {
		sh.hash = map[string]hashed{}
	}
	sh.hash[name] = h
	return true
}

// dropHash forgets where a program is.
func (sh *Shell) dropHash(name string) {
	if h, ok := sh.hash[name]; ok {
		sh.hold(-len(name) - len(h.path) - rowSize)
		delete(sh.hash, name)
	}
}

// clearHash forgets where programs are.
func (sh *Shell) clearHash() {
	for name := range sh.hash {
		sh.dropHash(name)
	}
}

// setStack makes list the directory stack. It reports whether there is memory for
// it.
func (sh *Shell) setStack(list []string) bool {
	if !sh.hold(textSize(list) - textSize(sh.stack)) {
		return false
	}
	sh.stack = list
	return true
}

func textSize(list []string) int {
	n := 0
	for _, s := range list {
		n += len(s) + 16
	}
	return n
}

// setSpec says how the arguments of a command are completed. It reports whether
// there is memory for it.
func (sh *Shell) setSpec(name string, spec *compSpec) bool {
	old := sh.specs[name]
	n := spec.size(name)
	if old != nil {
		n -= old.size(name)
	}
	if !sh.hold(n) {
		return false
	}
	if sh.specs == nil {
		sh.specs = map[string]*compSpec{}
	}
	if old == nil {
		sh.specNames = append(sh.specNames, name)
	}
	sh.specs[name] = spec
	return true
}

// size is what a specification takes with its name, in bytes.
func (spec *compSpec) size(name string) int { return len(spec.text(name)) + len(name) + 4*rowSize }

// tableSize is what the tables take, in bytes.
func (sh *Shell) tableSize() int {
	n := textSize(sh.stack) + textSize(sh.history)
	for name, value := range sh.aliases {
		n += len(name) + len(value) + rowSize
	}
	for name, h := range sh.hash {
		n += len(name) + len(h.path) + rowSize
	}
	for name, spec := range sh.specs {
		n += spec.size(name)
	}
	return n
}

// jobPatience is how long a shell waits for one of its jobs to end when there may be
// no more of them. Bash: it tries again too, where the system can make no process.
const jobPatience = 100 * time.Millisecond

// chargeJob charges for one more job.
func (sh *Shell) chargeJob() error {
	var until time.Time
	for !sh.x.meter.Fits(limits.Jobs, 1) && sh.x.ctx.Err() == nil {
		if until.IsZero() {
			until = time.Now().Add(jobPatience)
		}
		if time.Now().After(until) {
			break
		}
		runtime.Gosched()
		time.Sleep(100 * time.Microsecond)
	}
	return sh.x.meter.Charge(limits.Jobs, 1)
}
