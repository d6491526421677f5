package limpet_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/limpet-sh/limpet"
	"github.com/limpet-sh/limpet/limits"
	"github.com/stretchr/testify/require"
)

// A record is what a watch was told, in words.
type record struct {
	mu    sync.Mutex
	lines []string
}

func (r *record) event(_ context.Context, e *limpet.Event) {
	line := e.Kind.String()
	switch {
	case e.Command != nil:
		line += fmt.Sprintf(": %v %q", e.Command.Kind, e.Command.Args)
	case e.File != nil:
		line += ": " + e.File.Name
	case e.Request != nil:
		line += fmt.Sprintf(": %s %s", e.Request.Method, e.Request.URL)
	case e.Script != "":
		line += ": " + e.Script
	}
	if e.Kind == limpet.CommandEnded || e.Kind == limpet.ExecutionEnded {
		line += fmt.Sprint(" = ", e.Status)
	}
	if e.Err != nil {
		line += fmt.Sprint(" (", e.Err, ")")
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.lines = append(r.lines, line)
}

func (r *record) String() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return strings.Join(r.lines, "\n")
}

// started returns the commands that were started.
func (r *record) started() (list []string) {
	for line := range strings.Lines(r.String()) {
		if what, ok := strings.CutPrefix(strings.TrimSuffix(line, "\n"), "command started: "); ok {
			list = append(list, what)
		}
	}
	return list
}

func TestEvents(t *testing.T) {
	var r record
	sh := newShell(t, limpet.Config{Watch: limpet.Watch{Event: r.event}})
	execute(t, sh, `f() { local x=1; }; f a; echo b > out; false`)
	require.Equal(t, strings.TrimSpace(`
execution started: f() { local x=1; }; f a; echo b > out; false
command started: function ["f" "a"]
command started: builtin ["local" "x=1"]
command ended: builtin ["local" "x=1"] = 0
command ended: function ["f" "a"] = 0
command started: builtin ["echo" "b"]
file opened: /workspace/out
command ended: builtin ["echo" "b"] = 0
command started: builtin ["false"]
command ended: builtin ["false"] = 1
execution ended = 1`), r.String())
}

// Every way to run a command is an event.
func TestEveryCommandIsAnEvent(t *testing.T) {
	for script, want := range map[string]string{
		`ls`:                             `program ["ls"]`,
		`\ls; 'l's`:                      `program ["ls"]|program ["ls"]`,
		`x=ls; $x -a`:                    `program ["ls" "-a"]`,
		`eval 'ls -l'`:                   `builtin ["eval" "ls -l"]|program ["ls" "-l"]`,
		`command ls`:                     `builtin ["command" "ls"]|program ["ls"]`,
		`command -p ls`:                  `builtin ["command" "-p" "ls"]|program ["ls"]`,
		`builtin echo x`:                 `builtin ["builtin" "echo" "x"]|builtin ["echo" "x"]`,
		`exec ls`:                        `builtin ["exec" "ls"]|program ["ls"]`,
		`(ls)`:                           `program ["ls"]`,
		`x=$(ls)`:                        `program ["ls"]`,
		`ls & wait`:                      `program ["ls"]|builtin ["wait"]`,
		`trap ls EXIT`:                   `builtin ["trap" "ls" "EXIT"]|program ["ls"]`,
		`bash -c 'ls'`:                   `program ["bash" "-c" "ls"]|program ["ls"]`,
		`echo x | xargs rm`:              `program ["rm" "x"]`,
		`find /workspace -exec ls {} \;`: `program ["find" "/workspace" "-exec" "ls" "{}" ";"]|program ["ls" "/workspace"]`,
		`awk 'BEGIN { system("ls") }'`:   `program ["ls"]`,
		`env ls`:                         `program ["env" "ls"]|program ["ls"]`,
		`timeout 5 ls`:                   `program ["timeout" "5" "ls"]|program ["ls"]`,
		`echo ls > s; . ./s`:             `builtin ["." "./s"]|program ["ls"]`,
		`printf '#!/bin/bash\nls' > s; chmod +x s; ./s`: `program ["./s"]|program ["ls"]`,
		`export A=1; declare -i B=2; let C=3`:           `builtin ["export" "A=1"]|builtin ["declare" "-i" "B=2"]|builtin ["let" "C=3"]`,
		`nosuch -x`:                                     `program ["nosuch" "-x"]`,
		`cat <(ls) > /dev/null`:                         `program ["ls"]`,
		`coproc ls; wait`:                               `program ["ls"]`,
		`mapfile -C 'ls #' -c 1 a <<< x`:                `program ["ls"]`,
		`PROMPT_COMMAND=ls; [ a = a ]`:                  `builtin ["[" "a" "=" "a" "]"]`,
	} {
		var r record
		sh := newShell(t, limpet.Config{Watch: limpet.Watch{Event: r.event}})
		execute(t, sh, script)
		got := r.started()
		for _, w := range strings.Split(want, "|") {
			require.Contains(t, got, w, script)
		}
	}
}

