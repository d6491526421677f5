package netpolicy

import "strings"

// reasons are the ends of the errors of connections, and what Unix calls them.
var reasons = []struct{ end, words string }{
	{"connection refused", "Connection refused"},
	{"no route to host", "No route to host"},
	{"host is unreachable", "No route to host"},
	{"network is unreachable", "Network is unreachable"},
	{"connection reset by peer", "Connection reset by peer"},
	{"broken pipe", "Broken pipe"},
	{"cannot assign requested address", "Cannot assign requested address"},
	{"timeout", "Connection timed out"},
	{"deadline exceeded", "Connection timed out"},
}

// Reason returns the words of Unix for the failure of a connection, or "" where
// there are none.
func Reason(err error) string {
	text := err.Error()
	for _, r := range reasons {
		if strings.HasSuffix(text, r.end) {
			return r.words
		}
	}
	return ""
}
