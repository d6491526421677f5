package git_test

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/limpet-sh/limpet"
	"github.com/limpet-sh/limpet/builtins/git"
	"github.com/limpet-sh/limpet/internal/calltest"
	"github.com/limpet-sh/limpet/netpolicy"
	"github.com/stretchr/testify/require"
)

const credential = "ghs_the-credential-0123456789"

// A public resolver has one address for every name.
type public struct{}

func (public) LookupNetIP(context.Context, string, string) ([]netip.Addr, error) {
	return []netip.Addr{netip.MustParseAddr("140.82.112.3")}, nil
}

// A world is a server that stands for github.com, its API and all others, whose
// repositories only those get who have the credential.
type world struct {
	root   string
	t      *testing.T
	srv    *httptest.Server
	policy func() netpolicy.Policy // makes a policy that allows them

	mu  sync.Mutex
	log []string
}

func newWorld(t *testing.T) *world {
	w := &world{t: t, root: t.TempDir()}
	host(t, w.root, `mkdir o; git init -q --bare -b main o/r.git; git -C o/r.git config http.receivepack true; cp -r o/r.git o/other.git
		git init -q -b main w; cd w; seq 1000 > numbers; git add .; git commit -qm one; git push -q ../o/r.git main; git push -q ../o/other.git main`)
	repositories := backend(t, w.root)
	w.srv = httptest.NewUnstartedServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		user, password, _ := r.BasicAuth()
		w.note("%s %s%s %s %v", r.Method, r.Host, r.URL.Path, user, r.Header["Authorization"] != nil)
		switch {
		case r.Host == "api.github.com":
			fmt.Fprintln(rw, r.Method, r.URL.Path, r.Header.Get("Authorization") == "Bearer "+credential, r.Header.Get("Authorization"))
		case r.Host == "github.com" && password == credential:
			repositories.ServeHTTP(rw, r)
		case r.Host == "github.com" && strings.HasPrefix(r.URL.Path, "/moved/"):
			http.Redirect(rw, r, "https://evil.example/o/r.git/"+strings.TrimPrefix(r.URL.RequestURI(), "/moved/r.git/"), http.StatusMovedPermanently)
		default:
			rw.Header().Set("WWW-Authenticate", `Basic realm="x"`)
			http.Error(rw, "no", http.StatusUnauthorized)
		}
	}))
	roots := calltest.StartTLS(t, w.srv, "github.com", "api.github.com", "evil.example")
	w.policy = func() netpolicy.Policy {
		p, err := netpolicy.Allow("github.com", "api.github.com", "evil.example")
		require.NoError(t, err)
		p.Roots, p.Resolver = roots, public{}
		p.Dial = func(ctx context.Context, _ netip.AddrPort) (net.Conn, error) {
			var d net.Dialer
			return d.DialContext(ctx, "tcp", w.srv.Listener.Addr().String())
		}
		p.Log = func(e netpolicy.Event) { w.note("event %+v", e) }
		return p
	}
	return w
}

func (w *world) note(format string, args ...any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.log = append(w.log, fmt.Sprintf(format, args...))
}

// shell runs scripts under the policy with a binding; it fails where the credential is
// in the output, and, at the end, where it is in a file.
func (w *world) shell(binding ...netpolicy.Binding) (run func(script string) string) {
	p := w.policy()
	p.Bindings = binding
	sh, err := limpet.New(limpet.Config{Network: p, Extra: git.Commands(), Env: map[string]string{
		"GIT_AUTHOR_NAME": "b", "GIT_AUTHOR_EMAIL": "b@x", "GIT_COMMITTER_NAME": "b", "GIT_COMMITTER_EMAIL": "b@x",
	}})
	require.NoError(w.t, err)
	w.t.Cleanup(func() {
		point, err := sh.Checkpoint()
		require.NoError(w.t, err)
		var saved bytes.Buffer
		require.NoError(w.t, point.Save(&saved, nil))
		require.NotContains(w.t, saved.String(), credential)
		w.mu.Lock()
		require.NotContains(w.t, strings.Join(w.log, "\n"), credential)
		w.mu.Unlock()
		require.NoError(w.t, sh.Close())
	})
	return func(script string) string {
		w.t.Helper()
		ctx, cancel := context.WithTimeout(w.t.Context(), time.Minute)
		defer cancel()
		res, err := sh.Exec(ctx, limpet.Request{Script: script})
		require.NoError(w.t, err)
		out := string(res.Stdout) + string(res.Stderr)
		require.NotContains(w.t, out, credential)
		return out
	}
}

