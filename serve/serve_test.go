package serve_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/limpet-sh/limpet/client"
	"github.com/limpet-sh/limpet/limits"
	"github.com/limpet-sh/limpet/netpolicy"
	"github.com/limpet-sh/limpet/serve"
	"github.com/stretchr/testify/require"
)

// start serves a store in a file until the test ends.
func start(t *testing.T, file string, with func(*serve.Config)) (*serve.Server, *client.Client) {
	store, err := serve.OpenFile(file)
	require.NoError(t, err)
	cfg := serve.Config{Store: store, Clients: []serve.Client{{Name: "ada", Token: "one"}, {Name: "bob", Token: "two", Sessions: 1, Executions: 1, Rate: 1000}}}
	if with != nil {
		with(&cfg)
	}
	s, err := serve.New(cfg)
	require.NoError(t, err)
	h := httptest.NewServer(s)
	t.Cleanup(func() {
		h.Close()
		require.NoError(t, s.Close())
	})
	return s, &client.Client{URL: h.URL, Token: "one", HTTP: h.Client()}
}

func store(t *testing.T) string { return filepath.Join(t.TempDir(), "sessions.db") }

// problem returns what the server said.
func problem(t *testing.T, err error) *client.Problem {
	p, ok := errors.AsType[*client.Problem](err)
	require.True(t, ok, "%v", err)
	return p
}

func TestSession(t *testing.T) {
	ctx := t.Context()
	_, c := start(t, store(t), nil)
	s, err := c.Create(ctx, client.Spec{
		Env: map[string]string{"WHO": "ada"}, Setup: "echo made > made",
		Files: []client.File{{Path: "in/a.bin", Content: []byte{0, 255}, Mode: 0o600}},
	})
	require.NoError(t, err)
	require.Equal(t, "/workspace", s.Dir)

	res, err := c.Exec(ctx, s.ID, client.Request{Script: `cat made; x=5; cd in; wc -c < a.bin; cat; echo "$WHO $1" >&2; printf '\377'; exit 3`, Args: []string{"arg"}, Stdin: []byte("in\n")})
	require.NoError(t, err)
	require.Equal(t, "made\n2\nin\n\xff", string(res.Out()))
	require.Equal(t, "ada arg\n", res.Stderr)
	require.Equal(t, 3, res.Status)
	require.Equal(t, "/workspace/in", res.Dir)

	var out, errs bytes.Buffer
	res, err = c.Stream(ctx, s.ID, client.Request{Script: `echo $x; pwd >&2; printf '\376\n'`}, &out, &errs)
	require.NoError(t, err)
	require.Equal(t, "5\n\xfe\n", out.String())
	require.Equal(t, "/workspace/in\n", errs.String())
	require.Zero(t, res.Status)

	require.NoError(t, c.WriteFile(ctx, s.ID, "new/file", []byte("text\n")))
	data, err := c.ReadFile(ctx, s.ID, "new/file")
	require.NoError(t, err)
	require.Equal(t, "text\n", string(data))
	_, err = c.ReadFile(ctx, s.ID, "none")
	require.Equal(t, http.StatusNotFound, problem(t, err).Status)
	list, err := c.ReadDir(ctx, s.ID, "/workspace")
	require.NoError(t, err)
	require.Len(t, list, 3)
	require.Equal(t, "directory", list[0].Kind)

	changes, err := c.Changes(ctx, s.ID, "")
	require.NoError(t, err)
	require.Equal(t, []client.Change{{Path: "/workspace/new", Kind: "created"}, {Path: "/workspace/new/file", Kind: "created"}}, changes)
	patch, err := c.Patch(ctx, s.ID, "")
	require.NoError(t, err)
	require.Contains(t, string(patch), "+text\n")
	require.NoError(t, c.Remove(ctx, s.ID, "/workspace/new"))

	s, err = c.Session(ctx, s.ID)
	require.NoError(t, err)
	require.Len(t, s.Executions, 2)
	require.Equal(t, client.Done, s.Executions[0].State)
	require.NoError(t, c.Delete(ctx, s.ID))
	_, err = c.Session(ctx, s.ID)
	require.Equal(t, http.StatusNotFound, problem(t, err).Status)
}

