package netpolicy

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestGrammarOfAllow(t *testing.T) {
	for entry, want := range map[string]string{
		"https://a.example": "a scheme is not allowed", "a.example/x": "a path is not allowed", "*.example": "wildcards", "*": "wildcards",
		"": "empty", ".example.com": "a suffix", "a.example:0": "port", "a.example:99999": "port", "a.example:": "no port", "a b": "want HOST",
		"u@a.example": "want HOST", "a..b": "not a valid name", "1.2.3.4.5": "not an IPv4", "[::1": "no ]", "fe80::1%lo": "zone",
		"::ffff:1.2.3.4": "IPv4-mapped", "a.example?x": "a path", "a.example#x": "a path", `a\b`: "want HOST",
	} {
		_, err := Allow("ok.example", entry)
		require.ErrorContains(t, err, want, entry)
	}
	p, err := Allow("API.example.com", "a.example:8443", "10.0.0.1", "[::1]:8443", "2001:db8::1", "bücher.example")
	require.NoError(t, err)
	require.Len(t, p.Rules, 6)
	g, err := p.Open()
	require.NoError(t, err)
	require.Equal(t, "https://[2001:db8::1]", g.rules[4].text)
	for _, r := range []Rule{
		{}, {Scheme: "ftp", Host: "a"}, {Scheme: "tcp", Host: "a"}, {Host: "a", Methods: []string{"get"}}, {Host: "a", Path: "x"},
		{Host: "a", Path: "/a/../b"}, {Host: "a", Path: "/%2f"}, {Host: ".1.2.3.4"}, {Host: "a", Rate: -1}, {CIDR: netip.MustParsePrefix("10.0.0.1/8")},
	} {
		_, err := Rules(r)
		require.Error(t, err, "%+v", r)
	}
}

func TestRulesOfAFile(t *testing.T) {
	env := func(name string) (string, bool) { return "value-of-" + name, name != "MISSING" }
	p, err := Parse([]byte(`{"allow": ["pypi.org"], "loopback": [8080], "rules": [{"host": ".example.com", "methods": ["GET"], "cidr": "10.0.0.0/8", "rate": 2.5}],
		"bindings": [{"host": "pypi.org", "header": "Authorization", "value": "Bearer {secret}", "env": "KEY"}]}`), env)
	require.NoError(t, err)
	require.Equal(t, HeaderBinding{Host: "pypi.org", Name: "Authorization", Value: "Bearer value-of-KEY"}, p.Bindings[0])
	require.Equal(t, Rule{Host: ".example.com", Methods: []string{"GET"}, CIDR: netip.MustParsePrefix("10.0.0.0/8"), Rate: 2.5}, p.Rules[1])
	for text, want := range map[string]string{
		`{"alow": []}`: "unknown field", `{} x`: "after the end", `[]`: "cannot unmarshal", `{"allow": ["*"]}`: "wildcards",
		`{"bindings": [{"host": "a", "header": "X", "env": "MISSING"}]}`: "is not set",
		`{"bindings": [{"host": "a", "github": {}, "env": "K"}]}`:        "want one of",
		`{"bindings": [{"host": "a", "header": "Host", "env": "KEY"}]}`:  "cannot be bound",
		`{"bindings": [{"host": "a", "header": "X Y", "env": "KEY"}]}`:   "not the name of a header",
	} {
		_, err := Parse([]byte(text), env)
		require.ErrorContains(t, err, want, text)
	}
}

func TestBindingsNeedTheirHost(t *testing.T) {
	p := Policy{Bindings: []Binding{HeaderBinding{Host: "api.example.com", Name: "X-Key", Value: "v"}}}
	_, err := p.Open()
	require.ErrorContains(t, err, "the network policy does not allow that host")
	p.Rules = []Rule{{Host: "api.example.com"}}
	_, err = p.Open()
	require.NoError(t, err)
}

func TestGitHubBindingIsForItsRepositories(t *testing.T) {
	read := GitHubBinding{Repositories: []string{"owner/name"}, Token: "t"}
	write := GitHubBinding{Repositories: []string{"owner/name"}, Token: "t", Write: true}
	require.Nil(t, GitHubBinding{Token: "t"}.hosts(), "no repository grants nothing")
	for request, want := range map[string][2]bool{ // whether read and write have the token
		"GET /owner/name.git/info/refs?service=git-upload-pack":                          {true, true},
		"GET /owner/name/info/refs?service=git-upload-pack":                              {true, true},
		"GET /OWNER/Name/info/refs?service=git-upload-pack":                              {true, true},
		"POST /owner/name.git/git-upload-pack":                                           {true, true},
		"GET /owner/name.git/info/refs?service=git-receive-pack":                         {false, true},
		"POST /owner/name.git/git-receive-pack":                                          {false, true},
		"GET /owner/name.git/git-receive-pack":                                           {false, false},
		"GET /owner/other.git/info/refs?service=git-upload-pack":                         {false, false},
		"GET /owner/name/../other/info/refs?service=git-upload-pack":                     {false, false},
		"GET /owner/name%2f..%2fother/info/refs?service=git-upload-pack":                 {false, false},
		"GET /owner/name.git/info/refs?service=git-upload-pack&service=git-receive-pack": {false, false},
		"GET /owner/name.git/info/refs":                                                  {false, false},
		"GET /owner/name":                                                                {false, false},
		"GET /":                                                                          {false, false},
	} {
		method, rest, _ := strings.Cut(request, " ")
		path, query, _ := strings.Cut(rest, "?")
		require.Equal(t, want, [2]bool{read.allowsGit(method, path, query), write.allowsGit(method, path, query)}, request)
	}
	for request, want := range map[string][2]bool{
		"GET /repos/owner/name":              {true, true},
		"GET /repos/owner/name/issues":       {true, true},
		"POST /repos/owner/name/issues":      {false, true},
		"DELETE /repos/owner/name":           {false, true},
		"GET /repos/owner/other":             {false, false},
		"GET /repos/owner/namesake":          {false, false},
		"GET /repos/owner/name/../other":     {false, false},
		"GET /repos/owner/name/%2e%2e/other": {false, false},
		"POST /graphql":                      {false, false},
		"GET /user":                          {false, false},
	} {
		method, path, _ := strings.Cut(request, " ")
		require.Equal(t, want, [2]bool{read.allowsAPI(method, path, ""), write.allowsAPI(method, path, "")}, request)
	}
}

