package sandboxtest

import (
	"errors"
	"strings"
	"sync"
	"time"

	"github.com/limpet-sh/limpet"
	"github.com/stretchr/testify/require"
)

// procs returns the processes of the sandbox; ok is false, and the refusal checked,
// where there are none.
func (t *T) procs() (p limpet.Processes, ok bool) {
	p, err := limpet.ProcessesOf(t.Sandbox)
	if err != nil {
		require.ErrorIs(t, err, errors.ErrUnsupported)
		return nil, false
	}
	return p, true
}

// until reads the output of a process until it has ended or has all that is wanted.
func (t *T) until(p limpet.Processes, id string, cursor int64, want string) (text string, last limpet.ProcessOutput) {
	t.Helper()
	deadline := time.Now().Add(patience)
	for {
		out, err := p.Output(t.ctx, id, limpet.OutputRequest{Cursor: cursor, Wait: time.Second})
		require.NoError(t, err)
		require.Equal(t, cursor, out.Start)
		text += string(out.Data)
		cursor = out.Next
		if want != "" && strings.Contains(text, want) || out.Status != limpet.ProcessRunning && out.Next == out.Available {
			return text, out
		}
		require.True(t, time.Now().Before(deadline), "still waiting for %q after %q", want, text)
	}
}

// processes are about [limpet.Processes].
var processes = []test{
	{"a process from start to end", func(t *T) {
		p, ok := t.procs()
		if !ok {
			return
		}
		info, err := p.Start(t.ctx, limpet.ProcessRequest{Command: `read x; echo "got $x in $PWD $V"; exit 3`, Dir: t.Workspace(), Env: map[string]string{"V": "v w"}})
		require.NoError(t, err)
		require.Equal(t, limpet.ProcessRunning, info.Status)
		_, n, err := p.Write(t.ctx, info.ID, []byte("input\n"))
		require.NoError(t, err)
		require.Equal(t, 6, n)
		text, out := t.until(p, info.ID, 0, "")
		require.Contains(t, text, "got input in "+t.Workspace()+" v w")
		require.Equal(t, limpet.ProcessCompleted, out.Status)
		require.Equal(t, 3, out.ExitCode)
		list, err := p.List(t.ctx)
		require.NoError(t, err)
		require.Len(t, list, 1)
		require.Equal(t, limpet.ProcessCompleted, list[0].Status, "ended processes stay listed")
		stopped, err := p.Stop(t.ctx, info.ID)
		require.NoError(t, err)
		require.Equal(t, limpet.ProcessCompleted, stopped.Status, "stopping what has ended does nothing")
		_, _, err = p.Write(t.ctx, info.ID, []byte("x"))
		require.True(t, limpet.IsProcessError(err, limpet.CodeNotRunning), "%v", err)
	}},
	{"stopping", func(t *T) {
		p, ok := t.procs()
		if !ok {
			return
		}
		var ids []string
		for _, command := range []string{"echo up; sleep 1000", "trap '' TERM; echo up; while :; do sleep 1; done", "(trap '' TERM HUP; sleep 1000) & echo up; wait"} {
			info, err := p.Start(t.ctx, limpet.ProcessRequest{Command: command})
			require.NoError(t, err)
			t.until(p, info.ID, 0, "up")
			ids = append(ids, info.ID)
		}
		start := time.Now()
		var wait sync.WaitGroup
		for _, id := range ids {
			wait.Go(func() {
				for range 2 { // the second does nothing
					if info, err := p.Stop(t.ctx, id); err != nil || info.Status != limpet.ProcessStopped {
						t.Errorf("%s: %v, %s", info.Command, err, info.Status)
					}
				}
			})
		}
		wait.Wait()
		require.Less(t, time.Since(start), patience)
		list, err := p.List(t.ctx)
		require.NoError(t, err)
		require.Len(t, list, 3)
		require.Equal(t, "echo up; sleep 1000", list[0].Command, "in the order of their creation")
	}},
	{"cursors", func(t *T) {
		p, ok := t.procs()
		if !ok {
			return
		}
		info, err := p.Start(t.ctx, limpet.ProcessRequest{Command: "printf 0123456789; read x; printf abc; read x"})
		require.NoError(t, err)
		t.until(p, info.ID, 0, "0123456789")
		out, err := p.Output(t.ctx, info.ID, limpet.OutputRequest{Cursor: 3, Max: 4})
		require.NoError(t, err)
		require.Equal(t, "3456|3|7|10", join(string(out.Data), out.Start, out.Next, out.Available))
		out, err = p.Output(t.ctx, info.ID, limpet.OutputRequest{FromEnd: true, Max: 4})
		require.NoError(t, err)
		require.Equal(t, "6789|6|10|10", join(string(out.Data), out.Start, out.Next, out.Available))
		out, err = p.Output(t.ctx, info.ID, limpet.OutputRequest{Cursor: 10, Wait: 100 * time.Millisecond})
		require.NoError(t, err)
		require.Empty(t, out.Data)
		_, err = p.Output(t.ctx, info.ID, limpet.OutputRequest{Cursor: 11})
		require.True(t, limpet.IsProcessError(err, limpet.CodeInvalidCursor), "%v", err)
		_, err = p.Output(t.ctx, "process-nobody", limpet.OutputRequest{})
		require.True(t, limpet.IsProcessError(err, limpet.CodeUnknownProcess), "%v", err)
		_, err = p.Stop(t.ctx, info.ID)
		require.NoError(t, err)
	}},
	{"they outlive scripts, and not the sandbox", func(t *T) {
		p, ok := t.procs()
		if !ok {
			return
		}
		info, err := p.Start(t.ctx, limpet.ProcessRequest{Command: "echo up; while [ ! -e go ]; do sleep 0.05; done; echo gone; sleep 1000"})
		require.NoError(t, err)
		_, out := t.until(p, info.ID, 0, "up")
		t.sh("echo > go")
		t.until(p, info.ID, out.Next, "gone")
		start := time.Now()
		require.NoError(t, t.Close())
		require.Less(t, time.Since(start), patience)
	}},
	{"a directory that is none", func(t *T) {
		p, ok := t.procs()
		if !ok {
			return
		}
		_, err := p.Start(t.ctx, limpet.ProcessRequest{Command: "true", Dir: t.Workspace() + "/missing"})
		require.True(t, limpet.IsProcessError(err, limpet.CodeInvalidDirectory), "%v", err)
	}},
}
