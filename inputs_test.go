package limpet_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/limpet-sh/limpet"
	"github.com/stretchr/testify/require"
)

// filters are commands that read F, each on a line.
const filters = `
cat -A F
cat -sn F
head -c 100 F; head -n -3 F
tail -n 3 F; tail -c +50 F
wc -lwcL F
sort F; sort -n F; sort -rk2,2 F
sort -V F; sort -fu F
uniq -c F; uniq -D F
cut -b 2-5,9- F; cut -d: -f1,3- F
paste -sd,: F; paste F F
tr a-z A-Z < F; tr -cd '[:alnum:]' < F; tr -s ' \n' < F
tac F; tac -s, F
nl -ba F; nl -bp^a -nrz F
fold -w 20 F; fold -sw 10 F
fmt -w 40 G; fmt -u G
expand -t 4 F; unexpand -a F
pr -t -2 F; pr -t -n -d F
comm --nocheck-order F G
join --nocheck-order -a1 -a2 -e X -o auto F G
od -c F; od -tx2 -tf4 F
xxd F; xxd -p F
hexdump -C F
base64 F; basenc --base16 F
cksum F; md5sum F; b2sum F
strings -n 3 -t x F
split -n l/3 F; cat xaa xab xac
csplit -sk F 2 /o/ '{*}'; cat xx*
grep -n e F; grep -c o F; grep -vx a F
grep -ao '[a-z]*' F; grep -aE '(.)\1' F
sed -n l F; sed 's/e/X/2g' G; sed '$!N;P;D' F
sed -z 's/\n/,/g' F; sed '1!G;h;$!d' F
gawk '{ print NF ": " $2 "-" $NF }' G; gawk '!seen[$0]++' F
gawk '$1 > $2' G; gawk 'BEGIN { RS = "" } { print NR, $1 }' G
diff F G; diff -u F G | tail -n +3
diff -y -W 60 F G; diff -e F G
cmp -l F G; cmp -b F G
gzip -c F | gunzip | cmp - F; xz -c F | xz -d | cmp - F
`

// inputs returns files of every kind, the same each time.
func inputs() map[string][]byte {
	random := rand.New(rand.NewPCG(1, 2))
	words := strings.Fields(`the quick brown fox error info 42 3.14 -7 1e3 foo,bar a:b:c k=v naïve Ärger 日本語 ★ 100K 2M 1.2.10 1.2.9 [x] \ x`)
	text := func(lines int) []byte {
		var b bytes.Buffer
		for range lines {
			for range random.IntN(7) {
				b.WriteString(words[random.IntN(len(words))] + []string{" ", "  ", "\t", ",", ":"}[random.IntN(5)])
			}
			b.WriteByte('\n')
		}
		return b.Bytes()
	}
	noise := make([]byte, 3000)
	for i := range noise {
		noise[i] = byte(random.IntN(256))
	}
	plain := text(60)
	return map[string][]byte{
		"empty": {},
		"text":  plain,
		"open":  bytes.TrimRight(text(20), "\n"),
		"crlf":  bytes.ReplaceAll(text(20), []byte("\n"), []byte("\r\n")),
		"noise": noise,
		"long":  append(bytes.Repeat([]byte("x y,z:"), 20000), "\nshort\n"...),
		"many":  text(3000),
	}
}

// TestConfirmInputs holds that the filters do to generated inputs what the
// programs of the host do.
func TestConfirmInputs(t *testing.T) {
	if os.Getenv("CONFIRM") == "" {
		t.Skip("CONFIRM is not set")
	}
	dir := t.TempDir()
	sh := newShell(t, limpet.Config{Env: map[string]string{"TZ": "UTC", "LC_ALL": "C.UTF-8"}})
	var script strings.Builder
	script.WriteString("t() { eval \"$2\" > .out 2> .err < /dev/null; r=$?; echo \"== $1: $r $(md5sum < .out) $(md5sum < .err)\"; rm -f x??; }\n")
	for name, data := range inputs() {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), data, 0o644))
		require.NoError(t, sh.WriteFile(t.Context(), name, data, 0o644))
		for filter := range strings.Lines(strings.TrimPrefix(filters, "\n")) {
			filter = strings.NewReplacer("F", name, "G", "text").Replace(strings.TrimSpace(filter))
			if name == "noise" && strings.ContainsAny(filter[:1], "fg") || name == "long" && strings.HasPrefix(filter, "fmt") {
				continue // invalid characters, of which some programs make something of their own
			}
			fmt.Fprintf(&script, "t %s %[1]s\n", quoted(filter))
		}
	}
	host := exec.Command("bash", "-c", script.String())
	host.Dir, host.Env = dir, []string{"PATH=" + os.Getenv("PATH"), "LC_ALL=C.UTF-8", "TZ=UTC"}
	want, err := host.Output()
	require.NoError(t, err)
	got := execute(t, sh, script.String())
	require.NoError(t, got.Stopped)
	wants, gots := strings.Split(string(want), "\n"), strings.Split(string(got.Stdout), "\n")
	require.Len(t, gots, len(wants))
	for i := range wants {
		require.Equal(t, wants[i], gots[i])
	}
}

// quoted returns s as a word of a script.
func quoted(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
