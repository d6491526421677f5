package lease_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/limpet-sh/limpet/adapters/internal/lease"
	"github.com/stretchr/testify/require"
)

// An owner that is killed leaves a directory that others find; one that lives does
// not.
func TestOrphans(t *testing.T) {
	if base := os.Getenv("LEASE_BASE"); base != "" { // the owner
		l, err := lease.New(base)
		require.NoError(t, err)
		require.NoError(t, l.Record("left behind"))
		require.NoError(t, os.Mkdir(filepath.Join(l.Dir, "closed"), 0o000))
		me, err := os.FindProcess(os.Getpid())
		require.NoError(t, err)
		require.NoError(t, me.Kill())
		select {}
	}
	base := t.TempDir()
	live, err := lease.New(base)
	require.NoError(t, err)
	dead := exec.Command(os.Args[0], "-test.run", "TestOrphans")
	dead.Env = append(os.Environ(), "LEASE_BASE="+base)
	require.Error(t, dead.Run())

	orphans, err := lease.Orphans(base)
	require.NoError(t, err)
	require.Len(t, orphans, 1)
	require.NotEqual(t, live.ID, orphans[0].ID)
	var left string
	require.NoError(t, orphans[0].Recorded(&left))
	require.Equal(t, "left behind", left)
	again, err := lease.Orphans(base)
	require.NoError(t, err)
	require.Empty(t, again, "they are taken")
	require.NoError(t, orphans[0].End())
	require.DirExists(t, live.Dir, "nothing of the living is touched")
	require.NoError(t, live.End())
	entries, err := os.ReadDir(base)
	require.NoError(t, err)
	require.Empty(t, entries)
}
