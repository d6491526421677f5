package network

import (
	"bytes"
	"fmt"
	"net/http"
	"strings"
)

// showRequest prints what -v shows of a request, and returns its size.
func (t *transfer) showRequest(req *http.Request, r *request) int64 {
	var b bytes.Buffer
	host := r.host
	if host == "" {
		host = r.url.HostPort()
	}
	fmt.Fprintf(&b, "%s %s%s HTTP/1.1\r\nHost: %s\r\n", r.method, r.url.Path, r.url.Query, host)
	for _, name := range []string{"Authorization", "User-Agent", "Accept"} {
		for _, v := range req.Header[name] {
			if v != "" {
				fmt.Fprintf(&b, "%s: %s\r\n", name, v)
			}
		}
	}
	for _, name := range sortedNames(req.Header) {
		if name != "Authorization" && name != "User-Agent" && name != "Accept" {
			for _, v := range req.Header[name] {
				fmt.Fprintf(&b, "%s: %s\r\n", name, v)
			}
		}
	}
	switch {
	case r.file != nil && r.size < 0:
		b.WriteString("Transfer-Encoding: chunked\r\n")
	case r.file != nil:
		fmt.Fprintf(&b, "Content-Length: %d\r\n", r.size)
		t.sent += r.size
	case r.body != nil:
		fmt.Fprintf(&b, "Content-Length: %d\r\n", len(r.body))
		t.sent += int64(len(r.body))
	}
	b.WriteString("\r\n")
	if t.cu.global.verbose {
		t.show('>', b.Bytes())
	}
	return int64(b.Len())
}

// show prints lines of headers after a sign.
func (t *transfer) show(sign byte, head []byte) {
	var b bytes.Buffer
	for line := range strings.Lines(string(head)) {
		fmt.Fprintf(&b, "%c %s\n", sign, strings.TrimRight(line, "\r\n"))
	}
	_, _ = t.cu.errs.Write(b.Bytes())
}

// showHead prints what -v shows of a response.
func (t *transfer) showHead() {
	if t.cu.global.verbose {
		fmt.Fprintf(t.cu.errs, "* Connected to %s (%s) port %d\n", t.url.Host, t.trace.Remote.Addr(), t.url.Port)
		t.show('<', t.head)
	}
}

// showRedirect prints what -v shows of a redirect.
func (t *transfer) showRedirect(next *request) {
	if t.cu.global.verbose {
		fmt.Fprintf(t.cu.errs, "* Issue another request to this URL: '%s'\n", next.url.String())
	}
}
