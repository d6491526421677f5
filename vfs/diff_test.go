package vfs_test

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/limpet-sh/limpet/vfs"
	"github.com/limpet-sh/limpet/vfs/vfstest"
)

func diff(t *testing.T, before, after vfs.FS) string {
	var b bytes.Buffer
	require.NoError(t, vfs.Diff(context.Background(), &b, before, after))
	return b.String()
}

func TestDiff(t *testing.T) {
	m := vfs.NewMem(vfs.MemOptions{})
	write := func(name, text string) { require.NoError(t, vfs.WriteFile(m, name, []byte(text), 0o644)) }
	write("/edit", "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n")
	write("/gone", "a\n")
	write("/moved here", "x\n")
	write("/mode", "m\n")
	write("/binary", "\x00\x01")
	write("/touched", "t")
	write("/secret", "s\n")
	vfstest.Script(t, m, `
		symlink old /link
		symlink f /turned
		mkdir /dir
		mkfifo /pipe
		chmod 600 /secret
	`)
	before := m.Fork()
	write("/edit", "1\n2\n3\n4\nfive\n6\n7\n8\n9\n10\n11\n12\n13")
	write("/binary", "\x00\x02")
	write("/tab\there", "")
	write("/no newline", "end")
	vfstest.Script(t, m, `
		rm /gone
		mv /moved_here /x -> ENOENT
		chmod 755 /mode
		utime 1 1 /touched
		write /secret other
		rm /link
		symlink new /link
		rm /turned
		write /turned file
		rm /dir
		rm /pipe
		mkdir /d 700
		chown 5 6 /touched
	`)
	require.NoError(t, m.Rename("/moved here", "/d/moved here"))
	require.Equal(t, strings.ReplaceAll(`diff --git a/binary b/binary
Binary files a/binary and b/binary differ
# created directory d, mode 0700
diff --git a/d/moved here b/d/moved here
new file mode 100644
--- /dev/null
+++ b/d/moved here	
@@ -0,0 +1 @@
+x
# removed directory dir, mode 0755
diff --git a/edit b/edit
--- a/edit
+++ b/edit
@@ -2,7 +2,7 @@
 2
 3
 4
-5
+five
 6
 7
 8
@@ -10,3 +10,4 @@
 10
 11
 12
+13
\ No newline at end of file
diff --git a/gone b/gone
deleted file mode 100644
--- a/gone
+++ /dev/null
@@ -1 +0,0 @@
-a
diff --git a/link b/link
deleted file mode 120000
--- a/link
+++ /dev/null
@@ -1 +0,0 @@
-old
\ No newline at end of file
diff --git a/link b/link
new file mode 120000
--- /dev/null
+++ b/link
@@ -0,0 +1 @@
+new
\ No newline at end of file
diff --git a/mode b/mode
old mode 100644
new mode 100755
diff --git a/moved here b/moved here
deleted file mode 100644
--- a/moved here	
+++ /dev/null
@@ -1 +0,0 @@
-x
diff --git a/no newline b/no newline
new file mode 100644
--- /dev/null
+++ b/no newline	
@@ -0,0 +1 @@
+end
\ No newline at end of file
# removed fifo pipe, mode 0644
diff --git a/secret b/secret
--- a/secret
+++ b/secret
@@ -1 +1 @@
-s
+other
\ No newline at end of file
diff --git "a/tab\there" "b/tab\there"
new file mode 100644
# changed owner of touched from 0:0 to 5:6
diff --git a/turned b/turned
deleted file mode 120000
--- a/turned
+++ /dev/null
@@ -1 +0,0 @@
-f
\ No newline at end of file
diff --git a/turned b/turned
new file mode 100644
--- /dev/null
+++ b/turned
@@ -0,0 +1 @@
+file
\ No newline at end of file
`, "\r", ""), diff(t, before, m.As(vfs.User{UID: 1000})))
	require.Empty(t, diff(t, m, m))
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	require.ErrorIs(t, vfs.Diff(ctx, &bytes.Buffer{}, before, m), context.Canceled)
}

// TestChangesOfMounts compares what is mounted where it is mounted.
func TestChangesOfMounts(t *testing.T) {
	m := vfs.NewMount(vfs.NewMem(vfs.MemOptions{}))
	inner := vfs.NewMem(vfs.MemOptions{})
	require.NoError(t, m.Mount("/in", inner))
	require.NoError(t, m.Mount("/in/ro", vfs.ReadOnly(vfs.NewMem(vfs.MemOptions{}))))
	require.NoError(t, m.Mount("/host", vfs.FromIOFS(vfs.ToIOFS(vfs.NewMem(vfs.MemOptions{})))))
	before, err := vfs.Fork(m)
	require.NoError(t, err)
	vfstest.Script(t, m, `
		write /f 1
		write /in/f 2
		chmod 700 /in
		chmod 750 /
	`)
	require.Equal(t, "!/ +/f !/in +/in/f", changed(t, m, before))
	late := vfs.NewMem(vfs.MemOptions{})
	vfstest.Script(t, late, "write /g 3")
	require.NoError(t, m.Mount("/late", late))
	require.NoError(t, m.Unmount("/in/ro"))
	require.Equal(t, "!/ +/f !/in +/in/f +/late +/late/g", changed(t, m, before))
	require.Equal(t, "!/ -/f !/in -/in/f -/late -/late/g", changed(t, before, m))
	require.Contains(t, diff(t, before, m), "+++ b/late/g\n")
	require.NoError(t, vfs.Restore(m, before))
	require.Empty(t, changed(t, m, before))
	vfstest.Script(t, inner, "ls / -> rod")

	for _, other := range []vfs.FS{vfs.NewMem(vfs.MemOptions{}), vfs.FromIOFS(vfs.ToIOFS(inner))} {
		_, err = vfs.Changes(m, other)
		require.ErrorIs(t, err, errors.ErrUnsupported)
	}
}

// TestChangesSeeWhatWasRead changes a lower file system under an overlay: what the
// overlay has read counts, and not what is there now.
func TestChangesSeeWhatWasRead(t *testing.T) {
	lower := vfs.NewMem(vfs.MemOptions{})
	vfstest.Script(t, lower, `
		mkdir /d
		write /d/f 1
		write /d/g 1
	`)
	over := overlay(t, vfs.ReadOnly(lower)).(*vfs.Mem)
	before := over.Fork()
	vfstest.Script(t, over, `
		ls /d -> f g
		write /d/g 2
	`)
	vfstest.Script(t, lower, `
		write /d/f changed
		write /d/new 1
		mv /d/g /d/h
	`)
	require.Equal(t, "!/d/g", changed(t, over, before))
}
