package vfs_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/limpet-sh/limpet/vfs"
)

// TestHammer lets eight goroutines do everything to one small tree at once, and
// then checks that the books balance: once all is removed, nothing is charged.
func TestHammer(t *testing.T) {
	lower := vfs.NewMem(vfs.MemOptions{})
	require.NoError(t, lower.MkdirAll("/d0/d1", 0o755))
	require.NoError(t, vfs.WriteFile(lower, "/d0/f0", bytes.Repeat([]byte{1}, 200_000), 0o644))
	m, err := vfs.NewOverlay(vfs.ReadOnly(lower), vfs.MemOptions{Storage: 4 << 20, Files: 200})
	require.NoError(t, err)
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
	defer cancel()
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			h := hammer{rand.New(rand.NewPCG(uint64(g), 1)), m, ctx}
			for range 2000 {
				h.step()
			}
		})
	}
	wg.Wait()
	entries, err := vfs.ReadDir(m, "/")
	require.NoError(t, err)
	for _, e := range entries {
		require.NoError(t, m.RemoveAll("/"+e.Name()))
	}
	require.Equal(t, vfs.Usage{Files: 1}, m.Usage())
}

type hammer struct {
	*rand.Rand
	m   *vfs.Mem
	ctx context.Context
}

// name returns one of few names, so that they meet.
func (h hammer) name() string {
	name := ""
	for range 1 + h.IntN(3) {
		name += fmt.Sprintf("/d%d", h.IntN(2))
	}
	if h.IntN(2) == 0 {
		name += fmt.Sprintf("/f%d", h.IntN(3))
	}
	return name
}

func (h hammer) step() {
	m, name := h.m, h.name()
	switch h.IntN(16) {
	case 0, 1:
		m.Mkdir(name, 0o755)
	case 2:
		m.Rename(name, h.name())
	case 3:
		m.Link(name, h.name())
	case 4:
		m.SymlinkIfPossible(h.name(), name)
	case 5:
		m.Remove(name)
	case 6:
		if h.IntN(10) == 0 {
			m.RemoveAll(name)
		}
	case 7:
		m.Chmod(name, fs.FileMode(h.IntN(0o1000)))
	case 8:
		vfs.ReadDir(m, name)
	case 9:
		if h.IntN(5) == 0 {
			h.fork(name)
		}
	case 10:
		m.Mknod(name, fs.ModeNamedPipe|0o644, 0)
	default:
		h.file(name)
	}
}

// fork changes a fork, and leaves it.
func (h hammer) fork(name string) {
	f := h.m.Fork()
	f.Rename(name, h.name())
	f.RemoveAll(h.name())
	hammer{h.Rand, f.As(vfs.User{UID: 1}), h.ctx}.file(h.name())
}

func (h hammer) file(name string) {
	flag := []int{vfs.O_RDONLY, vfs.O_RDWR | vfs.O_CREATE, vfs.O_WRONLY | vfs.O_APPEND, vfs.O_RDWR | vfs.O_TRUNC}[h.IntN(4)]
	ctx, cancel := context.WithTimeout(h.ctx, time.Millisecond)
	defer cancel()
	f, err := h.m.OpenFileContext(ctx, name, flag, 0o644)
	if err != nil {
		return
	}
	defer f.Close()
	for range 4 {
		switch h.IntN(5) {
		case 0:
			f.Write(make([]byte, h.IntN(100_000)))
		case 1:
			f.Read(make([]byte, h.IntN(100_000)))
		case 2:
			f.Truncate(int64(h.IntN(100_000)))
		case 3:
			f.Stat()
		case 4:
			f.Seek(int64(h.IntN(100_000)), io.SeekStart)
		}
	}
}

// TestAppendersDoNotMix checks that what many append is all there, in whole
// pieces, while others look and fork.
func TestAppendersDoNotMix(t *testing.T) {
	m := vfs.NewMem(vfs.MemOptions{})
	const writers, pieces, size = 6, 60, 3000
	var wg sync.WaitGroup
	for w := range writers {
		wg.Go(func() {
			f, err := m.OpenFile("/f", vfs.O_WRONLY|vfs.O_APPEND|vfs.O_CREATE, 0o644)
			if err != nil {
				panic(err)
			}
			defer f.Close()
			for range pieces {
				f.Write(bytes.Repeat([]byte{byte('a' + w)}, size))
			}
		})
	}
	wg.Go(func() {
		for range 50 {
			data, err := vfs.ReadFile(m.Fork(), "/f")
			if err != nil && !errors.Is(err, fs.ErrNotExist) {
				panic(err)
			}
			whole(t, data, size)
		}
	})
	wg.Wait()
	data, err := vfs.ReadFile(m, "/f")
	require.NoError(t, err)
	require.Len(t, data, writers*pieces*size)
	whole(t, data, size)
}

// whole fails the test unless data is of pieces of equal bytes.
func whole(t *testing.T, data []byte, size int) {
	for len(data) > 0 {
		if n := min(size, len(data)); bytes.Count(data[:n], data[:1]) != n || n < size {
			t.Errorf("a torn piece of %d bytes", n)
			return
		}
		data = data[size:]
	}
}
