package quote

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// words are what the forms are shown for.
var words = []string{
	"", "a", "a b", "~", "~a", "a~", "a=~", "a:~b", "=", "a!b", "a\nb", "\t", "\x01", "\x1b", "\x7f", "\xff", "é", "é\xff",
	"\u200b", "\u0085", "\u00a0", "#a", "a#", "{a,b}", "{", "a,b", "a^", "'", "a'b", `"`, `a\`, "$x", "`", "[a]", "a:b", "a'\n", "x\r*", "-a",
}

// forms has the functions and how bash writes the same.
var forms = []struct {
	name   string
	quote  func(string) string
	script string // prints the form of $1
	want   []string
}{
	{"Backslash", Backslash, `printf %q "$1"`, []string{
		"''", "a", `a\ b`, `\~`, `\~a`, "a~", `a=\~`, `a:\~b`, "=", `a\!b`, `$'a\nb'`, `$'\t'`, `$'\001'`, `$'\E'`, `$'\177'`, `$'\377'`, "é", `$'é\377'`,
		"\u200b", `$'\302\205'`, "\u00a0", `\#a`, "a#", `\{a\,b\}`, `\{`, `a\,b`, `a\^`, `\'`, `a\'b`, `\"`, `a\\`, `\$x`, "\\`", `\[a\]`, "a:b", `$'a\'\n'`, `$'x\r*'`, "-a",
	}},
	{"Reusable", Reusable, `printf %s "${1@Q}"`, []string{
		"''", "'a'", "'a b'", "'~'", "'~a'", "'a~'", "'a=~'", "'a:~b'", "'='", "'a!b'", `$'a\nb'`, `$'\t'`, `$'\001'`, `$'\E'`, `$'\177'`, `$'\377'`, "'é'", `$'é\377'`,
		"'\u200b'", `$'\302\205'`, "'\u00a0'", "'#a'", "'a#'", "'{a,b}'", "'{'", "'a,b'", "'a^'", `\'`, `'a'\''b'`, `'"'`, `'a\'`, "'$x'", "'`'", "'[a]'", "'a:b'", `$'a\'\n'`, `$'x\r*'`, "'-a'",
	}},
	{"Double", Double, `x=$1; x=$(declare -p x); printf %s "${x#*=}"`, []string{
		`""`, `"a"`, `"a b"`, `"~"`, `"~a"`, `"a~"`, `"a=~"`, `"a:~b"`, `"="`, `"a!b"`, `$'a\nb'`, `$'\t'`, `$'\001'`, `$'\E'`, `$'\177'`, `$'\377'`, `"é"`, `$'é\377'`,
		"\"\u200b\"", `$'\302\205'`, "\"\u00a0\"", `"#a"`, `"a#"`, `"{a,b}"`, `"{"`, `"a,b"`, `"a^"`, `"'"`, `"a'b"`, `"\""`, `"a\\"`, `"\$x"`, "\"\\`\"", `"[a]"`, `"a:b"`, `$'a\'\n'`, `$'x\r*'`, `"-a"`,
	}},
	{"Trace", Trace, `x=$( { set -x; : "$1"; } 2>&1); printf %s "${x#*+ : }"`, []string{
		"''", "a", "'a b'", "'~'", "'~a'", "a~", "'a=~'", "'a:~b'", "=", "'a!b'", "'a\nb'", "'\t'", `$'\001'`, `$'\E'`, `$'\177'`, `$'\377'`, "é", `$'é\377'`,
		"\u200b", `$'\302\205'`, "\u00a0", "'#a'", "a#", "'{a,b}'", "'{'", "a,b", "'a^'", `\'`, `'a'\''b'`, `'"'`, `'a\'`, "'$x'", "'`'", "'[a]'", "a:b", "'a'\\''\n'", "'x\r*'", "-a",
	}},
	{"Listing", Listing, `unset -v _; zzz=$1; x=$(set); printf %s "${x#*$'\n'zzz=}"`, []string{
		"", "a", "'a b'", "'~'", "'~a'", "a~", "'a=~'", "'a:~b'", "=", "'a!b'", `$'a\nb'`, `$'\t'`, `$'\001'`, `$'\E'`, `$'\177'`, `$'\377'`, "é", `$'é\377'`,
		"\u200b", `$'\302\205'`, "\u00a0", "'#a'", "a#", "'{a,b}'", "'{'", "a,b", "'a^'", `\'`, `'a'\''b'`, `'"'`, `'a\'`, "'$x'", "'`'", "'[a]'", "a:b", `$'a\'\n'`, `$'x\r*'`, "-a",
	}},
	{"Key", Key, `declare -A x=(); (( ${#1} )) || exit 0; x[$1]=1; x=$(declare -p x); x=${x#*(\[}; printf %s "${x%]=*}"`, []string{
		"", "a", `"a b"`, `"~"`, `"~a"`, "a~", `"a=~"`, `"a:~b"`, "=", `"a!b"`, `$'a\nb'`, `$'\t'`, `$'\001'`, `$'\E'`, `$'\177'`, `$'\377'`, "é", `$'é\377'`,
		"\u200b", `$'\302\205'`, "\u00a0", `"#a"`, "a#", `"{a,b}"`, `"{"`, "a,b", `"a^"`, `"'"`, `"a'b"`, `"\""`, `"a\\"`, `"\$x"`, "\"\\`\"", `"[a]"`, "a:b", `$'a\'\n'`, `$'x\r*'`, "-a",
	}},
	{"Single", Single, `alias z="$1"; x=$(alias z); printf %s "${x#alias z=}"`, []string{
		"''", "'a'", "'a b'", "'~'", "'~a'", "'a~'", "'a=~'", "'a:~b'", "'='", "'a!b'", "'a\nb'", "'\t'", "'\x01'", "'\x1b'", "'\x7f'", "'\xff'", "'é'", "'é\xff'",
		"'\u200b'", "'\u0085'", "'\u00a0'", "'#a'", "'a#'", "'{a,b}'", "'{'", "'a,b'", "'a^'", `\'`, `'a'\''b'`, `'"'`, `'a\'`, "'$x'", "'`'", "'[a]'", "'a:b'", "'a'\\''\n'", "'x\r*'", "'-a'",
	}},
}

