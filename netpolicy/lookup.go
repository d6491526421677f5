package netpolicy

import (
	"context"
	"fmt"
	"net"
	"net/netip"

	"github.com/limpet-sh/limpet/limits"
)

// A Record is an answer to a question about a name.
type Record struct {
	Type string // A, AAAA, CNAME, MX, NS, TXT or PTR
	Data string // as dig prints it
}

// Lookup answers a question about a host of which some URL might be allowed. It
// is charged as a request. Addresses that no connection could be made to are
// left out, and where there are no others the error is a [*DeniedError].
//
// Types other than A and AAAA need a [Resolver] that has the methods of
// [net.Resolver] for them.
func (a *Access) Lookup(ctx context.Context, host, kind string) ([]Record, error) {
	t := &target{host: host, text: host}
	if a == nil || a.guard == nil {
		return nil, &DeniedError{Target: host, Reason: "network access is not allowed"}
	}
	list, err := a.lookup(ctx, t, kind)
	a.guard.log(t, "LOOKUP", a.guard.anyOf(t), false, netip.Addr{}, err)
	return list, err
}

func (a *Access) lookup(ctx context.Context, t *target, kind string) (list []Record, err error) {
	if t.host, t.addr, err = parseHost(t.host); err != nil {
		return nil, err
	}
	d := a.guard.anyOf(t)
	if d == nil {
		return nil, &DeniedError{Target: t.text, Reason: "no rule allows " + t.host, Hint: "allow it with netpolicy.Allow(\"" + t.host + "\") or --network " + t.host}
	}
	if err := a.meter.Charge(limits.Requests, 1); err != nil {
		return nil, err
	}
	if kind != "A" && kind != "AAAA" {
		return a.lookupOther(ctx, t, kind)
	}
	addrs, err := a.guard.lookup(ctx, d, t)
	for _, addr := range addrs {
		if addr.Is4() == (kind == "A") {
			list = append(list, Record{kind, addr.String()})
		}
	}
	return list, err
}

// anyOf returns what is granted to a host whatever the scheme, port and path, or
// nil.
func (g *Guard) anyOf(t *target) *grant {
	d := &grant{everything: g.policy.Everything, loopback: len(g.policy.Loopback) > 0 && g.isLoopbackHost(t)}
	for _, r := range g.rules {
		if r.matchesHost(t) {
			d.rules = append(d.rules, r)
		}
	}
	if !d.everything && !d.loopback && len(d.rules) == 0 {
		return nil
	}
	return d
}

// lookupOther answers questions that are not about the addresses of a name.
func (a *Access) lookupOther(ctx context.Context, t *target, kind string) (list []Record, err error) {
	add := func(data string) { list = append(list, Record{kind, data}) }
	switch r := a.guard.policy.resolver().(type) {
	case interface {
		LookupCNAME(context.Context, string) (string, error)
		LookupMX(context.Context, string) ([]*net.MX, error)
		LookupNS(context.Context, string) ([]*net.NS, error)
		LookupTXT(context.Context, string) ([]string, error)
		LookupAddr(context.Context, string) ([]string, error)
	}:
		switch kind {
		case "CNAME":
			var name string
			if name, err = r.LookupCNAME(ctx, t.host); err == nil && name != t.host+"." {
				add(name)
			}
		case "MX":
			var found []*net.MX
			found, err = r.LookupMX(ctx, t.host)
			for _, mx := range found {
				add(fmt.Sprintf("%d %s", mx.Pref, mx.Host))
			}
		case "NS":
			var found []*net.NS
			found, err = r.LookupNS(ctx, t.host)
			for _, ns := range found {
				add(ns.Host)
			}
		case "TXT":
			var found []string
			found, err = r.LookupTXT(ctx, t.host)
			for _, text := range found {
				add(fmt.Sprintf("%q", text))
			}
		case "PTR":
			var found []string
			found, err = r.LookupAddr(ctx, t.host)
			for _, name := range found {
				add(name)
			}
		default:
			return nil, fmt.Errorf("records of type %s cannot be looked up", kind)
		}
	default:
		return nil, fmt.Errorf("the resolver cannot look up records of type %s", kind)
	}
	if err != nil {
		return nil, &LookupError{Host: t.host, Err: err}
	}
	return list, nil
}
