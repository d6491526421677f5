package box_test

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"github.com/limpet-sh/limpet"
	"github.com/limpet-sh/limpet/adapters/internal/box"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

// TestMain fails when a test has left a goroutine behind.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// A local is a sandbox in a directory of this host.
type local struct {
	*box.Box
	dir string
	end func() error
}

func (l local) Workspace() string { return filepath.Join(l.dir, "work") }
func (l local) Close() error      { return l.end() }

// A shLink runs scripts here. Some answers of it are lost, and some inputs cut.
type shLink struct {
	mu    sync.Mutex
	calls int
	fault func(call int) string
}

func (l *shLink) Run(ctx context.Context, script string, input []byte) ([]byte, error) {
	l.mu.Lock()
	l.calls++
	fault := ""
	if l.fault != nil {
		fault = l.fault(l.calls)
	}
	l.mu.Unlock()
	if fault == "unsent" {
		return nil, &box.LostError{Err: errors.New("unsent")}
	}
	if fault == "cut" {
		input = input[:len(input)/2]
	}
	cmd := exec.CommandContext(ctx, "sh", "-c", script)
	cmd.Stdin = bytes.NewReader(input)
	out, _ := cmd.Output()
	if fault == "lost" || fault == "cut" {
		return nil, &box.LostError{Err: errors.New("lost")}
	}
	return out, ctx.Err()
}

func open(t *testing.T, link box.Link) limpet.Sandbox {
	dir, err := os.MkdirTemp("", "box")
	require.NoError(t, err)
	require.NoError(t, os.Mkdir(filepath.Join(dir, "work"), 0o755))
	b, err := box.Open(t.Context(), box.Options{
		Kind: "test", Link: link, Control: filepath.Join(dir, "control"), Workspace: filepath.Join(dir, "work"), Background: true,
	})
	require.NoError(t, err)
	return local{b, dir, sync.OnceValue(func() error {
		b.Close()
		return os.RemoveAll(dir)
	})}
}

// Answers that are lost, and inputs that arrive in part, change nothing: each script
// runs once.
func TestLost(t *testing.T) {
	for _, fault := range []string{"unsent", "lost", "cut"} {
		t.Run(fault, func(t *testing.T) {
			s := open(t, &shLink{fault: func(call int) string {
				if call%2 != 0 {
					return fault
				}
				return ""
			}})
			ctx := t.Context()
			for range 3 {
				res, err := s.Exec(ctx, limpet.Request{Script: "cat >> log; echo printed", Stdin: bytes.NewReader([]byte("a line of input\n"))})
				require.NoError(t, err)
				require.Equal(t, "printed\n", string(res.Stdout))
			}
			data, err := s.ReadFile(ctx, "log")
			require.NoError(t, err)
			require.Equal(t, "a line of input\na line of input\na line of input\n", string(data))
			require.NoError(t, s.WriteFile(ctx, "d/f", []byte("content"), fs.FileMode(0o600)))
			data, err = s.ReadFile(ctx, "d/f")
			require.NoError(t, err)
			require.Equal(t, "content", string(data))
			require.NoError(t, s.Close())
		})
	}
}
