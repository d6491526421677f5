package audit_test

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"

	"github.com/limpet-sh/limpet"
	"github.com/limpet-sh/limpet/audit"
	"github.com/limpet-sh/limpet/limits"
	"github.com/stretchr/testify/require"
)

// written returns what a log has of a script.
func written(t *testing.T, log audit.Log, script string) string {
	var b bytes.Buffer
	log.Logger = slog.New(slog.NewJSONHandler(&b, nil))
	sh, err := limpet.New(limpet.Config{Watch: limpet.Watch{Event: log.Event}, Limits: limits.Limits{Steps: 10_000}})
	require.NoError(t, err)
	defer sh.Close()
	_, err = sh.Exec(t.Context(), limpet.Request{Script: script})
	require.NoError(t, err)
	return b.String()
}

func TestWhatIsWritten(t *testing.T) {
	got := written(t, audit.Log{}, `ls /nosuch > f; while :; do :; done`)
	for _, part := range []string{
		`"msg":"execution started"`, `"args":["ls","/nosuch"],"kind":"program","dir":"/workspace"`, `"file":"/workspace/f"`,
		`"status":2`, `"level":"WARN","msg":"limit reached"`, `steps limit of 10000 exceeded`,
	} {
		require.Contains(t, got, part)
	}
}

// Secrets are in no line, however a script has them.
func TestSecretsAreLeftOut(t *testing.T) {
	const secret = "hunter2hunter2"
	for _, script := range []string{
		`export DB_PASSWORD=hunter2hunter2`, `true --password hunter2hunter2`, `true --api-key=hunter2hunter2`,
		`true -H "Authorization: Bearer hunter2hunter2"`, `true https://user:hunter2hunter2@example.com/`, `true 'token: "hunter2hunter2"'`,
		`MY_SECRET_TOKEN='hunter2hunter2' true`, `true -H 'authorization: basic hunter2hunter2'`,
	} {
		got := written(t, audit.Log{}, script)
		require.NotContains(t, got, secret, script)
		require.Contains(t, got, "[redacted]", script)
		require.Contains(t, written(t, audit.Log{KeepAll: true}, script), secret, script)
	}
	require.NotContains(t, written(t, audit.Log{Secrets: []string{secret}, KeepAll: true}, `x=hunter2hunter2; echo a$x > $x`), secret)
}

func TestLongTextsAreCut(t *testing.T) {
	got := written(t, audit.Log{MaxText: 100}, ": "+strings.Repeat("x", 10_000))
	require.Less(t, len(got), 2000)
	require.Contains(t, got, "xxx[...]")
}
