package box

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"sync"

	"github.com/limpet-sh/limpet"
	"github.com/limpet-sh/limpet/adapters/internal/invoke"
	"github.com/limpet-sh/limpet/internal/quote"
)

// A conversation runs each script in a bash of its own, which begins with what the last
// one has left.
type conversation struct {
	box    *Box
	memory invoke.Memory
	env    map[string]string

	mu     sync.Mutex
	dir    string
	begun  bool // there is something to remember
	closed bool
}

// OpenSession starts a shell with a memory, which has the directory, variables and
// functions.
func (b *Box) OpenSession(ctx context.Context, opts limpet.SessionOptions) (limpet.Conversation, error) {
	end, err := b.begin()
	if err != nil {
		return nil, err
	}
	defer end()
	if b.shell != "bash" {
		return nil, &limpet.UnsupportedError{Sandbox: b.opts.Kind, Reason: "sessions need bash, which the image does not have"}
	}
	if err := invoke.CheckEnv(opts.Env); err != nil {
		return nil, err
	}
	c := &conversation{box: b, env: maps.Clone(opts.Env), dir: cmp.Or(opts.Dir, b.opts.Workspace)}
	c.memory.Path = b.opts.Control + "/session." + newName()
	out, err := b.call(ctx, "umask 077; mkdir -p -- "+quote.Single(c.memory.Path)+" && echo ok", nil)
	if err == nil && string(out) != "ok\n" {
		err = fmt.Errorf("%s: cannot write to %s in the sandbox", b.opts.Kind, b.opts.Control)
	}
	if err != nil {
		return nil, err
	}
	return c, nil
}

// variables returns those of the options, until they are remembered.
func (c *conversation) variables() map[string]string {
	if c.begun {
		return nil
	}
	return c.env
}

// Exec runs a script.
func (c *conversation) Exec(ctx context.Context, req limpet.Request) (*limpet.Result, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return nil, limpet.ErrClosed
	}
	res, dir, err := c.box.exec(ctx, req, c)
	if err != nil {
		return nil, err
	}
	if dir != "" {
		c.dir, c.begun = dir, c.begun || res.Stopped == nil
	}
	return res, nil
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
	if !c.closed {
		c.closed = true
		c.box.forget(c.memory.Path)
	}
	return nil
}
