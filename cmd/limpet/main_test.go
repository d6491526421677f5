package main

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/limpet-sh/limpet/adapters/isolate"
	"github.com/limpet-sh/limpet/builtins/git"
	"github.com/stretchr/testify/require"
)

// TestMain makes the test program limpet itself when it is told to.
func TestMain(m *testing.M) {
	isolate.Main(git.Commands()...)
	if os.Getenv("LIMPET_TEST_RUN") != "" {
		os.Exit(execute(os.Args[1:]))
	}
	os.Exit(m.Run())
}

// command runs limpet with a command line in dir.
func command(t *testing.T, dir, stdin string, args ...string) (stdout, stderr string, status int) {
	t.Helper()
	cmd := exec.Command(os.Args[0], args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "LIMPET_TEST_RUN=1")
	cmd.Stdin = strings.NewReader(stdin)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	_ = cmd.Run()
	return out.String(), errs.String(), cmd.ProcessState.ExitCode()
}

func TestScriptsComeFromThreePlaces(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "s.sh"), []byte(`echo "$0 $1"; exit 4`), 0o644))
	out, _, status := command(t, dir, "", "run", "s.sh", "x")
	require.Equal(t, "s.sh x\n", out)
	require.Equal(t, 4, status)
	out, _, _ = command(t, dir, "", "run", "-c", `echo "$0 $1"`, "name", "arg")
	require.Equal(t, "name arg\n", out)
	out, _, _ = command(t, dir, "read x\nline\necho \"got $x\"\n", "run")
	require.Equal(t, "got line\n", out)
	out, _, _ = command(t, dir, "input\n", "run", "-c", "cat")
	require.Equal(t, "input\n", out)
}

func TestMistakesAreOneLineAndStatus2(t *testing.T) {
	for _, args := range [][]string{
		{"run", "nosuch.sh"}, {"run", "--bogus"}, {"run", "-c"}, {"frob"},
		{"run", "--limit", "foo=1", "-c", ":"}, {"run", "--limit", "memory=x", "-c", ":"}, {"run", "--limit", "memory", "-c", ":"},
		{"run", "--limits", "foo", "-c", ":"}, {"run", "--timeout", "soon", "-c", ":"}, {"run", "--timeout", "-1s", "-c", ":"},
		{"run", "--env", "X", "-c", ":"}, {"run", "--dir", "nosuch", "-c", ":"}, {"run", "--dir", ".", "--dir-rw", ".", "-c", ":"},
		{"run", "--mount", "x", "-c", ":"}, {"run", "--mount", "nosuch:/x", "-c", ":"}, {"run", "--mount", ".:x", "-c", ":"},
		{"run", "--cwd", "/nosuch", "-c", ":"}, {"run", "--dir", "/", "-c", ":"}, {"run", "--mount", "/etc:/x", "-c", ":"},
		{"run", "--load", "nosuch", "-c", ":"}, {"run", "--save", "no/such", "-c", ":"}, {"run", "--dir", ".", "--load", "x", "--apply", "-c", ":"},
		{"run", "--changes", "-c", ":"}, {"run", "--apply", "--dir-rw", ".", "-c", ":"}, {"run", "--diff", "-", "-c", ":"},
	} {
		out, errs, status := command(t, t.TempDir(), "", args...)
		require.Equal(t, 2, status, "%q: %s", args, errs)
		require.Empty(t, out, "%q", args)
		require.Equal(t, 1, strings.Count(errs, "\n"), "%q: %s", args, errs)
		require.True(t, strings.HasPrefix(errs, "limpet: "), "%q: %s", args, errs)
	}
}

func TestHostDirectories(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "f"), []byte("host\n"), 0o600))
	content := func() string {
		data, err := os.ReadFile(filepath.Join(dir, "f"))
		require.NoError(t, err)
		return string(data)
	}
	out, errs, _ := command(t, dir, "", "run", "--dir", ".", "-c", "pwd; cat f; echo new > f; cat f; touch g; rm f; ls")
	require.Equal(t, "/workspace\nhost\nnew\ng\n", out, errs)
	require.Equal(t, "host\n", content(), "--dir never writes the host")

	out, errs, _ = command(t, dir, "", "run", "--mount", dir+":/data", "-c", "cat /data/f; echo x > /data/f; echo $?")
	require.Equal(t, "host\n1\n", out)
	require.Contains(t, errs, "Read-only file system")

	out, _, _ = command(t, dir, "", "run", "--mount", dir+":/data:cow", "--cwd", "/data", "-c", "echo x > f; cat f")
	require.Equal(t, "x\n", out)
	require.Equal(t, "host\n", content())

	_, errs, _ = command(t, dir, "", "run", "--dir-rw", ".", "-c", "echo written > f")
	require.Equal(t, "written\n", content(), errs)
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, entries, 1)
}

