package fuzz_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/limpet-sh/limpet"
	"github.com/limpet-sh/limpet/fuzz"
	"github.com/limpet-sh/limpet/internal/transcript"
	"github.com/limpet-sh/limpet/limits"
	"github.com/stretchr/testify/require"
)

// A target is a shell that breaks a promise.
type target func(script string) (*fuzz.Outcome, error)

func (run target) Run(_ context.Context, script string) (*fuzz.Outcome, error) { return run(script) }

// Every promise that is broken is a finding.
func TestBrokenPromises(t *testing.T) {
	canary := newCanary(t)
	left := make(chan struct{})
	defer close(left)
	first := ""
	for promise, run := range map[string]target{
		"crash": func(string) (*fuzz.Outcome, error) {
			return &fuzz.Outcome{Stderr: "fatal error: stack overflow\n\ngoroutine 1 [running]:\n"}, nil
		},
		"deadline":    func(string) (*fuzz.Outcome, error) { return &fuzz.Outcome{Took: time.Hour}, nil },
		"memory":      func(string) (*fuzz.Outcome, error) { return &fuzz.Outcome{Memory: 1 << 40}, nil },
		"only limits": func(string) (*fuzz.Outcome, error) { return &fuzz.Outcome{Stopped: errors.New("x")}, nil },
		"byte":        func(string) (*fuzz.Outcome, error) { return &fuzz.Outcome{Status: 256}, nil },
		"usable":      func(string) (*fuzz.Outcome, error) { return &fuzz.Outcome{After: errors.New("x")}, nil },
		"outcome":     func(string) (*fuzz.Outcome, error) { return nil, errors.New("a panic") },
		"running": func(string) (*fuzz.Outcome, error) {
			go func() { <-left }()
			return &fuzz.Outcome{}, nil
		},
		"another": func(script string) (*fuzz.Outcome, error) {
			first += script
			return &fuzz.Outcome{Stdout: first}, nil
		},
		"host": func(string) (*fuzz.Outcome, error) {
			return &fuzz.Outcome{Stdout: os.Getenv("LIMPET_CANARY")}, nil
		},
	} {
		p := &fuzz.Promises{Target: run, Limits: fuzz.Limits, Canary: canary}
		err := p.Check(t.Context(), "echo 1")
		if err == nil {
			err = p.Check(t.Context(), "echo 2")
		}
		var found *fuzz.Finding
		require.ErrorAs(t, err, &found, promise)
		require.Contains(t, found.Promise, promise)
	}
}

// Scripts that have found something keep their promises, and do what is said of them.
func TestFindings(t *testing.T) {
	oracles := fuzz.Oracles{&fuzz.Promises{Canary: newCanary(t)}, fuzz.Analysis{}}
	for _, script := range findings {
		require.NoError(t, oracles.Check(t.Context(), script), script)
	}
}

// findings are scripts that oracles have found something with.
var findings = []string{
	`yes | while read x; do : $((s+=x)); done & sleep 0.02; kill -9 $!; wait`, // a read that is killed had taken a line from a pipe
	`jq -n 'now | strftime("%1000000d" * 1000) | length'`,                     // widths were counted one by one
	`awk 'BEGIN { f = "%1000000d"; for (i = 0; i < 12; i++) f = f f; print length(strftime(f, 0)) }'`,
	": '" + strings.Repeat("a", 5000) + "'" + strings.Repeat("b", 5000), // a constant of two long parts had no shell
	`mapfile -c 1 -C a b < <(yes | head -2)`,                            // what a callback gets was not named
	`printf "%($(printf '%%1000000d%.0s' {1..2000}))T" 0`,
}

