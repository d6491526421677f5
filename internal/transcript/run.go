package transcript

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// update is the test flag that makes Run rewrite transcripts.
var update = flag.Bool("update", false, "rewrite the transcripts with what their commands do")

// A Shell runs the commands of one transcript, in order.
type Shell func(t *testing.T, script string) Outcome

// Run runs the transcripts that match pattern, each in a shell of its own that
// start makes with the transcript's files. With the flag -update it rewrites
// outcomes that differ instead of failing.
func Run(t *testing.T, pattern string, start func(t *testing.T, files map[string]string) Shell) {
	each(t, pattern, func(t *testing.T, name string, f *File) {
		shell := start(t, f.Files)
		for i := range f.Steps {
			step := &f.Steps[i]
			got := shell(t, step.Script)
			if *update {
				step.SetOutcome(got)
				continue
			}
			step.require(t, name, got)
		}
		if *update {
			require.NoError(t, os.WriteFile(name, f.Format(), 0o644))
		}
	})
}

// each calls do for each transcript that matches pattern, in a test of its own.
func each(t *testing.T, pattern string, do func(t *testing.T, name string, f *File)) {
	names, err := filepath.Glob(pattern)
	require.NoError(t, err)
	require.NotEmpty(t, names, "no transcripts match %s", pattern)
	for _, name := range names {
		t.Run(filepath.Base(name), func(t *testing.T) {
			data, err := os.ReadFile(name)
			require.NoError(t, err)
			f, err := Parse(data)
			require.NoError(t, err, name)
			do(t, name, f)
		})
	}
}

func (s *Step) require(t *testing.T, name string, got Outcome) {
	t.Helper()
	require.Equal(t, s.Outcome, got, "%s:%d: $ %s", name, s.Line, s.Script)
}
