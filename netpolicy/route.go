package netpolicy

import (
	"context"
	"net"
	"net/netip"
	"strconv"
	"strings"
)

// A Route is the way to a server of HTTPS for a client that speaks TLS itself, as
// through a proxy.
type Route struct {
	// Inspect says that connections must not be passed on as they are: a
	// binding or a rule is about what is in them, or a rule counts it.
	Inspect bool

	access *Access
	target *target
	grant  *grant
	url    *URL
}

// Route decides upon a server of HTTPS. Where no rule allows all of it, requests to
// it are to be decided upon one by one.
func (a *Access) Route(host, port string) (*Route, error) {
	if a == nil || a.guard == nil {
		return nil, &DeniedError{Target: "https://" + host, Reason: "network access is not allowed"}
	}
	if ip, err := netip.ParseAddr(strings.Trim(host, "[]")); err == nil && ip.Is6() {
		host = "[" + ip.String() + "]"
	}
	u, err := ParseURL("https://" + host + ":" + port + "/")
	if err != nil {
		return nil, err
	}
	if u.User != "" || u.Path != "/" || u.Query != "" || u.Fragment != "" {
		return nil, badURL("CONNECT to what is not a host and a port")
	}
	r := &Route{access: a, target: targetOf(u, "CONNECT"), url: u}
	r.Inspect = a.guard.looksInto(r.target, u)
	if r.Inspect {
		return r, nil
	}
	if r.grant, err = a.guard.decide(r.target); err != nil {
		a.guard.log(r.target, "CONNECT", nil, false, netip.Addr{}, err)
		return nil, err
	}
	return r, nil
}

// looksInto reports whether requests to a server are decided upon one by one.
func (g *Guard) looksInto(t *target, u *URL) bool {
	if len(g.bound.byHost[u.HostPort()]) > 0 || len(g.bound.funcs) > 0 && g.anyOf(t) != nil {
		return true
	}
	for _, r := range g.rules {
		if r.matchesHost(t) && r.Scheme == "https" && r.Port == t.port &&
			(r.Methods != nil || r.Path != "" || r.limiter != nil || r.Requests > 0 || r.Bytes > 0) {
			return true
		}
	}
	return false
}

// Host returns the host, in its one form.
func (r *Route) Host() string { return r.url.Host }

// HostPort returns the host and, where it is not 443, the port.
func (r *Route) HostPort() string { return r.url.HostPort() }

// Names reports whether a name that a client sends in TLS is that of the route. For
// addresses clients send none.
func (r *Route) Names(name string) bool {
	if r.url.Addr.IsValid() {
		return name == "" || name == r.url.Host
	}
	return strings.EqualFold(strings.TrimSuffix(name, "."), r.url.Host)
}

// Dial opens a connection to the server.
func (r *Route) Dial(ctx context.Context) (net.Conn, error) {
	if err := r.access.admit(ctx, r.grant); err != nil {
		return nil, err
	}
	return r.access.connect(ctx, r.grant, r.target)
}

// String returns the host and the port.
func (r *Route) String() string { return net.JoinHostPort(r.url.Host, strconv.Itoa(int(r.url.Port))) }
