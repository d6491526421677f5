package tools_test

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/limpet-sh/limpet"
	"github.com/limpet-sh/limpet/limits"
	"github.com/limpet-sh/limpet/tools"
	"github.com/stretchr/testify/require"
)

func (b *box) bash(command string) map[string]any {
	b.Helper()
	return b.ok("bash", "command", command)
}

// A failing command, an exit, a time limit keep the directory; a subshell has its own.
func TestDirectoryStays(t *testing.T) {
	t.Parallel()
	everywhere(t, tools.Config{}, func(b *box) {
		t := b.T
		require.EqualValues(t, 1, b.bash("mkdir -p d/e && cd d && false")["returncode"])
		out := b.bash("pwd")
		require.Equal(t, "/workspace/d\n", out["stdout"])
		require.Equal(t, "/workspace/d", out["cwd"])
		require.EqualValues(t, 7, b.bash("cd e; exit 7")["returncode"])
		require.Equal(t, "/workspace/d/e\n", b.bash("(cd /); pwd")["stdout"])
		b.fails("bash", "command", "cd /tmp; sleep 1000", "timeout_seconds", 1)
		require.Equal(t, "/tmp\n", b.bash("pwd")["stdout"])
	})
}

func TestIndependentCommands(t *testing.T) {
	b := open(t, limpet.Config{}, tools.Config{Independent: true})
	b.bash("cd /tmp; x=1; echo kept > /workspace/f")
	require.Equal(t, "/workspace||kept\n", b.bash(`echo "$PWD|$x|$(cat f)"`)["stdout"])
}

// What a session keeps, and what belongs to one command.
func TestSessionState(t *testing.T) {
	b := open(t, limpet.Config{}, tools.Config{})
	out := b.bash(`trap "echo LEAK" EXIT; set -e; x=1; f(){ echo f; }; cd /tmp; export E=2; exit 42`)
	require.Equal(t, "LEAK\n", out["stdout"])
	require.EqualValues(t, 42, out["returncode"])
	out = b.bash(`echo "$? x=$x E=$E $PWD"; [[ $- != *e* ]] && echo plain; f; false; echo alive`)
	require.Equal(t, "0 x=1 E=2 /tmp\nplain\nf\nalive\n", out["stdout"])
	other, err := tools.New(b.Sandbox(), tools.Config{})
	require.NoError(t, err)
	defer other.Close()
	require.Equal(t, "|/workspace\n", (&box{t, other}).bash(`echo "$x$E|$PWD"`)["stdout"])
}

// The environment keeps programs from asking questions; standard input is empty.
func TestEnvironment(t *testing.T) {
	b := open(t, limpet.Config{Env: map[string]string{"LC_ALL": "de_DE"}}, tools.Config{Env: map[string]string{"OWN": "v"}})
	require.Equal(t, "true 1 1 dumb noninteractive cat cat -FX C.UTF-8 unset v\n",
		b.bash(`echo $CI $NONINTERACTIVE $NO_TTY $TERM $DEBIAN_FRONTEND $GIT_PAGER $PAGER $LESS $LC_CTYPE ${LC_ALL-unset} $OWN`)["stdout"])
	start := time.Now()
	require.Equal(t, "1 1\n", b.bash(`cat; read -p "y/n " a; r=$?; grep x; echo $r $? $(xargs)`)["stdout"])
	require.Less(t, time.Since(start), 30*time.Second)
	b.put("/home/user/.profile", "export PROFILE=read\n")
	fresh, err := tools.New(b.Sandbox(), tools.Config{})
	require.NoError(t, err)
	defer fresh.Close()
	require.Equal(t, "read\n", (&box{t, fresh}).bash("echo $PROFILE")["stdout"], "a login shell")
}

// Children in the background do not hold a call up, and are not heard of later.
func TestBackgroundChildren(t *testing.T) {
	t.Parallel()
	b := open(t, limpet.Config{}, tools.Config{})
	for command, want := range map[string]string{
		"(while :; do echo tick >&2; sleep 0.05; done) & sleep 0.2; echo done": "done\n",
		"exec > >(cat) 2>&1; echo x; sleep 0.2":                                "x\n",
		"sleep 1000 & echo started":                                            "started\n",
	} {
		start := time.Now()
		out := b.bash(command)
		require.Equal(t, want, out["stdout"], command)
		require.EqualValues(t, 0, out["returncode"])
		require.Less(t, time.Since(start), 30*time.Second)
	}
	require.Equal(t, "", b.bash("sleep 0.1")["stdout"])
	require.Equal(t, "", b.bash("sleep 0.1")["stderr"])
}

