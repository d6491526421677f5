package vfs_test

import (
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/limpet-sh/limpet/vfs"
	"github.com/limpet-sh/limpet/vfs/vfstest"
)

func TestMount(t *testing.T) {
	for name, wrap := range map[string]func(vfs.FS) vfs.FS{
		"Mem":    func(f vfs.FS) vfs.FS { return f },
		"opaque": func(f vfs.FS) vfs.FS { return opaque{f} },
	} {
		t.Run(name, func(t *testing.T) {
			root, a, b := vfs.NewMem(vfs.MemOptions{}), vfs.NewMem(vfs.MemOptions{}), vfs.NewMem(vfs.MemOptions{})
			m := vfs.NewMount(wrap(root))
			require.NoError(t, m.Mount("/mnt/a", wrap(a)))
			require.NoError(t, m.Mount("/mnt/a/sub/b", wrap(b)))
			require.ErrorIs(t, m.Mount("/mnt/a/sub/b", wrap(b)), vfs.EBUSY)
			vfstest.Script(t, m, `
				write /mnt/a/f inA
				write /mnt/a/sub/b/f inB
				write /f inRoot
				ls /mnt -> ad
				ls /mnt/a -> f subd
				ls /mnt/a/sub -> bd
				ls / -> f mntd
				symlink /mnt/a/sub/b /to-b
				cat /to-b/f -> inB
				cat /to-b/../../f -> inA
				cat /to-b/../../../../f -> inRoot
				cat /mnt/a/../../f -> inRoot
				symlink ../../../f /mnt/a/sub/b/out
				cat /mnt/a/sub/b/out -> ENOENT
				symlink ../../f /mnt/a/sub/b/out2
				cat /mnt/a/sub/b/out2 -> inA
				symlink /f /mnt/a/abs
				cat /mnt/a/abs -> inRoot
				open f wct /mnt/a/abs
				put f new
				cat /f -> new
				resolve /to-b/../../abs follow -> /f
				lstat /mnt/a/abs mode name -> Lrwxrwxrwx abs
				stat /mnt/a/sub/b name -> b
				stat /mnt/a/sub/b/.. name -> ..
				same /mnt/a/f /mnt/a/../a/f -> true
				mv /f /mnt/a/g -> EXDEV
				mv /mnt/a/f /mnt/a/sub/b/g -> EXDEV
				ln /f /mnt/a/g -> EXDEV
				ln /f /mnt/a/f -> EEXIST
				ln /gone /mnt/a/g -> ENOENT
				mv /mnt/a/f /mnt/a/sub/g
				cat /mnt/a/sub/g -> inA
				rm /mnt/a -> EBUSY
				rm /mnt -> EBUSY
				rmall /mnt -> EBUSY
				rmall /mnt/a/sub -> EBUSY
				mv /mnt /x -> EBUSY
				mv /mnt/a /x -> EBUSY
				mkdir /mnt/a -> EEXIST
				open f wcx /mnt/a -> EEXIST
				mkdirall /mnt/a/sub/b/x/y
				mv /mnt/a/sub/b/x /mnt/a/sub/b/z
				rmall /mnt/a/sub/b/z
				ls /mnt/a/sub/b -> f outL out2L
				symlink /mnt/a/sub/b /mnt/a/sub/b/self
				cat /mnt/a/sub/b/self/self/self/f -> inB
				ls /mnt/a/sub/b/self/.. -> bd g
			`)
			st, err := m.StatFS("/to-b/f")
			require.NoError(t, err)
			require.Equal(t, "/mnt/a/sub/b", st.Point)
			f, err := m.Open("/to-b/f")
			require.NoError(t, err)
			require.Equal(t, "/to-b/f", f.Name())
			_, err = m.Open("/to-b/gone")
			require.EqualError(t, err, "open /to-b/gone: No such file or directory")
		})
	}
}

