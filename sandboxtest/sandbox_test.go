package sandboxtest_test

import (
	"context"
	"errors"
	"io/fs"
	"testing"

	"github.com/limpet-sh/limpet"
	"github.com/limpet-sh/limpet/builtins/git"
	"github.com/limpet-sh/limpet/sandboxtest"
	"github.com/stretchr/testify/require"
)

// TestMain fails when a test has left a goroutine behind.
func TestMain(m *testing.M) { sandboxtest.Main(m) }

func TestShell(t *testing.T) { runShell(t, false) }

func TestShellWithProcesses(t *testing.T) { runShell(t, true) }

func runShell(t *testing.T, background bool) {
	sandboxtest.Run(t, func(t *testing.T) limpet.Sandbox {
		sh, err := limpet.New(limpet.Config{Background: background})
		require.NoError(t, err)
		return sh
	})
}

func TestNone(t *testing.T) {
	sandboxtest.Run(t, func(*testing.T) limpet.Sandbox { return limpet.None{} })
}

func TestShellLifecycle(t *testing.T) {
	sandboxtest.Lifecycle(t, func(_ *testing.T, cycle limpet.Lifecycle) (limpet.Sandbox, error) {
		return limpet.New(limpet.Config{Lifecycle: cycle, Extra: git.Commands()})
	}, func() []string { return nil })
}

// A custom sandbox is what an application makes: here one that runs its scripts in a
// shell, and says nothing of what else it can do until it opts in.
type custom struct {
	shell limpet.Sandbox
	life  limpet.Life
}

func newCustom(ctx context.Context, cycle limpet.Lifecycle) (*custom, error) {
	sh, err := limpet.New(limpet.Config{Background: true, Extra: git.Commands()})
	if err != nil {
		return nil, err
	}
	c := &custom{shell: sh}
	if err := c.life.Begin(ctx, cycle, c); err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return c, nil
}

func (c *custom) Exec(ctx context.Context, req limpet.Request) (*limpet.Result, error) {
	return c.shell.Exec(ctx, req)
}

func (c *custom) ReadFile(ctx context.Context, name string) ([]byte, error) {
	return c.shell.ReadFile(ctx, name)
}

func (c *custom) WriteFile(ctx context.Context, name string, data []byte, perm fs.FileMode) error {
	return c.shell.WriteFile(ctx, name, data, perm)
}

func (c *custom) OpenSession(ctx context.Context, o limpet.SessionOptions) (limpet.Conversation, error) {
	return c.shell.OpenSession(ctx, o)
}

func (c *custom) Workspace() string { return c.shell.Workspace() }
func (c *custom) Close() error      { return errors.Join(c.life.End(c), c.shell.Close()) }

// processing is one that has opted in to background processes.
type processing struct{ *custom }

func (p processing) Processes() (limpet.Processes, error) { return limpet.ProcessesOf(p.shell) }

func TestCustom(t *testing.T) {
	open := func(t *testing.T) *custom {
		c, err := newCustom(t.Context(), limpet.Lifecycle{})
		require.NoError(t, err)
		return c
	}
	t.Run("plain", func(t *testing.T) { sandboxtest.Run(t, func(t *testing.T) limpet.Sandbox { return open(t) }) })
	t.Run("with processes", func(t *testing.T) {
		sandboxtest.Run(t, func(t *testing.T) limpet.Sandbox { return processing{open(t)} })
	})
	sandboxtest.Lifecycle(t, func(t *testing.T, cycle limpet.Lifecycle) (limpet.Sandbox, error) {
		return newCustom(t.Context(), cycle)
	}, func() []string { return nil })
	c := open(t)
	_, err := limpet.ProcessesOf(c)
	require.ErrorContains(t, err, "background processes are not available in this sandbox")
	_, err = limpet.FilesOf(c)
	require.ErrorIs(t, err, errors.ErrUnsupported)
	_, err = limpet.Expose(t.Context(), c, 80)
	require.ErrorIs(t, err, errors.ErrUnsupported)
	require.False(t, limpet.Streams(c))
	require.Equal(t, limpet.AccessFull, limpet.AccessOf(c))
	require.NoError(t, c.Close())
}