// A refused command has no effect, nor have its redirections.
func TestRefusal(t *testing.T) {
	var r record
	refuse := func(_ context.Context, c *limpet.CommandRun) error {
		if c.Args[0] == "rm" || c.Args[0] == "printf" {
			return errors.New("not here")
		}
		return nil
	}
	for script, want := range map[string]string{
		`rm f`:                          "bash: line 1: rm: refused: not here",
		`printf x > f`:                  "bash: line 1: printf: refused: not here",
		`command rm f`:                  "bash: line 1: rm: refused: not here",
		`exec rm f; true`:               "bash: line 1: rm: refused: not here",
		`echo f | xargs rm; (exit 126)`: "rm: refused: not here",
		`eval 'r''m f'`:                 "bash: line 1: rm: refused: not here",
		`bash -c 'rm f'`:                "bash: line 1: rm: refused: not here",
		`find . -name f -exec rm {} +; (exit 126)`: "rm: refused: not here",
	} {
		sh := newShell(t, limpet.Config{Watch: limpet.Watch{Event: r.event, Approve: refuse}})
		require.NoError(t, sh.WriteFile(t.Context(), "f", []byte("kept"), 0o644))
		res := execute(t, sh, script)
		require.Equal(t, 126, res.Status, script)
		require.Contains(t, string(res.Stderr), want, script)
		data, err := sh.ReadFile(t.Context(), "f")
		require.NoError(t, err, script)
		require.Equal(t, "kept", string(data), script)
	}
	require.Contains(t, r.String(), `command refused: program ["rm" "f"] (not here)`)
}

// A command that is held does not use up the time, and can be cancelled.
func TestHolding(t *testing.T) {
	held := make(chan struct{})
	hold := func(ctx context.Context, c *limpet.CommandRun) error {
		if c.Args[0] == "held" {
			close(held)
			<-ctx.Done()
			return ctx.Err()
		}
		if c.Args[0] == "slow" {
			time.Sleep(600 * time.Millisecond)
		}
		return nil
	}
	sh := newShell(t, limpet.Config{Limits: limits.Limits{Time: 300 * time.Millisecond}, Watch: limpet.Watch{Approve: hold}})
	res := execute(t, sh, `slow() { echo ran; }; slow; while :; do :; done`)
	require.Equal(t, "ran\n", string(res.Stdout))
	require.ErrorIs(t, res.Stopped, limits.ErrExceeded)

	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-held; cancel() }()
	res, err := sh.Exec(ctx, limpet.Request{Script: `held; echo no`})
	require.NoError(t, err)
	require.ErrorIs(t, res.Stopped, context.Canceled)
	require.Empty(t, string(res.Stdout))
}

func TestLimitsAndNetworkAreEvents(t *testing.T) {
	var r record
	sh := newShell(t, limpet.Config{Limits: limits.Limits{Steps: 10_000}, Watch: limpet.Watch{Event: r.event}})
	execute(t, sh, `while :; do :; done`)
	require.Contains(t, r.String(), "limit reached (steps limit of 10000 exceeded")
}

