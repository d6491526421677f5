package git_test

import (
	"testing"

	"github.com/limpet-sh/limpet/builtins/git"
	"github.com/limpet-sh/limpet/internal/shelltest"
	"github.com/limpet-sh/limpet/internal/transcript"
)

// TestTranscripts runs the transcripts here, and TestConfirm has bash and git run
// them.
func TestTranscripts(t *testing.T) {
	transcript.Run(t, "testdata/*.txt", shelltest.StartWith(git.Commands()))
}

func TestConfirm(t *testing.T) { transcript.Confirm(t, "testdata/*.txt") }
