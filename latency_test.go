package limpet_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/limpet-sh/limpet"
	"github.com/limpet-sh/limpet/limits"
	"github.com/stretchr/testify/require"
)

// busyCommands are commands, each in a line, that are run again and again over big,
// lines of 16 MiB: a cancelled context has to end each of them in the middle.
const busyCommands = `
cat big
cat -A big
tac big
head -c 15M big
tail -n 100000 big
tail -c +10 big
wc big
wc -m big
sort big
sort -n big
sort -k2 -r big
sort -R big
sort -u -f big
uniq -c big
uniq -d -f 1 big
cut -c 2-9 big
cut -d ' ' -f 2 big
paste big big
paste -s big
tr a-z A-Z < big
tr -cd '[:alnum:]' < big
tr -s a < big
fold -w 20 big
fold -s big
fmt big
pr big
nl big
expand big
unexpand -a big
rev big
shuf big
split -n 3 big part
csplit big 100 /b/
comm big big
join big big
tsort big
od big
od -An -tx1 big
hexdump -C big
xxd big
base64 big
base32 big
basenc --base16 big
cksum big
sum big
md5sum big
sha1sum big
sha256sum big
sha512sum big
b2sum big
sha224sum big
gzip -c big
gzip -9c big
bzip2 -c big
xz -c big
zstd -c big
gunzip -c big.gz
zcat big.gz
zgrep a big.gz
tar -cf - big
tar -czf - big
tar -tf big.tar
zip - big
cpio -o <<< big
cp big copy
cp -r . ../copy
dd if=big bs=1
dd if=big of=copy bs=1k
tee copy < big
truncate -s 10M copy
cmp big big
diff big big2
diff -u big big2
diff -y big big2
patch -p0 big < big
grep x big
grep -c a big
grep -E '(a|b)+c$' big
grep -P 'a.*?b' big
grep -i LINE big
grep -v a big
grep -o '[0-9]*' big
grep -F -f big2 big
grep -w line big
grep -n -B 3 7 big
sed s/a/b/ big
sed -n '/9$/p' big
sed -E 's/([0-9])([a-z])/\2\1/g' big
sed 'H;x' big
sed y/abc/xyz/ big
sed -n '$=' big
awk '{ print $2 }' big
awk '{ s += $1 } END { print s }' big
awk '{ gsub(/a/, "b"); print }' big
awk -F: '{ a[$1]++ } END { for (i in a) n++ }' big
awk '{ print length($0), substr($0, 2, 3) }' big
awk 'BEGIN { for (i = 0; i < 1e9; i++) s = s + i }'
awk 'BEGIN { while (1) x = x "a" }'
awk 'BEGIN { while (1) split("a b c", a) }'
awk 'BEGIN { for (;;) printf "%d %s\n", 1, "x" }'
jq -R . big
jq -n '[range(1e9)] | length'
jq -n 'reduce range(1e9) as $i (0; . + $i)'
jq -n 'last(range(1e9))'
jq -n '[limit(1e9; repeat(1))] | length'
jq -n '"x" * 100000 | [scan(".")] | length'
jq -nR '[inputs | ascii_upcase] | sort | length' big
jq -nR 'reduce inputs as $l ({}; .[$l] += 1) | length' big
yq -n '1'
column -t big
numfmt --to=iec < numbers
seq 1e9
seq -f %g 1e9
seq -w 1 1e9
yes
yes long line of text
factor 2305843009213693951 1000000016000000063
bc <<< 'for (i = 0; i < 10^9; i++) x += i'
bc <<< '2^100000'
bc -l <<< 'scale = 2000; a(1)'
dc <<< '[la 1 + sa lx x] sx 0 sa lx x'
expr 1 + 1
find / -name x
find / -type f -exec true {} +
find / -printf '%p %s\n'
ls -lR /
du -a /
tree /
xargs -n 1 true < big2
xargs echo < big
iconv -f utf-8 -t utf-16 big
strings big
sqlite3 :memory: 'with recursive c(x) as (select 1 union all select x + 1 from c) select count(*) from c'
sqlite3 :memory: 'with recursive c(x) as (select 1 union all select x + 1 from c) select x from c'
printf '%s\n' {1..50000}
printf %1000000d 1
test -f big
stat big
env true
timeout 100 cat big
nice cat big
tee < big
sum < big
look a big
date
dirname a/b
basename a/b
cal 2024
shred big2
git status
git hash-object big
`

