package vfs_test

import (
	"fmt"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/limpet-sh/limpet/vfs"
)

// TestBytesPerFile holds a Mem to a few hundred bytes for a small file.
func TestBytesPerFile(t *testing.T) {
	heap := func() int64 {
		runtime.GC()
		var s runtime.MemStats
		runtime.ReadMemStats(&s)
		return int64(s.HeapAlloc)
	}
	before := heap()
	m := vfs.NewMem(vfs.MemOptions{})
	const n = 50_000
	for i := range n {
		if i%1000 == 0 {
			require.NoError(t, m.Mkdir(fmt.Sprintf("/%02d", i/1000), 0o755))
		}
		require.NoError(t, vfs.WriteFile(m, fmt.Sprintf("/%02d/%03d", i/1000, i%1000), make([]byte, 100), 0o644))
	}
	perFile := (heap() - before) / n
	t.Log(perFile, "bytes for a file of 100")
	require.Less(t, perFile, int64(600))
	runtime.KeepAlive(m)
}