func TestSnapshotsAndForks(t *testing.T) {
	ctx := t.Context()
	_, c := start(t, store(t), nil)
	s, err := c.Create(ctx, client.Spec{})
	require.NoError(t, err)
	run := func(id, script string) string {
		res, err := c.Exec(ctx, id, client.Request{Script: script})
		require.NoError(t, err)
		return res.Stdout + res.Stderr
	}
	run(s.ID, "x=1; echo one > f; head -c 300000 /dev/urandom > big; sum=$(cksum < big)")
	snap, err := c.Snapshot(ctx, s.ID)
	require.NoError(t, err)
	fork, err := c.Fork(ctx, s.ID)
	require.NoError(t, err)
	run(s.ID, "x=2; echo two > f; rm big")
	require.Equal(t, "1 one\n", run(fork.ID, "echo $x $(cat f)"))
	changes, err := c.Changes(ctx, s.ID, snap.ID)
	require.NoError(t, err)
	require.Equal(t, []client.Change{{Path: "/workspace/big", Kind: "removed"}, {Path: "/workspace/f", Kind: "modified"}}, changes)

	data, err := c.Download(ctx, s.ID, snap.ID)
	require.NoError(t, err)
	copied, err := c.Create(ctx, client.Spec{State: data})
	require.NoError(t, err)
	require.NoError(t, c.Restore(ctx, s.ID, snap.ID))
	for _, id := range []string{s.ID, copied.ID} {
		require.Equal(t, "1 one same\n", run(id, `echo $x $(cat f) $([ "$sum" = "$(cksum < big)" ] && echo same)`))
	}
	require.NoError(t, c.RemoveSnapshot(ctx, s.ID, snap.ID))
	require.Equal(t, http.StatusNotFound, problem(t, c.Restore(ctx, s.ID, snap.ID)).Status)
	_, err = c.Create(ctx, client.Spec{State: []byte("no snapshot")})
	require.Equal(t, http.StatusUnprocessableEntity, problem(t, err).Status)
}

func TestRestart(t *testing.T) {
	ctx := t.Context()
	file := store(t)
	var id string
	t.Run("before", func(t *testing.T) {
		_, c := start(t, file, nil)
		s, err := c.Create(ctx, client.Spec{Background: true, Limits: map[string]string{"time": "5s"}})
		require.NoError(t, err)
		id = s.ID
		for i := range 3 { // each is more than fits beside the one before
			_, err = c.Exec(ctx, id, client.Request{Script: "i=$1; f() { echo f$i; }; head -c 400000 /dev/urandom > f$i; cksum f* > sums; cd /tmp", Args: []string{string(rune('0' + i))}, Dir: "/workspace"})
			require.NoError(t, err)
		}
		p, err := c.Start(ctx, id, client.ProcessRequest{ID: "tick", Command: "echo here; while :; do sleep 1; done"})
		require.NoError(t, err)
		require.Equal(t, "running", p.Status)
		o, err := c.Output(ctx, id, "tick", 0, 10)
		require.NoError(t, err)
		require.Equal(t, "here\n", string(o.Data()))
	})
	_, c := start(t, file, nil)
	res, err := c.Exec(ctx, id, client.Request{Script: "pwd; f; cd /workspace; cksum f* | cmp - sums && echo same"})
	require.NoError(t, err)
	require.Equal(t, "/tmp\nf2\nsame\n", res.Stdout+res.Stderr)
	list, err := c.Processes(ctx, id)
	require.NoError(t, err)
	require.Equal(t, "orphaned", list[0].Status)
	_, err = c.Output(ctx, id, "tick", 0, 0)
	require.Equal(t, http.StatusGone, problem(t, err).Status)
	res, err = c.Exec(ctx, id, client.Request{Script: "while :; do :; done", Timeout: 0.01})
	require.NoError(t, err)
	require.Equal(t, 124, res.Status)
}

