package limpet_test

import (
	"context"
	"testing"

	"github.com/limpet-sh/limpet"
	"github.com/limpet-sh/limpet/vfs"
	"github.com/stretchr/testify/require"
)

// executions is how many scripts TestASessionFreesWhatItTakes runs. A hundred
// thousand take half a minute.
const executions = 10_000

// TestASessionFreesWhatItTakes runs a script that takes all kinds of things and
// gives them back, again and again: what it takes at the most, and what is left,
// stays the same.
func TestASessionFreesWhatItTakes(t *testing.T) {
	s := newSession(t, limpet.Config{})
	mem := s.Shell().Files().(*vfs.Mem)
	const script = `x=1234567890123456789012345678901234567890123456789012345678901234567890; x+=$x; a=(1 2 3); a[9]=$x
		declare -A m=([k]=$x); f() { local v=$x; g=$v; }; f; (x=2; a[0]=y); y=$(echo "$x"); set -- $x $x; unset x y a m g; unset -f f
		echo data > f; exec 5< f; read -r line <&5; exec 5<&-; unset line; rm f; trap : USR1; alias q=r; unalias q`
	run := func() limpet.Usage {
		res, err := s.Exec(context.Background(), limpet.Request{Script: script})
		require.NoError(t, err)
		require.Empty(t, string(res.Stderr))
		return res.Usage
	}
	for range 10 {
		run()
	}
	first, files := run(), mem.Usage()
	for range executions {
		run()
	}
	last := run()
	require.Equal(t, first.Memory, last.Memory)
	require.Equal(t, first.Steps, last.Steps)
	require.Equal(t, files, mem.Usage())
	for range executions / 20 {
		say(t, s, "echo a b c | tr a-z A-Z | cat > /dev/null; sleep 0 & wait; for i in {1..20}; do : $(:); done")
	}
	require.LessOrEqual(t, run().Memory, last.Memory+512)
}
