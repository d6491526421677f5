package main

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/limpet-sh/limpet/adapters/host"
	"github.com/limpet-sh/limpet/adapters/koyeb"
	"github.com/stretchr/testify/require"
)

func TestBackendFlags(t *testing.T) {
	for _, name := range koyeb.Tokens {
		t.Setenv(name, "")
	}
	for args, want := range map[string]string{
		"--backend nowhere -c true":                    `--backend "nowhere": want shell, isolate, docker, host or koyeb`,
		"--backend host --dir . -c true":               "the backend host has no --dir",
		"--backend docker --limit x=1 -c true":         "the backend docker has no --limit",
		"--backend docker --workspace / -c :":          "the backend docker has no --workspace",
		"--backend koyeb --network all -c true":        "no token for Koyeb",
		"--isolate --backend docker -c true":           "--isolate is --backend isolate, and not docker",
		"--isolate --dir . --apply -c true":            "the backend isolate has no --apply",
		"--isolate --dir / -c true":                    "--sensitive",
		"--isolate --dir . --dir-rw . -c true":         "the same place",
		"--image x -c true":                            "the backend shell has no --image",
		"--backend host --network all -c true":         "the backend host has no --network",
		"--backend host -c true":                       host.ErrNotAllowed.Error(),
		"--backend docker --network a/b -c true":       "network host",
		"--backend koyeb --proxy-url http://x -c true": "needs both --proxy-url and --proxy-listen",
	} {
		_, stderr, status := command(t, t.TempDir(), "", append([]string{"run"}, strings.Fields(args)...)...)
		require.Equal(t, statusUsage, status, args)
		require.Contains(t, stderr, want, args)
	}
	for args, want := range map[string]string{
		"mcp --backend koyeb --network all":   "no token for Koyeb",
		"mcp --backend docker --dir .":        "the backend docker has no --dir",
		"mcp --backend host --access nothing": `unknown access "nothing"`,
		"mcp --backend host":                  host.ErrNotAllowed.Error(),
		"mcp --workspace /":                   "the backend shell has no --workspace",
		"repl --backend koyeb --network all":  "no token for Koyeb",
		"repl --backend host --limit time=1s": "the backend host has no --limit",
		"repl --backend nowhere":              `--backend "nowhere": want shell, isolate, docker, host or koyeb`,
	} {
		_, stderr, status := command(t, t.TempDir(), "", strings.Fields(args)...)
		require.Equal(t, statusUsage, status, args)
		require.Contains(t, stderr, want, args)
	}
}

func TestHostBackend(t *testing.T) {
	t.Setenv(host.OptInName, host.OptInValue)
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	stdout, stderr, status := command(t, t.TempDir(), "", "run", "--backend", "host", "--env", "V=w", "-c", `echo "$V $1"; exit 3`, "name", "arg")
	require.Equal(t, 3, status)
	require.Equal(t, "w arg\n", stdout)
	require.Contains(t, stderr, "WARNING")
}

// TestIsolate runs scripts in a process of its own, which sees the directories that it is
// told to and has the commands of this program.
func TestIsolate(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "f"), []byte("host\n"), 0o644))
	stdout, stderr, status := command(t, dir, "input\n", "run", "--isolate", "--dir", ".", "--env", "V=w", "--limit", "steps=100000",
		"-c", `cat; cat f; echo "$V $1"; echo x > f; git init -q r && ls r/.git | wc -l; while :; do :; done`, "name", "arg")
	require.Equal(t, "input\nhost\nw arg\n", stdout[:len("input\nhost\nw arg\n")])
	require.NotContains(t, stdout, "\n0\n")
	require.Contains(t, stderr, "limpet: steps limit of 100000 exceeded")
	require.Equal(t, 137, status)
	data, err := os.ReadFile(filepath.Join(dir, "f"))
	require.NoError(t, err)
	require.Equal(t, "host\n", string(data))
	stdout, _, status = command(t, dir, "", "run", "--backend", "isolate", "--dir-rw", ".", "--mount", dir+":/m", "--json", "--timeout", "1s", "-c", "echo y > f; cat /m/f; sleep 1000")
	require.Equal(t, 124, status)
	require.Contains(t, stdout, `"stdout":"y\n"`)
	data, err = os.ReadFile(filepath.Join(dir, "f"))
	require.NoError(t, err)
	require.Equal(t, "y\n", string(data))
}

