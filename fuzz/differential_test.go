package fuzz_test

import (
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/limpet-sh/limpet/fuzz"
	"github.com/stretchr/testify/require"
)

// A fakeShell is a target that prints what a function makes of the script.
type fakeShell func(script string) string

func (f fakeShell) Run(_ context.Context, script string) (*fuzz.Outcome, error) {
	return &fuzz.Outcome{Stdout: f(script)}, nil
}

func echo(script string) string { return script }

// A difference is found, made small and reported.
func TestCampaignFindsDifferences(t *testing.T) {
	var log bytes.Buffer
	c := &fuzz.Campaign{
		Trials: []fuzz.Trial{{
			Source: func(n uint64) string { return fmt.Sprintf("a %d\nb\nneedle %d\n", n, n%3) },
			Oracle: &fuzz.Differential{
				Reference: fakeShell(echo),
				Target:    fakeShell(func(s string) string { return strings.ReplaceAll(s, "needle 1", "hay") }),
			},
		}},
		First: 30, Count: 6, Log: &log,
	}
	report, err := c.Run(t.Context())
	require.NoError(t, err)
	require.EqualValues(t, 6, report.Scripts)
	require.Len(t, report.Findings, 2)
	found := report.Findings[0]
	require.EqualValues(t, 31, found.Number)
	require.Equal(t, "a 31\nb\nneedle 1\n", found.Original)
	require.Equal(t, "needle 1", strings.TrimSpace(found.Finding.Script))
	var diff *fuzz.Difference
	require.ErrorAs(t, found.Finding, &diff)
	require.Equal(t, []string{"stdout"}, diff.In)
	require.Contains(t, log.String(), "+++ stdout of the target\nhay")
}

// A script that does not do the same each time says nothing.
func TestUnstableScripts(t *testing.T) {
	runs := 0
	counting := fakeShell(func(string) string { runs++; return fmt.Sprint(runs) })
	d := &fuzz.Differential{Reference: fakeShell(echo), Target: counting}
	require.ErrorIs(t, d.Check(t.Context(), "x"), fuzz.ErrUnstable)
}

// A reference that cannot be run ends the campaign with an error.
func TestMissingReference(t *testing.T) {
	c := &fuzz.Campaign{
		Trials: []fuzz.Trial{{
			Source: fuzz.Generator{}.Script,
			Oracle: &fuzz.Differential{Reference: &brokenShell{}, Target: fakeShell(echo)},
		}},
		Count: 3,
	}
	_, err := c.Run(t.Context())
	require.ErrorIs(t, err, exec.ErrNotFound)
}

type brokenShell struct{}

func (*brokenShell) Run(context.Context, string) (*fuzz.Outcome, error) {
	return nil, &exec.Error{Name: "bash", Err: exec.ErrNotFound}
}

// A command runs in a directory of its own, which has the name WorkDir in what is seen of
// it, with its time bounded.
func TestCommand(t *testing.T) {
	out, err := fuzz.Bash().Run(t.Context(), "pwd; echo $0 $HOME; mkdir d; echo x > d/f; ln -s f l; exit 3")
	require.NoError(t, err)
	require.Equal(t, "/workspace\n../script /tmp\n", out.Stdout)
	require.Equal(t, 3, out.Status)
	require.Equal(t, "x\n", out.Files["d/f"])
	require.Contains(t, out.Files, "l")
	require.NoError(t, out.Stopped)

	out, err = (&fuzz.Command{Args: []string{"bash"}, Time: 50 * time.Millisecond}).Run(t.Context(), "while :; do :; done")
	require.NoError(t, err)
	require.ErrorIs(t, out.Stopped, fuzz.ErrStopped)
}

// Generated scripts do here what they do in bash. These are the first of a seed for which
// that holds, with the features that have few findings left; `limpet fuzz --differential`
// runs all features, and compares standard error too.
func TestSameAsBash(t *testing.T) {
	_, err := exec.LookPath("bash")
	require.NoError(t, err, "bash is what this test compares with")
	features, err := fuzz.StandardGrammar().Select("all,-errors,-trace,-options,-strict-mode,-namerefs,-jobs")
	require.NoError(t, err)
	var log bytes.Buffer
	c := &fuzz.Campaign{
		Trials: []fuzz.Trial{{
			Source: fuzz.Generator{Seed: 13, Features: features, Statements: 3}.Scripts(),
			Oracle: &fuzz.Differential{Reference: fuzz.Bash(), Target: &fuzz.Sandbox{}, Stderr: fuzz.StderrIgnored},
		}},
		Count: 150, MinimizeRuns: 100, MaxFindings: 3, Log: &log,
	}
	report, err := c.Run(t.Context())
	require.NoError(t, err)
	require.Empty(t, report.Findings, "%s", log.String())
	require.EqualValues(t, 150, report.Scripts)
}

// Whatever a script of the grammar does, a sandbox keeps its promises.
func TestPromises(t *testing.T) {
	c := &fuzz.Campaign{Trials: []fuzz.Trial{{Source: fuzz.Generator{Seed: 13}.Scripts(), Oracle: &fuzz.Promises{}}}, Count: 100}
	report, err := c.Run(t.Context())
	require.NoError(t, err)
	require.Empty(t, report.Findings)
	require.EqualValues(t, 100, report.Scripts)
}

// What is known to differ is counted, and no finding.
func TestKnownDifferences(t *testing.T) {
	d := &fuzz.Differential{Reference: fakeShell(echo), Target: fakeShell(strings.ToUpper), Known: []fuzz.KnownDifference{
		{Name: "letters", Is: func(script string, _ *fuzz.Difference) bool { return script == "x" }},
	}}
	require.ErrorContains(t, d.Check(t.Context(), "x"), "letters")
	var found *fuzz.Finding
	require.ErrorAs(t, d.Check(t.Context(), "y"), &found)

	c := &fuzz.Campaign{Trials: []fuzz.Trial{{Source: func(uint64) string { return "x" }, Oracle: d}}, Count: 3}
	report, err := c.Run(t.Context())
	require.NoError(t, err)
	require.EqualValues(t, 3, report.Known)
	require.Empty(t, report.Findings)
}

// Each fault of bash is recognised, and what only looks like it is not.
func TestBashFaults(t *testing.T) {
	d := &fuzz.Differential{Reference: fuzz.Bash(), Target: &fuzz.Sandbox{}, Stderr: fuzz.StderrIgnored, Known: fuzz.BashFaults()}
	for script, name := range map[string]string{
		"set -- a '' b; x=q; echo \"${x/q/\"$@\"}\"": "marks in empty elements of quoted lists",
		"echo $(( $((2)) + a[b[0]] ))":               "subscripts within subscripts",
		"a=($(\nb=($'\\'\\\\\\\"')\n)); echo $?":     "quotes that are decoded twice",
	} {
		require.ErrorContains(t, d.Check(t.Context(), script), name, script)
	}
}
