package vfs_test

import (
	"bytes"
	"io/fs"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/limpet-sh/limpet/internal/snapshot"
	"github.com/limpet-sh/limpet/limits"
	"github.com/limpet-sh/limpet/vfs"
	"github.com/limpet-sh/limpet/vfs/vfstest"
)

// saved returns fsys as bytes; since, if not nil, is what they are to go on from.
func saved(t testing.TB, fsys, since vfs.FS) []byte {
	t.Helper()
	var b bytes.Buffer
	w := snapshot.NewWriter(&b)
	vfs.WriteSnapshot(w, fsys, since)
	_, err := w.Close()
	require.NoError(t, err)
	return b.Bytes()
}

func loaded(data []byte, o vfs.MemOptions, since vfs.FS) (vfs.FS, error) {
	r := snapshot.NewReader(bytes.NewReader(data), limits.NewMeter(limits.Limits{}, nil))
	fsys := vfs.ReadSnapshot(r, o, since)
	_, err := r.Close()
	return fsys, err
}

func reload(t *testing.T, fsys vfs.FS) vfs.FS {
	back, err := loaded(saved(t, fsys, nil), vfs.MemOptions{}, nil)
	require.NoError(t, err)
	return back
}

// TestSnapshotSuite goes on with each test of the suite from bytes.
func TestSnapshotSuite(t *testing.T) {
	t.Run("Mem", func(t *testing.T) { vfstest.Suite{New: newMem, As: as, Between: reload}.Run(t) })
	t.Run("Overlay", func(t *testing.T) {
		vfstest.Suite{New: newMem, As: as, Between: func(t *testing.T, fsys vfs.FS) vfs.FS {
			return reload(t, overlay(t, fsys))
		}}.Run(t)
	})
	t.Run("increments", func(t *testing.T) {
		vfstest.Suite{New: newMem, As: as, Between: func(t *testing.T, fsys vfs.FS) vfs.FS {
			m := fsys.(*vfs.Mem)
			before := m.Fork()
			base := reload(t, before)
			require.NoError(t, m.MkdirAll("/more/d", 0o755))
			require.NoError(t, m.RemoveAll("/more"))
			back, err := loaded(saved(t, m.Fork(), before), vfs.MemOptions{}, base)
			require.NoError(t, err)
			return back
		}}.Run(t)
	})
}

// payload returns what is in the one frame of a small snapshot, and framed makes
// one of it again.
func payload(data []byte) []byte { return data[17+4 : len(data)-4-8] }

func framed(p []byte) []byte {
	var b bytes.Buffer
	w := snapshot.NewWriter(&b)
	w.Raw(p)
	_, _ = w.Close()
	return b.Bytes()
}

// small returns a file system with a file of each kind.
func small(t testing.TB) *vfs.Mem {
	m := vfs.NewMem(vfs.MemOptions{Now: func() time.Time { return time.Unix(1e9, 5) }})
	vfstest.Script(t, m, `
		mkdirall /d/e
		write /d/f content
		ln /d/f /d/g
		symlink f /d/l
		mkfifo /p
		mkdev /null 1 3
		open f rwc /sparse
		putat f 200000 x
		close f
	`)
	return m
}

// TestDamagedSnapshots changes one byte of a snapshot after the other, and cuts it
// off behind each.
func TestDamagedSnapshots(t *testing.T) {
	data := saved(t, small(t), nil)
	for i := range data {
		_, err := loaded(data[:i], vfs.MemOptions{}, nil)
		require.ErrorIs(t, err, snapshot.ErrDamaged, i)
		bad := bytes.Clone(data)
		bad[i] ^= 0x10
		_, err = loaded(bad, vfs.MemOptions{}, nil)
		require.Error(t, err, i)
	}
	_, err := loaded(append(bytes.Clone(data[:16]), 99), vfs.MemOptions{}, nil)
	require.ErrorIs(t, err, snapshot.ErrVersion)
}

// A forger writes snapshots of trees that cannot be.
type forger struct{ *snapshot.Writer }

func (f forger) inode(ino uint64, mode fs.FileMode) {
	f.Uint(ino)
	f.Uint(uint64(mode))
	f.Int(0)
	f.Int(0)
	for range 4 {
		f.Int(0)
		f.Uint(0)
	}
}

func (f forger) dir(ino uint64, names ...any) {
	f.inode(ino, fs.ModeDir|0o755)
	f.Uint(uint64(len(names) / 2))
	for i := 0; i < len(names); i += 2 {
		f.Text(names[i].(string))
		f.Uint(uint64(names[i+1].(int)))
	}
}

// tree begins a snapshot of a tree of n inodes.
func (f forger) tree(n uint64) {
	f.Bool(false)   // no Mount
	f.Uint(1)       // one file system
	f.Text("/")     // there
	f.Uint(0)       // that nothing covers
	f.Uint(1)       // whose tree follows
	f.Bool(false)   // whole
	f.Uint(1 << 40) // the last number
	f.Uint(0)       // nothing gone
	f.Uint(n)
}

