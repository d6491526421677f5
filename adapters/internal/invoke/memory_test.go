package invoke_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/limpet-sh/limpet/adapters/internal/invoke"
	"github.com/stretchr/testify/require"
)

// What one bash leaves is there for the next, whatever way it ends.
func TestMemory(t *testing.T) {
	m := invoke.Memory{Path: t.TempDir()}
	run := func(env map[string]string, script string) string {
		file := filepath.Join(m.Path, "prologue")
		require.NoError(t, os.WriteFile(file, []byte(m.Prologue(env)), 0o600))
		cmd := exec.Command("bash", "-c", script)
		cmd.Env = append(os.Environ(), "BASH_ENV="+file)
		cmd.Dir = m.Path
		out, _ := cmd.CombinedOutput()
		return string(out)
	}
	require.Equal(t, "LEAK\n", run(nil, `trap "echo LEAK" EXIT; set -eu; x=$'a\nb'; declare -A m=([k 1]="v 1"); f() { echo "f $1"; }; readonly r=1; declare -i n=3; export E=2; cd /tmp; exit 42`))
	require.Equal(t, "a\nb|v 1|1|3|2|0|\nf x\nbash: line 1: none: unbound variable\n", run(nil, `n+=0; echo "$x|${m[k 1]}|$r|$n|$E|$?|$BASH_ENV"; f x; set -u; echo $none`))
	require.Equal(t, "before\n", run(map[string]string{"x": "before", "G": "1"}, `echo "$x"; y=2; trap - EXIT`))
	require.Equal(t, "a\nb||2\n", run(nil, `echo "$x|$G|$y"; g() { :; }; export -f g; trap 'exit 3' EXIT; (exit 1)`))
	require.Equal(t, "function\nfunction\n", run(nil, `type -t g; bash -c "type -t g"; (trap "echo sub" EXIT; z=1) > /dev/null; z=2`))
	require.Equal(t, "2\n", run(nil, `trap "" EXIT; echo $z; v=3`))
	require.Equal(t, "3\n", run(nil, "echo $v"))
	require.Contains(t, run(nil, "if then"), "bash: -c: line 1: syntax error")
	require.Contains(t, run(nil, ":\nnosuchcommand"), "bash: line 2: nosuchcommand: command not found")
}
