package awk

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/limpet-sh/limpet/internal/calltest"
	"github.com/limpet-sh/limpet/limits"
	"github.com/stretchr/testify/require"
)

func TestPrograms(t *testing.T) {
	m := calltest.New(t, Commands(), map[string]string{"f": "a 1\nb 2\n", "lib.awk": "function twice(x) { return 2 * x }\n"})
	for _, test := range []struct {
		stdin  string
		args   []string
		want   string
		stderr string
		status int
	}{
		{"a b c\n", []string{"{ print $2, NF }"}, "b 3\n", "", 0},
		{"", []string{"-f", "lib.awk", "-e", "{ s += twice($2) } END { print s }", "f"}, "6\n", "", 0},
		{"", []string{"-v", `x=a\tb`, "-F", "1", `{ print x, $1 }`, "f"}, "a\tb a \na\tb b 2\n", "", 0},
		{"", []string{"{ print FILENAME, v, $1 }", "v=1", "f"}, "f 1 a\nf 1 b\n", "", 0},
		{"", []string{"-i", "inplace", "{ print NR, $0 }", "g"}, "", "awk: fatal: cannot open file `g' for reading: No such file or directory\n", 2},
		{"", []string{"BEGIN { print 1 +* 2 }"}, "",
			"awk: cmd. line:1: BEGIN { print 1 +* 2 }\nawk: cmd. line:1:                  ^ syntax error\n", 1},
		{"", []string{"BEGIN { exit 3 } END { print \"end\" }"}, "end\n", "", 3},
		{"", []string{"-v", "1=2", "BEGIN {}"}, "", "awk: fatal: `1' is not a legal variable name\n", 2},
	} {
		r := m.Run(t, test.stdin, append([]string{"awk"}, test.args...)...)
		require.NoError(t, r.Err)
		require.Equal(t, test.want, r.Stdout, "%q", test.args)
		require.Equal(t, test.stderr, r.Stderr, "%q", test.args)
		require.Equal(t, test.status, r.Status, "%q", test.args)
	}
}

func TestInPlace(t *testing.T) {
	m := calltest.New(t, Commands(), map[string]string{"f": "a\nb\n"})
	r := m.Run(t, "", "awk", "-i", "inplace", "-v", "inplace::suffix=.bak", "{ print NR $0 } END { print \"done\" }", "f")
	require.Equal(t, calltest.Result{Stdout: "done\n"}, r)
	require.Equal(t, "1a\n2b\n", m.ReadFile(t, "f"))
	require.Equal(t, "a\nb\n", m.ReadFile(t, "f.bak"))
}

// TestLimits checks that programs which want too much are stopped.
func TestLimits(t *testing.T) {
	m := calltest.New(t, Commands(), nil)
	m.Limits = limits.Limits{Memory: 16 << 20, Depth: 500}
	for _, program := range []string{
		`BEGIN { while (1) s = s "0123456789abcdef" }`,
		`BEGIN { for (s = "x"; ; ) s = s s }`,
		`BEGIN { while (1) a[i++] = i }`,
		`BEGIN { while (1) a["k" i++] }`,
		`BEGIN { while (1) a[1][i++][1] }`,
		`BEGIN { printf "%100000000d", 1 }`,
		`BEGIN { s = sprintf("%*s", 2000000000, "x") }`,
		`BEGIN { $100000000 = 1 }`,
		`BEGIN { s = sprintf("%1000000s", ""); while (1) gsub(/ /, "  ", s) }`,
		`BEGIN { s = sprintf("%1000000s", ""); n = split(s, a, "") }`,
		`function f(n) { return 1 + f(n + 1) } BEGIN { f(0) }`,
		`{ n++ }`,
	} {
		r := m.Run(t, strings.Repeat("0123456789abcdef", 2<<20), "awk", program)
		require.True(t, r.Exceeded(), "%s: %v", program, r)
	}
}

// TestNesting checks that no program text makes a stack overflow.
func TestNesting(t *testing.T) {
	m := calltest.New(t, Commands(), nil)
	const n = 1 << 15
	for _, pair := range []string{"( )", "1+ 1", "! 1", "- 1", "$ 1", "a[ ]", "1?1: 1", "x= 1", "{ }", "if(1) ;", "1^ 1", "1&& 1", "1~ 1", "for(;;) ;", "f( )", "++ x", "1?2:(1 )"} {
		open, end, _ := strings.Cut(pair, " ")
		program := "BEGIN { " + strings.Repeat(open, n) + strings.Repeat(end, n) + " }"
		r := m.Run(t, "", "awk", program)
		require.NoError(t, r.Err)
		require.NotZero(t, r.Status, pair)
	}
}

// TestCancel checks that a program ends soon after its context.
func TestCancel(t *testing.T) {
	m := calltest.New(t, Commands(), nil)
	for _, program := range []string{
		`BEGIN { while (1); }`,
		`BEGIN { s = sprintf("%8000000s", "x"); while (1) n += length(s) }`,
		`BEGIN { s = sprintf("%8000000s", "x"); while (1) a[s] }`,
		`BEGIN { s = sprintf("%8000000s", "x"); while (1) $0 = s }`,
		`BEGIN { s = sprintf("%8000000s", "x"); while (1) match(s, /(x|y)*z/) }`,
		`BEGIN { while (1) print "x" > "/dev/null" }`,
		`function f(n) { return n < 1 ? 0 : f(n - 1) + f(n - 1) } BEGIN { f(60) }`,
	} {
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		start := time.Now()
		r := m.RunContext(ctx, strings.NewReader(""), "awk", program)
		cancel()
		require.ErrorIs(t, r.Err, context.DeadlineExceeded, program)
		require.Less(t, time.Since(start), 10*time.Second, program)
	}
}
