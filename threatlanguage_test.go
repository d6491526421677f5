package limpet_test

// languageThreats are those that are after what Bash itself offers.
var languageThreats = []threat{
	{"TM-parse-001", `eval "$(printf '(%.0s' {1..100000})"; echo on`, []string{`stderr: unexpected EOF`, `stdout: on
`}},
	{"TM-parse-002", `eval "$(printf '$(%.0s' {1..60000})"; echo on`, []string{`stderr: nesting too deep`}},
	{"TM-parse-003", `eval "$(printf '{ %.0s' {1..60000})"; echo on`, []string{`stderr: nesting too deep`}},
	{"TM-parse-004", `eval "$(printf 'if %.0s' {1..60000})"; echo on`, []string{`stderr: nesting too deep`}},
	{"TM-parse-005", `eval "echo $(printf '${x:-%.0s' {1..30000})"; echo on`, []string{`stderr: nesting too deep`}},
	{"TM-parse-006", `eval "[[ $(printf '( %.0s' {1..60000})"; echo on`, []string{`stderr: nesting too deep`}},
	{"TM-parse-007", `eval "$(printf 'f() { %.0s' {1..60000})"; echo on`, []string{`stderr: nesting too deep`}},
	{"TM-parse-008", `eval "echo $(printf '$((a[%.0s' {1..20000})"; echo on`, []string{`stderr: nesting too deep`}},
	{"TM-parse-009", `yes : | head -c 2M > s; . ./s`, []string{`stopped: script`}},
	{"TM-parse-010", `x=$(printf ':;%.0s' {1..300000}); while :; do x="$x;$x"; eval "$x"; done`, []string{`stopped: script`}},
	{"TM-parse-011", `eval "$(printf ': && %.0s' {1..50000}) echo end"`, []string{`stdout: end
`}},
	{"TM-parse-012", `cat <<E
text`, []string{`stdout: text
`, `stderr: here-document`}},
	{"TM-parse-013", `printf 'echo a\377b' > s; bash s | od -An -c`, []string{`stdout:    a 377   b  \n
`}},
	{"TM-parse-014", `shopt -s expand_aliases
alias a='a b'
alias b='a'
a`, []string{`stderr: a: command not found`}},
	{"TM-stack-001", `f() { f; }; f`, []string{`stopped: depth`}},
	{"TM-stack-002", `e='eval "$e"'; eval "$e"`, []string{`stopped: depth`}},
	{"TM-stack-003", `echo '. ./s' > s; . ./s`, []string{`stopped: depth`}},
	{"TM-stack-004", `echo 'bash ./s' > s; bash ./s`, []string{`stopped: depth`}},
	{"TM-stack-005", `f() { x=$(f); }; f`, []string{`stopped: depth jobs memory`}},
	{"TM-stack-006", `f() { (f); }; f`, []string{`stopped: depth memory jobs`}},
	{"TM-stack-007", `a=b; b=a; echo $((a)); echo on`, []string{`stderr: expression recursion level exceeded`}},
	{"TM-stack-008", `x=$(printf '(%.0s' {1..100000}); echo $(($x)); echo on`, []string{`stderr: expression recursion level exceeded`, `status: 1`}},
	{"TM-stack-009", `x=$(printf -- '- %.0s' {1..100000}); echo $(($x 1)); echo on`, []string{`stderr: expression recursion level exceeded`, `status: 1`}},
	{"TM-stack-010", `declare -n a=b b=a; echo ${a}; echo on`, []string{`stderr: circular name reference`, `stdout: 
on
`}},
	{"TM-stack-011", `trap 'kill -USR1 $$' USR1; kill -USR1 $$; exit 4`, []string{`status: 4`}},
	{"TM-stack-012", `trap 'exit 3' EXIT; exit 2`, []string{`status: 3`}},
	{"TM-stack-013", `trap 'false' ERR; trap ':' DEBUG; false; echo on`, []string{`stdout: on
`}},
	{"TM-stack-014", `command_not_found_handle() { nosuch; }; nosuch`, []string{`stopped: depth memory jobs`}},
	{"TM-stack-015", `echo 'echo x | xargs ./s' > s; chmod +x s; ./s`, []string{`stopped: depth memory jobs`}},
	{"TM-stack-016", `awk 'function f(x) { return f(x) } BEGIN { f(1) }'`, []string{`fails`}},
	{"TM-stack-017", `jq -n 'def f: f | f; f'`, []string{`stopped: depth memory time steps`}},
	{"TM-stack-018", `printf '[%.0s' {1..100000} | jq .; echo on`, []string{`stderr: depth`, `stdout: on
`}},
	{"TM-stack-019", `grep -E "$(printf '(%.0s' {1..20000})" <<< x; echo on`, []string{`stdout: on
`}},
	{"TM-stack-020", `shopt -s extglob; p=$(printf '@(%.0s' {1..50000}); [[ x == $p ]]; echo on`, []string{`stdout: on
`}},
	{"TM-stack-021", `x='${x@P}${x@P}'; echo "${x@P}"`, []string{`stopped: depth`}},
	{"TM-stack-022", `eval "echo $(printf '{%.0s' {1..100000})a,b"; eval "echo $(printf '{a,%.0s' {1..20000})b$(printf '}%.0s' {1..20000})"; echo on`, []string{`stderr: brace expansion: nesting too deep`}},
	{"TM-stack-023", `x=$(printf '$(%.0s' {1..100000}); compgen -W "$x" > /dev/null; declare -A a; a[$x]=1; unset "a[$x]"; echo on`, []string{`stdout: on
`}},
	{"TM-name-001", `: > -rf; mkdir d; ls -- -rf; rm -- *; ls`, []string{`stdout: -rf
d
`, `stderr: Is a directory`}},
	{"TM-name-002", `: > $'a\nb'; cat $'a\nb' nosuch$'\n'x`, []string{`stderr: 'nosuch'$'\n''x'`}},
	{"TM-name-003", `cat $'\e[2Jx'`, []string{`stderr: $'\033'`}},
	{"TM-name-004", `: > 'a b'; find . -name 'a*' -print0 | xargs -0 -n 1 echo`, []string{`stdout: ./a b
`}},
	{"TM-name-005", `env 'BASH_FUNC_x%%=() { :; }; echo BROKEN' bash -c 'x; echo on'`, []string{`never: BROKEN`}},
	{"TM-name-006", `env 'a b=1' 'x[$(echo BROKEN)]=1' bash -c 'echo on'`, []string{`stdout: on
`, `never: BROKEN`}},
	{"TM-name-007", `x='a[$(echo ran >&2)0]'; echo $((x))`, []string{`stderr: ran`}},
	{"TM-name-008", `printf 'echo FOOLED' > ls; chmod +x ls; ls`, []string{`never: FOOLED`, `stdout: ls
`}},
	{"TM-terminal-001", `printf '\e]0;x\a'`, []string{"stdout: \x1b]0;x\x07"}},
	{"TM-terminal-002", `[ -t 0 ] || [ -t 1 ] || echo no`, []string{`stdout: no
`}},
	{"TM-terminal-003", `echo 'limpet: memory limit of 1 bytes exceeded' >&2`, []string{`status: 0`}},
	{"TM-terminal-004", `exit 137`, []string{`status: 137`}},
	{"TM-terminal-005", `exit 99999`, []string{`status: 159`}},
}
