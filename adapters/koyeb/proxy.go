package koyeb

import (
	"cmp"
	"context"
	"fmt"
	"net/url"
	"reflect"
	"sync"

	"github.com/limpet-sh/limpet"
	"github.com/limpet-sh/limpet/adapters/internal/box"
	"github.com/limpet-sh/limpet/netpolicy"
	"github.com/limpet-sh/limpet/netpolicy/proxy"
)

// check fails where a machine cannot be held to the network policy.
func (c Config) check() error {
	p := c.Network
	switch {
	case !p.Everything || len(p.Rules) > 0 || len(p.Loopback) > 0:
		return &limpet.OptionError{Option: "Network", Text: "MistralSandbox cannot keep a machine of Koyeb from the network, so it enforces the policy all and no other: set the network argument to all"}
	case reflect.DeepEqual(p, netpolicy.All()):
		return nil
	case c.Proxy.Server == nil:
		return &limpet.OptionError{Option: "Network", Text: "MistralSandbox adds header bindings by a proxy that Koyeb can reach: set Proxy"}
	}
	u, err := url.Parse(c.Proxy.URL)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || u.User != nil || u.Path != "" && u.Path != "/" || u.RawQuery != "" || u.Fragment != "" {
		return &limpet.OptionError{Option: "Proxy", Text: fmt.Sprintf("the address of the proxy, %q, is not http://HOST:PORT or https://HOST:PORT", c.Proxy.URL)}
	}
	_, err = p.Open()
	return err
}

// A way is the pass of a machine through the proxy. The nil way is none.
type way struct {
	proxy  Proxy
	pass   *proxy.Pass
	bundle string
	first  sync.Once
}

// newWay issues a pass, where the policy needs one.
func newWay(c Config, control string) (*way, error) {
	if reflect.DeepEqual(c.Network, netpolicy.All()) {
		return nil, nil
	}
	pass, err := c.Proxy.Server.Issue(c.Network, nil, cmp.Or(c.Proxy.Good, proxy.Good))
	if err != nil {
		return nil, err
	}
	return &way{proxy: c.Proxy, pass: pass, bundle: box.Bundle(control)}, nil
}

// setup returns what the next command sources, each time with another key.
func (w *way) setup(context.Context) (proxy.Setup, error) {
	renew := true
	w.first.Do(func() { renew = false })
	if renew {
		w.pass.Renew()
	}
	return w.pass.Setup(w.proxy.URL, w.bundle), nil
}

// close takes the pass back.
func (w *way) close() {
	if w != nil {
		w.proxy.Server.Revoke(w.pass)
	}
}
