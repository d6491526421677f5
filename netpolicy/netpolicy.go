// Package netpolicy decides what scripts may reach over the network, and reaches
// it for them.
//
// A [Policy] is the configuration, and its zero value denies everything.
// [Policy.Open] makes a [Guard] of it, which one sandbox has, and [Guard.For] an
// [Access], with which one execution opens connections. Every request is decided
// upon twice: by its URL, in the form that [ParseURL] gives it, and by the address
// that is dialled, when it is dialled. What a name resolves to is asked once for a
// connection, and never trusted: see [Special].
package netpolicy

import (
	"cmp"
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strings"
	"time"
)

// A Policy says what may be reached. The zero Policy denies everything.
type Policy struct {
	// Everything allows every public address, with any scheme and port.
	Everything bool

	// Rules allow what any of them matches.
	Rules []Rule

	// Loopback are ports of the loopback interface of the host which scripts
	// may reach, with any scheme, as localhost, 127.0.0.1 or [::1].
	Loopback []uint16

	// Bindings add secrets to requests, which the scripts do not see. The
	// policy must allow the hosts that they are for.
	Bindings []Binding

	// Resolver finds the addresses of names. Nil means that of the host.
	Resolver Resolver

	// Dial opens connections to addresses, as through a proxy that the host has. It is
	// called after the address has been decided upon, and must connect to no other.
	// Nil means directly.
	Dial func(ctx context.Context, address netip.AddrPort) (net.Conn, error)

	// Roots are the authorities that certificates of servers are checked
	// against. Nil means those of the host.
	Roots *x509.CertPool

	// Verify, where it is not nil, checks the certificates of a server in the
	// place of Roots. The first of them is that of the server.
	Verify func(ctx context.Context, host string, chain []*x509.Certificate) error

	// Log is told of every decision, one call at a time. It must not block.
	Log func(Event)
}

// None returns the policy that denies everything, which is the zero Policy.
func None() Policy { return Policy{} }

// All returns the policy that allows every public address. Addresses that are
// [Special] stay out of reach.
func All() Policy { return Policy{Everything: true} }

// Allow returns the policy that allows HTTPS to some hosts and to nothing else.
// A host is a name or an IP address, and may have a port, as in
// "api.example.com:8443" or "[2001:db8::1]:8443"; a scheme, a path and wildcards
// are errors.
func Allow(hosts ...string) (Policy, error) {
	var p Policy
	for _, h := range hosts {
		r, err := HostRule(h)
		if err != nil {
			return Policy{}, err
		}
		p.Rules = append(p.Rules, r)
	}
	return p, nil
}

// Rules returns the policy that allows what any of the rules matches.
func Rules(rules ...Rule) (Policy, error) {
	p := Policy{Rules: rules}
	for _, r := range rules {
		if _, err := r.compile(); err != nil {
			return Policy{}, err
		}
	}
	return p, nil
}

// A Resolver finds the addresses of names. [net.Resolver] is one. The network is
// "ip".
type Resolver interface {
	LookupNetIP(ctx context.Context, network, host string) ([]netip.Addr, error)
}

// An Event is a decision, as a log has it. It has no secret: neither a password
// or the query of a URL, nor what a [Binding] has added.
type Event struct {
	Time   time.Time
	Method string     // of a request; "CONNECT" for a connection without one, "LOOKUP" for a name
	URL    string     // without user, query and fragment
	Addr   netip.Addr // that was dialled, if any
	Rule   string     // what allowed it; "" where it was denied
	Bound  bool       // a binding has added a secret
	Err    error      // why it was denied; nil where it was allowed
}

// ErrDenied is matched by every refusal of this package.
var ErrDenied = errors.New("denied by network policy")

// A DeniedError says what was refused, why, and what would allow it.
type DeniedError struct {
	Target string // the URL, without its password
	Reason string
	Hint   string // how to allow it; "" where nothing does
}

// Error names all of it on one line.
func (e *DeniedError) Error() string {
	s := fmt.Sprintf("%s: %v: %s", e.Target, ErrDenied, e.Reason)
	if e.Hint != "" {
		s += " (" + e.Hint + ")"
	}
	return s
}

// Is reports whether e matches target.
func (e *DeniedError) Is(target error) bool { return target == ErrDenied }

// String says what the policy allows. It has no secret.
func (p Policy) String() string {
	var list []string
	if p.Everything {
		list = append(list, "every public address")
	}
	for _, r := range p.Rules {
		host := r.Host
		if host == "" {
			host = r.CIDR.String()
		}
		text := cmp.Or(r.Scheme, "https") + "://" + host
		if r.Port != 0 {
			text += fmt.Sprintf(":%d", r.Port)
		}
		list = append(list, text+r.Path)
	}
	for _, port := range p.Loopback {
		list = append(list, fmt.Sprintf("localhost:%d", port))
	}
	if list == nil {
		return "nothing"
	}
	return strings.Join(list, ", ")
}

// VerifyServer checks the certificates of a server, of which the first is its own, as
// connections under p do.
func (p Policy) VerifyServer(ctx context.Context, host string, chain []*x509.Certificate) error {
	if p.Verify != nil {
		return p.Verify(ctx, host, chain)
	}
	if len(chain) == 0 {
		return errors.New("a server without a certificate")
	}
	between := x509.NewCertPool()
	for _, c := range chain[1:] {
		between.AddCert(c)
	}
	_, err := chain[0].Verify(x509.VerifyOptions{Roots: p.Roots, DNSName: host, Intermediates: between})
	return err
}

// resolver returns the resolver of p.
func (p *Policy) resolver() Resolver {
	if p.Resolver != nil {
		return p.Resolver
	}
	return net.DefaultResolver
}
