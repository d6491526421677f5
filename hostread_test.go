package limpet_test

import (
	"testing"

	"github.com/limpet-sh/limpet"
	"github.com/stretchr/testify/require"
)

// What a script has put in the place of a file does not keep the host from going on.
func TestTheHostReadsNothingEndless(t *testing.T) {
	sh := newShell(t, limpet.Config{})
	execute(t, sh, `ln -s /dev/zero zero; mkfifo fifo; ln -s fifo link; ln -s loop loop; ln -s /dev/null null; mkdir dir`)
	for _, name := range []string{"zero", "fifo", "link", "loop", "dir"} {
		_, err := sh.ReadFile(t.Context(), name)
		require.Error(t, err, name)
	}
	data, err := sh.ReadFile(t.Context(), "null")
	require.NoError(t, err)
	require.Empty(t, data)
}
