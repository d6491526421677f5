package limpet

import (
	"context"
	"fmt"
	"io"
	"sync"

	"github.com/limpet-sh/limpet/internal/snapshot"
	"github.com/limpet-sh/limpet/interp"
	"github.com/limpet-sh/limpet/vfs"
)

// Fork returns a shell with a copy of the files of sh, in a time that does not
// depend on how much they are. Afterwards each changes without the other. The
// copy has the configuration of sh; its clock, its source of randomness and its
// network are the same.
//
// Fork fails with [errors.ErrUnsupported] where a host directory that is written
// to is mounted. What executions of sh write meanwhile may be missing in the copy.
func (sh *Shell) Fork() (*Shell, error) {
	end, err := sh.begin()
	if err != nil {
		return nil, err
	}
	defer end()
	files, err := vfs.Fork(sh.files)
	if err != nil {
		return nil, fmt.Errorf("limpet: %w", err)
	}
	c := &Shell{cfg: sh.cfg, files: files, env: sh.env, interp: sh.interp.WithFS(files)}
	c.ctx, c.cancel = context.WithCancel(context.Background())
	return c, nil
}

// Fork returns a session that goes on from where s is, on a [Shell.Fork] of its
// shell, which [Session.Shell] returns: with a copy of the files, the variables,
// the functions, and all that a session keeps from one script to the next. It
// waits for a script that is running.
func (s *Session) Fork() (*Session, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, ErrClosed
	}
	sh, err := s.shell.Fork()
	if err != nil {
		return nil, err
	}
	return &Session{shell: sh, image: s.freeze()}, nil
}

// Shell returns the shell that the session is of.
func (s *Session) Shell() *Shell { return s.shell }

// freeze makes an image of the state of the session. Its mu is held.
func (s *Session) freeze() *interp.Image {
	if s.interp != nil {
		s.image, s.interp = s.interp.Freeze(), nil
	}
	return s.image
}

// thaw returns the state of the session to be changed. Its mu is held.
func (s *Session) thaw() *interp.Shell {
	if s.interp == nil {
		s.interp, s.image = s.image.Shell(s.shell.interp), nil
	}
	return s.interp
}

// A Checkpoint is what a shell held at one time: its files, what there is to say of its
// background processes and, if it is one of a session, the state of that. It does not change, and can be restored any number
// of times. It costs the memory of what has changed since.
type Checkpoint struct {
	files     vfs.FS
	state     *interp.Image // nil for one of a Shell
	processes []ProcessInfo // in the background of the shell

	mu    sync.Mutex // guards what follows
	sum   snapshot.Sum
	known bool // sum is what it is identified by: it was saved or loaded
}

// Checkpoint notes what the files of sh are. It is as fast as [Shell.Fork], and
// fails where that does.
func (sh *Shell) Checkpoint() (*Checkpoint, error) {
	end, err := sh.begin()
	if err != nil {
		return nil, err
	}
	defer end()
	files, err := vfs.Fork(sh.files)
	if err != nil {
		return nil, fmt.Errorf("limpet: %w", err)
	}
	return &Checkpoint{files: files, processes: sh.background.infos()}, nil
}

// Restore makes the files of sh what they were at c, which may be a checkpoint of
// another shell. Files that a running script has open stay as they are for that
// script, and processes in the background go on; those of c that are not known here
// are listed, the ones that were running as orphans. Limits and everything else in the configuration of sh stay.
func (sh *Shell) Restore(c *Checkpoint) error {
	end, err := sh.begin()
	if err != nil {
		return err
	}
	defer end()
	if err := vfs.Restore(sh.files, c.files); err != nil {
		return fmt.Errorf("limpet: %w", err)
	}
	sh.adopt(c.processes)
	return nil
}

// Checkpoint notes what the files of the session's shell and the state of the
// session are. It waits for a script that is running.
func (s *Session) Checkpoint() (*Checkpoint, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, ErrClosed
	}
	c, err := s.shell.Checkpoint()
	if err != nil {
		return nil, err
	}
	c.state = s.freeze()
	return c, nil
}

// Restore makes the session and the files of its shell, which other sessions may
// share, what they were at c. A checkpoint of a [Shell] leaves the state of the
// session as it is. It waits for a script that is running.
func (s *Session) Restore(c *Checkpoint) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return ErrClosed
	}
	if err := s.shell.Restore(c); err != nil {
		return err
	}
	if c.state != nil {
		s.interp, s.image = nil, c.state
	}
	return nil
}

// Files returns the files of the checkpoint. They are a copy: what is written to
// them does not change c.
func (c *Checkpoint) Files() (vfs.FS, error) { return vfs.Fork(c.files) }

// Changes returns what differs in the files of two checkpoints, as [vfs.Changes]
// does: of one shell, or of shells of which one is a fork of the other.
func Changes(before, after *Checkpoint) ([]vfs.Change, error) {
	return vfs.Changes(before.files, after.files)
}

// Diff writes what [Changes] finds as a unified patch, as [vfs.Diff] does.
func Diff(ctx context.Context, w io.Writer, before, after *Checkpoint) error {
	return vfs.Diff(ctx, w, before.files, after.files)
}
