package main

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"math/rand"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/limpet-sh/limpet"
	"github.com/limpet-sh/limpet/tools"
	"github.com/stretchr/testify/require"
)

// An outcome of a script, as a surface tells it.
type told struct {
	stdout, stderr string
	status         int
}

// A surface is a way to have a script run in a shell that has a host directory at
// /workspace for writing, and one at /ro for reading.
type surface struct {
	name string
	run  func(t *testing.T, script string) told
}

// directories makes the host directories, as the flags of limpet.
func directories(t *testing.T) (rw, ro string, flags []string) {
	rw, ro = filepath.Join(t.TempDir(), "allowed"), t.TempDir()
	require.NoError(t, os.Mkdir(rw, 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(ro, "f"), []byte("read only\n"), 0o644))
	return rw, ro, []string{"--dir-rw", rw, "--mount", ro + ":/ro:ro", "--limit", "file-size=100000"}
}

// library makes a shell as the flags of directories do.
func library(t *testing.T, rw, ro string) *limpet.Shell {
	f := &sandboxFlags{dirRW: rw, mounts: []string{ro + ":/ro:ro"}, limits: []string{"file-size=100000"}, profile: "default", network: networkFlags{network: "none"}}
	cfg, err := f.config()
	require.NoError(t, err)
	sh, err := newShell(cfg)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, sh.Close()) })
	return sh
}

// surfaces returns all of them.
func surfaces(t *testing.T) []surface {
	rw, ro, flags := directories(t)
	sh := library(t, rw, ro)
	session, err := sh.NewSession(t.Context(), limpet.SessionOptions{})
	require.NoError(t, err)
	box, err := tools.New(sh, tools.Config{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, box.Close()) })
	library := func(exec func(context.Context, limpet.Request) (*limpet.Result, error)) func(*testing.T, string) told {
		return func(t *testing.T, script string) told {
			res, err := exec(t.Context(), limpet.Request{Script: script})
			require.NoError(t, err)
			return told{string(res.Stdout), string(res.Stderr), res.Status}
		}
	}
	stdio := serveStdio(t, append([]string{"mcp"}, flags...)...)
	t.Cleanup(stdio.close)
	web := serveWeb(t, flags...)
	viaMCP := func(c interface {
		call(string, map[string]any) (map[string]any, bool)
	}) func(*testing.T, string) told {
		return func(t *testing.T, script string) told {
			out, failed := c.call("bash", map[string]any{"command": script})
			require.False(t, failed, "%v", out)
			return toldBy(out)
		}
	}
	return []surface{
		{"Shell.Exec", library(sh.Exec)},
		{"Session.Exec", library(session.Exec)},
		{"tools", func(t *testing.T, script string) told {
			args, err := json.Marshal(map[string]string{"command": script})
			require.NoError(t, err)
			res := box.Call(t.Context(), tools.Call{Name: "bash", Arguments: args})
			require.Nil(t, res.Error)
			var out map[string]any
			require.NoError(t, json.Unmarshal(res.JSON(), &out))
			return toldBy(out)
		}},
		{"limpet run FILE", func(t *testing.T, script string) told {
			file := filepath.Join(t.TempDir(), "s.sh")
			require.NoError(t, os.WriteFile(file, []byte(script), 0o644))
			stdout, stderr, status := command(t, ".", "", append(append([]string{"run"}, flags...), file)...)
			return told{stdout, strings.ReplaceAll(stderr, file+": ", "bash: "), status}
		}},
		{"limpet run --json", func(t *testing.T, script string) told {
			stdout, stderr, status := command(t, ".", script, append(append([]string{"run"}, flags...), "--json")...)
			require.Empty(t, stderr)
			var out struct {
				Stdout, Stderr string
				Status         int
			}
			require.NoError(t, json.Unmarshal([]byte(stdout), &out))
			require.Equal(t, out.Status, status)
			return told{out.Stdout, out.Stderr, status}
		}},
		{"MCP, standard input", viaMCP(stdio)},
		{"MCP, HTTP", viaMCP(web)},
	}
}

func toldBy(out map[string]any) told {
	return told{out["stdout"].(string), out["stderr"].(string), int(out["returncode"].(float64))}
}

