package limpet

import (
	"context"
	"io/fs"
)

// None is the sandbox of agents that have none: no shell, no files. Everything but
// Close fails with [ErrNoSandbox].
type None struct{}

// Exec fails.
func (None) Exec(context.Context, Request) (*Result, error) { return nil, ErrNoSandbox }

// ReadFile fails.
func (None) ReadFile(context.Context, string) ([]byte, error) { return nil, ErrNoSandbox }

// WriteFile fails.
func (None) WriteFile(context.Context, string, []byte, fs.FileMode) error { return ErrNoSandbox }

// OpenSession fails.
func (None) OpenSession(context.Context, SessionOptions) (Conversation, error) {
	return nil, ErrNoSandbox
}

// Processes fails.
func (None) Processes() (Processes, error) { return nil, ErrNoSandbox }

// Workspace returns "".
func (None) Workspace() string { return "" }

// Access returns AccessNone.
func (None) Access() Access { return AccessNone }

// Describe says that there is nothing.
func (None) Describe() Description {
	return Description{Kind: "none", Where: "nowhere: there is no sandbox", Network: "nothing"}
}

// Close does nothing.
func (None) Close() error { return nil }
