package tools_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/limpet-sh/limpet"
	"github.com/limpet-sh/limpet/builtins"
	"github.com/limpet-sh/limpet/builtins/all"
	"github.com/limpet-sh/limpet/limits"
	"github.com/limpet-sh/limpet/tools"
	"github.com/stretchr/testify/require"
)

// A reader of a process may go away and come back much later: it finds the rest where
// it left off, and the exit code.
func TestComingBack(t *testing.T) {
	t.Parallel()
	b := open(t, limpet.Config{Background: true, Clock: limpet.NewVirtualClock(time.Unix(0, 0))}, tools.Config{})
	id := b.ok("process_start", "command", "for i in {1..30}; do echo tick $i; sleep 10; done; exit 7")["processId"]
	var seen strings.Builder
	cursor := int64(0)
	for {
		ctx, cancel := context.WithCancel(t.Context())
		if cursor%5 == 0 {
			cancel() // a reader that has gone
		}
		res := b.Call(ctx, tools.Call{Name: "process_output", Arguments: args("processId", id, "cursor", cursor, "waitMs", 30000, "maxBytes", 100)})
		cancel()
		if res.Error != nil {
			require.Equal(t, tools.CodeCancelled, res.Error.Code)
			continue
		}
		var out struct {
			Status, Output                string
			ExitCode                      *int
			NextCursor, OutputStartCursor int64
			HasMore                       bool
		}
		require.NoError(t, json.Unmarshal(res.JSON(), &out))
		require.Equal(t, cursor, out.OutputStartCursor)
		seen.WriteString(out.Output)
		cursor = out.NextCursor
		if out.Status != "running" && !out.HasMore {
			require.Equal(t, "completed", out.Status)
			require.Equal(t, 7, *out.ExitCode)
			break
		}
	}
	var want strings.Builder
	for i := range 30 {
		fmt.Fprintf(&want, "tick %d\n", i+1)
	}
	require.Equal(t, want.String(), seen.String(), "nothing lost, nothing twice")
	require.EqualValues(t, 7, b.ok("process_stop", "processId", id)["exitCode"], "it stays")
}

// Nobody is there to be asked, in the background as little as in the foreground.
func TestInputIsEmptyInTheBackground(t *testing.T) {
	b := open(t, limpet.Config{Background: true}, tools.Config{})
	const script = "cat; read -p 'y/n ' a; echo $?; grep x; echo $?; xargs; echo done"
	foreground := b.bash(script)["stdout"]
	require.Equal(t, "1\n1\n\ndone\n", foreground)
	require.Equal(t, foreground, b.bash("( " + script + " ) & wait")["stdout"])
	require.Equal(t, foreground, b.bash("{ " + script + "; } & wait $!")["stdout"])
	res, err := b.Sandbox().Exec(t.Context(), limpet.Request{Script: "read a; echo $a; cat; read b; echo $?", Stdin: strings.NewReader("50\nrest\n")})
	require.NoError(t, err)
	require.Equal(t, "50\nrest\n1\n", string(res.Stdout), "what is given arrives, and then its end")
}

// Whoever asks for what was left out gets exactly that.
func TestTheRestOfAnOutput(t *testing.T) {
	b := open(t, limpet.Config{}, tools.Config{})
	out := b.bash("seq 1 30000; exit 3")
	all := b.sh("seq 1 30000") + "\n"
	rest := out["stdout_rest"].(map[string]any)
	head, tail := out["stdout"].(string), rest["tail"].(string)
	missing := len(all) - len(head) - len(tail)
	got := b.sh(fmt.Sprintf("tail -c +%d %s | head -c %d; echo .", len(head)+1, rest["path"], missing))
	require.Equal(t, all, head+strings.TrimSuffix(got, ".")+tail)
	require.Equal(t, all[len(head):len(head)+missing], strings.TrimSuffix(got, "."))
}

