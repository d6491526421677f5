package regex

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestEnginesAgree compares the automata with the backtracker, which finds the
// longest match by trying all ways, on expressions and texts made at random.
func TestEnginesAgree(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	pick := func(list ...string) string { return list[rng.IntN(len(list))] }
	var expression func(depth int) string
	expression = func(depth int) string {
		var b strings.Builder
		for range 1 + rng.IntN(3) {
			switch n := rng.IntN(10); {
			case n < 5 || depth == 0:
				b.WriteString(pick("a", "b", "c", ".", "[ab]", "[^a]", "é", `\w`) + pick("", "", "", "*", "+", "?", "{2}", "{1,2}", "{,2}"))
			case n < 7:
				b.WriteString(pick("^", "$", `\<`, `\>`, `\b`, `\B`))
			default:
				b.WriteString("(" + expression(depth-1) + pick("", "|"+expression(depth-1)) + ")" + pick("", "", "*", "?"))
			}
		}
		return b.String()
	}
	for range 3000 {
		pattern := expression(2)
		flags := []Flags{0, Multiline, Lines, IgnoreCase, WholeWord, WholeLine, Bytes}[rng.IntN(7)]
		re, err := Compile("("+pattern+")", Extended, flags)
		require.NoError(t, err, pattern)
		m := re.Matcher(nil)
		for range 5 {
			var text []byte
			for range rng.IntN(9) {
				text = append(text, pick("a", "b", "c", "A", " ", "é", "\n", "\xff", "\xc3", "-")...)
			}
			start, end, ok := m.Find(text, 0)
			require.Equal(t, ok, m.Match(text), "%q on %q: Find and Match", pattern, text)
			want := m.backtracker().search(text, 0)
			require.Equal(t, want != nil, ok, "%q on %q (flags %b): found [%d,%d]", pattern, text, flags, start, end)
			if ok {
				require.Equal(t, want[:2], []int{start, end}, "%q on %q (flags %b)", pattern, text, flags)
				groups := m.Submatches(text, 0)
				require.Equal(t, []int{start, end}, groups[:2], "%q on %q", pattern, text)
			}
		}
	}
}

// TestLiteralsAgree compares searches that look for a literal, or read quickly
// what leads to nothing, with the backtracker on long texts.
func TestLiteralsAgree(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, pattern := range []string{"warn", "WARN", "a-b", "[wW]a", "k", "mask", "ß", "x?warn.*n", "(abc){2}", "warn|rnw", "[0-9]+w", "éa", "w{40}", "nanna"} {
		for _, flags := range []Flags{0, IgnoreCase, IgnoreCase | Bytes, IgnoreCase | Lines, IgnoreCase | WholeWord, Lines} {
			re, err := Compile("("+pattern+")", Extended, flags)
			require.NoError(t, err)
			m := re.Matcher(nil)
			for range 12 {
				text := bytes.Repeat([]byte(".,-"), rng.IntN(2)*20_000)
				for range 300 {
					text = append(text, []string{"w", "A", "a", "r", "N", "n", "b", "C", "c", "-", "\u212a", "\n", "É", "é", "\xff", "M", "s", "ſ", "K", "7"}[rng.IntN(20)]...)
				}
				for _, word := range []string{"warn", "Mask", "wArNwarn", "ABCabc", strings.Repeat("wW", 20), "nanna"} {
					at := rng.IntN(len(text))
					text = slices.Insert(text, at, []byte(word)...)
				}
				want := slices.Clone(m.backtracker().search(text, 0))
				require.Equal(t, want != nil, m.Match(text), "%q (flags %b)", pattern, flags)
				require.Equal(t, want, m.Submatches(text, 0), "%q (flags %b)", pattern, flags)
			}
		}
	}
}

// TestFrom checks that a search which begins later sees what is before.
func TestFrom(t *testing.T) {
	for _, c := range []struct {
		pattern, text string
		from          int
		want          []int
	}{
		{"^a", "aa", 1, nil},
		{`\<a`, "aa a", 1, []int{3, 4}},
		{`\Ba`, "aa", 1, []int{1, 2}},
		{"a*", "baa", 1, []int{1, 3}},
		{"(a)(b)?", "xab", 1, []int{1, 3, 1, 2, 2, 3}},
		{"(x)?a", "aa", 1, []int{1, 2, -1, -1}},
		{"ab", "abab", 1, []int{2, 4}},
	} {
		re, err := Compile(c.pattern, Extended, 0)
		require.NoError(t, err)
		require.Equal(t, c.want, re.Matcher(nil).Submatches([]byte(c.text), c.from), "%s on %s", c.pattern, c.text)
	}
}

