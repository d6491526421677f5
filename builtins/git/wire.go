package git

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"

	"github.com/limpet-sh/limpet/netpolicy"
	"github.com/limpet-sh/limpet/vfs"
)

// A server is a repository that is reached by HTTP, in the first version of git's
// protocol.
type server struct {
	*git
	url string // without a final slash

	refs []ref             // what it has, HEAD too
	head string            // what HEAD refers to there; empty if that is not said
	can  map[string]string // capabilities
}

// userAgent is what servers see.
const userAgent = "git/" + release

// connect asks a server for its references. Service is git-upload-pack or
// git-receive-pack.
func (g *git) connect(url, service string) (*server, error) {
	scheme, _, ok := strings.Cut(url, "://")
	switch {
	case !ok:
		return nil, fatalf("transport 'file' not allowed")
	case scheme != "http" && scheme != "https":
		return nil, fatalf("transport '%s' not allowed", scheme)
	}
	s := &server{git: g, url: strings.TrimSuffix(url, "/"), can: map[string]string{}}
	res, err := s.request(http.MethodGet, "/info/refs?service="+service, "", nil, 0)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	if res.Header.Get("Content-Type") != "application/x-"+service+"-advertisement" {
		return nil, fatalf("%s/info/refs not valid: could not determine hash algorithm; is this a git repository?", anonymous(s.url))
	}
	return s, s.readRefs(bufio.NewReader(res.Body))
}

// request makes a request. Redirects are followed for the first one, and change
// the URL of those to come.
func (s *server) request(method, path, kind string, body io.Reader, size int64) (*http.Response, error) {
	for range 6 {
		u, err := netpolicy.ParseURL(s.url + path)
		if err != nil {
			return nil, fatalf("unable to access '%s/': %v", anonymous(s.url), err)
		}
		req, err := http.NewRequestWithContext(s.ctx, method, "http://host/", body)
		if err != nil {
			return nil, err
		}
		req.URL, req.Host = u.HTTP(), ""
		req.Header.Set("User-Agent", userAgent)
		if body != nil {
			req.ContentLength = size
			req.Header.Set("Content-Type", "application/x-"+kind+"-request")
			req.Header.Set("Accept", "application/x-"+kind+"-result")
		}
		if name, password, _ := strings.Cut(u.User, ":"); name != "" {
			req.SetBasicAuth(name, password)
		}
		for _, h := range s.extraHeaders() {
			name, value, _ := strings.Cut(h, ":")
			req.Header.Set(strings.TrimSpace(name), strings.TrimSpace(value))
		}
		res, err := s.Net.RoundTrip(req)
		if err != nil {
			return nil, s.unreachable(u, err)
		}
		location := res.Header.Get("Location")
		if res.StatusCode/100 == 3 && location != "" && method == http.MethodGet {
			res.Body.Close()
			if err := s.moved(u, location, path); err != nil {
				return nil, err
			}
			continue
		}
		if res.StatusCode != http.StatusOK {
			res.Body.Close()
			return nil, s.refusal(res.StatusCode, u)
		}
		return res, nil
	}
	return nil, fatalf("unable to access '%s/': Maximum redirects followed", anonymous(s.url))
}

// extraHeaders returns the headers of http.extraheader.
func (s *server) extraHeaders() (list []string) {
	settings, err := s.settings()
	if err != nil {
		return nil
	}
	for _, v := range settings {
		if v.key == "http.extraheader" && !strings.ContainsAny(v.value, "\r\n") {
			list = append(list, v.value)
		}
	}
	return list
}

// moved takes the place that a redirect leads to as that of the server.
func (s *server) moved(from *netpolicy.URL, location, path string) error {
	if strings.HasPrefix(location, "/") {
		location = from.Scheme + "://" + from.HostPort() + location
	}
	base, ok := strings.CutSuffix(location, path)
	if !ok || strings.HasPrefix(from.Scheme, "https") && !strings.HasPrefix(base, "https://") {
		return fatalf("unable to update url base from redirection:\n  asked for: %s\n   redirect: %s", anonymous(s.url)+path, anonymous(location))
	}
	s.url = base
	return nil
}

// anonymous returns a URL as messages show it, without user and password.
func anonymous(url string) string {
	scheme, rest, ok := strings.Cut(url, "://")
	host, path, slash := strings.Cut(rest, "/")
	at := strings.LastIndexByte(host, '@')
	if !ok || at < 0 {
		return url
	}
	url = scheme + "://" + host[at+1:]
	if slash {
		url += "/" + path
	}
	return url
}