// Statuses and messages are the same whatever way a script comes in.
func TestStatusesOnEverySurface(t *testing.T) {
	for _, s := range surfaces(t) {
		for script, want := range map[string]told{
			"nosuchcmd":                   {"", "bash: line 1: nosuchcmd: command not found\n", 127},
			"exit 42":                     {"", "", 42},
			"kill -9 $$":                  {"", "*", 137},
			"cat /nonexistent && echo ok": {"", "cat: /nonexistent: No such file or directory\n", 1},
			"if":                          {"", "*syntax error", 2},
			"echo out; echo err >&2":      {"out\n", "err\n", 0},
			"read x; echo $?; cat":        {"1\n", "", 0},
		} {
			if strings.HasPrefix(script, "read") && s.name == "limpet run --json" {
				continue // the script is standard input
			}
			got := s.run(t, script)
			if pattern, ok := strings.CutPrefix(want.stderr, "*"); ok {
				require.Contains(t, got.stderr, pattern, "%s: %s", s.name, script)
				got.stderr = want.stderr
			}
			require.Equal(t, want, got, "%s: %s", s.name, script)
		}
	}
}

// The text of a script arrives as it is.
func TestTextOnEverySurface(t *testing.T) {
	text := "!a | \"b\" $c \\ \\\\ `e` \t \u2028 😀 \r\n -x {} ;; & # ~ * ? [f] ^ %s %% \u00a0"
	long := strings.Repeat("0123456789abcde\n", 1<<16)
	for _, s := range surfaces(t) {
		require.Equal(t, told{text, "", 0}, s.run(t, "printf %s '"+text+"'"), s.name)
		require.Equal(t, fmt.Sprintln(len(long)), s.run(t, "wc -c << 'E'\n"+long+"E").stdout, s.name)
		require.Equal(t, "-n\n", s.run(t, "-n() { echo -n; }; printf '%s\\n' -n").stdout, s.name)
	}
}

// Bytes that are no text go in and out as they are.
func TestBinaryOnEverySurface(t *testing.T) {
	rw, ro, flags := directories(t)
	flags = append(flags[:4], "--limit", "file-size=20M")
	data := make([]byte, 4_900_000)
	rand.New(rand.NewSource(1)).Read(data)
	for i := range 256 {
		data[i] = byte(i)
	}
	want := sha256.Sum256(data)
	encoded := base64.StdEncoding.EncodeToString(data)
	upload := "base64 -d > up << 'E'\n" + encoded + "\nE\n"
	copies := "cp up c1; cat up > c2; base64 up | base64 -d > c3; tar c up | tar xO > c4; gzip -c up | gunzip > c5; sha256sum up c? | cut -d' ' -f1 | uniq -c"
	sums := fmt.Sprintf("      6 %x\n", want)

	sh, err := limpet.New(limpet.Config{})
	require.NoError(t, err)
	defer sh.Close()
	require.NoError(t, sh.WriteFile(t.Context(), "up", data, 0o644))
	res, err := sh.Exec(t.Context(), limpet.Request{Script: copies + "; cat c5 >&2", Stderr: io.Discard})
	require.NoError(t, err)
	require.Equal(t, sums, string(res.Stdout))
	got, err := sh.ReadFile(t.Context(), "c4")
	require.NoError(t, err)
	require.Equal(t, want, sha256.Sum256(got))

	require.NoError(t, os.WriteFile(filepath.Join(ro, "big"), data, 0o644))
	out, _, _ := command(t, ".", "", append(append([]string{"run"}, flags...), "-c", "cp /ro/big up; cat up")...)
	require.Equal(t, want, sha256.Sum256([]byte(out)))
	got, err = os.ReadFile(filepath.Join(rw, "up"))
	require.NoError(t, err)
	require.Equal(t, want, sha256.Sum256(got))
	out, _, _ = command(t, ".", "", append(append([]string{"run"}, flags...), "--json", "-c", "head -c 256 up")...)
	var printed struct {
		Stdout []byte `json:"stdout_base64"`
	}
	require.NoError(t, json.Unmarshal([]byte(out), &printed))
	require.Equal(t, data[:256], printed.Stdout)

	c := serveStdio(t, append([]string{"mcp"}, flags...)...)
	_, failed := c.call("bash", map[string]any{"command": upload})
	require.False(t, failed)
	told, failed := c.call("bash", map[string]any{"command": copies})
	require.False(t, failed)
	require.Equal(t, sums, told["stdout"])
	for _, name := range []string{"up", "c5"} {
		var file struct{ Contents []struct{ Blob []byte } }
		c.request("resources/read", map[string]any{"uri": "sandbox://self/workspace/" + name}, &file)
		require.Equal(t, want, sha256.Sum256(file.Contents[0].Blob))
	}
	told, failed = c.call("read_file", map[string]any{"path": "p", "encoding": "base64"})
	require.True(t, failed, "%v", told)
	c.call("bash", map[string]any{"command": "head -c 256 up > p"})
	told, _ = c.call("read_file", map[string]any{"path": "p", "encoding": "base64"})
	require.Equal(t, base64.StdEncoding.EncodeToString(data[:256]), told["content"])
	c.close()
}

