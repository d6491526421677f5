package mcp_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/limpet-sh/limpet"
	"github.com/limpet-sh/limpet/tools"
	"github.com/limpet-sh/limpet/tools/mcp"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

// TestMain fails when a test has left a goroutine behind.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func server(t *testing.T, cfg mcp.Config) *mcp.Server {
	t.Helper()
	if cfg.Open == nil {
		cfg.Open = func(context.Context) (limpet.Sandbox, error) { return limpet.New(limpet.Config{Background: true}) }
	}
	s, err := mcp.New(t.Context(), cfg)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s
}

// stdio starts a server for one client.
func stdio(t *testing.T, cfg mcp.Config) *client {
	s := server(t, cfg)
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	ended := make(chan error, 1)
	go func() { ended <- s.ServeStdio(context.Background(), inR, outW) }()
	t.Cleanup(func() {
		_ = inW.Close()
		select {
		case <-ended:
		case <-time.After(patience):
			t.Error("the server goes on without its client")
		}
		_ = outW.Close()
	})
	return overStdio(t, outR, inW)
}

const token = "secret-token"

// web starts a server for many clients and returns its address.
func web(t *testing.T, cfg mcp.Config) (*mcp.Server, string) {
	s := server(t, cfg)
	h := httptest.NewServer(s.Handler(token))
	t.Cleanup(func() {
		require.NoError(t, s.Close()) // so that streams end
		h.Close()
	})
	return s, h.URL
}

func m(pairs ...any) map[string]any {
	out := map[string]any{}
	for i := 0; i < len(pairs); i += 2 {
		out[pairs[i].(string)] = pairs[i+1]
	}
	return out
}

// Every tool, by a client that is not the library's, over both transports.
func TestEveryTool(t *testing.T) {
	t.Run("stdio", func(t *testing.T) { driveAll(t, stdio(t, mcp.Config{})) })
	t.Run("http", func(t *testing.T) {
		_, url := web(t, mcp.Config{})
		driveAll(t, overHTTP(t, url, token))
	})
}

