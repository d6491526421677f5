package netpolicy

import (
	"fmt"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
)

// A URL is a URL of HTTP in the one form that policies look at and that is sent.
type URL struct {
	Scheme   string     // http or https
	User     string     // user and password as written; "" if none
	Host     string     // a name in lower case and ASCII, or Addr as text
	Addr     netip.Addr // valid where the host is an address
	Port     uint16
	Path     string // escaped, with its dot segments removed; never empty
	Query    string // as written, with its question mark
	Fragment string // as written, with its number sign
}

// A URLError says what is wrong with a URL.
type URLError struct{ Reason string }

// Error returns the reason.
func (e *URLError) Error() string { return e.Reason }

func badURL(format string, args ...any) error { return &URLError{fmt.Sprintf(format, args...)} }

// ports are the schemes, and where their servers listen.
var ports = map[string]uint16{"http": 80, "https": 443}

// ParseURL parses an absolute URL of HTTP. What different programs read
// differently is brought into one form, which is what is sent then, or refused:
//
//   - control characters, spaces, backslashes before the query, more than one @;
//   - hosts with percent signs, empty labels or zones;
//   - international names become ASCII; a final dot is dropped;
//   - numbers, as in 0x7f.1, become the IPv4 address that inet_aton makes of them;
//   - dot segments, with their dots encoded or not, are removed from the path.
func ParseURL(text string) (*URL, error) {
	for i := 0; i < len(text); i++ {
		if text[i] <= ' ' || text[i] == 0x7f {
			return nil, badURL("a control character or space in the URL")
		}
	}
	scheme, rest, ok := strings.Cut(text, "://")
	if !ok {
		return nil, badURL("no scheme in the URL")
	}
	u := &URL{Scheme: strings.ToLower(scheme)}
	if ports[u.Scheme] == 0 {
		return nil, badURL("scheme %q is not http or https", scheme)
	}
	end := strings.IndexAny(rest, "/?#")
	if end < 0 {
		end = len(rest)
	}
	authority, rest := rest[:end], rest[end:]
	if i := strings.IndexByte(rest, '#'); i >= 0 {
		rest, u.Fragment = rest[:i], rest[i:]
	}
	if i := strings.IndexByte(rest, '?'); i >= 0 {
		rest, u.Query = rest[:i], rest[i:]
	}
	if strings.Contains(authority+rest, `\`) {
		return nil, badURL("a backslash in the URL")
	}
	if err := u.setAuthority(authority); err != nil {
		return nil, err
	}
	u.Path = cleanPath(rest)
	return u, nil
}

// setAuthority parses what stands between the scheme and the path.
func (u *URL) setAuthority(text string) (err error) {
	if user, host, ok := strings.Cut(text, "@"); ok {
		u.User, text = user, host
		if strings.Contains(text, "@") {
			return badURL("more than one @ in the host of the URL")
		}
	}
	host, port, err := splitPort(text)
	if err != nil {
		return err
	}
	if u.Port, err = parsePort(port, ports[u.Scheme]); err != nil {
		return err
	}
	u.Host, u.Addr, err = parseHost(host)
	return err
}

// splitPort splits a host from the port after it.
func splitPort(text string) (host, port string, err error) {
	if strings.HasPrefix(text, "[") {
		end := strings.IndexByte(text, ']')
		if end < 0 {
			return "", "", badURL("no ] after an IPv6 address")
		}
		host, text = text[:end+1], text[end+1:]
		if text != "" && text[0] != ':' {
			return "", "", badURL("text after an IPv6 address")
		}
		return host, strings.TrimPrefix(text, ":"), nil
	}
	host, port, _ = strings.Cut(text, ":")
	return host, port, nil
}

// parsePort parses a port; none is the standard one.
func parsePort(text string, standard uint16) (uint16, error) {
	if text == "" {
		return standard, nil
	}
	n := 0
	for i := 0; i < len(text); i++ {
		if text[i] < '0' || text[i] > '9' {
			return 0, badURL("port %q is not a number", text)
		}
		if n = 10*n + int(text[i]-'0'); n > 0xffff {
			return 0, badURL("port %q is not between 1 and 65535", text)
		}
	}
	if n == 0 {
		return 0, badURL("port %q is not between 1 and 65535", text)
	}
	return uint16(n), nil
}

// standardPort reports whether the port is the scheme's own.
func (u *URL) standardPort() bool { return u.Port == ports[u.Scheme] }

// HostPort returns the host as a Host header has it: with the port where it is
// not the scheme's own, and brackets around an IPv6 address.
func (u *URL) HostPort() string {
	host := u.Host
	if u.Addr.Is6() {
		host = "[" + host + "]"
	}
	if !u.standardPort() {
		host += ":" + strconv.Itoa(int(u.Port))
	}
	return host
}

// Redacted returns the URL without its user, query and fragment, for messages.
func (u *URL) Redacted() string { return u.Scheme + "://" + u.HostPort() + u.Path }

// String returns the URL without its user and fragment.
func (u *URL) String() string { return u.Redacted() + u.Query }

// HTTP returns the URL for a request. Its path and query are sent as they are.
func (u *URL) HTTP() *url.URL {
	h := &url.URL{Scheme: u.Scheme, Host: u.HostPort(), Opaque: u.Path}
	if u.Query != "" {
		h.RawQuery, h.ForceQuery = u.Query[1:], u.Query == "?"
	}
	if strings.HasPrefix(u.Path, "//") {
		h.Opaque = u.Scheme + "://" + u.HostPort() + u.Path // else it would be an authority
	}
	return h
}

// fromHTTP returns the URL of a request.
func fromHTTP(h *url.URL) (*URL, error) {
	path := h.Opaque
	if path == "" {
		path = h.EscapedPath()
	}
	path = strings.TrimPrefix(path, h.Scheme+"://"+h.Host)
	if path != "" && path[0] != '/' {
		return nil, badURL("a path that does not begin with /")
	}
	text := h.Scheme + "://" + h.Host + path
	if h.RawQuery != "" || h.ForceQuery {
		text += "?" + h.RawQuery
	}
	return ParseURL(text)
}

// cleanPath decodes the dots of a path and removes its dot segments, as RFC 3986,
// section 5.2.4, does. The rest stays as it is written.
func cleanPath(path string) string {
	if path == "" {
		return "/"
	}
	if !strings.Contains(path, "/.") && !strings.Contains(path, "%2") {
		return path
	}
	var out []string
	segments := strings.Split(path[1:], "/")
	for i, s := range segments {
		last := i == len(segments)-1
		switch dots := strings.ReplaceAll(strings.ReplaceAll(s, "%2e", "."), "%2E", "."); {
		case dots == ".":
			s = ""
		case dots == "..":
			out = out[:max(len(out)-1, 0)]
			s = ""
		default:
			out = append(out, s)
			continue
		}
		if last {
			out = append(out, s)
		}
	}
	return "/" + strings.Join(out, "/")
}

// plainPath returns a path with its needless encodings removed, for comparison,
// and whether all programs take it for the same.
func plainPath(path string) (plain string, ok bool) {
	var b strings.Builder
	for i := 0; i < len(path); i++ {
		c := path[i]
		if c == '%' {
			n, err := strconv.ParseUint(path[i+1:min(i+3, len(path))], 16, 8)
			if err != nil || len(path) < i+3 {
				return "", false
			}
			c = byte(n)
			i += 2
			if c == '/' || c == '\\' || c == '%' || c == ';' || c < ' ' || c == 0x7f {
				return "", false
			}
		} else if c == ';' { // parameters, which some servers drop
			return "", false
		}
		b.WriteByte(c)
	}
	plain = b.String()
	return plain, !strings.Contains(plain, "//") && cleanPath(plain) == plain
}
