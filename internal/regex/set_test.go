package regex

import (
	"testing"

	"github.com/limpet-sh/limpet/internal/wchar"
	"github.com/stretchr/testify/require"
)

// TestClasses checks that the classes have the members that package wchar gives
// them; it has predicates, where an expression needs sets.
func TestClasses(t *testing.T) {
	for name := range ascii {
		members, ok := class(name, false)
		require.True(t, ok)
		in := wchar.Class(name)
		for r := rune(0); r < 0x20000; r++ {
			if (r < 0xd800 || r > 0xdfff) && in(r) != members.has(r) {
				t.Errorf("[:%s:] and %U: %v, want %v", name, r, members.has(r), in(r))
			}
		}
	}
}

// TestComplement checks sets against their complements.
func TestComplement(t *testing.T) {
	for _, s := range []set{nil, {{0, 0}}, {{'a', 'z'}}, {{0, 'a'}, {'c', 0x10ffff}}, wordSet(false)} {
		c := s.complement(false)
		for _, r := range []rune{0, 1, '`', 'a', 'b', 'c', 'z', '{', 'é', 0xffff, 0x10ffff} {
			require.NotEqual(t, s.has(r), c.has(r), "%v and %U", s, r)
		}
		require.False(t, c.has(rawByte+0xff), "a byte is no character")
		require.True(t, s.complement(true).has(rawByte+0xff), "in the C locale it is")
		require.Equal(t, normalize(union(s)), c.complement(false))
	}
	require.Equal(t, set{{'K', 'K'}, {'k', 'k'}, {0x212a, 0x212a}}, single('k').fold())
}