func driveAll(t *testing.T, c *client) {
	c.hello()
	var listed struct {
		Tools []struct {
			Name                      string
			InputSchema, OutputSchema *jsonschema.Schema
			Annotations               map[string]any
		}
	}
	require.NoError(t, json.Unmarshal(c.request("tools/list", m()).Result, &listed))
	used := map[string]bool{}
	ok := func(name string, pairs ...any) map[string]any {
		t.Helper()
		used[name] = true
		out := c.ok(name, m(pairs...))
		i := slices.IndexFunc(listed.Tools, func(tool struct {
			Name                      string
			InputSchema, OutputSchema *jsonschema.Schema
			Annotations               map[string]any
		}) bool {
			return tool.Name == name
		})
		require.GreaterOrEqual(t, i, 0, name)
		resolved, err := listed.Tools[i].OutputSchema.Resolve(nil)
		require.NoError(t, err)
		require.NoError(t, resolved.Validate(out), "%s: %v", name, out)
		return out
	}
	ok("write_file", "path", "d/f.txt", "content", "one\ntwo é\n")
	require.Equal(t, "one\ntwo é\n", ok("read_file", "path", "d/f.txt")["content"])
	ok("edit", "file_path", "d/f.txt", "old_string", "one", "new_string", "ONE")
	ok("apply_patch", "patch", "*** Begin Patch\n*** Update File: d/f.txt\n ONE\n-two é\n+two\n*** End Patch")
	require.Equal(t, "ONE\ntwo\n", ok("bash", "command", "cat d/f.txt; x=1; cd d")["stdout"])
	require.Equal(t, "1 /workspace/d\n", ok("bash", "command", "echo $x $PWD")["stdout"])
	require.Len(t, ok("ls")["entries"], 1)
	require.Equal(t, []any{"d/f.txt"}, ok("glob", "pattern", "**/*.txt")["files"])
	require.EqualValues(t, 1, ok("grep", "pattern", "tw.")["match_count"])
	point := ok("checkpoint")["checkpointId"]
	require.Equal(t, []any{m("path", "/workspace/d/g", "change", "created")}, ok("fork", "command", "echo > g")["changes"])
	ok("bash", "command", "rm f.txt")
	require.Equal(t, []any{m("path", "/workspace/d/f.txt", "change", "removed")}, ok("changes", "since", point)["changes"])
	ok("restore", "checkpointId", point)
	require.Equal(t, "f.txt\n", ok("bash", "command", "ls")["stdout"])
	id := ok("process_start", "command", "read x; echo got $x; sleep 1000")["processId"]
	ok("process_write", "processId", id, "text", "in\n")
	require.Equal(t, "got in\n", ok("process_output", "processId", id, "waitMs", 10000)["output"])
	require.Len(t, ok("process_list")["processes"], 1)
	require.Equal(t, "stopped", ok("process_stop", "processId", id)["status"])
	other := ok("sandbox_open")["sandbox_id"]
	require.Equal(t, "none\n", ok("bash", "command", "ls | grep . || echo none", "sandbox_id", other)["stdout"])
	ok("sandbox_close", "sandbox_id", other)
	require.Contains(t, c.call("bash", m("command", "true", "sandbox_id", other)).Content[0].Text, "open one with sandbox_open")
	for _, tool := range listed.Tools {
		require.True(t, used[tool.Name], tool.Name)
		require.Contains(t, tool.Annotations, "readOnlyHint")
		require.Equal(t, "object", tool.InputSchema.Type)
	}

	r := c.call("read_file", m("path", "nope"))
	require.True(t, r.IsError)
	require.Contains(t, r.Content[0].Text, "File not found at: nope")
	r = c.call("bash", m("command", "true", "timeout_seconds", 0))
	require.True(t, r.IsError, "arguments that are wrong are for the model to see")
	require.NotNil(t, c.request("tools/call", m("name", "nothing", "arguments", m())).Error)
	c.ok("bash", m("command", "printf '\\x89PNG\\r\\n\\x1a\\n' > /workspace/p.png"))
	r = c.call("read_file", m("path", "p.png", "encoding", "base64"))
	require.Equal(t, "image", r.Content[0].Type)
	require.Equal(t, base64.StdEncoding.EncodeToString([]byte("\x89PNG\r\n\x1a\n")), r.Content[0].Data)
	var file struct {
		Contents []struct{ Text, Blob, MimeType string }
	}
	require.NoError(t, json.Unmarshal(c.request("resources/read", m("uri", "sandbox://self/workspace/d/f.txt")).Result, &file))
	require.Equal(t, "ONE\ntwo\n", file.Contents[0].Text)
	require.NoError(t, json.Unmarshal(c.request("resources/read", m("uri", "sandbox://self/workspace/p.png")).Result, &file))
	require.Equal(t, "image/png", file.Contents[0].MimeType)
	require.NotNil(t, c.request("resources/read", m("uri", "sandbox://self/etc/passwd")).Error)

	progressAndCancel(t, c)
}

// A client sees what a command prints while it runs, and can end it.
func progressAndCancel(t *testing.T, c *client) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	id, answer := c.start(ctx, "tools/call", m("name", "bash", "arguments", m("command", "echo working; echo on > /workspace/state; sleep 1000; echo off > /workspace/state"), "_meta", m("progressToken", "tok")))
	select {
	case n := <-c.notes:
		require.Equal(t, "notifications/progress", n.Method)
		var p struct {
			ProgressToken, Message string
			Progress               float64
		}
		require.NoError(t, json.Unmarshal(n.Params, &p))
		require.Equal(t, "tok", p.ProgressToken)
		require.Equal(t, "working\n", p.Message)
		require.Positive(t, p.Progress)
	case <-answer:
		require.FailNow(t, "an answer before any progress")
	case <-time.After(patience):
		require.FailNow(t, "no progress")
	}
	require.NoError(t, c.send(t.Context(), map[string]any{"jsonrpc": "2.0", "method": "notifications/cancelled", "params": m("requestId", id, "reason", "enough")}))
	// The next command of the session can only run when the other has ended.
	require.Equal(t, "on\n", c.ok("bash", m("command", "cat /workspace/state"))["stdout"])
}

// Clients have sandboxes of their own, which end with them.
func TestClientsAreApart(t *testing.T) {
	s, url := web(t, mcp.Config{})
	a, b := overHTTP(t, url, token), overHTTP(t, url, token)
	a.hello()
	b.hello()
	a.ok("bash", m("command", "echo secret > f; x=1"))
	require.Equal(t, "|\n", b.ok("bash", m("command", "cat f 2>/dev/null; echo \"$x|\""))["stdout"])
	id := a.ok("process_start", m("command", "sleep 1000"))["processId"]
	require.True(t, b.call("process_stop", m("processId", id)).IsError)
	require.Equal(t, 2, s.Sandboxes())
}

