package tools_test

import (
	"strings"
	"sync"
	"testing"

	"github.com/limpet-sh/limpet"
	"github.com/limpet-sh/limpet/tools"
	"github.com/stretchr/testify/require"
)

// Secrets are there for scripts, and a model is shown their names instead, wherever
// they turn up.
func TestSecrets(t *testing.T) {
	b := open(t, limpet.Config{Background: true, Secrets: map[string]string{"API_KEY": "hunter2-hunter2", "PART": "hunter2"}}, tools.Config{})
	require.Equal(t, "15 [secret API_KEY] [secret PART].\n", b.bash(`echo "${#API_KEY} $API_KEY $PART."`)["stdout"])
	require.Equal(t, "x[secret PART]y\n", b.bash(`echo "x${PART}y" >&2`)["stderr"])
	b.sh(`printf %s "$API_KEY" > f`)
	require.Equal(t, "hunter2-hunter2", b.get("f"))
	require.Equal(t, "[secret API_KEY]", b.ok("read_file", "path", "f")["content"])
	require.Contains(t, b.text("grep", "pattern", "hunter"), "[secret API_KEY]")
	require.NotContains(t, b.text("bash", "command", "seq 10000; env"), "hunter2")
	e := b.fails("bash", "command", "echo $PART; sleep 1000", "timeout_seconds", 1)
	require.Equal(t, "[secret PART]\n", e.Details["stdout"])
	require.NotContains(t, b.text("read_file", "path", "hunter2-hunter2"), "hunter2")
	id := b.ok("process_start", "command", "echo $API_KEY")["processId"]
	require.Equal(t, "[secret API_KEY]\n", b.ok("process_output", "processId", id, "waitMs", 30000)["output"])
	require.Contains(t, b.Prompt(), "These variables hold secrets, for commands to use: API_KEY PART.")

	var mu sync.Mutex
	var seen strings.Builder
	var first string
	res := b.Call(t.Context(), tools.Call{Name: "bash", Arguments: args("command", `printf %s a "${PART:0:3}"; sleep 0.2; printf %s "${PART:3}" b hunt`), Progress: func(text []byte) {
		mu.Lock()
		defer mu.Unlock()
		if seen.Len() == 0 {
			first = string(text)
		}
		seen.Write(text)
	}})
	require.Nil(t, res.Error)
	require.Equal(t, "a", first, "what may go on as a secret waits")
	require.Equal(t, "a[secret PART]bhunt", seen.String())

	_, err := limpet.New(limpet.Config{Secrets: map[string]string{"PIN": "1234"}})
	require.EqualError(t, err, "the value of the secret PIN has fewer than 6 bytes and cannot be told from other text: make it an ordinary variable")
}

// Processes of a checkpoint that were running are orphans where it is restored.
func TestOrphanedProcesses(t *testing.T) {
	b := open(t, limpet.Config{Background: true}, tools.Config{Session: "s"})
	id := b.ok("process.start", "command", "sleep 1000")["processId"]
	c, err := b.Sandbox().(*limpet.Shell).Checkpoint()
	require.NoError(t, err)
	other := open(t, limpet.Config{Background: true}, tools.Config{Session: "s"})
	require.NoError(t, other.Sandbox().(*limpet.Shell).Restore(c))
	require.Equal(t, map[string]any{"processes": []any{map[string]any{
		"processId": id, "command": "sleep 1000", "status": "orphaned", "exitCode": nil, "outputPath": nil,
	}}}, other.ok("process.list"))
	require.Equal(t, "process_output_unavailable", other.fails("process.output", "processId", id).Code)
	require.Equal(t, "process_not_running", other.fails("process.write", "processId", id, "text", "x").Code)
	require.Equal(t, "orphaned", other.ok("process.stop", "processId", id)["status"])
}