// A timed-out call is an error that has the output until then, and has ended.
func TestTimeout(t *testing.T) {
	t.Parallel()
	b := open(t, limpet.Config{}, tools.Config{})
	start := time.Now()
	e := b.fails("bash", "command", "echo CRITICAL; echo warn >&2; echo x > before; sleep 1000; echo > after", "timeout_seconds", 1)
	require.Less(t, time.Since(start), 30*time.Second)
	require.Equal(t, true, e.Details["timed_out"])
	require.EqualValues(t, 124, e.Details["returncode"])
	require.Equal(t, "CRITICAL\n", e.Details["stdout"])
	require.Contains(t, e.Details["stderr"], "warn\n")
	require.Equal(t, "x\n", b.get("before"))
	require.Equal(t, "none\n", b.bash("test -e after || echo none")["stdout"])

	short := open(t, limpet.Config{Limits: limits.Limits{Time: time.Second}}, tools.Config{})
	for _, tool := range short.Tools() {
		if tool.Flat == "bash" {
			require.Contains(t, tool.Description, "The default time limit is 300 seconds, which is also the most that can be asked for; the sandbox itself ends a command after 1s")
		}
	}
	require.Equal(t, "Command timed out after 1s: 'sleep 9'", short.fails("bash", "command", "sleep 9").Message)
}

// Both ends of a long output are shown, what is left out is counted, and there for
// whoever asks.
func TestLongOutput(t *testing.T) {
	everywhere(t, tools.Config{}, func(b *box) {
		t := b.T
		const command = "seq 1 100000; echo LAST; seq 1 9000 >&2; exit 3"
		out := b.bash(command)
		all := b.sh("seq 1 100000; echo LAST") + "\n"
		require.EqualValues(t, 3, out["returncode"])
		require.Equal(t, true, out["was_truncated"])
		require.Equal(t, all[:16000], out["stdout"], "the head")
		rest := out["stdout_rest"].(map[string]any)
		require.EqualValues(t, len(all), rest["bytes"])
		require.EqualValues(t, 100001, rest["lines"])
		require.True(t, strings.HasSuffix(rest["tail"].(string), "100000\nLAST\n"))
		require.Equal(t, all, b.get(rest["path"].(string)))
		require.Equal(t, "700\n", b.bash("stat -c %a " + rest["path"].(string)[:strings.LastIndex(rest["path"].(string), "/")])["stdout"])
		require.Len(t, out["stderr"], 16000, "the streams are cut apart")
		read := b.ok("read_file", "path", rest["path"], "offset", 100000)
		require.Equal(t, "LAST\n", read["content"])

		text := b.text("bash", "command", "seq 1 100000; echo LAST; exit 3")
		require.Less(t, len(text), 16000+400)
		require.Contains(t, text, "1\n2\n3\n")
		require.Contains(t, text, "\nLAST\n")
		require.Contains(t, text, "[exit status 3]")
		require.Regexp(t, `\[\d+ bytes, \d+ lines left out; all of it is in /tmp/limpet-session-`, text)
		var bytes, lines int
		at := strings.Index(text, "[")
		_, err := fmt.Sscanf(text[at:], "[%d bytes, %d lines left out", &bytes, &lines)
		require.NoError(t, err)
		end := at + strings.Index(text[at:], "]\n") + 2
		shown := text[:at] + text[end:strings.Index(text, "[exit status")]
		require.Equal(t, len(all), bytes+len(shown)-extraNewline(text[:at], all))
	})
}

// extraNewline is 1 where the head was given one.
func extraNewline(head, all string) int {
	if strings.HasPrefix(all, head) {
		return 0
	}
	return 1
}

