package fuzz_test

import (
	"strings"
	"testing"

	"github.com/limpet-sh/limpet/fuzz"
	"github.com/stretchr/testify/require"
)

// A script is a function of the seed and its number alone.
func TestScriptsAreDeterministic(t *testing.T) {
	a, b, other := fuzz.Generator{Seed: 1}.Scripts(), fuzz.Generator{Seed: 1}, fuzz.Generator{Seed: 2}.Scripts()
	different := 0
	for n := range uint64(50) {
		require.Equal(t, a(n), b.Script(n))
		if a(n) != other(n) {
			different++
		}
	}
	require.Greater(t, different, 40)
}

// A feature that is not chosen does not appear.
func TestFeatures(t *testing.T) {
	g := fuzz.StandardGrammar()
	without, err := g.Select("all,-command-substitution,-process-substitution,-here-documents,-traps")
	require.NoError(t, err)
	script := fuzz.Generator{Features: without, Statements: 20}.Scripts()
	for n := range uint64(100) {
		require.NotContains(t, script(n), "<<E")
		require.NotContains(t, script(n), "trap ")
		require.NotContains(t, script(n), "`")
	}
	_, err = g.Select("all,-nosuch")
	require.ErrorContains(t, err, `no feature "nosuch"`)
}

// A grammar of one's own.
func TestParseGrammar(t *testing.T) {
	g, err := fuzz.ParseGrammar("script\n\t1 | {·«line*»¶}\nline\n\t1 | echo «1..3»\n\t1 loud | echo «text'» «<<text»\ntext\n\t1 | it's\n")
	require.NoError(t, err)
	require.Equal(t, []string{"loud"}, g.Features())
	require.Regexp(t, `^{\necho [123]\necho [123]\n}\n$`, fuzz.Generator{Grammar: g, Features: []string{}, Statements: 2}.Script(0))
	all := fuzz.Generator{Grammar: g, Statements: 30}.Script(0)
	require.Contains(t, all, `echo 'it'\''s' <<`)
	require.Contains(t, all, "\nit's\nE")
	for text, want := range map[string]string{
		"line\n\t1 | a\n":          `no nonterminal "script"`,
		"script\n\t1 | «line»\n":   `"line"`,
		"script\n\tmany | a\n":     `"many" is not a weight`,
		"script\n\t1 | «line\n":    "without a name and »",
		"script\n\t1 no bar\n":     "no bar",
		"script\n\t1 | a\n\t| b\n": "no weight",
	} {
		_, err := fuzz.ParseGrammar(text)
		require.ErrorContains(t, err, want, text)
	}
}

// Every finding of the minimiser fails as the script that it began with.
func TestMinimize(t *testing.T) {
	script := "x=1\nif true; then\n  echo \"a $(echo needle) b\"; y=2\nfi\nfor i in 1 2 3; do echo $i; done\n"
	runs := 0
	got := fuzz.Minimize(script, 1000, func(s string) bool {
		runs++
		return strings.Contains(s, "needle")
	})
	require.Equal(t, "needle", strings.TrimSpace(got))
	require.Less(t, runs, 200)
	require.Equal(t, script, fuzz.Minimize(script, 0, func(string) bool { return true }))
	unparsed := fuzz.Minimize("echo one\nif ( needle \"\nfi\n", 1000, func(s string) bool { return strings.Contains(s, "needle") })
	require.Equal(t, "needle", strings.TrimSpace(unparsed))
}