// Whatever a file is asked for by, the answer is the same: nothing beside the mounted
// directory, nothing through a name that only begins like it, no writing where there is
// only reading, no file above the limit. What was refused has left nothing.
func TestOneBoundaryForEverySurface(t *testing.T) {
	rw, ro, flags := directories(t)
	evil := rw + "-evil"
	require.NoError(t, os.Mkdir(evil, 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(evil, "secret"), []byte("SECRET"), 0o644))
	require.NoError(t, os.Symlink(evil, filepath.Join(rw, "link")))
	require.NoError(t, os.WriteFile(filepath.Join(rw, "a..b"), []byte("fine"), 0o644))
	sh := library(t, rw, ro)
	box, err := tools.New(sh, tools.Config{Roots: []string{"/"}})
	require.NoError(t, err)
	defer box.Close()
	stdio := serveStdio(t, append([]string{"mcp"}, flags...)...)
	defer stdio.close()

	type access func(name string) (content string, ok bool)
	call := func(tool string, args map[string]any) (string, bool) {
		data, err := json.Marshal(args)
		require.NoError(t, err)
		res := box.Call(t.Context(), tools.Call{Name: tool, Arguments: data})
		return string(res.JSON()), res.Error == nil
	}
	readers := map[string]access{
		"ReadFile": func(name string) (string, bool) {
			data, err := sh.ReadFile(t.Context(), name)
			return string(data), err == nil
		},
		"Files": func(name string) (string, bool) {
			f, err := sh.Files().Open(name)
			if err != nil {
				return err.Error(), false
			}
			defer f.Close()
			data, err := io.ReadAll(f)
			return string(data), err == nil
		},
		"bash": func(name string) (string, bool) {
			res, err := sh.Exec(t.Context(), limpet.Request{Script: `cat -- "$1"`, Args: []string{name}})
			require.NoError(t, err)
			return string(res.Stdout) + string(res.Stderr), res.Status == 0
		},
		"read_file": func(name string) (string, bool) { return call("read_file", map[string]any{"path": name}) },
		"grep": func(name string) (string, bool) {
			return call("grep", map[string]any{"pattern": "SEC|read|fine", "path": name})
		},
		"MCP": func(name string) (string, bool) {
			out, failed := stdio.call("bash", map[string]any{"command": "cat -- '" + name + "'"})
			require.False(t, failed)
			return fmt.Sprint(out["stdout"], out["stderr"]), out["returncode"] == 0.0
		},
		"limpet run": func(name string) (string, bool) {
			stdout, stderr, status := command(t, ".", "", append(append([]string{"run"}, flags...), "-c", `cat -- "$1"`, "n", name)...)
			return stdout + stderr, status == 0
		},
	}
	for by, read := range readers {
		for _, name := range []string{
			"/workspace/../allowed-evil/secret", "/workspace/./x/../../allowed-evil/secret", "/workspace//..//allowed-evil/secret", "/allowed-evil/secret",
			"/workspace-evil/secret", "/workspace/%2e%2e/allowed-evil/secret", `/workspace/..\allowed-evil\secret`, "/workspace/link/secret",
			evil + "/secret", "/proc/self/root" + evil + "/secret", "/workspace/../../../../../.." + evil + "/secret",
		} {
			content, ok := read(name)
			require.False(t, ok, "%s reads %s", by, name)
			require.NotContains(t, content, "SECRET", "%s: %s", by, name)
			if !strings.Contains(name, rw) {
				require.NotContains(t, content, rw, "%s: %s: a name of the host", by, name)
			}
		}
		content, ok := read("/workspace/a..b")
		require.True(t, ok && strings.Contains(content, "fine"), "%s: %s", by, content)
		content, ok = read("/ro/f")
		require.True(t, ok && strings.Contains(content, "read only"), "%s: %s", by, content)
	}

	big := strings.Repeat("x", 60_000)
	writers := map[string]func(name, content string) bool{
		"WriteFile": func(name, content string) bool { return sh.WriteFile(t.Context(), name, []byte(content), 0o644) == nil },
		"bash": func(name, content string) bool {
			res, err := sh.Exec(t.Context(), limpet.Request{Script: `cat > "$1"`, Args: []string{name}, Stdin: strings.NewReader(content)})
			require.NoError(t, err)
			return res.Status == 0
		},
		"write_file": func(name, content string) bool {
			_, ok := call("write_file", map[string]any{"path": name, "content": content})
			return ok
		},
		"edit": func(name, content string) bool {
			if _, ok := readers["ReadFile"](name); !ok && sh.WriteFile(t.Context(), name, []byte("seed"), 0o644) != nil {
				return false
			}
			_, ok := call("edit", map[string]any{"file_path": name, "old_string": "e", "new_string": content, "replace_all": true})
			return ok
		},
		"apply_patch": func(name, content string) bool {
			_, ok := call("apply_patch", map[string]any{"patch": "*** Begin Patch\n*** Add File: " + strings.TrimPrefix(name, "/workspace/") + "\n+" + content + "\n*** End Patch"})
			return ok
		},
		"MCP": func(name, content string) bool {
			_, failed := stdio.call("write_file", map[string]any{"path": name, "content": content})
			return !failed
		},
		"limpet run": func(name, content string) bool {
			_, _, status := command(t, ".", content, append(append([]string{"run"}, flags...), "-c", `cat > "$1"`, "n", name)...)
			return status == 0
		},
	}
	for by, write := range writers {
		for _, name := range []string{"/ro/f", "/ro/new"} {
			require.False(t, write(name, "y"), "%s writes %s", by, name)
		}
		write("/workspace/link/new", "y") // which leads to a place of the sandbox
		require.True(t, write("/workspace/"+strings.ReplaceAll(by, " ", "_"), "y"), by)
		require.False(t, write("/workspace/big", big+big), "%s: above the limit", by)
		require.NoError(t, os.RemoveAll(filepath.Join(rw, "big")))
	}
	left, err := os.ReadDir(evil)
	require.NoError(t, err)
	require.Len(t, left, 1, "only the secret")
	data, err := os.ReadFile(filepath.Join(ro, "f"))
	require.NoError(t, err)
	require.Equal(t, "read only\n", string(data))
}

