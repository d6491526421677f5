package sandboxtest_test

import (
	"testing"

	"github.com/limpet-sh/limpet"
	"github.com/limpet-sh/limpet/sandboxtest"
	"github.com/stretchr/testify/require"
)

// TestMain fails when a test has left a goroutine behind.
func TestMain(m *testing.M) { sandboxtest.Main(m) }

func TestShell(t *testing.T) { runShell(t, false) }

func TestShellWithProcesses(t *testing.T) { runShell(t, true) }

func runShell(t *testing.T, background bool) {
	sandboxtest.Run(t, func(t *testing.T) limpet.Sandbox {
		sh, err := limpet.New(limpet.Config{Background: background})
		require.NoError(t, err)
		return sh
	})
}

func TestNone(t *testing.T) {
	sandboxtest.Run(t, func(*testing.T) limpet.Sandbox { return limpet.None{} })
}
