package mcp_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// patience is a guard against hangs.
const patience = 30 * time.Second

// A client speaks JSON-RPC by itself: nothing of it is of the library that the server
// is made of.
type client struct {
	t    *testing.T
	send func(ctx context.Context, message map[string]any) error

	mu      sync.Mutex
	next    int
	waiting map[int]chan message
	notes   chan message
}

type message struct {
	ID     *int            `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  *struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	} `json:"error"`
}

func newClient(t *testing.T) *client {
	return &client{t: t, waiting: map[int]chan message{}, notes: make(chan message, 1000)}
}

// receive takes a message of the server.
func (c *client) receive(data []byte) {
	var m message
	if err := json.Unmarshal(data, &m); err != nil {
		c.t.Errorf("%q: %v", data, err)
		return
	}
	if m.Method != "" {
		c.notes <- m
		return
	}
	c.mu.Lock()
	ch := c.waiting[*m.ID]
	delete(c.waiting, *m.ID)
	c.mu.Unlock()
	if ch == nil {
		c.t.Errorf("an answer to nothing: %s", data)
		return
	}
	ch <- m
}

// start sends a request and returns its number and where the answer will come.
func (c *client) start(ctx context.Context, method string, params any) (int, chan message) {
	c.mu.Lock()
	c.next++
	id, ch := c.next, make(chan message, 1)
	c.waiting[id] = ch
	c.mu.Unlock()
	if err := c.send(ctx, map[string]any{"jsonrpc": "2.0", "id": id, "method": method, "params": params}); err != nil && ctx.Err() == nil {
		c.t.Errorf("%s: %v", method, err)
	}
	return id, ch
}

// request sends a request and returns the answer.
func (c *client) request(method string, params any) message {
	c.t.Helper()
	_, ch := c.start(c.t.Context(), method, params)
	select {
	case m := <-ch:
		return m
	case <-time.After(patience):
		require.FailNow(c.t, "no answer", method)
		return message{}
	}
}

// A result is that of tools/call.
type result struct {
	Content []struct {
		Type, Text, Data, MIMEType string
	} `json:"content"`
	Structured map[string]any `json:"structuredContent"`
	IsError    bool           `json:"isError"`
}

// call calls a tool.
func (c *client) call(name string, args map[string]any) result {
	c.t.Helper()
	m := c.request("tools/call", map[string]any{"name": name, "arguments": args})
	require.Nil(c.t, m.Error, "%s: %+v", name, m.Error)
	var r result
	require.NoError(c.t, json.Unmarshal(m.Result, &r))
	return r
}

// ok calls a tool that must succeed.
func (c *client) ok(name string, args map[string]any) map[string]any {
	c.t.Helper()
	r := c.call(name, args)
	require.False(c.t, r.IsError, "%s: %+v", name, r.Content)
	return r.Structured
}

// hello begins a session as revision 2025-11-25 has it.
func (c *client) hello() {
	c.t.Helper()
	m := c.request("initialize", map[string]any{
		"protocolVersion": "2025-11-25", "capabilities": map[string]any{}, "clientInfo": map[string]any{"name": "test", "version": "1"},
	})
	require.Nil(c.t, m.Error)
	var r struct{ ProtocolVersion, Instructions string }
	require.NoError(c.t, json.Unmarshal(m.Result, &r))
	require.Equal(c.t, "2025-11-25", r.ProtocolVersion)
	require.Contains(c.t, r.Instructions, "The workspace is /workspace")
	require.NoError(c.t, c.send(c.t.Context(), map[string]any{"jsonrpc": "2.0", "method": "notifications/initialized"}))
}

// overStdio returns a client that writes lines to w and reads them from r.
func overStdio(t *testing.T, r io.Reader, w io.Writer) *client {
	c := newClient(t)
	var mu sync.Mutex
	c.send = func(_ context.Context, m map[string]any) error {
		data, err := json.Marshal(m)
		if err != nil {
			return err
		}
		mu.Lock()
		defer mu.Unlock()
		_, err = w.Write(append(data, '\n'))
		return err
	}
	go func() {
		s := bufio.NewScanner(r)
		s.Buffer(nil, 64<<20)
		for s.Scan() {
			c.receive(s.Bytes())
		}
	}()
	return c
}

// overHTTP returns a client that posts. The version of the protocol is in the headers.
func overHTTP(t *testing.T, url, token string) *client {
	c := newClient(t)
	hc := &http.Client{}
	t.Cleanup(hc.CloseIdleConnections)
	session := ""
	c.send = func(ctx context.Context, m map[string]any) error {
		data, err := json.Marshal(m)
		if err != nil {
			return err
		}
		c.mu.Lock()
		req, err := c.post(ctx, url, token, session, data)
		c.mu.Unlock()
		if err != nil {
			return err
		}
		res, err := hc.Do(req)
		if err != nil {
			return err
		}
		if res.StatusCode >= 400 {
			body, _ := io.ReadAll(res.Body)
			res.Body.Close()
			return fmt.Errorf("%s: %s", res.Status, body)
		}
		c.mu.Lock()
		if id := res.Header.Get("Mcp-Session-Id"); id != "" {
			session = id
		}
		c.mu.Unlock()
		done := make(chan struct{})
		go func() {
			defer close(done)
			defer res.Body.Close()
			c.read(res)
		}()
		if m["method"] == "initialize" || m["id"] == nil {
			<-done
		}
		return nil
	}
	return c
}

func (c *client) post(ctx context.Context, url, token, session string, data []byte) (*http.Request, error) {
	req, err := http.NewRequestWithContext(ctx, "POST", url, bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	req.Header.Set("Authorization", "Bearer "+token)
	if session != "" {
		req.Header.Set("Mcp-Session-Id", session)
		req.Header.Set("MCP-Protocol-Version", "2025-11-25")
	}
	return req, nil
}

// read takes the messages of a response: one, or a stream of events.
func (c *client) read(res *http.Response) {
	if !strings.HasPrefix(res.Header.Get("Content-Type"), "text/event-stream") {
		if body, err := io.ReadAll(res.Body); err == nil && len(bytes.TrimSpace(body)) > 0 {
			c.receive(body)
		}
		return
	}
	s := bufio.NewScanner(res.Body)
	s.Buffer(nil, 64<<20)
	for s.Scan() {
		if data, ok := strings.CutPrefix(s.Text(), "data: "); ok && data != "" {
			c.receive([]byte(data))
		}
	}
}
