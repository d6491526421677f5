//go:build linux

package host_test

import (
	"io"
	"testing"

	"github.com/limpet-sh/limpet"
	"github.com/limpet-sh/limpet/adapters/host"
	"github.com/limpet-sh/limpet/netpolicy"
	"github.com/limpet-sh/limpet/sandboxtest"
	"github.com/limpet-sh/limpet/tools/toolstest"
	"github.com/stretchr/testify/require"
)

// TestMain fails when a test has left a goroutine behind.
func TestMain(m *testing.M) { sandboxtest.Main(m) }

// allow opts in, with a cache of the test's own.
func allow(t *testing.T) {
	t.Setenv(host.OptInName, host.OptInValue)
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
}

// open makes a sandbox.
func open(t *testing.T, cfg host.Config) *host.Sandbox {
	t.Helper()
	cfg.Warnings = io.Discard
	s, err := host.New(t.Context(), cfg)
	require.NoError(t, err)
	return s
}

func TestSandbox(t *testing.T) {
	allow(t)
	sandboxtest.Run(t, func(t *testing.T) limpet.Sandbox { return open(t, host.Config{}) })
}

// Agents see the same results here as elsewhere.
func TestAgents(t *testing.T) {
	allow(t)
	toolstest.Run(t, func(t *testing.T) limpet.Sandbox { return open(t, host.Config{}) })
}

func TestRefusals(t *testing.T) {
	t.Setenv(host.OptInName, "")
	_, err := host.New(t.Context(), host.Config{})
	require.ErrorIs(t, err, host.ErrNotAllowed)
	allow(t)
	_, err = host.New(t.Context(), host.Config{Network: &netpolicy.Policy{}})
	require.EqualError(t, err, "DangerousLocalSandbox runs on the host, so it always has the host's network and cannot enforce another policy: remove the network argument")
	_, err = host.New(t.Context(), host.Config{Shell: "zsh"})
	require.Error(t, err)
	_, err = host.New(t.Context(), host.Config{Workspace: "relative"})
	require.Error(t, err)
}
