//go:build linux

package isolate_test

import (
	"context"
	"errors"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/limpet-sh/limpet"
	"github.com/limpet-sh/limpet/adapters/isolate"
	"github.com/limpet-sh/limpet/builtins"
	"github.com/limpet-sh/limpet/limits"
	"github.com/stretchr/testify/require"
)

// crashes are commands that run in the process of the sandbox and do to it what no Go
// program survives.
var crashes = []*builtins.Command{
	{Name: "exhaust", Run: func(context.Context, *builtins.Call) error {
		for all := [][]byte{}; ; {
			b := make([]byte, 64<<20)
			for i := 0; i < len(b); i += 4096 {
				b[i] = 1
			}
			all = append(all, b)
		}
	}},
	{Name: "recurse", Run: func(context.Context, *builtins.Call) error { return errors.New(recurse("x")) }},
	{Name: "fault", Run: func(context.Context, *builtins.Call) error {
		new(sync.Mutex).Unlock()
		return nil
	}},
	{Name: "hang", Run: func(_ context.Context, c *builtins.Call) error {
		_, _ = io.WriteString(c.Stdout, "hanging\n")
		select {} // whatever its context says
	}},
	{Name: "panics", Run: func(context.Context, *builtins.Call) error { panic("caught") }},
}

func recurse(s string) string { return recurse(s[:1]+s[1:]) + s }

// TestCrashes brings the process of a sandbox down in each way that a script might find:
// the script ends and says why, what it has printed is there, all that ran with it ends, and
// the next script runs in a new process.
func TestCrashes(t *testing.T) {
	for name, c := range map[string]struct {
		script, stderr string
		cause          error
		status         int
	}{
		"memory":   {"exhaust", "", nil, 137},
		"stack":    {"recurse", "", nil, 137},
		"fault":    {"fault", "fatal error: sync: unlock of unlocked mutex", nil, 137},
		"deadline": {"hang", "timed out after 1s", context.DeadlineExceeded, 124},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := open(t, isolate.Config{
				Shell:  limpet.Config{Extra: crashes, Lifecycle: limpet.Lifecycle{Setup: limpet.SetupScript{Script: "echo set up > setup"}}},
				Memory: processMemory, Patience: time.Second,
			})
			talk, err := s.OpenSession(t.Context(), limpet.SessionOptions{})
			require.NoError(t, err)
			require.NoError(t, s.WriteFile(t.Context(), "kept", []byte("x"), 0o644))
			var others sync.WaitGroup
			seen := make(signalWriter)
			others.Go(func() {
				res, err := talk.Exec(t.Context(), limpet.Request{Script: "echo on; sleep 1000", Stdout: seen})
				if err != nil || res.Stopped == nil { // the guard may have stopped it first
					t.Errorf("what ran with it: %v %+v", err, res)
				}
			})
			<-seen
			req := limpet.Request{Script: "echo before; sleep .2; " + c.script + "; echo after"}
			if c.cause != nil {
				req.Timeout = time.Second
			}
			res, err := s.Exec(t.Context(), req)
			require.NoError(t, err)
			require.ErrorIs(t, res.Stopped, isolate.ErrLost)
			if c.cause != nil {
				require.ErrorIs(t, res.Stopped, c.cause)
			}
			require.Equal(t, c.status, res.Status)
			require.Equal(t, "before\n", strings.TrimSuffix(string(res.Stdout), "hanging\n"))
			require.Contains(t, string(res.Stderr), "limpet: the process of the sandbox has ended; its files and sessions are lost: ")
			require.Contains(t, string(res.Stderr), c.stderr)
			others.Wait()

			res, err = s.Exec(t.Context(), limpet.Request{Script: "cat setup; cat kept"})
			require.NoError(t, err)
			require.Equal(t, "set up\n", string(res.Stdout))
			require.Equal(t, "cat: kept: No such file or directory\n", string(res.Stderr))
			_, err = talk.Exec(t.Context(), limpet.Request{Script: "true"})
			require.ErrorIs(t, err, isolate.ErrLost, "a session does not begin anew by itself")
			require.NoError(t, talk.Close())
		})
	}
}

// TestWhatAShellSurvives does to the process what a Shell survives, too.
func TestWhatAShellSurvives(t *testing.T) {
	s := open(t, isolate.Config{Shell: limpet.Config{Extra: crashes, Limits: limits.Limits{Memory: 8 << 20}}})
	require.NoError(t, s.WriteFile(t.Context(), "kept", []byte("x"), 0o644))
	_, err := s.Exec(t.Context(), limpet.Request{Script: "panics"})
	require.ErrorContains(t, err, "caught")
	res, err := s.Exec(t.Context(), limpet.Request{Script: "x=1; while :; do x+=$x; done"})
	require.NoError(t, err)
	exceeded, ok := errors.AsType[*limits.ExceededError](res.Stopped)
	require.True(t, ok, "%v", res.Stopped)
	require.Equal(t, limits.Memory, exceeded.Resource)
	cause := errors.New("a cause of the caller's")
	ctx, cancel := context.WithCancelCause(t.Context())
	time.AfterFunc(50*time.Millisecond, func() { cancel(cause) })
	res, err = s.Exec(ctx, limpet.Request{Script: "echo printed; while :; do :; done"})
	require.NoError(t, err)
	require.Equal(t, cause, res.Stopped)
	require.True(t, strings.HasPrefix(string(res.Stdout), "printed\n"))
	data, err := s.ReadFile(t.Context(), "kept")
	require.NoError(t, err)
	require.Equal(t, "x", string(data), "nothing is lost")
}

// signalWriter tells when something is written.
type signalWriter chan struct{}

// Write tells, once.
func (w signalWriter) Write(p []byte) (int, error) {
	close(w)
	return len(p), nil
}
