package main

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/creack/pty"
	"github.com/limpet-sh/limpet"
	"github.com/stretchr/testify/require"
)

// TestReplWithoutTerminal checks sessions that are read from a file: what stays from
// one command to the next, and the commands to the program.
func TestReplWithoutTerminal(t *testing.T) {
	for _, test := range []struct {
		input, stdout, stderr string
		status                int
	}{
		{"x=5\necho $x\nfalse\necho $?\n", "5\n1\n", "", 0},
		{"for i in 1 2; do\necho $i\ndone\ncat <<E\nhi\nE\n", "1\n2\nhi\n", "", 0},
		{"alias a='echo alias'\na\ncd /tmp\npwd\n", "alias\n/tmp\n", "", 0},
		{"nosuch\n)\necho $?\n", "2\n", "bash: nosuch: command not found\nbash: syntax error near unexpected token `)'\n", 0},
		{"read l\nhello\necho $l\ncat\nrest\n", "hello\nrest\n", "", 0},
		{"trap 'echo bye' EXIT\nexit 4\necho no\n", "bye\n", "", 4},
		{"trap 'echo bye' EXIT\n", "bye\n", "", 0},
		{"kill -INT $$; echo no\necho $?\n", "130\n", "\n", 0},
		{"set -e\nfalse\necho no\n", "", "", 1},
		{"x=1\n:checkpoint a\nx=2; touch f\n:restore a\necho $x f*\n", "checkpoint a\nback at checkpoint a\n1 f*\n", "", 0},
		{"x=1\nx=2\nx=3\n:undo 2\necho $x\n:undo\n:undo\n:undo\n", "1\n", "limpet: :undo: nothing to undo\n", 0},
		{":fork b\ny=1\n:switch main\necho [$y]\n:switch b\necho $y\n:switch\n", "session b, a copy of main\n[]\n1\n* b\n  main\n", "", 0},
		{"echo a > f; chmod 600 f\n:changes\n:changes -p\n", "A /workspace/f\ndiff --git a/workspace/f b/workspace/f\nnew file mode 100600\n--- /dev/null\n+++ b/workspace/f\n@@ -0,0 +1 @@\n+a\n", "", 0},
		{":nosuch\n:save\n:undo x\n:limits 1\n: colon\n:quit\necho no\n", "", "limpet: :nosuch: no such command; :help lists them\nlimpet: :save: which FILE of the host?\nlimpet: :undo: x: want a number of commands\nlimpet: :limits: too many arguments\n", 0},
	} {
		out, errs, status := command(t, t.TempDir(), test.input, "repl", "--history", "")
		require.Equal(t, test.stdout, out, test.input)
		require.Equal(t, test.stderr, errs, test.input)
		require.Equal(t, test.status, status, test.input)
	}
}

// TestReplTellsOfTheNetwork checks that :network shows the policy of the flags.
func TestReplTellsOfTheNetwork(t *testing.T) {
	for flag, want := range map[string]string{"none": "nothing\n", "example.org": "https://example.org:443\n"} {
		out, errs, _ := command(t, t.TempDir(), ":network\n", "repl", "--history", "", "--network", flag)
		require.Equal(t, want, out)
		require.Empty(t, errs)
	}
	out, _, _ := command(t, t.TempDir(), ":network\n", "repl", "--history", "", "--network", "all")
	require.NotContains(t, out, "nothing")
}

// TestReplSaves checks that a session goes on in another process.
func TestReplSaves(t *testing.T) {
	dir := t.TempDir()
	_, errs, _ := command(t, dir, "x=7; trap 'echo bye' EXIT; echo data > f\n:save s\n", "repl")
	require.Empty(t, errs)
	out, errs, _ := command(t, dir, "echo $x\ncat f\n", "repl", "--load", "s")
	require.Equal(t, "7\ndata\nbye\n", out)
	require.Empty(t, errs)
}

