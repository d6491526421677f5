package netpolicy

import (
	"fmt"
	"net/netip"
	"slices"
	"strconv"
	"strings"
)

// A target is what a script wants to reach.
type target struct {
	scheme, host string
	addr         netip.Addr // valid where the host is an address
	port         uint16
	method, path string
	text         string // for messages
}

func targetOf(u *URL, method string) *target {
	return &target{u.Scheme, u.Host, u.Addr, u.Port, method, u.Path, u.Redacted()}
}

// A grant is what a decision allows: connections to some addresses. Decisions
// that have the same reasons have grants with the same key.
type grant struct {
	rules      []*ruleState
	everything bool // the policy allows every public address
	loopback   bool // a port of the loopback interface
	key        string
}

// decide decides upon a target by what it says.
func (g *Guard) decide(t *target) (*grant, error) {
	d := &grant{loopback: g.isLoopback(t), everything: g.policy.Everything}
	for i, r := range g.rules {
		if r.matchesHost(t) && r.differs(t) == "" {
			d.rules = append(d.rules, r)
			d.key += strconv.Itoa(i) + ","
		}
	}
	d.key += fmt.Sprint(d.loopback, d.everything)
	if !d.loopback && !d.everything && len(d.rules) == 0 {
		return nil, g.denied(t)
	}
	if t.addr.IsValid() {
		if err := d.admits(t, t.addr); err != nil {
			return nil, err
		}
	}
	if t.host == "localhost" && !d.loopback && len(d.rules) == 0 {
		return nil, d.refusal(t, "localhost is the host's loopback interface")
	}
	return d, nil
}

// isLoopback reports whether the policy has the target as an exception.
func (g *Guard) isLoopback(t *target) bool {
	return slices.Contains(g.policy.Loopback, t.port) &&
		(t.host == "localhost" || t.host == "127.0.0.1" || t.host == "::1")
}

// admits decides upon the address of a connection to a target.
func (d *grant) admits(t *target, a netip.Addr) error {
	if d.loopback && (a == loopback4 || a == loopback6) || d.everything && Special(a) == "" {
		return nil
	}
	for _, r := range d.rules {
		if r.admits(a) {
			return nil
		}
	}
	kind := Special(a)
	if kind == "" {
		kind = "outside what the rule allows"
	}
	if t.addr.IsValid() {
		return d.refusal(t, a.String()+" is "+kind)
	}
	return d.refusal(t, fmt.Sprintf("%s has the address %v, which is %s", t.host, a, kind))
}

var (
	loopback4 = netip.AddrFrom4([4]byte{127, 0, 0, 1})
	loopback6 = netip.IPv6Loopback()
)

// refusal is the error for a special address.
func (d *grant) refusal(t *target, reason string) error {
	e := &DeniedError{Target: t.text, Reason: reason}
	switch {
	case t.host == "localhost" || t.addr == loopback4 || t.addr == loopback6:
		e.Hint = fmt.Sprintf("allow it with Policy.Loopback or --allow-loopback %d", t.port)
	case t.addr.IsValid() && !t.addr.Is4In6():
		e.Hint = fmt.Sprintf("allow it with a rule that names %v", t.addr)
	}
	return e
}

// denied is the error where no rule matches.
func (g *Guard) denied(t *target) error {
	e := &DeniedError{Target: t.text}
	switch {
	case g.isNone():
		e.Reason = "network access is not allowed"
	default:
		e.Reason = "no rule allows " + t.host
		for _, r := range g.rules {
			if r.Host != "" && r.matchesHost(t) {
				e.Reason = fmt.Sprintf("rule %s: %s", r.text, r.differs(t))
				break
			}
		}
	}
	entry := t.host
	if t.addr.Is6() {
		entry = "[" + entry + "]"
	}
	if t.port != ports[t.scheme] {
		entry += ":" + strconv.Itoa(int(t.port))
	}
	switch {
	case g.isLoopbackHost(t):
		e.Hint = fmt.Sprintf("allow it with Policy.Loopback or --allow-loopback %d", t.port)
	case t.scheme == "https" && (strings.HasPrefix(e.Reason, "no ") || strings.Contains(e.Reason, ": only port")):
		e.Hint = "allow it with netpolicy.Allow(\"" + entry + "\") or --network " + entry
	default:
		e.Hint = fmt.Sprintf("allow it with a rule for scheme %s, host %s, port %d in Policy.Rules or --network-rules", t.scheme, t.host, t.port)
	}
	return e
}

func (g *Guard) isLoopbackHost(t *target) bool {
	return t.host == "localhost" || t.addr == loopback4 || t.addr == loopback6
}

// isNone reports whether the policy allows nothing.
func (g *Guard) isNone() bool {
	return !g.policy.Everything && len(g.rules) == 0 && len(g.policy.Loopback) == 0
}

// reason returns what allows a target, for the log.
func (d *grant) reason() string {
	switch {
	case len(d.rules) > 0:
		return d.rules[0].text
	case d.loopback:
		return "loopback"
	}
	return "everything"
}
