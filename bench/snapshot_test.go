package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/limpet-sh/limpet"
	"github.com/limpet-sh/limpet/limits"
)

// A tree of 10,000 files with 100 MB in all.
const (
	snapFiles = 10_000
	snapSize  = 10_000
)

// BenchmarkSnapshot measures how fast checkpoints of a large tree are saved and
// loaded, whole and after one change.
func BenchmarkSnapshot(b *testing.B) {
	cfg := limpet.Config{Limits: limits.Limits{Storage: 1 << 30, Files: 1 << 20}}
	sh, err := limpet.New(cfg)
	require.NoError(b, err)
	defer sh.Close()
	data := make([]byte, snapSize)
	for i := range data {
		data[i] = byte(i * i >> 3)
	}
	for i := range snapFiles {
		name := fmt.Sprintf("/workspace/d%02d/f%03d", i/100, i%100)
		require.NoError(b, sh.WriteFile(context.Background(), name, data, 0o644))
	}
	checkpoint := func() *limpet.Checkpoint {
		c, err := sh.Checkpoint()
		require.NoError(b, err)
		return c
	}
	before := checkpoint()
	var whole, change bytes.Buffer
	require.NoError(b, before.Save(&whole, nil))
	require.NoError(b, sh.WriteFile(context.Background(), "/workspace/d50/f050", []byte("changed"), 0o644))
	after := checkpoint()
	require.NoError(b, after.Save(&change, before))
	to, err := limpet.New(cfg)
	require.NoError(b, err)
	defer to.Close()
	loaded, err := to.Load(bytes.NewReader(whole.Bytes()), nil)
	require.NoError(b, err)

	b.Run("save", func(b *testing.B) {
		b.SetBytes(snapFiles * snapSize)
		for range b.N {
			require.NoError(b, before.Save(io.Discard, nil))
		}
	})
	b.Run("load", func(b *testing.B) {
		b.SetBytes(snapFiles * snapSize)
		for range b.N {
			c, err := to.Load(bytes.NewReader(whole.Bytes()), nil)
			require.NoError(b, err)
			require.NoError(b, to.Restore(c))
		}
	})
	b.Run("save a change", func(b *testing.B) {
		for range b.N {
			require.NoError(b, after.Save(io.Discard, before))
		}
	})
	b.Run("load a change", func(b *testing.B) {
		for range b.N {
			c, err := to.Load(bytes.NewReader(change.Bytes()), loaded)
			require.NoError(b, err)
			require.NoError(b, to.Restore(c))
		}
	})
}
