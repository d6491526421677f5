package sandboxtest

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/limpet-sh/limpet"
	"github.com/stretchr/testify/require"
)

// talk opens a session, which the test closes.
func (t *T) talk(opts limpet.SessionOptions) func(script string) *limpet.Result {
	t.Helper()
	s, err := t.OpenSession(t.ctx, opts)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return func(script string) *limpet.Result {
		t.Helper()
		res, err := s.Exec(t.ctx, limpet.Request{Script: script})
		require.NoError(t, err)
		return res
	}
}

// sessions are about [limpet.Sandbox.OpenSession].
var sessions = []test{
	{"the directory stays", func(t *T) {
		say := t.talk(limpet.SessionOptions{})
		require.Equal(t, 1, say("mkdir d && cd d && false").Status)
		require.Equal(t, t.Workspace()+"/d\n", string(say("pwd").Stdout))
		require.Equal(t, 7, say("mkdir e; cd e; exit 7").Status)
		require.Equal(t, t.Workspace()+"/d/e\n", string(say("pwd").Stdout))
		require.Equal(t, t.Workspace()+"/d/e\n", string(say("(cd /); pwd").Stdout))
		require.Equal(t, t.Workspace()+"\n", t.sh("pwd"), "scripts without a session are apart")
	}},
	{"a time limit keeps the directory", func(t *T) {
		s, err := t.OpenSession(t.ctx, limpet.SessionOptions{})
		require.NoError(t, err)
		res, err := s.Exec(t.ctx, limpet.Request{Script: "mkdir d; cd d; echo in; sleep 1000", Timeout: 2 * time.Second})
		require.NoError(t, err)
		require.ErrorIs(t, res.Stopped, context.DeadlineExceeded)
		require.Equal(t, "in\n", string(res.Stdout))
		res, err = s.Exec(t.ctx, limpet.Request{Script: "pwd"})
		require.NoError(t, err)
		require.Equal(t, t.Workspace()+"/d\n", string(res.Stdout))
		require.Equal(t, t.Workspace()+"/d", s.Dir())
		require.NoError(t, s.Close())
	}},
	{"what a session keeps", func(t *T) {
		say := t.talk(limpet.SessionOptions{})
		res := say(`trap "echo LEAK" EXIT; set -e; x=1; f(){ echo f; }; cd /tmp; export E=2; a=(p "q r"); exit 42`)
		require.Equal(t, 42, res.Status)
		require.Equal(t, "LEAK\n", string(res.Stdout))
		res = say(`echo "$? x=$x E=$E $PWD ${a[1]}"; case $- in *e*) echo errexit;; esac; f; false; echo alive; bash -c 'echo "$E|$x"'`)
		require.Equal(t, "0 x=1 E=2 /tmp q r\nf\nalive\n2|\n", string(res.Stdout))
		require.Equal(t, t.Workspace()+"||\n", string(t.talk(limpet.SessionOptions{})(`echo "$PWD|$x|$E"; f 2> /dev/null`).Stdout), "another session")
	}},
	{"values with everything in them", func(t *T) {
		say := t.talk(limpet.SessionOptions{Env: map[string]string{"GIVEN": "a 'b' \"c\"\n$d"}})
		say("x=$'line\\n\\t\\'quote\\' \"double\" $dollar `tick` \\\\ é'; declare -A m=([k 1]='v 1'); unset GIVEN2")
		require.Equal(t, "line\n\t'quote' \"double\" $dollar `tick` \\ é|v 1|a 'b' \"c\"\n$d", string(say(`printf %s "$x|${m[k 1]}|$GIVEN"`).Stdout))
	}},
	{"options", func(t *T) {
		t.sh("mkdir start")
		say := t.talk(limpet.SessionOptions{Dir: t.Workspace() + "/start", Env: map[string]string{"V": "w"}})
		require.Equal(t, t.Workspace()+"/start w\n", string(say(`echo "$PWD $V"`).Stdout))
	}},
	{"syntax errors and input", func(t *T) {
		s, err := t.OpenSession(t.ctx, limpet.SessionOptions{})
		require.NoError(t, err)
		res, err := s.Exec(t.ctx, limpet.Request{Script: "x=1"})
		require.NoError(t, err)
		require.Zero(t, res.Status)
		res, err = s.Exec(t.ctx, limpet.Request{Script: "if then"})
		require.NoError(t, err)
		require.Equal(t, 2, res.Status)
		require.Contains(t, string(res.Stderr), "syntax error")
		res, err = s.Exec(t.ctx, limpet.Request{Script: `read l; echo "$l$x"; cat`, Stdin: strings.NewReader("in\nrest")})
		require.NoError(t, err)
		require.Equal(t, "in1\nrest", string(res.Stdout))
		require.NoError(t, s.Close())
		require.NoError(t, s.Close())
		_, err = s.Exec(t.ctx, limpet.Request{Script: "true"})
		require.ErrorIs(t, err, limpet.ErrClosed)
	}},
	{"many", func(t *T) {
		var says []func(string) *limpet.Result
		for range 5 {
			says = append(says, t.talk(limpet.SessionOptions{}))
		}
		for i, say := range says {
			say(fmt.Sprintf("x=%d", i))
		}
		for i, say := range says {
			require.Equal(t, fmt.Sprintln(i), string(say("echo $x").Stdout))
		}
	}},
}
