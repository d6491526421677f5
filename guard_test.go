package limpet_test

import (
	"sync"
	"testing"
	"time"

	"github.com/limpet-sh/limpet"
	"github.com/limpet-sh/limpet/limits"
	"github.com/stretchr/testify/require"
)

// The guard ends the execution that holds the most, and lets others go on.
func TestGuard(t *testing.T) {
	cfg := limpet.Config{Guard: limpet.NewGuard(256 << 20), Limits: limits.Limits{Memory: limits.Unlimited}}
	small, large := newShell(t, cfg), newShell(t, cfg)
	var both sync.WaitGroup
	both.Go(func() {
		res, err := large.Exec(t.Context(), limpet.Request{Script: `x=x; while :; do x=$x$x; [ ${#x} -lt 400000000 ] || x=x; done`})
		require.NoError(t, err)
		require.ErrorIs(t, res.Stopped, limpet.ErrMemoryGuard)
		require.ErrorIs(t, res.Stopped, limits.ErrExceeded)
		require.Contains(t, string(res.Stderr), "memory guard of the process")
		require.Equal(t, 137, res.Status)
	})
	both.Go(func() {
		res, err := small.Exec(t.Context(), limpet.Request{Script: `for i in {1..20}; do sleep 0.01; done; echo done`, Timeout: time.Minute})
		require.NoError(t, err)
		require.NoError(t, res.Stopped)
		require.Equal(t, "done\n", string(res.Stdout))
	})
	both.Wait()
	require.Equal(t, "again\n", string(execute(t, large, "echo again").Stdout))
}
