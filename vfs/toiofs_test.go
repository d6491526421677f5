package vfs_test

import (
	"io/fs"
	"testing"
	"testing/fstest"

	"github.com/spf13/afero"
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

func TestFromAfero(t *testing.T) {
	under := afero.NewMemMapFs()
	require.NoError(t, under.MkdirAll("/a/b", 0o755))
	require.NoError(t, afero.WriteFile(under, "/a/f", []byte("text"), 0o640))
	require.NoError(t, afero.WriteFile(under, "/a/b/g", []byte("more"), 0o644))
	fsys := vfs.FromAfero(under)
	require.NoError(t, fstest.TestFS(vfs.ToIOFS(fsys), "a/f", "a/b/g"))
	vfstest.Script(t, fsys, `
		ls /a -> bd f
		cat /a/../a/f -> text
		lstat /a/f mode size -> -rw-r----- 4
		readlink /a/f -> EINVAL
		write /a/f x -> EROFS
		mkdir /a/f/x -> ENOTDIR
	`)
	over := overlay(t, fsys)
	vfstest.Script(t, over, `
		write /a/f changed
		mv /a/b /c
		cat /c/g -> more
		symlink f /a/l
		rmall /a
		ls / -> cd
	`)
	text, err := afero.ReadFile(under, "/a/f")
	require.NoError(t, err)
	require.Equal(t, "text", string(text))
	m := vfs.NewMem(vfs.MemOptions{})
	require.Same(t, m, vfs.FromAfero(m))
	vfstest.Script(t, m, "mkdirall /x/y\nwrite /x/f one")
	ok, err := afero.DirExists(m, "/x/y")
	require.NoError(t, err)
	require.True(t, ok)
}
