package text

import (
	"context"
	"io"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/limpet-sh/limpet/internal/calltest"
	"github.com/limpet-sh/limpet/limits"
	"github.com/stretchr/testify/require"
)

// TestEndsInLittleMemory checks that what head and tail hold is
// bounded by what they may still print.
func TestEndsInLittleMemory(t *testing.T) {
	long := make([]byte, 4<<20)
	for i := range long {
		long[i] = "0123456789abcde\n"[i%16]
	}
	m := calltest.New(t, Commands(), nil)
	m.Limits = limits.Limits{Memory: 1 << 20}
	for _, args := range [][]string{{"tail", "-n", "2"}, {"tail", "-c", "32"}} {
		got := m.Run(t, string(long), args...)
		require.Equal(t, calltest.Result{Stdout: "0123456789abcde\n0123456789abcde\n"}, got)
	}
	for _, args := range [][]string{{"head", "-n", "-2"}, {"head", "-c", "-32"}} {
		got := m.Run(t, string(long), args...)
		require.NoError(t, got.Err)
		require.Len(t, got.Stdout, len(long)-32)
	}
	require.True(t, m.Run(t, string(long), "tail", "-n", "200000").Exceeded())
}

// TestSortMany checks the order of many lines, in several orders.
func TestSortMany(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	lines := make([]string, 60_000)
	for i := range lines {
		lines[i] = strconv.Itoa(random.IntN(1e6))
	}
	input := strings.Join(lines, "\n")
	m := calltest.New(t, Commands(), nil)
	sorted := slices.Sorted(slices.Values(lines))
	require.Equal(t, strings.Join(sorted, "\n")+"\n", m.Run(t, input, "sort").Stdout)
	slices.Reverse(sorted)
	require.Equal(t, strings.Join(sorted, "\n")+"\n", m.Run(t, input, "sort", "-r").Stdout)

	number := func(s string) int { n, _ := strconv.Atoi(s); return n / 1000 }
	slices.SortStableFunc(lines, func(a, b string) int { return number(a) - number(b) })
	padded := m.Run(t, pad(input), "sort", "-s", "-k1.1,1.3")
	require.Equal(t, pad(strings.Join(lines, "\n"))+"\n", padded.Stdout)
}

// TestSortAlike checks the order of lines that have much in common, or nothing
// but bytes that are hard to compare.
func TestSortAlike(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	pieces := []string{"a", "B", "b", "\x00", " ", "\xff", "-1", "10", "1.50", "abcdefgh", "abcdefg", "K", "Jan", "_"}
	m := calltest.New(t, Commands(), nil)
	for _, options := range []string{"", "-r", "-f", "-d", "-n", "-h", "-g", "-M", "-V", "-k2", "-k2,2n -k1r", "-fr -k1,1 -k2,2b", "-k1.2,1.9 -k3", "-i -k2", "-t1 -k2,2 -s"} {
		var lines []string
		for range 400 {
			line := strings.Repeat("abcdefgh", random.IntN(3))
			for range random.IntN(7) {
				line += pieces[random.IntN(len(pieces))]
			}
			lines = append(lines, line+"\n")
		}
		args := append([]string{"sort"}, strings.Fields(options)...)
		got := m.Run(t, strings.Join(lines, ""), args...)
		require.Equal(t, calltest.Result{}, m.Run(t, got.Stdout, append(args, "-c")...), options)
		sorted := strings.SplitAfter(strings.TrimSuffix(got.Stdout, "\n"), "\n")
		sorted[len(sorted)-1] += "\n"
		require.ElementsMatch(t, lines, sorted, options)
	}
}

// pad makes the numbers of text six digits long.
func pad(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = strings.Repeat("0", 6-len(line)) + line
	}
	return strings.Join(lines, "\n")
}

// An endlessInput is an input without an end.
type endlessInput string

func (e endlessInput) Read(p []byte) (int, error) {
	n := 0
	for n+len(e) <= len(p) {
		n += copy(p[n:], e)
	}
	return n, nil
}

// TestStops checks that commands end soon after their context, whatever they are
// doing.
func TestStops(t *testing.T) {
	for _, test := range []struct {
		input string
		args  []string
	}{
		{"a\n", []string{"cat", "-n"}},
		{"a\n", []string{"wc"}},
		{"a", []string{"wc", "-m"}},
		{"a", []string{"head", "-n", "1"}},
		{"a\n", []string{"tail", "-n", "1"}},
		{"a\n", []string{"tr", "-d", "a"}},
		{"a\n", []string{"uniq", "-c"}},
		{"a\n", []string{"fold", "-s"}},
		{"a ", []string{"fmt"}},
		{"a\n", []string{"paste", "-s"}},
		{"a\n", []string{"comm", "-", "empty"}},
		{"a\n", []string{"join", "-", "empty"}},
		{"a\n", []string{"sort", "-m", "-"}},
		{"a\n", []string{"sort", "-c"}},
		{"a\t", []string{"expand", "-t", "100000"}},
		{"a\n", []string{"nl"}},
		{"a\n", []string{"pr", "-3"}},
		{"abcd", []string{"strings"}},
		{"1000\n", []string{"numfmt", "--to=si"}},
		{"600851475143\n", []string{"factor"}},
		{"", []string{"yes"}},
		{"", []string{"seq", "inf"}},
		{"", []string{"factor", "340282366920938463463374607431768211457"}},
	} {
		m := calltest.New(t, Commands(), map[string]string{"empty": ""})
		m.Limits = limits.None()
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
		var stdin io.Reader = strings.NewReader("")
		if test.input != "" {
			stdin = endlessInput(test.input)
		}
		start := time.Now()
		got := m.RunContext(ctx, stdin, test.args...)
		cancel()
		require.ErrorIs(t, got.Err, context.DeadlineExceeded, "%q", test.args)
		require.Less(t, time.Since(start), 10*time.Second, "%q", test.args)
	}
}
