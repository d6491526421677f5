package vfs_test

import (
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/limpet-sh/limpet/vfs"
	"github.com/limpet-sh/limpet/vfs/vfstest"
)

// TestModel does random things to file systems and to a map of paths. MODEL_STEPS
// says how many, where it is set: a million take minutes.
func TestModel(t *testing.T) {
	steps := 1000
	if s := os.Getenv("MODEL_STEPS"); s != "" {
		var err error
		steps, err = strconv.Atoi(s)
		require.NoError(t, err)
	}
	seeds := []uint64{1, 2, 3, 4, uint64(time.Now().UnixNano())}
	mem := func() *vfs.Mem { return vfs.NewMem(vfs.MemOptions{}) }
	for name, fresh := range map[string]func() vfs.FS{
		"Mem":                 func() vfs.FS { return mem() },
		"fork":                func() vfs.FS { return mem().Fork() },
		"Overlay":             func() vfs.FS { return overlay(t, mem()) },
		"Mount":               func() vfs.FS { return vfs.NewMount(mem()) },
		"Mount that resolves": func() vfs.FS { return vfs.NewMount(opaque{mem()}) },
	} {
		t.Run(name, func(t *testing.T) {
			for _, seed := range seeds {
				t.Log("seed", seed)
				vfstest.CompareModel(t, seed, steps, fresh())
			}
		})
	}
}