// unreachable says why there is no response.
func (s *server) unreachable(u *netpolicy.URL, err error) error {
	var lookup *netpolicy.LookupError
	switch reason := netpolicy.Reason(err); {
	case s.Ends(err) && !errors.Is(err, netpolicy.ErrDenied):
		return err
	case errors.As(err, &lookup):
		return fatalf("unable to access '%s/': Could not resolve host: %s", anonymous(s.url), u.Host)
	case reason != "":
		return fatalf("unable to access '%s/': Failed to connect to %s port %d: %s", anonymous(s.url), u.Host, u.Port, reason)
	}
	return fatalf("unable to access '%s/': %v", anonymous(s.url), err)
}

// refusal says what a status means. There is nobody to ask for what is missing.
func (s *server) refusal(status int, u *netpolicy.URL) error {
	name, _, password := strings.Cut(u.User, ":")
	switch {
	case status == http.StatusUnauthorized && !password:
		what, who, why := "Username", "", vfs.ENXIO.Error()
		if name != "" {
			what, who = "Password", name+"@"
		}
		if s.Getenv("GIT_TERMINAL_PROMPT") == "0" {
			why = "terminal prompts disabled"
		}
		return fatalf("could not read %s for '%s://%s%s': %s", what, u.Scheme, who, u.HostPort(), why)
	case status == http.StatusUnauthorized:
		return fatalf("Authentication failed for '%s/'", anonymous(s.url))
	case status == http.StatusNotFound:
		return fatalf("repository '%s/' not found", anonymous(s.url))
	}
	return fatalf("unable to access '%s/': The requested URL returned error: %d", anonymous(s.url), status)
}

// maxPacket is the longest packet that there is.
const maxPacket = 65520

// readPacket reads a packet; nil is the end of a list.
func readPacket(r *bufio.Reader) ([]byte, error) {
	var size [4]byte
	if _, err := io.ReadFull(r, size[:]); err != nil {
		return nil, err
	}
	n, err := strconv.ParseUint(string(size[:]), 16, 16)
	switch {
	case err != nil || n > maxPacket || n > 0 && n < 4:
		return nil, fatalf("protocol error: bad line length character: %.4s", size)
	case n == 0:
		return nil, nil
	}
	data := make([]byte, n-4)
	_, err = io.ReadFull(r, data)
	return data, err
}

func packet(b *bytes.Buffer, format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	fmt.Fprintf(b, "%04x%s", len(text)+4, text)
}

// readRefs reads the references that a server has.
func (s *server) readRefs(r *bufio.Reader) error {
	bad := func(err error) error {
		if s.Ends(err) {
			return err
		}
		return fatalf("protocol error: unexpected response from '%s'", anonymous(s.url))
	}
	for sections := 0; sections < 2; {
		line, err := readPacket(r)
		if err != nil {
			return bad(err)
		}
		if line == nil {
			sections++ // one for the name of the service, one for the references
			continue
		}
		if err := s.Poll(1); err != nil {
			return err
		}
		if err := s.hold(len(line) + 64); err != nil {
			return err
		}
		text, caps, first := strings.Cut(strings.TrimSuffix(string(line), "\n"), "\x00")
		if strings.HasPrefix(text, "#") {
			continue
		}
		if first {
			s.readCapabilities(caps)
		}
		digits, name, ok := strings.Cut(text, " ")
		h, valid := parseHash(digits)
		if !ok || !valid {
			return bad(nil)
		}
		if name != "capabilities^{}" && !strings.HasSuffix(name, "^{}") && (name == "HEAD" || strings.HasPrefix(name, "refs/") && validRef(name)) {
			s.refs = append(s.refs, ref{name, h})
		}
	}
	return nil
}

func (s *server) readCapabilities(text string) {
	for word := range strings.FieldsSeq(text) {
		name, value, _ := strings.Cut(word, "=")
		s.can[name] = value
		if target, ok := strings.CutPrefix(value, "HEAD:"); ok && name == "symref" && validRef(target) {
			s.head = target
		}
	}
}

// find returns a reference of the server.
func (s *server) find(name string) (hash, bool) {
	for _, r := range s.refs {
		if r.name == name {
			return r.hash, true
		}
	}
	return hash{}, false
}
