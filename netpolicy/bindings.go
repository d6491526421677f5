package netpolicy

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
)

// bindings are the bindings of a policy.
type bindings struct {
	byHost  map[string][]*boundHeader // by URL.HostPort
	funcs   []Binding
	environ map[string]string
}

func newBindings(g *Guard, list []Binding) (*bindings, error) {
	b := &bindings{byHost: map[string][]*boundHeader{}}
	for _, binding := range list {
		if err := binding.check(); err != nil {
			return nil, err
		}
		if binding.hosts() == nil {
			b.funcs = append(b.funcs, binding)
		}
		for _, entry := range binding.hosts() {
			if err := b.add(g, binding, entry); err != nil {
				return nil, err
			}
		}
	}
	return b, nil
}

// add adds a binding for one host.
func (b *bindings) add(g *Guard, binding Binding, entry string) error {
	r, err := HostRule(entry)
	if err != nil {
		return fmt.Errorf("binding: %w", err)
	}
	s, err := r.compile()
	if err != nil {
		return fmt.Errorf("binding: %w", err)
	}
	u := &URL{Scheme: "https", Host: s.Host, Addr: s.addr, Port: s.Port}
	t := &target{host: u.Host, addr: u.Addr}
	if g.anyOf(t) == nil {
		return fmt.Errorf("binding for %s: the network policy does not allow that host", entry)
	}
	headers, err := binding.headers(context.Background(), u.HostPort())
	if err != nil {
		return err
	}
	if h, ok := binding.(HeaderBinding); ok && h.Env != "" {
		if b.environ == nil {
			b.environ = map[string]string{}
		}
		b.environ[h.Env] = headers[0].placeholder
	}
	b.byHost[u.HostPort()] = append(b.byHost[u.HostPort()], headers...)
	return nil
}

// secrets are what has been put into a request.
type secrets []string

// errCredentials hides the error of a source, which might have a secret in it.
var errCredentials = errors.New("credentials for the host are not available")

// apply puts what is bound to its host into a request, and returns the secrets,
// which is nil where there are none.
func (b *bindings) apply(req *http.Request, u *URL) (put secrets, err error) {
	if u.Scheme != "https" || len(b.byHost) == 0 && len(b.funcs) == 0 {
		return nil, nil
	}
	list := b.byHost[u.HostPort()]
	for _, f := range b.funcs {
		more, err := f.headers(req.Context(), u.HostPort())
		if err != nil {
			return nil, errCredentials
		}
		list = append(list[:len(list):len(list)], more...)
	}
	for _, h := range list {
		if h.allows != nil && !h.allows(req.Method, u.Path, u.Query) {
			continue
		}
		if h.placeholder != "" && !carries(req.Header, h.placeholder) {
			continue
		}
		if req.Host != "" && !strings.EqualFold(req.Host, u.HostPort()) || req.Method == http.MethodTrace {
			return nil, &DeniedError{Target: u.Redacted(), Reason: "a request with another Host header, or with the method TRACE, to a host that a secret is bound to"}
		}
		value, err := h.secret(req.Context())
		if err != nil {
			return nil, errCredentials
		}
		put = append(put, h.put(req.Header, value)...)
	}
	if put != nil {
		// What comes back must be readable, for the secret to be found.
		req.Header.Set("Accept-Encoding", "identity")
	}
	return put, nil
}

// put puts a value into the headers, and returns what must not come back.
func (h *boundHeader) put(header http.Header, value string) []string {
	list := []string{value}
	if h.placeholder != "" {
		list = append(list, substitute(header, h.placeholder, value)...)
	} else {
		header[h.name] = []string{value}
	}
	if scheme, rest, ok := strings.Cut(value, " "); ok && rest != "" {
		list = append(list, rest)
		if plain, err := base64.StdEncoding.DecodeString(rest); err == nil && scheme == "Basic" {
			_, password, _ := strings.Cut(string(plain), ":")
			list = append(list, string(plain), password)
		}
	}
	return list
}

