package vfs_test

import (
	"io/fs"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/limpet-sh/limpet/vfs"
	"github.com/limpet-sh/limpet/vfs/vfstest"
)

func TestIOFS(t *testing.T) {
	m := vfs.NewMem(vfs.MemOptions{})
	vfstest.Script(t, m, `
		mkdirall /a/b/c
		write /a/f text
		write /a/b/g more
		write /empty
		symlink f /a/link
		symlink /a/b /dir
	`)
	over := overlay(t, vfs.ReadOnly(m))
	for name, fsys := range map[string]vfs.FS{
		"Mem": m, "Mount": vfs.NewMount(opaque{m}), "ReadOnly": vfs.ReadOnly(m), "Overlay": over, "FromIOFS": vfs.FromIOFS(vfs.ToIOFS(m)),
	} {
		t.Run(name, func(t *testing.T) {
			out := vfs.ToIOFS(fsys)
			require.NoError(t, fstest.TestFS(out, "a/b/c", "a/f", "a/b/g", "empty", "a/link"))
			text, err := fs.ReadLink(out, "a/link")
			require.NoError(t, err)
			require.Equal(t, "f", text)
			_, err = fs.ReadFile(out, "a/none")
			require.EqualError(t, err, "open a/none: No such file or directory")
			_, err = fs.Stat(out, "a/../a")
			require.ErrorIs(t, err, fs.ErrInvalid)
		})
	}
}
