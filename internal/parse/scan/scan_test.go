package scan_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/limpet-sh/limpet/internal/parse/scan"
)

// The errors and the sites are tested with the parser, in package parse.

func TestNextDividesSource(t *testing.T) {
	src := "a; b\n\nif c\nthen d; fi # e\ncat <<E; f\nx\nE\ng && \\\nh\n"
	s := scan.New(src, 0, 1)
	var got []string
	var lines []int
	for {
		cmd, ok, err := s.Next()
		require.NoError(t, err)
		if !ok {
			break
		}
		if !cmd.Empty {
			got = append(got, src[cmd.Start:cmd.End])
			lines = append(lines, cmd.Line)
		}
	}
	require.Equal(t, []string{"a; b\n", "if c\nthen d; fi # e\n", "cat <<E; f\nx\nE\n", "g && \\\nh\n"}, got)
	require.Equal(t, []int{1, 3, 5, 8}, lines)
}

func TestSubscriptEnd(t *testing.T) {
	for text, want := range map[string]int{
		"[a]": 2, "[a[b]c]=]": 6, `["]"]`: 4, "[$(a ])]": 7, "[a": -1, "[": -1, `[\]]`: 3, "[${x]}]": 6,
	} {
		require.Equal(t, want, scan.SubscriptEnd(text, 0), text)
	}
}

func TestPlainLeavesOutWhatIsQuotedOrExpanded(t *testing.T) {
	src := `a "b" 'c' \d $(e) ${f} $g <(h) i`
	var b strings.Builder
	for i := range scan.Plain(src, 0, len(src), false) {
		b.WriteByte(src[i])
	}
	require.Equal(t, "a      $g  i", b.String())
}

func TestDepthAndRereadingAreBounded(t *testing.T) {
	for _, piece := range []string{"$(", "{ ", "((x) ", "${a:-", "$((a ", "[[ ( ", "f() { "} {
		s := scan.New(strings.Repeat(piece, 200_000), 0, 1)
		_, _, err := s.Next()
		require.Error(t, err, piece)
	}
}

// TestText checks that a text grows where it is, and not where it is another.
func TestText(t *testing.T) {
	var text scan.Text
	src := ""
	for range 1000 {
		src = text.Append(src, "0123456789\n")
	}
	require.Equal(t, strings.Repeat("0123456789\n", 1000), src)
	require.Equal(t, "otherx", text.Append("other", "x"))
	require.Equal(t, src+"y", text.Append(src, "y"))
	allocated := testing.AllocsPerRun(1, func() {
		for range 1000 {
			src = text.Append(src, "z")
		}
	})
	require.Less(t, allocated, 20.0, "an addition costs no copy")
}
