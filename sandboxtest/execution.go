package sandboxtest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/limpet-sh/limpet"
	"github.com/stretchr/testify/require"
)

// execution is about [limpet.Sandbox.Exec].
var execution = []test{
	{"statuses and streams", func(t *T) {
		for script, want := range map[string]string{
			"true":                         "0||",
			"false":                        "1||",
			"exit 42":                      "42||",
			"printf out; printf err >&2":   "0|out|err",
			"echo out; exit 3":             "3|out\n|",
			"kill -9 $$":                   "137||",
			"cat /nonexistent && echo ok":  "1||cat: /nonexistent: No such file or directory\n",
			"nosuchcmd":                    "127||bash: line 1: nosuchcmd: command not found\n",
			"set -u; echo $undefined_name": "1||bash: line 1: undefined_name: unbound variable\n",
			"set -o pipefail; false | true; echo $? ${PIPESTATUS[@]}": "0|1 1 0\n|",
			"": "0||",
		} {
			res := t.exec(limpet.Request{Script: script})
			require.NoError(t, res.Stopped, script)
			if script == "set -u; echo $undefined_name" {
				want = strings.Replace(want, "1|", fmt.Sprintf("%d|", res.Status), 1) // 127 in bash -c, 1 in a file
				require.Contains(t, []int{1, 127}, res.Status)
			}
			require.Equal(t, want, fmt.Sprintf("%d|%s|%s", res.Status, res.Stdout, res.Stderr), script)
		}
		res := t.exec(limpet.Request{Script: "if"})
		require.Equal(t, 2, res.Status)
		require.Contains(t, string(res.Stderr), "syntax error")
	}},
	{"standard input", func(t *T) {
		res := t.exec(limpet.Request{Script: "cat; read x; echo $?"})
		require.Equal(t, "1\n", string(res.Stdout), "none is empty")
		data := strings.Repeat("line of input\n", 20000) + "\x00\xff end"
		res = t.exec(limpet.Request{Script: "cat", Stdin: strings.NewReader(data)})
		require.Equal(t, data, string(res.Stdout))
		res = t.exec(limpet.Request{Script: "read a; echo \"$a\"; cat", Stdin: strings.NewReader("50\nrest")})
		require.Equal(t, "50\nrest", string(res.Stdout))
		res = t.exec(limpet.Request{Script: "true", Stdin: strings.NewReader(data)})
		require.Zero(t, res.Status, "input that nobody reads")
	}},
	{"arguments, environment, directory", func(t *T) {
		res := t.exec(limpet.Request{
			Script: `printf '%s|' "$0" "$#" "$@" "$A" "$B"`, Name: "name", Args: []string{"", "a b", "*", "'\"$x`\\", "é\n"},
			Env: map[string]string{"A": "1 '2' $3\n", "B": ""},
		})
		require.Equal(t, "name|5||a b|*|'\"$x`\\|é\n|1 '2' $3\n||", string(res.Stdout))
		require.Equal(t, t.Workspace()+"\n", t.sh("pwd"))
		t.sh("mkdir -p 'sub dir'")
		res = t.exec(limpet.Request{Script: "pwd", Dir: t.Workspace() + "/sub dir"})
		require.Equal(t, t.Workspace()+"/sub dir\n", string(res.Stdout))
		t.sh("cd 'sub dir'; x=1; export Y=2; f() { :; }; alias g=h")
		require.Equal(t, t.Workspace()+"||\n", t.sh(`echo "$PWD|$x|$Y"; ! declare -F f`), "scripts are independent")
	}},
	{"the text arrives as it is", func(t *T) {
		text := "!a | \"b\" $c \\ \\\\ 'd' `e` \t \u2028 😀 \r\n -x {} ;; & # ~ * ? [f] ^ %s\x01\x7f\xff\xfe"
		quoted := "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
		require.Equal(t, text, t.sh("printf %s "+quoted))
		require.Equal(t, text, t.sh("cat << 'END_OF_TEXT'\n" + text + "\nEND_OF_TEXT\n")[:len(text)])
		long := strings.Repeat("0123456789abcde\n", 1<<16)
		require.Equal(t, long, t.sh("cat << 'E'\n"+long+"E\n"), "1 MiB")
		require.Equal(t, "-n x\n", t.sh("printf '%s\\n' '-n x'"))
	}},
	{"large and binary output", func(t *T) {
		require.Equal(t, 20_000_000, len(t.sh("head -c 20000000 /dev/zero")))
		var all [256]byte
		for i := range all {
			all[i] = byte(i)
		}
		t.write("bytes", string(all[:]))
		require.Equal(t, string(all[:]), t.sh("cat bytes"))
		res := t.exec(limpet.Request{Script: "seq 1 100000; seq 1 100000 >&2; exit 3"})
		require.Equal(t, 3, res.Status)
		require.Equal(t, 588895, len(res.Stdout))
		require.Equal(t, res.Stdout, res.Stderr)
	}},
	{"writers", func(t *T) {
		var out, errs bytes.Buffer
		res := t.exec(limpet.Request{Script: "seq 1 10000; echo e >&2", Stdout: &out, Stderr: &errs})
		require.Empty(t, res.Stdout)
		require.Empty(t, res.Stderr)
		require.Equal(t, 48894, out.Len())
		require.Equal(t, "e\n", errs.String())
		if !limpet.Streams(t.Sandbox) {
			return
		}
		seen := make(seenWriter, 1)
		ctx, cancel := context.WithTimeout(t.ctx, patience)
		defer cancel()
		go func() {
			<-seen
			cancel()
		}()
		res, err := t.Exec(ctx, limpet.Request{Script: "echo first; sleep 1000", Stdout: seen})
		require.NoError(t, err)
		require.ErrorIs(t, res.Stopped, context.Canceled, "the first line came while the script ran")
	}},
	{"time limit", func(t *T) {
		start := time.Now()
		res := t.exec(limpet.Request{Script: "echo CRITICAL; echo warn >&2; echo x > before; sleep 1000; echo after > after", Timeout: 2 * time.Second})
		require.ErrorIs(t, res.Stopped, context.DeadlineExceeded)
		require.Equal(t, 124, res.Status)
		require.Equal(t, "CRITICAL\n", string(res.Stdout))
		require.True(t, strings.HasPrefix(string(res.Stderr), "warn\n"), "%q", res.Stderr)
		require.Less(t, time.Since(start), patience)
		require.Equal(t, "x\n", t.read("before"))
		require.Equal(t, "no\n", t.sh("test -e after || echo no"))
	}},
	{"cancellation", func(t *T) {
		ctx, cancel := context.WithCancel(t.ctx)
		time.AfterFunc(300*time.Millisecond, cancel)
		start := time.Now()
		res, err := t.Exec(ctx, limpet.Request{Script: "trap '' TERM INT; while :; do sleep 1; done"})
		require.Less(t, time.Since(start), patience)
		require.NoError(t, err)
		require.ErrorIs(t, res.Stopped, context.Canceled)
		require.Equal(t, "alive\n", t.sh("echo alive"))
	}},
	{"children in the background", func(t *T) {
		for script, want := range map[string]string{
			"sleep 1000 & echo started": "started\n",
			"(while :; do echo tick >&2; sleep 0.05; done) & sleep 0.3; echo done": "done\n",
			"exec > >(cat) 2>&1; echo x; sleep 0.3":                                "x\n",
			"(trap '' TERM HUP; sleep 1000) & echo stubborn":                       "stubborn\n",
			"sleep 1000 | sleep 1000 & disown -a; echo disowned":                   "disowned\n",
		} {
			start := time.Now()
			res := t.exec(limpet.Request{Script: script})
			require.NoError(t, res.Stopped, script)
			require.Zero(t, res.Status, script)
			require.Equal(t, want, string(res.Stdout), script)
			require.Less(t, time.Since(start), patience, script)
		}
	}},
	{"at the same time", func(t *T) {
		var wait sync.WaitGroup
		for i := range 8 {
			wait.Go(func() {
				name := fmt.Sprintf("f%d", i)
				res, err := t.Exec(t.ctx, limpet.Request{Script: `for i in {1..20}; do echo "$1" >> "$1"; done; cat "$1"`, Args: []string{name}})
				if err != nil || string(res.Stdout) != strings.Repeat(name+"\n", 20) {
					t.Errorf("%s: %v %+v", name, err, res)
				}
			})
		}
		wait.Wait()
	}},
	{"what it cannot do it says", func(t *T) {
		if _, ok := t.Sandbox.(limpet.Exposer); !ok {
			_, err := limpet.Expose(t.ctx, t.Sandbox, 80)
			require.ErrorIs(t, err, errors.ErrUnsupported)
		}
		d := limpet.Describe(t.Sandbox)
		require.NotEmpty(t, d.Kind)
		if _, ok := t.Sandbox.(limpet.Describer); ok {
			require.NotEmpty(t, d.Where)
			require.NotEmpty(t, d.Network)
		}
	}},
}

// seenWriter tells when something is written.
type seenWriter chan struct{}

// Write tells.
func (w seenWriter) Write(b []byte) (int, error) {
	select {
	case w <- struct{}{}:
	default:
	}
	return len(b), nil
}
