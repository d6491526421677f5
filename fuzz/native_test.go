package fuzz_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/limpet-sh/limpet"
	"github.com/limpet-sh/limpet/builtins/all"
	"github.com/limpet-sh/limpet/fuzz"
	"github.com/stretchr/testify/require"
)

// trials are the generators with what judges their scripts.
func trials(seed uint64, canary *fuzz.Canary) []fuzz.Trial {
	promises := &fuzz.Promises{Canary: canary}
	oracles := fuzz.Oracles{promises, fuzz.Analysis{}}
	return []fuzz.Trial{
		{Name: "grammar", Source: fuzz.Generator{Seed: seed}.Script, Oracle: fuzz.Oracles{promises, fuzz.Analysis{}, &fuzz.Determinism{}}},
		{Name: "mutation", Source: fuzz.Mutator{Seed: seed}.Script, Oracle: oracles},
		{Name: "commands", Source: fuzz.CommandLines{Seed: seed, Commands: all.Commands(), Hostile: true}.Script, Oracle: oracles},
		{Name: "sizes", Source: fuzz.Sizes{Seed: seed}.Script, Oracle: promises},
		{Name: "archives", Source: fuzz.Archives{Seed: seed}.Script, Oracle: oracles},
		{Name: "snapshots", Source: fuzz.Snapshots{Seed: seed}.Script, Oracle: fuzz.Loading{}},
		{Name: "policies", Source: fuzz.Policies{Seed: seed, Address: canary.Addr()}.Script, Oracle: &fuzz.Reaching{Canary: canary}},
	}
}

func newCanary(t testing.TB) *fuzz.Canary {
	c, err := fuzz.NewCanary()
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, c.Close()) })
	return c
}

// FuzzGenerated runs scripts of all generators, by their numbers.
func FuzzGenerated(f *testing.F) {
	canary := newCanary(f)
	for which := range trials(0, canary) {
		f.Add(uint8(which), uint64(1), uint64(1))
	}
	f.Fuzz(func(t *testing.T, which uint8, seed, n uint64) {
		list := trials(seed, canary)
		trial := list[int(which)%len(list)]
		require.NoError(t, trial.Oracle.Check(t.Context(), trial.Source(n)), trial.Name)
	})
}

// programs are commands that take a program in a language of their own.
var programs = []string{
	`awk "$p" in`, `sed -- "$p" in`, `jq "$p" in`, `grep -E -- "$p" in`, `grep -P -- "$p" in`, `bc <<< "$p"`, `dc -e "$p"`, `sqlite3 :memory: "$p"`, `yq "$p" in`,
	`printf "$p" a 1 x`, `date -d "$p"; date +"$p"`, `find . -name "$p" -o -regex "$p" -printf "$p"`, `[[ $(< in) == $p ]]; [[ $(< in) =~ $p ]]; case x in $p) esac`, `echo $(($p))`,
	`expr "$p" : "$p"`, `x=$(< in); echo "${x//$p/$p}" "${x##$p}" "${p@P}" "${p@E}"`, `echo $p; for i in $p; do :; done`, `read -d "$p" x < in; getopts "$p" x -a -b`, `eval "$p"`,
	`tr "$p" a-z < in`, `numfmt -- "$p"`, `seq -f "$p" 3`, `sort -k "$p" in`, `cut -f "$p" in`, `patch <<< "$p"`, `ed -s in <<< "$p"`, `test $p`, `git config x.y "$p"; git log "$p"`, `stat -c "$p" in`,
	`hexdump -e "$p" in`, `envsubst "$p" < in`, `csplit in "$p"`, `xargs -I "$p" echo "$p" < in`, `TZ=$p date`, `column -s "$p" -t in`, `tar -xf in; unzip in; gunzip -c < in; xz -dc in; zstd -dc in; bzip2 -dc in; lz4 -dc in; cpio -i < in`,
}

// FuzzProgram gives any bytes to the commands that run programs of their own, or read
// formats.
func FuzzProgram(f *testing.F) {
	for which, p := range []string{
		`{ a[$1]++; gsub(/x*/, "&y") } END { for (i in a) printf "%5.2f %s\n", a[i], i }`, `:a;s/\(x\)\(y\)/\2\1/g;ta;N;P;D`, `[.. | numbers] | map(. * 2) | @csv "\(.)"`, `^(a|b)*\1$`, `(?<=a)(?>b+)\k<x>`,
		`scale = 5; define f(x) { return x / 3 }; f(10)`, `[la1+dsa5>x]sx5klxx`, `select printf('%.3f', sum(x)) over () from (values (1))`, `.a |= map(select(. > 1))`, `%-*.3s|%q|%b|%(%Y)T`,
	} {
		f.Add(uint8(which), p, []byte("a b\n1 2\n{\"a\":[1]}\n"))
	}
	f.Add(uint8(13), `a[1]++ + (b ? 2#101 : ~-3)`, []byte{})
	f.Add(uint8(15), `+(a|b)*[!x]`, []byte("aabb"))
	f.Fuzz(func(t *testing.T, which uint8, program string, input []byte) {
		script := fmt.Sprintf("p=%s\n%s\n", quoted(program), programs[int(which)%len(programs)])
		require.NoError(t, (&fuzz.Promises{Target: withInput(input), Limits: fuzz.Limits}).Check(t.Context(), script))
	})
}

func quoted(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// withInput is a target whose scripts find a file.
func withInput(data []byte) fuzz.Target {
	return &fuzz.Sandbox{Config: limpet.Config{Limits: fuzz.Limits}, Files: map[string]string{"in": string(data)}}
}