// What a command prints reaches the application as it is, in whatever pieces, and
// a model as text in which no character is cut.
func TestPiecesOfCharacters(t *testing.T) {
	for _, size := range []int{1, 4095, 65537} {
		for pad := range 3 {
			text := strings.Repeat("x", pad) + strings.Repeat("€", 10_000) + "\xff\xc3"
			data := []byte(text)
			if size == 1 {
				data = data[:pad+3000]
			}
			b := wrap(t, pieces{limpet.None{}, data, size}, tools.Config{})
			var mu sync.Mutex
			var seen bytes.Buffer
			res := b.Call(t.Context(), tools.Call{Name: "bash", Arguments: args("command", "x"), Progress: func(p []byte) {
				mu.Lock()
				defer mu.Unlock()
				seen.Write(p)
			}})
			require.Nil(t, res.Error)
			require.Equal(t, data, seen.Bytes(), "the bytes of the stream")
			require.True(t, utf8.ValidString(res.Text()))
			require.Equal(t, size != 1, strings.Contains(string(res.JSON()), "\uFFFD"), "shown as U+FFFD in a text")
			require.NotContains(t, strings.TrimSuffix(res.Text(), "\uFFFD\uFFFD\n[bytes that are not UTF-8 are shown as \uFFFD]"), "\uFFFD", "%d %d", size, pad)
		}
	}
}

// pieces is a sandbox that prints something in pieces of a size.
type pieces struct {
	limpet.None
	data []byte
	size int
}

func (p pieces) Access() limpet.Access { return limpet.AccessFull }
func (p pieces) Workspace() string     { return "/" }

func (p pieces) Exec(_ context.Context, req limpet.Request) (*limpet.Result, error) {
	for data := p.data; req.Stdout != nil && len(data) > 0; {
		n := min(p.size, len(data))
		if _, err := req.Stdout.Write(data[:n]); err != nil {
			return nil, err
		}
		data = data[n:]
	}
	return &limpet.Result{}, nil
}

func (p pieces) OpenSession(context.Context, limpet.SessionOptions) (limpet.Conversation, error) {
	return onePiece{p}, nil
}

// onePiece is a session of it.
type onePiece struct{ pieces }

func (onePiece) Dir() string { return "/" }

func (pieces) WriteFile(context.Context, string, []byte, fs.FileMode) error { return fs.ErrPermission }

// Files that are too large for a memory are read in part, and not edited.
func TestHugeFiles(t *testing.T) {
	t.Parallel()
	everything := limits.Limits{FileSize: limits.Unlimited, Storage: limits.Unlimited}
	b := open(t, limpet.Config{Limits: everything}, tools.Config{})
	b.sh("truncate -s 536870913 sparse; yes 'a line of text of a large file' | head -c 200000000 > large")
	require.Equal(t, "File exceeds 536870912 byte edit limit: sparse", b.fails("edit", "file_path", "sparse", "old_string", "a", "new_string", "b").Message)
	require.Equal(t, "Could not decode text file with supported encodings: sparse", b.fails("read_file", "path", "sparse").Message)
	out := b.ok("read_file", "path", "large", "limit", 2)
	require.Equal(t, "a line of text of a large file\na line of text of a large file\n", out["content"])
	require.EqualValues(t, 200_000_000, out["file_size_bytes"])
	require.Equal(t, true, out["was_truncated"])
	require.Contains(t, b.text("read_file", "path", "large", "limit", 100), "of 200000000 bytes; read on with offset")
	require.Contains(t, b.fails("read_file", "path", "large", "encoding", "base64").Message, "large has 200000000 bytes; at most 5000000 can be read as base64")
}

// The stages at which a process fails to start, and the other failures of one.
func TestProcessFailures(t *testing.T) {
	b := open(t, limpet.Config{Background: true, Limits: limits.Limits{Jobs: 1}}, tools.Config{})
	id := b.ok("process_start", "command", "sleep 1000")["processId"]
	res := b.Call(t.Context(), tools.Call{Name: "process_start", ID: "c2", Arguments: args("command", "sleep 1000")})
	require.Equal(t, "process_start_failed", res.Error.Code)
	require.Equal(t, "spawn", res.Error.Details["stage"])
	require.Contains(t, res.Error.Details["cause"], "jobs limit of 1")
	b.ok("process_stop", "processId", id)

	for stage, cause := range map[string]string{"shell_resolution": "no bash", "output_initialization": "no space", "spawn": "no memory", "post_spawn": "no terminal", "persistence": "no disk"} {
		f := wrap(t, failing{limpet.None{}, limpet.StartFailed(stage, fmt.Errorf("%s", cause))}, tools.Config{})
		e := f.fails("process_start", "command", "x")
		require.Equal(t, "process_start_failed", e.Code)
		require.Equal(t, "Process could not be started", e.Message)
		require.Equal(t, map[string]any{"stage": stage, "cause": cause}, e.Details)
	}
	id = b.ok("process_list")["processes"].([]any)[0].(map[string]any)["processId"]
	for code, tool := range map[limpet.ProcessCode]string{
		limpet.CodeIOFailed: "process_write", limpet.CodeStopFailed: "process_stop", limpet.CodeOutputUnavailable: "process_output",
	} {
		f := wrap(t, failing{limpet.None{}, limpet.NewProcessError(code, id.(string), fs.ErrPermission)}, tools.Config{Session: "s"})
		pairs := []any{"processId", b.processOf("s")}
		if tool == "process_write" {
			pairs = append(pairs, "text", "x")
		}
		e := f.fails(tool, pairs...)
		require.Equal(t, string(code), e.Code)
		require.Equal(t, fs.ErrPermission.Error(), e.Details["cause"])
		require.Equal(t, code != limpet.CodeOutputUnavailable, e.Retryable)
	}
}

