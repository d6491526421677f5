package condition

import (
	"io/fs"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/require"
)

// A world is what the tests see: files of a map, descriptor 0 a terminal, HOME
// set, posix on.
type world struct{ fstest.MapFS }

func (w world) Access(name string, mode Access) bool {
	info, err := w.Stat(name)
	return err == nil && Access(info.Mode()>>6)&mode == mode
}
func (w world) IsTerminal(n int) bool { return n == 0 }
func (w world) VarSet(s string) bool  { return s == "HOME" }
func (w world) RefSet(s string) bool  { return s == "ref" }
func (w world) OptSet(s string) bool  { return s == "posix" }
func (w world) IDs() (uid, gid int)   { return 0, 1 }

var env = world{fstest.MapFS{
	"f":    {Mode: 0o644, ModTime: time.Unix(2, 0)},
	"old":  {Mode: 0o755, ModTime: time.Unix(1, 0), Data: []byte("x")},
	"d":    {Mode: fs.ModeDir | 0o755},
	"l":    {Mode: fs.ModeSymlink | 0o777},
	"p":    {Mode: fs.ModeNamedPipe},
	"c":    {Mode: fs.ModeDevice | fs.ModeCharDevice},
	"b":    {Mode: fs.ModeDevice},
	"s":    {Mode: fs.ModeSocket},
	"bits": {Mode: fs.ModeSetuid | fs.ModeSetgid | fs.ModeSticky},
}}

func TestUnary(t *testing.T) {
	for _, tt := range []struct{ op, yes, no string }{
		{"-e", "f", "nope"}, {"-a", "f", "nope"}, {"-f", "f", "d"}, {"-d", "d", "f"}, {"-s", "old", "f"},
		{"-h", "l", "f"}, {"-L", "l", "f"}, {"-p", "p", "f"}, {"-c", "c", "b"}, {"-b", "b", "c"}, {"-S", "s", "f"},
		{"-u", "bits", "f"}, {"-g", "bits", "f"}, {"-k", "bits", "f"}, {"-r", "f", "p"}, {"-w", "f", "p"}, {"-x", "old", "f"},
		{"-O", "f", "nope"}, {"-z", "", "x"}, {"-n", "x", ""}, {"-t", " 0 ", "1"}, {"-v", "HOME", "x"}, {"-R", "ref", "x"}, {"-o", "posix", "x"},
	} {
		require.True(t, IsUnary(tt.op))
		require.True(t, Unary(env, tt.op, tt.yes), tt.op)
		require.False(t, Unary(env, tt.op, tt.no), tt.op)
	}
	require.False(t, Unary(env, "-G", "f"))
	require.False(t, Unary(env, "-N", "f"))
	for _, op := range []string{"", "-", "-q", "-eq", "=", "a"} {
		require.False(t, IsUnary(op), op)
	}
}

func TestFiles(t *testing.T) {
	require.True(t, Files(env, "-nt", "f", "old"))
	require.True(t, Files(env, "-nt", "f", "nope"))
	require.False(t, Files(env, "-nt", "nope", "f"))
	require.False(t, Files(env, "-nt", "f", "f"))
	require.True(t, Files(env, "-ot", "old", "f"))
	require.True(t, Files(env, "-ot", "nope", "f"))
	require.False(t, Files(env, "-ot", "f", "nope"))
	require.False(t, Files(env, "-ef", "f", "nope"))
}

// TestArguments runs testdata/test.txt: a command, its status and its message,
// which bash confirms. Words are between spaces, or single quotes. There is a
// file f.
func TestArguments(t *testing.T) {
	data, err := os.ReadFile("testdata/test.txt")
	require.NoError(t, err)
	for line := range strings.Lines(string(data)) {
		fields := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		require.Len(t, fields, 3, line)
		args := words(fields[0])
		evaluate := Test
		if args[0] == "[" {
			evaluate = Bracket
		}
		ok, err := evaluate(env, args[1:])
		status, message := 1, ""
		switch {
		case err != nil:
			status, message = 2, args[0]+": "+err.Error()
		case ok:
			status = 0
		}
		require.Equal(t, fields[1:], []string{strconv.Itoa(status), message}, fields[0])
		if os.Getenv("CONFIRM") != "" {
			confirm(t, args, fields[1], fields[2])
		}
	}
}

func confirm(t *testing.T, args []string, status, message string) {
	cmd := exec.Command("bash", append([]string{"-c", `: >f && "$@"; echo $?`, "bash"}, args...)...)
	cmd.Dir = t.TempDir()
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	require.NoError(t, err)
	require.Equal(t, status+"\n", string(out), "%q", args)
	require.Equal(t, message, strings.TrimSpace(strings.TrimPrefix(stderr.String(), "bash: line 1: ")), "%q", args)
}

// words splits a command of testdata/test.txt.
func words(s string) (list []string) {
	for s != "" {
		var w string
		if rest, quoted := strings.CutPrefix(s, "'"); quoted {
			w, s, _ = strings.Cut(rest, "'")
			s = strings.TrimPrefix(s, " ")
		} else {
			w, s, _ = strings.Cut(s, " ")
		}
		list = append(list, w)
	}
	return list
}

func TestLong(t *testing.T) {
	ok, err := Test(env, strings.Split("x"+strings.Repeat(" -a x", 100_000), " "))
	require.NoError(t, err)
	require.True(t, ok)
	ok, err = Test(env, strings.Split(strings.Repeat("! ", 100_001)+"x = y", " "))
	require.NoError(t, err)
	require.True(t, ok)
	_, err = Test(env, strings.Split(strings.Repeat("( ", 1_000_000)+"x", " "))
	require.Error(t, err)
}
