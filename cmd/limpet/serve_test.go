package main

import (
	"bufio"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/limpet-sh/limpet/client"
	"github.com/stretchr/testify/require"
)

// served starts limpet serve, and returns what kills it without a warning.
func served(t *testing.T, args ...string) (c *client.Client, end func(syscall.Signal)) {
	t.Helper()
	cmd := exec.Command(os.Args[0], append([]string{"serve", "--listen", "127.0.0.1:0"}, args...)...)
	cmd.Env = append(os.Environ(), "LIMPET_TEST_RUN=1", "LIMPET_SERVE_TOKEN=secret")
	errs, err := cmd.StderrPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	end = func(s syscall.Signal) {
		_ = cmd.Process.Signal(s)
		_ = cmd.Wait() // it was killed
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	r := bufio.NewReader(errs)
	line, err := r.ReadString('\n')
	require.NoError(t, err)
	url, ok := strings.CutPrefix(strings.TrimSpace(line), "limpet: serving at ")
	require.True(t, ok, line)
	go r.WriteTo(new(strings.Builder)) // until it ends
	return &client.Client{URL: url, Token: "secret"}, end
}

// TestServeSurvives holds that sessions are what they were when the server was killed, and that a
// script that was running is reported.
func TestServeSurvives(t *testing.T) {
	ctx := t.Context()
	dir := t.TempDir()
	c, end := served(t, "--data", dir)
	s, err := c.Create(ctx, client.Spec{})
	require.NoError(t, err)
	_, err = c.Exec(ctx, s.ID, client.Request{Script: "x=kept; echo kept > f"})
	require.NoError(t, err)
	begun, missed := make(chan struct{}), make(chan error)
	go func() {
		_, err := c.Stream(ctx, s.ID, client.Request{ID: "long", Script: "echo lost > f; echo begun; while :; do sleep 1; done"}, signalled{begun}, signalled{begun})
		missed <- err
	}()
	<-begun
	end(syscall.SIGKILL)
	require.Error(t, <-missed)

	c, end = served(t, "--data", dir)
	s, err = c.Session(ctx, s.ID)
	require.NoError(t, err)
	require.Equal(t, "long", s.Executions[1].ID)
	require.Equal(t, client.Interrupted, s.Executions[1].State)
	res, err := c.Exec(ctx, s.ID, client.Request{Script: "echo $x $(cat f)"})
	require.NoError(t, err)
	require.Equal(t, "kept kept\n", res.Stdout)
	_, err = c.Exec(ctx, s.ID, client.Request{ID: "long", Script: "true"})
	p, ok := errors.AsType[*client.Problem](err)
	require.True(t, ok, "%v", err)
	require.Equal(t, client.TypeRepeated, p.Type)

	_, errs, status := command(t, dir, "", "serve", "--data", dir)
	require.Equal(t, 2, status)
	require.Contains(t, errs, "sessions.db is in use by another process")
	end(syscall.SIGTERM)
	_, err = os.Stat(filepath.Join(dir, "sessions.db"))
	require.NoError(t, err)
}

// signalled closes a channel at the first write.
type signalled struct{ first chan struct{} }

func (s signalled) Write(data []byte) (int, error) {
	close(s.first)
	return len(data), nil
}

func TestServeRefuses(t *testing.T) {
	dir := t.TempDir()
	for want, args := range map[string][]string{
		"--remote allows it":           {"--listen", "0.0.0.0:0"},
		"want a size":                  {"--memory", "much"},
		"unknown field":                {"--clients", "clients.json"},
		"it is empty":                  {"--token-file", "empty"},
		"unknown profile":              {"--limits", "none"},
		"want HOST:PORT":               {"--listen", "8080"},
		"cannot read the network rule": {"--network-rules", "none"},
	} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, "clients.json"), []byte(`[{"name":"a","secret":"b"}]`), 0o600))
		require.NoError(t, os.WriteFile(filepath.Join(dir, "empty"), nil, 0o600))
		_, errs, status := command(t, dir, "", append([]string{"serve", "--data", dir}, args...)...)
		require.Equal(t, 2, status, args)
		require.Contains(t, errs, want)
	}
}

// TestServeGuide runs what docs/serve.md says of curl, with the curl of the sandbox.
func TestServeGuide(t *testing.T) {
	data, err := os.ReadFile("../../docs/serve.md")
	require.NoError(t, err)
	_, script, ok := strings.Cut(string(data), "## By hand\n\n```sh\n")
	require.True(t, ok)
	script, _, _ = strings.Cut(script, "```")
	c, _ := served(t, "--data", t.TempDir())
	port := c.URL[strings.LastIndexByte(c.URL, ':')+1:]
	script = strings.ReplaceAll(script, ":8080", ":"+port)
	script = strings.Replace(script, `"64M"}}' $url`, `"64M"}}' $url > made; ID=$(jq -r .id made)`, 1)
	script = "echo secret > token; echo 1,2 > data.csv\n" + strings.ReplaceAll(script, "/ID/", "/$ID/")
	out, errs, status := command(t, t.TempDir(), "", "run", "--allow-loopback", port, "-c", "set -e\n"+script)
	require.Zero(t, status, errs)
	for _, want := range []string{`"stdout":"hello\n"`, "event: stdout\ndata: {\"text\":\"1\\n", "event: result\n", `{"path":"/workspace/data.csv","kind":"created"}`} {
		require.Contains(t, out, want)
	}
}
