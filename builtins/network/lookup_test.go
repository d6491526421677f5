package network_test

import (
	"context"
	"errors"
	"net/netip"
	"testing"

	"github.com/limpet-sh/limpet"
	"github.com/limpet-sh/limpet/netpolicy"
	"github.com/stretchr/testify/require"
)

// A zone is a resolver: the addresses of names.
type zone map[string][]string

func (z zone) LookupNetIP(_ context.Context, _, host string) (list []netip.Addr, err error) {
	for _, a := range z[host] {
		list = append(list, netip.MustParseAddr(a))
	}
	if list == nil {
		return nil, errors.New("no such host")
	}
	return list, nil
}

func TestLookups(t *testing.T) {
	p, err := netpolicy.Allow("api.example.com", "inner.example.com")
	require.NoError(t, err)
	p.Resolver = zone{
		"api.example.com": {"93.184.216.34", "2606:2800:220:1::1"}, "inner.example.com": {"10.0.0.7"}, "other.example.com": {"93.184.216.34"},
	}
	sh, err := limpet.New(limpet.Config{Network: p})
	require.NoError(t, err)
	defer sh.Close()
	for script, want := range map[string]string{
		"dig +short api.example.com":                   "93.184.216.34\n",
		"dig +short AAAA api.example.com":              "2606:2800:220:1::1\n",
		"host api.example.com":                         "api.example.com has address 93.184.216.34\napi.example.com has IPv6 address 2606:2800:220:1::1\n",
		"nslookup api.example.com | grep Address":      "Address: 93.184.216.34\nAddress: 2606:2800:220:1::1\n",
		"host other.example.com 2>&1 | grep -o denied": "denied\n",
		"dig +short inner.example.com 2>&1; echo $?":   "dig: inner.example.com: denied by network policy: inner.example.com has the address 10.0.0.7, which is a private address\n9\n",
		"dig @8.8.8.8 api.example.com 2>&1; echo $?":   "dig: @8.8.8.8 is not supported: the resolver is that of the network policy\n1\n",
		"dig +short MX api.example.com 2>&1; echo $?":  "dig: api.example.com: the resolver cannot look up records of type MX\n9\n",
	} {
		res, err := sh.Exec(t.Context(), limpet.Request{Script: script})
		require.NoError(t, err)
		require.Equal(t, want, string(res.Stdout)+string(res.Stderr), script)
	}
}
