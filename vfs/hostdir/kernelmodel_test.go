//go:build linux

package hostdir_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/limpet-sh/limpet/vfs"
	"github.com/limpet-sh/limpet/vfs/vfstest"
)

// TestConfirmModel compares a Mem, and a Mount in which one file system is mounted in
// another that is mounted, with what the kernel does where it has mounted the same. That
// takes CONFIRM=1 and root; MODEL_STEPS is that of TestCompare.
func TestConfirmModel(t *testing.T) {
	if os.Getenv("CONFIRM") == "" || os.Geteuid() != 0 {
		t.Skip("CONFIRM is not set, or this is not root")
	}
	runs, steps := modelSize(t)
	k := newKernel(t)
	for _, points := range [][]string{nil, {"/a", "/a/b", "/b"}} {
		for seed := range runs {
			var fsys vfs.FS = vfs.NewMem(vfs.MemOptions{})
			top := t.TempDir()
			if points != nil {
				m := vfs.NewMount(fsys)
				for _, p := range points {
					require.NoError(t, m.Mount(p, vfs.NewMem(vfs.MemOptions{})))
					k.mount(t, t.TempDir(), filepath.Join(top, p))
				}
				fsys = m
			}
			require.NoError(t, os.Chmod(top, 0o755))
			k.enter(t, top)
			vfstest.Compare(t, seed, steps, fsys, &kernelFS{}, "mkdirall", "rmall") // which are no system calls
			k.leave(t)
		}
	}
}

// mount makes a directory and mounts another on it. Links do not lead from one to the
// other, even where they are of one file system.
func (k *kernel) mount(t *testing.T, source, dir string) {
	require.NoError(t, os.Chmod(source, 0o755))
	require.NoError(t, os.Mkdir(dir, 0o755))
	require.NoError(t, syscall.Mount(source, dir, "", syscall.MS_BIND, ""))
	t.Cleanup(func() {
		k.leave(t)
		require.NoError(t, syscall.Unmount(dir, syscall.MNT_DETACH))
	})
}
