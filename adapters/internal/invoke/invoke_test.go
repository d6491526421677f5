package invoke_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/limpet-sh/limpet"
	"github.com/limpet-sh/limpet/adapters/internal/invoke"
	"github.com/stretchr/testify/require"
)

// Whatever way a script is handed over, it sees the same name and arguments.
func TestInvocations(t *testing.T) {
	file := filepath.Join(t.TempDir(), "it's a script")
	script := `printf '%s|' "$0" "$@"; [ -n "$POSIXLY_CORRECT" ] && echo posix`
	for name, c := range map[string]struct {
		req  limpet.Request
		want string
	}{
		"text":  {limpet.Request{Script: script, Name: "n", Args: []string{"a b", ""}}, "n|a b||"},
		"batch": {limpet.Request{Script: script, Name: "dir/f.sh", Args: []string{"x"}, Batch: true}, "dir/f.sh|x|"},
		"long":  {limpet.Request{Script: strings.Repeat("# comment\n", 20_000) + script, Name: "n", Args: []string{"x"}}, "n|x|"},
		"input": {limpet.Request{FromStdin: true, Args: []string{"-x"}}, "bash|-x|"},
		"posix": {limpet.Request{Script: script, Posix: true}, "bash|posix\n"},
	} {
		inv, err := invoke.Of("bash", c.req)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(file, []byte(c.req.Script), 0o600))
		args := inv.With(file)
		cmd := exec.Command(args[0], args[1:]...)
		if c.req.FromStdin {
			cmd.Stdin = strings.NewReader(script)
		}
		out, _ := cmd.Output()
		require.Equal(t, c.want, string(out), name)
	}
	_, err := invoke.Of("bash", limpet.Request{Args: []string{"\x00"}})
	require.Error(t, err)
	require.Error(t, invoke.CheckEnv(map[string]string{"A=B": ""}))
	require.Error(t, invoke.CheckEnv(map[string]string{"A": "\x00"}))
}
