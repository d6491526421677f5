package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/limpet-sh/limpet"
	"github.com/stretchr/testify/require"
)

func TestAnalyze(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "s"), []byte("x=1; ls \"$x\" > $'a\\e[2J'\n"), 0o644))
	out, _, status := command(t, dir, "", "analyze", "s")
	require.Equal(t, "1:6: command: \"ls\" <\\\"$x\\\">\n1:14: write: \"a\\x1b[2J\"\n1:1: variable: \"x\"\n", out)
	require.Zero(t, status)
	out, _, status = command(t, dir, "eval \"$x\"\n", "analyze", "-", "--json")
	require.Equal(t, 1, status)
	var a limpet.Analysis
	require.NoError(t, json.Unmarshal([]byte(out), &a))
	require.Equal(t, "eval", a.Commands[0].Name)
	require.Len(t, a.Opaque, 1)
	_, errs, status := command(t, dir, "", "analyze", "nosuch")
	require.Equal(t, 2, status)
	require.Contains(t, errs, "nosuch")
}
