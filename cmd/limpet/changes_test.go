package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// workDir makes a directory of the host with a few files.
func workDir(t *testing.T) (dir string, read func(name string) string) {
	dir = t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "sub"), 0o755))
	for name, text := range map[string]string{"a": "1\n", "b": "2\n", "sub/c": "3\n"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	return dir, func(name string) string {
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			return "none"
		}
		return string(data)
	}
}

const work = `echo one > a; rm b; mkdir new; mv sub/c new/d; chmod 700 sub; printf 'x' > 'odd
name'`

func TestChangesAreShownAndNotMade(t *testing.T) {
	dir, read := workDir(t)
	out, errs, status := command(t, dir, "", "run", "--dir", ".", "--changes", "-c", work+`; echo out; exit 3`)
	require.Equal(t, "out\n", out)
	require.Equal(t, 3, status)
	require.Equal(t, "M a\nD b\nA new/\nA new/d\nA \"odd\\nname\"\nM sub/ (mode 0755 to 0700)\nD sub/c\n", errs)
	require.Equal(t, "1\n", read("a"))

	_, errs, status = command(t, dir, "", "run", "--dir", ".", "--diff", "-", "-c", `echo one > a`)
	require.Equal(t, "diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -1 +1 @@\n-1\n+one\n", errs)
	require.Equal(t, 0, status)
	_, errs, status = command(t, dir, "", "run", "--dir", ".", "--diff", "patch", "-c", `echo one > a`)
	require.Empty(t, errs)
	require.Equal(t, 0, status)
	require.Contains(t, read("patch"), "+one\n")
	_, errs, status = command(t, dir, "", "run", "--dir", ".", "--diff", "no/patch", "-c", `echo one > a`)
	require.Contains(t, errs, "no/patch")
	require.Equal(t, statusNotApplied, status)
}

func TestApply(t *testing.T) {
	dir, read := workDir(t)
	out, errs, status := command(t, dir, "", "run", "--dir", ".", "--apply", "-c", work+`; echo out`)
	require.Equal(t, "out\n", out)
	require.Empty(t, errs)
	require.Equal(t, 0, status)
	for name, want := range map[string]string{"a": "one\n", "b": "none", "sub/c": "none", "new/d": "3\n", "odd\nname": "x"} {
		require.Equal(t, want, read(name), name)
	}
	_, errs, status = command(t, dir, "", "run", "--dir", ".", "--apply", "-c", `cat a > /dev/null`)
	require.Empty(t, errs)
	require.Equal(t, 0, status)
}

func TestNothingIsAppliedOfWhatFailed(t *testing.T) {
	dir, read := workDir(t)
	for script, want := range map[string]struct {
		status int
		errs   string
	}{
		"echo x > a; exit 3":                       {3, "limpet: nothing applied: the script ended with status 3\n"},
		"echo x > a; x=x; while :; do x+=$x; done": {137, "limpet: memory limit of 1048576 bytes exceeded (raise it with Limits.Memory or --limit memory=N)\nlimpet: nothing applied: the script was stopped\n"},
		"echo x > a; mkfifo p; ln -s /etc/passwd l": {statusNotApplied,
			"limpet: nothing applied: \"l\": a symbolic link to \"/etc/passwd\" leads out of the directory\nlimpet: nothing applied: \"p\": FIFOs and devices are not made on the host\n"},
		"exit 4": {4, ""},
	} {
		_, errs, status := command(t, dir, "", "run", "--dir", ".", "--apply", "--limit", "memory=1M", "-c", script)
		require.Equal(t, want.status, status, script)
		require.Equal(t, want.errs, errs, script)
		require.Equal(t, "1\n", read("a"), script)
	}
}

func TestChangesInJSON(t *testing.T) {
	dir, read := workDir(t)
	out, errs, status := command(t, dir, "", "run", "--json", "--dir", ".", "--changes", "--apply", "-c", `echo one > a; chmod 600 b`)
	require.Empty(t, errs)
	require.Equal(t, 0, status)
	var r result
	require.NoError(t, json.Unmarshal([]byte(out), &r))
	require.Equal(t, []change{{"M", "a", ""}, {"M", "b", "mode 0644 to 0600"}}, r.Changes)
	require.Equal(t, 2, r.Applied)
	require.Equal(t, "one\n", read("a"))
	out, _, status = command(t, dir, "", "run", "--json", "--dir", ".", "--apply", "-c", `mkfifo p`)
	require.Equal(t, statusNotApplied, status)
	r = result{}
	require.NoError(t, json.Unmarshal([]byte(out), &r))
	require.Equal(t, []string{`nothing applied: "p": FIFOs and devices are not made on the host`}, r.NotApplied)
}