// A cut falls between characters wherever it is, and what is not text is kept.
func TestCutsBetweenCharacters(t *testing.T) {
	b := open(t, limpet.Config{}, tools.Config{})
	for pad := range 3 {
		out := b.bash(fmt.Sprintf("printf %%%ds; for ((i = 0; i < 20000; i++)); do printf €; done", pad))
		if pad == 0 {
			out = b.bash("for ((i = 0; i < 20000; i++)); do printf €; done")
		}
		text := out["stdout"].(string)
		require.NotContains(t, text, "\uFFFD")
		require.True(t, strings.HasSuffix(text, "€"))
		tail := out["stdout_rest"].(map[string]any)["tail"].(string)
		require.NotContains(t, tail, "\uFFFD")
		require.True(t, utf8.ValidString(tail))
		require.True(t, strings.HasPrefix(tail, "€"))
	}
	out := b.bash(`printf 'a\xff\xc3'`)
	require.Equal(t, "a\uFFFD\uFFFD", out["stdout"])
	require.Equal(t, true, out["invalid_utf8"])
	b.put("long", strings.Repeat("€", 30000))
	read := b.ok("read_file", "path", "long")
	require.Equal(t, true, read["was_truncated"])
	require.EqualValues(t, 51198, read["returned_bytes"])
	require.NotContains(t, read["content"], "\uFFFD")
}

// Large results go to a file of which the model is told; without one, both ends are shown.
func TestLargeResults(t *testing.T) {
	b := open(t, limpet.Config{}, tools.Config{ResultTokens: 1000, Session: "s"})
	b.put("big", strings.Repeat("0123456789\n", 1000))
	res := b.Call(t.Context(), tools.Call{Name: "read_file", ID: "a/b", Arguments: args("path", "big")})
	require.Nil(t, res.Error)
	require.NotNil(t, res.Shortened)
	require.Equal(t, "/tmp/limpet-session-s/tool-results/file_system.read_file-a%2Fb.json", res.Shortened.Path)
	var whole map[string]any
	require.NoError(t, json.Unmarshal([]byte(b.get(res.Shortened.Path)), &whole))
	require.Equal(t, b.get("big"), whole["content"])
	require.Contains(t, b.get(res.Shortened.Path), "\n  \"content\":", "it is written to be read")
	text := res.Text()
	for _, part := range []string{"<truncated-output>", "…", "<output-type>{ content: string; file_size_bytes: number;", "jq or grep", res.Shortened.Path} {
		require.Contains(t, text, part)
	}
	require.Equal(t, "11000\n", b.bash("jq .file_size_bytes " + res.Shortened.Path)["stdout"])

	full := open(t, limpet.Config{Limits: limits.Limits{Storage: 1 << 20}}, tools.Config{ResultTokens: 1000})
	full.put("big", strings.Repeat("x", 30000)+"END")
	full.bash("head -c 2000000 /dev/zero > fill")
	res = full.Call(t.Context(), tools.Call{Name: "read_file", Arguments: args("path", "big")})
	require.Empty(t, res.Shortened.Path)
	require.Contains(t, res.Text(), "bytes left out: no file can be written")
	require.Contains(t, res.Text(), "xEND")

	_, err := tools.New(limpet.None{}, tools.Config{ResultTokens: 25001})
	require.ErrorContains(t, err, "at most 25000")
}

// Statuses and messages reach the model.
func TestStatuses(t *testing.T) {
	b := open(t, limpet.Config{}, tools.Config{})
	for command, want := range map[string]string{
		"nosuchcmd":                     "127 bash: line 1: nosuchcmd: command not found\n",
		"exit 42":                       "42 ",
		"kill -9 $$":                    "137 ",
		"cat /nonexistent && echo ok":   "1 cat: /nonexistent: No such file or directory\n",
		"x=$(yes | head -c 300000000)x": "137 limpet: memory limit of",
	} {
		out := b.bash(command)
		require.True(t, strings.HasPrefix(fmt.Sprint(out["returncode"], " ", out["stderr"]), want), "%s: %v", command, out)
	}
	require.EqualValues(t, 2, b.bash("if")["returncode"])
	require.Contains(t, b.text("bash", "command", "x=$(yes | head -c 300000000)x"), "[stopped: memory limit of")
}

// The text of a command arrives as it is.
func TestCommandText(t *testing.T) {
	everywhere(t, tools.Config{}, func(b *box) {
		text := "!a | \"b\" $c \\ \\\\ `e` \t \u2028 😀 \r\n -x {} ;; & # ~ * ? [f] ^ %s"
		require.Equal(b.T, text, b.bash("printf %s '" + text + "'")["stdout"])
		long := strings.Repeat("0123456789abcde\n", 1<<16)
		require.Equal(b.T, fmt.Sprintln(len(long)), b.bash("wc -c << 'E'\n" + long + "E")["stdout"])
	})
}

