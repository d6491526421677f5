package limpet_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/limpet-sh/limpet"
	"github.com/limpet-sh/limpet/limits"
	"github.com/limpet-sh/limpet/vfs"
	"github.com/limpet-sh/limpet/vfs/hostdir"
	"github.com/stretchr/testify/require"
)

func newSession(t testing.TB, cfg limpet.Config) *limpet.Session {
	t.Helper()
	s, err := newShell(t, cfg).NewSession(context.Background(), limpet.SessionOptions{})
	require.NoError(t, err)
	return s
}

// say runs a script in a session and returns what it prints.
func say(t testing.TB, s *limpet.Session, script string) string {
	t.Helper()
	res, err := s.Exec(context.Background(), limpet.Request{Script: script})
	require.NoError(t, err)
	require.Empty(t, string(res.Stderr), script)
	return string(res.Stdout)
}

func fork(t testing.TB, s *limpet.Session) *limpet.Session {
	t.Helper()
	f, err := s.Fork()
	require.NoError(t, err)
	return f
}

// everything makes and shows all that a session keeps.
const (
	makeState = `x=1; a=(p q r); a[9]=s; declare -A m=([k]=v [l]=w); declare -i n=7; export E=env; readonly R=ro; declare -n ref=x
f() { echo "f $x $1"; }; g() { local i; for ((i = 0; i < 3; i++)); do echo -n "$i${a[i]} "; done; echo; }; export -f f
shopt -s extglob nullglob expand_aliases; set -o noclobber -f; alias hi='echo hi'; mkdir -p d/e; cd d; pushd e >/dev/null; umask 027; hash -p /x/y zz
echo data > file; RANDOM=5; getopts ab o -a; ulimit -n 100`
	showState = `echo "$x ${a[*]} ${!a[*]} ${m[k]} ${m[l]} $n $E $R $ref $- $PWD $OLDPWD $(umask) $OPTIND"; f arg; g; bash -c 'f sub'
shopt extglob nullglob expand_aliases; alias; dirs; cat file; hash; ulimit -n; echo $RANDOM $RANDOM`
)

func TestAForkHasTheWholeState(t *testing.T) {
	s := newSession(t, limpet.Config{})
	say(t, s, makeState)
	a, b := fork(t, s), fork(t, s)
	want := say(t, a, showState)
	require.Contains(t, want, "1 p q r s 0 1 2 9 v w 7 env ro 1 ")
	require.Contains(t, want, "\ndata\n")
	require.Equal(t, want, say(t, s, showState), "the original")
	change := `x=2; a[1]=Q; m[k]=V; n=n+1; unset E; f() { echo other; }; unset -f g; unalias hi; popd; cd /; set +f; rm /workspace/d/e/file; umask 0`
	say(t, a, change)
	say(t, s, change)
	require.Equal(t, want, say(t, b, showState), "what others do is not seen")
	require.Equal(t, "2 Q V 8 -\n", say(t, a, `echo "$x ${a[1]} ${m[k]} $n ${E--}"`))
	require.Equal(t, "/workspace/d/e", b.Dir())
	require.Equal(t, "/", s.Dir())
}

// TestForksOfForks lets each of a line of forks define names of its own, which its
// successors have and its siblings do not.
func TestForksOfForks(t *testing.T) {
	s := newSession(t, limpet.Config{})
	for i := range 40 {
		sibling := fork(t, s)
		say(t, s, fmt.Sprintf(`v%d=%d; f%d() { echo "$v%d${w-}"; }; w=`, i, i, i, i))
		say(t, sibling, fmt.Sprintf(`other%d=1; v%d=sibling; w=sibling`, i, i))
		s = fork(t, s)
	}
	var calls, want strings.Builder
	for i := range 40 {
		fmt.Fprintf(&calls, "f%d; ", i)
		fmt.Fprintf(&want, "%d\n", i)
	}
	require.Equal(t, want.String(), say(t, s, calls.String()))
	require.Equal(t, "\n", say(t, s, `echo ${!other*}`))
	require.Equal(t, "a1 a2 b1 b2\n", say(t, fork(t, s), `p() { echo {a,b}{1,2}; }; p`))
}