// Without a session there is nothing to tell clients apart by: a sandbox is named.
func TestWithoutSession(t *testing.T) {
	_, url := web(t, mcp.Config{})
	c := overHTTP(t, url, token)
	meta := m("io.modelcontextprotocol/protocolVersion", "2026-07-28", "io.modelcontextprotocol/clientInfo", m("name", "test", "version", "1"), "io.modelcontextprotocol/clientCapabilities", m())
	call := func(name string, args map[string]any) result {
		t.Helper()
		body, err := json.Marshal(m("jsonrpc", "2.0", "id", 1, "method", "tools/call", "params", m("name", name, "arguments", args, "_meta", meta)))
		require.NoError(t, err)
		req, err := c.post(t.Context(), url, token, "", body)
		require.NoError(t, err)
		req.Header.Set("MCP-Protocol-Version", "2026-07-28")
		req.Header.Set("Mcp-Method", "tools/call")
		req.Header.Set("Mcp-Name", name)
		hc := &http.Client{}
		defer hc.CloseIdleConnections()
		res, err := hc.Do(req)
		require.NoError(t, err)
		defer res.Body.Close()
		raw, err := io.ReadAll(res.Body)
		require.NoError(t, err)
		require.Equal(t, http.StatusOK, res.StatusCode, "%s", raw)
		text := string(raw)
		if _, after, ok := strings.Cut(text, "data: "); ok {
			text, _, _ = strings.Cut(after, "\n")
		}
		var got message
		require.NoError(t, json.Unmarshal([]byte(text), &got), "%s", raw)
		require.Nil(t, got.Error, "%s", raw)
		var r result
		require.NoError(t, json.Unmarshal(got.Result, &r))
		return r
	}
	r := call("bash", m("command", "true"))
	require.True(t, r.IsError)
	require.Contains(t, r.Content[0].Text, "sandbox_id is required")
	id := call("sandbox_open", m()).Structured["sandbox_id"]
	call("bash", m("command", "cd /tmp; y=2", "sandbox_id", id))
	require.Equal(t, "/tmp 2\n", call("bash", m("command", "echo $PWD $y", "sandbox_id", id)).Structured["stdout"])
}

func TestToken(t *testing.T) {
	_, url := web(t, mcp.Config{})
	for _, header := range []string{"", "Bearer", "Bearer ", "Bearer wrong", "Basic " + token, "bearer-" + token} {
		req, err := http.NewRequestWithContext(t.Context(), "POST", url, strings.NewReader("{}"))
		require.NoError(t, err)
		req.Header.Set("Authorization", header)
		res, err := http.DefaultClient.Do(req)
		require.NoError(t, err)
		res.Body.Close()
		require.Equal(t, http.StatusUnauthorized, res.StatusCode, header)
	}
	http.DefaultClient.CloseIdleConnections()
}

func TestSandboxesAreBounded(t *testing.T) {
	s, url := web(t, mcp.Config{Most: 2, Idle: 200 * time.Millisecond})
	c := overHTTP(t, url, token)
	c.hello()
	first := c.ok("sandbox_open", m())["sandbox_id"]
	c.ok("sandbox_open", m())
	require.Contains(t, c.call("sandbox_open", m()).Content[0].Text, "there are 2 sandboxes already")
	c.ok("bash", m("command", "sleep 0.5", "sandbox_id", first))
	require.Eventually(t, func() bool { return s.Sandboxes() == 0 }, patience, 10*time.Millisecond, "those that nobody uses are closed")
}

func TestWhatIsConfigured(t *testing.T) {
	c := stdio(t, mcp.Config{
		Tools: tools.Config{Disabled: []string{"process.*", "snapshot.*", "apply_patch"}},
		Open: func(context.Context) (limpet.Sandbox, error) {
			return limpet.New(limpet.Config{Access: limpet.AccessFiles})
		},
	})
	c.hello()
	var listed struct{ Tools []struct{ Name string } }
	require.NoError(t, json.Unmarshal(c.request("tools/list", m()).Result, &listed))
	var names []string
	for _, tool := range listed.Tools {
		names = append(names, tool.Name)
	}
	slices.Sort(names)
	require.Equal(t, []string{"edit", "glob", "grep", "ls", "read_file", "sandbox_close", "sandbox_open", "write_file"}, names)
}