// Edits change nothing but what they are about, whatever the file is written in.
func TestEditsAndEncodings(t *testing.T) {
	everywhere(t, tools.Config{}, func(b *box) {
		t := b.T
		edit := func(name, old, text string) {
			b.Helper()
			b.ok("edit", "file_path", name, "old_string", old, "new_string", text)
		}
		b.put("cp", "alpha\nbrand\x99\nz\n")
		edit("cp", "alpha", "ALPHA")
		require.Equal(t, "ALPHA\nbrand\x99\nz\n", b.get("cp"))
		read := b.ok("read_file", "path", "cp")
		require.Equal(t, "ALPHA\nbrand™\nz\n", read["content"])
		require.Equal(t, "cp1252", read["charset"])
		require.Contains(t, b.text("read_file", "path", "cp"), "[not UTF-8; shown as cp1252]")
		edit("cp", "brand™", "é")
		require.Equal(t, "ALPHA\n\xe9\nz\n", b.get("cp"))
		require.Contains(t, b.fails("edit", "file_path", "cp", "old_string", "z", "new_string", "日").Message, "characters that cp1252 does not have")
		b.put("latin", "a\x81b")
		require.Equal(t, "latin-1", b.ok("read_file", "path", "latin")["charset"])

		b.put("bom", "\xef\xbb\xbffirst\nsecond\n")
		require.Equal(t, "first\nsecond\n", b.ok("read_file", "path", "bom")["content"])
		edit("bom", "first\n", "FIRST\n")
		require.Equal(t, "\xef\xbb\xbfFIRST\nsecond\n", b.get("bom"))
		b.ok("write_file", "path", "bom", "content", "plain é\n")
		require.Equal(t, "plain é\n", b.get("bom"))

		b.put("u16", "\xff\xfea\x00\n\x00b\x00\n\x00")
		require.Equal(t, "a\nb\n", b.ok("read_file", "path", "u16")["content"])
		edit("u16", "b", "€")
		require.Equal(t, "\xff\xfea\x00\n\x00\xac\x20\n\x00", b.get("u16"))
		b.put("u32", "\x00\x00\xfe\xff\x00\x00\x00a\x00\x00\x00\n")
		require.Equal(t, "a\n", b.ok("read_file", "path", "u32")["content"])

		b.put("crlf", "one\r\ntwo\r\nthree\r\n")
		edit("crlf", "one\ntwo", "1\n2")
		require.Equal(t, "1\r\n2\r\nthree\r\n", b.get("crlf"))

		literal := "$1 $& $$ ${x} \\1 \\n & ! `tick` $(id)"
		b.put("price", "PRICE\nprint(\"a\\nb\")\n")
		edit("price", "PRICE", literal)
		edit("price", `print("a\nb")`, `print("a\\nb")`)
		require.Equal(t, literal+"\nprint(\"a\\\\nb\")\n", b.get("price"))
		b.ok("write_file", "path", "w", "content", literal)
		require.Equal(t, literal, b.get("w"))
		b.ok("apply_patch", "patch", "*** Begin Patch\n*** Update File: w\n-"+literal+"\n+x"+literal+"\n*** End Patch")
		require.Equal(t, "x"+literal, b.get("w"))
	})
}

// An edit that is not clear changes nothing, and says why.
func TestUnclearEdits(t *testing.T) {
	b := open(t, limpet.Config{}, tools.Config{})
	b.put("f", "x = 1\ny\nx = 1\nx = 1\n")
	b.sh("touch -d @1000000000 f; chmod 750 f")
	e := b.fails("edit", "file_path", "f", "old_string", "x = 1", "new_string", "z")
	require.Equal(t, []int{1, 3, 4}, e.Details["lines"])
	require.Equal(t, "1000000000", b.sh("stat -c %Y f"))
	b.ok("read_file", "path", "f")
	b.sh("echo more >> f")
	out := b.ok("edit", "file_path", "f", "old_string", "x = 1", "new_string", "a\nb", "replace_all", true)
	require.EqualValues(t, 6, out["lines_changed"])
	require.Equal(t, []any{"f has changed since it was last read"}, out["warnings"])
	require.Equal(t, "a\nb\ny\na\nb\na\nb\nmore\n", b.get("f"))
	require.Equal(t, "750", b.sh("stat -c %a f"), "the mode stays")
	res := b.Call(t.Context(), tools.Call{Name: "edit", Arguments: args("file_path", "f", "old_string", "y\n", "new_string", "Y\n")})
	meta, err := json.Marshal(res.Meta)
	require.NoError(t, err)
	require.JSONEq(t, `{"mistralai.vibe.sdk.search_replace":{"blocks":[{"old_start_line":3,"new_start_line":3,"old_lines":1,"new_lines":1}]}}`, string(meta))
	require.Equal(t, "", b.sh("ls -A | grep tmp || :"), "nothing is left behind")
}