// A link of the host that leads out of a directory leads nowhere.
func TestLinksDoNotLeaveAHostDirectory(t *testing.T) {
	outside, dir := t.TempDir(), t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(outside, "secret"), []byte("secret"), 0o644))
	require.NoError(t, os.Symlink(filepath.Join(outside, "secret"), filepath.Join(dir, "file")))
	require.NoError(t, os.Symlink(outside, filepath.Join(dir, "sub")))
	require.NoError(t, os.Symlink(filepath.Join(outside, "new"), filepath.Join(dir, "dangling")))
	for _, flag := range []string{"--dir", "--dir-rw"} {
		out, _, _ := command(t, dir, "", "run", flag, ".", "-c", `cat file; cat sub/secret; ls sub/; cat ../secret; echo x > dangling; cp /etc/hostname sub/copy; mkdir -p sub/d`)
		require.NotContains(t, out, "secret")
		entries, err := os.ReadDir(outside)
		require.NoError(t, err)
		require.Len(t, entries, 1, "nothing appears outside")
	}
}

func TestStatusOfWhatWasStopped(t *testing.T) {
	out, errs, status := command(t, "", "", "run", "--timeout", "100ms", "-c", "echo before; sleep 60")
	require.Equal(t, "before\n", out)
	require.Equal(t, 124, status)
	require.Equal(t, "limpet: timed out after 100ms\n", errs)
	_, errs, status = command(t, "", "", "run", "--limit", "memory=1M", "-c", "x=x; while :; do x+=$x; done")
	require.Equal(t, 137, status)
	require.Equal(t, "limpet: memory limit of 1048576 bytes exceeded (raise it with Limits.Memory or --limit memory=N)\n", errs)
}

func TestJSON(t *testing.T) {
	out, errs, status := command(t, "", "", "run", "--json", "--limits", "hardened", "--env", "A=b", "-c", `echo "$A"; echo err >&2; printf '\xff'; exit 3`)
	require.Empty(t, errs)
	require.Equal(t, 3, status)
	var r result
	require.NoError(t, json.Unmarshal([]byte(out), &r))
	require.Equal(t, []byte("b\n\xff"), r.StdoutBytes)
	require.Equal(t, "err\n", r.Stderr)
	require.Nil(t, r.StderrBytes)
	require.Equal(t, 3, r.Status)
	require.Empty(t, r.Stopped)
}

// TestSignals checks that signals go to the script.
func TestSignals(t *testing.T) {
	for _, test := range []struct {
		script, stdout string
		signal         os.Signal
		status         int
	}{
		{`trap 'echo got; exit 9' TERM; echo on; while :; do sleep 0.01; done`, "on\ngot\n", syscall.SIGTERM, 9},
		{`trap 'echo bye' EXIT; echo on; sleep 1000; echo no`, "on\nbye\n", os.Interrupt, 130},
		{`echo on; cat /dev/zero | cat > /dev/null; echo no`, "on\n", syscall.SIGHUP, 129},
	} {
		cmd := exec.Command(os.Args[0], "run", "-c", test.script)
		cmd.Env = append(os.Environ(), "LIMPET_TEST_RUN=1")
		var errs bytes.Buffer
		cmd.Stderr = &errs
		out, err := cmd.StdoutPipe()
		require.NoError(t, err)
		require.NoError(t, cmd.Start())
		first := make([]byte, len("on\n"))
		_, err = io.ReadFull(out, first)
		require.NoError(t, err)
		require.NoError(t, cmd.Process.Signal(test.signal))
		rest, err := io.ReadAll(out)
		require.NoError(t, err)
		_ = cmd.Wait()
		require.Equal(t, test.stdout, string(first)+string(rest), test.script)
		require.Empty(t, errs.String(), test.script)
		require.Equal(t, test.status, cmd.ProcessState.ExitCode(), test.script)
	}
}
