//go:build !linux

package isolate

import (
	"context"
	"errors"
	"fmt"

	"github.com/limpet-sh/limpet"
	"github.com/limpet-sh/limpet/builtins"
)

// A Sandbox cannot be made here.
type Sandbox struct{ limpet.None }

// Main does nothing.
func Main(...*builtins.Command) {}

// New fails.
func New(context.Context, Config) (*Sandbox, error) {
	return nil, fmt.Errorf("isolate: a process with limits is written for Linux only: %w", errors.ErrUnsupported)
}
