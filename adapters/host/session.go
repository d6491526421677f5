//go:build linux

package host

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"strconv"
	"sync"

	"github.com/limpet-sh/limpet"
	"github.com/limpet-sh/limpet/adapters/internal/invoke"
	"github.com/limpet-sh/limpet/adapters/internal/lease"
)

// A conversation runs each script in a bash of its own, which begins with what the
// last one has left.
type conversation struct {
	sandbox *Sandbox
	memory  invoke.Memory
	env     map[string]string // until there is something to remember

	mu     sync.Mutex
	dir    string
	closed bool
}

// OpenSession starts a shell with a memory, which has the directory, variables and
// functions.
func (s *Sandbox) OpenSession(ctx context.Context, opts limpet.SessionOptions) (limpet.Conversation, error) {
	serial, end, err := s.begin()
	if err != nil {
		return nil, err
	}
	defer end()
	if s.cfg.Shell != "bash" {
		return nil, &limpet.UnsupportedError{Sandbox: "host", Reason: "sessions need bash, and the shell is " + s.cfg.Shell}
	}
	if err := invoke.CheckEnv(opts.Env); err != nil {
		return nil, err
	}
	c := &conversation{sandbox: s, dir: cmp.Or(opts.Dir, s.workspace), env: opts.Env}
	c.memory.Path = s.at("run/session." + strconv.Itoa(serial))
	if err := os.Mkdir(c.memory.Path, 0o700); err != nil {
		return nil, err
	}
	return c, ctx.Err()
}

// Exec runs a script.
func (c *conversation) Exec(ctx context.Context, req limpet.Request) (*limpet.Result, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return nil, limpet.ErrClosed
	}
	if err := invoke.CheckEnv(req.Env); err != nil {
		return nil, err
	}
	prologue := filepath.Join(c.memory.Path, "prologue")
	if err := os.WriteFile(prologue, []byte(c.memory.Prologue(req.Env)), 0o600); err != nil {
		return nil, c.because(err)
	}
	env := map[string]string{"BASH_ENV": prologue} // which sets the variables of the request
	if _, err := os.Stat(filepath.Join(c.memory.Path, "state")); err != nil {
		maps.Copy(env, c.env)
	}
	req.Dir = cmp.Or(req.Dir, c.dir)
	res, stoppedIn, err := c.sandbox.exec(ctx, req, env)
	if err != nil {
		return nil, err
	}
	if stoppedIn != "" {
		c.dir = stoppedIn
	} else if data, err := os.ReadFile(filepath.Join(c.memory.Path, "dir")); err == nil {
		c.dir = trimmed(data)
	}
	return res, nil
}

// because returns the reason for a failure of the conversation's own files, which are
// gone with the sandbox.
func (c *conversation) because(err error) error {
	if errors.Is(c.sandbox.ctx.Err(), context.Canceled) {
		return limpet.ErrClosed
	}
	return err
}

// Dir is the directory that the next script starts in.
func (c *conversation) Dir() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.dir
}

// Close forgets everything.
func (c *conversation) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return nil
	}
	c.closed = true
	return lease.RemoveAll(c.memory.Path)
}
