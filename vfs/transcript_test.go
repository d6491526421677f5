package vfs_test

import (
	"testing"

	"github.com/limpet-sh/limpet/internal/shelltest"
	"github.com/limpet-sh/limpet/internal/transcript"
)

func TestTranscripts(t *testing.T) {
	transcript.Run(t, "testdata/user*.txt", shelltest.Start)
	transcript.Run(t, "testdata/root*.txt", shelltest.StartRoot)
}

func TestConfirm(t *testing.T) {
	transcript.ConfirmUser(t, "testdata/user*.txt")
	transcript.Confirm(t, "testdata/root*.txt")
}
