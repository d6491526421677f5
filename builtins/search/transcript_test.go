package search_test

import (
	"testing"

	"github.com/limpet-sh/limpet/internal/shelltest"
	"github.com/limpet-sh/limpet/internal/transcript"
)

// TestTranscripts runs the transcripts here, and TestConfirm has bash and the
// GNU tools run them.
func TestTranscripts(t *testing.T) { transcript.Run(t, "testdata/*.txt", shelltest.Start) }

// TestRg runs the transcripts of rg, which is not everywhere that the tests run.
func TestRg(t *testing.T) { transcript.Run(t, "testdata/rg/*.txt", shelltest.Start) }

func TestConfirm(t *testing.T) { transcript.Confirm(t, "testdata/*.txt") }
