package transcript

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Dir is where the files of a transcript are, and where its commands begin.
const Dir = "/workspace"

// Confirm runs the transcripts that match pattern with the bash and the tools
// of the host if the environment variable CONFIRM is set, and skips the test
// otherwise. Each transcript has a temporary directory, which its output shows
// as [Dir], and each command a fresh shell there. Commands with an exemption
// run too, for what they leave behind, and may do as they please.
func Confirm(t *testing.T, pattern string) {
	if os.Getenv("CONFIRM") == "" {
		t.Skip("CONFIRM is not set")
	}
	bash, err := exec.LookPath("bash")
	require.NoError(t, err)
	each(t, pattern, func(t *testing.T, name string, f *File) {
		dir := t.TempDir()
		for name, text := range f.Files {
			path := filepath.Join(dir, name)
			require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
			require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
		}
		for i := range f.Steps {
			step := &f.Steps[i]
			got := confirm(t, bash, dir, step.Script)
			if step.Exempt == "" {
				step.require(t, name, got)
			}
		}
	})
}

// confirm runs one command in dir.
func confirm(t *testing.T, bash, dir, script string) Outcome {
	t.Helper()
	var stdout, stderr bytes.Buffer
	cmd := exec.CommandContext(t.Context(), bash, "-c", script)
	cmd.Args[0] = "bash"
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &stdout, &stderr
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "LC_ALL=C.UTF-8", "TZ=UTC"}
	err := cmd.Run()
	if cmd.ProcessState == nil {
		require.NoError(t, err)
	}
	return Outcome{
		Stdout: strings.ReplaceAll(stdout.String(), dir, Dir),
		Stderr: strings.ReplaceAll(stderr.String(), dir, Dir),
		Status: cmd.ProcessState.ExitCode(),
	}
}
