package koyeb_test

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/cgi"
	"net/http/httptest"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/limpet-sh/limpet"
	"github.com/limpet-sh/limpet/adapters/koyeb"
	"github.com/limpet-sh/limpet/adapters/koyeb/koyebtest"
	"github.com/limpet-sh/limpet/internal/calltest"
	"github.com/limpet-sh/limpet/netpolicy"
	"github.com/limpet-sh/limpet/netpolicy/proxy"
	"github.com/stretchr/testify/require"
)

const credential = "ghs_the-credential-0123456789"

// A source makes a new token each time.
type source struct{ made atomic.Int64 }

func (s *source) Token(context.Context) (netpolicy.Token, error) {
	s.made.Add(1)
	return netpolicy.Token{Value: credential, Expires: time.Now()}, nil
}

// public is an address that stands for all servers.
type public struct{}

func (public) LookupNetIP(context.Context, string, string) ([]netip.Addr, error) {
	return []netip.Addr{netip.MustParseAddr("140.82.112.3")}, nil
}

// github starts a server that has a repository, o/r, for those who have the credential,
// and its API; and returns a policy under which every name leads to it.
func github(t *testing.T) (netpolicy.Policy, *source) {
	root := t.TempDir()
	script := exec.Command("bash", "-ec", `git init -q --bare -b main o/r.git; git -C o/r.git config http.receivepack true
		git init -q -b main w; cd w; echo content > file; git add file; git commit -qm one; git push -q ../o/r.git main`)
	script.Dir = root
	script.Env = append(os.Environ(), "HOME="+root, "GIT_CONFIG_NOSYSTEM=1", "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@x", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@x")
	out, err := script.CombinedOutput()
	require.NoError(t, err, string(out))
	path, err := exec.Command("git", "--exec-path").Output()
	require.NoError(t, err)
	backend := &cgi.Handler{
		Path: filepath.Join(strings.TrimSpace(string(path)), "git-http-backend"), Dir: root,
		Env: []string{"GIT_PROJECT_ROOT=" + root, "GIT_HTTP_EXPORT_ALL=1", "HOME=" + root, "REMOTE_USER=x"},
	}
	srv := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, password, _ := r.BasicAuth()
		api := r.Header.Get("Authorization")
		switch {
		case r.Host == "github.com" && password == credential:
			backend.ServeHTTP(w, r)
		case r.Host == "github.com":
			w.Header().Set("WWW-Authenticate", "Basic")
			http.Error(w, "no", http.StatusUnauthorized)
		default:
			fmt.Fprintln(w, r.Host, r.URL.Path, api)
		}
	}))
	policy := netpolicy.All()
	policy.Roots = calltest.StartTLS(t, srv, "github.com", "api.github.com", "api.example.com")
	policy.Resolver = public{}
	policy.Dial = func(ctx context.Context, _ netip.AddrPort) (net.Conn, error) {
		var d net.Dialer
		return d.DialContext(ctx, "tcp", srv.Listener.Addr().String())
	}
	tokens := &source{}
	policy.Bindings = []netpolicy.Binding{
		netpolicy.GitHubBinding{Repositories: []string{"o/r"}, Write: true, Source: tokens},
		netpolicy.HeaderBinding{Host: "api.example.com", Name: "X-Key", Value: credential},
	}
	return policy, tokens
}

