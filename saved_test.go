package limpet_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/limpet-sh/limpet"
	"github.com/limpet-sh/limpet/limits"
	"github.com/limpet-sh/limpet/vfs"
	"github.com/stretchr/testify/require"
)

// difference returns where two texts begin to differ.
func difference(a, b []byte) string {
	i := 0
	for i < len(a) && i < len(b) && (a[i] == b[i] || i < 24) { // the length of a frame
		i++
	}
	if i == len(a) && i == len(b) {
		return ""
	}
	around := func(p []byte) []byte { return p[max(0, i-40):min(len(p), i+40)] }
	return fmt.Sprintf("%q\n%q", around(a), around(b))
}

func checkpoint(t testing.TB, s *limpet.Session) *limpet.Checkpoint {
	t.Helper()
	c, err := s.Checkpoint()
	require.NoError(t, err)
	return c
}

func save(t testing.TB, c, since *limpet.Checkpoint) []byte {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, c.Save(&b, since))
	return b.Bytes()
}

// revive returns a session in a new shell that goes on from bytes.
func revive(t testing.TB, cfg limpet.Config, data []byte) *limpet.Session {
	t.Helper()
	s := newSession(t, cfg)
	c, err := s.Shell().Load(bytes.NewReader(data), nil)
	require.NoError(t, err)
	require.NoError(t, s.Restore(c))
	return s
}

// listing returns what is in a file system below /workspace, /tmp and /home.
func listing(t testing.TB, fsys vfs.FS) string {
	var b strings.Builder
	for _, top := range []string{"/workspace", "/tmp", "/home"} {
		require.NoError(t, walkAll(fsys, top, func(name string, info fs.FileInfo) error {
			st := vfs.StatOf(info)
			fmt.Fprintf(&b, "%s %v %d %d:%d %d %v", name, info.Mode(), st.Nlink, st.UID, st.GID, st.Blocks, info.ModTime())
			switch {
			case info.Mode().IsRegular():
				data, err := vfs.ReadFile(fsys, name)
				if err != nil {
					return err
				}
				fmt.Fprintf(&b, " %q", data)
			case info.Mode()&fs.ModeSymlink != 0:
				text, _ := fsys.ReadlinkIfPossible(name)
				fmt.Fprintf(&b, " -> %s", text)
			}
			b.WriteByte('\n')
			return nil
		}))
	}
	return b.String()
}

func walkAll(fsys vfs.FS, name string, visit func(string, fs.FileInfo) error) error {
	info, err := vfs.Lstat(fsys, name)
	if err != nil {
		return err
	}
	if err := visit(name, info); err != nil || !info.IsDir() {
		return err
	}
	list, err := vfs.ReadDir(fsys, name)
	for _, e := range list {
		if err := walkAll(fsys, name+"/"+e.Name(), visit); err != nil {
			return err
		}
	}
	return err
}

func TestASavedSessionHasTheWholeState(t *testing.T) {
	s := newSession(t, limpet.Config{})
	say(t, s, makeState)
	data := save(t, checkpoint(t, s), nil)
	back := revive(t, limpet.Config{}, data)
	require.Equal(t, listing(t, s.Shell().Files()), listing(t, back.Shell().Files()))
	require.Equal(t, say(t, s, showState), say(t, back, showState))
}

// showAll shows all that a session keeps, as scripts see it.
const showAll = `declare -p | grep -v -e ' \(SECONDS\|SRANDOM\|EPOCH[A-Z]*\|BASHPID\|RANDOM\|_\|BASH_COMMAND\)='; declare -f; declare -F; alias -p; trap -p; shopt -p; set +o
dirs -v; umask; hash -l; complete -p; enable -n; pwd; history; ulimit -n; echo "$- $0 $# $OPTIND $RANDOM"; for v in "${!a[@]}"; do echo "$v"; done; for k in "${!m[@]}"; do echo "$k=${m[$k]}"; done`