// TestBounds checks that expressions which would take too much are refused, and
// at once.
func TestBounds(t *testing.T) {
	deep := strings.Repeat("(", 1_000_000)
	references := "(a)"
	for range 60 {
		references += `(\g{-1}\g{-1})`
	}
	for _, c := range []struct {
		dialect Dialect
		pattern string
		ok      bool
	}{
		{Extended, deep, false},
		{Perl, deep, false},
		{Extended, strings.Repeat("(", 400) + "a" + strings.Repeat(")*", 400), true},
		{Extended, "a" + strings.Repeat("*", 1_000_000), true},
		{Extended, "a" + strings.Repeat("{1,2}", 10_000), false},
		{Extended, "((a{1000}){1000}){1000}", false},
		{Extended, "(a{100}){100}", true},
		{Extended, "a{1,32767}", true},
		{Perl, references, true},
		{Literal, strings.Repeat("long", 20_000), true},
	} {
		begin := time.Now()
		_, err := Compile(c.pattern, c.dialect, IgnoreCase)
		require.Equal(t, c.ok, err == nil, "%.40s: %v", c.pattern, err)
		require.Less(t, time.Since(begin), 10*time.Second, "%.40s", c.pattern)
	}
}

// A ledger is a budget that records what is charged, and refuses work after a
// time.
type ledger struct {
	held, peak int
	polls      int
	ctx        context.Context
}

func (l *ledger) Poll(int) error { l.polls++; return l.ctx.Err() }
func (l *ledger) Free(n int)     { l.held -= n }

func (l *ledger) Alloc(n int) error {
	l.held += n
	l.peak = max(l.peak, l.held)
	return nil
}

// TestStops checks that every engine can be stopped, and gives back what it
// has charged.
func TestStops(t *testing.T) {
	text := bytes.Repeat([]byte("ab"), 32<<20)
	for _, c := range []struct {
		dialect Dialect
		pattern string
	}{
		{Extended, "[ab]*c"},
		{Extended, "(a|b)*(b|a)*(ab)*$c"},
		{Extended, "(.*)(.*)(.*)$"},
		{Extended, `(.*)(.*)\1\2c`},
		{Perl, `(?=.*c)(?=.*d)`},
		{Perl, `(a|ab|b)*?(?!.)c`},
		{Perl, `(.*?,){11}c`},
	} {
		ctx, cancel := context.WithCancel(t.Context())
		l := &ledger{ctx: ctx}
		re, err := Compile(c.pattern, c.dialect, 0)
		require.NoError(t, err)
		m := re.Matcher(l)
		time.AfterFunc(20*time.Millisecond, cancel)
		begin := time.Now()
		m.Submatches(text, 0)
		if m.Err() != nil {
			require.True(t, errors.Is(m.Err(), context.Canceled), c.pattern)
			require.Less(t, time.Since(begin), 10*time.Second, c.pattern)
			require.Nil(t, m.Submatches(text, 0), "%s: a stopped matcher finds nothing", c.pattern)
		}
		require.Positive(t, l.polls, c.pattern)
		m.Close()
		require.Zero(t, l.held, c.pattern)
	}
}

// TestLinear checks that expressions on which a naive matcher takes exponential
// time take little.
func TestLinear(t *testing.T) {
	text := bytes.Repeat([]byte("a"), 5000)
	for _, c := range []struct {
		dialect Dialect
		pattern string
	}{
		{Extended, "(a*)*(a*)*(a*)*b"},
		{Extended, "((a|aa)*)*$"},
		{Extended, "(a?){500}a{500}(b?)"},
		{Perl, "(a+)+(a+)+$"},
		{Perl, "(?:a|a?)+?b"},
	} {
		re, err := Compile(c.pattern, c.dialect, 0)
		require.NoError(t, err)
		begin := time.Now()
		re.Matcher(nil).Submatches(text, 0)
		require.Less(t, time.Since(begin), 10*time.Second, c.pattern)
	}
}
