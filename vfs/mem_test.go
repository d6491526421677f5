package vfs_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/limpet-sh/limpet/vfs"
	"github.com/limpet-sh/limpet/vfs/vfstest"
)

func TestMemFork(t *testing.T) {
	a := vfs.NewMem(vfs.MemOptions{})
	for i := range 3000 {
		require.NoError(t, vfs.WriteFile(a, fmt.Sprintf("/f%d", i), []byte("old"), 0o644))
	}
	f, err := a.OpenFile("/f1", vfs.O_RDWR, 0)
	require.NoError(t, err)
	b := a.Fork()
	was := a.Usage()
	require.Equal(t, int64(1), was.Open)
	was.Open = 0
	require.Equal(t, was, b.Usage())

	_, err = f.WriteString("new!")
	require.NoError(t, err)
	require.NoError(t, a.Remove("/f2"))
	require.NoError(t, b.Rename("/f3", "/g"))
	require.NoError(t, b.Chmod("/f4", 0o600))

	for _, c := range []struct {
		fs         *vfs.Mem
		name, want string
	}{{a, "/f1", "new!"}, {b, "/f1", "old"}, {b, "/f2", "old"}, {a, "/f3", "old"}, {b, "/g", "old"}} {
		got, err := vfs.ReadFile(c.fs, c.name)
		require.NoError(t, err)
		require.Equal(t, c.want, string(got), c.name)
	}
	_, err = a.Stat("/f2")
	require.ErrorIs(t, err, vfs.ENOENT)
	info, err := a.Stat("/f4")
	require.NoError(t, err)
	require.EqualValues(t, 0o644, info.Mode().Perm())
	require.Equal(t, vfs.Usage{Bytes: 2999*3 + 1, Files: 3000, Open: 1}, a.Usage())
	require.Equal(t, vfs.Usage{Bytes: 3000 * 3, Files: 3001}, b.Usage())

	a.Restore(b)
	require.Equal(t, vfs.Usage{Bytes: 3000*3 + 4, Files: 3002, Open: 1}, a.Usage(), "with the open file")
	require.NoError(t, f.Close())
	require.Equal(t, b.Usage(), a.Usage())
}

func TestMemContent(t *testing.T) {
	m := vfs.NewMem(vfs.MemOptions{})
	f, err := m.Create("/f")
	require.NoError(t, err)
	rnd := rand.New(rand.NewPCG(1, 2))
	var model []byte
	forks := []*vfs.Mem{}
	var copies [][]byte
	for i := range 400 {
		if i%50 == 49 {
			forks, copies = append(forks, m.Fork()), append(copies, bytes.Clone(model))
		}
		at := rnd.IntN(300_000)
		if rnd.IntN(5) == 0 {
			require.NoError(t, f.Truncate(int64(at)))
			model = append(model, make([]byte, max(at-len(model), 0))...)[:at]
			continue
		}
		p := bytes.Repeat([]byte{byte(i + 1)}, rnd.IntN(100_000))
		_, err := f.WriteAt(p, int64(at))
		require.NoError(t, err)
		if len(p) > 0 {
			model = append(model, make([]byte, max(at+len(p)-len(model), 0))...)
			copy(model[at:], p)
		}
	}
	for i, fork := range append(forks, m) {
		want := append(copies, model)[i]
		got, err := vfs.ReadFile(fork, "/f")
		require.NoError(t, err)
		require.True(t, bytes.Equal(want, got), "fork %d: %d and %d bytes", i, len(want), len(got))
	}
	require.NoError(t, f.Truncate(0))
	require.Zero(t, m.Usage().Bytes)
}

func TestMemFifo(t *testing.T) {
	m := vfs.NewMem(vfs.MemOptions{})
	require.NoError(t, m.Mknod("/p", 0o644|fs.ModeNamedPipe, 0))
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	go func() {
		_, err := m.OpenFileContext(ctx, "/p", vfs.O_RDONLY, 0)
		done <- err
	}()
	cancel()
	require.ErrorIs(t, <-done, vfs.EINTR)

	go func() {
		w, err := m.OpenFile("/p", vfs.O_WRONLY, 0)
		if err == nil {
			_, err = w.Write(make([]byte, 1<<20))
			w.Close()
		}
		done <- err
	}()
	r, err := m.Open("/p")
	require.NoError(t, err)
	n, err := io.Copy(io.Discard, r)
	require.NoError(t, err)
	require.EqualValues(t, 1<<20, n)
	require.NoError(t, <-done)

	w, err := m.OpenFile("/p", vfs.O_WRONLY, 0)
	require.NoError(t, err)
	require.NoError(t, r.Close())
	_, err = w.Write([]byte("x"))
	require.ErrorIs(t, err, vfs.EPIPE)
}

func TestMemManyNames(t *testing.T) {
	m := vfs.NewMem(vfs.MemOptions{})
	const n = 20_000
	order := rand.New(rand.NewPCG(3, 4)).Perm(n)
	for _, i := range order {
		require.NoError(t, m.Mkdir(fmt.Sprintf("/%05d", i), 0o755))
	}
	fork := m.Fork()
	for _, i := range order[:n-100] {
		require.NoError(t, m.Remove(fmt.Sprintf("/%05d", i)))
	}
	for fsys, want := range map[*vfs.Mem]int{m: 100, fork: n} {
		d, err := fsys.Open("/")
		require.NoError(t, err)
		last := ""
		got := 0
		for {
			names, err := d.Readdirnames(7)
			for _, name := range names {
				require.Less(t, last, name)
				last = name
				got++
			}
			if err == io.EOF {
				break
			}
			require.NoError(t, err)
		}
		require.Equal(t, want, got)
	}
}

func TestMemDeep(t *testing.T) {
	m := vfs.NewMem(vfs.MemOptions{})
	require.NoError(t, m.Mkdir("/top", 0o755))
	const depth = 100_000
	for i := range depth { // each time, what there is moves one down
		require.NoError(t, m.Mkdir("/new", 0o755))
		require.NoError(t, m.Rename("/top", "/new/d"))
		require.NoError(t, m.Rename("/new", "/top"), i)
	}
	require.EqualValues(t, depth+2, m.Usage().Files)
	require.NoError(t, m.RemoveAll("/top"))
	require.EqualValues(t, 1, m.Usage().Files)
}

// TestTick makes files at almost the same time, of which none is newer, and one
// later.
func TestTick(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 7_999_999, time.UTC)
	m := vfs.NewMem(vfs.MemOptions{Now: func() time.Time { return now }})
	vfstest.Script(t, m, "write /a x")
	a, err := m.Stat("/a")
	require.NoError(t, err)
	require.Equal(t, 4_000_000, a.ModTime().Nanosecond())
	for after, newer := range map[time.Duration]bool{-3 * time.Millisecond: false, 0: false, 1: true, time.Second: true} {
		now = now.Add(after)
		vfstest.Script(t, m, "write /b x")
		now = now.Add(-after)
		b, err := m.Stat("/b")
		require.NoError(t, err)
		require.Equal(t, newer, b.ModTime().After(a.ModTime()), after)
	}
	require.NoError(t, m.Chtimes("/a", now, now))
	a, err = m.Stat("/a")
	require.NoError(t, err)
	require.True(t, a.ModTime().Equal(now), "what is asked for is kept")
}
