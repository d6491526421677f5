package netpolicy

import (
	"net/netip"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/idna"
)

// names brings international names into ASCII. It refuses what the standard
// forbids, such as a joiner where there is nothing to join.
var names = idna.New(idna.MapForLookup(), idna.BidiRule(), idna.CheckJoiners(true), idna.StrictDomainName(false))

// parseHost brings the host of a URL into its one form. The address is valid
// where it is one.
func parseHost(text string) (string, netip.Addr, error) {
	if strings.HasPrefix(text, "[") {
		return parseIPv6(strings.Trim(text, "[]"))
	}
	if text == "" {
		return "", netip.Addr{}, badURL("no host in the URL")
	}
	if strings.Contains(text, "%") {
		return "", netip.Addr{}, badURL("a percent sign in the host")
	}
	host, err := names.ToASCII(text)
	if err != nil || !utf8.ValidString(text) {
		return "", netip.Addr{}, badURL("host %q is not a valid name", text)
	}
	host = strings.TrimSuffix(strings.ToLower(host), ".")
	if len(host) > 253 {
		return "", netip.Addr{}, badURL("the host is longer than 253 bytes")
	}
	last := host
	for label := range strings.SplitSeq(host, ".") {
		if !validLabel(label) {
			return "", netip.Addr{}, badURL("host %q is not a valid name", text)
		}
		last = label
	}
	if numeric(last) {
		a, ok := parseIPv4(host)
		if !ok {
			return "", netip.Addr{}, badURL("host %q is not an IPv4 address", text)
		}
		return a.String(), a, nil
	}
	return host, netip.Addr{}, nil
}

func parseIPv6(text string) (string, netip.Addr, error) {
	if strings.Contains(text, "%") {
		return "", netip.Addr{}, badURL("a zone in the host %q", text)
	}
	a, err := netip.ParseAddr(text)
	if err != nil || !a.Is6() {
		return "", netip.Addr{}, badURL("host %q is not an IPv6 address", text)
	}
	return a.String(), a, nil
}

// validLabel reports whether a label is of letters, digits, hyphens and
// underscores.
func validLabel(label string) bool {
	for i := 0; i < len(label); i++ {
		c := label[i]
		if !('a' <= c && c <= 'z' || '0' <= c && c <= '9' || c == '-' || c == '_') {
			return false
		}
	}
	return label != "" && len(label) <= 63
}

// numeric reports whether a label is a number, which makes a host an address.
func numeric(label string) bool {
	if strings.HasPrefix(label, "0x") {
		return strings.Trim(label[2:], "0123456789abcdef") == ""
	}
	return strings.Trim(label, "0123456789") == ""
}

// parseIPv4 parses an address as inet_aton does: up to four numbers in decimal,
// octal or hexadecimal, of which the last fills what remains.
func parseIPv4(text string) (netip.Addr, bool) {
	parts := strings.Split(text, ".")
	if len(parts) > 4 {
		return netip.Addr{}, false
	}
	var sum uint64
	for i, p := range parts {
		base := 10
		if strings.HasPrefix(p, "0x") {
			base, p = 16, p[2:]
		} else if len(p) > 1 && p[0] == '0' {
			base = 8
		}
		n, err := strconv.ParseUint(p, base, 32)
		if p == "" && base == 16 {
			n, err = 0, nil
		}
		if err != nil {
			return netip.Addr{}, false
		}
		bits := 8
		if i == len(parts)-1 {
			bits = 8 * (5 - len(parts))
		}
		if n>>bits != 0 {
			return netip.Addr{}, false
		}
		sum = sum<<bits | n
	}
	return netip.AddrFrom4([4]byte{byte(sum >> 24), byte(sum >> 16), byte(sum >> 8), byte(sum)}), true
}
