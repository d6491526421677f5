package netpolicy

import (
	"context"
	"net/netip"
	"slices"
)

// A narrowing is what a request asks of its connection. The zero narrowing is nothing.
type narrowing struct {
	http1, tls13 bool
	family       int // of addresses: 4 or 6; 0 means any
}

// narrowingKey is for the context of requests that have one.
type narrowingKey struct{}

func narrowedBy(ctx context.Context) narrowing {
	n, _ := ctx.Value(narrowingKey{}).(narrowing)
	return n
}

// WithHTTP1 returns a context for requests that are not to use HTTP/2.
func WithHTTP1(ctx context.Context) context.Context {
	n := narrowedBy(ctx)
	n.http1 = true
	return context.WithValue(ctx, narrowingKey{}, n)
}

// WithTLS13 returns a context for requests that are not to use TLS below 1.3.
func WithTLS13(ctx context.Context) context.Context {
	n := narrowedBy(ctx)
	n.tls13 = true
	return context.WithValue(ctx, narrowingKey{}, n)
}

// WithFamily returns a context for requests and connections that are to use addresses of
// IPv4 only, for 4, or of IPv6 only, for 6.
func WithFamily(ctx context.Context, family int) context.Context {
	n := narrowedBy(ctx)
	n.family = family
	return context.WithValue(ctx, narrowingKey{}, n)
}

// ofFamily returns the addresses that n leaves.
func (n narrowing) ofFamily(addrs []netip.Addr) []netip.Addr {
	if n.family == 0 {
		return addrs
	}
	return slices.DeleteFunc(slices.Clone(addrs), func(a netip.Addr) bool { return a.Is4() != (n.family == 4) })
}
