package netpolicy

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"
)

// A Binding adds secrets to HTTPS requests to its hosts: a [HeaderBinding], a
// [GitHubBinding], a [MistralApiBinding] or a [BindingFunc].
//
// Scripts never see the secrets. They are put in after the policy has decided, in
// a copy of the request, and where a server sends one back in plain text it is
// replaced by asterisks; bind a secret only to hosts that do not send it back
// otherwise. A redirect to another host goes there without it.
type Binding interface {
	// headers returns what is bound to a host, which is one of hosts where
	// that is not nil.
	headers(ctx context.Context, host string) ([]*boundHeader, error)
	hosts() []string
	check() error
}

// A HeaderBinding adds a header to requests to one host.
type HeaderBinding struct {
	Host string // a name or address, with a port where that is not 443
	Name string // of the header, such as Authorization

	// Value is what the header is. A Source, where it is not nil, has its
	// tokens put in the place of the text {token} in Value, or makes up all of
	// it where Value is empty.
	Value  string
	Source TokenSource

	// Env makes this a placeholder: scripts find a random token in the
	// variable of this name, and where a header of a request to Host has
	// that token, the value is put in its place. Name is empty then.
	Env string
}

// A Token is a secret that may end.
type Token struct {
	Value   string
	Expires time.Time // zero means never
}

// A TokenSource makes tokens. It is asked for the first one when it is needed,
// and for another one before that expires; one call at a time.
type TokenSource interface {
	Token(ctx context.Context) (Token, error)
}

// A BindingFunc says what is bound to a host, for bindings that somebody else
// administers. It is called for every request to a host that the policy allows,
// and must be safe for concurrent use. The host is in the form of a URL, without
// the port 443. The bindings must have no Env.
type BindingFunc func(ctx context.Context, host string) ([]HeaderBinding, error)

// A boundHeader is a header to be put into requests.
type boundHeader struct {
	name        string
	value       string
	source      *cachedSource
	placeholder string
	encode      func(token string) string             // nil means none
	allows      func(method, path, query string) bool // nil means any request
}

// renewBefore is how long before its end a token is replaced.
const renewBefore = time.Minute

// A cachedSource keeps the token of a source while it is good.
type cachedSource struct {
	source TokenSource
	now    func() time.Time

	mu    sync.Mutex
	token Token
}

func newSource(s TokenSource) *cachedSource {
	if s == nil {
		return nil
	}
	return &cachedSource{source: s, now: time.Now}
}

func (s *cachedSource) get(ctx context.Context) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	good := s.token.Value != "" && (s.token.Expires.IsZero() || s.now().Before(s.token.Expires.Add(-renewBefore)))
	if !good {
		t, err := s.source.Token(ctx)
		if err != nil {
			return "", err
		}
		if t.Value == "" || strings.ContainsAny(t.Value, "\r\n\x00") {
			return "", fmt.Errorf("the token source gave no usable token")
		}
		s.token = t
	}
	return s.token.Value, nil
}

// secret returns the value of the header, and what of it is secret.
func (h *boundHeader) secret(ctx context.Context) (value string, err error) {
	if h.source == nil {
		return h.value, nil
	}
	token, err := h.source.get(ctx)
	if err != nil {
		return "", err
	}
	if h.encode != nil {
		token = h.encode(token)
	}
	if h.value == "" {
		return token, nil
	}
	return strings.ReplaceAll(h.value, "{token}", token), nil
}

func (b HeaderBinding) check() error {
	switch {
	case (b.Name == "") == (b.Env == ""):
		return fmt.Errorf("binding for %s: either Name or Env must be set", b.Host)
	case b.Name != "" && !validToken(b.Name):
		return fmt.Errorf("binding for %s: %q is not the name of a header", b.Host, b.Name)
	case b.Name != "" && forbiddenHeader(b.Name):
		return fmt.Errorf("binding for %s: the header %s cannot be bound", b.Host, b.Name)
	case b.Value == "" && b.Source == nil:
		return fmt.Errorf("binding for %s: neither Value nor Source is set", b.Host)
	case strings.ContainsAny(b.Value, "\r\n\x00"):
		return fmt.Errorf("binding for %s: the value has more than one line", b.Host)
	}
	return nil
}

// forbiddenHeader reports whether a header frames the request.
func forbiddenHeader(name string) bool {
	switch http.CanonicalHeaderKey(name) {
	case "Host", "Content-Length", "Transfer-Encoding", "Connection", "Upgrade", "Trailer", "Te":
		return true
	}
	return false
}

func validToken(s string) bool {
	for i := 0; i < len(s); i++ {
		c := s[i]
		if !('a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || strings.IndexByte("!#$%&'*+-.^_`|~", c) >= 0) {
			return false
		}
	}
	return s != ""
}

func (b HeaderBinding) hosts() []string { return []string{b.Host} }

func (b HeaderBinding) headers(context.Context, string) ([]*boundHeader, error) {
	h := &boundHeader{name: http.CanonicalHeaderKey(b.Name), value: b.Value, source: newSource(b.Source)}
	if b.Env != "" {
		h.name, h.placeholder = "", "limpet-placeholder-"+strings.ToLower(rand.Text())
	}
	return []*boundHeader{h}, nil
}

func (f BindingFunc) check() error {
	if f == nil {
		return fmt.Errorf("binding: a nil BindingFunc")
	}
	return nil
}

func (f BindingFunc) hosts() []string { return nil }

func (f BindingFunc) headers(ctx context.Context, host string) (list []*boundHeader, err error) {
	found, err := f(ctx, host)
	if err != nil {
		return nil, err
	}
	for _, b := range found {
		b.Host = host
		if err := b.check(); err != nil {
			return nil, err
		}
		if b.Env != "" {
			return nil, fmt.Errorf("binding for %s: a placeholder from a BindingFunc", host)
		}
		more, _ := b.headers(ctx, host)
		list = append(list, more...)
	}
	return list, nil
}

// A MistralApiBinding adds the key of an account to requests to the API of
// Mistral, at api.mistral.ai.
type MistralApiBinding struct {
	Key    string
	Source TokenSource // instead of Key
}

func (b MistralApiBinding) check() error {
	if (b.Key == "") == (b.Source == nil) {
		return fmt.Errorf("binding for Mistral: either Key or Source must be set")
	}
	return b.header().check()
}

func (b MistralApiBinding) hosts() []string { return []string{"api.mistral.ai"} }

func (b MistralApiBinding) header() HeaderBinding {
	h := HeaderBinding{Host: "api.mistral.ai", Name: "Authorization", Value: "Bearer {token}", Source: b.Source}
	if b.Source == nil {
		h.Value = "Bearer " + b.Key
	}
	return h
}

func (b MistralApiBinding) headers(ctx context.Context, host string) ([]*boundHeader, error) {
	return b.header().headers(ctx, host)
}

// basic is the value of an Authorization header for a user and a password.
func basic(user, password string) string {
	return "Basic " + base64.StdEncoding.EncodeToString([]byte(user+":"+password))
}
