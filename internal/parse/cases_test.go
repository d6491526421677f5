package parse_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func splitCases(text string) []testCase {
	var cases []testCase
	for _, block := range strings.Split(text, "====\n") {
		script, want, ok := strings.Cut(block, "----\n")
		if ok {
			cases = append(cases, testCase{script, want})
		}
	}
	return cases
}

// confirm has bash produce what is expected of a script, where CONFIRM=1 asks
// for that; UPDATE=1 writes it into the file.
func confirm(t *testing.T, name string, cases []testCase, bash func(dir, script string) string) []testCase {
	if os.Getenv("CONFIRM") == "" && os.Getenv("UPDATE") == "" {
		return cases
	}
	var b strings.Builder
	for i, c := range cases {
		want := bash(t.TempDir(), c.script)
		if os.Getenv("UPDATE") != "" {
			cases[i].want = want
		}
		require.Equal(t, want, cases[i].want, c.script)
		b.WriteString("====\n" + c.script + "----\n" + cases[i].want)
	}
	if os.Getenv("UPDATE") != "" {
		require.NoError(t, os.WriteFile(name, []byte(b.String()), 0o644))
	}
	return cases
}

// bashErrors returns what bash says about a script that it only reads.
func bashErrors(dir, script string) string {
	name := filepath.Join(dir, "s")
	if err := os.WriteFile(name, []byte(script), 0o644); err != nil {
		return err.Error()
	}
	cmd := exec.Command("bash", "-n", "s")
	cmd.Dir = dir
	out, _ := cmd.CombinedOutput()
	return strings.ReplaceAll(string(out), "s: line", "line")
}
