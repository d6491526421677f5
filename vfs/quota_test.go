package vfs_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/limpet-sh/limpet/limits"
	"github.com/limpet-sh/limpet/vfs"
	"github.com/limpet-sh/limpet/vfs/vfstest"
)

// TestQuota lets two file systems reach what bounds them both, and one what bounds
// it alone.
func TestQuota(t *testing.T) {
	q := vfs.NewQuota(1000, 8)
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
	q := vfs.NewQuota(100, limits.Unlimited)
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

	full := vfs.NewQuota(10, limits.Unlimited)
	other := vfs.NewMem(vfs.MemOptions{Quota: full})
	from := vfs.NewMem(vfs.MemOptions{})
	vfstest.Script(t, from, "write /f REPEAT(25,x)")
	require.ErrorIs(t, vfs.Restore(other, from), vfs.EDQUOT)
	require.Equal(t, vfs.Usage{Files: 1}, full.Usage(), "nothing has changed")
	require.Equal(t, int64(50), from.ForkWith(vfs.MemOptions{Quota: q}).Usage().Bytes)
}
