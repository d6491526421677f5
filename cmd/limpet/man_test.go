package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestManualsAndCompletions(t *testing.T) {
	dir := t.TempDir()
	_, errs, status := command(t, dir, "", "man", "man1")
	require.Zero(t, status, errs)
	pages, err := filepath.Glob(filepath.Join(dir, "man1", "limpet-*.1"))
	require.NoError(t, err)
	require.Greater(t, len(pages), 8)
	data, err := os.ReadFile(filepath.Join(dir, "man1", "limpet-run.1"))
	require.NoError(t, err)
	for _, want := range []string{".TH LIMPET\\-RUN 1\n", "\\fB\\-\\-timeout\\fR=\\fI", ".SH EXAMPLES\n", "\\fBlimpet\\fR(1)"} {
		require.Contains(t, string(data), want)
	}
	for _, shell := range []string{"bash", "zsh", "fish"} {
		out, errs, status := command(t, dir, "", "completion", shell)
		require.Zero(t, status, errs)
		require.Contains(t, out, "limpet")
	}
	out, _, _ := command(t, dir, "", "__complete", "run", "--tim")
	require.Contains(t, out, "--timeout")
}