// TestCompletion checks what a word may become, by where it is.
func TestCompletion(t *testing.T) {
	sh, err := newShell(limpet.Config{})
	require.NoError(t, err)
	defer sh.Close()
	s, err := sh.NewSession(context.Background(), limpet.SessionOptions{Interactive: true})
	require.NoError(t, err)
	r := &repl{session: s, out: os.Stdout, errs: os.Stderr, input: &plainInput{in: os.Stdin}}
	_, err = s.Exec(context.Background(), limpet.Request{Script: `mkdir -p dir/sub "a b"; touch dir/file 'it'\''s' ~/home
myvar=1; myfunc() { :; }; alias myalias=ls
_tool() { COMPREPLY=($(compgen -W "start stop $COMP_CWORD" -- "$2")); }; complete -F _tool tool; complete -W 'red green' paint`})
	require.NoError(t, err)
	for line, want := range map[string]string{
		"myf":             "myfunc",
		"mya":             "myalias",
		"echo x | gre":    "grep",
		"if ec":           "if echo", // a file
		"cat dir/":        "dir/file dir/sub/",
		"cat di":          "dir/",
		"cat a":           `a\ b/`,
		"cat 'it":         `'it'\''s`,
		"cd di":           "dir/",
		"cd dir/f":        "",
		"echo $myv":       "$myvar",
		"echo ${myv":      "${myvar",
		"echo \"$myv":     "$myvar",
		"ls --col":        "--color",
		"grep --files-wi": "--files-with-matches --files-without-match",
		"unset myv":       "myvar",
		"cat < di":        "dir/",
		"X=1 myf":         "myfunc",
		"tool st":         "start stop",
		"tool a ":         "2 start stop",
		"paint r":         "red",
		"cat ~/ho":        "~/home",
		"type myf":        "myfunc",
	} {
		got, _ := r.candidates(line, pointOf(line))
		p := pointOf(line)
		var list []string
		for _, c := range got {
			if strings.HasPrefix(line, "cat") {
				c = quoteFor(p.quote, c)
			}
			list = append(list, c)
		}
		if want == "if echo" {
			require.Empty(t, list, line)
			continue
		}
		require.Equal(t, want, strings.Join(list, " "), line)
	}
}

// A screen is what a program has written to its terminal, without what moves the cursor.
type screen struct {
	mu  sync.Mutex
	all bytes.Buffer
}

var escapes = regexp.MustCompile("\x1b\\[[0-9;?]*[ ]?[a-zA-Z]|\r")

func (s *screen) text() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return escapes.ReplaceAllString(s.all.String(), "")
}

// TestReplOnTerminal checks what keys do: interrupts end the command and nothing
// else, a tab completes, commands read the terminal, and the history is kept.
func TestReplOnTerminal(t *testing.T) {
	history := filepath.Join(t.TempDir(), "state", "history")
	cmd := exec.Command(os.Args[0], "repl", "--history", history)
	cmd.Env = append(os.Environ(), "LIMPET_TEST_RUN=1", "TERM=xterm")
	tty, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: 24, Cols: 120})
	require.NoError(t, err)
	defer tty.Close()
	var s screen
	go func() {
		buf := make([]byte, 4096)
		for {
			n, err := tty.Read(buf)
			if err != nil {
				return
			}
			if bytes.Contains(buf[:n], []byte("\x1b[6n")) { // where is the cursor?
				_, _ = tty.Write([]byte("\x1b[1;1R"))
			}
			s.mu.Lock()
			s.all.Write(buf[:n])
			s.mu.Unlock()
		}
	}()
	seen := 0
	expect := func(want string) {
		t.Helper()
		require.Eventually(t, func() bool {
			text := s.text()
			i := strings.Index(text[min(seen, len(text)):], want)
			if i >= 0 {
				seen += i + len(want)
			}
			return i >= 0
		}, 20*time.Second, 10*time.Millisecond, "%q in %q", want, s.text())
	}
	typed := func(keys string) {
		// What is typed while the editor waits for the terminal to say where the
		// cursor is, the editor drops: wait until it is still.
		for last := -1; last != len(s.text()); time.Sleep(300 * time.Millisecond) {
			last = len(s.text())
		}
		_, err := tty.Write([]byte(keys))
		require.NoError(t, err)
	}
	expect("user@limpet:/workspace$ ")
	typed("echo one$((1+1))\r")
	expect("one2\n")
	expect("$ ")
	typed("echo begun; sleep 1000\r")
	expect("begun\n")
	typed("\x03")
	expect("$ ")
	typed("echo status=$?\r")
	expect("status=130\n")
	expect("$ ")
	typed("trap 'echo trapped' INT; while [ ! \"$x\" ]; do echo turn; read x; done\r")
	expect("\nturn\n")
	typed("input\r")
	expect("$ ")
	typed("echo x=$x; touch abc.txt\r")
	expect("x=input\n")
	expect("$ ")
	typed("ls -l ab\t")
	expect("abc.txt")
	typed("\r")
	expect("abc.txt\n")
	expect("$ ")
	typed("if true; then\r")
	expect("then")
	typed("echo inner; fi\r")
	expect("inner\n")
	expect("$ ")
	typed("\x04")
	expect("exit\n")
	require.NoError(t, cmd.Wait())
	kept, err := os.ReadFile(history)
	require.NoError(t, err)
	require.Contains(t, string(kept), "sleep 1000")
}
