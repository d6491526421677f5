package vfs_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/limpet-sh/limpet/vfs"
	"github.com/limpet-sh/limpet/vfs/vfstest"
)

func never(string, string) error { return nil }

func TestFaults(t *testing.T) {
	failing := ""
	m := vfs.NewMem(vfs.MemOptions{})
	f := vfstest.Faulty(m, func(op, name string) error {
		if op == failing && name != "/ok" {
			return vfs.EIO
		}
		return nil
	})
	vfstest.Script(t, f, "mkdir /d\nwrite /d/f x\nsymlink f /d/l\nwrite /ok fine")
	for op, script := range map[string]string{
		"open": "cat /d/f -> EIO", "read": "cat /d/f -> EIO", "write": "write /d/f y -> EIO", "close": "write /d/f x -> EIO", "stat": "stat /d/f size -> EIO",
		"lstat": "lstat /d/f size -> EIO", "readdir": "ls /d -> EIO", "mkdir": "mkdir /x -> EIO", "remove": "rm /d/f -> EIO", "removeall": "rmall /d -> EIO",
		"rename": "mv /d/f /x -> EIO", "link": "ln /d/f /x -> EIO", "symlink": "symlink a /x -> EIO", "readlink": "readlink /d/l -> EIO", "mknod": "mkfifo /x -> EIO",
		"chmod": "chmod 600 /d/f -> EIO", "chown": "chown 1 1 /d/f -> EIO", "lchown": "lchown 1 1 /d/f -> EIO", "chtimes": "utime 1 1 /d/f -> EIO", "lchtimes": "lutime 1 1 /d/f -> EIO",
	} {
		failing = op
		vfstest.Script(t, f, script+"\ncat /ok -> fine")
		failing = "nothing"
		vfstest.Script(t, f, "stat /d/f links -> 1")
		require.NoError(t, vfs.WriteFile(m, "/d/f", []byte("x"), 0o644))
	}
	// An overlay of what fails says so, and works again afterwards.
	over := overlay(t, f)
	failing = "readdir"
	vfstest.Script(t, over, "ls /d -> EIO\nwrite /d/new x -> EIO")
	failing = "read"
	vfstest.Script(t, over, "ls /d -> f lL\ncat /d/f -> EIO\nwrite /d/new x")
	failing = ""
	vfstest.Script(t, over, "cat /d/f -> x\nls /d -> f lL new")
}
