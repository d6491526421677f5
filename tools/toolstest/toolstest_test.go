package toolstest

import (
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/limpet-sh/limpet"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

var update = flag.Bool("update", false, "write what a shell answers into the transcripts")

// TestMain fails when a test has left a goroutine behind.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func shell(t *testing.T) limpet.Sandbox {
	sh, err := limpet.New(limpet.Config{Background: true})
	require.NoError(t, err)
	return sh
}

func TestShell(t *testing.T) {
	if *update {
		for _, name := range names(t) {
			rewrite(t, name)
		}
		return
	}
	require.GreaterOrEqual(t, len(names(t)), 30)
	Run(t, shell)
}

// A custom sandbox is one that an application has made, of the methods of
// [limpet.Sandbox] and, since it can, of background processes.
type custom struct {
	limpet.Sandbox
	limpet.Backgrounder
}

// Describe names its kind, so that transcripts may.
func (custom) Describe() limpet.Description { return limpet.Description{Kind: "custom"} }

func TestCustom(t *testing.T) {
	Run(t, func(t *testing.T) limpet.Sandbox {
		sh := shell(t)
		return custom{sh, sh.(limpet.Backgrounder)}
	})
}

// rewrite writes the answers of a shell into a transcript.
func rewrite(t *testing.T, name string) {
	steps := read(t, name)
	s := shell(t)
	got := play(t, s, steps)
	require.NoError(t, s.Close())
	var b strings.Builder
	for i, step := range steps {
		for _, line := range step.prose {
			b.WriteString(line + "\n")
		}
		b.WriteString("> " + step.tool + " " + step.arguments + "\n" + quoted(got[i]))
		for _, d := range step.elsewhere {
			b.WriteString("~ " + strings.Join(d.kinds, ", ") + ": " + d.reason + "\n" + quoted(d.want))
		}
	}
	require.NoError(t, os.WriteFile(name, []byte(b.String()), 0o644))
}

// quoted returns text with a bar before each line.
func quoted(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if line == "\n" {
			b.WriteString("|\n")
		} else {
			b.WriteString("| " + line)
		}
	}
	return b.String()
}
