package git_test

import (
	"context"
	"net/http"
	"net/http/cgi"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/limpet-sh/limpet"
	"github.com/limpet-sh/limpet/builtins/git"
	"github.com/limpet-sh/limpet/netpolicy"
	"github.com/stretchr/testify/require"
)

// host runs a script with the bash and git of the host.
func host(t *testing.T, dir, script string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "bash", "-ec", script)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "HOME="+dir, "GIT_CONFIG_NOSYSTEM=1",
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@x", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@x")
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s\n%s", script, out)
	return string(out)
}

// backend is git's own server, for the repositories in a directory.
func backend(t *testing.T, root string) http.Handler {
	t.Helper()
	path, err := exec.Command("git", "--exec-path").Output()
	require.NoError(t, err)
	return &cgi.Handler{
		Path: filepath.Join(strings.TrimSpace(string(path)), "git-http-backend"), Dir: root,
		Env: []string{"GIT_PROJECT_ROOT=" + root, "GIT_HTTP_EXPORT_ALL=1", "HOME=" + root, "REMOTE_USER=x"},
	}
}

// TestRemotes clones from, fetches from and pushes to git's own server.
func TestRemotes(t *testing.T) {
	root := t.TempDir()
	host(t, root, `git init -q --bare -b main repo.git; git -C repo.git config http.receivepack true
		git init -q -b main w; cd w; seq 1000 > numbers; mkdir d; echo deep > d/f; git add .; git commit -qm one
		for i in 2 3 4 5 6; do seq $i 1000 > numbers; git commit -qam "step $i"; done
		git tag v1; git tag -a v2 -m two; git branch side; git push -q ../repo.git main side v1 v2; git -C ../repo.git gc -q
		cd ..; git init -q --bare -b main empty.git; git -C empty.git config http.receivepack true`)
	srv := httptest.NewServer(backend(t, root))
	defer srv.Close()
	moved := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, srv.URL+r.URL.RequestURI(), http.StatusMovedPermanently)
	}))
	defer moved.Close()
	var ports []uint16
	for _, s := range []string{srv.URL, moved.URL} {
		u, err := url.Parse(s)
		require.NoError(t, err)
		n, err := strconv.ParseUint(u.Port(), 10, 16)
		require.NoError(t, err)
		ports = append(ports, uint16(n))
	}
	sh, err := limpet.New(limpet.Config{Network: netpolicy.Policy{Loopback: ports}, Extra: git.Commands(), Env: map[string]string{
		"U": srv.URL, "M": moved.URL, "GIT_AUTHOR_NAME": "b", "GIT_AUTHOR_EMAIL": "b@x", "GIT_COMMITTER_NAME": "b", "GIT_COMMITTER_EMAIL": "b@x",
	}})
	require.NoError(t, err)
	defer sh.Close()
	run := func(script string) string {
		t.Helper()
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		res, err := sh.Exec(ctx, limpet.Request{Script: script})
		require.NoError(t, err)
		return strings.ReplaceAll(string(res.Stdout)+string(res.Stderr), srv.URL, "URL")
	}

	require.Equal(t, "Cloning into 'repo'...\n", run(`git clone $U/repo.git`))
	require.Equal(t, "6\ndeep\n6\n## main...origin/main\nside\nv1\nv2\n",
		run(`cd repo; git log --oneline | wc -l; cat d/f; head -1 numbers; git status -sb; git branch -r | grep -o 'side$'; git tag`))
	require.Empty(t, run(`git clone -q -b side $M/repo.git other && cd other && git status -s && git rev-parse --abbrev-ref HEAD | grep -v side`))
	require.Contains(t, run(`git ls-remote $U/repo.git | cut -f2`), "refs/heads/side\n")

	out := run(`cd repo; echo new > file; git add file; git commit -qm two; git push`)
	require.Regexp(t, `^To URL/repo.git\n   [0-9a-f]{7}\.\.[0-9a-f]{7}  main -> main\n$`, out)
	require.Equal(t, "two\n", host(t, root, `git -C repo.git log -1 --format=%s main`))
	require.Equal(t, "Everything up-to-date\n", run(`cd repo; git push`))
	host(t, root, `git -C repo.git fsck --full --strict`)

	host(t, root, `cd w; git pull -q ../repo.git main; echo more > more; git add more; git commit -qm three; git push -q ../repo.git main main:topic`)
	out = run(`cd repo; git pull`)
	require.Contains(t, out, "From URL/repo\n")
	require.Contains(t, out, " * [new branch]      topic      -> origin/topic\n")
	require.Contains(t, out, "Fast-forward")
	require.Equal(t, "more\n", run(`cat repo/more`))
	require.Contains(t, run(`cd repo; git fsck 2>/dev/null; git log --oneline | wc -l`), "8\n")

	host(t, root, `cd w; git commit -q --amend -m forced; git push -qf ../repo.git main`)
	out = run(`cd repo; echo x > x; git add x; git commit -qm mine; git push; echo $?`)
	require.Contains(t, out, " ! [rejected]        main -> main (fetch first)\nerror: failed to push some refs to 'URL/repo.git'\n")
	out = run(`cd repo; git fetch; git push; git push -f; git push origin HEAD:refs/heads/made v1:refs/tags/v3; git push -q --delete origin topic`)
	require.Contains(t, out, "(forced update)\n")
	require.Contains(t, out, "(non-fast-forward)")
	require.Contains(t, out, " * [new branch]      HEAD -> made\n * [new tag]         v1 -> v3\n")
	require.Equal(t, "mine\n", host(t, root, `git -C repo.git log -1 --format=%s main`))
	require.NotContains(t, host(t, root, `git -C repo.git branch`), "topic")

	require.Contains(t, run(`git clone $U/empty.git e; cd e; git checkout -q -b main; echo 1 > a; git add a; git commit -qm first; git push -u origin main`), "branch 'main' set up to track 'origin/main'.\n")
	require.Equal(t, "first\n", host(t, root, `git -C empty.git log -1 --format=%s main`))
	host(t, root, `git -C repo.git fsck --full --strict; git -C empty.git fsck --full --strict`)

	for script, want := range map[string]string{
		`git clone $U/nosuch.git`:           "fatal: repository 'URL/nosuch.git/' not found\n",
		`git clone https://github.com/x/y`:  "fatal: unable to access 'https://github.com/x/y/': https://github.com/x/y/info/refs: denied by network policy: no rule allows github.com",
		`git clone file:///tmp/x`:           "fatal: transport 'file' not allowed\n",
		`git clone ssh://a/b`:               "fatal: transport 'ssh' not allowed\n",
		`git clone /tmp/x y`:                "fatal: transport 'file' not allowed\n",
		`git clone $U/repo.git repo`:        "fatal: destination path 'repo' already exists and is not an empty directory.\n",
		`cd repo; git push nosuch`:          "fatal: 'nosuch' does not appear to be a git repository\n",
		`ls -d nosuch y 2>&1`:               "No such file or directory",
		`cd repo; git fetch origin missing`: "fatal: couldn't find remote ref missing\n",
	} {
		require.Contains(t, run(script), want, script)
	}
}
