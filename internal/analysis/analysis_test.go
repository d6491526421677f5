package analysis_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/limpet-sh/limpet/internal/analysis"
	"github.com/stretchr/testify/require"
)

// describe returns an analysis in words.
func describe(t *testing.T, script string) string {
	t.Helper()
	a, err := analysis.Of(script)
	require.NoError(t, err)
	var lines []string
	add := func(format string, args ...any) { lines = append(lines, fmt.Sprintf(format, args...)) }
	for _, c := range a.Commands {
		line := c.Name
		if line == "" {
			line = "?"
		}
		for _, w := range c.Args {
			if w.Known {
				line += fmt.Sprintf(" %q", w.Text)
			} else {
				line += " <" + w.Text + ">"
			}
		}
		if c.More {
			line += " ..."
		}
		if c.Via != "" {
			line += " by " + c.Via
		}
		if c.Function {
			line += " (function)"
		}
		add("%s", line)
	}
	for _, r := range a.Redirections {
		add("%s %s %v", r.Mode, r.Target.Text, r.Target.Known)
	}
	for _, n := range a.Network {
		add("network %s %s", n.Command, n.Target)
	}
	for _, o := range a.Opaque {
		add("opaque %v %s", o.Position, o.Reason)
	}
	return strings.Join(lines, "\n")
}

func TestWhatIsNamed(t *testing.T) {
	for script, want := range map[string]string{
		`rm -rf "/tmp/a b" $x`:              `rm "-rf" "/tmp/a b" <$x>`,
		`\rm f; 'r'm f; "rm" f; $'\x72m' f`: `rm "f"` + "\n" + `rm "f"` + "\n" + `rm "f"` + "\n" + `rm "f"`,
		"r\\\nm f":                          `rm "f"`,
		`ls *.go > out 2>> log < in`:        "ls <*.go>\nwrite out true\nappend log true\nread in true",
		`ls >& f; ls 2>&1; ls >| f`:         "ls\nls\nls\nwrite f true\nwrite f true",
		`a && b || c | d; ! e & wait`:       "a\nb\nc\nd\ne\nwait",
		`if a; then b; elif c; then d; else e; fi; while f; do g; done; case $(h) in x) i;; esac`: "a\nb\nc\nd\ne\nf\ng\nh\ni",
		`for x in $(a); do b; done; select y in z; do c; done; for ((i = $(d); ; )); do e; done`:  "a\nb\nc\nd\ne",
		`(a; { b; }); x=$(c) y=` + "`d`" + ` e "$(f)"`:                                            "a\nb\nc\nd\ne <\"$(f)\">\nf",
		`cat <(a) > >(b)`:                                          "b\ncat <<(a)>\na\nwrite >(b) false",
		"cat <<E\n$(a) `b`\nE\n":                                   "a\nb\ncat",
		"cat <<'E'\n$(a)\nE\n":                                     "cat",
		`cat <<< "$(a)"`:                                           "a\ncat",
		`coproc a; coproc N { b; }`:                                "a\nb",
		`trap 'rm f' EXIT; trap - INT`:                             `trap "rm f" "EXIT"` + "\n" + `rm "f" by trap` + "\n" + `trap "-" "INT"`,
		`ls() { rm f; }; ls; command ls`:                           "rm \"f\"\nls (function)\ncommand \"ls\"\nls by command (function)",
		`bash -c 'rm f; eval "ls x"' a`:                            `bash "-c" "rm f; eval \"ls x\"" "a"` + "\n" + `rm "f" by bash` + "\n" + `eval "ls x" by bash` + "\n" + `ls "x" by eval`,
		`/bin/sh -ec 'rm f'`:                                       `/bin/sh "-ec" "rm f"` + "\n" + `rm "f" by sh`,
		"bash <<'E'\nrm f\nE\n":                                    "bash\nrm \"f\" by bash",
		`bash <<< 'rm f'`:                                          "bash\nrm \"f\" by bash",
		`echo a | xargs -n 1 rm -f`:                                "echo \"a\"\nxargs \"-n\" \"1\" \"rm\" \"-f\"\nrm \"-f\" ... by xargs",
		`find . -name x -exec rm {} \; -o -execdir sh -c 'ls' ';'`: `find "." "-name" "x" "-exec" <{}> ";" "-o" "-execdir" "sh" "-c" "ls" ";"`,
		`env -u A B=1 timeout -k 1 5 nice -n 3 rm f`:               "env \"-u\" \"A\" \"B=1\" \"timeout\" \"-k\" \"1\" \"5\" \"nice\" \"-n\" \"3\" \"rm\" \"f\"",
		`command -v ls; builtin cd /; exec -a x ls`:                "command \"-v\" \"ls\"\nbuiltin \"cd\" \"/\"\ncd \"/\" by builtin\nexec \"-a\" \"x\" \"ls\"\nls by exec",
		`a | xargs -n 1`:                                           "a\nxargs \"-n\" \"1\"\necho ... by xargs",
		`readonly r='x y' s; declare -i n+=2`:                      "readonly \"r=x y\" \"s\"\ndeclare \"-i\" \"n+=2\"",
		`export A=1 B=$(c)`:                                        "export \"A=1\" <B=$(c)>",
		`curl -s https://a.b/c; exec 3<> /dev/tcp/h/80`:            "network curl https://a.b/c",
		`sed -n 's/a/b/gp; 3,4d' f; awk '{ print $1 }' f`:          "sed \"-n\" \"s/a/b/gp; 3,4d\" \"f\"",
		`[ -f x ] && [[ $(a) == b ]]`:                              "[ \"-f\" \"x\" \"]\"\na",
		`echo "${x:-$(a)}" "${y:-'$(b)'}" ${z/$(c)/$(d)} ${v:$(e):1} ${w[$(f)]}`: "a\nb\nc\nd\ne\nf",
		`echo $(( $(a) + x[$(b)] )); (( c[$(d)]++ )); [[ $(e) -eq 1 ]]`:          "a\nb\nd\ne",
	} {
		got := describe(t, script)
		for _, line := range strings.Split(want, "\n") {
			line, _, _ = strings.Cut(line, " <")
			require.Contains(t, got, line, "%s\n%s", script, got)
		}
		if !strings.Contains(script, "x[") && !strings.Contains(script, "/dev/tcp") && !strings.Contains(script, "${w[") {
			require.NotContains(t, got, "opaque", script)
		}
	}
}

