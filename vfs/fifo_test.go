package vfs_test

import (
	"context"
	"io"
	"io/fs"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"

	"github.com/limpet-sh/limpet/vfs"
)

// fifoEnds opens both ends of a new FIFO.
func fifoEnds(t *testing.T, ctx context.Context) (r, w afero.File) {
	m := vfs.NewMem(vfs.MemOptions{})
	require.NoError(t, m.Mknod("/p", fs.ModeNamedPipe|0o644, 0))
	var wg sync.WaitGroup
	wg.Go(func() {
		var err error
		w, err = m.OpenFileContext(ctx, "/p", vfs.O_WRONLY, 0)
		require.NoError(t, err)
	})
	r, err := m.OpenFileContext(ctx, "/p", vfs.O_RDONLY, 0)
	require.NoError(t, err)
	wg.Wait()
	return r, w
}

// TestFifoWakes checks that what waits for a FIFO, and nothing else, is woken by
// what can happen to it.
func TestFifoWakes(t *testing.T) {
	full := make([]byte, 64<<10)
	for name, c := range map[string]struct {
		wait func(r, w afero.File) error
		wake func(r, w afero.File, cancel func())
		want error
	}{
		"bytes wake a reader": {
			func(r, w afero.File) error { _, err := r.Read(make([]byte, 9)); return err },
			func(r, w afero.File, _ func()) { w.WriteString("x") },
			nil,
		},
		"the last writer wakes a reader": {
			func(r, w afero.File) error { _, err := r.Read(make([]byte, 9)); return err },
			func(r, w afero.File, _ func()) { w.Close() },
			io.EOF,
		},
		"room wakes a writer": {
			func(r, w afero.File) error { _, err := w.Write(append(full, 'x')); return err },
			func(r, w afero.File, _ func()) { r.Read(make([]byte, 1)) },
			nil,
		},
		"a short write waits for all its room": {
			func(r, w afero.File) error { w.Write(full); _, err := w.Write(make([]byte, 100)); return err },
			func(r, w afero.File, _ func()) { r.Read(make([]byte, 99)); synctest.Wait(); r.Read(make([]byte, 1)) },
			nil,
		},
		"the last reader wakes a writer": {
			func(r, w afero.File) error { _, err := w.Write(append(full, 'x')); return err },
			func(r, w afero.File, _ func()) { r.Close() },
			vfs.EPIPE,
		},
		"the context wakes a reader": {
			func(r, w afero.File) error { _, err := r.Read(make([]byte, 9)); return err },
			func(r, w afero.File, cancel func()) { cancel() },
			vfs.EINTR,
		},
		"the context wakes a writer": {
			func(r, w afero.File) error { _, err := w.Write(append(full, 'x')); return err },
			func(r, w afero.File, cancel func()) { cancel() },
			vfs.EINTR,
		},
		"closing wakes who reads": {
			func(r, w afero.File) error { _, err := r.Read(make([]byte, 9)); return err },
			func(r, w afero.File, _ func()) { r.Close() },
			vfs.EBADF,
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				r, w := fifoEnds(t, ctx)
				var got error
				ended := false
				var wg sync.WaitGroup
				wg.Go(func() { got, ended = c.wait(r, w), true })
				synctest.Wait()
				require.False(t, ended, "it did not wait")
				c.wake(r, w, cancel)
				wg.Wait()
				if c.want == nil {
					require.NoError(t, got)
				} else {
					require.ErrorIs(t, got, c.want)
				}
			})
		})
	}
}

// TestFifoKeepsOrder passes bytes through in pieces of odd sizes.
func TestFifoKeepsOrder(t *testing.T) {
	r, w := fifoEnds(t, t.Context())
	var wg sync.WaitGroup
	wg.Go(func() {
		defer w.Close()
		n := byte(0)
		for size := 1; size < 5000; size += 37 {
			p := make([]byte, size)
			for i := range p {
				p[i] = n
				n++
			}
			w.Write(p)
		}
	})
	data, err := io.ReadAll(r)
	require.NoError(t, err)
	for i, b := range data {
		if b != byte(i) {
			t.Fatalf("byte %d is %d", i, b)
		}
	}
	require.Greater(t, len(data), 300_000)
	wg.Wait()
}
