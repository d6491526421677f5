//go:build linux

package isolate

import (
	"context"
	"sync"

	"github.com/limpet-sh/limpet"
)

// A session is one of the process, and ends with it: [limpet.Conversation.Exec] fails with
// a [LostError] then.
type session struct {
	sandbox *Sandbox
	process *process
	id      uint64

	running sync.Mutex // its scripts run one at a time
	mu      sync.Mutex
	dir     string
	closed  bool
}

// OpenSession starts a shell with a memory.
func (s *Sandbox) OpenSession(ctx context.Context, opts limpet.SessionOptions) (limpet.Conversation, error) {
	p, end, err := s.use(ctx)
	if err != nil {
		return nil, err
	}
	defer end()
	ref, err := call[sessionRef](ctx, p.peer, "session.open", opts)
	if err != nil {
		return nil, p.or(err)
	}
	return &session{sandbox: s, process: p, id: ref.ID, dir: ref.Dir}, nil
}

// Exec runs a script in the session.
func (s *session) Exec(ctx context.Context, req limpet.Request) (*limpet.Result, error) {
	s.running.Lock()
	defer s.running.Unlock()
	s.mu.Lock()
	closed := s.closed
	s.mu.Unlock()
	if closed {
		return nil, limpet.ErrClosed
	}
	p, end, err := s.sandbox.use(ctx)
	if err != nil {
		return nil, err
	}
	defer end()
	if p != s.process {
		return nil, s.process.lost()
	}
	res, dir, err := p.exec(ctx, req, s.id)
	if err == nil && dir != "" {
		s.mu.Lock()
		s.dir = dir
		s.mu.Unlock()
	}
	return res, err
}

// Dir returns the directory that the next script starts in.
func (s *session) Dir() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.dir
}

// Close ends the session. It waits for a script that is running.
func (s *session) Close() error {
	s.running.Lock()
	defer s.running.Unlock()
	s.mu.Lock()
	was := s.closed
	s.closed = true
	s.mu.Unlock()
	if was || !s.process.alive() {
		return nil
	}
	_, _ = call[nothing](context.Background(), s.process.peer, "session.close", sessionRef{ID: s.id}) // or it ends with the process
	return nil
}
