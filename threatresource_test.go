package limpet_test

// resourceThreats are those that are after resources.
var resourceThreats = []threat{
	{"TM-memory-001", `x=x; while :; do x=$x$x; done`, []string{`stopped: memory`}},
	{"TM-memory-002", `while :; do x+=xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx; done`, []string{`stopped: memory`}},
	{"TM-memory-003", `#small
while :; do a+=(xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx{1..9}); done`, []string{`stopped: memory`}},
	{"TM-memory-004", `declare -A m; while :; do m[$((i++))]=xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx; done`, []string{`stopped: memory`}},
	{"TM-memory-005", `a[9223372036854775807]=1; echo ${#a[@]}`, []string{`stdout: 1
`}},
	{"TM-memory-006", `set -- x; while :; do set -- "$@" "$@"; done`, []string{`stopped: memory`}},
	{"TM-memory-007", `#small
x=({1..1000}{1..1000}{1..1000})`, []string{`stopped: memory`}},
	{"TM-memory-008", `x=$(printf %0100000d 0); y=${x//0/$x}`, []string{`stopped: memory`}},
	{"TM-memory-009", `printf %2000000000d 1 > /dev/null`, []string{`stopped: memory output`}},
	{"TM-memory-010", `x=$(printf %0999999d {1..200})`, []string{`stopped: memory`}},
	{"TM-memory-011", `x=$(head -c 8M /dev/zero | tr '\0' x); cat <<E > /dev/null
$x$x$x$x$x$x
E`, []string{`stopped: memory`}},
	{"TM-memory-012", `x=$(cat /dev/zero | tr '\0' x)`, []string{`stopped: memory`}},
	{"TM-memory-013", `mapfile a < <(yes)`, []string{`stopped: memory`}},
	{"TM-memory-014", `read -r x < <(cat /dev/zero | tr '\0' x)`, []string{`stopped: memory`}},
	{"TM-memory-015", `#small
x=$(yes | head -c 500000); set -- $x`, []string{`stopped: memory`}},
	{"TM-memory-016", `yes | sort`, []string{`stopped: memory`}},
	{"TM-memory-017", `awk 'BEGIN { while (1) a[i++] = "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" }'`, []string{`stopped: memory`}},
	{"TM-memory-018", `yes xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx | sed -n 'H'`, []string{`stopped: memory`}},
	{"TM-memory-019", `jq -n '[range(1e9)]'`, []string{`stopped: memory`}},
	{"TM-memory-020", `jq -n '"xxxxxxxxxx" * 1e9'`, []string{`stopped: memory`}},
	{"TM-memory-021", `sqlite3 :memory: 'select length(hex(zeroblob(400000000)))'`, []string{`fails`}},
	{"TM-memory-022", `yes | sleep 0.2; echo on`, []string{`stdout: on
`}},
	{"TM-memory-023", `#small
set -o history; HISTSIZE=-1; x=$(head -c 10000 /dev/zero | tr '\0' x); while :; do history -s $x$((i++)); done`, []string{`stopped: memory`}},
	{"TM-memory-024", `tr '\0' x < /dev/zero | while read -r l; do :; done`, []string{`stopped: memory`}},
	{"TM-memory-025", `yes xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx | tail -n 100000000`, []string{`stopped: memory`}},
	{"TM-memory-026", `#small
while :; do alias a$((i++))=xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx; done`, []string{`stopped: memory`}},
	{"TM-memory-027", `#small
while :; do eval "f$((i++)) () { :; }"; done`, []string{`stopped: memory`}},
	{"TM-memory-028", `#small
x=$(head -c 100000 /dev/zero | tr '\0' x); while :; do pushd -n $x; done > /dev/null`, []string{`stopped: memory`}},
	{"TM-memory-029", `x=$(yes | head -c 4M); /usr/bin/printf '%s' $x $x $x > /dev/null`, []string{`stopped: memory`}},
	{"TM-memory-030", `#small
while :; do hash -p /bin/ls y$((i++)); done`, []string{`stopped: memory`}},
	{"TM-memory-031", `#small
while :; do complete -W x y$((i++)); done`, []string{`stopped: memory`}},
	{"TM-memory-032", `#small
x=$(head -c 300K /dev/zero | tr '\0' x); for s in USR1 USR2 HUP INT TERM ALRM WINCH PIPE QUIT; do trap "$x" $s; done`, []string{`stopped: memory`}},
	{"TM-memory-033", `history -r /dev/zero`, []string{`stopped: memory script`}},
	{"TM-memory-034", `sqlite3 :memory: "select length(readfile('/dev/zero'))"; git init -q r; cd r; ln -sf /dev/zero .git/HEAD; git status; git hash-object /dev/zero; git apply /dev/zero; echo on`, []string{`never: CANARYVALUE`}},
	{"TM-memory-035", `x=$(head -c 1M /dev/zero | tr '\0' x); eval ": $(printf '"${x}%d" ' {1..100})"`, []string{`stopped: memory`}},
	{"TM-memory-036", `x=$(head -c 1M /dev/zero | tr '\0' x); f() { f "${1}x"; }; f "$x"`, []string{`stopped: memory`}},
	{"TM-memory-037", `x=$(head -c 10M /dev/zero | tr '\0' x); for i in {1..30}; do : "$x$i" & done; wait`, []string{`stopped: memory`}},
	{"TM-memory-038", `x=$(head -c 1M /dev/zero | tr '\0' x); for i in {1..35}; do sleep 100 <<< "$x$i" & done; wait`, []string{`stopped: memory`}},
	{"TM-memory-039", `x=$(head -c 1M /dev/zero | tr '\0' x); while :; do set -- "$@" "$x$((i++))"; done`, []string{`stopped: memory`}},
	{"TM-memory-040", `x=$(head -c 1M /dev/zero | tr '\0' x); f() { case "$x$1" in x*) for i in "$x$1"; do f $(($1+1)); done; esac; }; f 1`, []string{`stopped: memory`}},
	{"TM-memory-041", `jq -n 'now | strftime("%1000000d" * 100) | length'; awk 'BEGIN { f = "%1000000d"; for (i = 0; i < 6; i++) f = f f; print length(strftime(f, 0)) }'`, []string{`stopped: memory`}},
	{"TM-memory-042", `x=$(head -c 8M /dev/zero | tr '\0' x); for i in {1..30}; do y=${x^^} z=${x@Q} & done; wait`, []string{`stopped: memory`}},
	{"TM-time-001", `while :; do :; done`, []string{`stopped: time`}},
	{"TM-time-002", `for ((;;)); do ((x++)); done`, []string{`stopped: time`}},
	{"TM-time-003", `sleep 1000`, []string{`stopped: time`}},
	{"TM-time-004", `mkfifo f; read x < f`, []string{`stopped: time`}},
	{"TM-time-005", `sleep 1000 & wait`, []string{`stopped: time`}},
	{"TM-time-006", `shopt -s extglob; x=aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab; [[ $x == +(+(+(a))) ]]; echo $?`, []string{`stdout: 1
`}},
	{"TM-time-007", `x=aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab; [[ $x =~ ^(a+)+$ ]]; echo $?`, []string{`stdout: 1
`}},
	{"TM-time-008", `grep -E '^(a*)*\1$' <<< aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab; echo $?`, []string{`stdout: 1
`}},
	{"TM-time-009", `grep -P '^(a+)+$' <<< aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab; echo $?`, []string{`stdout: 1
`}},
	{"TM-time-010", `x=$(head -c 4M /dev/zero | tr '\0' a); while [[ $x =~ (a|aa)*b ]] || :; do :; done`, []string{`stopped: time`}},
	{"TM-time-011", `sed ':a;ba' <<< x`, []string{`stopped: time`}},
	{"TM-time-012", `awk 'BEGIN { while (1) x++ }'`, []string{`stopped: time`}},
	{"TM-time-013", `jq -n 'last(repeat(1))'`, []string{`stopped: time`}},
	{"TM-time-014", `sqlite3 :memory: 'with recursive c(x) as (select 1 union all select x+1 from c) select count(*) from c'`, []string{`stopped: time`}},
	{"TM-time-015", `bc <<< '2^(2^30)'`, []string{`stderr: exponent too large`}},
	{"TM-time-016", `trap 'while :; do :; done' EXIT; exit`, []string{`stopped: time`}},
	{"TM-time-017", `timeout -s KILL 0.1 bash -c 'trap "" TERM INT; while :; do :; done'; echo $?`, []string{`stdout: 137
`}},
	{"TM-time-018", `#steps
while :; do :; done`, []string{`stopped: steps`}},
	{"TM-time-019", `#steps
seq 1000000000 > /dev/null`, []string{`stopped: steps`}},
	{"TM-time-020", `#steps
while :; do bash -c 'for i in {1..100}; do :; done'; echo x | xargs true; (:) & done`, []string{`stopped: steps`}},
	{"TM-time-021", `mkdir d; cd d; touch f{1..1000}; while :; do : *; done`, []string{`stopped: time`}},
	{"TM-time-022", `#silent
read x`, []string{`stopped: time`}},
	{"TM-time-023", `x=$(head -c 20000 /dev/zero | tr '\0' a); [[ $x == *a*a*a*a*a*a*a*a*a*b ]]; echo $?`, []string{`stdout: 1
`}},
	{"TM-time-024", `seq 1 20000 > a; seq 30000 50000 > b; diff a b | wc -l`, []string{`stdout: 40003
`}},
	{"TM-time-025", `x=$(head -c 1M /dev/zero | tr '\0' '\\'); while :; do y=${x@P}; done`, []string{`stopped: time`}},
	{"TM-time-026", `x=$(head -c 4M /dev/zero | tr '\0' "'"); while :; do y=${x@Q}; done`, []string{`stopped: time`}},
	{"TM-time-027", `x=$(head -c 4M /dev/zero | tr '\0' a); while :; do y=${x//a/b}; done`, []string{`stopped: time`}},
	{"TM-time-028", `x=$(seq 200000); while :; do compgen -W "$x"; done > /dev/null`, []string{`stopped: time`}},
	{"TM-output-001", `yes`, []string{`stopped: output`}},
	{"TM-output-002", `yes >&2`, []string{`stopped: output`}},
	{"TM-output-003", `yes & yes & wait`, []string{`stopped: output`}},
	{"TM-output-004", `exec 9>&1; yes >&9`, []string{`stopped: output`}},
	{"TM-output-005", `echo first; sleep 1000`, []string{`stopped: time`, `stdout: first
`}},
	{"TM-job-001", `:() { :|:& }; :; wait; echo done`, []string{`never: CANARYVALUE`}},
	{"TM-job-002", `f() { f | f; }; f`, []string{`stopped: jobs memory depth`}},
	{"TM-job-003", `while :; do sleep 1000 & done`, []string{`stopped: jobs`}},
	{"TM-job-004", `eval "echo x $(printf '| (sleep 1000) %.0s' {1..10000})"`, []string{`stopped: jobs`}},
	{"TM-job-005", `while :; do x=<(sleep 1000); done`, []string{`stopped: jobs open-files memory`}},
	{"TM-job-006", `while :; do coproc sleep 1000; done`, []string{`stopped: jobs open-files memory`}},
	{"TM-job-007", `sleep 1000 & echo started`, []string{`stdout: started
`}},
	{"TM-job-008", `nohup sleep 1000 > /dev/null 2>&1 & disown; echo started`, []string{`stdout: started
`}},
	{"TM-job-009", `read x < <(yes); echo $x`, []string{`stdout: y
`}},
	{"TM-job-010", `while exec {fd}< /dev/null; do ((n++)); done; echo end`, []string{`stderr: Too many open files|open-files`}},
	{"TM-file-001", `cat /dev/zero > a; cat /dev/zero > b; cat /dev/zero > c; echo end`, []string{`stderr: No space left on device|File too large`}},
	{"TM-file-002", `head -c 100M /dev/zero > f; echo end`, []string{`stderr: File too large|No space left`}},
	{"TM-file-003", `for i in {1..9999}; do : > f$i || break; done; echo end`, []string{`stderr: No space left on device|Disk quota`}},
	{"TM-file-004", `truncate -s 1E f; echo $?`, []string{`stderr: File too large`, `stdout: 1
`}},
	{"TM-file-005", `x=$(head -c 100000 /dev/zero | tr '\0' x); : > $x; echo end`, []string{`stderr: File name too long`, `stdout: end
`}},
	{"TM-file-006", `ln -s a b; ln -s b a; cat a`, []string{`stderr: Too many levels of symbolic links`}},
	{"TM-file-007", `mkdir -p a/b; mv a a/b; echo $?`, []string{`stderr: to a subdirectory of itself`, `stdout: 1
`}},
	{"TM-file-008", `: > f; : > f/g; echo end`, []string{`stderr: Not a directory`, `stdout: end
`}},
	{"TM-file-009", `echo x > f; exec 3< f; rm f; cat <&3`, []string{`stdout: x
`}},
	{"TM-file-010", `echo x > /etc/passwd; echo $?`, []string{`stderr: Permission denied`, `stdout: 1
`}},
	{"TM-file-011", `chown root /workspace; chmod u+s /usr/bin/ls; sudo id`, []string{`stderr: Operation not permitted`, `never: uid=0`}},
	{"TM-file-012", `d=d; for i in {1..200}; do mkdir $d; d=$d/d; done; find . | wc -l; rm -r d; ls | wc -l`, []string{`stdout: 201
0
`}},
	{"TM-file-013", `cat /dev/zero > /dev/null`, []string{`stopped: time`}},
	{"TM-file-014", `echo x > /dev/full`, []string{`stderr: No space left on device`}},
	{"TM-file-015", `dd if=/dev/zero of=/dev/null bs=1G count=1`, []string{`stopped: memory`}},
	{"TM-file-016", `cp /dev/zero f; echo end`, []string{`stdout: end
`}},
}