// A script that prints what another left, or the time, is not the same each time.
func TestDeterminism(t *testing.T) {
	n := 0
	counting := target(func(string) (*fuzz.Outcome, error) {
		n++
		return &fuzz.Outcome{Stdout: strings.Repeat("x", n)}, nil
	})
	require.Error(t, (&fuzz.Determinism{Target: counting}).Check(t.Context(), "x"))
	real := &fuzz.Sandbox{Config: limpet.Config{Limits: limits.Limits{Time: time.Minute}}}
	for _, script := range []string{"echo $RANDOM $SRANDOM", "mktemp -u", "date +%N", "head -c 9 /dev/urandom"} {
		require.Error(t, (&fuzz.Determinism{Target: real}).Check(t.Context(), script), script)
		require.NoError(t, (&fuzz.Determinism{}).Check(t.Context(), script), script)
	}
	for _, script := range []string{
		`declare -A m; for i in {1..50}; do m[$RANDOM$i]=$i; done; echo "${!m[@]}"; declare -p m; shuf -e {1..50}; awk 'BEGIN { srand(); print rand(); for (i = 0; i < 99; i++) a[i]; for (i in a) print i }'`,
		`echo $$ $BASHPID $PPID; (echo $BASHPID); sleep 1 & echo $!; ps; time sleep 1; echo $SECONDS $EPOCHREALTIME; mktemp; mktemp -d; mktemp -u; ls -lai /tmp; stat .; sort -R <(seq 20)`,
		`jq -n '{b: 1, a: 2} | keys_unsorted, to_entries'; sqlite3 :memory: 'select hex(randomblob(8)), random()'; git init -q r; cd r; git commit --allow-empty -qm x --author 'a <b@c>'; git -c user.name=a -c user.email=b commit --allow-empty -qm x; git log; uuidgen; shuf -i 1-99 -n 5; compgen -A command | cksum; env; set; alias; hash`,
		`for i in 3 1 2; do { sleep $i; echo $i; } & done; wait; jobs; timeout 5 sleep 100; echo $?; for i in {1..20}; do : & echo $!; wait $!; done; coproc cat; echo $COPROC_PID; trap -p; kill -l; find / -maxdepth 2 | cksum; tar -cf - /etc 2> /dev/null | cksum; gzip < /etc/passwd | cksum; zip -q z /etc/passwd; cksum z.zip`,
	} {
		require.NoError(t, (&fuzz.Determinism{}).Check(t.Context(), script), script)
	}
}

// What an analysis leaves out is a finding; what it says is opaque is none.
func TestAnalysisOracle(t *testing.T) {
	for _, script := range []string{
		"ls; x=1; f() { rm $1; }; f a > out", `xargs < /dev/null`, "((a++, b = c = 3)); let d=4 'e[1]+=2'", `declare -i n='3 4' 2> /dev/null; readonly r='a b'`,
		"echo 'rm x' > s; chmod +x s; ./s", "coproc N { cat; }; cat <&${N[0]} & exec {N[1]}>&-; wait",
	} {
		require.NoError(t, fuzz.Analysis{}.Check(t.Context(), script), script)
	}
}

// The scripts of a generator are the same each time, and others for other numbers.
func TestGenerators(t *testing.T) {
	for _, trial := range trials(7, newCanary(t)) {
		seen := map[string]bool{}
		for n := range uint64(40) {
			script := trial.Source(n)
			require.Equal(t, script, trial.Source(n), trial.Name)
			seen[script] = true
		}
		require.Greater(t, len(seen), 20, trial.Name)
	}
	require.Greater(t, len(fuzz.Hostile()), 200)
	for _, script := range fuzz.Hostile() {
		require.NotContains(t, script, "«")
	}
}

// What the transcripts of the interpreter do is what their analysis says.
func TestAnalysisOfTranscripts(t *testing.T) {
	files, err := filepath.Glob("../interp/testdata/*.txt")
	require.NoError(t, err)
	scripts := 0
	for _, name := range files {
		data, err := os.ReadFile(name)
		require.NoError(t, err)
		f, err := transcript.Parse(data)
		require.NoError(t, err, name)
		for _, step := range f.Steps {
			require.NoError(t, fuzz.Analysis{}.Check(t.Context(), step.Script), name)
			scripts++
		}
	}
	require.Greater(t, scripts, 500)
}
