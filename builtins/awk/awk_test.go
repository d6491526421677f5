package awk

import (
	"testing"

	"github.com/limpet-sh/limpet/internal/calltest"
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