// What a script might do beyond what is named is opaque.
func TestWhatIsOpaque(t *testing.T) {
	for script, want := range map[string]string{
		`$cmd f`:                           "name of a command is computed",
		`"$cmd" f`:                         "name of a command is computed",
		`x=rm; $x f`:                       "name of a command is computed",
		`r{m,} f`:                          "name of a command is computed",
		`/bin/r* f`:                        "name of a command is computed",
		`~/x`:                              "name of a command is computed",
		`$(echo rm) f`:                     "name of a command is computed",
		`eval "$x"`:                        "eval of text that is computed",
		`eval echo \$x *`:                  "eval of text that is computed",
		`. ./f`:                            "commands of the file ./f",
		`source "$f"`:                      "commands of the file",
		`./s a`:                            "what the file ./s does",
		`bash -c "$x"`:                     "script of bash -c is computed",
		`bash $x`:                          "arguments of bash are computed",
		`bash f`:                           "commands of the file f",
		`cat f | bash`:                     "standard input of bash",
		"bash <<E\n$x\nE\n":                "standard input of bash",
		`alias ls='rm -rf'`:                "alias",
		`BASH_ALIASES[ls]=rm`:              "aliases",
		`shopt -s expand_aliases`:          "aliases",
		`trap "$x" EXIT`:                   "trap of text that is computed",
		`PATH=/x:$PATH ls`:                 "PATH",
		`export BASH_ENV=f`:                "a file that bash runs first",
		`PROMPT_COMMAND='rm f'`:            "commands that a shell runs",
		`PS4='$(rm f)'; set -x`:            "a trace may run",
		`hash -p /x ls`:                    "hash can say",
		`enable -n test`:                   "enable changes",
		`xargs -I X X < f`:                 "name of a command is computed",
		`xargs -I {} sh -c '{}'`:           "script of sh -c is computed",
		`xargs bash -c < f`:                "script of bash -c is computed",
		`find . -exec {} \;`:               "name of a command is computed",
		`find . $x`:                        "argument of find is computed",
		`env --split-string="rm f"`:        "option that is not known",
		`awk 'BEGIN { system("rm f") }'`:   "may run commands",
		`awk 'BEGIN { print > "f" }'`:      "may run commands",
		`awk 'BEGIN { "rm f" | getline }'`: "may run commands",
		`awk -f p`:                         "may run commands",
		`sed 's/x/rm f/e' f`:               "may run commands",
		`sed '1e rm f'`:                    "may run commands",
		`sed 's/x/y/w f'`:                  "may run commands",
		`sed -f p`:                         "may run commands",
		`x='a[$(rm f)]'; ((x))`:            "evaluated as an expression",
		`x='a[$(rm f)]'; [[ x -eq 1 ]]`:    "evaluated as an expression",
		`x='a[$(rm f)]'; echo ${!x}`:       "evaluated as an expression",
		`x='a[$(rm f)]'; declare -i y=x`:   "evaluated as an expression",
		`read x; echo $((x))`:              "evaluated as an expression",
		`x=$(cat f); echo ${a[x]}`:         "evaluated as an expression",
		`printf -v "$x" y`:                 "name of a variable is computed",
		`printf "$x" y`:                    "format of printf is computed",
		`printf '%s %n' y "$x"`:            "name of a variable is computed",
		`printf '%*d%n' 3 4 "$x"`:          "name of a variable is computed",
		`printf '%999999d%n' 1 x`:          "prints much",
		`read "$x"`:                        "name of a variable is computed",
		`declare "$x"`:                     "name of a variable is computed",
		`declare -n r=PATH; r=/x`:          "stands for another",
		`echo ${x@P}`:                      "prompt",
		`if then`:                          "syntax error",
		`mapfile -C "$x" a`:                "callback",
		`python3 -c 'x'`:                   "python3 runs a program",
		`git -c core.pager=x log`:          "git can run",
	} {
		got := describe(t, script)
		require.Contains(t, got, "opaque", script)
		require.Contains(t, got, want, "%s\n%s", script, got)
	}
}