// TestGitHub has git over HTTPS and the API, with a binding that may write.
func TestGitHub(t *testing.T) {
	w := newWorld(t)
	run := w.shell(netpolicy.GitHubBinding{Repositories: []string{"O/r"}, Write: true, Token: credential})
	require.Equal(t, "1000\nCloning into 'r'...\n", run(`git clone https://github.com/o/r.git; wc -l < r/numbers`))
	require.Regexp(t, `^To https://github.com/o/r.git\n   [0-9a-f]{7}\.\.[0-9a-f]{7}  main -> main\n$`, run(`cd r; echo x > x; git add x; git commit -qm two; git push`))
	require.Equal(t, "two\n", host(t, w.root, `git -C o/r.git log -1 --format=%s main`))
	host(t, w.root, `cd w; git pull -q ../o/r.git main; echo y > y; git add y; git commit -qm three; git push -q ../o/r.git main; git -C ../o/r.git fsck --full --strict`)
	require.Empty(t, run(`cd r; git fetch -q`))
	require.Equal(t, "three\n", run(`cd r; git pull -q; git log -1 --format=%s`))
	require.Equal(t, "https://github.com/o/r.git\n", run(`cd r; git config remote.origin.url; cat .git/config | grep -i auth`))
	require.Contains(t, run(`git clone https://github.com/o/other.git`), "fatal: could not read Username for 'https://github.com'")
	require.Contains(t, run(`git clone https://evil.example/o/r.git e`), "fatal: could not read Username for 'https://evil.example'")
	require.Contains(t, run(`git clone https://u:hunter2@evil.example/o/r.git e`), "fatal: Authentication failed for 'https://evil.example/o/r.git/'\n")
	require.Contains(t, run(`git clone https://github.com/moved/r.git m`), "fatal:", "a redirect to another host goes without it")
	require.Contains(t, run(`curl -sS https://api.github.com/repos/o/r/issues`), "GET /repos/o/r/issues true ***")
	require.Contains(t, run(`curl -sS -d x https://api.github.com/repos/o/r/issues`), "POST /repos/o/r/issues true ***")
	for _, path := range []string{"/repos/o/other", "/repos/o/r/../other", "/repos/o/other%2f..%2fr", "/repos/o", "/user", "/graphql", "/repos/o/r%2f..%2f..%2fo%2fother"} {
		require.Contains(t, run(`curl -sS --path-as-is https://api.github.com`+path+` || curl -sS https://api.github.com`+path), " false", path)
	}
	for _, line := range w.log {
		if strings.Contains(line, "evil.example") && !strings.Contains(line, "event") {
			require.True(t, strings.HasSuffix(line, " false") || strings.HasSuffix(line, " u true"), "evil.example got a header: %s", line)
		}
	}
	require.Contains(t, strings.Join(w.log, "\n"), "evil.example/o/r.git/info/refs")
}

// TestGitHubReads has a binding that may not write, and one for nothing.
func TestGitHubReads(t *testing.T) {
	w := newWorld(t)
	run := w.shell(netpolicy.GitHubBinding{AllRepositories: true, Token: credential})
	require.Equal(t, "1000\n", run(`git clone -q https://github.com/o/other.git; wc -l < other/numbers`))
	require.Contains(t, run(`cd other; git commit -q --allow-empty -m two; git push`), "fatal: could not read Username for 'https://github.com'")
	require.Equal(t, "one\n", host(t, w.root, `git -C o/other.git log -1 --format=%s main`))
	require.Contains(t, run(`curl -sS https://api.github.com/repos/o/r`), "GET /repos/o/r true")
	require.Contains(t, run(`curl -sS -X DELETE https://api.github.com/repos/o/r`), "DELETE /repos/o/r false")
	require.Contains(t, run(`curl -sS -X PATCH https://api.github.com/repos/o/r`), "PATCH /repos/o/r false")
	none := w.shell(netpolicy.GitHubBinding{Token: credential})
	require.Contains(t, none(`git clone https://github.com/o/r.git`), "fatal: could not read Username for 'https://github.com'")
}
