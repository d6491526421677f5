package network

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/limpet-sh/limpet/builtins"
	"github.com/limpet-sh/limpet/netpolicy"
)

// A retrieval is that of one URL.
type retrieval struct {
	*wget
	url     *netpolicy.URL
	first   *netpolicy.URL
	method  string
	body    string
	hasBody bool
	name    string // of the file; "" until it is known
	have    int64  // bytes that are there already
	hops    int64
}

// errAgain says that a retrieval is worth another attempt.
var errAgain = errors.New("try again")

// retrieve retrieves one URL. The error is one that ends the command.
func (w *wget) retrieve(ctx context.Context, text string) error {
	if scheme, _, ok := strings.Cut(text, "://"); !ok {
		text = "http://" + text
	} else if s := strings.ToLower(scheme); s != "http" && s != "https" {
		fmt.Fprintf(w.log, "%s: Unsupported scheme %s.\n", text, builtins.QuoteLocale(scheme))
		return w.fail(wgetGeneric)
	}
	u, err := netpolicy.ParseURL(escapeHigh(strings.ReplaceAll(text, " ", "%20")))
	if err != nil {
		fmt.Fprintf(w.log, "%s: Invalid URL: %v.\n", text, err)
		return w.fail(wgetGeneric)
	}
	for try := 1; ; try++ {
		r := &retrieval{wget: w, url: u, first: u, method: "GET", body: w.body, hasBody: w.hasBody}
		switch {
		case w.method != "":
			r.method = w.method
		case w.spider:
			r.method = "HEAD"
		}
		err := r.run(ctx, try)
		if err != errAgain {
			return err
		}
		if w.tries > 0 && try >= w.tries {
			fmt.Fprint(w.log, "Giving up.\n\n")
			return w.fail(wgetNetwork)
		}
		fmt.Fprint(w.log, "Retrying.\n\n")
		if err := w.Clock.Sleep(ctx, min(time.Duration(try)*time.Second, 10*time.Second)); err != nil {
			return err
		}
	}
}

// fail notes a status: the first one that is worse than others counts.
func (w *wget) fail(status builtins.Exit) error {
	if w.status == 0 || status < w.status {
		w.status = status
	}
	return nil
}

// run makes the requests of one attempt.
func (r *retrieval) run(ctx context.Context, try int) error {
	if !r.choose() {
		return nil
	}
	if r.spider && try == 1 && !r.brief {
		fmt.Fprint(r.log, "Spider mode enabled. Check if remote file exists.\n")
	}
	for {
		next, err := r.request(ctx, try)
		if err != nil || !next {
			return err
		}
	}
}

// choose chooses the name of the file, and reports whether to go on.
func (r *retrieval) choose() bool {
	if r.document != nil || r.spider {
		if info, err := r.FS.Stat(r.output); err == nil && r.resume && r.output != "-" {
			r.have = info.Size()
		}
		return true
	}
	r.name = r.place(remoteName(r.url.Path) + r.url.Query)
	info, err := r.FS.Stat(r.name)
	switch {
	case err != nil || r.newer:
	case r.noClobber:
		fmt.Fprintf(r.log, "File %s already there; not retrieving.\n\n", builtins.QuoteLocale(r.name))
		return false
	case r.resume:
		r.have = info.Size()
	default:
		r.name = r.unused(r.name)
	}
	return true
}

// place returns the name of a file in the directory of -P.
func (r *retrieval) place(name string) string {
	name, _ = url.PathUnescape(name)
	name = strings.Map(func(c rune) rune {
		if c == '/' || c < ' ' || c == 0x7f {
			return '_'
		}
		return c
	}, name)
	if name == "" || name == "." || name == ".." || strings.HasPrefix(name, "?") {
		name = "index.html" + name
	}
	if r.prefix != "" {
		name = strings.TrimSuffix(r.prefix, "/") + "/" + name
	}
	return name
}

