package vfs_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/limpet-sh/limpet/vfs"
	"github.com/limpet-sh/limpet/vfs/vfstest"
)

func as(fsys vfs.FS, u vfs.User) vfs.FS { return fsys.(*vfs.Mem).As(u) }

func newMem(*testing.T) vfs.FS { return vfs.NewMem(vfs.MemOptions{}) }

func TestSuite(t *testing.T) {
	t.Run("Mem", func(t *testing.T) { vfstest.Suite{New: newMem, As: as}.Run(t) })
	t.Run("fork", func(t *testing.T) {
		vfstest.Suite{New: func(*testing.T) vfs.FS { return vfs.NewMem(vfs.MemOptions{}).Fork() }, As: as}.Run(t)
	})
	t.Run("fork on the way", func(t *testing.T) {
		vfstest.Suite{New: newMem, As: as, Between: func(_ *testing.T, fsys vfs.FS) vfs.FS {
			return fsys.(*vfs.Mem).Fork()
		}}.Run(t)
	})
	t.Run("Overlay", func(t *testing.T) {
		vfstest.Suite{New: newMem, As: as, Between: overlay}.Run(t)
	})
	t.Run("Overlay of an overlay", func(t *testing.T) {
		vfstest.Suite{New: newMem, As: as, Between: func(t *testing.T, fsys vfs.FS) vfs.FS {
			return overlay(t, vfs.ReadOnly(overlay(t, fsys)))
		}}.Run(t)
	})
	t.Run("Overlay of an fs.FS", func(t *testing.T) {
		vfstest.Suite{New: newMem, As: as, Between: func(t *testing.T, fsys vfs.FS) vfs.FS {
			return overlay(t, vfs.FromIOFS(vfs.ToIOFS(fsys)))
		}}.Run(t)
	})
	t.Run("Faulty that never fails", func(t *testing.T) {
		vfstest.Run(t, func(*testing.T) vfs.FS { return vfstest.Faulty(vfs.NewMem(vfs.MemOptions{}), never) })
	})
	t.Run("Mount of one", func(t *testing.T) {
		vfstest.Run(t, func(*testing.T) vfs.FS { return vfs.NewMount(vfs.NewMem(vfs.MemOptions{})) })
	})
	t.Run("Mount that resolves", func(t *testing.T) {
		vfstest.Run(t, func(*testing.T) vfs.FS { return vfs.NewMount(opaque{vfs.NewMem(vfs.MemOptions{})}) })
	})
}

func overlay(t *testing.T, lower vfs.FS) vfs.FS {
	m, err := vfs.NewOverlay(vfs.ReadOnly(lower), vfs.MemOptions{})
	require.NoError(t, err)
	return m
}

// An opaque is an FS that a Mount has no short way with.
type opaque struct{ vfs.FS }
