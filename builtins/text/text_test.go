package text

import (
	"testing"

	"github.com/limpet-sh/limpet/internal/calltest"
	"github.com/limpet-sh/limpet/limits"
	"github.com/stretchr/testify/require"
)

// TestEndsInLittleMemory checks that what head and tail hold is
// bounded by what they may still print.
func TestEndsInLittleMemory(t *testing.T) {
	long := make([]byte, 4<<20)
	for i := range long {
		long[i] = "0123456789abcde\n"[i%16]
	}
	m := calltest.New(t, Commands(), nil)
	m.Limits = limits.Limits{Memory: 1 << 20}
	for _, args := range [][]string{{"tail", "-n", "2"}, {"tail", "-c", "32"}} {
		got := m.Run(t, string(long), args...)
		require.Equal(t, calltest.Result{Stdout: "0123456789abcde\n0123456789abcde\n"}, got)
	}
	for _, args := range [][]string{{"head", "-n", "-2"}, {"head", "-c", "-32"}} {
		got := m.Run(t, string(long), args...)
		require.NoError(t, got.Err)
		require.Len(t, got.Stdout, len(long)-32)
	}
	require.True(t, m.Run(t, string(long), "tail", "-n", "200000").Exceeded())
}
