package main

import (
	"bytes"
	"os"
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
		"--backend nowhere -c true":              `--backend "nowhere": want shell, docker, host or koyeb`,
		"--backend host --dir . -c true":         "the backend host has no --dir",
		"--backend docker --limit x=1 -c true":   "the backend docker has no --limit",
		"--backend docker --workspace / -c :":    "the backend docker has no --workspace",
		"--backend koyeb --network all -c true":  "no token for Koyeb",
		"--image x -c true":                      "the backend shell has no --image",
		"--backend host --network all -c true":   "the backend host has no --network",
		"--backend host -c true":                 host.ErrNotAllowed.Error(),
		"--backend docker --network a.b -c true": "LocalDockerSandbox enforces the network policies none and all",
	} {
		_, stderr, status := command(t, t.TempDir(), "", append([]string{"run"}, strings.Fields(args)...)...)
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
	require.Regexp(t, `(?m)^host +does not work +.*set ALLOW_DANGEROUS_LOCAL_HOST=1`, out.String())
	require.Regexp(t, `(?m)^docker +does not work +no Docker engine can be reached`, out.String())
}
