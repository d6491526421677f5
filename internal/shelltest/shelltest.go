// Package shelltest runs transcripts in a shell of this module.
package shelltest

import (
	"path"
	"testing"

	"github.com/limpet-sh/limpet"
	"github.com/limpet-sh/limpet/builtins"
	"github.com/limpet-sh/limpet/internal/transcript"
	"github.com/limpet-sh/limpet/vfs"
	"github.com/stretchr/testify/require"
)

// Start makes a shell with the standard configuration, in whose working
// directory the files are. It is for [transcript.Run].
func Start(t *testing.T, files map[string]string) transcript.Shell {
	return start(t, files, builtins.User{}, nil)
}

// StartWith returns Start with further commands.
func StartWith(extra []*builtins.Command) func(*testing.T, map[string]string) transcript.Shell {
	return func(t *testing.T, files map[string]string) transcript.Shell {
		return start(t, files, builtins.User{}, extra)
	}
}

// StartRoot is Start with the user root, as whom other tools confirm transcripts.
func StartRoot(t *testing.T, files map[string]string) transcript.Shell {
	return start(t, files, builtins.User{Name: "root", Home: "/root"}, nil)
}

func start(t *testing.T, files map[string]string, user builtins.User, extra []*builtins.Command) transcript.Shell {
	env := map[string]string{"TZ": "UTC"}
	if extra != nil {
		env["HOME"] = transcript.Dir // as it is where transcripts are confirmed
	}
	sh, err := limpet.New(limpet.Config{User: user, Env: env, Extra: extra})
	require.NoError(t, err)
	t.Cleanup(func() {
		_ = sh.Close()
		require.Zero(t, sh.Files().(*vfs.Mem).Usage().Open, "files that are open after all has ended")
	})
	for name, text := range files {
		name = path.Join(transcript.Dir, name)
		require.NoError(t, sh.Mkdir(t.Context(), path.Dir(name), 0o755))
		require.NoError(t, sh.WriteFile(t.Context(), name, []byte(text), 0o644))
	}
	return func(t *testing.T, script string) transcript.Outcome {
		t.Helper()
		res, err := sh.Exec(t.Context(), limpet.Request{Script: script})
		require.NoError(t, err)
		require.NoError(t, res.Stopped)
		return transcript.Outcome{Stdout: string(res.Stdout), Stderr: string(res.Stderr), Status: res.Status}
	}
}