// unused returns a name that no file has.
func (r *retrieval) unused(name string) string {
	for n := 1; ; n++ {
		next := fmt.Sprintf("%s.%d", name, n)
		if _, err := r.FS.Stat(next); err != nil {
			return next
		}
	}
}

// request makes one request. It reports whether another one is to follow.
func (r *retrieval) request(ctx context.Context, try int) (again bool, err error) {
	now := r.Clock.Now().Format("2006-01-02 15:04:05")
	place := fmt.Sprintf("%s:%d", r.url.Host, r.url.Port)
	if !r.brief {
		count := ""
		if try > 1 {
			count = fmt.Sprintf("(try:%2d)", try)
		}
		fmt.Fprintf(r.log, "--%s--%s  %s\n", now, count, r.url)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	alarm := time.AfterFunc(1<<62, func() { cancel(errConnect) })
	defer alarm.Stop()
	if r.connectTimeout > 0 {
		alarm.Reset(r.connectTimeout)
	}
	trace := &netpolicy.Trace{}
	trace.Connected = func() {
		alarm.Stop()
		if r.timeout > 0 {
			alarm.Reset(r.timeout)
		}
		r.connected(trace, place)
	}
	req, err := r.build(netpolicy.WithTrace(ctx, trace))
	if err != nil {
		fmt.Fprintf(r.log, "%v\n", err)
		return false, r.fail(wgetGeneric)
	}
	res, err := r.Net.RoundTrip(req)
	if err != nil {
		return false, r.explain(ctx, err, trace, place)
	}
	defer res.Body.Close()
	if !r.brief {
		r.showResponse(res, trace)
	}
	if location := res.Header.Get("Location"); location != "" && res.StatusCode/100 == 3 && res.StatusCode != 304 {
		return r.redirect(res, location)
	}
	return false, r.take(ctx, res, alarm)
}

// connected prints that there is a connection.
func (r *retrieval) connected(trace *netpolicy.Trace, place string) {
	switch addr := trace.Remote.Addr(); {
	case r.brief:
	case trace.Reused:
		fmt.Fprintf(r.log, "Reusing existing connection to %s.\n", place)
	case r.url.Addr.IsValid():
		fmt.Fprintf(r.log, "Connecting to %s... connected.\n", place)
	default:
		fmt.Fprintf(r.log, "Resolving %s (%[1]s)... %s\nConnecting to %[1]s (%[1]s)|%[2]s|:%d... connected.\n", r.url.Host, addr, r.url.Port)
	}
	if !r.brief {
		fmt.Fprint(r.log, "HTTP request sent, awaiting response... ")
	}
}

// build makes the request.
func (r *retrieval) build(ctx context.Context) (*http.Request, error) {
	h := http.Header{"User-Agent": {r.userAgent}, "Accept": {"*/*"}, "Accept-Encoding": {"identity"}, "Connection": {"Keep-Alive"}}
	if r.referer != "" {
		h["Referer"] = []string{r.referer}
	}
	if r.have > 0 {
		h["Range"] = []string{fmt.Sprintf("bytes=%d-", r.have)}
	}
	if r.newer {
		if info, err := r.FS.Stat(r.name); err == nil {
			h["If-Modified-Since"] = []string{info.ModTime().UTC().Format(http.TimeFormat)}
		}
	}
	if r.hasBody {
		h["Content-Type"] = []string{"application/x-www-form-urlencoded"}
	}
	user, password := r.user, r.password
	if r.url.User != "" {
		user, password, _ = strings.Cut(r.url.User, ":")
	}
	req := (&http.Request{Method: r.method, URL: r.url.HTTP(), Header: h, ProtoMajor: 1, ProtoMinor: 1}).WithContext(ctx)
	same := sameOrigin(r.url, r.first)
	if user != "" && same {
		req.SetBasicAuth(user, password)
	}
	for _, line := range r.headers {
		name, value, _ := strings.Cut(line, ":")
		key := headerKey(name)
		switch value = strings.TrimLeft(value, " \t"); {
		case key == "Host" && same:
			req.Host = value
		case key == "Host" || key == "Content-Length" || key == "Transfer-Encoding":
		case (key == "Authorization" || key == "Cookie") && !same:
		default:
			h[key] = []string{value}
		}
	}
	if r.hasBody {
		req.Body, req.ContentLength = io.NopCloser(strings.NewReader(r.body)), int64(len(r.body))
	}
	return req, nil
}

// showResponse prints the status, and the headers with -S.
func (r *retrieval) showResponse(res *http.Response, trace *netpolicy.Trace) {
	if !r.serverHead {
		fmt.Fprintln(r.log, strings.TrimSpace(res.Status))
		return
	}
	head := trace.Head
	if head == nil {
		head = headText(res)
	}
	fmt.Fprintln(r.log)
	for line := range strings.Lines(strings.TrimRight(string(head), "\r\n")) {
		fmt.Fprintf(r.log, "  %s\n", strings.TrimRight(line, "\r\n"))
	}
}

// redirect follows a redirect.
func (r *retrieval) redirect(res *http.Response, location string) (bool, error) {
	if !r.brief {
		fmt.Fprintf(r.log, "Location: %s [following]\n", location)
	}
	if r.hops++; r.hops > r.maxRedirect {
		fmt.Fprintf(r.log, "%d redirections exceeded.\n", r.maxRedirect)
		return false, r.fail(wgetResponse)
	}
	target := joinURL(r.url, location)
	u, err := netpolicy.ParseURL(escapeHigh(target))
	if err != nil {
		fmt.Fprintf(r.log, "%s: Invalid URL: %v.\n", target, err)
		return false, r.fail(wgetGeneric)
	}
	if res.StatusCode != 307 && res.StatusCode != 308 && r.method == "POST" {
		r.method, r.hasBody, r.body = "GET", false, ""
	}
	r.url = u
	_, err = io.Copy(io.Discard, io.LimitReader(res.Body, 64<<10))
	return err == nil, nil
}

// explain prints why there is no response.
func (r *retrieval) explain(ctx context.Context, err error, trace *netpolicy.Trace, place string) error {
	var lookup *netpolicy.LookupError
	var handshake *netpolicy.HandshakeError
	timedOut := context.Cause(ctx) == errConnect
	if r.Ends(err) && !timedOut && !errors.Is(err, netpolicy.ErrDenied) {
		return err
	}
	reason := netpolicy.Reason(err)
	switch text, refused := denied(err); {
	case refused:
		fmt.Fprintf(r.log, "Connecting to %s... failed: %s.\n", place, text)
		return r.fail(wgetNetwork)
	case errors.As(err, &lookup):
		fmt.Fprintf(r.log, "Resolving %s (%[1]s)... failed: Name or service not known.\nwget: unable to resolve host address %s\n", r.url.Host, builtins.QuoteLocale(r.url.Host))
		return r.fail(wgetNetwork)
	case errors.As(err, &handshake):
		fmt.Fprintf(r.log, "ERROR: cannot verify %s's certificate: %v\n", r.url.Host, handshake.Err)
		return r.fail(wgetSSL)
	case !trace.Remote.IsValid():
		if timedOut {
			reason = "Connection timed out"
		}
		fmt.Fprintf(r.log, "Connecting to %s... failed: %s.\n", place, reason)
		if r.retryRefused || reason != "Connection refused" {
			return errAgain
		}
		return r.fail(wgetNetwork)
	case timedOut:
		fmt.Fprint(r.log, "Read error (Connection timed out) in headers.\n")
	case strings.HasSuffix(err.Error(), "EOF"):
		fmt.Fprint(r.log, "No data received.\n")
	default:
		fmt.Fprintf(r.log, "Read error (%s) in headers.\n", reason)
	}
	return errAgain
}