// busyScripts are scripts without end, each in a line, one for each kind of
// expansion and of compound command.
const busyScripts = `
while :; do :; done
until false; do x=1; done
for ((;;)); do ((x++)); done
while :; do for i in {1..1000}; do :; done; done
while :; do case abc in a*) ;; esac; done
while :; do [[ a == b ]]; done
while :; do [[ aaab =~ (a|b)+c ]]; done
while :; do ((1 + 2 * 3 ** 4)); done
while :; do x=$(:); done
while :; do x=$(echo a | cat); done
while :; do (:); done
while :; do { :; } | { :; }; done
while :; do : & wait; done
while :; do cat <(:); done
while :; do f() { :; }; f; done
while :; do eval :; done
while :; do bash -c :; done
while :; do a+=(x); unset a; done
while :; do x+=a; x=; done
while :; do read -r x <<< abc; done
while read -r x; do :; done < <(yes)
mapfile x < <(yes)
read -r x < <(tr '\0' x < /dev/zero)
while :; do echo a > f; done
while :; do echo a >> f; : > f; done
while :; do cat <<< "$BIG" > /dev/null; done
while :; do x=${BIG//a/b}; done
while :; do x=${BIG/%z/b}; done
while :; do x=${BIG#*z}; done
while :; do x=${BIG%%z*}; done
while :; do x=${BIG^^}; done
while :; do x=${BIG,,[a-c]}; done
while :; do x=${#BIG}; done
while :; do x=${BIG:100:1000000}; done
while :; do x=${BIG@Q}; done
while :; do x=${BIG:-a}; done
while :; do set -- $BIG; done
while :; do x=($BIG); done
while :; do x="${LIST[*]}"; done
while :; do x=("${LIST[@]/a/b}"); done
while :; do x=(${!LIST[@]}); done
while :; do x=("${LIST[@]:5:9000}"); done
while :; do printf -v x %s "${LIST[@]}"; done
while :; do [[ $BIG == *a*b*c*zz* ]]; done
while :; do [[ $BIG =~ (a|ab)*zz ]]; done
while :; do [[ $BIG < "$BIG" ]]; done
while :; do x=$BIG$BIG; done
while :; do echo "$BIG"; done > /dev/null
while :; do echo -e "$BIG"; done > /dev/null
while :; do printf %q "$BIG"; done > /dev/null
while :; do printf %b "$BIG"; done > /dev/null
while :; do x=$(cat big); done
while :; do x=$(< big); done
while :; do : {1..300000}; done
while :; do : {a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}; done
while :; do : /usr/bin/*; done
while :; do : /*/*/*; done
while :; do declare -p; done > /dev/null
while :; do compgen -c; done > /dev/null
while :; do type -a ls; done > /dev/null
while :; do unset q; q=(1 2 3); for i in ${q[@]}; do :; done; done
while :; do declare -A m=([a]=1 [b]=2); m[c]=3; done
while :; do local x; done 2> /dev/null
while :; do trap : USR1; kill -USR1 $$; done
while :; do getopts ab o -a; OPTIND=1; done
while :; do pushd /; popd; done > /dev/null
while :; do cd /; cd /workspace; done
while :; do exec 5< big; read -u 5 x; done
while :; do coproc cat; kill $!; wait; done 2> /dev/null
sleep 1000
wait -n & sleep 1000 | cat
mkfifo p; cat p
sleep 1000 & wait
select x in a b; do :; done < <(yes 1) 2> /dev/null
exec 3<> /dev/zero; while read -r -n 100000 -u 3 x; do :; done
eval "$(printf ':;%.0s' {1..100000})"; while :; do eval "$(printf ':;%.0s' {1..100000})"; done
while :; do . <(printf 'echo a\n%.0s' {1..10000}); done > /dev/null
`

// busyOperations returns the operations by what they run.
func busyOperations() (list []string) {
	for line := range strings.Lines(busyCommands[1:]) {
		list = append(list, "while :; do "+strings.TrimSuffix(line, "\n")+"; done > /dev/null 2>&1")
	}
	for line := range strings.Lines(busyScripts[1:]) {
		list = append(list, strings.TrimSuffix(line, "\n"))
	}
	return list
}

// busyShell returns a shell with the files that the operations want.
func busyShell(t testing.TB) *limpet.Shell {
	sh := newShell(t, limpet.Config{Limits: limits.Limits{Output: limits.Unlimited}})
	res := execute(t, sh, `seq 1000000 | sed 's/$/ line of text: abc/' | head -c 16M > big; seq 100000 > numbers; sed 's/1/x/' numbers | head -20000 > big2
		gzip -c big > big.gz; tar -cf big.tar big`)
	require.Empty(t, string(res.Stderr))
	return sh
}

// cancelled runs a script, cancels it after a while and returns how long it took to
// end then.
func cancelled(t testing.TB, sh *limpet.Shell, script string, after time.Duration) time.Duration {
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	enough := errors.New("enough")
	at := make(chan time.Time, 1)
	timer := time.AfterFunc(after, func() { at <- time.Now(); cancel(enough) })
	defer timer.Stop()
	prefix := ""
	if strings.Contains(script, "BIG") || strings.Contains(script, "LIST") {
		prefix = "BIG=$(head -c 2M big); LIST=({1..10000}); "
	}
	res, err := sh.Exec(ctx, limpet.Request{Script: prefix + script})
	ended := time.Now()
	require.NoError(t, err)
	require.ErrorIs(t, res.Stopped, enough, "%s: %.300s", script, res.Stderr)
	return ended.Sub(<-at)
}

// Whatever is cancelled ends soon. The bound is one against hangs; what is promised is
// what BenchmarkCancellation measures.
func TestCancellationOfEverything(t *testing.T) {
	sh := busyShell(t)
	list := busyOperations()
	require.GreaterOrEqual(t, len(list), 200)
	for _, script := range list {
		require.Less(t, cancelled(t, sh, script, 10*time.Millisecond), 20*time.Second, script)
	}
}

// BenchmarkCancellation reports how long it takes operations to end that are
// cancelled: half of them, 99 of a hundred, and the slowest, which it names.
func BenchmarkCancellation(b *testing.B) {
	sh := busyShell(b)
	type latency struct {
		script string
		took   time.Duration
	}
	for b.Loop() {
		var all []latency
		for _, script := range busyOperations() {
			all = append(all, latency{script, cancelled(b, sh, script, 100*time.Millisecond)})
		}
		slices.SortFunc(all, func(x, y latency) int { return int(x.took - y.took) })
		at := func(percent int) float64 { return all[(len(all)-1)*percent/100].took.Seconds() * 1000 }
		b.ReportMetric(at(50), "ms-p50")
		b.ReportMetric(at(99), "ms-p99")
		b.ReportMetric(at(100), "ms-max")
		for _, l := range all[len(all)-8:] {
			fmt.Printf("%8.1f ms  %s\n", l.took.Seconds()*1000, l.script)
		}
	}
}
