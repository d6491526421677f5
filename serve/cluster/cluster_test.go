package cluster

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"io"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/limpet-sh/limpet/client"
	"github.com/limpet-sh/limpet/serve"
	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/stretchr/testify/require"
)

// A machine is a node that clients can reach.
type machine struct {
	*Node
	http   *httptest.Server
	client client.Client
}

// start starts NATS, with what it keeps in a directory that the test removes.
func start(t *testing.T) *server.Server {
	s, err := server.NewServer(&server.Options{JetStream: true, StoreDir: t.TempDir(), Port: -1, NoSigs: true, NoLog: true})
	require.NoError(t, err)
	s.Start()
	require.True(t, s.ReadyForConnections(30*time.Second))
	t.Cleanup(func() {
		s.Shutdown()
		s.WaitForShutdown()
	})
	return s
}

func join(t *testing.T, s *server.Server) *machine {
	conn, err := nats.Connect(s.ClientURL(), nats.NoReconnect())
	require.NoError(t, err)
	t.Cleanup(conn.Close)
	store, err := Open(t.Context(), conn, 2*time.Second)
	require.NoError(t, err)
	back, err := serve.New(serve.Config{Store: store, Clients: []serve.Client{{Name: "ada", Token: "one"}}})
	require.NoError(t, err)
	n, err := Join(store, back, 0)
	require.NoError(t, err)
	h := httptest.NewServer(n)
	t.Cleanup(h.Close)
	return &machine{Node: n, http: h, client: client.Client{URL: h.URL, Token: "one", HTTP: h.Client()}}
}

// owned makes sessions until one is owned by a machine.
func owned(t *testing.T, by *machine) string {
	for range 100 {
		s, err := by.client.Create(t.Context(), client.Spec{})
		require.NoError(t, err)
		owner, _, err := by.store.owner(t.Context(), "ada."+s.ID)
		require.NoError(t, err)
		if owner == by.store.id {
			return s.ID
		}
	}
	t.Fatal("no session was made there")
	return ""
}

func run(t *testing.T, m *machine, id, script string) string {
	res, err := m.client.Exec(t.Context(), id, client.Request{Script: script})
	require.NoError(t, err)
	return res.Stdout + res.Stderr
}

func TestWorkers(t *testing.T) {
	ctx := t.Context()
	broker := start(t)
	a, b := join(t, broker), join(t, broker)
	id := owned(t, a)

	// Whoever is asked, the owner answers.
	require.Empty(t, run(t, b, id, "x=1; echo one > f"))
	require.Equal(t, "1 one\n", run(t, a, id, "echo $x $(cat f)"))
	big := make([]byte, 700_000)
	_, err := rand.Read(big)
	require.NoError(t, err)
	require.NoError(t, b.client.WriteFile(ctx, id, "big", big))
	data, err := b.client.ReadFile(ctx, id, "big")
	require.NoError(t, err)
	require.True(t, bytes.Equal(big, data))
	_, err = b.client.ReadFile(ctx, id, "none")
	p, ok := errors.AsType[*client.Problem](err)
	require.True(t, ok, "%v", err)
	require.Equal(t, 404, p.Status)
	var out bytes.Buffer
	res, err := b.client.Stream(ctx, id, client.Request{Script: "seq 100000; exit 3"}, &out, io.Discard)
	require.NoError(t, err)
	require.Equal(t, 3, res.Status)
	require.Equal(t, 588895, out.Len())
	gone, cancel := context.WithCancel(ctx)
	_, err = b.client.Stream(gone, id, client.Request{Script: "echo begun; while :; do sleep 1; done"}, onWrite(cancel), io.Discard)
	require.ErrorIs(t, err, context.Canceled)
	require.Equal(t, "1\n", run(t, b, id, "echo $x"), "a script whose client has gone is ended")

	// A worker that dies loses the script that it ran, which is told, and nothing else.
	_, err = b.client.Stream(ctx, id, client.Request{ID: "fatal", Script: "x=2; echo two > f; echo begun; while :; do sleep 1; done"}, onWrite(a.store.conn.Close), io.Discard)
	p, ok = errors.AsType[*client.Problem](err)
	require.True(t, ok, "%v", err)
	require.Equal(t, client.TypeInterrupted, p.Type)
	s, err := b.client.Session(ctx, id)
	require.NoError(t, err)
	lastOne := s.Executions[len(s.Executions)-1]
	require.Equal(t, "fatal", lastOne.ID)
	require.Equal(t, client.Interrupted, lastOne.State)
	require.Equal(t, "1 one\n", run(t, b, id, "echo $x $(cat f)"))
	_, err = b.client.Exec(ctx, id, client.Request{ID: "fatal", Script: "true"})
	p, ok = errors.AsType[*client.Problem](err)
	require.True(t, ok, "%v", err)
	require.Equal(t, client.TypeRepeated, p.Type)

	// A worker that drains gives its sessions to others.
	c := join(t, broker)
	require.NoError(t, b.Drain(ctx))
	require.NoError(t, b.Close())
	require.Equal(t, "1 one\n", run(t, c, id, "echo $x $(cat f)"))
	list, err := c.client.Sessions(ctx)
	require.NoError(t, err)
	require.NotEmpty(t, list)
	require.NoError(t, c.Close())
	_ = a.Close() // it has no connection
}

// TestStale holds that a worker that was taken for dead cannot write any more.
func TestStale(t *testing.T) {
	ctx := t.Context()
	broker := start(t)
	a := join(t, broker)
	id := owned(t, a)
	require.Empty(t, run(t, a, id, "x=1"))
	a.store.stop() // its heart
	b := join(t, broker)
	require.Eventually(t, func() bool {
		owner, _, err := b.store.owner(ctx, "ada."+id)
		return err == nil && owner == ""
	}, 30*time.Second, 20*time.Millisecond)
	require.NoError(t, b.server.Hold(ctx, "ada."+id))
	r := httptest.NewRequestWithContext(ctx, "POST", "/v1/sessions/"+id+"/exec", bytes.NewReader([]byte(`{"script":"x=2"}`)))
	r.Header.Set("Authorization", "Bearer one")
	r.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	a.server.ServeHTTP(w, r)
	require.Equal(t, 503, w.Code, w.Body.String())
	require.Contains(t, w.Body.String(), client.TypeInterrupted)
	require.Equal(t, "1\n", run(t, b, id, "echo $x"))
	require.NoError(t, b.Close())
	_ = a.Close() // it counts as dead
}

// onWrite calls a function at the first write.
func onWrite(do func()) io.Writer { return &watched{do} }

type watched struct{ do func() }

func (w *watched) Write(data []byte) (int, error) {
	if w.do != nil {
		w.do()
		w.do = nil
	}
	return len(data), nil
}
