package main

import (
	"bufio"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"
)

// A stdioClient speaks the Model Context Protocol with limpet mcp, one request at a time.
type stdioClient struct {
	t    *testing.T
	cmd  *exec.Cmd
	in   io.WriteCloser
	out  *bufio.Reader
	next int
}

// serveStdio starts limpet with a command line, and a session with it.
func serveStdio(t *testing.T, args ...string) *stdioClient {
	t.Helper()
	c := &stdioClient{t: t, cmd: exec.Command(os.Args[0], args...)}
	c.cmd.Env = append(os.Environ(), "LIMPET_TEST_RUN=1")
	var err error
	c.in, err = c.cmd.StdinPipe()
	require.NoError(t, err)
	out, err := c.cmd.StdoutPipe()
	require.NoError(t, err)
	c.out = bufio.NewReader(out)
	require.NoError(t, c.cmd.Start())
	t.Cleanup(func() { _ = c.cmd.Process.Kill() })
	c.request("initialize", map[string]any{
		"protocolVersion": "2025-11-25", "capabilities": map[string]any{}, "clientInfo": map[string]any{"name": "test", "version": "1"},
	}, &struct{}{})
	c.send(map[string]any{"jsonrpc": "2.0", "method": "notifications/initialized"})
	return c
}

func (c *stdioClient) send(message any) {
	c.t.Helper()
	data, err := json.Marshal(message)
	require.NoError(c.t, err)
	_, err = c.in.Write(append(data, '\n'))
	require.NoError(c.t, err)
}

// request sends a request and decodes the answer.
func (c *stdioClient) request(method string, params, answer any) {
	c.t.Helper()
	c.next++
	c.send(map[string]any{"jsonrpc": "2.0", "id": c.next, "method": method, "params": params})
	var m struct {
		ID     int
		Result json.RawMessage
	}
	for m.ID != c.next {
		line, err := c.out.ReadBytes('\n')
		require.NoError(c.t, err)
		require.NoError(c.t, json.Unmarshal(line, &m))
	}
	require.NoError(c.t, json.Unmarshal(m.Result, answer))
}

// tools returns the names of the tools.
func (c *stdioClient) tools() (names []string) {
	c.t.Helper()
	var list struct{ Tools []struct{ Name string } }
	c.request("tools/list", map[string]any{}, &list)
	for _, tool := range list.Tools {
		names = append(names, tool.Name)
	}
	return names
}

// call calls a tool, and returns its structured content or, where it has failed, its
// error.
func (c *stdioClient) call(name string, args map[string]any) (out map[string]any, failed bool) {
	c.t.Helper()
	var r callResult
	c.request("tools/call", map[string]any{"name": name, "arguments": args}, &r)
	return r.told(c.t)
}

// A callResult is that of a call of a tool.
type callResult struct {
	StructuredContent map[string]any
	Content           []struct{ Text string }
	IsError           bool
}

// told returns the structured content or, where the call has failed, the error.
func (r *callResult) told(t *testing.T) (out map[string]any, failed bool) {
	t.Helper()
	if !r.IsError {
		return r.StructuredContent, false
	}
	var e struct {
		Result struct{ Error map[string]any }
	}
	if json.Unmarshal([]byte(r.Content[0].Text), &e) != nil { // one of the protocol's own tools
		e.Result.Error = map[string]any{"message": r.Content[0].Text}
	}
	return e.Result.Error, true
}

// close ends the session, and the program with it.
func (c *stdioClient) close() {
	c.t.Helper()
	require.NoError(c.t, c.in.Close())
	_, err := io.Copy(io.Discard, c.out)
	require.NoError(c.t, err)
	require.NoError(c.t, c.cmd.Wait())
}
