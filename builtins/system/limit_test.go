package system

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/limpet-sh/limpet/builtins"
	"github.com/limpet-sh/limpet/internal/calltest"
	"github.com/limpet-sh/limpet/limits"
	"github.com/stretchr/testify/require"
)

// TestEnds checks that programs of bc end with their context and within their
// memory, whatever they do.
func TestEnds(t *testing.T) {
	for _, program := range []string{
		"while(1){}", "define f(n){return f(n+1)}\nf(1)", "for(i=0;1;i++)a[i]=i", "x=2;while(1)x=x*x+1",
		"scale=100000;while(1)1/7", "while(1)2^300000",
	} {
		m := calltest.New(t, Commands(), nil)
		m.Limits = limits.Limits{Memory: 64 << 20}
		ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
		start := time.Now()
		got := m.RunContext(ctx, strings.NewReader(program+"\n"), "bc")
		cancel()
		require.Less(t, time.Since(start), 10*time.Second, program)
		require.True(t, got.Err != nil || strings.Contains(got.Stderr, "too large"), program)
	}
}

// TestSignals checks what timeout makes of a command that it ends, or does not.
func TestSignals(t *testing.T) {
	stubborn := &builtins.Command{Name: "stubborn", Run: func(ctx context.Context, c *builtins.Call) error {
		<-ctx.Done()
		return nil
	}}
	m := calltest.New(t, append(Commands(), stubborn), nil)
	for _, test := range []struct {
		args   []string
		status int
	}{
		{[]string{"timeout", "1", "stubborn"}, 124},
		{[]string{"timeout", "-s", "KILL", "1", "stubborn"}, 137},
		{[]string{"timeout", "--preserve-status", "1", "stubborn"}, 143},
		{[]string{"timeout", "-s", "CONT", "-k", "1", "1", "stubborn"}, 137},
		{[]string{"timeout", "0", "false"}, 1},
	} {
		require.Equal(t, test.status, m.Run(t, "", test.args...).Status, test.args)
	}
}
