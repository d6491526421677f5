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
func Confirm(t *testing.T, pattern string) { confirmAs(t, pattern, nil) }

// ConfirmWith is Confirm with more variables in the environment.
func ConfirmWith(t *testing.T, pattern string, env map[string]string) { confirmAs(t, pattern, env) }

// ConfirmUser is Confirm by the user 1000, whom permissions hold back, where the
// user of the test is root.
func ConfirmUser(t *testing.T, pattern string) {
	if os.Getuid() != 0 {
		confirmAs(t, pattern, nil)
		return
	}
	confirmAs(t, pattern, nil, "setpriv", "--reuid=1000", "--regid=1000", "--clear-groups")
}

// confirmAs is Confirm with more variables, and a command in front of that of each
// shell.
func confirmAs(t *testing.T, pattern string, env map[string]string, front ...string) {
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
		if len(front) > 0 {
			own(t, dir)
		}
		for i := range f.Steps {
			step := &f.Steps[i]
			got := confirm(t, append(front[:len(front):len(front)], bash), dir, step.Script, env)
			if step.Exempt == "" {
				step.require(t, name, got)
			}
		}
	})
}

// own gives dir and what is in it to the user 1000.
func own(t *testing.T, dir string) {
	t.Helper()
	require.NoError(t, os.Chmod(filepath.Dir(dir), 0o755))
	require.NoError(t, filepath.WalkDir(dir, func(name string, _ os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return os.Lchown(name, 1000, 1000)
	}))
}

// confirm runs one command in dir, by a shell that is the last word of a command.
func confirm(t *testing.T, shell []string, dir, script string, env map[string]string) Outcome {
	t.Helper()
	var stdout, stderr bytes.Buffer
	cmd := exec.CommandContext(t.Context(), shell[0], append(shell[1:len(shell):len(shell)], "-c", script)...)
	if len(shell) == 1 {
		cmd.Args[0] = "bash"
	} else {
		cmd.Args[len(shell)-1] = "bash" // found through PATH
	}
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &stdout, &stderr
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "LC_ALL=C.UTF-8", "TZ=UTC"}
	for name, value := range env {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
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
