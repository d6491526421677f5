package box_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/limpet-sh/limpet"
	"github.com/limpet-sh/limpet/adapters/internal/box"
	"github.com/limpet-sh/limpet/netpolicy/proxy"
	"github.com/stretchr/testify/require"
)

// Every command sources what sets up the proxy; it is renewed when half of its time is
// over, and in no file that others can read.
func TestSetup(t *testing.T) {
	dir := t.TempDir()
	made := 0
	link := &shLink{fault: func(call int) string {
		return map[int]string{2: "cut", 3: "lost"}[call] // 1 is the probe
	}}
	b, err := box.Open(t.Context(), box.Options{
		Kind: "test", Link: link, Control: filepath.Join(dir, "control"), Workspace: filepath.Join(dir, "work"), Background: true,
		Setup: func(context.Context) (proxy.Setup, error) {
			made++
			return proxy.Setup{
				Script: fmt.Sprintf("export KEY='key %d' BUNDLE='%s'\n", made, box.Bundle(filepath.Join(dir, "control"))), CA: []byte("the authority\n"), Expires: time.Now().Add(time.Hour),
			}, nil
		},
	})
	require.NoError(t, err)
	defer b.Close()
	run := func(s interface {
		Exec(context.Context, limpet.Request) (*limpet.Result, error)
	}, script string) string {
		t.Helper()
		res, err := s.Exec(t.Context(), limpet.Request{Script: script})
		require.NoError(t, err)
		return string(res.Stdout) + string(res.Stderr)
	}
	require.Equal(t, "key 1\nthe authority\n", run(b, `echo "$KEY"; head -1 "$BUNDLE"`))
	require.Equal(t, "key 1\n", run(b, `echo "$KEY"`), "it is good for a while")
	info, err := os.Stat(filepath.Join(dir, "control", "setup"))
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode())
	c, err := b.OpenSession(t.Context(), limpet.SessionOptions{})
	require.NoError(t, err)
	require.Equal(t, "key 1\n", run(c, `echo "$KEY"`))
	require.NoError(t, c.Close())
	require.Equal(t, 1, made)

	short, err := box.Open(t.Context(), box.Options{
		Kind: "test", Link: &shLink{}, Control: filepath.Join(dir, "short"), Workspace: filepath.Join(dir, "work"),
		Setup: func(context.Context) (proxy.Setup, error) {
			if made++; made == 4 {
				return proxy.Setup{}, errors.New("no answer")
			}
			return proxy.Setup{Script: fmt.Sprintf("export KEY=%d\n", made), Expires: time.Now()}, nil
		},
	})
	require.NoError(t, err)
	defer short.Close()
	require.Equal(t, "2\n", run(short, `echo "$KEY"`))
	require.Equal(t, "3\n", run(short, `echo "$KEY"`), "its time is over")
	_, err = short.Exec(t.Context(), limpet.Request{Script: "echo"})
	require.ErrorContains(t, err, "cannot set up the proxy of the sandbox: no answer")
}
