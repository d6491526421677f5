package sqlite

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/limpet-sh/limpet/internal/calltest"
	"github.com/limpet-sh/limpet/limits"
	"github.com/stretchr/testify/require"
)

// endless is a query that never ends.
const endless = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x+1 FROM c) SELECT "

// TestLimits checks that a query which takes for ever, or memory without end, is
// stopped by the limit.
func TestLimits(t *testing.T) {
	for _, sql := range []string{
		"SELECT length(randomblob(100000000))",
		"SELECT length(hex(zeroblob(100000000)))",
		"SELECT printf('%.*c', 100000000, 'x')",
		endless + "count(*) FROM (SELECT DISTINCT randomblob(10000) FROM c)",
		"CREATE TEMP TABLE t(a); INSERT INTO t " + endless + "randomblob(100000) FROM c",
		endless + "x FROM c ORDER BY randomblob(1000)",
	} {
		m := calltest.New(t, Commands(), nil)
		m.Limits = limits.Limits{Memory: 24 << 20}
		got := m.Run(t, "", "sqlite3", ":memory:", sql)
		require.ErrorIs(t, got.Err, limits.ErrExceeded, sql)
	}
	m := calltest.New(t, Commands(), nil)
	m.Limits = limits.Limits{Memory: 64 << 20}
	got := m.Run(t, "", "sqlite3", ":memory:", "SELECT length(randomblob(20000000)), length(hex(zeroblob(5000000)))")
	require.NoError(t, got.Err)
	require.Equal(t, "20000000|10000000\n", got.Stdout, "what fits is allowed")
}

// TestCancel checks that the end of the context ends a query.
func TestCancel(t *testing.T) {
	for _, sql := range []string{
		endless + "max(x) FROM c",
		endless + "max(replace(hex(zeroblob(500000)), x, 'a') LIKE '%a%a%a_%ab%') FROM c",
		"SELECT (SELECT count(*) FROM generate_series(1, 1000000000000))",
	} {
		m := calltest.New(t, Commands(), nil)
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		defer cancel()
		got := m.RunContext(ctx, strings.NewReader(""), "sqlite3", ":memory:", sql)
		require.ErrorIs(t, got.Err, context.DeadlineExceeded, sql)
	}
}
