package network

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/limpet-sh/limpet/internal/dateparse"
	"github.com/limpet-sh/limpet/netpolicy"
)

// A request is one that a transfer makes.
type request struct {
	method string
	url    *netpolicy.URL
	header http.Header
	host   string // of the Host header, where that is given
	body   []byte
	file   io.ReadCloser // instead of body
	size   int64         // of file; -1 where that is not known
	first  *netpolicy.URL
	auth   bool // credentials may be sent
}

// http makes a request of package http.
func (r *request) http(ctx context.Context) (*http.Request, error) {
	req := (&http.Request{Method: r.method, URL: r.url.HTTP(), Header: r.header, Host: r.host, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1}).WithContext(ctx)
	switch {
	case r.file != nil:
		req.Body, req.ContentLength = r.file, r.size
	case r.body != nil:
		req.Body, req.ContentLength = io.NopCloser(bytes.NewReader(r.body)), int64(len(r.body))
		if len(r.body) == 0 {
			req.Body = http.NoBody
		}
	}
	return req, nil
}

func (r *request) close() {
	if r.file != nil {
		_ = r.file.Close()
	}
}

// firstRequest makes the request that the options describe.
func (t *transfer) firstRequest() (*request, error) {
	o := t.o
	if t.upload != "" && strings.HasSuffix(t.url.Path, "/") && t.upload != "-" && t.upload != "." {
		t.url.Path += url.PathEscape(t.upload[strings.LastIndexByte(t.upload, '/')+1:])
	}
	query := slices.Clone(o.query)
	if o.get && o.hasData {
		query = append(query, lowerEscapes(string(o.data)))
	}
	for _, q := range query {
		if t.url.Query == "" {
			t.url.Query = "?" + q
		} else {
			t.url.Query += "&" + q
		}
		if _, err := netpolicy.ParseURL(t.url.String()); err != nil {
			return nil, curlErrorf(3, "URL using bad/illegal format or missing URL: %v", err)
		}
	}
	r := &request{method: o.requestMethod(t.upload), url: t.url, first: t.url, auth: true}
	switch {
	case t.upload != "":
		if err := t.openUpload(r); err != nil {
			return nil, err
		}
	case o.form != nil:
		r.body = o.body
	case o.hasData && !o.get:
		r.body = append([]byte{}, o.data...)
	}
	return r, t.setHeaders(r)
}

// openUpload opens the file of -T.
func (t *transfer) openUpload(r *request) error {
	if t.upload == "-" || t.upload == "." {
		r.file, r.size = io.NopCloser(t.cu.Stdin), -1
		return nil
	}
	f, err := t.cu.FS.Open(t.upload)
	if err != nil {
		fmt.Fprintf(t.cu.errs, "curl: Can't open '%s'!\ncurl: try 'curl --help' or 'curl --manual' for more information\n", t.upload)
		return curlErrorf(26, "Failed to open/read local data from file/application")
	}
	info, err := f.Stat()
	if err != nil || info.IsDir() {
		_ = f.Close()
		return curlErrorf(26, "Failed to open/read local data from file/application")
	}
	r.file, r.size = f, info.Size()
	return nil
}

