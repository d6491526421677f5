package koyebtest_test

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/limpet-sh/limpet/adapters/koyeb/koyebtest"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

// TestMain fails when a test has left a goroutine behind.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// A peer makes requests to a stand-in.
type peer struct {
	*testing.T
	url, bearer, key string
}

// ask makes a request and returns the status and the body.
func (p peer) ask(method, path, body string) (int, string) {
	p.Helper()
	req, err := http.NewRequestWithContext(p.Context(), method, p.url+path, strings.NewReader(body))
	require.NoError(p.T, err)
	req.Header.Set("Authorization", "Bearer "+p.bearer)
	req.Header.Set("X-Routing-Key", p.key)
	res, err := http.DefaultClient.Do(req)
	require.NoError(p.T, err)
	defer res.Body.Close()
	data, err := io.ReadAll(res.Body)
	require.NoError(p.T, err)
	return res.StatusCode, strings.TrimSuffix(string(data), "\n")
}

// start starts a stand-in with one sandbox, and returns who asks the control plane and
// who asks the executor.
func start(t *testing.T) (s *koyebtest.Server, control, executor peer) {
	s = &koyebtest.Server{}
	s.Start()
	t.Cleanup(func() {
		s.Close()
		http.DefaultClient.CloseIdleConnections()
	})
	control = peer{t, s.URL, koyebtest.Token, ""}
	status, body := control.ask("POST", "/v1/apps", `{"name":"a"}`)
	require.Equal(t, 200, status, body)
	status, body = control.ask("POST", "/v1/services", `{"app_id":"app-1","definition":{"type":"SANDBOX","env":[{"key":"SANDBOX_SECRET","value":"s3cret"}]},"life_cycle":{}}`)
	require.Equal(t, 200, status, body)
	status, body = control.ask("GET", "/v1/deployments/deployment-service-2", "")
	require.Equal(t, 200, status, body)
	var d struct {
		Deployment struct {
			Metadata struct {
				Sandbox struct {
					Key string `json:"routing_key"`
				}
			}
		}
	}
	require.NoError(t, json.Unmarshal([]byte(body), &d))
	return s, control, peer{t, s.URL + "/koyeb-sandbox", "s3cret", d.Deployment.Metadata.Sandbox.Key}
}

// The executor answers as the real one was seen to.
func TestExecutor(t *testing.T) {
	_, _, e := start(t)
	dir := t.TempDir()
	at := func(text string) string { return strings.ReplaceAll(text, "DIR", dir) }
	for _, c := range []struct {
		method, path, body string
		status             int
		want               string
	}{
		{"GET", "/nope", "", 404, "404 page not found"},
		{"POST", "/run", `{"cmd":"echo out; echo err >&2; exit 3","cwd":"/tmp","env":{"A":"b"}}`, 200, `{"code":3,"error":"Non-zero exit code","stderr":"err\n","stdout":"out\n"}`},
		{"GET", "/run", `{"cmd":"printf hi"}`, 200, `{"code":0,"stderr":"","stdout":"hi"}`},
		{"POST", "/run", `{"cmd":"kill -9 $$"}`, 200, `{"code":-1,"error":"Non-zero exit code","stderr":"","stdout":""}`},
		{"POST", "/run", `{oops`, 400, "Invalid request"},
		{"POST", "/run", `{"cmd":"true","cwd":"/nonexistent"}`, 400, "Invalid working directory: /nonexistent"},
		{"POST", "/run", `{"cmd":"printf '\\377A\\000B'"}`, 200, `{"code":0,"stderr":"","stdout":"\ufffdA\u0000B"}`},
		{"POST", "/write_file", `{"path":"DIR/a.txt","content":"h\u00e9llo"}`, 200, `{"success":true}`},
		{"POST", "/write_file", `{"path":"DIR/no/a","content":"x"}`, 200, `{"error":"open DIR/no/a: no such file or directory","success":false}`},
		{"POST", "/read_file", `{"path":"DIR/a.txt"}`, 200, `{"content":"héllo"}`},
		{"POST", "/read_file", `{"path":"DIR/none"}`, 200, `{"error":"open DIR/none: no such file or directory"}`},
		{"POST", "/read_file", `{"path":"DIR"}`, 200, `{"error":"read DIR: is a directory"}`},
		{"POST", "/make_dir", `{"path":"DIR/x/y"}`, 200, `{"success":true}`},
		{"POST", "/make_dir", `{"path":"DIR/a.txt"}`, 200, `{"error":"mkdir DIR/a.txt: not a directory","success":false}`},
		{"POST", "/list_dir", `{"path":"DIR"}`, 200, `{"entries":["a.txt","x"]}`},
		{"POST", "/list_dir", `{"path":"DIR/x/y"}`, 200, `{}`},
		{"POST", "/list_dir", `{"path":"DIR/none"}`, 200, `{"error":"open DIR/none: no such file or directory"}`},
		{"POST", "/delete_file", `{"path":"DIR/x"}`, 200, `{"error":"remove DIR/x: directory not empty","success":false}`},
		{"POST", "/delete_file", `{"path":"DIR/a.txt"}`, 200, `{"success":true}`},
		{"POST", "/delete_dir", `{"path":"DIR/x"}`, 200, `{"success":true}`},
		{"POST", "/delete_dir", `{"path":"DIR/x"}`, 200, `{"success":true}`},
		{"POST", "/bind_port", `{}`, 400, "Port is required"},
		{"POST", "/bind_port", `{"port":8099}`, 400, "Invalid request"},
		{"POST", "/bind_port", `{"port":"8099"}`, 200, `{"message":"Port binding configured","port":"8099","success":true}`},
		{"POST", "/bind_port", `{"port":"8098"}`, 409, `{"current_port":"8099","error":"Port already bound","success":false}`},
		{"POST", "/unbind_port", "", 200, `{"message":"Port binding removed","success":true}`},
		{"POST", "/run_streaming", `{"cmd":"printf 'x\\r\\n\\n\\ty\\nlast'; exit 4"}`, 200, "event: output\ndata: {\"data\":\"x\",\"stream\":\"stdout\"}\n\nevent: output\ndata: {\"data\":\"\",\"stream\":\"stdout\"}\n\n" +
			"event: output\ndata: {\"data\":\"\\ty\",\"stream\":\"stdout\"}\n\nevent: output\ndata: {\"data\":\"last\",\"stream\":\"stdout\"}\n\nevent: complete\ndata: {\"code\":4,\"error\":true}\n"},
		{"POST", "/run_streaming", `{"cmd":"true","cwd":"/nonexistent"}`, 400, "Invalid working directory: /nonexistent"},
		{"POST", "/start_process", `{}`, 400, "Command is required"},
		{"GET", "/start_process", `{}`, 405, "Method not allowed"},
		{"POST", "/list_processes", `{}`, 405, "Method not allowed"},
		{"GET", "/list_processes", "", 200, `{"processes":[]}`},
		{"POST", "/kill_process", `{}`, 400, "Process ID is required"},
		{"POST", "/kill_process", `{"id":"x"}`, 400, `{"error":"process not found: x","success":false}`},
		{"GET", "/process_logs_streaming", "", 400, "Process ID is required"},
		{"GET", "/process_logs_streaming?id=x", "", 200, "event: error\ndata: {\"error\":\"process not found: x\"}\n"},
	} {
		status, body := e.ask(c.method, c.path, at(c.body))
		require.Equal(t, c.status, status, "%s %s", c.path, c.body)
		require.Equal(t, at(c.want), body, "%s %s", c.path, c.body)
	}
	e.bearer = "wrong"
	status, body := e.ask("POST", "/run", `{"cmd":"true"}`)
	require.Equal(t, 401, status)
	require.Equal(t, "Unauthorized", body)
	e.bearer, e.key = "s3cret", "wrong"
	status, _ = e.ask("POST", "/run", `{"cmd":"true"}`)
	require.Equal(t, 404, status)
}