// The commands that are named are found however they are hidden.
func TestNothingIsHidden(t *testing.T) {
	for _, script := range []string{
		`printf -v 'a[$(rm f)]' x`, `read 'a[$(rm f)]'`, `unset 'a[$(rm f)]'`, `test -v 'a[$(rm f)]'`, `[[ -v a[$(rm f)] ]]`,
		`let 'a[$(rm f)]=1'`, `declare 'a[$(rm f)]=1'`, `echo $((a['$(rm f)']))`, `mapfile -C 'rm f #' a`,
		`x=1 y=$(rm f)`, `echo "${x:='$(rm f)'}"`, `f() { rm f; }`, `time rm f`, `! rm f`, `{ rm f; } &`, "echo `echo \\`rm f\\``",
		`eval 'eval "rm f"'`, `trap 'trap "rm f" 0' 0`, `case x in $(rm f)) ;; esac`, `a=([$(rm f)]=1)`, `echo {a,$(rm f)}`,
		`exec > $(rm f)`, `nohup setsid stdbuf -oL rm f`, `if ! command -p rm f; then :; fi`, "rm f\n)\n", `!(rm f)`,
	} {
		got := describe(t, script)
		require.True(t, strings.Contains(got, `rm "f"`) || strings.Contains(got, "opaque"), "%s\n%s", script, got)
	}
}

// What is too large or too deep is refused, and long chains are not deep.
func TestBounds(t *testing.T) {
	_, err := analysis.Of(strings.Repeat(":;", 1<<20))
	require.ErrorIs(t, err, analysis.ErrTooLarge)
	require.Contains(t, describe(t, strings.Repeat("(", 500_000)), "opaque")
	a, err := analysis.Of(strings.Repeat("a&&", 300_000) + "b")
	require.NoError(t, err)
	require.Len(t, a.Commands, 300_001)
	_, err = analysis.Of("((" + strings.Repeat("1+", 400_000) + "1))")
	require.NoError(t, err)
	nested := "rm f"
	for range 60 {
		nested = "eval " + "command " + nested
	}
	require.Contains(t, describe(t, nested), "nested too deeply")
}

// FuzzAnalysis analyses any bytes: it neither panics nor says different things of
// the same script.
func FuzzAnalysis(f *testing.F) {
	f.Add(`x='a[$(rm f)]'; ((x)); bash -c "$y" <<< 'a'; find . -exec sed 's/[a/]/b/e' {} +`)
	f.Add("cat <<E | xargs -I{} sh -c '{}'\n$(a `b`)\nE\n")
	f.Fuzz(func(t *testing.T, script string) {
		a, err := analysis.Of(script)
		b, again := analysis.Of(script)
		require.Equal(t, err, again)
		require.Equal(t, a, b)
	})
}
