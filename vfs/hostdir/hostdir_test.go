package hostdir_test

import (
	"strconv"
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

// TestCompare compares a Mem, and an overlay of a Dir, with what the host's
// kernel does.
func TestCompare(t *testing.T) {
	for seed := range uint64(50) {
		t.Run(strconv.FormatUint(seed, 10), func(t *testing.T) {
			m := vfs.NewMem(vfs.MemOptions{})
			if seed%5 == 0 {
				var err error
				m, err = vfs.NewOverlay(open(t, t.TempDir(), hostdir.Options{}), vfs.MemOptions{})
				require.NoError(t, err)
			}
			vfstest.Compare(t, seed, 300, m, open(t, t.TempDir(), hostdir.Options{}))
		})
	}
}
