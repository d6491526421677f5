package retain_test

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/limpet-sh/limpet/internal/retain"
	"github.com/stretchr/testify/require"
)

// A buffer against all that was written to it.
func TestModel(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	held := 0
	b := retain.New(10, 3, func(n int) error { held += n; return nil })
	var all []byte
	for range 300 {
		piece := bytes.Repeat([]byte{byte(r.IntN(256))}, r.IntN(40))
		n, err := b.Write(piece)
		require.NoError(t, err)
		require.Equal(t, len(piece), n)
		all = append(all, piece...)
		oldest, total := b.Bounds()
		require.Equal(t, int64(len(all)), total)
		require.LessOrEqual(t, total-oldest, int64(30))
		require.GreaterOrEqual(t, total-oldest, min(total, 20), "at most one segment is dropped too early")
		require.Equal(t, int(total-oldest), held)
		from := int64(r.IntN(len(all) + 1))
		data, start := b.Read(from, r.IntN(50))
		require.Equal(t, max(from, oldest), start)
		require.True(t, bytes.HasPrefix(all[start:], data))
	}
}

func TestWait(t *testing.T) {
	b := retain.New(10, 2, nil)
	ctx, cancel := context.WithCancel(t.Context())
	go cancel()
	b.Wait(ctx, 0)
	go func() { _, _ = b.Write([]byte("x")) }()
	b.Wait(t.Context(), 0)
	go b.End()
	b.Wait(t.Context(), 1)
}

func TestHoldRefuses(t *testing.T) {
	enough := errors.New("enough")
	b := retain.New(4, 2, func(n int) error {
		if n > 2 {
			return enough
		}
		return nil
	})
	n, err := b.Write([]byte("abcdefgh"))
	require.ErrorIs(t, err, enough)
	require.Zero(t, n)
}
