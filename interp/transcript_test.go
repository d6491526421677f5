package interp_test

import (
	"testing"

	"github.com/limpet-sh/limpet/internal/shelltest"
	"github.com/limpet-sh/limpet/internal/transcript"
)

func TestTranscripts(t *testing.T) { transcript.Run(t, "testdata/*.txt", shelltest.Start) }

func TestConfirm(t *testing.T) { transcript.Confirm(t, "testdata/*.txt") }