// carries reports whether a header has a placeholder.
func carries(header http.Header, placeholder string) bool {
	for _, values := range header {
		for _, v := range values {
			if strings.Contains(v, placeholder) || strings.Contains(decodeBasic(v), placeholder) {
				return true
			}
		}
	}
	return false
}

// decodeBasic returns the user and password of a header of basic authentication,
// or "".
func decodeBasic(v string) string {
	rest, ok := strings.CutPrefix(v, "Basic ")
	plain, err := base64.StdEncoding.DecodeString(rest)
	if !ok || err != nil {
		return ""
	}
	return string(plain)
}

// substitute puts a value in the place of a placeholder, and returns the headers
// that have it.
func substitute(header http.Header, placeholder, value string) (list []string) {
	for name, values := range header {
		out := make([]string, len(values)) // what is cloned may be shared
		for i, v := range values {
			if plain := decodeBasic(v); strings.Contains(plain, placeholder) {
				plain = strings.ReplaceAll(plain, placeholder, value)
				v = "Basic " + base64.StdEncoding.EncodeToString([]byte(plain))
				list = append(list, v[len("Basic "):])
			}
			out[i] = strings.ReplaceAll(v, placeholder, value)
		}
		header[name] = out
	}
	return list
}

// redactError returns an error without the secrets.
func (s secrets) redactError(err error) error {
	for _, secret := range s {
		if strings.Contains(err.Error(), secret) {
			return errCredentials
		}
	}
	return err
}

// shortest is the length from which on a secret is looked for in responses.
const shortest = 8

// redact replaces the secrets in a response by asterisks, as many as they have
// bytes.
func (s secrets) redact(res *http.Response) {
	var list [][]byte
	for _, secret := range s {
		if len(secret) >= shortest {
			list = append(list, []byte(secret))
		}
	}
	if list == nil {
		return
	}
	for name, values := range res.Header {
		for i, v := range values {
			res.Header[name][i] = string(mask([]byte(v), list))
		}
	}
	res.Status = string(mask([]byte(res.Status), list))
	res.Body = &maskedBody{body: res.Body, secrets: list}
}

// mask masks secrets in place.
func mask(text []byte, secrets [][]byte) []byte {
	for _, secret := range secrets {
		for at := 0; ; {
			i := bytes.Index(text[at:], secret)
			if i < 0 {
				break
			}
			at += i
			for j := range secret {
				text[at+j] = '*'
			}
		}
	}
	return text
}

// A maskedBody is a body without secrets. It holds back what might be the
// beginning of one.
type maskedBody struct {
	body    io.ReadCloser
	secrets [][]byte
	buf     []byte // read, and masked where a secret is whole
	ready   int    // how much of buf can be handed out
	err     error
}

// Read reads what is known to be no part of a secret.
func (m *maskedBody) Read(p []byte) (int, error) {
	for m.ready == 0 {
		if m.err != nil {
			return 0, m.err
		}
		m.fill()
	}
	n := copy(p, m.buf[:m.ready])
	m.buf, m.ready = m.buf[n:], m.ready-n
	return n, nil
}

func (m *maskedBody) fill() {
	chunk := make([]byte, len(m.buf)+32<<10)
	held := copy(chunk, m.buf)
	n, err := m.body.Read(chunk[held:])
	m.buf, m.err = mask(chunk[:held+n], m.secrets), err
	if m.ready = len(m.buf); err == nil {
		m.ready -= m.begun()
	}
}

// begun returns the length of the longest end of buf that a secret begins with.
func (m *maskedBody) begun() int {
	longest := 0
	for _, s := range m.secrets {
		for n := min(len(s)-1, len(m.buf)); n > longest; n-- {
			if bytes.HasSuffix(m.buf, s[:n]) {
				longest = n
			}
		}
	}
	return longest
}

// Close closes the body.
func (m *maskedBody) Close() error { return m.body.Close() }
