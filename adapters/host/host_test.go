//go:build linux

package host_test

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/limpet-sh/limpet"
	"github.com/limpet-sh/limpet/adapters/host"
	"github.com/limpet-sh/limpet/adapters/internal/killtest"
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

func TestLifecycle(t *testing.T) {
	allow(t)
	sandboxtest.Lifecycle(t, func(t *testing.T, cycle limpet.Lifecycle) (limpet.Sandbox, error) {
		return host.New(t.Context(), host.Config{Lifecycle: cycle, Warnings: io.Discard})
	}, func() []string {
		left, _ := filepath.Glob(os.Getenv("XDG_CACHE_HOME") + "/limpet/host*/*") // the pattern is right
		return left
	})
}

// Agents see the same results here as elsewhere.
func TestAgents(t *testing.T) {
	allow(t)
	toolstest.Run(t, func(t *testing.T) limpet.Sandbox { return open(t, host.Config{}) })
}

// An owner that is killed, whatever it is doing, leaves nothing that is not cleaned up.
func TestKilledOwners(t *testing.T) {
	if killtest.Owner() {
		for {
			s := open(t, host.Config{})
			p, err := s.Processes()
			require.NoError(t, err)
			_, err = p.Start(t.Context(), limpet.ProcessRequest{Command: "setsid sleep 1000 & sleep 1000"})
			require.NoError(t, err)
			require.NoError(t, s.WriteFile(t.Context(), "f", make([]byte, 1<<20), 0o644))
			_, err = s.Exec(t.Context(), limpet.Request{Script: "setsid sleep 1000 & mkdir -p d/e; chmod 500 d; sleep 0.2"})
			require.NoError(t, err)
			require.NoError(t, s.Close())
		}
	}
	allow(t)
	killtest.Run(t, 50, 400*time.Millisecond)
	_, err := host.Reap()
	require.NoError(t, err)
	left, err := filepath.Glob(os.Getenv("XDG_CACHE_HOME") + "/limpet/host*/*")
	require.NoError(t, err)
	require.Empty(t, left)
	environments, err := filepath.Glob("/proc/[0-9]*/environ")
	require.NoError(t, err)
	for _, name := range environments {
		env, err := os.ReadFile(name)
		require.False(t, err == nil && bytes.Contains(env, []byte(os.Getenv("XDG_CACHE_HOME")+"/limpet/host")), "%s goes on", name)
	}
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
