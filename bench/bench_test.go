package main

import (
	"context"
	"io/fs"
	"path"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/limpet-sh/limpet"
	"github.com/stretchr/testify/require"
)

// BenchmarkScripts runs every script in a new shell.
func BenchmarkScripts(b *testing.B) {
	list, err := fs.Glob(scripts, "scripts/*.sh")
	require.NoError(b, err)
	for _, f := range list {
		src, err := scripts.ReadFile(f)
		require.NoError(b, err)
		b.Run(strings.TrimSuffix(path.Base(f), ".sh"), func(b *testing.B) {
			b.ReportAllocs()
			for range b.N {
				_, err := runLimpet(string(src))
				require.NoError(b, err)
			}
		})
	}
}

// BenchmarkNew measures a shell and its first script; BenchmarkExec a script in
// a shell that has run it before, and BenchmarkExecOther one that it has not;
// BenchmarkSession one in a session.
func BenchmarkNew(b *testing.B) {
	b.ReportAllocs()
	for range b.N {
		_, err := runLimpet("echo hi")
		require.NoError(b, err)
	}
}

func BenchmarkExec(b *testing.B) {
	b.ReportAllocs()
	sh, err := limpet.New(limpet.Config{})
	require.NoError(b, err)
	defer sh.Close()
	for range b.N {
		_, err := sh.Exec(context.Background(), limpet.Request{Script: "echo hi"})
		require.NoError(b, err)
	}
}

func BenchmarkExecOther(b *testing.B) {
	b.ReportAllocs()
	sh, err := limpet.New(limpet.Config{})
	require.NoError(b, err)
	defer sh.Close()
	for i := range b.N {
		_, err := sh.Exec(context.Background(), limpet.Request{Script: "echo hi " + strconv.Itoa(i)})
		require.NoError(b, err)
	}
}

func BenchmarkSession(b *testing.B) {
	b.ReportAllocs()
	sh, err := limpet.New(limpet.Config{})
	require.NoError(b, err)
	defer sh.Close()
	s, err := sh.NewSession(context.Background(), limpet.SessionOptions{})
	require.NoError(b, err)
	for range b.N {
		_, err := s.Exec(context.Background(), limpet.Request{Script: "echo hi"})
		require.NoError(b, err)
	}
}

// BenchmarkIdle reports the memory that a Shell holds after its first execution.
func BenchmarkIdle(b *testing.B) {
	heap := func() uint64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.GC()
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	_, err := runLimpet("echo hi") // what all shells share
	require.NoError(b, err)
	shells := make([]*limpet.Shell, b.N)
	before := heap()
	for i := range shells {
		shells[i], err = limpet.New(limpet.Config{})
		require.NoError(b, err)
		_, err = shells[i].Exec(context.Background(), limpet.Request{Script: "echo hi"})
		require.NoError(b, err)
	}
	b.ReportMetric((float64(heap())-float64(before))/float64(b.N), "B/shell")
	for _, sh := range shells {
		sh.Close()
	}
}