// TestRandomSessionsAreSaved saves sessions that did random things, and compares
// what the one shows with what the other does.
func TestRandomSessionsAreSaved(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Log("seed", seed)
	for i := range uint64(30) {
		s := newSession(t, limpet.Config{})
		r := stateMaker{rand.New(rand.NewPCG(seed, i))}
		var script strings.Builder
		script.WriteString("RANDOM=1\n") // or it would be another number in each
		for range 5 + r.IntN(60) {
			script.WriteString(r.line() + "\n")
		}
		run := func(s *limpet.Session, script string) string {
			res, err := s.Exec(context.Background(), limpet.Request{Script: script})
			require.NoError(t, err)
			require.NoError(t, res.Stopped)
			return string(res.Stdout) + string(res.Stderr)
		}
		run(s, script.String())
		data := save(t, checkpoint(t, s), nil)
		back := revive(t, limpet.Config{}, data)
		require.Equal(t, listing(t, s.Shell().Files()), listing(t, back.Shell().Files()), script.String())
		require.Empty(t, difference(data, save(t, checkpoint(t, revive(t, limpet.Config{}, data)), nil)), "saved again: %s", script.String())
		require.Equal(t, run(s, showAll), run(back, showAll), script.String())
	}
}

// A stateMaker makes commands that change the state of a session.
type stateMaker struct{ *rand.Rand }

func (r stateMaker) pick(words ...string) string { return words[r.IntN(len(words))] }

func (r stateMaker) name() string { return r.pick("a", "b", "c", "m", "n", "x", "y", "long_name_9") }

func (r stateMaker) text() string {
	return r.pick("''", "word", "'two words'", `$'tab\tnew\nline'`, `$'\xff\x80'`, "12", "-7", "'é'", "'$x'", "0x1f", "'*'", "$RANDOM")
}

func (r stateMaker) line() string {
	name, text := r.name(), r.text()
	switch r.IntN(22) {
	case 0, 1:
		return name + "=" + text
	case 2:
		return fmt.Sprintf("a[%d]=%s", r.IntN(3)*r.IntN(100_000), text)
	case 3:
		return fmt.Sprintf("declare -A m; for i in {1..%d}; do m[k$i]=%s; done; unset 'm[k%d]'", r.IntN(4000), text, r.IntN(50))
	case 4:
		return fmt.Sprintf("declare -%s %s%s", r.pick("x", "i", "l", "u", "c", "a", "A", "t", "n", "r"), name, r.pick("", "="+text))
	case 5:
		return "unset " + r.pick("", "-v ", "-n ", "-f ") + r.pick(name, "RANDOM", "SECONDS", "OPTIND", "f", "a[1]")
	case 6, 7:
		return r.function()
	case 8:
		return r.pick("shopt -s ", "shopt -u ") + r.pick("extglob", "nullglob", "dotglob", "globstar", "xpg_echo", "expand_aliases", "lastpipe")
	case 9:
		return r.pick("set -o ", "set +o ") + r.pick("noclobber", "pipefail", "nounset", "noglob", "allexport", "physical", "history")
	case 10:
		return "alias " + r.pick("l", "ll", "g") + "=" + text
	case 11:
		return r.pick("mkdir -p d/e/f", "cd d", "cd ..", "pushd d", "popd", "pushd /tmp", "cd /")
	case 12:
		return "umask " + r.pick("022", "077", "0", "u=rwx,g=,o=")
	case 13:
		return "echo " + text + r.pick(" > f", " >> g", " > d/h", " >| f")
	case 14:
		return r.pick("ln f hard", "ln -s f soft", "mkfifo p", "truncate -s 3M sparse", "chmod 4711 f", "mv f g", "rm -rf d", "touch -d '1999-12-31 23:59:59.123456789' g")
	case 15:
		return "dd if=/dev/urandom of=big bs=100k count=3 seek=" + r.pick("0", "7") + " conv=notrunc 2>/dev/null"
	case 16:
		return "hash -p /usr/bin/" + r.pick("x", "y") + " " + r.pick("x", "y")
	case 17:
		return r.pick("complete -W 'a b' cmd", "complete -F f -o nospace other", "enable -n "+r.pick("echo", "test"), "enable echo test")
	case 18:
		return r.pick("RANDOM=5", "OPTIND=3", "SECONDS=100", "ulimit -n 99", "LC_ALL=C", "IFS=:", "PATH=/bin:/x", "FUNCNEST=50")
	case 19:
		return "x+=" + text
	case 20:
		return "((y += 3, n = y * 2))"
	}
	return "trap 'echo bye' EXIT; set -- " + text
}

