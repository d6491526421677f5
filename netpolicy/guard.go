package netpolicy

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"sync"
	"time"

	"github.com/limpet-sh/limpet/limits"
)

// A Guard is a policy in force for one sandbox. What its rules count, it counts
// over all executions. It is safe for concurrent use. A nil *Guard denies
// everything.
type Guard struct {
	policy Policy
	rules  []*ruleState
	bound  *bindings

	logMu sync.Mutex

	// dial opens a connection to an address that has been decided upon. It
	// is [dialAddr] but in tests.
	dial func(ctx context.Context, d *grant, t *target, a netip.AddrPort) (net.Conn, error)
}

// Open puts the policy in force. It fails where a rule or a binding is wrong, or
// a binding is for a host that the policy denies.
func (p Policy) Open() (*Guard, error) {
	g := &Guard{policy: p, dial: dialAddr}
	if p.Dial != nil {
		g.dial = g.dialOther
	}
	for i, r := range p.Rules {
		s, err := r.compile()
		if err != nil {
			return nil, fmt.Errorf("network rule %d: %w", i+1, err)
		}
		g.rules = append(g.rules, s)
	}
	for _, port := range p.Loopback {
		if port == 0 {
			return nil, fmt.Errorf("network policy: 0 is no port of the loopback interface")
		}
	}
	var err error
	if g.bound, err = newBindings(g, p.Bindings); err != nil {
		return nil, err
	}
	return g, nil
}

// Environ returns the variables in which scripts find the placeholders of
// bindings.
func (g *Guard) Environ() map[string]string {
	if g == nil {
		return nil
	}
	return g.bound.environ
}

// For returns the network as one execution has it, which is charged to m.
func (g *Guard) For(m *limits.Meter) *Access { return &Access{guard: g, meter: m} }

// log tells the policy's log of a decision.
func (g *Guard) log(t *target, method string, d *grant, bound bool, a netip.Addr, err error) {
	if g.policy.Log == nil {
		return
	}
	e := Event{Time: time.Now(), Method: method, URL: t.text, Addr: a, Bound: bound, Err: err}
	if d != nil && err == nil {
		e.Rule = d.reason()
	}
	g.logMu.Lock()
	defer g.logMu.Unlock()
	g.policy.Log(e)
}

// lookup returns the addresses of a target that its grant admits.
func (g *Guard) lookup(ctx context.Context, d *grant, t *target) ([]netip.Addr, error) {
	if t.addr.IsValid() {
		return []netip.Addr{t.addr}, d.admits(t, t.addr)
	}
	var all []netip.Addr
	if t.host == "localhost" {
		all = []netip.Addr{loopback4, loopback6}
	} else {
		found, err := g.policy.resolver().LookupNetIP(ctx, "ip", t.host)
		if err != nil {
			return nil, &LookupError{Host: t.host, Err: err}
		}
		all = found
	}
	var admitted []netip.Addr
	var refused error
	for _, a := range all {
		a = a.Unmap() // as resolvers give IPv4 addresses
		if err := d.admits(t, a); err != nil {
			refused = err
		} else {
			admitted = append(admitted, a)
		}
	}
	switch {
	case len(admitted) > 0:
		return admitted, nil
	case refused != nil:
		return nil, refused
	}
	return nil, &LookupError{Host: t.host, Err: fmt.Errorf("no address")}
}

// A LookupError is the failure to find a host.
type LookupError struct {
	Host string
	Err  error // of the resolver
}

// Error names the host.
func (e *LookupError) Error() string { return fmt.Sprintf("lookup %s: %v", e.Host, e.Err) }

// Unwrap returns the resolver's error.
func (e *LookupError) Unwrap() error { return e.Err }

// connect opens a connection to a target: it is resolved once, and what the grant
// admits is tried in turn.
func (g *Guard) connect(ctx context.Context, d *grant, t *target) (net.Conn, error) {
	addrs, err := g.lookup(ctx, d, t)
	if err != nil {
		return nil, err
	}
	if t := traceOf(ctx); t != nil {
		t.Resolved = time.Now()
	}
	if addrs = narrowedBy(ctx).ofFamily(addrs); len(addrs) == 0 {
		return nil, &LookupError{Host: t.host, Err: fmt.Errorf("no address of that family")}
	}
	for i, a := range addrs {
		var conn net.Conn
		conn, err = g.try(ctx, d, t, netip.AddrPortFrom(a, t.port), i < len(addrs)-1)
		if err == nil {
			return conn, nil
		}
		if ctx.Err() != nil {
			break
		}
	}
	return nil, err
}

// patience is how long an address is tried where another one is left.
const patience = 5 * time.Second

func (g *Guard) try(ctx context.Context, d *grant, t *target, a netip.AddrPort, more bool) (net.Conn, error) {
	if more {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, patience)
		defer cancel()
	}
	return g.dial(ctx, d, t, a)
}

// dialing is what a dial knows of the decision that it is made under.
type dialing struct {
	grant  *grant
	target *target
}

type dialingKey struct{}

// dialAddr opens a connection to an address.
func dialAddr(ctx context.Context, d *grant, t *target, a netip.AddrPort) (net.Conn, error) {
	var dialer net.Dialer
	dialer.ControlContext = control
	return dialer.DialContext(context.WithValue(ctx, dialingKey{}, dialing{d, t}), "tcp", a.String())
}

// dialOther is dialAddr by the policy's own means.
func (g *Guard) dialOther(ctx context.Context, d *grant, t *target, a netip.AddrPort) (net.Conn, error) {
	if err := d.admits(t, a.Addr()); err != nil {
		return nil, err
	}
	return g.policy.Dial(ctx, a)
}

// control decides upon the address of a socket before it is connected. Its last
// parameter is a system's own connection, which this package does not touch. It
// gets the decision from the context because its address has it from nowhere
// else.
func control[C any](ctx context.Context, network, address string, _ C) error {
	d, ok := ctx.Value(dialingKey{}).(dialing)
	a, err := netip.ParseAddrPort(address)
	if !ok || err != nil {
		return &DeniedError{Target: network + "://" + address, Reason: "the address has not been decided upon"}
	}
	return d.grant.admits(d.target, a.Addr().Unmap())
}
