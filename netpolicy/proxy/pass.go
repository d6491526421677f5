package proxy

import (
	"context"
	"crypto/rand"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/limpet-sh/limpet/limits"
	"github.com/limpet-sh/limpet/netpolicy"
)

// A Pass is what lets one sandbox through a [Server]. It has a key, which is good for a
// time, and gets another one by Renew. It is safe for concurrent use.
type Pass struct {
	server *Server
	good   time.Duration
	guard  *netpolicy.Guard
	access *netpolicy.Access
	ca     *authority
	ctx    context.Context
	cancel context.CancelFunc

	mu     sync.Mutex
	newest *key
}

// A key is a user and a password.
type key struct {
	pass           *Pass
	user, password string
	expires        time.Time
}

// Issue makes a pass whose keys are good for a time each. What goes through it is
// charged to m, which may be nil. Revoke it when the sandbox ends.
func (s *Server) Issue(policy netpolicy.Policy, m *limits.Meter, good time.Duration) (*Pass, error) {
	guard, err := policy.Open()
	if err != nil {
		return nil, err
	}
	ca, err := newAuthority()
	if err != nil {
		return nil, err
	}
	p := &Pass{server: s, good: good, guard: guard, access: guard.For(m), ca: ca}
	p.ctx, p.cancel = context.WithCancel(context.Background())
	p.Renew()
	return p, nil
}

// Renew makes another key. Those before it are good until their time is over.
func (p *Pass) Renew() {
	now := time.Now()
	k := &key{pass: p, user: rand.Text(), password: rand.Text(), expires: now.Add(p.good)}
	p.mu.Lock()
	p.newest = k
	p.mu.Unlock()
	p.server.mu.Lock()
	defer p.server.mu.Unlock()
	if p.server.keys == nil {
		p.server.keys = map[string]*key{}
	}
	maps.DeleteFunc(p.server.keys, func(_ string, old *key) bool { return now.After(old.expires) })
	p.server.keys[k.user] = k
}

// Revoke takes a pass back and ends what goes through it.
func (s *Server) Revoke(p *Pass) {
	s.mu.Lock()
	maps.DeleteFunc(s.keys, func(_ string, k *key) bool { return k.pass == p })
	s.mu.Unlock()
	p.cancel()
	p.access.Close()
}

// key returns the newest.
func (p *Pass) key() *key {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.newest
}

// Expires is when the newest key ends.
func (p *Pass) Expires() time.Time { return p.key().expires }

// CA returns the certificate, in PEM, that the sandbox has to trust.
func (p *Pass) CA() []byte { return p.ca.pem }

// URL returns what the sandbox has to use as its proxy, with the newest key, for a
// server at an address: HOST:PORT, or a URL of HTTP or HTTPS.
func (p *Pass) URL(address string) string { return p.key().url(address) }

func (k *key) url(address string) string {
	scheme, host, ok := strings.Cut(address, "://")
	if !ok {
		scheme, host = "http", address
	}
	return scheme + "://" + k.user + ":" + k.password + "@" + strings.TrimSuffix(host, "/")
}

// A Setup is what a sandbox needs in order to use a proxy. It has no secret but the key
// of a pass, which is good for the proxy alone, until Expires.
type Setup struct {
	// Script is to be sourced by sh before each command: the variables that programs
	// take the proxy and the authorities from, and the placeholders of bindings. It has
	// the key, so the file that it is in should be readable by the sandbox alone.
	Script  string
	CA      []byte // in PEM: to be trusted besides the authorities that the sandbox has
	Expires time.Time
}

// Setup returns what a sandbox needs with the newest key. For the address see [Pass.URL];
// bundle is the file in the sandbox that has the authorities to trust.
func (p *Pass) Setup(address, bundle string) Setup {
	k := p.key()
	var b strings.Builder
	set := func(value string, names ...string) {
		for _, name := range names {
			fmt.Fprintf(&b, "export %s='%s'\n", name, strings.ReplaceAll(value, "'", `'\''`))
		}
	}
	set(k.url(address), "http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "all_proxy")
	set("localhost,127.0.0.1,::1", "no_proxy", "NO_PROXY") // the sandbox's own
	set(bundle, "SSL_CERT_FILE", "CURL_CA_BUNDLE", "REQUESTS_CA_BUNDLE", "NODE_EXTRA_CA_CERTS", "GIT_SSL_CAINFO")
	environ := p.guard.Environ()
	for _, name := range slices.Sorted(maps.Keys(environ)) {
		set(environ[name], name)
	}
	return Setup{Script: b.String(), CA: p.CA(), Expires: k.expires}
}