// setHeaders sets the headers of a request for its URL.
func (t *transfer) setHeaders(r *request) error {
	o := t.o
	h := http.Header{"User-Agent": {"curl/" + curlVersion}, "Accept": {"*/*"}}
	if o.userAgent != nil {
		h["User-Agent"] = []string{*o.userAgent}
	}
	if o.isJSON {
		h["Accept"], h["Content-Type"] = []string{"application/json"}, []string{"application/json"}
	} else if o.form != nil && r.body != nil {
		h["Content-Type"] = []string{o.kind}
	} else if r.body != nil {
		h["Content-Type"] = []string{"application/x-www-form-urlencoded"}
	}
	if o.referer != "" {
		if ref := strings.TrimSuffix(o.referer, ";auto"); ref != "" {
			h["Referer"] = []string{ref}
		}
	}
	if o.compressed {
		h["Accept-Encoding"] = []string{"deflate, gzip, zstd"}
	}
	if o.byteRange != "" {
		h["Range"] = []string{"bytes=" + o.byteRange}
	} else if t.resumed > 0 && t.upload == "" {
		h["Range"] = []string{fmt.Sprintf("bytes=%d-", t.resumed)}
	}
	if when, older, ok := t.condition(); ok {
		name := "If-Modified-Since"
		if older {
			name = "If-Unmodified-Since"
		}
		h[name] = []string{when.UTC().Format(http.TimeFormat)}
	}
	t.setCredentials(r, h)
	t.setCookies(r, h)
	for name, values := range o.fixed {
		if secret := name == "Authorization" || name == "Cookie"; secret && !r.auth {
			continue
		}
		h[name] = values
	}
	for name := range h {
		if o.remove[strings.ToLower(name)] && o.fixed[name] == nil {
			delete(h, name)
		}
	}
	if hosts := h["Host"]; len(hosts) > 0 {
		if r.url.HostPort() == r.first.HostPort() {
			r.host = hosts[0]
		}
		delete(h, "Host")
	}
	if h["User-Agent"] == nil || h["User-Agent"][0] == "" {
		h["User-Agent"] = []string{""} // else the transport would add its own
	}
	for _, name := range []string{"Content-Length", "Transfer-Encoding", "Connection", "Trailer", "Expect"} {
		delete(h, name) // the transport frames requests
	}
	r.header = h
	for _, values := range h {
		for _, v := range values {
			if strings.ContainsAny(v, "\r\n\x00") {
				return curlErrorf(3, "a header with a line break")
			}
		}
	}
	return nil
}

func (t *transfer) setCredentials(r *request, h http.Header) {
	if !r.auth {
		return
	}
	user := t.o.user
	if r.url.User != "" {
		name, pass, _ := strings.Cut(r.url.User, ":")
		name, _ = url.PathUnescape(name)
		pass, _ = url.PathUnescape(pass)
		user = name + ":" + pass
	}
	switch {
	case user != "":
		if !strings.Contains(user, ":") {
			user += ":"
		}
		name, pass, _ := strings.Cut(user, ":")
		probe := http.Request{Header: http.Header{}}
		probe.SetBasicAuth(name, pass)
		h["Authorization"] = probe.Header["Authorization"]
	case t.o.bearer != "":
		h["Authorization"] = []string{"Bearer " + t.o.bearer}
	}
}

func (t *transfer) setCookies(r *request, h http.Header) {
	var list []string
	if t.o.jar != nil {
		if c := t.o.jar.header(r.url, t.cu.Clock.Now()); c != "" {
			list = append(list, c)
		}
	}
	if len(t.o.cookies) > 0 {
		list = append(list, strings.Join(t.o.cookies, ";"))
	}
	if list != nil {
		h["Cookie"] = []string{strings.Join(list, "; ")}
	}
}

// condition returns the time of -z, and whether what is older is wanted.
func (t *transfer) condition() (when time.Time, older, ok bool) {
	text, older := strings.CutPrefix(t.o.timeCond, "-")
	if text == "" {
		return when, false, false
	}
	text = strings.TrimPrefix(text, "=")
	if info, err := t.cu.FS.Stat(text); err == nil {
		return info.ModTime(), older, true
	}
	if when, err := http.ParseTime(text); err == nil {
		return when, older, true
	}
	when, err := parseDate(text, t.cu.Clock.Now())
	if err != nil {
		return when, false, false
	}
	return when, older, true
}

// redirect returns the request that a response leads to, or nil.
func (t *transfer) redirect(r *request, res *http.Response) (*request, error) {
	location := res.Header.Get("Location")
	if res.StatusCode < 300 || res.StatusCode > 399 || location == "" || res.StatusCode == 304 {
		return nil, nil
	}
	target := joinURL(r.url, location)
	if !t.o.location {
		t.target = target
		return nil, nil
	}
	if t.o.maxRedirs >= 0 && t.redirects >= t.o.maxRedirs {
		return nil, curlErrorf(47, "Maximum (%d) redirects followed", t.o.maxRedirs)
	}
	t.redirects++
	u, err := t.o.parseURL(target, true)
	if err != nil {
		return nil, err
	}
	next := &request{method: r.method, url: u, first: r.first, auth: t.o.trusted || sameOrigin(u, r.first)}
	switch code := res.StatusCode; {
	case code == 301 && !t.o.post301, code == 302 && !t.o.post302:
		if r.method == http.MethodPost || t.o.method != "" && r.body != nil {
			next.toGET(t.o)
		} else {
			next.keep(t, r)
		}
	case code == 303 && !t.o.post303 && r.method != http.MethodHead:
		next.toGET(t.o)
	default:
		next.keep(t, r)
	}
	if r.file != nil && next.method == http.MethodPut && next.file == nil {
		if t.upload == "-" || t.upload == "." {
			return nil, curlErrorf(65, "necessary data rewind wasn't possible")
		}
		if err := t.openUpload(next); err != nil {
			return nil, err
		}
	}
	if strings.HasSuffix(t.o.referer, ";auto") {
		defer func() {
			if next.header != nil {
				next.header["Referer"] = []string{r.url.String()}
			}
		}()
	}
	t.showRedirect(next)
	return next, t.setHeaders(next)
}

