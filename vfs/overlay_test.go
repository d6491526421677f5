package vfs_test

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/limpet-sh/limpet/vfs"
	"github.com/limpet-sh/limpet/vfs/vfstest"
)

func TestOverlayLeavesLower(t *testing.T) {
	lower := vfs.NewMem(vfs.MemOptions{})
	vfstest.Script(t, lower, `
		mkdirall /d/e
		write /d/f text
		ln /d/f /d/g
		symlink f /d/l
		utime 1 2 /d/f
	`)
	before := lower.Fork()
	m, err := vfs.NewOverlay(vfs.ReadOnly(lower), vfs.MemOptions{Storage: 100, Files: 3})
	require.NoError(t, err)
	vfstest.Script(t, m, `
		times /d/f -> 1 2
		same /d/f /d/g -> true
		open a wa /d/f
		put a +more
		cat /d/g -> text+more
		rm /d/f
		stat /d/g links -> 1
		mv /d /x
		cat /x/l -> ENOENT
		cat /x/g -> text+more
		mkdir /d
		ls /d ->
		rmall /x
		ls / -> dd
		write /d/1 x
		write /d/2 x -> ENOSPC
	`)
	require.Equal(t, vfs.Usage{Bytes: 1, Files: 3}, m.Usage())
	vfstest.Script(t, lower, `
		ls / -> dd
		ls /d -> ed f g lL
		cat /d/f -> text
		stat /d/f links -> 2
	`)
	require.Equal(t, before.Usage(), lower.Usage())
}

func TestOverlayContent(t *testing.T) {
	rnd := rand.New(rand.NewPCG(5, 6))
	for range 50 {
		model := make([]byte, rnd.IntN(400_000))
		for i := range model {
			model[i] = byte(rnd.Uint32())
		}
		lower := vfs.NewMem(vfs.MemOptions{})
		require.NoError(t, vfs.WriteFile(lower, "/f", model, 0o644))
		m, err := vfs.NewOverlay(vfs.ReadOnly(lower), vfs.MemOptions{})
		require.NoError(t, err)
		f, err := m.OpenFile("/f", vfs.O_RDWR, 0)
		require.NoError(t, err)
		for i := range 10 {
			at := rnd.IntN(500_000)
			if rnd.IntN(4) == 0 {
				require.NoError(t, f.Truncate(int64(at)))
				model = append(model, make([]byte, max(at-len(model), 0))...)[:at]
				continue
			}
			p := bytes.Repeat([]byte{byte(i)}, 1+rnd.IntN(150_000))
			_, err := f.WriteAt(p, int64(at))
			require.NoError(t, err)
			model = append(model, make([]byte, max(at+len(p)-len(model), 0))...)
			copy(model[at:], p)
		}
		got, err := vfs.ReadFile(m.Fork(), "/f")
		require.NoError(t, err)
		require.True(t, bytes.Equal(model, got))
		require.NoError(t, f.Truncate(0))
		info, err := f.Stat()
		require.NoError(t, err)
		require.Zero(t, vfs.StatOf(info).Blocks)
		require.Zero(t, m.Usage().Bytes)
	}
}

func TestOverlayQuota(t *testing.T) {
	lower := vfs.NewMem(vfs.MemOptions{})
	require.NoError(t, vfs.WriteFile(lower, "/f", bytes.Repeat([]byte("x"), 100_000), 0o644))
	m, err := vfs.NewOverlay(lower, vfs.MemOptions{Storage: 50_000})
	require.NoError(t, err)
	f, err := m.OpenFile("/f", vfs.O_RDWR, 0)
	require.NoError(t, err)
	_, err = f.WriteAt([]byte("y"), 10)
	require.ErrorIs(t, err, vfs.ENOSPC, "the page does not fit")
	n, err := f.WriteAt(bytes.Repeat([]byte("y"), 65536), 0)
	require.Zero(t, n)
	require.ErrorIs(t, err, vfs.ENOSPC)
	_, err = f.WriteAt([]byte("y"), 99_999)
	require.NoError(t, err)
	data, err := vfs.ReadFile(m, "/f")
	require.NoError(t, err)
	require.Equal(t, append(bytes.Repeat([]byte("x"), 99_999), 'y'), data)
}
