package vfs_test

import (
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/limpet-sh/limpet/vfs"
	"github.com/limpet-sh/limpet/vfs/vfstest"
)

// A pipeEnd is a stream without a place in a file system.
type pipeEnd struct {
	io.Reader
	vfs.Stream
}

func (p pipeEnd) Read(b []byte) (int, error) { return p.Reader.Read(b) }
func (p pipeEnd) Close() error               { return nil }

func TestView(t *testing.T) {
	m := vfs.NewMem(vfs.MemOptions{})
	vfstest.Script(t, m, `
		mkdirall /home/u
		mkdir /dev
		mkdirall /proc/self/fd
		symlink /proc/self/fd/3 /link
		write /home/log old
	`)
	log, err := m.OpenFile("/home/log", vfs.O_RDWR, 0)
	require.NoError(t, err)
	v := &vfs.View{FS: m, Dir: "/home/u", Umask: 0o027, Descriptor: func(n int) (vfs.Stream, error) {
		switch n {
		case 0:
			return pipeEnd{Reader: strings.NewReader("from a pipe")}, nil
		case 3:
			return pipeFile{log}, nil
		}
		return nil, vfs.EBADF
	}}
	vfstest.Script(t, v, `
		write f x
		stat f mode -> -rw-r-----
		mkdir d 777
		stat /home/u/d mode -> drwxr-x---
		cat ../u/./f -> x
		ls . -> dd f
		symlink f l
		readlink /home/u/l -> f
		mv f g
		ln g f
		stat f name links -> f 2
		open i r /dev/stdin
		get i 6 -> from a
		seek i 0 -> ESPIPE
		trunc i 0 -> EINVAL
		next i 0 -> ENOTDIR
		stat /dev/fd/9 size -> ENOENT
		open i r /dev/fd/9 -> ENOENT
		stat /dev/fd/03 size -> ENOENT
		cat /dev/fd/3 -> old
		cat /dev/fd/3 -> old       # with an offset of its own each time
		cat /link -> old
		stat /link size name -> 3 link
		open o w /proc/self/fd/3
		put o OLD!
		cat /home/log -> OLD!
		rm /home/log
		cat /dev/fd/3 -> OLD!
		open o wct /dev/fd/3
		stat /dev/fd/3 size links -> 0 0
	`)
	for name, err := range map[string]error{
		"open none: No such file or directory":      second(v.Open("none")),
		"mkdir d: File exists":                      v.Mkdir("d", 0o755),
		"rename none d: No such file or directory":  v.Rename("none", "d"),
		"remove : No such file or directory":        v.Remove(""),
		"lstat none/x: No such file or directory":   second(v.Lstat("none/x")),
		"open /dev/fd/9: No such file or directory": second(v.Open("/dev/fd/9")),
	} {
		require.EqualError(t, err, name)
	}
}

// A pipeFile stands for a file as an interpreter's descriptors do.
type pipeFile struct{ vfs.Stream }

func (p pipeFile) Unwrap() vfs.Stream { return p.Stream }
func (p pipeFile) Close() error       { return nil }

func second[T any](_ T, err error) error { return err }
