package serve

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/limpet-sh/limpet"
	"github.com/limpet-sh/limpet/client"
	"github.com/limpet-sh/limpet/limits"
	"github.com/limpet-sh/limpet/netpolicy"
)

// shell makes the sandbox of a session.
func (s *Server) shell(spec client.Spec) (*limpet.Shell, error) {
	cfg := limpet.Config{Env: spec.Env, Background: spec.Background, Extra: s.cfg.Extra, Guard: s.cfg.Guard}
	var err error
	if cfg.Limits, err = s.limits(spec); err != nil {
		return nil, err
	}
	if cfg.Network, err = s.network(spec.Network); err != nil {
		return nil, err
	}
	return limpet.New(cfg)
}

// limits returns what a session is bounded by: what it asks for, but no more than the
// server allows.
func (s *Server) limits(spec client.Spec) (limits.Limits, error) {
	l := s.cfg.Limits
	if spec.Profile != "" {
		var err error
		if l, err = limits.Profile(spec.Profile); err != nil {
			return l, err
		}
	}
	for name, value := range spec.Limits {
		if err := l.Set(name, value); err != nil {
			return l, err
		}
	}
	return l, l.Within(s.cfg.Limits)
}

// network returns the policy for hosts that a session asks for.
func (s *Server) network(hosts []string) (p netpolicy.Policy, err error) {
	if len(hosts) == 0 {
		return p, nil
	}
	p = s.cfg.Network
	if slices.Equal(hosts, []string{"all"}) {
		if !p.Everything {
			return p, errors.New("the network: this server does not allow all hosts")
		}
		return p, nil
	}
	asked, err := netpolicy.Allow(hosts...)
	if err != nil {
		return p, err
	}
	var rules []netpolicy.Rule
	for i, r := range asked.Rules {
		same := func(have netpolicy.Rule) bool { return have.Host == r.Host && cmp.Or(have.Port, 443) == r.Port }
		switch {
		case slices.ContainsFunc(s.cfg.Network.Rules, same):
			for _, have := range s.cfg.Network.Rules {
				if same(have) {
					rules = append(rules, have)
				}
			}
		case p.Everything:
			rules = append(rules, r)
		default:
			return p, fmt.Errorf("the network: this server does not allow %s", hosts[i])
		}
	}
	p.Everything, p.Rules, p.Loopback = false, rules, nil
	p.Bindings = slices.DeleteFunc(slices.Clone(p.Bindings), func(b netpolicy.Binding) bool { return !bindable(rules, b) })
	return p, nil
}

// bindable reports whether a policy of the rules can have a binding: its hosts are allowed.
func bindable(rules []netpolicy.Rule, b netpolicy.Binding) bool {
	_, err := netpolicy.Policy{Rules: rules, Bindings: []netpolicy.Binding{b}}.Open()
	return err == nil
}

// create makes a session for a client.
func (s *Server) create(ctx context.Context, c *account, spec client.Spec) (client.Session, error) {
	if spec.TTL > s.cfg.TTL.Seconds() {
		return client.Session{}, huma.Error422UnprocessableEntity(fmt.Sprintf("ttl: this server allows at most %v", s.cfg.TTL.Seconds()))
	}
	sh, err := s.shell(spec)
	if err != nil {
		return client.Session{}, huma.Error422UnprocessableEntity(err.Error())
	}
	talk, err := s.furnish(ctx, sh, spec)
	if err != nil {
		return client.Session{}, errors.Join(err, sh.Close())
	}
	spec.Files, spec.Setup, spec.State = nil, "", nil
	return s.adopt(ctx, c, spec, talk)
}

// furnish gives a new shell what the client wants to be there.
func (s *Server) furnish(ctx context.Context, sh *limpet.Shell, spec client.Spec) (*limpet.Session, error) {
	talk, err := sh.NewSession(ctx, limpet.SessionOptions{})
	if err != nil {
		return nil, err
	}
	if len(spec.State) > 0 {
		c, err := sh.Load(bytes.NewReader(spec.State), nil)
		if err == nil {
			err = talk.Restore(c)
		}
		if err != nil {
			return nil, huma.Error422UnprocessableEntity(fmt.Sprintf("state: %v", err))
		}
	}
	for _, f := range spec.Files {
		if err := sh.WriteFile(ctx, f.Path, f.Content, fs.FileMode(cmp.Or(f.Mode, 0o644))); err != nil {
			return nil, huma.Error422UnprocessableEntity(fmt.Sprintf("files: %v", err))
		}
	}
	if spec.Setup == "" {
		return talk, nil
	}
	res, err := sh.Exec(ctx, limpet.Request{Script: spec.Setup, Name: "setup", Batch: true})
	if err == nil && res.Status != 0 {
		err = huma.Error422UnprocessableEntity(fmt.Sprintf("%v", &limpet.SetupError{Result: res}))
	}
	return talk, err
}

// adopt makes a session of the server of one that nobody else has.
func (s *Server) adopt(ctx context.Context, c *account, spec client.Spec, talk *limpet.Session) (client.Session, error) {
	if err := s.reserve(ctx, c); err != nil {
		return client.Session{}, errors.Join(err, talk.Shell().Close())
	}
	defer c.making.Add(-1)
	id := strings.ToLower(rand.Text())
	held := s.newSession(c.Name + "." + id)
	held.users++
	held.shell, held.talk = talk.Shell(), talk
	s.mu.Lock()
	held.used = time.Now()
	s.sessions[held.key] = held
	s.mu.Unlock()
	defer held.release()
	err := held.start(ctx, func(ctx context.Context) (err error) {
		if held.origin, err = talk.Checkpoint(); err != nil {
			return err
		}
		data, err := bytesOf(held.origin, nil)
		if err != nil {
			return err
		}
		held.base = held.origin
		ttl := s.cfg.TTL
		if spec.TTL > 0 {
			ttl = time.Duration(spec.TTL * float64(time.Second))
		}
		r := &record{ID: id, Spec: spec, TTL: ttl, Created: time.Now(), Used: time.Now(), Dir: talk.Dir()}
		if r.Origin, err = s.putBlob(ctx, held.key, data); err != nil {
			return err
		}
		if data, err = bytesOf(held.origin, held.origin); err != nil {
			return err
		}
		r.Delta = part{Data: data}
		return held.write(ctx, r)
	})
	if err != nil {
		return client.Session{}, errors.Join(err, talk.Shell().Close())
	}
	s.metrics.created.Add(1)
	return held.record().session(), nil
}

// reserve notes that a client is about to have one more session, until its making is
// counted down. Servers that share a store may together allow a few more.
func (s *Server) reserve(ctx context.Context, c *account) error {
	making := c.making.Add(1)
	if c.Sessions == 0 {
		return nil
	}
	keys, err := s.cfg.Store.Keys(ctx, c.Name)
	if err == nil && int64(len(keys))+making > int64(c.Sessions) {
		err = huma.NewError(http.StatusTooManyRequests, fmt.Sprintf("there are %d sessions already, which is the quota: delete one", len(keys)))
	}
	if err != nil {
		c.making.Add(-1)
	}
	return err
}

// fork makes a session that goes on from where one is.
func (held *session) fork(ctx context.Context, c *account) (client.Session, error) {
	if err := held.lock(ctx); err != nil {
		return client.Session{}, err
	}
	talk, err := held.talk.Fork()
	held.unlock()
	if err != nil {
		return client.Session{}, err
	}
	return held.server.adopt(ctx, c, held.record().Spec, talk)
}
