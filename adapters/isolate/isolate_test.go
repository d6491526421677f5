//go:build linux

package isolate_test

import (
	"os"
	"slices"
	"testing"

	"github.com/limpet-sh/limpet"
	"github.com/limpet-sh/limpet/adapters/isolate"
	"github.com/limpet-sh/limpet/sandboxtest"
	"github.com/stretchr/testify/require"
)

// TestMain makes this program that of the sandboxes, and fails when a test has left a
// goroutine behind.
func TestMain(m *testing.M) {
	isolate.Main(slices.Concat(crashes, probes)...)
	if os.Getenv("ISOLATE_OWNER") != "" {
		panic(owner())
	}
	sandboxtest.Main(m)
}

func TestSandbox(t *testing.T) {
	sandboxtest.Run(t, func(t *testing.T) limpet.Sandbox { return open(t, isolate.Config{}) })
}

func TestSandboxWithProcesses(t *testing.T) {
	sandboxtest.Run(t, func(t *testing.T) limpet.Sandbox {
		return open(t, isolate.Config{Shell: limpet.Config{Background: true}})
	})
}

func open(t *testing.T, cfg isolate.Config) *isolate.Sandbox {
	s, err := isolate.New(t.Context(), cfg)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s
}
