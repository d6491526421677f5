package limpet_test

import (
	"context"
	"testing"
	"time"

	"github.com/limpet-sh/limpet"
	"github.com/stretchr/testify/require"
)

// Hours pass at once, in their order.
func TestVirtualClock(t *testing.T) {
	start := time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC)
	run := func(script string) string {
		sh := newShell(t, limpet.Config{Clock: limpet.NewVirtualClock(start)})
		began := time.Now()
		res := execute(t, sh, script)
		require.NoError(t, res.Stopped, script)
		require.Less(t, time.Since(began), 30*time.Second, script)
		return string(res.Stdout)
	}
	require.Equal(t, "04:04:05\n", run(`sleep 3600; date +%T`))
	require.Equal(t, "124\n", run(`timeout 10 sleep 3600; echo $?`))
	require.Equal(t, "one\ntwo\nthree\n", run(`(sleep 3000; echo three) & (sleep 1000; echo one) & sleep 2000; echo two; wait`))
	require.Equal(t, "7200\n", run(`for i in {1..20}; do sleep 360; done; echo $SECONDS`))
	require.Equal(t, "142\n", run(`read -t 100 x < <(sleep 1000; echo late); echo $?`))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, limpet.NewVirtualClock(start).Sleep(ctx, time.Hour), context.Canceled)
}
