package tools

import (
	"context"
	"sync"

	"github.com/limpet-sh/limpet"
)

// shells are the sessions that bash runs in.
type shells struct {
	sandbox limpet.Sandbox

	once sync.Once
	turn chan struct{} // holds one token, which who has it gives back

	mu     sync.Mutex // guards what follows
	shell  limpet.Conversation
	closed bool
}

// take returns the shell for a command, and what lets go of it: one of its own, or
// the one that all share, for which it waits.
func (s *shells) take(ctx context.Context, cfg *Config) (limpet.Conversation, func(), error) {
	if cfg.Independent {
		shell, err := cfg.open(ctx, s.sandbox)
		if err != nil {
			return nil, nil, err
		}
		return shell, func() { _ = shell.Close() }, nil // nothing of it is needed any more
	}
	s.once.Do(func() { s.turn = make(chan struct{}, 1) })
	select {
	case s.turn <- struct{}{}:
	case <-ctx.Done():
		return nil, nil, context.Cause(ctx)
	}
	release := func() { <-s.turn }
	shell, err := s.shared(ctx, cfg)
	if err != nil {
		release()
		return nil, nil, err
	}
	return shell, release, nil
}

// shared returns the shell that all share. The caller has the turn.
func (s *shells) shared(ctx context.Context, cfg *Config) (limpet.Conversation, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, limpet.ErrClosed
	}
	if s.shell == nil {
		shell, err := cfg.open(ctx, s.sandbox)
		if err != nil {
			return nil, err
		}
		s.shell = shell
	}
	return s.shell, nil
}

// current returns the shell that all share, if there is one.
func (s *shells) current() limpet.Conversation {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.shell
}

// restart ends the shell that all share: the next command begins with a new one.
func (s *shells) restart() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	shell := s.shell
	s.shell = nil
	if shell == nil {
		return nil
	}
	return shell.Close()
}

// close ends the shell for good.
func (s *shells) close() error {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	return s.restart()
}
