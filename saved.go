package limpet

import (
	"fmt"
	"io"

	"github.com/limpet-sh/limpet/internal/snapshot"
	"github.com/limpet-sh/limpet/interp"
	"github.com/limpet-sh/limpet/limits"
	"github.com/limpet-sh/limpet/vfs"
)

// What [Shell.Load] fails with, besides the errors of limits and of files.
var (
	// ErrDamaged is matched where the bytes are no checkpoint, or not all of
	// one, or were changed.
	ErrDamaged = snapshot.ErrDamaged

	// ErrVersion is matched where they are of a version of the format that is
	// not known.
	ErrVersion = snapshot.ErrVersion

	// ErrBase is matched where they go on from another checkpoint than was
	// given, or from one where none was.
	ErrBase = snapshot.ErrBase
)

// Save writes the checkpoint as bytes, from which [Shell.Load] makes it again in
// another process: all files that are in memory, with what lies below overlays,
// the state of the session, and the list of the background processes. The limits, the policy and the rest of the
// configuration are not part of it; nor are host directories, of which only the
// place is written.
//
// If since is not nil, it is a checkpoint that was saved or loaded before, and only
// what differs from it is written. Load needs it too, then.
//
// A session keeps neither traps nor positional parameters from one script to the
// next, and so there are none to be saved.
func (c *Checkpoint) Save(w io.Writer, since *Checkpoint) error {
	s := snapshot.NewWriter(w)
	var base vfs.FS
	id, again := c.id()
	s.Bool(again)
	if again {
		s.Uint(uint64(id))
	}
	s.Bool(since != nil)
	if since != nil {
		id, ok := since.id()
		if !ok {
			return fmt.Errorf("limpet: a checkpoint on one that was neither saved nor loaded: %w", ErrBase)
		}
		s.Uint(uint64(id))
		base = since.files
	}
	vfs.WriteSnapshot(s, c.files, base)
	s.Bool(c.state != nil)
	if c.state != nil {
		c.state.Write(s)
	}
	writeProcesses(s, c.processes)
	sum, err := s.Close()
	if err != nil {
		return fmt.Errorf("limpet: %w", err)
	}
	c.identify(sum)
	return nil
}

// Load reads a checkpoint that [Checkpoint.Save] has written, for sh or a session of
// it to be made what it says by Restore. Since is what Save was given: the
// checkpoint that this one goes on from, or nil.
//
// The bytes may come from anybody. What they hold is bounded by the limits of sh;
// nothing of it is run; and where Load fails it has changed nothing.
func (sh *Shell) Load(r io.Reader, since *Checkpoint) (*Checkpoint, error) {
	s := snapshot.NewReader(r, limits.NewMeter(sh.cfg.Limits, nil))
	c := &Checkpoint{}
	if c.known = s.Bool(); c.known {
		c.sum = snapshot.Sum(s.Uint(1<<64 - 1))
	}
	var base vfs.FS
	if s.Bool() {
		want := snapshot.Sum(s.Uint(1<<64 - 1))
		if id, ok := since.id(); !ok || id != want {
			s.Fail(ErrBase)
		} else {
			base = since.files
		}
	} else if since != nil {
		s.Fail(ErrBase)
	}
	c.files = vfs.ReadSnapshot(s, sh.cfg.memOptions(), base)
	if s.Bool() {
		c.state = interp.ReadImage(s, sh.interp)
	}
	c.processes = readProcesses(s)
	sum, err := s.Close()
	if err != nil {
		return nil, fmt.Errorf("limpet: %w", err)
	}
	c.identify(sum)
	return c, nil
}

// id returns what c, which may be nil, is identified by, if it was saved or loaded.
func (c *Checkpoint) id() (snapshot.Sum, bool) {
	if c == nil {
		return 0, false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.sum, c.known
}

// identify notes what c is identified by: the checksum of the bytes that it was
// saved as first, which it is saved with from then on.
func (c *Checkpoint) identify(sum snapshot.Sum) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.known {
		c.sum, c.known = sum, true
	}
}
