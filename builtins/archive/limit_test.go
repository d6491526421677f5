package archive

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"hash/crc32"
	"io"
	"strings"
	"testing"

	"github.com/limpet-sh/limpet/internal/calltest"
	"github.com/limpet-sh/limpet/limits"
	"github.com/limpet-sh/limpet/vfs"
	"github.com/stretchr/testify/require"
)

// endless is a reader of zeros without end.
type endless struct{}

func (endless) Read(b []byte) (int, error) {
	clear(b)
	return len(b), nil
}

// TestBomb checks that a small file which expands to a large one stops at the
// quota of the file system, in little memory, and leaves nothing behind.
func TestBomb(t *testing.T) {
	var bomb bytes.Buffer
	z, err := gzip.NewWriterLevel(&bomb, gzip.BestSpeed)
	require.NoError(t, err)
	_, err = io.CopyN(z, endless{}, 32<<20)
	require.NoError(t, err)
	require.NoError(t, z.Close())
	m := calltest.New(t, Commands(), nil)
	m.FS = vfs.NewMem(vfs.MemOptions{FileSize: 8 << 20})
	require.NoError(t, m.FS.MkdirAll(calltest.Dir, 0o755))
	m.WriteFile(t, "bomb.gz", bomb.String())
	m.Limits = limits.Limits{Memory: 8 << 20}
	got := m.Run(t, "", "gunzip", "bomb.gz")
	require.NoError(t, got.Err)
	require.Equal(t, 1, got.Status)
	require.Contains(t, got.Stderr, "File too large")
	_, err = m.FS.Stat(calltest.Dir + "/bomb")
	require.ErrorIs(t, err, vfs.ENOENT)
}

// TestEscape checks that members whose names lead out of the directory are
// extracted inside it, and that none is written through a link that another
// member made.
func TestEscape(t *testing.T) {
	m := calltest.New(t, Commands(), map[string]string{"a": "evil\n"})
	require.NoError(t, m.FS.Mkdir("/outside", 0o755))
	for _, args := range [][]string{
		{"tar", "-cf", "x.tar", "--transform", "s,a,../../outside/a,", "-P", "a"},
		{"tar", "-xf", "x.tar"},
	} {
		require.NoError(t, m.Run(t, "", args...).Err)
	}
	require.Equal(t, "evil\n", m.ReadFile(t, "outside/a"))
	_, err := m.FS.Stat("/outside/a")
	require.ErrorIs(t, err, vfs.ENOENT)

	// A link to /outside first, then a file below it.
	require.NoError(t, m.FS.SymlinkIfPossible("/outside", calltest.Dir+"/link"))
	require.Zero(t, m.Run(t, "", "tar", "-cf", "y.tar", "link").Status)
	require.NoError(t, m.FS.Remove(calltest.Dir+"/link"))
	require.Zero(t, m.Run(t, "", "tar", "-rf", "y.tar", "--transform", "s,a,link/a,", "a").Status)
	m.Run(t, "", "tar", "-xf", "y.tar")
	_, err = m.FS.Stat("/outside/a")
	require.ErrorIs(t, err, vfs.ENOENT)
}

// TestOverlap checks that an archive whose entries share their data, so that 37 kB would expand
// to 4 GB, is refused when the second of them comes.
func TestOverlap(t *testing.T) {
	m := calltest.New(t, Commands(), nil)
	m.WriteFile(t, "bomb.zip", string(overlapping(t, 600, 7<<20)))
	got := m.Run(t, "", "unzip", "-t", "bomb.zip")
	require.NoError(t, got.Err)
	require.Equal(t, 12, got.Status)
	require.Equal(t, "Archive:  bomb.zip\n    testing: 0                        OK\n", got.Stdout)
	require.Equal(t, "error: invalid zip file with overlapped components (possible zip bomb)\n", got.Stderr)
}

// overlapping returns an archive of n entries, each size zeros, that have the same data.
func overlapping(t *testing.T, n int, size int64) []byte {
	var one bytes.Buffer
	z := zip.NewWriter(&one)
	w, err := z.Create("0")
	require.NoError(t, err)
	_, err = io.CopyN(w, endless{}, size)
	require.NoError(t, err)
	require.NoError(t, z.Close())
	data, directory, _ := bytes.Cut(one.Bytes(), []byte("PK\x01\x02"))
	entry, end, _ := bytes.Cut(directory, []byte("PK\x05\x06"))
	bomb := bytes.NewBuffer(bytes.Clone(data))
	for range n {
		bomb.WriteString("PK\x01\x02" + string(entry))
	}
	le := binary.LittleEndian
	le.PutUint16(end[4:], uint16(n))
	le.PutUint16(end[6:], uint16(n))
	le.PutUint32(end[8:], uint32(n*(4+len(entry))))
	bomb.WriteString("PK\x05\x06" + string(end))
	return bomb.Bytes()
}

// TestWindow checks that what the header of a file asks for is charged before it is there: a dictionary of
// 4 GB, of .xz and .lzma, and a window of 128 MB.
func TestWindow(t *testing.T) {
	crc := func(b string) string {
		return string(binary.LittleEndian.AppendUint32([]byte(b), crc32.ChecksumIEEE([]byte(b))))
	}
	m := calltest.New(t, Commands(), map[string]string{
		"a.xz":   "\xfd7zXZ\x00" + crc("\x00\x00") + crc("\x02\x00\x21\x01\x28\x00\x00\x00") + "\x01\x00\x00x\x00",
		"a.lzma": "\x5d\xff\xff\xff\xff" + strings.Repeat("\xff", 8) + "\x00\x00\x00\x00\x00\x00",
		"a.zst":  "\x28\xb5\x2f\xfd\x00\x88\x09\x00\x00x",
	})
	m.Limits = limits.Limits{Memory: 64 << 20}
	for _, command := range []string{"xz -t a.xz", "lzma -t a.lzma", "zstd -t a.zst", "tar -tf a.xz"} {
		require.ErrorIs(t, m.Run(t, "", strings.Fields(command)...).Err, limits.ErrExceeded, command)
	}
}
