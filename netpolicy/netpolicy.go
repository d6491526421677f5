// Package netpolicy decides what scripts may reach over the network.
package netpolicy

import (
	"errors"
	"fmt"
	"net/http"
)

// A Policy says what may be reached. The zero Policy, which is the only one so
// far, denies everything.
type Policy struct{}

// ErrDenied is matched by every refusal of this package.
var ErrDenied = errors.New("denied by network policy")

// A DeniedError says what was refused.
type DeniedError struct {
	Target string // the URL, without its password
}

// Error names the target.
func (e *DeniedError) Error() string { return fmt.Sprintf("%s: %v", e.Target, ErrDenied) }

// Is reports whether e matches target.
func (e *DeniedError) Is(target error) bool { return target == ErrDenied }

// Client returns an HTTP client that is confined to p.
func (p Policy) Client() *http.Client { return &http.Client{Transport: deny{}} }

// deny is a transport that refuses every request.
type deny struct{}

// RoundTrip refuses.
func (deny) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Body != nil {
		_ = r.Body.Close()
	}
	return nil, &DeniedError{Target: r.URL.Redacted()}
}