func TestBash(t *testing.T) {
	for _, f := range forms {
		for i, w := range words {
			require.Equal(t, f.want[i], f.quote(w), "%s(%q)", f.name, w)
			if os.Getenv("CONFIRM") != "" {
				require.Equal(t, f.want[i], output(t, "bash", "-c", f.script, "bash", w), "%s: %q", f.script, w)
			}
		}
	}
}

// output runs a program in C.UTF-8 and returns what it prints.
func output(t *testing.T, name string, args ...string) string {
	cmd := exec.Command(name, args...)
	cmd.Env = []string{"LC_ALL=C.UTF-8", "PATH=/usr/bin:/bin"}
	cmd.Dir = t.TempDir()
	out, err := cmd.Output()
	require.NoError(t, err)
	return string(out)
}

// TestGNU shows names as ls does.
func TestGNU(t *testing.T) {
	for _, tt := range []struct{ name, maybe, always, c string }{
		{"a", "a", "'a'", `"a"`},
		{"a b", "'a b'", "'a b'", `"a b"`},
		{"a'b", `"a'b"`, `"a'b"`, `"a'b"`},
		{"a' b", `"a' b"`, `"a' b"`, `"a' b"`},
		{"#a'", `"#a'"`, `"#a'"`, `"#a'"`},
		{"a'#", `'a'\''#'`, `'a'\''#'`, `"a'#"`},
		{"a'=b", `'a'\''=b'`, `'a'\''=b'`, `"a'=b"`},
		{"a\nb", `'a'$'\n''b'`, `'a'$'\n''b'`, `"a\nb"`},
		{"\n", `''$'\n'`, `''$'\n'`, `"\n"`},
		{"a\n\tb", `'a'$'\n\t''b'`, `'a'$'\n\t''b'`, `"a\n\tb"`},
		{"x\x01\xff", `'x'$'\001\377'`, `'x'$'\001\377'`, `"x\001\377"`},
		{"é\u0085", `'é'$'\302\205'`, `'é'$'\302\205'`, `"é\302\205"`},
		{"é", "é", "'é'", `"é"`},
		{"a\\", `'a\'`, `'a\'`, `"a\\"`},
		{"a\"", `'a"'`, `'a"'`, `"a\""`},
		{"{", "'{'", "'{'", `"{"`},
		{"{a", "{a", "'{a'", `"{a"`},
		{"~", "'~'", "'~'", `"~"`},
		{"a~", "a~", "'a~'", `"a~"`},
		{"a@%+,-_]", "a@%+,-_]", "'a@%+,-_]'", `"a@%+,-_]"`},
		{"a:b", "a:b", "'a:b'", `"a:b"`},
		{"a=", "'a='", "'a='", `"a="`},
	} {
		require.Equal(t, tt.maybe, Name(tt.name))
		require.Equal(t, tt.always, Always(tt.name))
		require.Equal(t, tt.c, C(tt.name))
		if os.Getenv("CONFIRM") != "" {
			const script = `: >"$2" && ls --quoting-style="$1" -- "$2"`
			for style, want := range map[string]string{"shell-escape": tt.maybe, "shell-escape-always": tt.always, "c": tt.c} {
				require.Equal(t, want+"\n", output(t, "bash", "-c", script, "bash", style, tt.name), style)
			}
		}
	}
	require.Equal(t, "''", Maybe(""))
	require.Equal(t, "'a:b'", Maybe("a:b"))
	require.Equal(t, `"a'b:"`, Maybe("a'b:"))
	require.Equal(t, "‘a\\n\\’b’", Locale("a\n’b"))
	require.Equal(t, `a\ b\n`, Escape("a b\n"))
	require.Equal(t, "a\x01b", Shell("a\x01b"))
	require.Equal(t, "'a\nb'", Shell("a\nb"))
	require.Equal(t, "'a'", ShellAlways("a"))
}

