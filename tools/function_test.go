package tools_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/limpet-sh/limpet"
	"github.com/limpet-sh/limpet/builtins"
	"github.com/limpet-sh/limpet/tools"
	"github.com/stretchr/testify/require"
)

type addInput struct {
	A     int      `json:"a" jsonschema:"The first number"`
	B     int      `json:"b,omitempty" arg:"default=1,max=100000"`
	Tags  []string `json:"tags,omitempty" arg:"default=[]"`
	Twice bool     `json:"twice,omitempty"`
}

type addOutput struct {
	Sum  int      `json:"sum"`
	Tags []string `json:"tags"`
}

func adder(name string) tools.Function {
	return tools.NewFunction(name, "Adds numbers.\nAll of them.", func(_ context.Context, in addInput) (addOutput, error) {
		if in.A < 0 {
			return addOutput{}, errors.New("no debts")
		}
		sum := in.A + in.B
		if in.Twice {
			sum *= 2
		}
		return addOutput{sum, in.Tags}, nil
	})
}

// A function is a command: options or JSON in, JSON out, help, and errors with statuses.
func TestFunctions(t *testing.T) {
	slow := tools.NewFunction("slow", "Waits.", func(ctx context.Context, _ struct{}) (int, error) {
		<-ctx.Done()
		return 0, ctx.Err()
	})
	slow.Timeout = 50 * time.Millisecond
	bad := tools.NewFunction("bad", "Panics.", func(context.Context, struct{}) (int, error) { panic("oh") })
	guarded := adder("guarded")
	guarded.Approve = func(_ context.Context, args json.RawMessage) error { return fmt.Errorf("not %s", args) }
	named := adder("mcp/server/add")
	b := open(t, limpet.Config{Extra: []*builtins.Command{adder("add").Command(), slow.Command(), bad.Command(), guarded.Command(), named.Command()}}, tools.Config{})
	for command, want := range map[string]string{
		"add --a 2": `0 {"sum":3,"tags":[]}` + "\n",
		"add --a=2 --b 5 --twice --tags x --tags 'y z'": `0 {"sum":14,"tags":["x","y z"]}` + "\n",
		`add --a 1 --tags '["p","q"]' --twice=false`:    `0 {"sum":2,"tags":["p","q"]}` + "\n",
		`echo '{"a":1,"b":2}' | add`:                    `0 {"sum":3,"tags":[]}` + "\n",
		`jq -n '{a:40,b:2}' | add - | jq .sum`:          "0 42\n",
		"/mcp/server/add --a 1 | jq .sum":               "0 2\n",
		"add --a -1":                                    "1 add: no debts\n",
		"add":                                           "2 add: --a is required\n",
		"add --a x":                                     "2 add: --a should be a valid integer, not a string\n",
		"add --a 1 --b 100001":                          "2 add: --b should be less than or equal to 100000\n",
		"add --a":                                       "2 add: option --a needs a value\n",
		"add --c 1":                                     "2 add: unknown option --c; see --help\n",
		"add 1":                                         "2 add: unexpected argument \"1\": arguments are --NAME VALUE; see --help\n",
		"echo nonsense | add":                           "2 add: standard input is not one JSON object: invalid character 'o' in literal null (expecting 'u')\n",
		"slow":                                          "124 slow: timed out after 50ms: context deadline exceeded\n",
		"bad":                                           "1 bad: the function panicked: oh\n",
		"guarded --a 1":                                 "126 guarded: permission denied: not {\"a\":1,\"b\":1,\"tags\":[]}\n",
	} {
		out := b.bash(command)
		require.Equal(t, want, fmt.Sprint(out["returncode"], " ", out["stdout"], out["stderr"]), command)
	}
	help := b.bash("add --help")["stdout"]
	require.Contains(t, help, "Usage: add [--NAME VALUE]...\n")
	require.Contains(t, help, "  --a INTEGER  The first number (required)\n")
	require.Contains(t, help, "  --b INTEGER (default 1)\n")
	require.Contains(t, b.Prompt(), " add ")
}

// Ten functions, a thousand calls, one execution: each is logged, and a limit ends them.
func TestManyCallsInOneScript(t *testing.T) {
	var logged atomic.Int64
	var commands []*builtins.Command
	for i := range 10 {
		f := adder(fmt.Sprintf("add%d", i))
		f.Log = func(c tools.FunctionCall) {
			if c.Err == nil && len(c.Arguments) > 0 {
				logged.Add(1)
			}
		}
		commands = append(commands, f.Command())
	}
	b := open(t, limpet.Config{Extra: commands}, tools.Config{})
	script := `n=0; for i in {1..100}; do for f in {0..9}; do n=$(add$f --a $n | jq .sum); done; done; echo $n`
	require.Equal(t, "1000\n", b.bash(script)["stdout"])
	require.EqualValues(t, 1000, logged.Load())
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(50*time.Millisecond, cancel)
	res := b.Call(ctx, tools.Call{Name: "bash", Arguments: args("command", "while :; do add0 --a 1 > /dev/null; done")})
	require.Equal(t, tools.CodeCancelled, res.Error.Code)
}

// What bash of the tools costs over a session.
func BenchmarkBash(b *testing.B) {
	sh, err := limpet.New(limpet.Config{})
	require.NoError(b, err)
	defer sh.Close()
	box, err := tools.New(sh, tools.Config{})
	require.NoError(b, err)
	defer box.Close()
	s, err := sh.NewSession(b.Context(), limpet.SessionOptions{})
	require.NoError(b, err)
	b.Run("session", func(b *testing.B) {
		for b.Loop() {
			_, _ = s.Exec(b.Context(), limpet.Request{Script: "echo hello"})
		}
	})
	call := tools.Call{Name: "bash", Arguments: args("command", "echo hello")}
	b.Run("tool", func(b *testing.B) {
		for b.Loop() {
			_ = box.Call(b.Context(), call).Text()
		}
	})
}
