package jq

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/limpet-sh/limpet/internal/calltest"
	"github.com/limpet-sh/limpet/limits"
	"github.com/stretchr/testify/require"
)

// TestLimits checks that filters which want too much are stopped.
func TestLimits(t *testing.T) {
	m := calltest.New(t, Commands(), nil)
	m.Limits = limits.Limits{Memory: 16 << 20, Depth: 500}
	for _, filter := range []string{
		`"x" * 1e9`,
		`.[1e8] = 1`,
		`[range(1e9)]`,
		`reduce range(1e9) as $i (""; . + "0123456789abcdef")`,
		`reduce range(1e9) as $i ([]; . + [$i])`,
		`reduce range(1e9) as $i ({}; .[$i | tostring] = $i)`,
		`reduce range(100) as $i ("x"; . + .)`,
		`[limit(1e9; repeat("x"))]`,
		`last(foreach range(1e9) as $i ([]; . + [$i]))`,
		`def f: [f]; f`,
		`def f: 1 + f; f`,
		`def f($x): f($x + [$x]); f([])`,
		`[recurse(., .)]`,
		`"x" * 1000000 | [splits("")] | map(explode)`,
		`"x" * 4000000 | gsub("x"; "0123456789abcdef")`,
		`[range(100000)] | [combinations(3)]`,
		`reduce range(60) as $i (1; [., .])`,
	} {
		r := m.Run(t, "", "jq", "-n", filter)
		require.True(t, r.Exceeded(), "%s: %v", filter, r)
	}
	r := m.Run(t, "["+strings.Repeat("1,", 4<<20)+"1]", "jq", "length")
	require.True(t, r.Exceeded())
}

// TestNesting checks that neither a filter nor a value makes a stack overflow.
func TestNesting(t *testing.T) {
	m := calltest.New(t, Commands(), nil)
	const n = 1 << 15
	for _, pair := range []string{"( )", "[ ]", "1| 1", "1, 1", "1+ 1", "- 1", "{a: }", "if 1 then 2 else 3 end", "try 1", ".[ 1]", "def f: 1;", "1 as $x| 1", "reduce 1 as $x(1;2 )", "[. ]|=1", ".a//= 1", "1// 1", "\"\\( )\"", ".? ", "label $x| 1", "not|not| 1"} {
		open, end, _ := strings.Cut(pair, " ")
		r := m.Run(t, "", "jq", "-n", strings.Repeat(open+" ", n)+strings.Repeat(" "+end, n))
		require.NoError(t, r.Err)
		require.NotZero(t, r.Status, pair)
	}
	for _, text := range []string{strings.Repeat("[", n), strings.Repeat(`{"a":`, n)} {
		require.EqualValues(t, statusSyntax, m.Run(t, text, "jq", ".").Status)
		require.EqualValues(t, statusSyntax, m.Run(t, text, "jq", "--stream", ".").Status)
	}
	deep := strings.Repeat("[", 9999) + strings.Repeat("]", 9999)
	for _, filter := range []string{".", "tojson", "flatten", "[..] | length", ". == .", "walk(.)", "tostream", "[.]|sort"} {
		require.NoError(t, m.Run(t, deep, "jq", "-c", filter).Err, filter)
	}
}

// TestCancel checks that a filter ends soon after its context.
func TestCancel(t *testing.T) {
	m := calltest.New(t, Commands(), nil)
	for _, filter := range []string{
		`last(range(1e12))`,
		`until(false; . + 1)`,
		`first(range(1e12) | select(. < 0))`,
		`[range(1000000)] | sort_by(-.) | until(false; sort)`,
		`"x" * 4000000 | until(false; ascii_upcase)`,
		`"x" * 4000000 | until(false; if test("(x|y)*z") then . else . end)`,
		`def f: if . < 1 then 1 else (. - 1 | f) + (. - 1 | f) end; 60 | f`,
	} {
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		start := time.Now()
		r := m.RunContext(ctx, strings.NewReader(""), "jq", "-n", filter)
		cancel()
		require.ErrorIs(t, r.Err, context.DeadlineExceeded, filter)
		require.Less(t, time.Since(start), 10*time.Second, filter)
	}
}
