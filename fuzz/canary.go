package fuzz

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
)

// A Canary is what no sandboxed script may see or touch: a file of the host, a variable
// of its environment, both with the same value, and a port of it. It is safe for
// concurrent use. Create it with [NewCanary].
type Canary struct {
	value  string
	dir    string
	listen net.Listener
	called atomic.Int64
	done   chan struct{}
}

// canaryVariable is the name of the variable.
const canaryVariable = "LIMPET_CANARY"

// NewCanary makes a canary, which lasts until Close.
func NewCanary() (*Canary, error) {
	c := &Canary{value: fmt.Sprintf("canary-%016x", rand.Uint64()), done: make(chan struct{})}
	dir, err := os.MkdirTemp("", "limpet-canary-")
	if err != nil {
		return nil, err
	}
	c.dir = dir
	if err := os.WriteFile(c.File(), []byte(c.value), 0o644); err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	if c.listen, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	if err := os.Setenv(canaryVariable, c.value); err != nil {
		return nil, errors.Join(err, c.listen.Close(), os.RemoveAll(dir))
	}
	go c.accept()
	return c, nil
}

// accept counts those who call.
func (c *Canary) accept() {
	defer close(c.done)
	for {
		conn, err := c.listen.Accept()
		if err != nil {
			return
		}
		c.called.Add(1)
		_ = conn.Close()
	}
}

// File returns the name of the file, and Addr the address of the port, for scripts that
// try to reach them.
func (c *Canary) File() string { return filepath.Join(c.dir, "canary") }

// Addr returns the address of the port, as host:port.
func (c *Canary) Addr() string { return c.listen.Addr().String() }

// Check reports what has happened to the canary, if anything has, and whether what a
// script has printed shows that it was seen.
func (c *Canary) Check(printed ...string) error {
	for _, text := range printed {
		if strings.Contains(text, c.value) {
			return errors.New("the value of the canary was printed")
		}
	}
	data, err := os.ReadFile(c.File())
	if err != nil || string(data) != c.value {
		return fmt.Errorf("the file of the canary was changed: %q, %v", data, err)
	}
	entries, err := os.ReadDir(c.dir)
	if err != nil || len(entries) != 1 {
		return fmt.Errorf("files were made beside the canary: %d, %v", len(entries), err)
	}
	if n := c.called.Load(); n > 0 {
		return fmt.Errorf("the port of the canary was called %d times", n)
	}
	return nil
}

// Close removes the canary.
func (c *Canary) Close() error {
	err := errors.Join(c.listen.Close(), os.Unsetenv(canaryVariable), os.RemoveAll(c.dir))
	<-c.done
	return err
}