// A policy of commands and files sees through everything that scripts can hide
// behind.
func TestPoliciesSeeThroughSyntax(t *testing.T) {
	allowed := func(_ context.Context, c *limpet.CommandRun) error {
		if c.Args[0] == "rm" || c.Args[0] == "/bin/rm" {
			return errors.New("no rm")
		}
		return nil
	}
	for _, script := range []string{
		`ls; rm x`, `ls $(rm x)`, `echo $((a[$(rm x)]))`, `echo ${y:-$(rm x)}`, `echo > x`, "`rm x`", `ls <(rm x)`, "cat <<E\n$(rm x)\nE\n",
		`eval rm x`, `r\m x`, `"r"m x`, `y=rm; $y x`, `command rm x`, `shopt -s expand_aliases
			alias ls='rm x'
			ls`, `ls() { rm x; }; ls`, `echo x | xargs rm`, `find . -name x -exec rm {} \;`, `awk 'BEGIN { system("rm x") }'`,
		`sed 'w x' <<< a`, `trap 'rm x' EXIT`, `echo 'rm x' > /tmp/f; BASH_ENV=/tmp/f bash -c :`, `tee x < /dev/null`,
		`{ echo; } > x`, `> x`, `exec 3> x`, `exec 3< x; echo a > /dev/fd/3`, `cp /dev/null x`, `bash -c '/bin/rm x'`, `coproc rm x; wait`, `rm x &
			wait`, `a='b[$(rm x)]'; ((a))`, `: ${y:=$(rm x)}`, `dd if=/dev/null of=x`, `awk 'BEGIN { print "a" > "x" }'`, `sort -o x /dev/null`, `sed -i d x`,
	} {
		var mu sync.Mutex
		refused := 0
		watch := limpet.Watch{
			Approve: allowed,
			ApproveFile: func(_ context.Context, f *limpet.FileOpening) error {
				if f.Name == "/workspace/x" || f.Name == "/workspace/./x" || strings.HasPrefix(f.Name, "/workspace/sed") {
					return errors.New("not this file")
				}
				return nil
			},
			Event: func(_ context.Context, e *limpet.Event) {
				mu.Lock()
				defer mu.Unlock()
				if e.Kind == limpet.CommandRefused || e.Kind == limpet.FileRefused {
					refused++
				}
			},
		}
		sh := newShell(t, limpet.Config{Watch: watch})
		require.NoError(t, sh.WriteFile(t.Context(), "x", []byte("kept"), 0o644))
		execute(t, sh, script)
		data, err := sh.ReadFile(t.Context(), "x")
		require.NoError(t, err, script)
		require.Equal(t, "kept", string(data), script)
		require.Positive(t, refused, script)
	}
}

// Every way to change a file is asked for, and does nothing where it is refused.
func TestApproveChanges(t *testing.T) {
	for script, want := range map[string]string{
		`rm f`: "remove", `mv f g`: "rename", `mkdir g`: "mkdir", `mkdir -p g/h`: "mkdir", `rmdir d`: "remove", `rm -r d`: "remove", `chmod 600 f`: "chmod",
		`ln f g`: "link", `ln -s f g`: "symlink", `mkfifo g`: "mknod", `touch -d @5 f`: "chtimes", `touch g`: "", `unlink f`: "remove", `find . -name f -delete`: "remove",
		`install -d g`: "mkdir", `cp -l f g`: "link", `truncate -s 1 f`: "", `gzip f`: "", `sed -i p f`: "", `mktemp -d -p .`: "mkdir", `tar -xf t`: "mkdir",
	} {
		var asked []string
		sh := newShell(t, limpet.Config{})
		execute(t, sh, `echo kept > f; mkdir d x; tar -cf t x; rmdir x`)
		before := string(execute(t, sh, `ls -lR --time-style=+%s; cat f`).Stdout)
		watched := newShell(t, limpet.Config{Files: sh.Files(), Watch: limpet.Watch{ApproveFile: func(_ context.Context, f *limpet.FileOpening) error {
			asked = append(asked, string(f.Action))
			return errors.New("no")
		}}})
		res := execute(t, watched, script)
		require.NotZero(t, res.Status, script)
		require.Contains(t, asked, want, script)
		require.Equal(t, before, string(execute(t, sh, `ls -lR --time-style=+%s; cat f`).Stdout), script)
	}
}
