package parse_test

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"mvdan.cc/sh/v3/syntax"

	"github.com/limpet-sh/limpet/internal/parse"
	"github.com/limpet-sh/limpet/internal/unparse"
)

// The cases hold aliases, an empty line, and the body of a function f; what is
// expected is f as declare -f prints it.
func TestAliasesExpandAsInBash(t *testing.T) {
	const name = "testdata/aliases.txt"
	for _, c := range confirm(t, name, readCases(t, name), bashAliases) {
		aliases, body := splitAliases(c.script)
		r := parse.NewReader(t.Context(), "f() {\n"+body+"}\n", parse.Mode{})
		r.Alias = func(name string) (string, bool) { value, ok := aliases[name]; return value, ok }
		prog, err := r.Next()
		require.NoError(t, err, c.script)
		f := prog.Stmts[0].Cmd.(*syntax.FuncDecl)
		got, err := unparse.Function("f", f.Body, prog.Source, 0)
		require.NoError(t, err)
		require.Equal(t, c.want, got+"\n", c.script)
		_, err = r.Next()
		require.Equal(t, io.EOF, err)
	}
}

func splitAliases(script string) (aliases map[string]string, body string) {
	head, body, _ := strings.Cut(script, "\n\n")
	aliases = map[string]string{}
	for _, line := range strings.Split(head, "\n") {
		name, value, _ := strings.Cut(line, "=")
		aliases[name] = strings.ReplaceAll(strings.TrimSuffix(value, "."), `\n`, "\n")
	}
	return aliases, body
}

// bashAliases returns the function with the aliases expanded by bash.
func bashAliases(dir, script string) string {
	aliases, body := splitAliases(script)
	var b strings.Builder
	b.WriteString("shopt -s expand_aliases\n")
	for name, value := range aliases {
		b.WriteString("BASH_ALIASES[" + name + "]='" + value + "'\n")
	}
	b.WriteString("f() {\n" + body + "}\n\\declare -f f\n")
	file := filepath.Join(dir, "s")
	if err := os.WriteFile(file, []byte(b.String()), 0o644); err != nil {
		return err.Error()
	}
	out, _ := exec.Command("bash", file).CombinedOutput()
	return string(out)
}

func TestReaderYieldsCommands(t *testing.T) {
	r := parse.NewReader(t.Context(), "a; b\n\n# c\nif d\nthen e; fi\ncat <<E; f\nx\nE\nm[x y]=1\n", parse.Mode{})
	for _, aliased := range []bool{false, true} {
		if aliased {
			r = parse.NewReader(t.Context(), "a; b\n\n# c\nif d\nthen e; fi\ncat <<E; f\nx\nE\nm[x y]=1\n", parse.Mode{})
			r.Alias = func(string) (string, bool) { return "", false }
		}
		var got []string
		var lines []int
		for {
			prog, err := r.Next()
			if err == io.EOF {
				break
			}
			require.NoError(t, err)
			got = append(got, prog.Text(prog.Stmts[0].Pos(), prog.Stmts[len(prog.Stmts)-1].End()))
			lines = append(lines, int(prog.Stmts[0].Pos().Line()))
		}
		require.Equal(t, []string{"a; b", "if d\nthen e; fi", "cat <<E; f", "m[x y]=1"}, got)
		require.Equal(t, []int{1, 4, 6, 9}, lines)
	}
}

func TestReaderReadsOnAfterAnError(t *testing.T) {
	r := parse.NewReader(t.Context(), "a\nb ) c\nd\n", parse.Mode{})
	_, err := r.Next()
	require.NoError(t, err)
	_, err = r.Next()
	require.ErrorContains(t, err, "line 2: syntax error near unexpected token `)'")
	prog, err := r.Next()
	require.NoError(t, err)
	require.Equal(t, "d", prog.Text(prog.Stmts[0].Pos(), prog.Stmts[0].End()))
}

func TestReaderAsksForMore(t *testing.T) {
	input := []string{"if a\n", "then b\n", "fi; c\n", "d\n"}
	r := parse.NewReader(t.Context(), "", parse.Mode{})
	asked := 0
	r.More = func() (string, bool) {
		if asked == len(input) {
			return "", false
		}
		asked++
		return input[asked-1], true
	}
	prog, err := r.Next()
	require.NoError(t, err)
	require.Len(t, prog.Stmts, 2)
	require.Equal(t, 3, asked)
	_, err = r.Next()
	require.NoError(t, err)
	_, err = r.Next()
	require.Equal(t, io.EOF, err)
}

func TestExtendedPatternsFollowTheMode(t *testing.T) {
	for _, src := range []string{"echo @(a|b)", "case x in +(a)) b;; esac", "a=?(b)"} {
		_, err := parse.File(src, parse.Mode{})
		require.ErrorContains(t, err, "syntax error near unexpected token", src)
		_, err = parse.File(src, parse.Mode{ExtGlob: true})
		require.NoError(t, err, src)
	}
	find[*syntax.ExtGlob](t, read(t, "[[ a == @(b|c) ]]"))
	find[*syntax.Subshell](t, read(t, "!(a)"))
	find[*syntax.Subshell](t, read(t, "!(a); [[ b ]]"))
	prog, err := parse.File("echo !(a)", parse.Mode{ExtGlob: true})
	require.NoError(t, err)
	find[*syntax.ExtGlob](t, prog)
	require.Equal(t, "", find[*syntax.ExtGlob](t, read(t, "[[ a == +() ]]")).Pattern.Value)
}
