package fuzz

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net"
	"net/netip"
	"strings"

	"github.com/limpet-sh/limpet"
	"github.com/limpet-sh/limpet/netpolicy"
)

// Policies writes attempts to reach a service of the host past a network policy: see
// [Attempt].
type Policies struct {
	Seed uint64

	// Address is that of the service on loopback, as host:port.
	Address string
}

// An Attempt is a policy, the addresses that every name has, and a script that tries to
// reach the service. As text it is JSON.
type Attempt struct {
	Hosts   []string // for netpolicy.Allow
	Rules   bool     // as rules that allow any path and method
	Answers []string // addresses
	Script  string
}

var (
	attemptHosts = []string{"example.com", "a.example.com:8443", "localhost.example.com", "192.0.2.1", "xn--e1afmkfd.example", "example.com:443", "[2001:db8::1]:8443", "EXAMPLE.com.", "8.8.8.8"}

	// loopbacks are names of the host.
	loopbacks = []string{
		"127.0.0.1", "localhost", "127.1", "2130706433", "0x7f000001", "0177.0.0.1", "[::1]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "0.0.0.0", "0", "[::]", "127.0.0.1.", "LOCALHOST",
		"example.com", "a.example.com", "localhost.example.com", "127.0.0.1.nip.io", "example.com@127.0.0.1", "127.0.0.1#@example.com", "127.0.0.1\\@example.com", "①②⑦.⓪.⓪.①", "[fe80::1%25lo]", "[64:ff9b::7f00:1]", "[2002:7f00:1::]",
		"%6cocalhost", "127%2e0.0.1", "example.com%00.127.0.0.1", "192.0.2.1", "8.8.8.8", "[2001:db8::1]",
	}
	loopbackAddresses = []string{"127.0.0.1", "::1", "::ffff:127.0.0.1", "0.0.0.0", "::", "127.8.8.8", "10.0.0.1", "169.254.169.254", "64:ff9b::7f00:1"}

	attempts = []string{
		"curl -s -m 1 %s://%s:%s/", "curl -s -m 1 -L -k %s://%s:%s/x", "wget -q -T 1 -O - %s://%s:%s/", "curl -s -m 1 -x %s://%s:%s http://example.com/", "curl -s -m 1 --resolve example.com:443:127.0.0.1 %s://%s:%s/",
		"curl -s -m 1 --connect-to ::127.0.0.1: %s://%s:%s/", "http_proxy=http://127.0.0.1:$PORT https_proxy=http://127.0.0.1:$PORT curl -s -m 1 %s://%s:%s/", "git clone -q %s://%s:%s/x",
		"curl -s -m 1 -H 'Host: example.com' %s://%s:%s/", "curl -s -m 1 --unix-socket /tmp/x %s://%s:%s/", "curl -s -m 1 --interface lo %s://%s:%s/",
	}
)

// Attempt returns the attempt with the number n.
func (p Policies) Attempt(n uint64) *Attempt {
	r := rand.New(rand.NewPCG(p.Seed, n))
	a := &Attempt{Rules: r.IntN(2) == 0}
	for range r.IntN(4) {
		a.Hosts = append(a.Hosts, attemptHosts[r.IntN(len(attemptHosts))])
	}
	for range 1 + r.IntN(3) {
		a.Answers = append(a.Answers, loopbackAddresses[r.IntN(len(loopbackAddresses))])
	}
	_, port, _ := net.SplitHostPort(p.Address)
	var b strings.Builder
	fmt.Fprintf(&b, "PORT=%s\n", port)
	for range 1 + r.IntN(3) {
		host := loopbacks[r.IntN(len(loopbacks))]
		if r.IntN(4) == 0 {
			host = string(Mutate(r, []byte(host)))
		}
		switch r.IntN(6) {
		case 0:
			fmt.Fprintf(&b, "exec 3<> /dev/tcp/%s/$PORT; echo x >&3\n", quoteWord(host))
		case 1:
			fmt.Fprintf(&b, "echo x > /dev/udp/%s/$PORT\n", quoteWord(host))
		default:
			scheme := []string{"http", "https", "HTTP", "ftp", "git", "http:", "//http", "gopher"}[r.IntN(8)]
			line := fmt.Sprintf(attempts[r.IntN(len(attempts))], scheme, host, port)
			fmt.Fprintf(&b, "%s\n", line)
		}
	}
	a.Script = b.String()
	return a
}

// Script returns the attempt with the number n as text.
func (p Policies) Script(n uint64) string {
	text, err := json.Marshal(p.Attempt(n))
	if err != nil {
		panic(err) // it has nothing that JSON has not
	}
	return string(text)
}

// everyName is a resolver that has the same addresses for all names.
type everyName []netip.Addr

// LookupNetIP returns the addresses.
func (e everyName) LookupNetIP(context.Context, string, string) ([]netip.Addr, error) { return e, nil }

// Reaching is an [Oracle] that says that no script reaches a service on loopback under a
// policy that does not name it. What it is given as a script is an [Attempt] as text.
type Reaching struct {
	// Canary is the service.
	Canary *Canary
}

// Check runs an attempt.
func (o *Reaching) Check(ctx context.Context, text string) error {
	var a Attempt
	if json.Unmarshal([]byte(text), &a) != nil {
		return nil
	}
	policy, err := a.policy()
	if err != nil {
		return nil // it is refused, which is safe
	}
	sh, err := limpet.New(limpet.Config{Limits: Limits, Network: policy})
	if err != nil {
		return nil
	}
	defer sh.Close()
	res, err := sh.Exec(ctx, limpet.Request{Script: a.Script, Batch: true, Name: "fuzz"})
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err == nil {
		err = o.Canary.Check(string(res.Stdout), string(res.Stderr))
	}
	if err != nil {
		return &Finding{Promise: "a script reaches only what its policy names", Script: text, Err: err}
	}
	return nil
}

// policy returns the policy of an attempt.
func (a *Attempt) policy() (netpolicy.Policy, error) {
	var names everyName
	for _, text := range a.Answers {
		addr, err := netip.ParseAddr(text)
		if err != nil {
			return netpolicy.Policy{}, err
		}
		names = append(names, addr)
	}
	policy, err := netpolicy.Allow(a.Hosts...)
	if a.Rules && err == nil {
		var rules []netpolicy.Rule
		for _, host := range a.Hosts {
			rule, err := netpolicy.HostRule(host)
			if err != nil {
				return policy, err
			}
			rules = append(rules, rule)
		}
		policy, err = netpolicy.Rules(rules...)
	}
	policy.Resolver = names
	return policy, err
}
