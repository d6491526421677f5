package wchar

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestClasses spells out the classes of characters where C.UTF-8 is not what
// Unicode's general categories alone would give.
func TestClasses(t *testing.T) {
	for _, tt := range []struct {
		r    rune
		want []string
	}{
		{'a', []string{"alnum", "alpha", "graph", "lower", "print", "xdigit"}},
		{'G', []string{"alnum", "alpha", "graph", "print", "upper"}},
		{'7', []string{"alnum", "digit", "graph", "print", "xdigit"}},
		{'$', []string{"graph", "print", "punct"}},
		{' ', []string{"blank", "print", "space"}},
		{'\t', []string{"blank", "cntrl", "space"}},
		{'\v', []string{"cntrl", "space"}},
		{0x7f, []string{"cntrl"}},
		{0x85, []string{"cntrl"}},
		{0xa0, []string{"graph", "print", "punct"}},
		{'ß', []string{"alnum", "alpha", "graph", "lower", "print"}},
		{'ǅ', []string{"alnum", "alpha", "graph", "lower", "print", "upper"}},
		{'٣', []string{"alnum", "alpha", "graph", "print"}},
		{0x200b, []string{"graph", "print", "punct"}},
		{0x2003, []string{"blank", "print", "space"}},
		{0x2028, []string{"cntrl", "space"}},
		{0xe000, []string{"graph", "print", "punct"}},
		{0x378, nil},
		{0x10ffff, nil},
	} {
		var got []string
		for _, c := range classes {
			if Class(c.name)(tt.r) {
				got = append(got, c.name)
			}
		}
		require.Equal(t, tt.want, got, "%U", tt.r)
	}
	require.Nil(t, Class("word"))
}
