package proxy

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"net/netip"
	"time"

	"github.com/limpet-sh/limpet/netpolicy"
)

// The questions of an owner.
const (
	askOpen  = "open"  // an opening: the proxy is to begin; a wireSetup
	askRenew = "renew" // nothing: there is to be another key; a wireSetup
)

// The questions of a proxy.
const (
	askResolve = "resolve" // the name of a host: its addresses
	askToken   = "token"   // the index of a binding: a token of its source
	askBind    = "bind"    // a bindQuestion: the bindings of a function
	askVerify  = "verify"  // a verifyQuestion: nothing
	askEvent   = "event"   // a wireEvent, which has no answer
)

// An opening says what the proxy of a sandbox is.
type opening struct {
	Listen string        // the address to listen at, which the sandbox reaches it at
	Bundle string        // see Pass.Setup
	Good   time.Duration // of a key
	Policy wirePolicy
}

// A wirePolicy is a policy, without what only its owner can do.
type wirePolicy struct {
	Everything bool
	Rules      []netpolicy.Rule
	Bindings   []wireBinding
	Resolver   bool // the owner resolves names
	Log        bool // the owner is told of decisions
}

// A wireBinding is a binding, one of its kinds.
type wireBinding struct {
	Header  *netpolicy.HeaderBinding
	GitHub  *netpolicy.GitHubBinding
	Mistral *netpolicy.MistralApiBinding
	Func    bool
	Source  bool // the owner has the source of its tokens
}

type bindQuestion struct {
	Binding int
	Host    string
}

type verifyQuestion struct {
	Host  string
	Chain [][]byte
}

// A wireEvent is an event.
type wireEvent struct {
	netpolicy.Event
	Err    string
	Denied *netpolicy.DeniedError
}

// wire makes what is sent of a policy, and refuses what a proxy elsewhere cannot do.
func wire(p netpolicy.Policy) (w wirePolicy, err error) {
	if len(p.Loopback) > 0 {
		return w, errors.New("network policy: ports of the host's loopback interface cannot be reached by a proxy elsewhere")
	}
	if p.Dial != nil || p.Verify != nil {
		return w, errors.New("network policy: a proxy elsewhere cannot use Dial and Verify")
	}
	for _, r := range p.Rules {
		if r.Scheme == "tcp" {
			return w, errors.New("network policy: a proxy has no connections but those of HTTP and HTTPS: a rule is for tcp")
		}
	}
	w = wirePolicy{Everything: p.Everything, Rules: p.Rules, Resolver: p.Resolver != nil, Log: p.Log != nil}
	for _, b := range p.Bindings {
		one, _, err := split(b)
		if err != nil {
			return w, err
		}
		w.Bindings = append(w.Bindings, one)
	}
	return w, nil
}

// split takes the source of its tokens from a binding.
func split(b netpolicy.Binding) (w wireBinding, source netpolicy.TokenSource, err error) {
	switch b := b.(type) {
	case netpolicy.HeaderBinding:
		source, b.Source = b.Source, nil
		w.Header = &b
	case netpolicy.GitHubBinding:
		source, b.Source = b.Source, nil
		w.GitHub = &b
	case netpolicy.MistralApiBinding:
		source, b.Source = b.Source, nil
		w.Mistral = &b
	case netpolicy.BindingFunc:
		w.Func = true
	default:
		return w, nil, fmt.Errorf("network policy: a binding of the type %T", b)
	}
	w.Source = source != nil
	return w, source, nil
}

// A remote is the owner as a proxy elsewhere sees it.
type remote struct{ peer *peer }

// policy makes the policy that was sent.
func (r remote) policy(w wirePolicy) netpolicy.Policy {
	p := netpolicy.Policy{Everything: w.Everything, Rules: w.Rules, Verify: r.verify}
	if w.Resolver {
		p.Resolver = r
	}
	if w.Log {
		p.Log = r.log
	}
	for i, b := range w.Bindings {
		p.Bindings = append(p.Bindings, r.binding(i, b))
	}
	return p
}

func (r remote) binding(i int, w wireBinding) netpolicy.Binding {
	var source netpolicy.TokenSource
	if w.Source {
		source = remoteSource{r, i}
	}
	switch {
	case w.Header != nil:
		w.Header.Source = source
		return *w.Header
	case w.GitHub != nil:
		w.GitHub.Source = source
		return *w.GitHub
	case w.Mistral != nil:
		w.Mistral.Source = source
		return *w.Mistral
	}
	return netpolicy.BindingFunc(func(ctx context.Context, host string) (list []netpolicy.HeaderBinding, err error) {
		err = r.peer.ask(ctx, askBind, bindQuestion{i, host}, &list)
		return list, err
	})
}

// LookupNetIP has the owner resolve a name.
func (r remote) LookupNetIP(ctx context.Context, _, host string) (list []netip.Addr, err error) {
	err = r.peer.ask(ctx, askResolve, host, &list)
	return list, err
}

// verify has the owner check certificates.
func (r remote) verify(ctx context.Context, host string, chain []*x509.Certificate) error {
	q := verifyQuestion{Host: host}
	for _, c := range chain {
		q.Chain = append(q.Chain, c.Raw)
	}
	var nothing struct{}
	return r.peer.ask(ctx, askVerify, q, &nothing)
}

func (r remote) log(e netpolicy.Event) {
	w := wireEvent{Event: e}
	if e.Err != nil {
		w.Err = e.Err.Error()
		w.Denied, _ = errors.AsType[*netpolicy.DeniedError](e.Err)
	}
	w.Event.Err = nil
	r.peer.tell(askEvent, w)
}

// A remoteSource is a source of tokens that the owner has.
type remoteSource struct {
	remote
	index int
}

// Token has the owner make one.
func (s remoteSource) Token(ctx context.Context) (t netpolicy.Token, err error) {
	err = s.peer.ask(ctx, askToken, s.index, &t)
	return t, err
}
