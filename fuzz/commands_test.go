package fuzz_test

import (
	"context"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/limpet-sh/limpet/builtins"
	"github.com/limpet-sh/limpet/builtins/all"
	"github.com/limpet-sh/limpet/fuzz"
)

// Options are generated as they are declared, with the values that there are for
// them.
func TestCommandGrammar(t *testing.T) {
	g := fuzz.CommandGrammar()
	i := slices.IndexFunc(all.Commands(), func(c *builtins.Command) bool { return c.Name == "sort" })
	options := builtins.Describe(all.Commands()[i])
	require.NotEmpty(t, options)
	script := fuzz.Generator{Grammar: g, Features: []string{"sort"}}.Scripts()
	var text string
	for n := range uint64(400) {
		text += script(n)
	}
	require.Contains(t, text, "\nsort")
	require.Contains(t, text, " -k ")
	require.Contains(t, text, " --key=")
	for _, o := range options {
		if len(o.Short) > 0 && !slices.Contains([]string{"R", "T"}, o.Short[0]) { // as the grammar says
			require.Contains(t, text, " -"+o.Short[0])
		}
	}
	require.NotContains(t, text, " -T")
}

// What commands do with generated options and files is what those of the host do.
func TestCommandsSameAsHosts(t *testing.T) {
	g := fuzz.CommandGrammar()
	features, err := g.Select("cat,fold,head,nl,wc")
	require.NoError(t, err)
	c := &fuzz.Campaign{
		Trials: []fuzz.Trial{{
			Source: fuzz.Generator{Seed: 1, Grammar: g, Features: features}.Scripts(),
			Oracle: &fuzz.Differential{Reference: fuzz.Bash(), Target: &fuzz.Sandbox{}},
		}},
		Count: 40, MaxFindings: 1,
	}
	report, err := c.Run(context.Background())
	require.NoError(t, err)
	for _, f := range report.Findings {
		t.Error(f)
	}
	require.Equal(t, uint64(40), report.Scripts)
}