// A process has a status and lines of output, no exit code; to kill it kills its shell
// alone.
func TestProcesses(t *testing.T) {
	_, _, e := start(t)
	begin := func(cmd string) string {
		status, body := e.ask("POST", "/start_process", cmd)
		require.Equal(t, 201, status, body)
		var p struct{ ID string }
		require.NoError(t, json.Unmarshal([]byte(body), &p))
		return p.ID
	}
	id := begin(`{"cmd":"echo one; echo two >&2; echo three; exit 7"}`)
	_, logs := e.ask("GET", "/process_logs_streaming?id="+id, "")
	for _, part := range []string{`"data":"one"`, `"data":"two"`, `"data":"three"`, "event: complete\ndata: {\"message\":\"stream ended\"}"} {
		require.Contains(t, logs, part)
	}
	status, body := e.ask("POST", "/kill_process", `{"id":"`+id+`"}`)
	require.Equal(t, 400, status)
	require.Equal(t, `{"error":"process is not running (status: failed)","success":false}`, body)
	dir := t.TempDir()
	id = begin(`{"cwd":"` + dir + `","cmd":"(echo > up; while [ ! -e go ]; do sleep 0.05; done; echo alive > mark) & wait"}`)
	e.ask("POST", "/run", `{"cwd":"`+dir+`","cmd":"while [ ! -e up ]; do sleep 0.05; done"}`)
	_, body = e.ask("POST", "/kill_process", `{"id":"`+id+`"}`)
	require.Equal(t, `{"message":"Process killed successfully","success":true}`, body)
	_, body = e.ask("GET", "/list_processes", "")
	require.Contains(t, body, `"status":"killed"`)
	_, body = e.ask("POST", "/run", `{"cwd":"`+dir+`","cmd":": > go; while [ ! -s mark ]; do sleep 0.05; done; cat mark"}`)
	require.Contains(t, body, "alive", "its child goes on")
}

// Machines sleep, wake with the next request, and are deleted.
func TestLife(t *testing.T) {
	s, control, e := start(t)
	_, body := control.ask("GET", "/v1/services", "")
	require.Contains(t, body, `"status":"HEALTHY"`)
	begun, _ := e.ask("POST", "/start_process", `{"cmd":"sleep 1000"}`)
	require.Equal(t, 201, begun)
	require.NoError(t, s.Sleep())
	_, body = control.ask("GET", "/v1/services", "")
	require.Contains(t, body, `"status":"SLEEPING"`)
	status, _ := e.ask("GET", "/health", "")
	require.Equal(t, 503, status)
	_, body = e.ask("GET", "/list_processes", "")
	require.Equal(t, `{"processes":[]}`, body)
	for _, want := range []int{200, 404} {
		status, _ = control.ask("DELETE", "/v1/services/service-2", "")
		require.Equal(t, want, status)
	}
	status, _ = e.ask("GET", "/health", "")
	require.Equal(t, 404, status)
	require.Empty(t, s.Apps())
}