// Many sessions at the same time.
func TestManySessions(t *testing.T) {
	s, url := web(t, mcp.Config{})
	const sessions, calls = 50, 20
	var wait sync.WaitGroup
	for i := range sessions {
		wait.Go(func() {
			c := overHTTP(t, url, token)
			c.hello()
			for j := range calls {
				out := c.ok("bash", m("command", fmt.Sprintf("n=$((n + 1)); echo %d $n >> f; tail -n 1 f", i)))
				if want := fmt.Sprintf("%d %d\n", i, j+1); out["stdout"] != want {
					t.Errorf("%v, want %q", out, want)
				}
			}
		})
	}
	wait.Wait()
	require.Equal(t, sessions, s.Sandboxes())
}

// The tools of another server are commands: with help, pipes and errors.
func TestMount(t *testing.T) {
	far := sdk.NewServer(&sdk.Implementation{Name: "far", Version: "1"}, nil)
	type in struct {
		A int    `json:"a" jsonschema:"the first number"`
		B int    `json:"b,omitempty"`
		S string `json:"s,omitempty"`
	}
	sdk.AddTool(far, &sdk.Tool{Name: "add", Description: "Adds numbers."}, func(_ context.Context, _ *sdk.CallToolRequest, i in) (*sdk.CallToolResult, map[string]int, error) {
		if i.A < 0 {
			return nil, nil, errors.New("no debts")
		}
		return nil, map[string]int{"sum": i.A + i.B}, nil
	})
	sdk.AddTool(far, &sdk.Tool{Name: "say", Description: "Says it."}, func(_ context.Context, _ *sdk.CallToolRequest, i in) (*sdk.CallToolResult, any, error) {
		return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: "said " + i.S}}}, nil, nil
	})
	sdk.AddTool(far, &sdk.Tool{Name: "wait", Description: "Waits."}, func(ctx context.Context, _ *sdk.CallToolRequest, _ in) (*sdk.CallToolResult, any, error) {
		<-ctx.Done()
		return nil, nil, ctx.Err()
	})
	near, there := sdk.NewInMemoryTransports()
	served, err := far.Connect(t.Context(), there, nil)
	require.NoError(t, err)
	session, err := sdk.NewClient(&sdk.Implementation{Name: "near", Version: "1"}, nil).Connect(t.Context(), near, nil)
	require.NoError(t, err)
	defer func() {
		require.NoError(t, session.Close())
		_ = served.Wait() // its client has left
	}()
	var logged []string
	commands, err := mcp.Mount(t.Context(), "far", session, func(f *tools.Function) {
		f.Timeout = 30 * time.Second
		if strings.HasSuffix(f.Name, "wait") {
			f.Timeout = 50 * time.Millisecond
		}
		f.Log = func(c tools.FunctionCall) { logged = append(logged, string(c.Arguments)) }
	})
	require.NoError(t, err)
	sh, err := limpet.New(limpet.Config{Extra: commands})
	require.NoError(t, err)
	defer func() { require.NoError(t, sh.Close()) }()
	for script, want := range map[string]string{
		"/mcp/far/add --a 2 --b 3 | jq .sum":                        "0 5\n",
		`for i in 1 2 3; do echo "{\"a\":$i}" | /mcp/far/add; done`: "0 {\"sum\":1}\n{\"sum\":2}\n{\"sum\":3}\n",
		"ls /mcp/far":                          "0 add\nsay\nwait\n",
		"/mcp/far/say --a 1 --s 'a b' | jq -r": "0 said a b\n",
		"/mcp/far/add --a -1":                  "1 add: no debts\n",
		"/mcp/far/add --a x":                   "2 add: --a should be a valid integer, not a string\n",
		"/mcp/far/wait --a 1":                  "124 wait: timed out after 50ms",
	} {
		res, err := sh.Exec(t.Context(), limpet.Request{Script: script})
		require.NoError(t, err)
		require.Contains(t, fmt.Sprintf("%d %s%s", res.Status, res.Stdout, res.Stderr), want, script)
	}
	require.Contains(t, logged, `{"a":2,"b":3}`)
	_, err = mcp.Mount(t.Context(), "a/b", session, nil)
	require.ErrorContains(t, err, "no name for a directory")
}
