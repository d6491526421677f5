package lease_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

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

// A clock that is stepped, forward or back, makes no orphan and hides none.
func TestSteppedClock(t *testing.T) {
	base := filepath.Join(t.TempDir(), "kind")
	require.NoError(t, os.Mkdir(base, 0o755))
	for _, when := range []time.Duration{-1000 * time.Hour, 0, 1000 * time.Hour} {
		live, err := lease.New(base)
		require.NoError(t, err)
		dead := filepath.Join(base, "0123456789abcdef") // whose owner was killed before it had its lock
		require.NoError(t, os.Mkdir(dead, 0o700))
		for _, dir := range []string{live.Dir, dead} {
			require.NoError(t, os.Chtimes(dir, time.Now().Add(when), time.Now().Add(when)))
		}
		orphans, err := lease.Orphans(base)
		require.NoError(t, err)
		require.Len(t, orphans, 1, "%v", when)
		require.Equal(t, dead, orphans[0].Dir)
		require.NoError(t, orphans[0].End())
		require.NoError(t, live.End())
	}
}

// Owners that begin while others clean up keep what they have.
func TestBeginningWhileOthersCleanUp(t *testing.T) {
	base := filepath.Join(t.TempDir(), "kind")
	require.NoError(t, os.Mkdir(base, 0o755))
	stop := make(chan struct{})
	var cleaners, owners sync.WaitGroup
	for range 2 {
		cleaners.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				orphans, err := lease.Orphans(base)
				if err != nil || len(orphans) > 0 {
					t.Errorf("orphans among the living: %v, %v", orphans, err)
				}
			}
		})
	}
	for range 4 {
		owners.Go(func() {
			for range 50 {
				l, err := lease.New(base)
				if err == nil {
					err = l.Record("mine")
				}
				if err == nil {
					err = l.End()
				}
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	owners.Wait()
	close(stop)
	cleaners.Wait()
}
