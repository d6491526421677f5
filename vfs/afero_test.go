package vfs_test

import (
	"io/fs"
	"testing"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"

	"github.com/limpet-sh/limpet/vfs"
	"github.com/limpet-sh/limpet/vfs/vfstest"
)

// TestAferoSuite runs the suite on overlays of file systems of package afero that
// hold what a test has made so far.
func TestAferoSuite(t *testing.T) {
	for name, fresh := range map[string]func(t *testing.T) afero.Fs{
		"MemMapFs": func(*testing.T) afero.Fs { return afero.NewMemMapFs() },
		"OsFs":     func(t *testing.T) afero.Fs { return afero.NewBasePathFs(afero.NewOsFs(), t.TempDir()) },
	} {
		t.Run(name, func(t *testing.T) {
			vfstest.Suite{New: newMem, As: as, Between: func(t *testing.T, fsys vfs.FS) vfs.FS {
				under := fresh(t)
				if !copied(t, fsys, under, "") {
					return nil
				}
				return overlay(t, vfs.FromAfero(under))
			}}.Run(t)
		})
	}
}

// copied copies what is in dir, and reports whether that could be done. What afero
// knows of a file are its content, its mode, its time and, of some file systems, a
// symbolic link.
func copied(t *testing.T, from vfs.FS, to afero.Fs, dir string) bool {
	list, err := vfs.ReadDir(from, dir+"/")
	require.NoError(t, err)
	for _, e := range list {
		name := dir + "/" + e.Name()
		info, err := e.Info()
		require.NoError(t, err)
		st, mode := vfs.StatOf(info), info.Mode()
		switch {
		case st.UID != 0, st.GID != 0, !mode.IsDir() && st.Nlink > 1, mode&(fs.ModeSetuid|fs.ModeSetgid|fs.ModeSticky) != 0:
			return false
		case mode.IsDir():
			require.NoError(t, to.Mkdir(name, 0o755))
			if !copied(t, from, to, name) {
				return false
			}
		case mode.IsRegular():
			data, err := vfs.ReadFile(from, name)
			require.NoError(t, err)
			require.NoError(t, afero.WriteFile(to, name, data, 0o600))
		default:
			return false
		}
		require.NoError(t, to.Chmod(name, mode.Perm()))
		require.NoError(t, to.Chtimes(name, st.Atime, info.ModTime()))
	}
	return true
}
