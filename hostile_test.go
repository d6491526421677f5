package limpet_test

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/limpet-sh/limpet"
	"github.com/limpet-sh/limpet/limits"
	"github.com/stretchr/testify/require"
)

// hostile are commands that a limit has to stop: of time, of memory, or of output.
// Each is a line.
const hostile = `
awk 'BEGIN { while (1) s = s "x" }'
awk 'BEGIN { while (1) a[i++] = 1 }'
jq -n 'def f: f; f'
jq -n 'reduce range(1e12) as $i ([]; . + [$i])'
jq -n 'last(range(1e12))'
sed ':a;ba' <<< x
sed ':a;s/x/xx/g;ta' <<< x
sed ':a;N;ba' /dev/zero
printf %999999999d 1
grep x /dev/zero
seq -f 'a pattern %.0f' 50000 > p; grep -F -f p p
seq -f 'a pattern %.0f' 50000 > p; rg -f p p
yes 'a b' | head -n 500000 | tr '\n' ' ' | column -t
yes | sort
yes | tac
yes | paste -s
seq -w 1 1e18
fold -w 2000000000 /dev/zero
expand -t 1000000000 <<< $'a\tb'
od -v /dev/urandom
xxd /dev/zero
hexdump -v /dev/zero
yes a b | tsort
yes | join - <(yes)
comm /dev/zero /dev/null
shuf -r -i 1-10
yes | split -l 1 -a 7
csplit /dev/zero /x/
numfmt --padding=1000000000 1
yes a b c | column -t
yes | pr -w 1000000000 -2
pr -l 999999999 <<< x
yes | pr -t -e65535 -i
seq 1000 > l; diff -y -W 1000000000 l l
diff /dev/zero /dev/urandom
yes -- '--- a' | patch
gzip -c /dev/zero | gunzip
base64 -w 0 /dev/zero
head -n -1 /dev/zero
tail /dev/zero
bc <<< 'while (1) {}'
dc <<< '[lax]salax'
xargs < /dev/zero
iconv -t utf-16 /dev/zero
`

// A hostile command ends at a limit, soon after it is reached, with one line that
// says which, and the shell goes on.
func TestHostileCommands(t *testing.T) {
	for script := range strings.Lines(strings.TrimPrefix(hostile, "\n")) {
		t.Run(strings.TrimSpace(script), func(t *testing.T) {
			const allowed = 100 * time.Millisecond
			sh := newShell(t, limpet.Config{Limits: limits.Limits{Time: allowed, Memory: 32 << 20, Output: 1 << 20, Storage: 32 << 20}})
			start := time.Now()
			res := execute(t, sh, script)
			// 50 ms is what is promised; the rest is for machines that are busy.
			require.Less(t, time.Since(start), allowed+10*time.Second)
			require.ErrorIs(t, res.Stopped, limits.ErrExceeded, "%s", res.Stderr)
			require.Equal(t, 1, bytes.Count(res.Stderr, []byte("limpet: ")), "%s", res.Stderr)
			require.LessOrEqual(t, res.Usage.Memory, int64(32<<20))
			require.Equal(t, "again\n", string(execute(t, sh, "echo again").Stdout))
		})
	}
}

// What is hostile and ends by itself, or at a limit of something else, does so
// with few words.
func TestHostileInputs(t *testing.T) {
	for _, c := range []struct{ script, stderr string }{
		{`jq -n '"x" * 1e9'`, "memory limit"},
		{`printf '[%.0s' {1..100000} | jq .`, "depth"},
		{`yes | head -c 64M | gzip > bomb.gz; gunzip bomb.gz`, "No space left"},
		{`head -c 20M /dev/zero > f; zip -q bomb.zip f; mv f g; unzip -q bomb.zip`, "No space left"},
		{`printf '[%.0s' {1..100000} | yq .`, "depth"},
		{`yq -n "$(printf '[%.0s' {1..100000})"`, "nested too deeply"},
		{`grep -P '(x+x+)+y' <<< "$(printf 'x%.0s' {1..200})"`, ""},
		{`expr $(printf '( %.0s' {1..20000}) 1`, ""},
		{`find $(printf '( %.0s' {1..20000})`, ""},
		{`date +%1000000000d`, ""},
	} {
		t.Run(c.script[:min(len(c.script), 40)], func(t *testing.T) {
			sh := newShell(t, limpet.Config{Limits: limits.Limits{Time: 20 * time.Second, Memory: 64 << 20, Storage: 32 << 20}})
			res := execute(t, sh, c.script)
			require.NotZero(t, res.Status)
			require.Contains(t, string(res.Stderr), c.stderr)
			require.Less(t, len(res.Stderr), 2000, "%.300s", res.Stderr)
			require.LessOrEqual(t, res.Usage.Memory, int64(64<<20))
		})
	}
}
