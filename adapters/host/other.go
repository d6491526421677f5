//go:build !linux

package host

import (
	"context"
	"errors"
	"fmt"

	"github.com/limpet-sh/limpet"
)

// A Sandbox is one that cannot be made on this system.
type Sandbox struct{ limpet.None }

// New fails: what ends all that a script has started is written for Linux.
func New(context.Context, Config) (*Sandbox, error) {
	return nil, fmt.Errorf("DangerousLocalSandbox runs on Linux only: %w", errors.ErrUnsupported)
}

// Reap finds nothing.
func Reap() (int, error) { return 0, nil }