// No field that a model can set loosens anything: what the schemas do not name is
// refused, and they name nothing of the policy.
func TestModelsCannotLoosen(t *testing.T) {
	stdio := serveStdio(t, "mcp", "--background")
	defer stdio.close()
	web := serveWeb(t, "--background")
	for name, c := range map[string]interface {
		call(string, map[string]any) (map[string]any, bool)
		request(string, any, any)
	}{"stdio": stdio, "http": web} {
		var list struct {
			Tools []struct {
				Name        string
				InputSchema struct {
					Properties           map[string]any
					AdditionalProperties any
				}
			}
		}
		c.request("tools/list", map[string]any{}, &list)
		require.NotEmpty(t, list.Tools)
		for _, tool := range list.Tools {
			for field := range tool.InputSchema.Properties {
				for _, word := range []string{"limits", "network", "mount", "host", "sandboxed", "dangerous", "profile", "user", "privileged", "secret"} {
					require.NotContains(t, strings.ToLower(field)+".", word, "%s: %s", tool.Name, field)
				}
			}
			for field, value := range map[string]any{
				"dangerouslyDisableSandbox": true, "limits": map[string]any{"timeout": 0}, "network": "all", "user": "root", "mounts": []string{"/:/"},
			} {
				_, failed := c.call(tool.Name, map[string]any{field: value})
				require.True(t, failed, "%s: %s takes %s", name, tool.Name, field)
			}
		}
		out, failed := c.call("process_start", map[string]any{"command": "env", "cwd": "/../..", "env": map[string]any{"LD_PRELOAD": "/x.so", "HTTPS_PROXY": "http://evil", "BASH_ENV": "/etc/x", "PATH": "/nowhere"}})
		require.False(t, failed, "variables of the sandbox are the model's")
		out, _ = c.call("process_output", map[string]any{"processId": out["processId"], "waitMs": 30000})
		require.NotContains(t, out["output"], os.Getenv("HOME")+"/")
		for _, field := range []string{"env", "cwd", "stdin", "timeout"} {
			_, failed = c.call("bash", map[string]any{"command": "true", field: "/../.."})
			require.True(t, failed, "%s: bash takes %s", name, field)
		}
	}
}