// toGET makes the request one without a body. A method that -X has set stays.
func (r *request) toGET(o *operation) {
	r.body, r.method = nil, http.MethodGet
	if o.method != "" {
		r.method = o.method
	}
}

// keep has the request send what the one before it did.
func (r *request) keep(_ *transfer, old *request) { r.body = old.body }

// sameOrigin reports whether credentials for one URL are for another one too.
func sameOrigin(a, b *netpolicy.URL) bool {
	return a.Host == b.Host && a.Port == b.Port && a.Scheme == b.Scheme
}

// joinURL returns the URL that a Location stands for.
func joinURL(base *netpolicy.URL, location string) string {
	location = strings.ReplaceAll(location, " ", "%20")
	origin := base.Scheme + "://" + base.HostPort()
	if i := strings.Index(location, ":"); i > 0 && strings.Trim(strings.ToLower(location[:i]), "abcdefghijklmnopqrstuvwxyz0123456789+-.") == "" {
		return location
	}
	switch {
	case strings.HasPrefix(location, "//"):
		return base.Scheme + ":" + location
	case strings.HasPrefix(location, "/"):
		return origin + location
	case strings.HasPrefix(location, "?"):
		return origin + base.Path + location
	case strings.HasPrefix(location, "#"):
		return origin + base.Path + base.Query + location
	}
	return origin + base.Path[:strings.LastIndexByte(base.Path, '/')+1] + location
}

func parseDate(text string, now time.Time) (time.Time, error) {
	when, ok := dateparse.Parse(text, now)
	if !ok {
		return when, errors.New("no date")
	}
	return when, nil
}

func sortedNames(h http.Header) []string { return slices.Sorted(maps.Keys(h)) }

// handshakeError returns curl's error for the failure of TLS.
func handshakeError(err error) error {
	var host x509.HostnameError
	var authority x509.UnknownAuthorityError
	var invalid x509.CertificateInvalidError
	var record tls.RecordHeaderError
	more := "\nMore details here: https://curl.se/docs/sslcerts.html\n\ncurl failed to verify the legitimacy of the server and therefore could not\nestablish a secure connection to it. To learn more about this situation and\nhow to fix it, please visit the web page mentioned above."
	switch {
	case errors.As(err, &host):
		return curlErrorf(60, "SSL: no alternative certificate subject name matches target host name '%s'", host.Host)
	case errors.As(err, &authority):
		return curlErrorf(60, "SSL certificate problem: unable to get local issuer certificate%s", more)
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		return curlErrorf(60, "SSL certificate problem: certificate has expired%s", more)
	case errors.As(err, &invalid):
		return curlErrorf(60, "SSL certificate problem: %v%s", invalid, more)
	case errors.As(err, &record):
		return curlErrorf(35, "error:0A00010B:SSL routines::wrong version number")
	}
	return curlErrorf(35, "%v", err)
}

// findResume finds where -C resumes.
func (t *transfer) findResume() error {
	t.resumed = 0
	switch t.o.resume {
	case "":
	case "-":
		if info, err := t.cu.FS.Stat(t.sink.path()); err == nil && t.sink.path() != "" {
			t.resumed = info.Size()
		}
	default:
		n, err := strconv.ParseInt(t.o.resume, 10, 64)
		if err != nil {
			return err
		}
		t.resumed = n
	}
	return nil
}
