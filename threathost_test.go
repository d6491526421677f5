package limpet_test

// hostThreats are those that are after what is not the script's.
var hostThreats = []threat{
	{"TM-host-001", `cat CANARY`, []string{`stderr: No such file or directory`}},
	{"TM-host-002", `cat ../../../../../..CANARY`, []string{`stderr: No such file or directory`}},
	{"TM-host-003", `ln -s CANARY l; cat l`, []string{`stderr: No such file or directory`}},
	{"TM-host-004", `cat /proc/1/environ /proc/self/environ /proc/self/maps; ls /proc/self/root`, []string{`stderr: No such file or directory`, `never: CANARYVALUE`}},
	{"TM-host-005", `echo x > CANARY; mkdir -p $(dirname CANARY); echo x > CANARY`, []string{`never: CANARYVALUE`}},
	{"TM-host-006", `/usr/bin/python3 -c 1; /usr/bin/env uname -a`, []string{`stderr: not found|No such file`, `never: CANARYVALUE`}},
	{"TM-host-007", `printf '\177ELF\2\1' > x; chmod +x x; ./x; echo $?`, []string{`stdout: 126
`, `stderr: cannot execute binary file`}},
	{"TM-host-008", `printf '#!/usr/bin/python3\n' > x; chmod +x x; ./x`, []string{`stderr: required file not found|bad interpreter`}},
	{"TM-host-009", `awk 'BEGIN { system("cat CANARY") }'; sed '1e cat CANARY' <<< x; find . -exec cat CANARY \;; sqlite3 :memory: '.shell cat CANARY'`, []string{`stderr: No such file`, `never: CANARYVALUE`}},
	{"TM-host-010", `awk 'BEGIN { while ((getline l < "CANARY") > 0) print l }'; jq -n --slurpfile x CANARY '$x'; sqlite3 :memory: "attach 'CANARY' as c; select readfile('CANARY')"; sed 'r CANARY' <<< x; grep -f CANARY x; sort --files0-from=CANARY`, []string{`never: CANARYVALUE`}},
	{"TM-host-011", `enable -f CANARY x; LD_PRELOAD=CANARY ls; sqlite3 :memory: '.load CANARY'`, []string{`stderr: cannot open shared object`}},
	{"TM-network-001", `exec 3<> /dev/tcp/127.0.0.1/PORT && echo GET >&3`, []string{`stderr: denied by network policy`}},
	{"TM-network-002", `echo x > /dev/udp/127.0.0.1/PORT`, []string{`stderr: UDP is not`}},
	{"TM-network-003", `curl -s http://127.0.0.1:PORT/; wget -q http://127.0.0.1:PORT/; nc 127.0.0.1 PORT; true`, []string{`never: CANARYVALUE`}},
	{"TM-network-004", `exec 3<> /dev/tcp/localhost/PORT; exec 4<> /dev/tcp/0x7f000001/PORT; true`, []string{`stderr: denied by network policy`}},
	{"TM-network-005", `http_proxy=http://127.0.0.1:PORT https_proxy=$http_proxy curl -s http://example.com/; true`, []string{`never: CANARYVALUE`}},
	{"TM-network-006", `getent hosts x.127.0.0.1.nip.io; dig @127.0.0.1 -p PORT x; host x 127.0.0.1; ping -c 1 127.0.0.1; true`, []string{`never: CANARYVALUE`}},
	{"TM-network-007", `git clone http://127.0.0.1:PORT/x; true`, []string{`never: CANARYVALUE`}},
	{"TM-identity-001", `env; export -p; set; cat /proc/self/environ`, []string{`never: CANARYVALUE`}},
	{"TM-identity-002", `id -un; whoami; echo $UID $HOME`, []string{`stdout: user
user
1000 /home/user
`}},
	{"TM-identity-003", `hostname; echo $HOSTNAME; uname -n`, []string{`stdout: limpet
limpet
limpet
`}},
	{"TM-identity-004", `echo $$ $BASHPID`, []string{`stdout: 1000 1000
`}},
	{"TM-identity-005", `kill -9 HOSTPID; kill -9 1; echo $?`, []string{`stderr: No such process`, `stderr: Operation not permitted`, `stdout: 1
`}},
	{"TM-identity-006", `wc -l < /etc/passwd; getent passwd games | wc -l; echo ~games`, []string{`stdout: 3
0
~games
`}},
	{"TM-identity-007", `nproc; cat /proc/meminfo /proc/mounts 2> /dev/null | wc -l`, []string{`stdout: 1
0
`}},
	{"TM-identity-008", `pwd; pwd -P; echo $OLDPWD; ls -d /proc/self/cwd`, []string{`never: CANARYDIR`}},
	{"TM-identity-009", `kill -KILL $PPID; echo on`, []string{`stderr: No such process`, `stdout: on
`}},
	{"TM-identity-010", `echo $LANG $TERM; tty`, []string{`stdout: C.UTF-8 dumb
not a tty
`}},
	{"TM-clock-001", `#fixed
date +%s; echo $EPOCHSECONDS; printf '%(%s)T\n' -1; touch f; stat -c %Y f; awk 'BEGIN { print systime() }'; jq -n 'now|floor'; find . -newermt @1 | wc -l`, []string{`stdout: 1000000000
1000000000
1000000000
1000000000
1000000000
1000000000
2
`}},
	{"TM-clock-002", `#fixed
: > f; tar -cf - f | tar -tvf - | grep -c 2001; stat -c %W f; ls -l --time-style=+%s f | cut -d' ' -f6; git --version > /dev/null; ps -o lstart= -p $$ | wc -l`, []string{`stdout~: 1000000000`}},
	{"TM-clock-003", `#fixed
sleep 1000000; echo on`, []string{`stdout: on
`}},
	{"TM-clock-004", `date -d @99999999999999999999; date -d '99999999999 years'; echo on`, []string{`stderr: invalid date`, `stdout: on
`}},
	{"TM-random-001", `#fixed
head -c 4 /dev/urandom | od -An -tx1; shuf -i 1-100 -n 3 | tr '\n' ' '; mktemp -u; echo $SRANDOM; awk 'BEGIN { srand(); print rand() }'`, []string{`twice`}},
	{"TM-random-002", `#fixed
RANDOM=42; echo $RANDOM $RANDOM`, []string{`stdout: 17772 26794
`}},
	{"TM-random-003", `cat /dev/urandom > /dev/null`, []string{`stopped: time`}},
	{"TM-archive-001", `mkdir d; : > x; tar -cPf t.tar ../workspace/x /workspace/x; cd d; tar -xf ../t.tar; find . -type f | sort; ls ..`, []string{`stdout: ./workspace/x
d
t.tar
x
`}},
	{"TM-archive-002", `head -c 24M /dev/zero | gzip > b.gz; gunzip b.gz; ls`, []string{`stderr: No space left|File too large`}},
	{"TM-archive-003", `head -c 24M /dev/zero | gzip | gunzip | wc -c`, []string{`stdout: 25165824
`}},
	{"TM-archive-004", `ln -s /tmp l; tar -cf t.tar l; rm l; mkdir l; : > l/x; tar -rf t.tar l/x; rm -r l; tar -xf t.tar; ls /tmp`, []string{`never: x
`}},
	{"TM-archive-005", `echo data > f; tar -czf t.tgz f; head -c 20 t.tgz > u.tgz; tar -xzf u.tgz; echo $?`, []string{`stdout: 2
`}},
	{"TM-archive-006", `printf 'PK\3\4' > z.zip; head -c 100 /dev/zero >> z.zip; unzip z.zip; echo $?`, []string{`stderr: |*`}},
	{"TM-archive-007", `: > f; tar --owner=root -cf t.tar f; rm f; tar -xf t.tar; stat -c %U f`, []string{`stdout: user
`}},
	{"TM-engine-001", `awk 'BEGIN { print "x" > "CANARY" }'`, []string{`stderr: No such file or directory|Permission denied`}},
	{"TM-engine-002", `awk '{ $1000000000 = 1 }' <<< x`, []string{`stopped: memory`}},
	{"TM-engine-003", `dc <<< '1000000000k 2v p'`, []string{`stderr: number too large`}},
	{"TM-engine-004", `jq -n '[limit(1; range(1e18))]' -c`, []string{`stdout: [0]
`}},
	{"TM-engine-005", `printf 'a: &a [x,x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b,*b]\nd: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c,*c]\ne: &e [*d,*d,*d,*d,*d,*d,*d,*d,*d,*d]\nf: &f [*e,*e,*e,*e,*e,*e,*e,*e,*e,*e]\n' | yq -o json . | wc -c`, []string{`fails`}},
	{"TM-engine-006", `sed -E 's/(a{1000}){1000}/x/' <<< a; echo on`, []string{`stdout: on
`, `stderr: too big`}},
	{"TM-engine-007", `seq 1e400 1e400 | wc -c; printf '%d\n' 99999999999999999999; echo on`, []string{`stdout: 402
9223372036854775807
on
`}},
	{"TM-engine-008", `date +%n%n%q%; printf '%n%p\n'; echo on`, []string{`stderr: invalid`}},
	{"TM-engine-009", `sqlite3 CANARY 'create table t(x)'`, []string{`stderr: unable to open database`}},
	{"TM-engine-010", `head -c 1000 /dev/urandom | base64 -w0 | base64 -d | wc -c; printf '\377\376' | od -An -tx1`, []string{`stdout: 1000
 ff fe
`}},
	{"TM-engine-011", `head -c 100000 /dev/zero | tr '\0' 9 | jq . | wc -c`, []string{`stdout: 24
`}},
	{"TM-session-001", `#again
x=LEFT; f() { echo LEFT; }; trap 'echo LEFT' EXIT; alias g='echo LEFT'; exec 1>/dev/null`, []string{`then: echo ${x-}; f; g; true`, `never: LEFT`}},
	{"TM-session-002", `#again
cd /; mkdir /tmp/d; cd /tmp/d; rmdir /tmp/d`, []string{`then: pwd`, `stdout: /workspace
`}},
	{"TM-session-003", `#again
umask 777; ulimit -n 1; set -n`, []string{`then: umask; echo $-`, `stdout: 0022
hBc
`}},
	{"TM-session-004", `#again
x=x; while :; do x=$x$x; done`, []string{`then: echo again`, `stdout: again
`}},
	{"TM-session-005", `#again
readonly PATH HOME IFS`, []string{`then: PATH=x; echo ok`, `stdout: ok
`}},
	{"TM-session-006", `#other
mkdir -p ~/bin; echo LEFT > /workspace/f; echo LEFT > /tmp/f`, []string{`elsewhere: cat /workspace/f /tmp/f`, `never: LEFT`}},
	{"TM-session-007", `ulimit -v unlimited -n 99999; x=x; while :; do x=$x$x; done`, []string{`stopped: memory`}},
}