func TestPatches(t *testing.T) {
	everywhere(t, tools.Config{}, func(b *box) {
		t := b.T
		b.put("twice", "a\nsame\nb\nsame\nc\n")
		b.put("crlf", "one\r\ntwo\r\nthree\r\n")
		b.put("far", strings.Repeat("filler\n", 50)+"old line\nend")
		b.put("gone", "x\n")
		b.put("bad\xff", "")
		fails := func(patch, text string) {
			b.Helper()
			require.Contains(t, b.fails("apply_patch", "patch", patch).Message, text)
		}
		fails("*** Begin Patch\n*** Update File: twice\n-same\n+other\n*** End Patch", "2 times, at lines 2, 4")
		b.ok("apply_patch", "patch", "*** Begin Patch\n*** Update File: twice\n@@ b\n-same\n+other\n*** End Patch")
		require.Equal(t, "a\nsame\nb\nother\nc\n", b.get("twice"))
		out := b.ok("apply_patch", "patch", "--- a/far\n+++ b/far\n@@ -11,2 +11,2 @@\n-old line\n+new line\n end\n\\ No newline at end of file\n")
		require.Equal(t, []any{"far: hunk 1 was found at line 51, +40 lines from where the patch has it"}, out["notes"])
		require.Equal(t, strings.Repeat("filler\n", 50)+"new line\nend", b.get("far"))
		b.ok("apply_patch", "patch", "*** Begin Patch\r\n*** Update File: far\r\n-new line\r\n+newer\r\n*** End Patch\r\n")
		require.Equal(t, strings.Repeat("filler\n", 50)+"newer\nend", b.get("far"), "no CR where the file has none")
		b.ok("apply_patch", "patch", "*** Begin Patch\n*** Update File: crlf\n one\n-two\n+2\n*** End Patch")
		require.Equal(t, "one\r\n2\r\nthree\r\n", b.get("crlf"))
		b.ok("apply_patch", "patch", "*** Begin Patch\n*** Update File: twice\n*** Move to: new dir/moved\n-a\n+A\n*** Delete File: gone\n*** Add File: deep/er/added\n+first\n+\n+third\n*** End Patch")
		require.Equal(t, "A\nsame\nb\nother\nc\n", b.get("new dir/moved"))
		require.Equal(t, "first\n\nthird\n", b.get("deep/er/added"))
		require.Equal(t, "gone twice", b.sh("for f in gone twice; do test -e $f || echo $f; done | xargs"))
		before := b.sh("find . -type f -exec md5sum {} + | sort")
		fails("*** Begin Patch\n*** Update File: crlf\n-one\n+1\n*** Update File: far\n-nothing like it\n+x\n*** End Patch", "its lines are not in the file")
		fails("*** Begin Patch\n*** Add File: ../out\n+x\n*** End Patch", "Path is outside the workspace: ../out")
		fails("*** Begin Patch\n*** Add File: /tmp/out\n+x\n*** End Patch", "Path must be relative")
		fails("*** Begin Patch\n*** Add File: crlf\n+x\n*** End Patch", "File already exists: crlf")
		fails("*** Begin Patch\n*** Update File: crlf\n-one\n+1\n", "*** End Patch is missing")
		fails("nonsense", "it names no file")
		require.Equal(t, before, b.sh("find . -type f -exec md5sum {} + | sort"))
	})
}