func TestHostileSnapshots(t *testing.T) {
	for name, forge := range map[string]func(f forger){
		"nothing":      func(f forger) {},
		"no root":      func(f forger) { f.tree(0) },
		"a root file":  func(f forger) { f.tree(1); f.inode(1, 0o644); f.Uint(0); f.Uint(0); f.Uint(0) },
		"a cycle":      func(f forger) { f.tree(3); f.dir(1); f.dir(2, "a", 3); f.dir(3, "b", 2) },
		"the root":     func(f forger) { f.tree(1); f.dir(1, "a", 1) },
		"two parents":  func(f forger) { f.tree(3); f.dir(1, "a", 2, "b", 3); f.dir(2, "c", 3); f.dir(3) },
		"nowhere":      func(f forger) { f.tree(1); f.dir(1, "a", 9) },
		"no name":      func(f forger) { f.tree(2); f.dir(1); f.dir(2) },
		"dot dot":      func(f forger) { f.tree(2); f.dir(1, "..", 2); f.dir(2) },
		"empty":        func(f forger) { f.tree(2); f.dir(1, "", 2); f.dir(2) },
		"slash":        func(f forger) { f.tree(2); f.dir(1, "a/b", 2); f.dir(2) },
		"NUL":          func(f forger) { f.tree(2); f.dir(1, "a\x00", 2); f.dir(2) },
		"long":         func(f forger) { f.tree(2); f.dir(1, strings.Repeat("a", 256), 2); f.dir(2) },
		"twice":        func(f forger) { f.tree(3); f.dir(1, "a", 2, "a", 3); f.dir(2); f.dir(3) },
		"order":        func(f forger) { f.tree(3); f.dir(1, "b", 2, "a", 3); f.dir(2); f.dir(3) },
		"same inode":   func(f forger) { f.tree(2); f.dir(1); f.dir(1) },
		"inode 0":      func(f forger) { f.tree(1); f.dir(0) },
		"large inode":  func(f forger) { f.tree(1); f.dir(1 << 41) },
		"many names":   func(f forger) { f.tree(1); f.inode(1, fs.ModeDir); f.Uint(1 << 31) },
		"many inodes":  func(f forger) { f.tree(1 << 31); f.dir(1) },
		"odd mode":     func(f forger) { f.tree(1); f.inode(1, fs.ModeDir|fs.ModeSymlink); f.Uint(0) },
		"unknown mode": func(f forger) { f.tree(1); f.inode(1, fs.ModeDir|fs.ModeAppend); f.Uint(0) },
		"link to NUL":  func(f forger) { f.tree(2); f.dir(1, "l", 2); f.inode(2, fs.ModeSymlink); f.Text("a\x00b") },
		"empty link":   func(f forger) { f.tree(2); f.dir(1, "l", 2); f.inode(2, fs.ModeSymlink); f.Text("") },
		"behind the end": func(f forger) {
			f.tree(2)
			f.dir(1, "f", 2)
			f.inode(2, 0o644)
			f.Uint(0) // whole
			f.Uint(3) // bytes
			f.Uint(1)
			f.Uint(0)
			f.Uint(5 + 1)
			f.Uint(1)
			f.Raw([]byte("12345"))
		},
		"a change of nothing": func(f forger) { f.tree(2); f.dir(1, "f", 2); f.inode(2, 0o644); f.Uint(1) },
		"more":                func(f forger) { f.tree(1); f.dir(1); f.Uint(7) },
		"no such tree":        func(f forger) { f.Bool(false); f.Uint(1); f.Text("/"); f.Uint(0); f.Uint(9) },
		"nothing at the root": func(f forger) { f.Bool(true); f.Uint(1); f.Text("/x"); f.Uint(0); f.Uint(0) },
		"a relative place":    func(f forger) { f.Bool(true); f.Uint(1); f.Text("x"); f.Uint(0); f.Uint(0) },
		"a base": func(f forger) {
			f.Bool(false)
			f.Uint(1)
			f.Text("/")
			f.Uint(0)
			f.Uint(1)
			f.Bool(true)
		},
	} {
		var b bytes.Buffer
		f := forger{snapshot.NewWriter(&b)}
		forge(f)
		_, err := f.Close()
		require.NoError(t, err)
		_, err = loaded(b.Bytes(), vfs.MemOptions{}, nil)
		require.ErrorIs(t, err, snapshot.ErrDamaged, name)
	}
}

// TestChangedSnapshots changes snapshots at random, with a checksum that is right.
// What can be read of them is a file system whose books balance.
func TestChangedSnapshots(t *testing.T) {
	before := small(t)
	after := before.Fork()
	vfstest.Script(t, after, "mv /d/f /h\nopen f w /sparse\nputat f 65536 y\nclose f\nmkdir /n")
	whole, change := payload(saved(t, before, nil)), payload(saved(t, after, before))
	r := rand.New(rand.NewPCG(1, 2))
	read := 0
	for range 5_000 {
		p, since := bytes.Clone(whole), vfs.FS(nil)
		if r.IntN(2) == 0 {
			p, since = bytes.Clone(change), before
		}
		for range 1 + r.IntN(3) {
			switch i := r.IntN(len(p)); r.IntN(4) {
			case 0:
				p[i] = byte(r.IntN(256))
			case 1:
				p[i] ^= 1 << r.IntN(8)
			case 2:
				p = append(p[:i], p[min(i+1+r.IntN(4), len(p)):]...)
			case 3:
				p = slices.Insert(p, i, p[r.IntN(len(p))])
			}
		}
		fsys, err := loaded(framed(p), vfs.MemOptions{Storage: 1 << 20, Files: 100}, since)
		if err != nil {
			continue
		}
		read++
		if m, ok := fsys.(*vfs.Mem); ok {
			list, err := vfs.ReadDir(m, "/")
			require.NoError(t, err)
			for _, e := range list {
				require.NoError(t, m.RemoveAll("/"+e.Name()))
			}
			require.Equal(t, vfs.Usage{Files: 1}, m.Usage())
		}
	}
	require.Greater(t, read, 100)
}
