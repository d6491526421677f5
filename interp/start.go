package interp

import "sync"

// A Start is what many shells begin as, each to run one program: a shell that
// [New] has made, and the programs that more than one of them has run, which are
// not compiled again. It is safe for concurrent use.
type Start struct {
	base *Shell

	mu    sync.Mutex
	names *nameTable      // of base, and on top of that those of the programs
	kept  int             // how many programs there are
	seen  map[string]bool // the sources that were run; true for those of the programs
	bytes int             // of the sources in seen
}

// What a Start remembers, at most. Beyond that it begins anew.
const (
	maxSeen      = 256
	maxSeenBytes = 64 << 10
	maxKept      = 32
	maxKeptNames = 64 // that a program may have of its own
	maxKeptBytes = 4 << 10
)

// NewStart returns a start for shells like New(cfg, s).
func NewStart(cfg *Config, s Startup) *Start {
	base := New(cfg, s)
	return &Start{base: base, names: base.names, seen: map[string]bool{}}
}

// Shell returns a shell that has run nothing yet, with another $0 and directory
// than the startup says.
func (t *Start) Shell(name, dir string) *Shell {
	sh := new(Shell)
	*sh = *t.base
	t.mu.Lock()
	sh.names = t.names.above()
	t.mu.Unlock()
	sh.owner = sh.names.owners.Add(1)
	sh.unshare()
	sh.name, sh.started = name, sh.cfg.Clock.Now()
	if dir != sh.dir {
		sh.dir = dir
		sh.own(sh.id("PWD")).str = dir
	}
	return sh
}

// Keep remembers the program with the source src, which sh, a shell of t that must
// not be used any more, has run. The second time it keeps what was compiled.
func (t *Start) Keep(sh *Shell, src string) {
	if len(src) > maxKeptBytes {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	kept, seen := t.seen[src]
	if kept || seen && (sh.names.base != t.names || len(sh.names.text) > maxKeptNames) {
		return
	}
	if len(t.seen) >= maxSeen || t.bytes >= maxSeenBytes || t.kept >= maxKept {
		clear(t.seen)
		t.names, t.bytes, t.kept, seen = t.base.names, 0, 0, false
	}
	if seen {
		t.names = sh.names
		t.kept++
	} else {
		t.bytes += len(src)
	}
	t.seen[src] = seen
}
