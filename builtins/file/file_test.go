package file

import (
	"context"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/limpet-sh/limpet/internal/calltest"
	"github.com/limpet-sh/limpet/limits"
	"github.com/stretchr/testify/require"
)

// TestDeep checks that trees as deep as names can be take heap and no stack.
func TestDeep(t *testing.T) {
	m := calltest.New(t, Commands(), nil)
	deep := strings.TrimSuffix(strings.Repeat("d/", 1000), "/")
	require.Equal(t, calltest.Result{}, m.Run(t, "", "mkdir", "-p", deep))
	for _, args := range [][]string{
		{"chmod", "-R", "700", "d"}, {"chown", "-R", "0", "d"}, {"cp", "-r", "d", "e"}, {"cp", "-r", "d", "e"}, {"rm", "-r", "e"},
	} {
		require.Equal(t, calltest.Result{}, m.Run(t, "", args...), args)
	}
	for _, args := range [][]string{{"ls", "-R", "d"}, {"du", "d"}, {"tree", "--noreport", "d"}} {
		got := m.Run(t, "", args...)
		require.Zero(t, got.Status, args)
		require.Contains(t, got.Stdout, "d\n", args)
	}
	require.Equal(t, calltest.Result{}, m.Run(t, "", "rm", "-r", "d"))
}

// wide makes a directory d with n files.
func wide(t *testing.T, m *calltest.Machine, n int) {
	t.Helper()
	require.NoError(t, m.FS.Mkdir(calltest.Dir+"/d", 0o755))
	for i := range n {
		f, err := m.FS.Create(calltest.Dir + "/d/" + strconv.Itoa(i))
		require.NoError(t, err)
		require.NoError(t, f.Close())
	}
}

// TestCancel checks that the end of the context ends the commands that may have
// much to do.
func TestCancel(t *testing.T) {
	m := calltest.New(t, Commands(), nil)
	wide(t, m, 2000)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, line := range []string{"ls -l d", "du -a d", "tree d", "chmod -R 700 d", "chown -R 0 d", "cp -r d e", "rm -r d",
		"dd if=/dev/zero of=f", "cp /dev/zero f", "shred -s 1G d/1"} {
		got := m.RunContext(ctx, strings.NewReader(""), strings.Fields(line)...)
		require.ErrorIs(t, got.Err, context.Canceled, line)
	}
}

// TestMemory checks that what commands hold of a wide directory is charged, and
// given back.
func TestMemory(t *testing.T) {
	m := calltest.New(t, Commands(), nil)
	wide(t, m, 2000)
	for _, line := range []string{"ls d", "ls -l d", "tree d", "du -a d", "chmod -R 700 d", "cp -r d e"} {
		m.Limits = limits.Limits{Memory: 64 << 10}
		require.True(t, m.Run(t, "", strings.Fields(line)...).Exceeded(), line)
		m.Limits = limits.Limits{Memory: 4 << 20}
		require.NoError(t, m.Run(t, "", strings.Fields(line)...).Err, line)
	}
}

// TestSparse checks that a file with holes is copied in little time and room.
func TestSparse(t *testing.T) {
	m := calltest.New(t, Commands(), nil)
	m.Run(t, "", "truncate", "-s", "100M", "f")
	start := time.Now()
	require.Equal(t, calltest.Result{}, m.Run(t, "", "cp", "f", "g"))
	require.Less(t, time.Since(start), 10*time.Second)
	require.Equal(t, "104857600 0\n", m.Run(t, "", "stat", "-c", "%s %b", "g").Stdout)
}
