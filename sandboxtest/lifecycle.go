package sandboxtest

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/limpet-sh/limpet"
	"github.com/stretchr/testify/require"
)

// A history notes what happens, from whatever goroutine.
type history struct {
	mu    sync.Mutex
	lines []string
}

func (h *history) note(line string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.lines = append(h.lines, line)
}

// hooks returns hooks that note when they are called, and what a script and a file say
// then.
func (h *history) hooks(name string, fails error) limpet.Hooks {
	look := func(ctx context.Context, s limpet.Sandbox) string {
		res, err := s.Exec(ctx, limpet.Request{Script: "cat made"})
		if err != nil {
			return err.Error()
		}
		data, err := s.ReadFile(ctx, "made")
		if err != nil {
			return err.Error()
		}
		return strings.TrimSpace(string(res.Stdout)) + strings.TrimSpace(string(data))
	}
	return limpet.Hooks{
		OnCreate: func(ctx context.Context, s limpet.Sandbox) error {
			h.note("create " + name + " " + look(ctx, s))
			return fails
		},
		OnDestroy: func(ctx context.Context, s limpet.Sandbox) error {
			h.note("destroy " + name + " " + look(ctx, s))
			return fails
		},
	}
}

// Lifecycle tests what a kind of sandbox does with a [limpet.Lifecycle]. Open makes one
// with it; left reports what sandboxes have left behind, and is called when there are
// none.
func Lifecycle(t *testing.T, open func(t *testing.T, cycle limpet.Lifecycle) (limpet.Sandbox, error), left func() []string) {
	t.Helper()
	setup := limpet.SetupScript{Script: "echo x > made; echo out; echo err >&2"}
	t.Run("order", func(t *testing.T) {
		var h history
		s, err := open(t, limpet.Lifecycle{Setup: setup, Hooks: []limpet.Hooks{h.hooks("a", nil), {}, h.hooks("b", nil)}})
		require.NoError(t, err)
		require.NoError(t, s.Close())
		require.NoError(t, s.Close())
		require.Equal(t, []string{"create a xx", "create b xx", "destroy b xx", "destroy a xx"}, h.lines)
		require.Empty(t, left())
	})
	t.Run("a setup script that fails", func(t *testing.T) {
		var h history
		_, err := open(t, limpet.Lifecycle{Setup: limpet.SetupScript{Script: "echo why; echo not >&2; exit 3"}, Hooks: []limpet.Hooks{h.hooks("a", nil)}})
		failed, ok := errors.AsType[*limpet.SetupError](err)
		require.True(t, ok, "%v", err)
		require.Equal(t, 3, failed.Result.Status)
		require.ErrorContains(t, err, "setup script failed with status 3\nwhy\nnot")
		require.Empty(t, h.lines)
		require.Empty(t, left())
	})
	t.Run("a setup script that takes too long", func(t *testing.T) {
		_, err := open(t, limpet.Lifecycle{Setup: limpet.SetupScript{Script: "echo begun; sleep 1000", Timeout: time.Second}})
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.ErrorContains(t, err, "begun")
		require.Empty(t, left())
	})
	t.Run("a hook that fails", func(t *testing.T) {
		var h history
		bad := errors.New("bad luck")
		_, err := open(t, limpet.Lifecycle{Setup: setup, Hooks: []limpet.Hooks{h.hooks("a", nil), h.hooks("b", bad), h.hooks("c", nil)}})
		require.ErrorIs(t, err, bad)
		require.Equal(t, []string{"create a xx", "create b xx", "destroy a xx"}, h.lines, "what has begun is ended")
		require.Empty(t, left())
	})
	t.Run("hooks that panic, fail and hang at the end", func(t *testing.T) {
		var h history
		stuck := limpet.Hooks{Timeout: 100 * time.Millisecond, OnDestroy: func(ctx context.Context, _ limpet.Sandbox) error {
			<-ctx.Done()
			return nil
		}}
		s, err := open(t, limpet.Lifecycle{Setup: setup, Hooks: []limpet.Hooks{
			h.hooks("a", nil),
			{OnDestroy: func(context.Context, limpet.Sandbox) error { panic("oh") }},
			{OnDestroy: func(context.Context, limpet.Sandbox) error { return errors.New("bad luck") }},
			stuck,
		}})
		require.NoError(t, err)
		err = s.Close()
		for _, part := range []string{"hook panicked: oh", "bad luck", "timed out after 100ms"} {
			require.ErrorContains(t, err, part)
		}
		require.Equal(t, []string{"create a xx", "destroy a xx"}, h.lines, "the others are called all the same")
		require.Empty(t, left(), "and all is cleaned up")
	})
	t.Run("an identity for git", func(t *testing.T) {
		s, err := open(t, limpet.Lifecycle{})
		require.NoError(t, err)
		hooks := limpet.GitIdentity("A N", "a@example.com")
		res, err := s.Exec(t.Context(), limpet.Request{Script: "command -v git"})
		require.NoError(t, err)
		if res.Status == 0 {
			require.NoError(t, hooks.OnCreate(t.Context(), s))
			res, err = s.Exec(t.Context(), limpet.Request{Script: "git config --global user.name; git config --global user.email"})
			require.NoError(t, err)
			require.Equal(t, "A N\na@example.com\n", string(res.Stdout))
		} else {
			require.Error(t, hooks.OnCreate(t.Context(), s), "there is no git")
		}
		require.NoError(t, s.Close())
	})
}
