package netpolicy

import (
	"fmt"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"

	"golang.org/x/time/rate"
)

// A Rule allows requests. Each field narrows it; Host or CIDR must be set.
type Rule struct {
	// Scheme is https, http, or tcp for connections that are no requests.
	// Empty means https.
	Scheme string

	// Host is a name, an IP address, or a name with a dot before it, as in
	// ".example.com", which stands for all names that end so and not for
	// example.com. An address names itself, special or not; a name does not
	// admit [Special] addresses. Empty means any host in CIDR.
	Host string

	// CIDR is where the dialled address must be. One that lies within a
	// special range names it, so that a name may have an address there. The
	// zero Prefix means any address.
	CIDR netip.Prefix

	// Port of the server. Zero means that of the scheme; a rule for tcp
	// must say it.
	Port uint16

	// Methods are those allowed, in upper case. Nil means all.
	Methods []string

	// Path is what the path must be or begin with, up to a slash. Paths
	// that programs read differently, as those with encoded slashes, match
	// none. Empty means any path.
	Path string

	// Rate is how many requests a second are made; those above it wait.
	// Burst is how many may go at once. Zero means no bound, and a burst
	// of what the rate makes in a fifth of a second, but at least 1.
	Rate  float64
	Burst int

	// Requests and Bytes bound the requests of a sandbox, and the bytes of
	// their bodies in both directions. Zero means no bound.
	Requests int64
	Bytes    int64
}

// HostRule returns the rule for an entry of [Allow].
func HostRule(entry string) (Rule, error) {
	bad := func(reason string) (Rule, error) {
		return Rule{}, fmt.Errorf("network host %q: %s", entry, reason)
	}
	switch {
	case entry == "":
		return bad("empty; want a host name or an IP address")
	case strings.Contains(entry, "://"):
		return bad("a scheme is not allowed; want HOST or HOST:PORT, which is reached by HTTPS")
	case strings.Contains(entry, "*"):
		return bad("wildcards are not allowed; name each host")
	case strings.ContainsAny(entry, "/?#"):
		return bad("a path is not allowed; want HOST or HOST:PORT")
	case strings.ContainsAny(entry, "@\\ \t\r\n"):
		return bad("want HOST or HOST:PORT")
	case strings.HasPrefix(entry, "."):
		return bad("a suffix is not allowed; name each host")
	}
	if a, err := netip.ParseAddr(entry); err == nil && a.Is6() {
		entry = "[" + entry + "]"
	}
	host, port, err := splitPort(entry)
	if err != nil {
		return bad(err.Error())
	}
	r := Rule{Host: strings.Trim(host, "[]")}
	if strings.HasSuffix(entry, ":") {
		return bad("no port after the colon")
	}
	if r.Port, err = parsePort(port, 443); err != nil {
		return bad(err.Error())
	}
	if _, err = r.compile(); err != nil {
		return bad(err.Error())
	}
	return r, nil
}

// A ruleState is a rule in force.
type ruleState struct {
	Rule
	text     string     // how messages name it
	addr     netip.Addr // valid where the host is an address
	named    bool       // CIDR names special addresses
	limiter  *rate.Limiter
	requests atomic.Int64
	bytes    atomic.Int64
}

// compile checks a rule and brings it into its one form.
func (r Rule) compile() (s *ruleState, err error) {
	s = &ruleState{Rule: r}
	if s.Scheme == "" {
		s.Scheme = "https"
	}
	if ports[s.Scheme] == 0 && s.Scheme != "tcp" {
		return nil, fmt.Errorf("scheme %q is not https, http or tcp", r.Scheme)
	}
	if s.Port == 0 {
		if s.Port = ports[s.Scheme]; s.Port == 0 {
			return nil, fmt.Errorf("a rule for tcp needs a port")
		}
	}
	if err := s.compileHost(); err != nil {
		return nil, err
	}
	for _, m := range r.Methods {
		if m == "" || strings.ToUpper(m) != m || s.Scheme == "tcp" {
			return nil, fmt.Errorf("method %q is not one in upper case", m)
		}
	}
	if r.Path != "" {
		plain, ok := plainPath(r.Path)
		if !ok || plain[0] != '/' || s.Scheme == "tcp" {
			return nil, fmt.Errorf("path %q is not an absolute path without dot segments and encoded slashes", r.Path)
		}
		s.Path = strings.TrimSuffix(plain, "/")
	}
	if r.Rate < 0 || r.Burst < 0 || r.Requests < 0 || r.Bytes < 0 {
		return nil, fmt.Errorf("a negative bound")
	}
	if r.Rate > 0 {
		burst := r.Burst
		if burst == 0 {
			burst = max(1, int(r.Rate/5))
		}
		s.limiter = rate.NewLimiter(rate.Limit(r.Rate), burst)
	}
	s.text = s.String()
	return s, nil
}

