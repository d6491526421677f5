package hostdir_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/limpet-sh/limpet/vfs"
	"github.com/limpet-sh/limpet/vfs/hostdir"
	"github.com/limpet-sh/limpet/vfs/vfstest"
)

func open(t *testing.T, dir string, o hostdir.Options) *hostdir.Dir {
	d, err := hostdir.Open(dir, o)
	require.NoError(t, err)
	t.Cleanup(func() { d.Close() })
	return d
}

func TestSuite(t *testing.T) {
	vfstest.Suite{
		New:     func(t *testing.T) vfs.FS { return open(t, t.TempDir(), hostdir.Options{}) },
		NoNodes: true,
	}.Run(t)
}

func TestSuiteOverlay(t *testing.T) {
	vfstest.Suite{
		New: func(t *testing.T) vfs.FS { return open(t, t.TempDir(), hostdir.Options{}) },
		Between: func(t *testing.T, fsys vfs.FS) vfs.FS {
			m, err := vfs.NewOverlay(vfs.ReadOnly(fsys), vfs.MemOptions{})
			require.NoError(t, err)
			return m
		},
		NoNodes: true,
	}.Run(t)
}
