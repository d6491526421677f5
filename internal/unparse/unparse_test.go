package unparse_test

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"mvdan.cc/sh/v3/syntax"

	"github.com/limpet-sh/limpet/internal/parse"
	"github.com/limpet-sh/limpet/internal/unparse"
)

// The files .want hold what bash prints; CONFIRM=1 asks the bash at hand.

func TestFunctionsPrintAsInBash(t *testing.T) {
	prog := program(t, "testdata/functions.sh")
	var got strings.Builder
	script := []string{prog.Source}
	for _, s := range prog.Stmts {
		f := s.Cmd.(*syntax.FuncDecl)
		text, err := unparse.Function(f.Name.Value, f.Body, prog.Source, 0)
		require.NoError(t, err)
		got.WriteString(text + "\n")
		script = append(script, "declare -f "+f.Name.Value)
	}
	confirm(t, "testdata/functions.want", strings.Join(script, "\n"))
	require.Equal(t, read(t, "testdata/functions.want"), got.String())
}

func TestJobsPrintAsInBash(t *testing.T) {
	prog := program(t, "testdata/jobs.sh")
	var got strings.Builder
	for i, s := range prog.Stmts {
		s.Background = false
		text, err := unparse.Command(s, prog.Source, 0)
		require.NoError(t, err)
		mark := " "
		switch len(prog.Stmts) - i {
		case 1:
			mark = "+"
		case 2:
			mark = "-"
		}
		fmt.Fprintf(&got, "[%d]%s  %-24s%s &\n", i+1, mark, "Running", text)
	}
	confirm(t, "testdata/jobs.want", prog.Source+"\njobs; kill $(jobs -p) 2>/dev/null")
	require.Equal(t, read(t, "testdata/jobs.want"), got.String())
}

func TestHeadsOfLoops(t *testing.T) {
	prog, err := parse.File("for x in 1   2; do :; done\nselect y; do :; done\ncase $( a;b ) in esac\n:\n", parse.Mode{})
	require.NoError(t, err)
	for i, want := range []string{"for x in 1 2", `select y in "$@"`, "case $(a; b) in ", ""} {
		require.Equal(t, want, unparse.Head(prog.Stmts[i].Cmd, prog.Source))
	}
}

func TestLayoutIsBounded(t *testing.T) {
	src := "f() { if a; then b" + strings.Repeat("; elif a; then b", 20_000) + "; fi; }"
	prog, err := parse.File(src, parse.Mode{})
	require.NoError(t, err)
	_, err = unparse.Function("f", prog.Stmts[0].Cmd.(*syntax.FuncDecl).Body, prog.Source, 1<<20)
	require.ErrorIs(t, err, unparse.ErrTooLong)
}

func program(t *testing.T, name string) *parse.Program {
	prog, err := parse.File(read(t, name), parse.Mode{})
	require.NoError(t, err)
	return prog
}

func read(t *testing.T, name string) string {
	text, err := os.ReadFile(name)
	require.NoError(t, err)
	return string(text)
}

// confirm compares the file name with what bash prints for a script, or with
// UPDATE=1 writes it.
func confirm(t *testing.T, name, script string) {
	if os.Getenv("CONFIRM") == "" && os.Getenv("UPDATE") == "" {
		return
	}
	cmd := exec.Command("bash", "-s")
	cmd.Stdin = strings.NewReader(script)
	out, err := cmd.Output()
	require.NoError(t, err)
	if os.Getenv("UPDATE") != "" {
		require.NoError(t, os.WriteFile(name, out, 0o644))
	}
	require.Equal(t, read(t, name), string(out))
}