func TestForksRunAtOnce(t *testing.T) {
	s := newSession(t, limpet.Config{})
	say(t, s, `n=0; a=(); add() { n=$((n + $1)); a+=("$1"); declare -g "new_$1=$n"; echo "$n" >> log; }`)
	var wg sync.WaitGroup
	for i := range 8 {
		f := fork(t, s)
		wg.Go(func() {
			out := ""
			for range 5 {
				res, err := f.Exec(context.Background(), limpet.Request{Script: fmt.Sprintf("for i in 1 2 3 4; do add %d; done; echo $n ${#a[@]} $(wc -l <log)", i)})
				if err == nil {
					out = string(res.Stdout)
				}
			}
			if want := fmt.Sprintf("%d %d %d\n", 21*i, 20+i, 20+i); out != want {
				t.Errorf("fork %d: %q, want %q", i, out, want)
			}
		})
		say(t, s, `add 1`)
	}
	wg.Wait()
	require.Equal(t, "8\n", say(t, s, `echo $n`))
}

func TestCheckpoints(t *testing.T) {
	s := newSession(t, limpet.Config{})
	say(t, s, makeState)
	c, err := s.Checkpoint()
	require.NoError(t, err)
	want := say(t, s, showState)
	for range 2 {
		say(t, s, `cd /; rm -r /workspace/d; x=gone; unset -f f; set +f; echo new > /workspace/new`)
		require.NoError(t, s.Restore(c))
		require.Equal(t, want, say(t, s, showState))
	}
	files, err := c.Files()
	require.NoError(t, err)
	require.NoError(t, files.RemoveAll("/workspace"))
	other := newSession(t, limpet.Config{})
	require.NoError(t, other.Restore(c), "in another shell")
	require.Equal(t, want, say(t, other, showState))

	shell := s.Shell()
	files, before := shell.Files(), c
	c, err = shell.Checkpoint()
	require.NoError(t, err)
	say(t, s, `x=kept; cd /; rm -r /workspace/d`)
	require.NoError(t, s.Restore(c))
	require.Equal(t, "kept / data\n", say(t, s, `echo "$x $PWD $(cat /workspace/d/e/file)"`), "a checkpoint of a shell is its files")
	require.Same(t, files, shell.Files())
	require.NoError(t, shell.Restore(before))
	require.NoError(t, s.Close())
	for _, err := range []error{s.Restore(c), second(s.Fork()), second(s.Checkpoint())} {
		require.ErrorIs(t, err, limpet.ErrClosed)
	}
}

func second[T any](_ T, err error) error { return err }

func TestForksOfMounts(t *testing.T) {
	dir := t.TempDir()
	open := func(o hostdir.Options) vfs.FS {
		d, err := hostdir.Open(dir, o)
		require.NoError(t, err)
		t.Cleanup(func() { d.Close() })
		return d
	}
	mem := vfs.NewMem(vfs.MemOptions{User: vfs.User{UID: 1000, GID: 1000}})
	over, err := vfs.NewOverlay(open(hostdir.Options{}), vfs.MemOptions{})
	require.NoError(t, err)
	s := newSession(t, limpet.Config{Mounts: []limpet.Mount{
		{Path: "/m", FS: mem}, {Path: "/again", FS: mem}, {Path: "/ro", FS: vfs.ReadOnly(mem)}, {Path: "/host", FS: open(hostdir.Options{ReadOnly: true})}, {Path: "/over", FS: over},
	}})
	say(t, s, `echo 1 > /m/f`)
	f := fork(t, s)
	c, err := s.Checkpoint()
	require.NoError(t, err)
	say(t, s, `echo 2 > /m/f; rmdir /again/none 2>/dev/null; mkdir /m/d`)
	require.Equal(t, "1\n1\n1\n", say(t, f, `cat /again/f /ro/f /m/f; ls /host`))
	require.Equal(t, "3\n", say(t, f, `echo 3 > /again/f; cat /m/f`), "one file system at two places is one in the fork")
	require.NoError(t, s.Restore(c))
	require.Equal(t, "1\nf\n", say(t, s, `cat /m/f; ls /m`))

	s = newSession(t, limpet.Config{Mounts: []limpet.Mount{{Path: "/rw", FS: open(hostdir.Options{})}}})
	for _, err := range []error{second(s.Fork()), second(s.Checkpoint()), second(s.Shell().Fork())} {
		require.ErrorIs(t, err, errors.ErrUnsupported)
	}
}

