package tools_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/limpet-sh/limpet"
	"github.com/limpet-sh/limpet/tools"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

// TestMain fails when a test has left a goroutine behind.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// remote is a sandbox whose files this process cannot reach.
type remote struct{ limpet.Sandbox }

// Describe is that of the sandbox below.
func (r remote) Describe() limpet.Description { return limpet.Describe(r.Sandbox) }

// A box is a toolbox in a test.
type box struct {
	*testing.T
	*tools.Toolbox
}

// open makes a toolbox for a shell.
func open(t *testing.T, cfg limpet.Config, tcfg tools.Config) *box {
	t.Helper()
	sh, err := limpet.New(cfg)
	require.NoError(t, err)
	return wrap(t, sh, tcfg)
}

func wrap(t *testing.T, s limpet.Sandbox, tcfg tools.Config) *box {
	t.Helper()
	b, err := tools.New(s, tcfg)
	require.NoError(t, err)
	t.Cleanup(func() {
		require.NoError(t, b.Close())
		require.NoError(t, s.Close())
	})
	return &box{t, b}
}

// everywhere runs a test for files that can be reached, and for those that only
// scripts can.
func everywhere(t *testing.T, tcfg tools.Config, test func(b *box)) {
	t.Run("direct", func(t *testing.T) { test(open(t, limpet.Config{}, tcfg)) })
	t.Run("by scripts", func(t *testing.T) {
		sh, err := limpet.New(limpet.Config{})
		require.NoError(t, err)
		test(wrap(t, remote{sh}, tcfg))
	})
}

// args is the JSON of arguments: pairs of names and values.
func args(pairs ...any) json.RawMessage {
	m := map[string]any{}
	for i := 0; i < len(pairs); i += 2 {
		m[pairs[i].(string)] = pairs[i+1]
	}
	data, err := json.Marshal(m)
	if err != nil {
		panic(err)
	}
	return data
}

// ok calls a tool, which must succeed, and returns its output.
func (b *box) ok(name string, pairs ...any) map[string]any {
	b.Helper()
	res := b.Call(context.Background(), tools.Call{Name: name, Arguments: args(pairs...), ID: "c1"})
	if res.Error != nil {
		require.FailNow(b.T, name, "%s", res.Error.JSON())
	}
	out := map[string]any{}
	require.NoError(b.T, json.Unmarshal(res.JSON(), &out))
	return out
}

// fails calls a tool, which must fail, and returns the error.
func (b *box) fails(name string, pairs ...any) *tools.Error {
	b.Helper()
	res := b.Call(context.Background(), tools.Call{Name: name, Arguments: args(pairs...), ID: "c1"})
	require.NotNil(b.T, res.Error, "%s: %s", name, res.JSON())
	return res.Error
}

// text calls a tool and returns what a model reads.
func (b *box) text(name string, pairs ...any) string {
	b.Helper()
	return b.Call(context.Background(), tools.Call{Name: name, Arguments: args(pairs...), ID: "c1"}).Text()
}

// put writes a file past the tools.
func (b *box) put(name, content string) {
	b.Helper()
	require.NoError(b.T, b.Sandbox().WriteFile(context.Background(), name, []byte(content), 0o644))
}

// get reads a file past the tools.
func (b *box) get(name string) string {
	b.Helper()
	data, err := b.Sandbox().ReadFile(context.Background(), name)
	require.NoError(b.T, err)
	return string(data)
}

// sh runs a script past the tools.
func (b *box) sh(script string) string {
	b.Helper()
	res, err := b.Sandbox().Exec(context.Background(), limpet.Request{Script: script})
	require.NoError(b.T, err)
	require.Zero(b.T, res.Status, "%s", res.Stderr)
	return strings.TrimSuffix(string(res.Stdout), "\n")
}