func TestProxy(t *testing.T) {
	policy, tokens := github(t)
	var mu sync.Mutex
	var log []string
	policy.Log = func(e netpolicy.Event) {
		mu.Lock()
		defer mu.Unlock()
		log = append(log, fmt.Sprint(e.Method, " ", e.URL, " ", e.Bound))
	}
	srv := &proxy.Server{}
	front := httptest.NewServer(srv)
	t.Cleanup(func() { front.CloseClientConnections(); front.Close() })
	s := serve(t, &koyebtest.Server{})
	cfg := config(t, s)
	cfg.Network = policy
	cfg.Env = map[string]string{"GIT_CONFIG_NOSYSTEM": "1", "GIT_TERMINAL_PROMPT": "0", "HOME": t.TempDir(), "GIT_AUTHOR_NAME": "b", "GIT_AUTHOR_EMAIL": "b@x", "GIT_COMMITTER_NAME": "b", "GIT_COMMITTER_EMAIL": "b@x"}
	_, err := koyeb.New(t.Context(), cfg)
	require.ErrorContains(t, err, "by a proxy that Koyeb can reach: set Proxy")
	for _, u := range []string{"", "proxy:3128", "http://user@proxy", "ftp://proxy", "http://proxy/path"} {
		cfg.Proxy = koyeb.Proxy{Server: srv, URL: u}
		_, err := koyeb.New(t.Context(), cfg)
		require.ErrorContains(t, err, "the address of the proxy")
	}
	cfg.Proxy = koyeb.Proxy{Server: srv, URL: front.URL}
	box, err := koyeb.New(t.Context(), cfg)
	require.NoError(t, err)
	var all strings.Builder
	run := func(script string) string {
		t.Helper()
		res, err := box.Exec(t.Context(), limpet.Request{Script: script})
		require.NoError(t, err)
		all.Write(res.Stdout)
		all.Write(res.Stderr)
		return string(res.Stdout) + string(res.Stderr)
	}
	hidden := strings.Repeat("*", len("Bearer "+credential))
	require.Equal(t, "api.github.com /repos/o/r "+hidden+"\n", run(`curl -sS https://api.github.com/repos/o/r`))
	require.Equal(t, "api.github.com /repos/o/other \n", run(`curl -sS https://api.github.com/repos/o/other`), "another repository")
	require.Equal(t, "content\n", run(`git clone -q https://github.com/o/r.git && cat r/file`))
	require.Empty(t, run(`cd r && echo more > file && git commit -qam two && git push -q`))
	require.Contains(t, run(`git clone -q https://github.com/o/other.git`), "terminal prompts disabled")
	require.Equal(t, "api.example.com / \n", run(`curl -sS https://api.example.com/`))
	require.Positive(t, tokens.made.Load())

	run(`env; cat /proc/self/environ; cat "$SSL_CERT_FILE"; cat "${SSL_CERT_FILE%/*}/setup"; cat r/.git/config`)
	require.NotContains(t, all.String(), credential)
	require.Contains(t, all.String(), "BEGIN CERTIFICATE")
	require.Equal(t, "600\n", run(`stat -c %a "${SSL_CERT_FILE%/*}/setup"`))
	where := strings.TrimSpace(run(`echo "${SSL_CERT_FILE%/*}"`))
	require.NoError(t, filepath.WalkDir(where, func(name string, d os.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			data, err := os.ReadFile(name)
			require.NoError(t, err)
			require.False(t, bytes.Contains(data, []byte(credential)), name)
		}
		return err
	}))
	mu.Lock()
	require.Contains(t, log, "GET https://api.github.com/repos/o/r true")
	require.NotContains(t, fmt.Sprint(log), credential)
	mu.Unlock()
	key := strings.TrimSpace(run(`echo "$https_proxy"`))
	require.NoError(t, box.Close())
	out, err := exec.Command("curl", "-s", "-o", os.DevNull, "-w", "%{http_connect}", "-x", key, "https://api.github.com/").Output()
	require.Error(t, err)
	require.Equal(t, "407", string(out), "the pass was taken back")
}

// Keys are renewed before their time is over.
func TestKeysAreRenewed(t *testing.T) {
	policy, _ := github(t)
	s := serve(t, &koyebtest.Server{})
	cfg := config(t, s)
	cfg.Network = policy
	cfg.Proxy = koyeb.Proxy{Server: &proxy.Server{}, URL: "https://proxy.example.com", Good: 20 * time.Millisecond}
	box, err := koyeb.New(t.Context(), cfg)
	require.NoError(t, err)
	seen := map[string]bool{}
	for range 3 {
		res, err := box.Exec(t.Context(), limpet.Request{Script: `echo "$https_proxy"`})
		require.NoError(t, err)
		require.Regexp(t, "^https://[A-Z0-9]+:[A-Z0-9]+@proxy.example.com\n$", string(res.Stdout))
		seen[string(res.Stdout)] = true
		time.Sleep(20 * time.Millisecond)
	}
	require.Len(t, seen, 3)
	require.NoError(t, box.Close())
}
