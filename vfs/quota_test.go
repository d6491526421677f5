package vfs_test

import (
	"io/fs"
	"testing"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"

	"github.com/limpet-sh/limpet/limits"
	"github.com/limpet-sh/limpet/vfs"
	"github.com/limpet-sh/limpet/vfs/vfstest"
)

// TestQuota lets two file systems reach what bounds them both, and one what bounds
// it alone.
func TestQuota(t *testing.T) {
	q := vfs.NewQuota(vfs.QuotaOptions{Storage: 1000, Files: 8})
	root := vfs.NewMem(vfs.MemOptions{Quota: q, FileSize: 900})
	tmp := vfs.NewMem(vfs.MemOptions{Quota: q, Storage: 300, Files: 3})
	m := vfs.NewMount(root)
	require.NoError(t, m.Mount("/tmp", tmp)) // makes a directory: 3 names
	vfstest.Script(t, m, `
		write /a REPEAT(350,x)
		write /tmp/a REPEAT(200,x) -> ENOSPC
		stat /tmp/a size -> 300
		symlink REPEAT(20,x) /l -> EDQUOT
		rm /tmp/a
		write /b REPEAT(350,x) -> EDQUOT
		stat /b size -> 300
		rm /b
		write /b REPEAT(460,x) -> EDQUOT
		cut /a 0
		write /b REPEAT(460,x) -> EFBIG
		rm /b
		write /tmp/b x
		write /tmp/c x
		write /tmp/d x -> ENOSPC
		write /b x
		mkdir /d
		write /e x -> EDQUOT
		ln /b /e -> EDQUOT
		rmall /d
		ln /b /e
	`)
	require.Equal(t, vfs.Usage{Bytes: 3, Files: 8}, q.Usage())
}

// TestQuotaOfCopies changes copies of a Mount, and restores it to one.
func TestQuotaOfCopies(t *testing.T) {
	q := vfs.NewQuota(vfs.QuotaOptions{Storage: 100, Files: limits.Unlimited})
	m := vfs.NewMount(vfs.NewMem(vfs.MemOptions{Quota: q}))
	require.NoError(t, m.Mount("/tmp", vfs.NewMem(vfs.MemOptions{Quota: q})))
	vfstest.Script(t, m, "write /f REPEAT(25,x)\n write /tmp/f REPEAT(10,x)")
	was := q.Usage()
	c, err := vfs.Fork(m)
	require.NoError(t, err)
	vfstest.Script(t, c, "write /tmp/g REPEAT(20,x) -> EDQUOT\n rm /f\n write /tmp/g REPEAT(20,x)")
	require.Equal(t, was, q.Usage(), "a copy has its own")
	vfstest.Script(t, m, "write /g REPEAT(20,x) -> EDQUOT\n rmall /f\n rmall /tmp/f")
	require.NoError(t, vfs.Restore(m, c))
	require.Equal(t, vfs.Usage{Bytes: 60, Files: was.Files}, q.Usage())
	vfstest.Script(t, m, "write /h REPEAT(25,x) -> EDQUOT\n rm /h\n rm /tmp/g\n write /h REPEAT(25,x)")

	full := vfs.NewQuota(vfs.QuotaOptions{Storage: 10, Files: limits.Unlimited})
	other := vfs.NewMem(vfs.MemOptions{Quota: full})
	from := vfs.NewMem(vfs.MemOptions{})
	vfstest.Script(t, from, "write /f REPEAT(25,x)")
	require.ErrorIs(t, vfs.Restore(other, from), vfs.EDQUOT)
	require.Equal(t, vfs.Usage{Files: 1}, full.Usage(), "nothing has changed")
	require.Equal(t, int64(50), from.ForkWith(vfs.MemOptions{Quota: q}).Usage().Bytes)
}

// TestOpenFiles opens more files than a file system, and than a session, may have
// open, in each of the ways in which a file is opened, and closes them.
func TestOpenFiles(t *testing.T) {
	q := vfs.NewQuota(vfs.QuotaOptions{OpenFiles: 6})
	root := vfs.NewMem(vfs.MemOptions{Quota: q, OpenFiles: 4})
	tmp := vfs.NewMem(vfs.MemOptions{Quota: q})
	m := vfs.NewMount(root)
	require.NoError(t, m.Mount("/tmp", tmp))
	vfstest.Script(t, m, "write /f x\n write /tmp/f x")
	require.NoError(t, m.Mknod("/null", fs.ModeDevice|fs.ModeCharDevice|0o666, vfs.Dev(1, 3)))

	var open []afero.File
	take := func(name string, flag int) error {
		f, err := m.OpenFile(name, flag, 0o600)
		if err == nil {
			open = append(open, f)
		}
		return err
	}
	free := func() {
		for _, f := range open {
			require.NoError(t, f.Close())
			require.Error(t, f.Close(), "twice")
		}
		open = nil
	}
	again := func(i int) error {
		f, err := open[i].(vfs.Reopener).Reopen(t.Context(), vfs.O_RDONLY)
		if err == nil {
			open = append(open, f)
		}
		return err
	}
	for range 3 {
		require.NoError(t, take("/f", vfs.O_RDWR))
		require.NoError(t, take("/", vfs.O_RDONLY))
		require.NoError(t, take("/null", vfs.O_RDWR))
		require.NoError(t, again(0))
		require.ErrorIs(t, take("/f", vfs.O_RDONLY), vfs.ENFILE)
		require.ErrorIs(t, take("/new", vfs.O_WRONLY|vfs.O_CREATE), vfs.ENFILE)
		_, err := m.Stat("/new")
		require.ErrorIs(t, err, vfs.ENOENT, "nothing is made")
		require.ErrorIs(t, take("/f", vfs.O_WRONLY|vfs.O_TRUNC), vfs.ENFILE)
		vfstest.Script(t, m, "stat /f size -> 1")
		require.ErrorIs(t, again(0), vfs.ENFILE)
		require.NoError(t, take("/tmp/f", vfs.O_RDONLY), "another file system")
		require.NoError(t, take("/tmp/g", vfs.O_RDWR|vfs.O_CREATE))
		require.ErrorIs(t, take("/tmp/f", vfs.O_RDONLY), vfs.EMFILE)
		require.ErrorIs(t, again(4), vfs.EMFILE)
		require.ErrorIs(t, take("/tmp/missing", vfs.O_RDONLY), vfs.EMFILE)
		require.Equal(t, int64(6), q.Usage().Open)

		c, err := vfs.Fork(m)
		require.NoError(t, err)
		vfstest.Script(t, c, "cat /f -> x") // what is open stays with the original
		free()
		require.Zero(t, q.Usage().Open)
		require.ErrorIs(t, take("/missing", vfs.O_RDONLY), vfs.ENOENT)
		require.ErrorIs(t, take("/f/x", vfs.O_RDONLY), vfs.ENOTDIR)
		require.Zero(t, q.Usage().Open, "what fails is not charged")
	}
}
