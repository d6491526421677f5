package archive_test

import (
	"bytes"
	"io/fs"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/limpet-sh/limpet/vfs"
	"github.com/limpet-sh/limpet/vfs/archive"
	"github.com/limpet-sh/limpet/vfs/vfstest"
)

// TestSuite runs the suite on overlays of what archives hold of the files that a
// test has made so far.
func TestSuite(t *testing.T) {
	t.Run("tar", func(t *testing.T) {
		vfstest.Suite{New: newMem, As: as, Between: func(t *testing.T, fsys vfs.FS) vfs.FS {
			if !holds(t, fsys, "/", func(fs.FileInfo, *vfs.Stat) bool { return true }) {
				return nil
			}
			var b bytes.Buffer
			require.NoError(t, archive.WriteTar(&b, fsys, "/"))
			m := vfs.NewMem(vfs.MemOptions{})
			require.NoError(t, archive.ReadTar(&b, m, "/"))
			return overlay(t, m)
		}}.Run(t)
	})
	t.Run("zip", func(t *testing.T) {
		vfstest.Suite{New: newMem, As: as, Between: func(t *testing.T, fsys vfs.FS) vfs.FS {
			if !holds(t, fsys, "/", zippable) {
				return nil
			}
			var b bytes.Buffer
			require.NoError(t, archive.WriteZip(&b, fsys, "/"))
			m := vfs.NewMem(vfs.MemOptions{})
			require.NoError(t, archive.ReadZip(bytes.NewReader(b.Bytes()), int64(b.Len()), m, "/"))
			return overlay(t, m)
		}}.Run(t)
	})
}

func newMem(*testing.T) vfs.FS { return vfs.NewMem(vfs.MemOptions{}) }

func as(fsys vfs.FS, u vfs.User) vfs.FS { return fsys.(*vfs.Mem).As(u) }

func overlay(t *testing.T, lower vfs.FS) vfs.FS {
	m, err := vfs.NewOverlay(vfs.ReadOnly(lower), vfs.MemOptions{})
	require.NoError(t, err)
	return m
}

// zippable reports whether a zip archive can hold a file: it has neither owners,
// nor several names of a file, FIFOs and devices.
func zippable(info fs.FileInfo, st *vfs.Stat) bool {
	return st.UID == 0 && st.GID == 0 && (info.IsDir() || st.Nlink == 1) &&
		info.Mode()&(fs.ModeNamedPipe|fs.ModeDevice|fs.ModeSocket) == 0
}

// holds reports whether all files below dir are such as can holds, and have no
// access time that was set to something else than the other.
func holds(t *testing.T, fsys vfs.FS, dir string, can func(info fs.FileInfo, st *vfs.Stat) bool) bool {
	list, err := vfs.ReadDir(fsys, dir)
	require.NoError(t, err)
	for _, e := range list {
		info, err := e.Info()
		require.NoError(t, err)
		st := vfs.StatOf(info)
		if st.Atime.Sub(info.ModTime()).Abs() >= time.Second || !can(info, st) || info.IsDir() && !holds(t, fsys, dir+e.Name()+"/", can) {
			return false
		}
	}
	return true
}
