package builtins

import "net/http"

// WatchHTTP returns a client like c that calls told for each request, those of
// redirects too, when it has been answered, has failed or was refused. Passwords
// in URLs are left out.
func WatchHTTP(c *HTTPClient, told func(method, url string, err error)) *HTTPClient {
	watched := *c
	next := c.Transport
	if next == nil {
		next = http.DefaultTransport
	}
	watched.Transport = &watchTransport{next, told}
	return &watched
}

type watchTransport struct {
	next http.RoundTripper
	told func(method, url string, err error)
}

// RoundTrip makes a request and tells of it.
func (t *watchTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	res, err := t.next.RoundTrip(r)
	t.told(r.Method, r.URL.Redacted(), err)
	return res, err
}