// processOf returns an id of a process such as those of a session have.
func (b *box) processOf(session string) string {
	b.Helper()
	own, err := tools.New(b.Sandbox(), tools.Config{Session: session})
	require.NoError(b.T, err)
	defer own.Close()
	return (&box{b.T, own}).ok("process_start", "command", "true")["processId"].(string)
}

// failing is a sandbox whose processes fail.
type failing struct {
	limpet.None
	err error
}

func (f failing) Access() limpet.Access                { return limpet.AccessFull }
func (f failing) Workspace() string                    { return "/" }
func (f failing) Processes() (limpet.Processes, error) { return failingProcesses{f.err}, nil }

type failingProcesses struct{ err error }

func (f failingProcesses) Start(context.Context, limpet.ProcessRequest) (limpet.ProcessInfo, error) {
	return limpet.ProcessInfo{}, f.err
}

func (f failingProcesses) Output(context.Context, string, limpet.OutputRequest) (limpet.ProcessOutput, error) {
	return limpet.ProcessOutput{}, f.err
}

func (f failingProcesses) Write(context.Context, string, []byte) (limpet.ProcessInfo, int, error) {
	return limpet.ProcessInfo{}, 0, f.err
}

func (f failingProcesses) List(context.Context) ([]limpet.ProcessInfo, error) { return nil, f.err }

func (f failingProcesses) Stop(context.Context, string) (limpet.ProcessInfo, error) {
	return limpet.ProcessInfo{}, f.err
}

// Where there is no rg, grep searches, and says so.
func TestSearchWithoutRipgrep(t *testing.T) {
	commands := slices.DeleteFunc(all.Commands(), func(c *builtins.Command) bool { return c.Name == "rg" })
	b := open(t, limpet.Config{Commands: commands}, tools.Config{})
	b.sh(`mkdir -p .h src; echo 'needle here' | tee .h/x src/x.go src/y.txt > /dev/null; printf 'needle\0x' > bin`)
	out := b.ok("grep", "pattern", "nee(dle)")
	require.EqualValues(t, 2, out["match_count"])
	require.EqualValues(t, 1, out["files_skipped"], "the hidden one")
	require.Contains(t, fmt.Sprint(out["notes"]), "rg is not in this sandbox: grep was used, which knows no .gitignore")
	require.Contains(t, fmt.Sprint(out["notes"]), "inary file")
	require.EqualValues(t, 3, b.ok("grep", "pattern", "needle", "all", true)["match_count"])
	require.EqualValues(t, 1, b.ok("grep", "pattern", "NEEDLE", "ignore_case", true, "glob", []string{"*.go"})["match_count"])
	require.EqualValues(t, 1, b.ok("grep", "pattern", "needle", "glob", []string{"!*.go"})["match_count"])
	require.EqualValues(t, 0, b.ok("grep", "pattern", "n.e", "literal", true)["match_count"])
	require.EqualValues(t, 1, b.ok("grep", "pattern", "needle", "path", ".h/x")["match_count"])
	require.Contains(t, b.text("grep", "pattern", "nothing like it"), "grep was used")
	require.Contains(t, b.fails("grep", "pattern", "(").Message, "nmatched")
	require.Equal(t, "Path does not exist: nope", b.fails("grep", "pattern", "x", "path", "nope").Message)
}
