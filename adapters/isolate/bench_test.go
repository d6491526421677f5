//go:build linux

package isolate_test

import (
	"io"
	"testing"

	"github.com/limpet-sh/limpet"
	"github.com/limpet-sh/limpet/adapters/isolate"
	"github.com/stretchr/testify/require"
)

// BenchmarkIsolate says what a process of its own costs: to start one, to run a script,
// and for a mebibyte of output.
func BenchmarkIsolate(b *testing.B) {
	b.Run("new", func(b *testing.B) {
		for b.Loop() {
			s, err := isolate.New(b.Context(), isolate.Config{})
			require.NoError(b, err)
			require.NoError(b, s.Close())
		}
	})
	s, err := isolate.New(b.Context(), isolate.Config{})
	require.NoError(b, err)
	defer s.Close()
	for name, req := range map[string]limpet.Request{
		"script": {Script: "echo x"},
		"output": {Script: "head -c 1048576 /dev/zero", Stdout: io.Discard},
		"lines":  {Script: "for i in {1..1000}; do echo $i; done"},
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				_, err := s.Exec(b.Context(), req)
				require.NoError(b, err)
			}
		})
	}
}