func TestEscapes(t *testing.T) {
	for _, tt := range []struct{ text, ansi, echo, b, format string }{
		{`a\nb\t\\`, "a\nb\t\\", "a\nb\t\\", "a\nb\t\\", "a\nb\t\\"},
		{`\a\b\e\E\f\r\v`, "\a\b\x1b\x1b\f\r\v", "\a\b\x1b\x1b\f\r\v", "\a\b\x1b\x1b\f\r\v", "\a\b\x1b\x1b\f\r\v"},
		{`\"\?`, `"?`, `\"\?`, `\"\?`, `"?`},
		{`\1012`, "A2", `\1012`, "A2", "A2"},
		{`\01012`, "\b12", "A2", "A2", "\b12"},
		{`\777`, "\xff", `\777`, "\xff", "\xff"},
		{`a\0b`, "a", "a\x00b", "a\x00b", "a\x00b"},
		{`\x4g\x412`, "\x04gA2", "\x04gA2", "\x04gA2", "\x04gA2"},
		{`\x{141}x`, "Ax", `\x{141}x`, `\x{141}x`, `\x{141}x`},
		{`\xg\u`, `\xg\u`, `\xg\u`, `\xg\u`, `\xg\u`},
		{`\u20ac8\u41`, "€8A", "€8A", "€8A", "€8A"},
		{`\U1F600\U00000041`, "😀A", "😀A", "😀A", "😀A"},
		{`\ud800\U7fffffff`, "\xed\xa0\x80\xfd\xbf\xbf\xbf\xbf\xbf", "\xed\xa0\x80\xfd\xbf\xbf\xbf\xbf\xbf", "\xed\xa0\x80\xfd\xbf\xbf\xbf\xbf\xbf", "\xed\xa0\x80\xfd\xbf\xbf\xbf\xbf\xbf"},
		{`a\cb\c?`, "a\x02\x7f", "a", "a", `a\cb\c?`},
		{`\c\\x\c\a`, "\x1cx\x1ca", "", "", "\\c\\x\\c\a"},
		{`\z\8`, `\z\8`, `\z\8`, `\z\8`, `\z\8`},
	} {
		text := func(d Dialect) string { b, _ := d.Append(nil, tt.text); return string(b) }
		require.Equal(t, tt.ansi, UnescapeANSI(tt.text), tt.text)
		require.Equal(t, tt.echo, text(InEcho), tt.text)
		require.Equal(t, tt.b, text(InB), tt.text)
		require.Equal(t, tt.format, text(InFormat), tt.text)
		if os.Getenv("CONFIRM") != "" {
			require.Equal(t, tt.ansi, output(t, "bash", "-c", "printf %s $'"+tt.text+"'"), tt.text)
			require.Equal(t, tt.echo, output(t, "bash", "-c", `echo -ne "$1"`, "bash", tt.text), tt.text)
			require.Equal(t, tt.b, output(t, "bash", "-c", `printf %b "$1"`, "bash", tt.text), tt.text)
			require.Equal(t, tt.format, output(t, "bash", "-c", `printf "$1"`, "bash", tt.text), tt.text)
		}
	}
	out, stopped := UnescapeEcho([]byte("x"), `a\cb`)
	require.True(t, stopped)
	require.Equal(t, "xa", string(out))
	require.Equal(t, `a\`, UnescapeANSI(`a\`))
	for _, tt := range []struct {
		d    Dialect
		text string
		want Outcome
	}{{InB, `\x`, NoHex}, {InFormat, `\ug`, NoDigit}, {GNUB, `\u41`, NoDigit}, {GNUB, `\ud800`, NoChar}, {GNUForm, `\u0041`, NoChar}, {GNUForm, `\u0040`, Fine}, {InEcho, `\c`, Stop}, {GNUForm, `\c`, Stop}} {
		_, _, got := tt.d.Next(nil, tt.text)
		require.Equal(t, tt.want, got, tt.text)
	}
	require.Equal(t, 3, strings.Count(string(octal(octal(octal(nil, 0), 7), 255)), `\`))
}
