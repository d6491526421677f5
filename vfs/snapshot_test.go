package vfs_test

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/limpet-sh/limpet/internal/snapshot"
	"github.com/limpet-sh/limpet/limits"
	"github.com/limpet-sh/limpet/vfs"
	"github.com/limpet-sh/limpet/vfs/vfstest"
)

// saved returns fsys as bytes; since, if not nil, is what they are to go on from.
func saved(t testing.TB, fsys, since vfs.FS) []byte {
	t.Helper()
	var b bytes.Buffer
	w := snapshot.NewWriter(&b)
	vfs.WriteSnapshot(w, fsys, since)
	_, err := w.Close()
	require.NoError(t, err)
	return b.Bytes()
}

func loaded(data []byte, o vfs.MemOptions, since vfs.FS) (vfs.FS, error) {
	r := snapshot.NewReader(bytes.NewReader(data), limits.NewMeter(limits.Limits{}, nil))
	fsys := vfs.ReadSnapshot(r, o, since)
	_, err := r.Close()
	return fsys, err
}

func reload(t *testing.T, fsys vfs.FS) vfs.FS {
	back, err := loaded(saved(t, fsys, nil), vfs.MemOptions{}, nil)
	require.NoError(t, err)
	return back
}

// TestSnapshotSuite goes on with each test of the suite from bytes.
func TestSnapshotSuite(t *testing.T) {
	t.Run("Mem", func(t *testing.T) { vfstest.Suite{New: newMem, As: as, Between: reload}.Run(t) })
	t.Run("Overlay", func(t *testing.T) {
		vfstest.Suite{New: newMem, As: as, Between: func(t *testing.T, fsys vfs.FS) vfs.FS {
			return reload(t, overlay(t, fsys))
		}}.Run(t)
	})
	t.Run("increments", func(t *testing.T) {
		vfstest.Suite{New: newMem, As: as, Between: func(t *testing.T, fsys vfs.FS) vfs.FS {
			m := fsys.(*vfs.Mem)
			before := m.Fork()
			base := reload(t, before)
			require.NoError(t, m.MkdirAll("/more/d", 0o755))
			require.NoError(t, m.RemoveAll("/more"))
			back, err := loaded(saved(t, m.Fork(), before), vfs.MemOptions{}, base)
			require.NoError(t, err)
			return back
		}}.Run(t)
	})
}