// A webClient speaks the Model Context Protocol with limpet mcp --http.
type webClient struct {
	t            *testing.T
	url, session string
	next         int
}

// serveWeb starts limpet mcp --http with flags, and a session with it.
func serveWeb(t *testing.T, flags ...string) *webClient {
	t.Helper()
	cmd := exec.Command(os.Args[0], append([]string{"mcp", "--http", "127.0.0.1:0"}, flags...)...)
	cmd.Env = append(os.Environ(), "LIMPET_TEST_RUN=1", mcpToken+"=token")
	errs, err := cmd.StderrPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		_ = cmd.Process.Signal(os.Interrupt)
		require.NoError(t, cmd.Wait())
	})
	line, err := bufio.NewReader(errs).ReadString('\n')
	require.NoError(t, err)
	go io.Copy(io.Discard, errs)
	c := &webClient{t: t, url: strings.TrimSpace(line[strings.Index(line, "http:"):])}
	c.request("initialize", map[string]any{
		"protocolVersion": "2025-11-25", "capabilities": map[string]any{}, "clientInfo": map[string]any{"name": "test", "version": "1"},
	}, &struct{}{})
	c.post(map[string]any{"jsonrpc": "2.0", "method": "notifications/initialized"})
	return c
}

// post sends a message and returns the body of the answer.
func (c *webClient) post(message any) []byte {
	c.t.Helper()
	data, err := json.Marshal(message)
	require.NoError(c.t, err)
	req, err := http.NewRequestWithContext(c.t.Context(), http.MethodPost, c.url, bytes.NewReader(data))
	require.NoError(c.t, err)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	req.Header.Set("Authorization", "Bearer token")
	if c.session != "" {
		req.Header.Set("Mcp-Session-Id", c.session)
		req.Header.Set("MCP-Protocol-Version", "2025-11-25")
	}
	res, err := http.DefaultClient.Do(req)
	require.NoError(c.t, err)
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	require.NoError(c.t, err)
	require.Less(c.t, res.StatusCode, 300, "%s", body)
	if id := res.Header.Get("Mcp-Session-Id"); id != "" {
		c.session = id
	}
	return body
}

// request sends a request and decodes the answer.
func (c *webClient) request(method string, params, answer any) {
	c.t.Helper()
	c.next++
	body := c.post(map[string]any{"jsonrpc": "2.0", "id": c.next, "method": method, "params": params})
	for line := range strings.Lines(string(body)) {
		data := strings.TrimPrefix(strings.TrimSpace(line), "data: ")
		var m struct {
			ID     int
			Result json.RawMessage
		}
		if json.Unmarshal([]byte(data), &m) == nil && m.ID == c.next {
			require.NoError(c.t, json.Unmarshal(m.Result, answer))
			return
		}
	}
	require.FailNow(c.t, "no answer", "%s", body)
}

// call is that of stdioClient.
func (c *webClient) call(name string, args map[string]any) (out map[string]any, failed bool) {
	c.t.Helper()
	var r callResult
	c.request("tools/call", map[string]any{"name": name, "arguments": args}, &r)
	return r.told(c.t)
}
