package version

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestCompare has names in the order in which sort -V prints them.
func TestCompare(t *testing.T) {
	names := []string{
		"", ".", "..", ".a", ".0", "a~", "a", "a.b~", "a.b", "a.b.c", "a1.tar.gz", "a1.0", "a2", "a2.txt", "a10", "a010x",
		"aa", "a-", "a.bc+", "a_b",
	}
	for i, a := range names {
		for j, b := range names {
			got := Compare([]byte(a), []byte(b))
			require.Equal(t, i < j, got < 0, "%q %q", a, b)
			require.Equal(t, i == j, got == 0, "%q %q", a, b)
		}
	}
}