// TestInterrupted holds that a script whose server died is reported, and not run again.
func TestInterrupted(t *testing.T) {
	ctx := t.Context()
	file := store(t)
	kept, err := serve.OpenFile(file)
	require.NoError(t, err)
	first, err := serve.New(serve.Config{Store: dying{kept}, Clients: []serve.Client{{Name: "ada", Token: "one"}}})
	require.NoError(t, err)
	h := httptest.NewServer(first)
	c := &client.Client{URL: h.URL, Token: "one", HTTP: h.Client()}
	s, err := c.Create(ctx, client.Spec{})
	require.NoError(t, err)
	_, err = c.Exec(ctx, s.ID, client.Request{ID: "fatal", Script: "echo done > f"})
	require.Equal(t, client.TypeInterrupted, problem(t, err).Type)
	h.Close()
	require.NoError(t, first.Close())

	_, c = start(t, file, nil)
	s, err = c.Session(ctx, s.ID)
	require.NoError(t, err)
	require.Nil(t, s.Running)
	require.Equal(t, client.Interrupted, s.Executions[0].State)
	_, err = c.Exec(ctx, s.ID, client.Request{ID: "fatal", Script: "echo done > f"})
	require.Equal(t, client.TypeRepeated, problem(t, err).Type)
	res, err := c.Exec(ctx, s.ID, client.Request{Script: "ls"})
	require.NoError(t, err)
	require.Empty(t, res.Stdout)
}

// A dying store keeps nothing of a script after the note that it runs.
type dying struct{ serve.Store }

func (d dying) Write(ctx context.Context, key string, data []byte, revision uint64) (uint64, error) {
	if bytes.Contains(data, []byte(`"State":"done"`)) || bytes.Contains(data, []byte(`"state":"done"`)) {
		return 0, errors.New("dead")
	}
	return d.Store.Write(ctx, key, data, revision)
}

func TestQuotasAndBounds(t *testing.T) {
	ctx := t.Context()
	hosts, err := netpolicy.Allow("example.com")
	require.NoError(t, err)
	_, c := start(t, store(t), func(cfg *serve.Config) { cfg.Limits, cfg.Network = limits.Hardened(), hosts })
	bob := *c
	bob.Token = "two"
	s, err := bob.Create(ctx, client.Spec{Network: []string{"example.com"}, Limits: map[string]string{"memory": "1M"}})
	require.NoError(t, err)
	_, err = bob.Create(ctx, client.Spec{})
	require.Equal(t, http.StatusTooManyRequests, problem(t, err).Status)
	_, err = c.Session(ctx, s.ID)
	require.Equal(t, http.StatusNotFound, problem(t, err).Status, "sessions of others cannot be seen")
	stranger := *c
	stranger.Token = "three"
	_, err = stranger.Sessions(ctx)
	require.Equal(t, http.StatusUnauthorized, problem(t, err).Status)
	for _, spec := range []client.Spec{
		{Profile: "default"}, {Limits: map[string]string{"memory": "1G"}}, {Limits: map[string]string{"time": "unlimited"}},
		{Network: []string{"all"}}, {Network: []string{"example.org"}}, {TTL: 1e9}, {Setup: "false"}, {Profile: "none"},
	} {
		_, err = c.Create(ctx, spec)
		require.Equal(t, http.StatusUnprocessableEntity, problem(t, err).Status, "%+v", spec)
	}
	list, err := bob.Sessions(ctx)
	require.NoError(t, err)
	require.Len(t, list, 1)

	begun, ended := make(chan struct{}), make(chan error)
	running, stop := context.WithCancel(ctx)
	go func() {
		_, err := bob.Stream(running, s.ID, client.Request{Script: "echo begun; while :; do sleep 1; done"}, onWrite(io.Discard, begun), io.Discard)
		ended <- err
	}()
	<-begun
	_, err = bob.Exec(ctx, s.ID, client.Request{Script: "true"})
	require.Equal(t, http.StatusTooManyRequests, problem(t, err).Status)
	stop()
	require.ErrorIs(t, <-ended, context.Canceled)
}

