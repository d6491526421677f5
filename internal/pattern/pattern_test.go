package pattern

import (
	"bufio"
	"errors"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A row is a line of testdata/match.txt: what bash says, the flags (e for
// extglob, i for nocasematch), the pattern and the text.
type row struct {
	line      int
	match     bool
	flags     Flags
	letters   string
	pat, text string
}

func rows(t *testing.T) []row {
	f, err := os.Open("testdata/match.txt")
	require.NoError(t, err)
	defer f.Close()
	var all []row
	for in := bufio.NewScanner(f); in.Scan(); {
		fields := strings.Split(in.Text(), "\t")
		require.Len(t, fields, 4, in.Text())
		r := row{line: len(all) + 1, match: fields[0] == "Y", letters: fields[1]}
		r.pat, err = strconv.Unquote(fields[2])
		require.NoError(t, err, in.Text())
		r.text, err = strconv.Unquote(fields[3])
		require.NoError(t, err, in.Text())
		if strings.Contains(r.letters, "e") {
			r.flags |= Extglob
		}
		if strings.Contains(r.letters, "i") {
			r.flags |= IgnoreCase
		}
		all = append(all, r)
	}
	require.NotEmpty(t, all)
	return all
}

func TestMatch(t *testing.T) {
	for _, r := range rows(t) {
		p := Compile(r.pat, r.flags)
		require.Equal(t, r.match, p.Match(r.text), "line %d: %q %q", r.line, r.pat, r.text)

		// The other ways to match agree.
		end, ok, err := p.Prefix(r.text, true, nil)
		require.NoError(t, err)
		require.Equal(t, r.match, ok && end == len(r.text), "line %d: prefix", r.line)
		start, ok, err := p.Suffix(r.text, true, nil)
		require.NoError(t, err)
		require.Equal(t, r.match, ok && start == 0, "line %d: suffix", r.line)
	}
}

// TestConfirm has bash say what the table says.
func TestConfirm(t *testing.T) {
	if os.Getenv("CONFIRM") == "" {
		t.Skip("CONFIRM is not set")
	}
	const script = `[[ $1 == *e* ]] && shopt -s extglob || shopt -u extglob
		[[ $1 == *i* ]] && shopt -s nocasematch
		case $2 in $3) echo true;; *) echo false;; esac`
	for _, r := range rows(t) {
		cmd := exec.Command("bash", "-c", script, "bash", r.letters, r.text, r.pat)
		cmd.Env = []string{"LC_ALL=C.UTF-8"}
		out, err := cmd.Output()
		require.NoError(t, err)
		require.Equal(t, strconv.FormatBool(r.match)+"\n", string(out), "line %d", r.line)
	}
}

func TestPath(t *testing.T) {
	for _, tt := range []struct {
		pattern, name string
		flags         Flags
		want          bool
	}{
		{"*", ".a", 0, false}, {"?a", ".a", 0, false}, {"[.]a", ".a", 0, false}, {"[!x]a", ".a", 0, false},
		{".*", ".a", 0, true}, {`\.a`, ".a", 0, true}, {"a*", "a.b", 0, true}, {"*.b", "a.b", 0, true},
		{"*", ".a", DotGlob, true}, {"*", "..", DotGlob, false}, {".*", "..", DotGlob, true},
		{"!(x)", ".a", Extglob, false}, {"@(.a|b)", ".a", Extglob, true}, {"*(x).a", ".a", Extglob, true},
		{"!(x).a", ".a", Extglob, false}, {"!(x)", ".a", Extglob | DotGlob, true}, {"*(?)", ".a", Extglob, false},
		{"?(.)a", ".a", Extglob, true}, {"@(*)", ".a", Extglob, false},
	} {
		require.Equal(t, tt.want, Compile(tt.pattern, tt.flags|Path).Match(tt.name), "%s %s", tt.pattern, tt.name)
	}
}

// replace is ${s//p/-}.
func replace(t *testing.T, p *Pattern, s string) string {
	var b strings.Builder
	f, pos := p.Finder(s, nil), 0
	for from, to, ok := f.Next(); ok; from, to, ok = f.Next() {
		b.WriteString(s[pos:from] + "-")
		pos = to
	}
	require.NoError(t, f.Err())
	return b.String() + s[pos:]
}

func TestFind(t *testing.T) {
	for _, tt := range []struct{ s, pattern, want string }{
		{"abcabc", "b", "a-ca-c"}, {"abc", "*", "-"}, {"", "*", "-"}, {"", "?(b)", ""}, {"abc", "", "abc"},
		{"abc", "*(z)", "-a-b-c"}, {"abc", "*(b)", "-a--c"}, {"a1b22", "+([0-9])", "a-b-"}, {"abcd", "@(c|abcd)", "-"},
		{"éaé", "?", "---"}, {"\xffé", "?", "--"}, {"aXbXb", "a*b", "-"}, {"a[b]", "[", "a-b]"}, {"xaab", "!(x)", "-"},
	} {
		require.Equal(t, tt.want, replace(t, Compile(tt.pattern, Extglob), tt.s), "%q %q", tt.s, tt.pattern)
	}
}

func TestPrefixSuffix(t *testing.T) {
	cut := func(s, op, pattern string) string {
		p := Compile(pattern, Extglob)
		if op[0] == '#' {
			end, _, err := p.Prefix(s, len(op) == 2, nil)
			require.NoError(t, err)
			return s[end:]
		}
		start, ok, err := p.Suffix(s, len(op) == 2, nil)
		require.NoError(t, err)
		if !ok {
			return s
		}
		return s[:start]
	}
	for _, tt := range []struct{ s, op, pattern, want string }{
		{"/a/b/c", "##", "*/", "c"}, {"/a/b/c", "#", "*/", "a/b/c"}, {"/a/b/c", "%", "/*", "/a/b"}, {"/a/b/c", "%%", "/*", ""},
		{"a.tar.gz", "%%", ".*", "a"}, {"a.tar.gz", "%", ".*", "a.tar"}, {"  x ", "##", "+([[:space:]])", "x "},
		{"x  ", "%%", "+( )", "x"}, {"abab", "#", "*a?b*", "abab"}, {"xabyabz", "%", "ab*", "xaby"}, {"xabyabz", "%%", "ab*", "x"},
		{"aXbXc", "##", "a*X", "c"}, {"aXbXc", "%%", "X*c", "a"}, {"né", "%", "?", "n"}, {"xab", "%%", "!(ab)", ""}, {"ab", "##", "!(ab)", "b"},
	} {
		require.Equal(t, tt.want, cut(tt.s, tt.op, tt.pattern), "${%s%s%s}", tt.s, tt.op, tt.pattern)
	}
}

// TestHostile matches what takes other matchers forever, or more stack than
// there is.
func TestHostile(t *testing.T) {
	long := strings.Repeat("a", 1<<20)
	start := time.Now()
	for _, tt := range []struct {
		pattern, s string
		want       bool
	}{
		{strings.Repeat("*a", 50) + "b", long, false},
		{strings.Repeat("?*", 50) + "[b]", long, false},
		{"+(a|aa)b", long, false},
		{"*(*(*(*(a))))b", long, false},
		{"+(+(+(+(a|aa)|a)|a)|a)", long, true},
		{"!(*(a)b)", long, true},
		{"!(!(!(*a?????????b)))", long, true},
		{"*[a]????????????????????", long, true},
		{strings.Repeat("@(", 100_000), strings.Repeat("@(", 100_000), true},
		{strings.Repeat("[", 1<<20), long, false},
		{strings.Repeat("[[:", 1000), long, false},
		{strings.Repeat("@(", 30) + "a" + strings.Repeat(")", 30), "a", true},
		{strings.Repeat("!(", 500) + "a" + strings.Repeat(")", 500), "a", true},
	} {
		got, err := Compile(tt.pattern, Extglob).MatchStep(tt.s, nil)
		require.NoError(t, err, "%.40s", tt.pattern)
		require.Equal(t, tt.want, got, "%.40s", tt.pattern)
	}
	for _, pattern := range []string{"a*[b]", "[a]*b", "+(a|aa)b"} {
		require.Equal(t, long, replace(t, Compile(pattern, Extglob), long))
	}
	require.Less(t, time.Since(start), 20*time.Second)

	deep := strings.Repeat("@(", 100_000) + strings.Repeat(")", 100_000)
	_, err := Compile(deep, Extglob).MatchStep("", nil)
	require.ErrorIs(t, err, ErrTooComplex)
}

func TestStep(t *testing.T) {
	stop := errors.New("stop")
	steps := 0
	step := func(n int) error {
		if steps += n; steps > 1<<16 {
			return stop
		}
		return nil
	}
	long := strings.Repeat("a", 1<<20)
	for _, pattern := range []string{"[a]*b", "+(a|aa)", "?*[b]"} {
		p := Compile(pattern, Extglob)
		steps = 0
		_, err := p.MatchStep(long, step)
		require.ErrorIs(t, err, stop)
		_, _, err = p.Suffix(long, true, step)
		require.ErrorIs(t, err, stop)
		f := p.Finder(long, step)
		_, _, ok := f.Next()
		require.False(t, ok)
		require.ErrorIs(t, f.Err(), stop)
	}
	p := Compile("+([0-9])", Extglob)
	f := p.Finder(long, step)
	_, _, ok := f.Next()
	require.False(t, ok)
	require.ErrorIs(t, f.Err(), stop)
}

func TestText(t *testing.T) {
	for text, want := range map[string]bool{
		"": false, "abc": false, "a*": true, `a\*`: false, "a?": true, "[a": false, "[a]": true, "a]": false, "+(a)": true, "@a": false, `\[a]`: false, "[a/b]": false,
	} {
		require.Equal(t, want, HasMeta(text, true), text)
	}
	require.False(t, HasMeta("+(a)", false))
	for _, s := range []string{"", "abc", `a*b?[c]\`, "!(a|b)", "a-b", "é\xff", "[!a-z]", "a.b/c"} {
		q := Quote(s)
		require.Equal(t, s, Unquote(q))
		require.True(t, Compile(q, Extglob).Match(s), q)
		require.False(t, HasMeta(q, true), q)
	}
	require.Equal(t, `a\`, Unquote(`a\`))
}

func BenchmarkCase(b *testing.B) {
	p := Compile("@(foo|bar|ba[rz])*", Extglob)
	for b.Loop() {
		p.Match("bazzes")
	}
}

func BenchmarkReplaceDigits(b *testing.B) {
	s := strings.Repeat("abc def 123 ghi ", 1<<16)
	p := Compile("+([0-9])", Extglob)
	b.SetBytes(int64(len(s)))
	for b.Loop() {
		f := p.Finder(s, nil)
		for _, _, ok := f.Next(); ok; _, _, ok = f.Next() {
		}
	}
}

func BenchmarkMatchLong(b *testing.B) {
	s := strings.Repeat("abc def 123 ghi ", 1<<16)
	p := Compile("*[0-9]*[x-z]", 0)
	b.SetBytes(int64(len(s)))
	for b.Loop() {
		p.Match(s)
	}
}
