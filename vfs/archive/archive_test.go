package archive_test

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/limpet-sh/limpet/vfs"
	"github.com/limpet-sh/limpet/vfs/archive"
	"github.com/limpet-sh/limpet/vfs/vfstest"
)

func source(t *testing.T) *vfs.Mem {
	m := vfs.NewMem(vfs.MemOptions{})
	vfstest.Script(t, m, `
		mkdirall /s/d/empty
		mkdir /to
		write /s/d/f text
		chmod 750 /s/d/f
		chown 5 6 /s/d/f
		utime 1000000000 1000000000 /s/d/f
		symlink ../none /s/l
		chmod 700 /s/d
		utime 2000000000 2000000000 /s/d
	`)
	return m
}

const same = `
	times /to/d -> 2000000000 2000000000
	ls /to -> dd lL
	times /to/d/f -> 1000000000 1000000000
	cat /to/d/f -> text
	ls /to/d -> emptyd f
	stat /to/d/f mode -> -rwxr-x---
	stat /to/d mode -> drwx------
	readlink /to/l -> ../none
`

func TestTar(t *testing.T) {
	m := source(t)
	vfstest.Script(t, m, `
		ln /s/d/f /s/z
		mkfifo /s/p
		mkdev /s/null 1 3
	`)
	var b bytes.Buffer
	require.NoError(t, archive.WriteTar(&b, m, "/s"))
	data := b.Bytes()
	for range 2 { // over what is there too
		require.NoError(t, archive.ReadTar(bytes.NewReader(data), m, "/to"))
	}
	vfstest.Script(t, m, `
		same /to/d/f /to/z -> true
		stat /to/z owner -> 5:6
		stat /to/null dev mode -> 103 Dcrw-rw-rw-
		lstat /to/p mode -> prw-r--r--
		rm /to/z
		rm /to/p
		rm /to/null
	`+same)
}

func TestZip(t *testing.T) {
	m := source(t)
	var b bytes.Buffer
	require.NoError(t, archive.WriteZip(&b, m, "/s"))
	for range 2 {
		require.NoError(t, archive.ReadZip(bytes.NewReader(b.Bytes()), int64(b.Len()), m, "/to"))
	}
	vfstest.Script(t, m, same)
}

// TestNothingOutside reads archives that try to leave the directory.
func TestNothingOutside(t *testing.T) {
	for name, entries := range map[string][]tar.Header{
		"dots":             {{Name: "../x", Typeflag: tar.TypeReg}},
		"dots inside":      {{Name: "a/../../x", Typeflag: tar.TypeReg}},
		"below a link":     {{Name: "l", Linkname: "/", Typeflag: tar.TypeSymlink}, {Name: "l/x", Typeflag: tar.TypeReg}},
		"directory a link": {{Name: "l", Linkname: "/", Typeflag: tar.TypeSymlink}, {Name: "l/x/", Typeflag: tar.TypeDir}},
		"link out":         {{Name: "x", Linkname: "../secret", Typeflag: tar.TypeLink}},
	} {
		t.Run(name, func(t *testing.T) {
			m := vfs.NewMem(vfs.MemOptions{})
			require.NoError(t, m.Mkdir("/to", 0o755))
			require.NoError(t, vfs.WriteFile(m, "/secret", []byte("x"), 0o600))
			var tarred, zipped bytes.Buffer
			w, z := tar.NewWriter(&tarred), zip.NewWriter(&zipped)
			for _, h := range entries {
				require.NoError(t, w.WriteHeader(&h))
				_, err := z.Create(h.Name)
				require.NoError(t, err)
			}
			require.NoError(t, w.Close())
			require.NoError(t, z.Close())
			var want *archive.NameError
			require.ErrorAs(t, archive.ReadTar(&tarred, m, "/to"), &want)
			if len(entries) == 1 && name != "link out" {
				require.ErrorAs(t, archive.ReadZip(bytes.NewReader(zipped.Bytes()), int64(zipped.Len()), m, "/to"), &want)
			}
			vfstest.Script(t, m, "ls / -> secret tod")
		})
	}
}