func TestExpiry(t *testing.T) {
	ctx := t.Context()
	_, c := start(t, store(t), func(cfg *serve.Config) { cfg.Idle = 10 * time.Millisecond })
	long, err := c.Create(ctx, client.Spec{})
	require.NoError(t, err)
	_, err = c.Exec(ctx, long.ID, client.Request{Script: "x=1"})
	require.NoError(t, err)
	short, err := c.Create(ctx, client.Spec{TTL: 0.05})
	require.NoError(t, err)
	gone := func() bool {
		list, err := c.Sessions(ctx)
		return err == nil && len(list) == 1 && list[0].ID != short.ID
	}
	require.Eventually(t, gone, 20*time.Second, 5*time.Millisecond)
	outside := func() bool { return strings.Contains(get(t, c, "/metrics"), "limpet_sessions_in_memory 0\n") }
	require.Eventually(t, outside, 20*time.Second, 5*time.Millisecond, "an idle session leaves the memory")
	res, err := c.Exec(ctx, long.ID, client.Request{Script: "echo $x"})
	require.NoError(t, err)
	require.Equal(t, "1\n", res.Stdout)
}

func get(t *testing.T, c *client.Client, path string) string {
	resp, err := c.HTTP.Get(c.URL + path)
	require.NoError(t, err)
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	return string(data)
}

func TestOperators(t *testing.T) {
	ctx := t.Context()
	s, c := start(t, store(t), nil)
	require.Equal(t, "ok\n", get(t, c, "/healthz"))
	made, err := c.Create(ctx, client.Spec{})
	require.NoError(t, err)
	require.Contains(t, get(t, c, "/metrics"), `limpet_requests_total{operation="create-session",status="201"} 1`)
	doc := get(t, c, "/openapi.json")
	for _, want := range []string{`"/v1/sessions/{id}/exec/stream"`, `"bearer"`, `"ProcessOutput"`, `"text/event-stream"`} {
		require.Contains(t, doc, want)
	}

	// A drain waits for what is under way, and ends it when its time is over.
	running := make(chan error)
	var out bytes.Buffer
	first := make(chan struct{})
	go func() {
		res, err := c.Stream(ctx, made.ID, client.Request{Script: "echo begun; while :; do sleep 1; done"}, onWrite(&out, first), io.Discard)
		if err == nil && res.Stopped == "" {
			err = errors.New("it was not stopped")
		}
		running <- err
	}()
	select {
	case <-first:
	case err := <-running:
		t.Fatal("ended early: ", err)
	}
	over, cancel := context.WithCancel(ctx)
	drained := make(chan struct{})
	go func() {
		s.Drain(over)
		close(drained)
	}()
	require.Eventually(t, func() bool { return strings.Contains(get(t, c, "/readyz"), "draining") }, 20*time.Second, time.Millisecond)
	_, err = c.Sessions(ctx)
	require.Equal(t, http.StatusServiceUnavailable, problem(t, err).Status)
	select {
	case <-drained:
		t.Fatal("drained although a script runs")
	default:
	}
	cancel()
	<-drained
	require.NoError(t, <-running)
}

// onWrite closes first when something is written.
func onWrite(w io.Writer, first chan struct{}) io.Writer { return &watched{w, first} }

type watched struct {
	io.Writer
	first chan struct{}
}

func (w *watched) Write(data []byte) (int, error) {
	if w.first != nil {
		close(w.first)
		w.first = nil
	}
	return w.Writer.Write(data)
}
