package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSessionsAreSavedAndLoaded(t *testing.T) {
	dir := t.TempDir()
	_, errs, status := command(t, dir, "", "run", "--save", "s", "-c", "x=1; f() { echo \"f $1\"; }; mkdir d; cd d; echo data > file; exit 3")
	require.Empty(t, errs)
	require.Equal(t, 3, status)
	out, errs, _ := command(t, dir, "", "run", "--load", "s", "--save", "s", "--env", "E=e", "-c", "echo $x $E $PWD; f arg; cat file; x=2")
	require.Empty(t, errs)
	require.Equal(t, "1 e /workspace/d\nf arg\ndata\n", out)
	out, _, _ = command(t, dir, "", "run", "--load", "s", "--cwd", "/", "-c", "echo $x ${E-unset} $PWD")
	require.Equal(t, "2 unset /\n", out)

	list, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, list, 1, "nothing else is left")

	data, err := os.ReadFile(filepath.Join(dir, "s"))
	require.NoError(t, err)
	data[len(data)/2] ^= 1
	require.NoError(t, os.WriteFile(filepath.Join(dir, "bad"), data, 0o600))
	out, errs, status = command(t, dir, "", "run", "--load", "bad", "-c", "echo run")
	require.Equal(t, 2, status)
	require.Empty(t, out)
	require.Contains(t, errs, "limpet: cannot load bad: ")
}

func TestASavedSessionHasTheDirectory(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(dir, "project"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "project", "f"), []byte("host\n"), 0o644))
	_, errs, _ := command(t, dir, "", "run", "--dir", "project", "--save", "s", "-c", "echo more > g")
	require.Empty(t, errs)
	require.NoError(t, os.RemoveAll(filepath.Join(dir, "project", "f")))
	out, errs, _ := command(t, dir, "", "run", "--dir", "project", "--load", "s", "-c", "cat f g")
	require.Empty(t, errs)
	require.Equal(t, "host\nmore\n", out)
	_, errs, status := command(t, dir, "", "run", "--load", "s", "-c", ":")
	require.Equal(t, 2, status)
	require.Contains(t, errs, "limpet: cannot load s: ")
}
