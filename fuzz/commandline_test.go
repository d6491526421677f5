package fuzz_test

import (
	"os"
	"testing"

	"github.com/limpet-sh/limpet"
	"github.com/limpet-sh/limpet/builtins/all"
	"github.com/limpet-sh/limpet/fuzz"
	"github.com/stretchr/testify/require"
)

// Every script runs one command that is known, and is the same each time.
func TestCommandLines(t *testing.T) {
	lines := fuzz.CommandLines{Seed: 1, Commands: fuzz.Known(all.Commands())}
	require.Greater(t, len(lines.Commands), 40)
	seen := map[string]bool{}
	for n := range uint64(500) {
		script := lines.Script(n)
		require.Equal(t, script, lines.Script(n))
		seen[script] = true
	}
	require.Greater(t, len(seen), 490)
}

// The commands do what the tools of the host do, over inputs that are hard on
// them.
func TestConfirmCommandLines(t *testing.T) {
	if os.Getenv("CONFIRM") == "" {
		t.Skip("CONFIRM is not set")
	}
	lines := fuzz.CommandLines{Seed: 1, Commands: fuzz.Known(all.Commands())}
	c := &fuzz.Campaign{
		Trials: []fuzz.Trial{{
			Source: lines.Script,
			Oracle: &fuzz.Differential{Reference: fuzz.Bash(), Target: &fuzz.Sandbox{Config: limpet.Config{}}, Repeats: 1},
		}},
		Count: 250, MinimizeRuns: -1,
	}
	report, err := c.Run(t.Context())
	require.NoError(t, err)
	for _, found := range report.Findings {
		t.Error(found)
	}
	t.Log(report)
}
