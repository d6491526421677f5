package vfs_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/limpet-sh/limpet/vfs"
	"github.com/limpet-sh/limpet/vfs/vfstest"
)

// changed returns the changes of m since old as lines "+name", "-name", "!name".
func changed(t *testing.T, m, old vfs.FS) string {
	list, err := vfs.Changes(old, m)
	require.NoError(t, err)
	var words []string
	for _, c := range list {
		switch {
		case c.Old == nil:
			words = append(words, "+"+c.Name)
		case c.New == nil:
			words = append(words, "-"+c.Name)
		default:
			words = append(words, "!"+c.Name)
		}
	}
	return strings.Join(words, " ")
}

func TestChanges(t *testing.T) {
	lower := vfs.NewMem(vfs.MemOptions{})
	vfstest.Script(t, lower, `
		mkdirall /a/b/c
		mkdirall /x/y
		write /a/f 1
		write /a/b/g 2
		ln /a/f /x/link
		symlink f /a/l
		write /x/y/h 3
	`)
	over, err := vfs.NewOverlay(vfs.ReadOnly(lower), vfs.MemOptions{})
	require.NoError(t, err)
	for name, m := range map[string]*vfs.Mem{"Mem": lower.Fork(), "Overlay": over} {
		t.Run(name, func(t *testing.T) {
			old := m.Fork()
			require.Empty(t, changed(t, m, old))
			vfstest.Script(t, m, `
				cat /a/b/g -> 2
				ls /x/y -> h
			`)
			require.Empty(t, changed(t, m, old), "reading is none")
			vfstest.Script(t, m, `
				write /a/b/g 4
				chmod 700 /x
				mv /a/b/c /x/c
				write /a/f 5
				rm /x/y/h
				symlink l /a/n
				rm /a/l
				mkdirall /new/dir
				write /new/dir/f 6
				write /new/gone 7
				rm /new/gone
			`)
			require.Equal(t, "-/a/b/c !/a/b/g !/a/f -/a/l +/a/n +/new +/new/dir +/new/dir/f !/x +/x/c !/x/link -/x/y/h", changed(t, m, old))
			require.Equal(t, "+/a/b/c !/a/b/g !/a/f +/a/l -/a/n -/new -/new/dir -/new/dir/f !/x -/x/c !/x/link +/x/y/h", changed(t, old, m))
			vfstest.Script(t, old, "write /x/link 8")
			require.Contains(t, changed(t, old.Fork(), m), "!/a/f ", "by another name")
			m.Restore(old)
			require.Empty(t, changed(t, m, old))
		})
	}
}

// TestChangesAreCheap finds one change among many files without a visit to each.
func TestChangesAreCheap(t *testing.T) {
	m := vfs.NewMem(vfs.MemOptions{})
	for i := range 20_000 {
		if i%100 == 0 {
			require.NoError(t, m.Mkdir("/"+strings.Repeat("d", i/100+1), 0o755))
		}
		require.NoError(t, vfs.WriteFile(m, "/"+strings.Repeat("d", i/100+1)+"/"+strings.Repeat("f", i%100+1), nil, 0o644))
	}
	old := m.Fork()
	require.NoError(t, vfs.WriteFile(m, "/dd/f", []byte("x"), 0o644))
	allocs := testing.AllocsPerRun(10, func() {
		require.Equal(t, "!/dd/f", changed(t, m, old))
	})
	require.Less(t, allocs, 1000.0)
}
