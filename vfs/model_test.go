package vfs_test

import (
	"os"
	"strconv"
	"strings"
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
		"Mount of several":    func() vfs.FS { return nested(t, mem(), mem(), overlay(t, mem()), mem()) },
		"Mount of several that resolves": func() vfs.FS {
			return nested(t, opaque{mem()}, mem(), opaque{mem()}, mem())
		},
	} {
		t.Run(name, func(t *testing.T) {
			for _, seed := range seeds {
				t.Log("seed", seed)
				fsys, at := fresh(), []string(nil)
				if strings.Contains(name, "several") {
					at = points
				}
				vfstest.CompareModel(t, seed, steps, fsys, at...)
			}
		})
	}
}

// points is where nested mounts file systems.
var points = []string{"/a", "/a/b", "/b"}

// nested returns a Mount of four file systems, one of which is mounted in another
// that is mounted.
func nested(t *testing.T, root vfs.FS, below ...vfs.FS) vfs.FS {
	m := vfs.NewMount(root)
	for i, p := range points {
		require.NoError(t, m.Mount(p, below[i]))
	}
	return m
}
