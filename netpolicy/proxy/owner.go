package proxy

import (
	"cmp"
	"context"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"strings"
	"time"

	"github.com/limpet-sh/limpet/netpolicy"
)

// An Owner has a policy that a proxy elsewhere enforces: [Egress], as in a container
// beside the sandbox. Over a connection that may be cut and made again, it tells it the
// policy, and does for it what only the owner can: it resolves names where the policy has
// a Resolver, checks certificates of servers whose requests are looked into, makes
// tokens, and keeps the log.
type Owner struct {
	policy netpolicy.Policy
	wire   wirePolicy
	peer   peer
}

// Good is how long a key is good where nothing else is said.
const Good = time.Hour

// NewOwner returns the owner of a policy. It fails where a proxy elsewhere cannot enforce
// it: rules for tcp, and ports of the loopback interface.
func NewOwner(policy netpolicy.Policy) (*Owner, error) {
	if _, err := policy.Open(); err != nil {
		return nil, err
	}
	w, err := wire(policy)
	if err != nil {
		return nil, err
	}
	o := &Owner{policy: policy, wire: w}
	o.peer.handle = o.handle
	return o, nil
}

// Serve speaks with the proxy over a connection until that ends. It may be called again
// with another one.
func (o *Owner) Serve(ctx context.Context, r io.Reader, w io.Writer) error {
	if _, err := io.WriteString(w, "\n"); err != nil { // ends what a cut connection has begun
		return err
	}
	return o.peer.speak(ctx, r, w)
}

// Open has the proxy begin, at an address that the sandbox reaches it at. Keys are good
// for a time, zero meaning Good; bundle is as for [Pass.Setup].
func (o *Owner) Open(ctx context.Context, address, bundle string, good time.Duration) (s Setup, err error) {
	err = o.peer.ask(ctx, askOpen, opening{Listen: address, Bundle: bundle, Good: cmp.Or(good, Good), Policy: o.wire}, &s)
	return s, err
}

// Renew has the proxy make another key.
func (o *Owner) Renew(ctx context.Context) (s Setup, err error) {
	err = o.peer.ask(ctx, askRenew, nil, &s)
	return s, err
}

// handle answers a question of the proxy.
func (o *Owner) handle(ctx context.Context, ask string, body json.RawMessage) (any, error) {
	switch ask {
	case askResolve:
		return answer(body, func(host string) ([]netip.Addr, error) {
			if o.policy.Resolver == nil {
				return nil, errors.New("the policy has no resolver")
			}
			return o.policy.Resolver.LookupNetIP(ctx, "ip", host)
		})
	case askToken:
		return answer(body, func(i int) (netpolicy.Token, error) { return o.token(ctx, i) })
	case askBind:
		return answer(body, func(q bindQuestion) ([]netpolicy.HeaderBinding, error) { return o.bind(ctx, q) })
	case askVerify:
		return answer(body, func(q verifyQuestion) (struct{}, error) { return struct{}{}, o.verify(ctx, q) })
	case askEvent:
		return answer(body, func(e wireEvent) (struct{}, error) { o.log(e); return struct{}{}, nil })
	}
	return nil, fmt.Errorf("a question that is not known: %q", ask)
}

// answer decodes a question and answers it.
func answer[Q, A any](body json.RawMessage, by func(Q) (A, error)) (any, error) {
	var q Q
	if err := json.Unmarshal(body, &q); err != nil {
		return nil, err
	}
	return by(q)
}

// binding returns one of the policy.
func (o *Owner) binding(i int) (netpolicy.Binding, error) {
	if i < 0 || i >= len(o.policy.Bindings) {
		return nil, fmt.Errorf("there is no binding %d", i)
	}
	return o.policy.Bindings[i], nil
}

func (o *Owner) token(ctx context.Context, i int) (t netpolicy.Token, err error) {
	b, err := o.binding(i)
	if err != nil {
		return t, err
	}
	_, source, err := split(b)
	if err != nil || source == nil {
		return t, errors.Join(err, errors.New("the binding has no source of tokens"))
	}
	return source.Token(ctx)
}

// bind asks a function for bindings, and puts the tokens into them.
func (o *Owner) bind(ctx context.Context, q bindQuestion) ([]netpolicy.HeaderBinding, error) {
	b, err := o.binding(q.Binding)
	if err != nil {
		return nil, err
	}
	f, ok := b.(netpolicy.BindingFunc)
	if !ok {
		return nil, errors.New("the binding is no function")
	}
	list, err := f(ctx, q.Host)
	if err != nil {
		return nil, err
	}
	for i, b := range list {
		if b.Source == nil {
			continue
		}
		t, err := b.Source.Token(ctx)
		if err != nil {
			return nil, err
		}
		list[i].Source, list[i].Value = nil, t.Value
		if b.Value != "" {
			list[i].Value = strings.ReplaceAll(b.Value, "{token}", t.Value)
		}
	}
	return list, nil
}

func (o *Owner) verify(ctx context.Context, q verifyQuestion) error {
	var chain []*x509.Certificate
	for _, der := range q.Chain {
		c, err := x509.ParseCertificate(der)
		if err != nil {
			return err
		}
		chain = append(chain, c)
	}
	return o.policy.VerifyServer(ctx, q.Host, chain)
}

// log is called for one event after the other, as what has no answer is.
func (o *Owner) log(e wireEvent) {
	if o.policy.Log == nil {
		return
	}
	switch {
	case e.Denied != nil:
		e.Event.Err = e.Denied
	case e.Err != "":
		e.Event.Err = errors.New(e.Err)
	}
	o.policy.Log(e.Event)
}
