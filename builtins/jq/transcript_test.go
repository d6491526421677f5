package jq_test

import (
	"path"
	"testing"

	"github.com/limpet-sh/limpet"
	"github.com/limpet-sh/limpet/internal/transcript"
	"github.com/limpet-sh/limpet/vfs"
	"github.com/stretchr/testify/require"
)

// TestTranscripts runs the transcripts here, and TestConfirm has bash and gawk
// run them.
func TestTranscripts(t *testing.T) {
	transcript.Run(t, "testdata/*.txt", func(t *testing.T, files map[string]string) transcript.Shell {
		const dir = "/workspace"
		fsys := vfs.NewMem(vfs.MemOptions{})
		sh, err := limpet.New(limpet.Config{Mounts: []limpet.Mount{{Path: dir, FS: fsys}}, Env: map[string]string{"TZ": "UTC"}})
		require.NoError(t, err)
		t.Cleanup(func() { _ = sh.Close() })
		require.NoError(t, fsys.Chmod("/", 0o777))
		for name, text := range files {
			require.NoError(t, vfs.WriteFile(fsys, path.Join("/", name), []byte(text), 0o644))
		}
		return func(t *testing.T, script string) transcript.Outcome {
			res, err := sh.Exec(t.Context(), limpet.Request{Script: script, Dir: dir})
			require.NoError(t, err)
			require.NoError(t, res.Stopped)
			return transcript.Outcome{Stdout: string(res.Stdout), Stderr: string(res.Stderr), Status: res.Status}
		}
	})
}

func TestConfirm(t *testing.T) { transcript.Confirm(t, "testdata/*.txt") }