// Whatever a name leads to, there is an answer in a line.
func TestReadingOddFiles(t *testing.T) {
	b := open(t, limpet.Config{}, tools.Config{Roots: []string{"/"}})
	b.sh(`printf '\x89PNG\r\n\x1a\n\0\0' > p.png; { head -c 10000 /dev/zero | tr '\0' x; printf 'a\0b'; } > nul; : > empty; mkfifo fifo; mkdir d; seq 3000000 > huge; printf 'a\nb\nlast' > lines`)
	e := b.fails("read_file", "path", "p.png")
	require.Equal(t, "image/png", e.Details["mime_type"])
	require.EqualValues(t, 10, e.Details["file_size_bytes"])
	out := b.ok("read_file", "path", "p.png", "encoding", "base64")
	require.Equal(t, "image/png", out["mime_type"])
	data, err := base64.StdEncoding.DecodeString(out["content"].(string))
	require.NoError(t, err)
	require.Equal(t, "\x89PNG\r\n\x1a\n\x00\x00", string(data))
	require.Contains(t, b.ok("read_file", "path", "nul")["content"], "a\x00b")
	require.Equal(t, "[the file is empty]", b.text("read_file", "path", "empty"))
	for _, name := range []string{"/dev/zero", "/dev/urandom", "fifo"} {
		require.Equal(t, "Path is not a regular file: "+name, b.fails("read_file", "path", name).Message)
	}
	out = b.ok("read_file", "path", "huge", "limit", 2, "offset", 2_000_000)
	require.Equal(t, "2000001\n2000002\n", out["content"])
	require.Equal(t, true, out["was_truncated"])
	require.Equal(t, "3000000\n", b.ok("read_file", "path", "huge", "offset", -1)["content"])
	out = b.ok("read_file", "path", "lines", "offset", -1)
	require.Equal(t, "last", out["content"])
	require.EqualValues(t, 2, out["offset"])
	require.Equal(t, "[the file ends before line 9]", b.text("read_file", "path", "lines", "offset", 9))
	require.Contains(t, b.text("read_file", "path", "lines", "limit", 1), "lines 0 to 0, 2 of 8 bytes; read on with offset 1")
}

// An error is never taken for a search without matches, and what is skipped is counted.
func TestSearch(t *testing.T) {
	everywhere(t, tools.Config{}, func(b *box) {
		t := b.T
		b.sh(`git init -q . 2>/dev/null || mkdir .git; mkdir -p .github 'a b' src/deep; echo 'needle here' | tee .github/x.yml 'a b/q"uo.txt' src/deep/x.go ignored.log -- > src/-x; echo ignored.log > .gitignore; printf 'needle\0x' > bin; echo '-x flag' > flags`)
		require.Contains(t, b.fails("grep", "pattern", "(").Message, "regex")
		require.Equal(t, "Path does not exist: nope", b.fails("grep", "pattern", "x", "path", "nope").Message)
		require.Equal(t, "Empty search pattern provided.", b.fails("grep", "pattern", "").Message)
		out := b.ok("grep", "pattern", "needle")
		require.EqualValues(t, 3, out["match_count"])
		require.NotZero(t, out["files_skipped"])
		require.Contains(t, fmt.Sprint(out["notes"]), "inary file")
		require.Contains(t, b.text("grep", "pattern", "needle"), "hidden or ignored files skipped")
		require.EqualValues(t, 1, b.ok("grep", "pattern", "needle", "path", "ignored.log")["match_count"], "a file that is named is searched")
		require.EqualValues(t, 1, b.ok("grep", "pattern", "needle", "path", ".github/x.yml")["match_count"])
		require.EqualValues(t, 5, b.ok("grep", "pattern", "needle", "all", true)["match_count"])
		require.EqualValues(t, 1, b.ok("grep", "pattern", "-x")["match_count"])
		require.EqualValues(t, 1, b.ok("grep", "pattern", "NEEDLE", "ignore_case", true, "path", "a b")["match_count"])
		require.Contains(t, b.text("grep", "pattern", "nothing like it"), "[no matches]")
		require.Equal(t, "src/deep/x.go", b.ok("grep", "pattern", "needle", "glob", []string{"*.go"})["matches"].([]any)[0].(map[string]any)["path"])

		require.Equal(t, []any{"src/deep/x.go"}, b.ok("glob", "pattern", "**/*.{go,rs}")["files"])
		require.Equal(t, []any{".github/x.yml"}, b.ok("glob", "pattern", "**/*.yml")["files"])
		require.Equal(t, []any{"-x", "deep/x.go"}, b.ok("glob", "pattern", "**", "path", "src")["files"])
		require.Equal(t, "Path does not exist: nope", b.fails("glob", "pattern", "*", "path", "nope").Message)
		require.Contains(t, b.fails("glob", "pattern", "../*").Message, "not lead out")
		require.Contains(t, b.fails("glob", "pattern", "[").Message, "syntax error in pattern")
		require.Equal(t, "-x (12 bytes)\ndeep/", b.text("ls", "path", "src"))
	})
}