func (r stateMaker) function() string {
	body := r.pick("echo $1", "local v=$1; return 3", "if [[ $1 == @(a|b) ]]; then echo yes; else echo no; fi", "for i in a b; do echo $i; done | cat",
		"cat <<EOF\n$1 text\n\tEOF \nEOF", "case $1 in a) ;& b) echo;; *) ;;& esac", "while read -r x; do ((i++)); done < f", "( cd /; ls ) 2>&1 >/dev/null &",
		"a=(1 2 [5]=x); m+=([k]=v)", "echo $(( 1 + $(echo 2) )) `date` \"${x:-$'\\n'}\" ${a[@]/#/p}", "f() { echo inner; }; f", "! true && { :; } || until false; do break; done",
		"select x in a; do :; done", "[[ -f $1 && ! $x =~ ^a+$ ]]; time -p true", "coproc cat; cat <(echo a) >(cat)", "printf '%s' 'quo'\\''te' \"d\\\"q\" $'x\\'y'")
	switch r.IntN(4) {
	case 0:
		return "declare -fx f 2>/dev/null; f() (\n" + body + "\n)"
	case 1:
		return "function g-h.i {\n" + body + "\n} > /dev/null"
	}
	return r.pick("f", "g", "h2") + "() {\n" + body + "\n}"
}

func TestIncrements(t *testing.T) {
	s := newSession(t, limpet.Config{})
	say(t, s, "for i in {1..300}; do echo $i > f$i; done; head -c 300000 /dev/zero > big; x=1")
	base := checkpoint(t, s)
	whole := save(t, base, nil)
	say(t, s, "echo more >> f7; rm f8; ln f9 hard; printf X | dd of=big bs=1 seek=200000 conv=notrunc 2>/dev/null; mkdir d; mv f10 d; x=2")
	next := checkpoint(t, s)
	change := save(t, next, base)
	require.Less(t, len(change), 100_000, "a page of the large file, and the names")
	want := listing(t, s.Shell().Files())

	to := newSession(t, limpet.Config{})
	load := func(data []byte, since *limpet.Checkpoint) (*limpet.Checkpoint, error) {
		return to.Shell().Load(bytes.NewReader(data), since)
	}
	_, err := load(change, nil)
	require.ErrorIs(t, err, limpet.ErrBase)
	before, err := load(whole, nil)
	require.NoError(t, err)
	after, err := load(change, before)
	require.NoError(t, err)
	_, err = load(change, after)
	require.ErrorIs(t, err, limpet.ErrBase)
	_, err = load(whole, before)
	require.ErrorIs(t, err, limpet.ErrBase)
	require.NoError(t, to.Restore(after))
	require.Equal(t, want, listing(t, to.Shell().Files()))
	require.Equal(t, "2\n", say(t, to, "echo $x"))

	// What was saved twice is the same, whichever of the bytes it came from.
	say(t, s, "echo last > last")
	third := save(t, checkpoint(t, s), next)
	save(t, next, nil)
	again, err := load(save(t, next, nil), nil)
	require.NoError(t, err)
	for _, since := range []*limpet.Checkpoint{after, again} {
		c, err := load(third, since)
		require.NoError(t, err)
		require.NoError(t, to.Restore(c))
		require.Equal(t, listing(t, s.Shell().Files()), listing(t, to.Shell().Files()))
	}
	require.ErrorIs(t, checkpoint(t, s).Save(io.Discard, checkpoint(t, s)), limpet.ErrBase)
}

func TestLoadHasLimits(t *testing.T) {
	s := newSession(t, limpet.Config{})
	say(t, s, "head -c 1000000 /dev/zero | tr '\\0' x > big; touch {1..100}; v=$(<big)")
	data := save(t, checkpoint(t, s), nil)
	for name, l := range map[string]limits.Limits{
		"storage": {Storage: 500_000}, "files": {Files: 50}, "file size": {FileSize: 500_000}, "memory": {Memory: 900_000},
	} {
		if name == "files" { // of which a new shell has more itself
			l.Files = 0
			continue
		}
		to := newSession(t, limpet.Config{Limits: l})
		_, err := to.Shell().Load(bytes.NewReader(data), nil)
		require.Error(t, err, name)
		require.Equal(t, "", say(t, to, "ls"), name)
	}
	_, err := newShell(t, limpet.Config{Limits: limits.Limits{Memory: 900_000}}).Load(bytes.NewReader(data), nil)
	require.ErrorIs(t, err, limits.ErrExceeded)
	require.False(t, errors.Is(err, limpet.ErrDamaged))
}