// TestHostRepl checks a session that is typed to another backend.
func TestHostRepl(t *testing.T) {
	t.Setenv(host.OptInName, host.OptInValue)
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	for input, want := range map[string]struct {
		stdout string
		status int
	}{
		"x=5\nmkdir d; cd d\nfor i in 1 2; do\necho $i $x\ndone\n":           {"1 5\n2 5\n", 0},
		"false\necho $?\nnosuch\n":                                           {"1\n", 127},
		"cat\nnot for cat\nexit 4\necho never\n":                             {"", 4},
		"(exit 7)\nexit\n":                                                   {"", 7},
		":help\n:quit\necho never\n":                                         {":help lists these commands, :quit ends the session\n", 0},
		"echo a > f\ncat f; basename \"$PWD\" | tr -d 0-9a-f; cd /\npwd\n\n": {"a\n\n/\n", 0},
	} {
		stdout, _, status := command(t, t.TempDir(), input, "repl", "--backend", "host", "--history", "")
		require.Equal(t, want.stdout, stdout, input)
		require.Equal(t, want.status, status, input)
	}
}

// TestSecretFlag checks that the value of a variable of the host reaches scripts, and no
// model.
func TestSecretFlag(t *testing.T) {
	t.Setenv("HOST_SECRET", "a-long-secret")
	stdout, _, _ := command(t, t.TempDir(), "", "run", "--secret", "KEY=HOST_SECRET", "-c", "echo $KEY")
	require.Equal(t, "a-long-secret\n", stdout)
	c := serveStdio(t, "mcp", "--secret", "HOST_SECRET")
	out, _ := c.call("bash", map[string]any{"command": "echo ${#HOST_SECRET} $HOST_SECRET"})
	require.Equal(t, "13 [secret HOST_SECRET]\n", out["stdout"])
	c.close()
	for args, want := range map[string]string{"--secret NONE_SUCH": "the variable NONE_SUCH is not set", "--secret =X": "want NAME", "--backend koyeb --secret HOST_SECRET": "the backend koyeb has no --secret"} {
		_, stderr, status := command(t, t.TempDir(), "", append(append([]string{"run"}, strings.Fields(args)...), "-c", ":")...)
		require.Equal(t, statusUsage, status)
		require.Contains(t, stderr, want)
	}
}

// TestHostMCP checks the tools of another backend over MCP.
func TestHostMCP(t *testing.T) {
	t.Setenv(host.OptInName, host.OptInValue)
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	for _, background := range []bool{false, true} {
		c := serveStdio(t, append([]string{"mcp", "--backend", "host"}, map[bool][]string{true: {"--background"}}[background]...)...)
		require.Equal(t, background, slices.Contains(c.tools(), "process_start"))
		out, failed := c.call("bash", map[string]any{"command": "cd /; x=1; exit 3"})
		require.False(t, failed)
		require.EqualValues(t, 3, out["returncode"])
		out, _ = c.call("bash", map[string]any{"command": "echo $PWD $x"})
		require.Equal(t, "/ 1\n", out["stdout"])
		c.call("write_file", map[string]any{"path": "f", "content": "made by a tool\n"})
		out, _ = c.call("read_file", map[string]any{"path": "f"})
		require.Equal(t, "made by a tool\n", out["content"])
		c.close()
		left, err := filepath.Glob(os.Getenv("XDG_CACHE_HOME") + "/limpet/host*/*")
		require.NoError(t, err)
		require.Empty(t, left)
	}
}

func TestDoctor(t *testing.T) {
	t.Setenv("DOCKER_HOST", "unix://"+t.TempDir()+"/none.sock")
	t.Setenv(host.OptInName, "")
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	require.NoError(t, reapAll(os.Stdout))
	var out bytes.Buffer
	ok, err := examine(&out)
	require.NoError(t, err)
	require.True(t, ok)
	require.Regexp(t, `(?m)^shell +works +in this program$`, out.String())
	require.Regexp(t, `(?m)^isolate +works +in a process of its own$`, out.String())
	require.Regexp(t, `(?m)^host +does not work +.*set ALLOW_DANGEROUS_LOCAL_HOST=1`, out.String())
	require.Regexp(t, `(?m)^docker +does not work +no Docker engine can be reached`, out.String())
}