// Names are names, whatever is in them.
func TestNamesOfFiles(t *testing.T) {
	everywhere(t, tools.Config{}, func(b *box) {
		list := []string{"$(touch pwn).txt", "`id`.txt", `a'b"c`, "-rf", "a b", "*.txt", "new\nline", "a..b", strings.Repeat("é", 127)}
		for _, name := range list {
			b.ok("write_file", "path", name, "content", "of "+name)
			require.Equal(b.T, "of "+name, b.ok("read_file", "path", name)["content"])
			b.ok("edit", "file_path", name, "old_string", "of ", "new_string", "in ")
			require.Equal(b.T, "in "+name, b.get(b.Sandbox().Workspace()+"/"+name))
		}
		require.Len(b.T, b.ok("ls")["entries"], len(list))
	})
}

// Binary data goes through the tools as it is.
func TestBinaryData(t *testing.T) {
	b := open(t, limpet.Config{}, tools.Config{})
	data := make([]byte, 256)
	for i := range data {
		data[i] = byte(i)
	}
	b.put("all", string(data))
	b.bash("cp all a1; cat all > a2; base64 all | base64 -d > a3; tar c all | tar xO > a4; gzip -c all | gunzip > a5")
	for _, name := range []string{"a1", "a2", "a3", "a4", "a5"} {
		got, err := base64.StdEncoding.DecodeString(b.ok("read_file", "path", name, "encoding", "base64")["content"].(string))
		require.NoError(t, err)
		require.Equal(t, sha256.Sum256(data), sha256.Sum256(got), name)
	}
}

func TestCheckpoints(t *testing.T) {
	b := open(t, limpet.Config{}, tools.Config{})
	b.bash("echo 1 > f; x=1; mkdir d; cd d")
	id := b.ok("checkpoint")["checkpointId"]
	b.bash("echo 2 > ../f; x=2; cd /; echo > /workspace/new")
	out := b.ok("changes", "since", id, "diff", true)
	require.Len(t, out["changes"], 2)
	require.Contains(t, out["diff"], "-1\n+2\n")
	b.ok("restore", "checkpointId", id)
	require.Equal(t, "1 1 /workspace/d\n", b.bash("echo $(cat ../f) $x $PWD")["stdout"])
	tried := b.ok("fork", "command", "rm ../f; x=9; exit 4")
	require.EqualValues(t, 4, tried["returncode"])
	require.Equal(t, []any{map[string]any{"path": "/workspace/f", "change": "removed"}}, tried["changes"])
	require.Equal(t, "1 1\n", b.bash("echo $(cat ../f) $x")["stdout"])
	require.Equal(t, "Unknown checkpoint: checkpoint-9", b.fails("restore", "checkpointId", "checkpoint-9").Message)
	sh, err := limpet.New(limpet.Config{})
	require.NoError(t, err)
	require.Contains(t, wrap(t, remote{sh}, tools.Config{}).fails("checkpoint").Message, "it has no checkpoints")
}

// A process goes on from call to call; its output can be read again from any place.
func TestProcesses(t *testing.T) {
	b := open(t, limpet.Config{Background: true}, tools.Config{})
	start := b.ok("process.start", "command", "echo one; read x; echo \"got $x\"; read y; exit 3", "env", map[string]string{"A": "b"})
	id := start["processId"].(string)
	require.Regexp(t, `^process-[0-9a-f]{12}-[0-9a-f]{24}$`, id)
	require.Equal(t, id, b.ok("process.start", "command", "echo one; read x; echo \"got $x\"; read y; exit 3", "env", map[string]string{"A": "b"})["processId"], "a call that is repeated")
	require.Equal(t, "process_identity_conflict", b.fails("process.start", "command", "other").Code)
	out := b.ok("process.output", "processId", id, "waitMs", 30000)
	require.Equal(t, "one\n", out["output"])
	require.Nil(t, out["exitCode"])
	require.EqualValues(t, 6, b.ok("process.write", "processId", id, "text", "in €")["bytesWritten"])
	b.ok("process.write", "processId", id, "control", []string{"enter"})
	out = b.ok("process.output", "processId", id, "cursor", out["nextCursor"], "waitMs", 30000)
	require.Equal(t, "got in €\n", out["output"])
	require.Equal(t, "ot i", b.ok("process.output", "processId", id, "cursor", 5, "maxBytes", 4)["output"])
	require.Equal(t, "in ", b.ok("process.output", "processId", id, "cursor", 8, "maxBytes", 5)["output"], "not half a character")
	out = b.ok("process.output", "processId", id, "from", "end", "maxBytes", 4)
	require.Equal(t, "€\n", out["output"])
	require.Equal(t, out["bytesAvailable"], out["nextCursor"])
	e := b.fails("process.output", "processId", id, "cursor", 1000)
	require.Equal(t, "invalid_cursor", e.Code)
	require.Contains(t, e.Details, "bytesAvailable")
	b.ok("process.write", "processId", id, "control", []string{"ctrl_d"})
	require.Eventually(t, func() bool {
		return b.ok("process.list")["processes"].([]any)[0].(map[string]any)["status"] == "completed"
	}, 30*time.Second, time.Millisecond)
	require.EqualValues(t, 3, b.ok("process.stop", "processId", id)["exitCode"])
	require.Equal(t, "process_not_running", b.fails("process.write", "processId", id, "text", "x").Code)

	interrupted := b.Call(t.Context(), tools.Call{ID: "c2", Name: "process.start", Arguments: args("command", "trap 'echo INT; exit 5' INT; echo up; while :; do sleep 0.05; done")})
	var started map[string]any
	require.NoError(t, json.Unmarshal(interrupted.JSON(), &started))
	id = started["processId"].(string)
	b.ok("process.output", "processId", id, "waitMs", 30000)
	b.ok("process.write", "processId", id, "control", []string{"ctrl_c"})
	require.Equal(t, "INT\n", b.ok("process.output", "processId", id, "cursor", 3, "waitMs", 30000)["output"])

	off := open(t, limpet.Config{}, tools.Config{})
	require.Contains(t, off.fails("process.start", "command", "x").Message, "background processes are not available in this sandbox")
}

