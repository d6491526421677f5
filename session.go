package limpet

import (
	"context"
	"sync"

	"github.com/limpet-sh/limpet/interp"
)

// A Session is a shell with a memory: the directory, variables, functions,
// options and aliases of one script are there for the next. What a script leaves
// running ends with it, and so do its traps and errexit, unless it is interactive. Its
// scripts run one at a time; a Session is safe for concurrent use.
type Session struct {
	shell *Shell

	mu     sync.Mutex
	interp *interp.Shell // nil where image is what the next script starts from
	image  *interp.Image // shared with forks and checkpoints
	closed bool
}

// NewSession starts a session.
func (sh *Shell) NewSession(_ context.Context, opts SessionOptions) (*Session, error) {
	end, err := sh.begin()
	if err != nil {
		return nil, err
	}
	defer end()
	shell, _ := sh.start(Request{}, opts)
	return &Session{shell: sh, interp: shell}, nil
}

// Exec runs a script in the session.
func (s *Session) Exec(ctx context.Context, req Request) (*Result, error) {
	end, err := s.shell.begin()
	if err != nil {
		return nil, err
	}
	defer end()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, ErrClosed
	}
	state := s.thaw()
	restore := state.Prepare(req.Name, req.Dir, req.Env)
	defer restore()
	return s.shell.run(ctx, state, req)
}

// Dir returns the directory that the next script starts in.
func (s *Session) Dir() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.interp == nil {
		return s.image.Dir()
	}
	return s.interp.Dir()
}

// Close ends the session. It waits for a script that is running.
func (s *Session) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	return nil
}