func TestMountDevices(t *testing.T) {
	newMem := func() vfs.FS { return vfs.NewMem(vfs.MemOptions{}) }
	m := vfs.NewMount(newMem())
	require.NoError(t, m.Mount("/a", newMem()))
	require.NoError(t, m.Mount("/b", vfs.ReadOnly(newMem())))
	require.NoError(t, m.Mount("/c", vfs.FromIOFS(fstest.MapFS{})))
	require.NoError(t, m.Mount("/d", vfs.NewMount(newMem())))
	seen := map[uint64]bool{}
	for _, name := range []string{"/", "/a", "/b", "/c", "/d"} {
		info, err := m.Stat(name)
		require.NoError(t, err)
		seen[vfs.StatOf(info).Dev] = true
	}
	require.Len(t, seen, 5)
}

func TestReadOnly(t *testing.T) {
	m := vfs.NewMem(vfs.MemOptions{})
	vfstest.Script(t, m, `
		mkdir /d
		write /d/f x
		symlink d /l
		symlink gone /dangling
		mkfifo /p
		mkdev /null 1 3
	`)
	vfstest.Script(t, vfs.ReadOnly(m), `
		cat /l/f -> x
		ls / -> dd danglingL lL nullD pp
		write /d/f y -> EROFS
		write /d/g y -> EROFS
		write /none/g y -> ENOENT
		write /d/f/g y -> ENOTDIR
		write /d y -> EISDIR
		write /null y
		open f rw /p
		open f rc /d/f
		open f wcx /d/f -> EEXIST
		open f w /dangling -> ENOENT
		open f wc /dangling -> EROFS
		open f r /d/f
		put f x -> EBADF
		mkdir /d -> EEXIST
		mkdir /e -> EROFS
		mkdir /none/e -> ENOENT
		mkdirall /d
		mkdirall /e/f -> EROFS
		rm /d/f -> EROFS
		rm /gone -> ENOENT
		rmall /gone
		rmall /d -> EROFS
		mv /d /e -> EROFS
		mv /gone /e -> ENOENT
		ln /d/f /g -> EROFS
		symlink x /l -> EEXIST
		symlink x /m -> EROFS
		chmod 600 /d/f -> EROFS
		chown 1 1 /d/f -> EROFS
		lchown 1 1 /dangling -> EROFS
		utime 1 1 /dangling -> ENOENT
		lutime 1 1 /dangling -> EROFS
		mkfifo /q -> EROFS
	`)
}

func TestFromIOFS(t *testing.T) {
	fsys := vfs.FromIOFS(fstest.MapFS{
		"d/f":  {Data: []byte("text"), Mode: 0o640},
		"d/g":  {Data: []byte("x")},
		"l":    {Data: []byte("d/f"), Mode: 0o777 | 1<<27},
		"up":   {Data: []byte("../../d"), Mode: 0o777 | 1<<27},
		"d/ab": {Data: []byte("/d/g"), Mode: 0o777 | 1<<27},
	})
	vfstest.Script(t, fsys, `
		ls / -> dd lL upL
		ls /up -> abL f g
		cat /up/../l -> text
		cat /d/ab -> x
		stat /d/f name size mode links blocks -> f 4 -rw-r----- 1 8
		lstat /l mode -> Lrwxrwxrwx
		readlink /l -> d/f
		readlink /d -> EINVAL
		cat /d -> EISDIR
		cat /d/f/ -> ENOTDIR
		cat /gone -> ENOENT
		same /d/f /d/../d/f -> true
		same /d/f /d/g -> false
		open f r /d/f
		getat f 1 2 -> ex
		get f 2 -> te
		seek f -1 end -> 3
		get f 9 -> t
		get f 9 -> EOF
		put f x -> EBADF
		next f 0 -> ENOTDIR
		open d r /d
		next d 2 -> ab f
		next d 2 -> g
		next d 2 -> EOF
		write /d/f x -> EROFS
		write /d/new x -> EROFS
		mkdir /d/f -> EEXIST
		rm /d/f -> EROFS
	`)
}
