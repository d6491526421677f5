package limpet_test

import (
	"testing"

	"github.com/limpet-sh/limpet"
	"github.com/limpet-sh/limpet/limits"
	"github.com/stretchr/testify/require"
)

// TestQuotas lets scripts reach the bounds of their files. What they are told, and
// the statuses, are those of GNU's tools on a small tmpfs.
func TestQuotas(t *testing.T) {
	for _, c := range []struct {
		limits       limits.Limits
		script, want string
	}{
		{limits.Limits{Storage: 1 << 20}, `
			head -c 600000 /dev/zero > a; echo $?; cp a b; echo $?; mkdir d; cp -r a d/; echo $?
			echo x > c; echo $?; sed -n p a > c; echo $?; sort a > c; sed -i s/a/b/ a; tar cf a.tar a; echo $?; gzip -c a /dev/urandom > c; echo $?
			dd if=/dev/zero of=c status=none; echo $?; head -c 9 /dev/zero > c; echo $?; df -k . | awk 'NR == 2 { print $2, $4 }'
			exec 5<a; rm -r a b c d a.tar; df -k . | awk 'NR == 2 { print ($4 < 600) }'; exec 5<&-; df -k . | awk 'NR == 2 { print ($4 > 1000) }'
			head -c 900000 /dev/zero > a; echo $?; : > a; head -c 900000 /dev/zero > b; echo $?; mv b a; truncate -s 10M hole; echo $?`,
			`0
1
1
1
4
2
1
1
1
1024 0
1
1
0
0
0
! cp: error copying 'a' to 'b': No space left on device
! cp: error copying 'a' to 'd/a': No space left on device
! bash: line 3: echo: write error: No space left on device
! sed: couldn't write N items to stdout: No space left on device
! sort: write error: No space left on device
! sed: couldn't write N items to sedXXXXXX: No space left on device
! tar: a.tar: Cannot write: No space left on device
! tar: Error is not recoverable: exiting now
!
! gzip: stdout: No space left on device
! dd: error writing 'c': No space left on device
! head: write error: No space left on device
`},
		{limits.Limits{Files: 300}, `
			mkdir d; i=0; while : > d/$i; do ((i++)); done; touch x; mkdir y; ln d/0 l; ln -s a s; mkfifo p; cp d/0 c; mv d/0 z; echo $?
			rm d/1; : > n; echo $?; : > o; rm -rf d; : > o; echo $?`,
			`0
0
0
! bash: line 2: d/N: No space left on device
! touch: cannot touch 'x': No space left on device
! mkdir: cannot create directory ‘y’: No space left on device
! ln: failed to create hard link 'l': No space left on device
! ln: failed to create symbolic link 's': No space left on device
! mkfifo: cannot create fifo 'p': No space left on device
! cp: cannot create regular file 'c': No space left on device
! bash: line 3: o: No space left on device
`},
		{limits.Limits{FileSize: 1000}, `
			head -c 1000 /dev/zero > a; echo $?; echo x >> a; echo $?; truncate -s 1001 a; dd if=/dev/zero of=b bs=1 count=1 seek=1000 status=none; cp a b; echo $?; cat a a > c; stat -c %s a b c`,
			`0
1
0
1000
1000
1000
! bash: line 2: echo: write error: File too large
! truncate: failed to truncate 'a' at 1001 bytes: File too large
! dd: error writing 'b': File too large
! cat: write error: File too large
`},
		{limits.Limits{OpenFiles: 20}, `
			for ((i = 3; i < 100; i++)); do eval "exec $i< /dev/null" || break; done; echo $i; cat < /dev/null; exec {v}< /dev/null; exec 5<&-; cat < /dev/null; echo $?`,
			`20
0
! bash: line 2: /dev/null: Too many open files
! bash: line 2: /dev/null: Too many open files
! bash: line 2: /dev/null: Too many open files
`},
		{limits.Limits{OpenFiles: 8}, `
			touch f{100..250}; paste f*; echo $?; paste f{100..210} | wc -l`,
			`1
0
! paste: f227: Too many open files in system
`},
	} {
		sh := newShell(t, limpet.Config{Limits: c.limits})
		res := execute(t, sh, `: > /dev/shm/errs; { `+c.script+`; } 2> >(sed -E 's/sed[a-zA-Z0-9]{6}/sedXXXXXX/; s,d/[0-9]+:,d/N:,; s/[0-9]+ items/N items/; s/^/! /; s/^! $/!/' > /dev/shm/errs); wait $!; cat /dev/shm/errs`)
		require.NoError(t, res.Stopped)
		require.Equal(t, c.want, string(res.Stdout)+string(res.Stderr))
	}
}
