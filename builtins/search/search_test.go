package search

import (
	"context"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/limpet-sh/limpet/internal/calltest"
	"github.com/limpet-sh/limpet/limits"
	"github.com/stretchr/testify/require"
)

// endless is input without an end, or a line end.
type endless struct{}

func (endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = "ab\n"[i%3]
	}
	return len(p), nil
}

// TestCancel checks that commands end when their context does, whatever they
// are doing.
func TestCancel(t *testing.T) {
	long := "c" + strings.Repeat("ab", 1<<19)
	var lines strings.Builder
	var other strings.Builder
	rng := rand.New(rand.NewPCG(1, 2))
	for range 1 << 16 {
		lines.WriteString(string(rune('a'+rng.IntN(9))) + "\n")
		other.WriteString(string(rune('a'+rng.IntN(9))) + "\n")
	}
	m := calltest.New(t, Commands(), map[string]string{
		"long": long, "a": lines.String(), "b": other.String(),
	})
	m.Limits = limits.None()
	for _, args := range [][]string{
		{"sed", ":a;ba"},
		{"sed", "-n", `:a;s/^\(.*\)\(.*\)\1\2c//;ba`, "long"},
		{"sed", "s/x/y/"},
		{"grep", "-c", "b"},
		{"grep", "-E", `(.*)(.*)\1\2c`, "long"},
		{"grep", "-P", `(?=(.*)(.*)\1\2c)`, "long"},
		{"diff", "-d", "a", "b"},
		{"cmp", "-", "/dev/zero"},
	} {
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		begin := time.Now()
		got := m.RunContext(ctx, endless{}, args...)
		cancel()
		if args[0] == "cmp" { // it finds a difference
			require.Equal(t, 1, got.Status)
			continue
		}
		require.ErrorIs(t, got.Err, context.DeadlineExceeded, "%q", args)
		require.Less(t, time.Since(begin), 10*time.Second, "%q", args)
	}
}

// TestMemory checks that what commands hold is charged.
func TestMemory(t *testing.T) {
	m := calltest.New(t, Commands(), map[string]string{"a": strings.Repeat("line\n", 1<<18), "b": "x\n"})
	m.Limits = limits.Limits{Memory: 4 << 20}
	endlessLine := io.MultiReader(strings.NewReader("a"), noNewline{})
	for _, args := range [][]string{
		{"sed", ":a;s/.*/&&/;ta"},
		{"sed", ":a;H;G;h;ba"},
		{"sed", "-n", "$p"},
		{"sed", "1{:a;a text\nba}"},
		{"grep", "b"},
		{"grep", "-f", "-"},
		{"diff", "a", "b"},
	} {
		got := m.RunContext(t.Context(), endlessLine, args...)
		require.True(t, got.Exceeded(), "%q: %+v", args, got)
	}
	for _, args := range [][]string{{"grep", "-c", "i", "a"}, {"sed", "-n", "$=", "a"}} {
		require.Equal(t, calltest.Result{Stdout: "262144\n"}, m.Run(t, "", args...))
	}
}

// noNewline is input that is one endless line.
type noNewline struct{}

func (noNewline) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'a'
	}
	return len(p), nil
}

// TestLargeInput checks commands where lines and blocks do not meet.
func TestLargeInput(t *testing.T) {
	var text, wantGrep, wantSed strings.Builder
	for i := range 20_000 {
		line := strings.Repeat("x", i%97) + "needle" + strings.Repeat("y", i%89)
		if i%3 == 0 {
			line = strings.Repeat("z", i%501)
		} else {
			wantGrep.WriteString(line + "\n")
		}
		text.WriteString(line + "\n")
		wantSed.WriteString(strings.ReplaceAll(line, "needle", "pin") + "\n")
	}
	m := calltest.New(t, Commands(), map[string]string{"a": text.String()})
	require.Equal(t, wantGrep.String(), m.Run(t, "", "grep", "needle", "a").Stdout)
	require.Equal(t, wantGrep.String(), m.Run(t, "", "grep", "-E", "n(e|E)+dle", "a").Stdout)
	require.Equal(t, wantGrep.String(), m.Run(t, "", "grep", "-v", "^z*$", "a").Stdout)
	require.Equal(t, text.String(), m.Run(t, "", "grep", "--no-group-separator", "-C200", "needle", "a").Stdout)
	require.Equal(t, wantSed.String(), m.Run(t, "", "sed", "s/needle/pin/", "a").Stdout)
}