func (s *ruleState) compileHost() (err error) {
	if s.Host == "" {
		if !s.CIDR.IsValid() {
			return fmt.Errorf("a rule needs a host or a CIDR")
		}
	} else {
		name, suffix := strings.CutPrefix(s.Host, ".")
		if strings.Contains(name, ":") {
			name = "[" + name + "]"
		}
		if name, s.addr, err = parseHost(name); err != nil {
			return err
		}
		if s.addr.Is4In6() {
			return fmt.Errorf("%v is an IPv4-mapped address; name the IPv4 address", s.addr)
		}
		if s.Host = name; suffix {
			if s.addr.IsValid() {
				return fmt.Errorf("suffix %q is an address", "."+name)
			}
			s.Host = "." + name
		}
	}
	if s.CIDR.IsValid() {
		if s.CIDR.Addr().Is4In6() || s.CIDR != s.CIDR.Masked() {
			return fmt.Errorf("CIDR %v has bits below its mask, or is IPv4-mapped", s.CIDR)
		}
		s.named = named(s.CIDR)
	}
	return nil
}

// String returns what the rule allows, for messages.
func (s *ruleState) String() string {
	host := s.Host
	if s.addr.Is6() {
		host = "[" + host + "]"
	}
	if s.Host == "" {
		host = s.CIDR.String()
	}
	text := s.Scheme + "://" + host
	if s.Port != ports[s.Scheme] {
		text += ":" + strconv.Itoa(int(s.Port))
	}
	return text + s.Path
}

// matchesHost reports whether the rule is about a host.
func (s *ruleState) matchesHost(t *target) bool {
	switch {
	case s.Host == "":
		return !t.addr.IsValid() || s.CIDR.Contains(t.addr)
	case s.Host[0] == '.':
		return strings.HasSuffix(t.host, s.Host)
	case s.addr.IsValid():
		return s.addr == t.addr
	}
	return s.Host == t.host
}

// differs returns what keeps a rule that is about the host from matching, or "".
func (s *ruleState) differs(t *target) string {
	switch {
	case s.Scheme != t.scheme:
		return fmt.Sprintf("only %s is allowed there, not %s", s.Scheme, t.scheme)
	case s.Port != t.port:
		return fmt.Sprintf("only port %d is allowed there, not %d", s.Port, t.port)
	case s.Methods != nil && !slices.Contains(s.Methods, t.method):
		return fmt.Sprintf("only %s is allowed there, not %s", strings.Join(s.Methods, ", "), t.method)
	case s.Path != "" && !within(t.path, s.Path):
		return "the path is not below " + s.Path
	}
	return ""
}

// within reports whether path is prefix or below it.
func within(path, prefix string) bool {
	plain, ok := plainPath(path)
	rest, below := strings.CutPrefix(plain, prefix)
	return ok && below && (rest == "" || rest[0] == '/')
}

// admits reports whether the rule allows a connection to an address, for a host
// that it matches.
func (s *ruleState) admits(a netip.Addr) bool {
	switch {
	case s.CIDR.IsValid() && !s.CIDR.Contains(a):
		return false
	case s.addr.IsValid():
		return s.addr == a
	case s.CIDR.IsValid() && s.named:
		return true
	}
	return Special(a) == ""
}
