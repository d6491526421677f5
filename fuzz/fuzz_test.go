package fuzz_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/limpet-sh/limpet"
	"github.com/limpet-sh/limpet/fuzz"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

// seeds are scripts of every part of the language, and the hostile ones that
// have found something before.
var seeds = []string{
	`f() { local x=$1; (( x > 0 )) && f $((x-1)); }; f 5; echo "${a[@]:1:2}" ${x/#a/b}`,
	`declare -A m=([a]=1 [b c]=2); for k in "${!m[@]}"; do echo "$k=${m[$k]}"; done | sort`,
	`set -eu; trap 'echo bye' EXIT; while read -r l; do case $l in a*|b) break;; *) continue;& esac; done <<< $'a\nb'`,
	`x=$(printf '%s\n' {1..20} | grep -E '^1' | sed 's/1/x/g' | awk '{s+=NR} END{print s}'); [[ $x =~ ^[0-9]+$ ]]`,
	"cat <<-EOF | tr a-z A-Z\n\t${x:-`echo y`}\nEOF\n",
	`sleep 1 & wait -n; kill %1; coproc cat; exec 3<&0; echo >&3; diff <(echo a) <(echo b)`,
	`find . -name '*.x' -exec rm {} +; ls -la | head -2; printf '%q %05.2f\n' a 1.5; echo ${x@Q} ${!x*}`,
	`eval "$(printf '((%.0s' {1..1000})"`,
	`:(){ :|:& };:`,
	`a[9223372036854775807]=1; a+=(x); echo ${a[-1]}; unset 'a[-1]'`,
	`x=a; while :; do x=${x//a/aa}; done`,
	`e='eval "$e"'; eval "$e"`,
	`echo $(( -9223372036854775808 / -1 )) $((1<<64)) $((2**-1))`,
	`[[ aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab == +(a|aa) ]]; [[ x == @(@(@(@( ]]`,
	`printf '%999999999d'; printf '%*s' 2147483647 x; head -c 1G /dev/zero | tr '\0' x | sort`,
}

// FuzzScript runs any bytes as a script.
func FuzzScript(f *testing.F) {
	for _, s := range seeds {
		f.Add(s)
	}
	files, err := filepath.Glob("../*/*/testdata/*.txt")
	require.NoError(f, err)
	for _, name := range files {
		data, err := os.ReadFile(name)
		require.NoError(f, err)
		if _, script, ok := strings.Cut(string(data), "\n$ "); ok { // one of each command
			script, _, _ = strings.Cut(script, "\n")
			f.Add(script)
		}
	}
	f.Fuzz(func(t *testing.T, script string) {
		if err := fuzz.Check(context.Background(), limpet.Config{}, script); err != nil {
			t.Fatal(err)
		}
	})
}

// The seeds leave nothing running.
func TestSeedsLeaveNothingBehind(t *testing.T) {
	defer goleak.VerifyNone(t)
	for _, s := range seeds {
		require.NoError(t, fuzz.Check(context.Background(), limpet.Config{}, s))
	}
}