// A counter is a source of tokens that last for an hour.
type counter struct {
	made int
	now  *time.Time
	err  error
}

func (c *counter) Token(context.Context) (Token, error) {
	c.made++
	return Token{Value: fmt.Sprintf("token-%d-abcdefgh", c.made), Expires: c.now.Add(time.Hour)}, c.err
}

func TestTokensAreRenewedBeforeTheyEnd(t *testing.T) {
	now := time.Now()
	source := &counter{now: &now}
	s := newSource(source)
	s.now = func() time.Time { return now }
	for _, step := range []struct {
		after time.Duration
		want  string
	}{{0, "token-1-abcdefgh"}, {58 * time.Minute, "token-1-abcdefgh"}, {time.Minute, "token-2-abcdefgh"}, {2 * time.Hour, "token-3-abcdefgh"}} {
		now = now.Add(step.after)
		got, err := s.get(t.Context())
		require.NoError(t, err)
		require.Equal(t, step.want, got)
	}
	source.err = errors.New("secret-in-an-error")
	now = now.Add(2 * time.Hour)
	_, err := s.get(t.Context())
	require.Error(t, err)
}

// bound opens a policy for a server of TLS that is example.com.
func boundAccess(t *testing.T, srv *httptest.Server, bind func(host string) []Binding, rule Rule) (*Access, string) {
	u, err := url.Parse(srv.URL)
	require.NoError(t, err)
	port, err := strconv.ParseUint(u.Port(), 10, 16)
	require.NoError(t, err)
	roots := x509.NewCertPool()
	roots.AddCert(srv.Certificate())
	host := fmt.Sprintf("example.com:%d", port)
	rule.Host, rule.Port, rule.CIDR = "example.com", uint16(port), netip.MustParsePrefix("127.0.0.1/32")
	p := Policy{Rules: []Rule{rule}, Roots: roots, Resolver: table{"example.com": {"127.0.0.1"}}, Bindings: bind(host)}
	g, err := p.Open()
	require.NoError(t, err)
	a := g.For(nil)
	t.Cleanup(a.Close)
	return a, "https://" + host
}

func TestBindingFuncAndSources(t *testing.T) {
	srv := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, strings.ToUpper(r.Header.Get("X-Key")+" "+r.Header.Get("Authorization")))
	}))
	defer srv.Close()
	now := time.Now()
	source := &counter{now: &now}
	var asked []string
	var failing error
	a, base := boundAccess(t, srv, func(host string) []Binding {
		return []Binding{
			BindingFunc(func(_ context.Context, host string) ([]HeaderBinding, error) {
				asked = append(asked, host)
				return []HeaderBinding{{Name: "X-Key", Value: "key-of-the-administrator"}}, failing
			}),
			HeaderBinding{Host: host, Name: "Authorization", Value: "Bearer {token}", Source: source},
		}
	}, Rule{})
	get := func() (string, error) {
		res, err := a.Client().Get(base)
		if err != nil {
			return "", err
		}
		defer res.Body.Close()
		body, err := io.ReadAll(res.Body)
		return string(body), err
	}
	body, err := get()
	require.NoError(t, err)
	require.Equal(t, "KEY-OF-THE-ADMINISTRATOR BEARER TOKEN-1-ABCDEFGH", body)
	require.Equal(t, []string{strings.TrimPrefix(base, "https://")}, asked)
	failing = errors.New("with a key-of-the-administrator in it")
	_, err = get()
	require.ErrorIs(t, err, errCredentials)
	require.NotContains(t, err.Error(), "administrator")
}

// TestRate has a rule pace requests, and refuse those beyond its count.
func TestRate(t *testing.T) {
	srv := httptest.NewTLSServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	defer srv.Close()
	a, base := boundAccess(t, srv, func(string) []Binding { return nil }, Rule{Rate: 100, Burst: 1, Requests: 30})
	start := time.Now()
	for i := range 31 {
		res, err := a.Client().Get(base)
		if i == 30 {
			require.ErrorIs(t, err, ErrDenied)
			require.ErrorContains(t, err, "the rule allows 30 requests, which have been made")
			break
		}
		require.NoError(t, err)
		res.Body.Close()
	}
	require.GreaterOrEqual(t, time.Since(start), 290*time.Millisecond)
}

// TestBytes has a rule bound what is sent and received.
func TestBytes(t *testing.T) {
	srv := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { w.Write(make([]byte, 1<<20)) }))
	defer srv.Close()
	a, base := boundAccess(t, srv, func(string) []Binding { return nil }, Rule{Bytes: 100_000})
	res, err := a.Client().Get(base)
	require.NoError(t, err)
	defer res.Body.Close()
	n, err := io.Copy(io.Discard, res.Body)
	require.ErrorIs(t, err, ErrDenied)
	require.LessOrEqual(t, n, int64(100_000))
	_, err = a.Client().Get(base)
	require.ErrorIs(t, err, ErrDenied)
}
