package text

import (
	"testing"

	"github.com/limpet-sh/limpet/builtins"
	"github.com/limpet-sh/limpet/internal/calltest"
	"github.com/stretchr/testify/require"
)

// TestEcho has the programs echo and printf, which scripts reach through xargs
// and its like.
func TestEcho(t *testing.T) {
	m := calltest.New(t, Commands(), nil)
	for _, tt := range []struct {
		args []string
		want calltest.Result
	}{
		{[]string{"echo", "a", "b"}, calltest.Result{Stdout: "a b\n"}},
		{[]string{"echo"}, calltest.Result{Stdout: "\n"}},
		{[]string{"echo", "-n", "-e", `a\tb\101`, `\c`, "x"}, calltest.Result{Stdout: "a\tbA "}},
		{[]string{"echo", "-neE", `a\t`, "-n"}, calltest.Result{Stdout: `a\t -n`}},
		{[]string{"echo", "-x", "--", "--help"}, calltest.Result{Stdout: "-x -- --help\n"}},
		{[]string{"printf", "--", "%s-%d\n", "a", "1", "b"}, calltest.Result{Stdout: "a-1\nb-0\n"}},
		{[]string{"printf", "%d", "x"}, calltest.Result{Stdout: "0", Stderr: "printf: ‘x’: expected a numeric value\n", Status: 1}},
		{[]string{"printf", "x", "y"}, calltest.Result{Stdout: "x", Stderr: "printf: warning: ignoring excess arguments, starting with ‘y’\n"}},
		{[]string{"printf"}, calltest.Result{Stderr: "printf: missing operand\nTry 'printf --help' for more information.\n", Status: 1}},
		{[]string{"printf", "%z"}, calltest.Result{Stderr: "printf: %z: invalid conversion specification\n", Status: 1}},
	} {
		require.Equal(t, tt.want, m.Run(t, "", tt.args...), "%q", tt.args)
	}
	for _, c := range Commands() {
		if c.Name == "echo" {
			require.Len(t, builtins.Describe(c), 3)
		}
	}
}
