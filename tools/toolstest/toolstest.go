// Package toolstest has the suite for the tools on a sandbox: agents at work, written
// down call by call with what the tools answer. The answers are the same whatever
// sandbox it is, but for the differences that the transcripts name.
//
// A transcript is a file of these lines:
//
//	# prose
//	> TOOL ARGUMENTS     a call, with its arguments in JSON
//	| text               a line of what a model reads then
//	~ KINDS: reason      what it reads in sandboxes of other kinds follows, in lines
//	                     that begin with |, and why that is so
//
// The directory of the workspace is written /workspace.
package toolstest

import (
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/limpet-sh/limpet"
	"github.com/limpet-sh/limpet/tools"
	"github.com/stretchr/testify/require"
)

//go:embed testdata
var files embed.FS

// A step is one call of a transcript.
type step struct {
	prose     []string
	tool      string
	arguments string
	want      string
	elsewhere []difference
}

// A difference is what sandboxes of some kinds answer instead.
type difference struct {
	kinds  []string
	reason string
	want   string
}

// Run plays all transcripts on sandboxes of a kind. Open returns a new one for each,
// which Run closes; they are played at the same time.
func Run(t *testing.T, open func(t *testing.T) limpet.Sandbox) {
	t.Helper()
	t.Run("agents", func(t *testing.T) { // which has ended when all of them have
		for _, name := range names(t) {
			t.Run(strings.TrimSuffix(path.Base(name), ".txt"), func(t *testing.T) {
				t.Parallel()
				s := open(t)
				defer func() { require.NoError(t, s.Close()) }()
				steps := read(t, name)
				got := play(t, s, steps)
				for i, step := range steps {
					require.Equal(t, step.answer(limpet.Describe(s).Kind), got[i], "%s: %s %s", name, step.tool, step.arguments)
				}
			})
		}
	})
}

// names returns the names of the transcripts.
func names(t *testing.T) []string {
	list, err := fs.Glob(files, "testdata/*.txt")
	require.NoError(t, err)
	require.NotEmpty(t, list)
	return list
}

// read reads a transcript.
func read(t *testing.T, name string) (steps []step) {
	data, err := files.ReadFile(name)
	require.NoError(t, err)
	var prose []string
	var into *string
	for n, line := range strings.Split(strings.TrimSuffix(string(data), "\n"), "\n") {
		kind, rest, _ := strings.Cut(line, " ")
		switch {
		case kind == "#" || line == "":
			prose = append(prose, line)
		case kind == ">":
			tool, arguments, _ := strings.Cut(rest, " ")
			steps = append(steps, step{prose: prose, tool: tool, arguments: arguments})
			prose, into = nil, &steps[len(steps)-1].want
		case kind == "~" && len(steps) > 0:
			kinds, reason, ok := strings.Cut(rest, ": ")
			require.True(t, ok, "%s:%d: a difference without a reason", name, n+1)
			s := &steps[len(steps)-1]
			s.elsewhere = append(s.elsewhere, difference{kinds: strings.Split(kinds, ", "), reason: reason})
			into = &s.elsewhere[len(s.elsewhere)-1].want
		case kind == "|" && into != nil:
			*into += rest + "\n"
		default:
			require.FailNow(t, "not a transcript", "%s:%d: %s", name, n+1, line)
		}
	}
	return steps
}

// answer returns what sandboxes of a kind answer.
func (s step) answer(kind string) string {
	for _, d := range s.elsewhere {
		if slices.Contains(d.kinds, kind) {
			return d.want
		}
	}
	return s.want
}

// play makes the calls, and returns what a model reads.
func play(t *testing.T, s limpet.Sandbox, steps []step) (answers []string) {
	box, err := tools.New(s, tools.Config{Session: "agent"})
	require.NoError(t, err)
	defer func() { require.NoError(t, box.Close()) }()
	for i, step := range steps {
		arguments := strings.ReplaceAll(step.arguments, "/workspace", s.Workspace())
		require.True(t, json.Valid([]byte(arguments)), "%s", arguments)
		res := box.Call(t.Context(), tools.Call{Name: step.tool, ID: fmt.Sprint("call", i+1), Arguments: json.RawMessage(arguments)})
		text := strings.ReplaceAll(res.Text(), s.Workspace(), "/workspace")
		answers = append(answers, strings.TrimSuffix(text, "\n")+"\n")
	}
	return answers
}