// Levels of access, tools that are switched off, approval.
func TestWhichTools(t *testing.T) {
	names := func(b *box) (list []string) {
		for _, tool := range b.Tools() {
			list = append(list, tool.Flat)
		}
		return list
	}
	require.NotContains(t, names(open(t, limpet.Config{Access: limpet.AccessFiles}, tools.Config{})), "bash")
	require.Contains(t, names(open(t, limpet.Config{Access: limpet.AccessFiles}, tools.Config{})), "edit")
	none := wrap(t, limpet.None{}, tools.Config{})
	require.Empty(t, names(none))
	require.Contains(t, none.fails("bash", "command", "x").Message, "give it a sandbox")
	b := open(t, limpet.Config{Background: true}, tools.Config{Disabled: []string{"process.*", "grep"}})
	require.NotContains(t, strings.Join(names(b), " "), "process")
	require.NotContains(t, names(b), "grep")
	require.Equal(t, "process.start is not available: it is switched off", b.fails("process.start", "command", "x").Message)
	_, err := tools.New(b.Sandbox(), tools.Config{Disabled: []string{"proces.*"}})
	require.ErrorContains(t, err, "matches no tool")

	var asked []string
	guarded := open(t, limpet.Config{}, tools.Config{Approve: func(_ context.Context, tool *tools.Tool, c tools.Call) error {
		asked = append(asked, tool.Name)
		if strings.Contains(string(c.Arguments), "rm") {
			return &tools.Error{Code: tools.CodeApproval, Message: "ask somebody"}
		}
		if strings.Contains(string(c.Arguments), "no") {
			return fmt.Errorf("because")
		}
		return nil
	}})
	guarded.ok("bash", "command", "echo")
	guarded.ok("ls")
	require.Equal(t, "approval_required", guarded.fails("bash", "command", "rm x").Code)
	e := guarded.fails("bash", "command", "no")
	require.Equal(t, "tool_denied", e.Code)
	require.Equal(t, "permission denied: file_system.bash", e.Message)
	require.Equal(t, []string{"file_system.bash", "file_system.bash", "file_system.bash"}, asked)
}

// A quota is one for all ways to write.
func TestOneBoundary(t *testing.T) {
	b := open(t, limpet.Config{Limits: limits.Limits{FileSize: 10_000}}, tools.Config{})
	big := strings.Repeat("x", 20_000)
	require.NotZero(t, b.bash("head -c 20000 /dev/zero > f")["returncode"])
	require.Contains(t, b.fails("write_file", "path", "f", "content", big).Message, "File too large")
	b.put("g", "seed")
	require.Contains(t, b.fails("edit", "file_path", "g", "old_string", "seed", "new_string", big).Message, "File too large")
	require.Contains(t, b.fails("apply_patch", "patch", "*** Begin Patch\n*** Add File: h\n+"+big+"\n*** End Patch").Message, "File too large")
	require.Equal(t, "seed", b.get("g"))
	require.Equal(t, "f g", b.sh("ls -A | xargs"), "nothing is left behind")
}
