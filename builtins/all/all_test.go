package all_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/limpet-sh/limpet/builtins/all"
)

// A name has one command, and only one.
func TestNamesAreUnique(t *testing.T) {
	seen := map[string]bool{}
	for _, c := range all.Commands() {
		for _, name := range append([]string{c.Name}, c.Aliases...) {
			require.False(t, seen[name], "%s is there twice", name)
			seen[name] = true
		}
	}
}