// bigSession has files and variables of sizes that a fork must not feel.
func bigSession(t testing.TB, files int, size int64) *limpet.Session {
	s := newSession(t, limpet.Config{Limits: limits.Limits{Storage: limits.Unlimited, Files: limits.Unlimited, FileSize: limits.Unlimited}})
	root := s.Shell().Files()
	for i := range files {
		name := fmt.Sprintf("/workspace/%03d", i/1000)
		if i%1000 == 0 {
			require.NoError(t, root.Mkdir(name, 0o755))
		}
		require.NoError(t, vfs.WriteFile(root, fmt.Sprintf("%s/%d", name, i), []byte("x"), 0o644))
	}
	f, err := root.Create("/workspace/big")
	require.NoError(t, err)
	defer f.Close()
	chunk := make([]byte, 1<<20)
	for range size / int64(len(chunk)) {
		_, err := f.Write(chunk)
		require.NoError(t, err)
	}
	say(t, s, `for ((i = 0; i < 5000; i++)); do declare "v$i=$i"; a[i]=$i; done`)
	return s
}

// TestAForkIsSmall bounds what forks hold, whatever they are forks of.
func TestAForkIsSmall(t *testing.T) {
	s := bigSession(t, 2000, 8<<20)
	fork(t, s)
	var before, after runtime.MemStats
	forks := make([]*limpet.Session, 0, 1000)
	runtime.GC()
	runtime.ReadMemStats(&before)
	for range cap(forks) {
		forks = append(forks, fork(t, s))
	}
	runtime.ReadMemStats(&after)
	require.Less(t, (after.TotalAlloc-before.TotalAlloc)/uint64(len(forks)), uint64(4096))
	runtime.KeepAlive(forks)
}

// BenchmarkFork measures what the cost of a fork must not depend on. Run it with
// -benchtime 2000x.
func BenchmarkFork(b *testing.B) {
	s := bigSession(b, 100_000, 1<<30)
	b.Run("fork", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			fork(b, s)
		}
	})
	b.Run("first write", func(b *testing.B) {
		data := []byte("y")
		for b.Loop() {
			b.StopTimer()
			root := fork(b, s).Shell().Files()
			b.StartTimer()
			f, err := root.OpenFile("/workspace/big", vfs.O_WRONLY, 0)
			if err != nil {
				b.Fatal(err)
			}
			if _, err := f.WriteAt(data, 500<<20); err != nil {
				b.Fatal(err)
			}
			f.Close()
		}
	})
	b.Run("first script", func(b *testing.B) {
		for b.Loop() {
			b.StopTimer()
			f := fork(b, s)
			b.StartTimer()
			say(b, f, `v1=2; echo y > 000/1`)
		}
	})
	b.Run("idle", func(b *testing.B) {
		var before, after runtime.MemStats
		var forks []*limpet.Session
		runtime.GC()
		runtime.ReadMemStats(&before)
		for b.Loop() {
			forks = append(forks, fork(b, s))
		}
		runtime.GC()
		runtime.ReadMemStats(&after)
		b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/float64(len(forks)), "B/fork")
		runtime.KeepAlive(forks)
	})
}

// TestAPatchOfTheChangesMakesThem gives to patch what Diff writes.
func TestAPatchOfTheChangesMakesThem(t *testing.T) {
	s := newSession(t, limpet.Config{})
	checkpoint := func() *limpet.Checkpoint {
		c, err := s.Checkpoint()
		require.NoError(t, err)
		return c
	}
	say(t, s, `mkdir -p src/deep; seq 100 > src/numbers; echo old > "src/a name"; printf end > src/open; echo x > src/deep/gone; cd src`)
	before := checkpoint()
	say(t, s, `sed -i '20s/.*/twenty/; 50d; 90a more' numbers; echo new > "a name"; echo >> open; rm -r deep; mkdir other; seq 3 > other/list; chmod +x numbers; : > empty`)
	after := checkpoint()
	var b bytes.Buffer
	require.NoError(t, limpet.Diff(context.Background(), &b, before, after))
	require.NoError(t, s.Restore(before))
	res, err := s.Exec(context.Background(), limpet.Request{Script: `cd /; patch -s -p1; rmdir /workspace/src/deep 2> /dev/null; true`, Stdin: &b})
	require.NoError(t, err)
	require.Equal(t, "", string(res.Stdout)+string(res.Stderr))
	changes, err := limpet.Changes(after, checkpoint())
	require.NoError(t, err)
	require.NotEmpty(t, changes, "times")
	b.Reset()
	require.NoError(t, limpet.Diff(context.Background(), &b, after, checkpoint()))
	require.Empty(t, b.String())
}
