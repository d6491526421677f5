package network

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/limpet-sh/limpet/netpolicy"
	"github.com/limpet-sh/limpet/vfs"
)

// A transfer is that of one URL.
type transfer struct {
	cu     *curl
	o      *operation
	text   string // the URL as it is given
	upload string // the file of -T
	out    output
	number int

	url       *netpolicy.URL // of the last request
	res       *http.Response
	head      []byte // of the last response
	trace     *netpolicy.Trace
	method    string // of the last request
	sink      *sink
	meter     *meter
	begun     time.Time
	sent      int64
	redirects int
	connects  int
	headBytes int64
	requested int64
	target    string // where a redirect that is not followed goes
	resumed   int64  // what is there already
	pace      pace
}

// run makes the transfer, again where that is wanted.
func (t *transfer) run(ctx context.Context) error {
	start := time.Now()
	delay := time.Second
	for try := int64(0); ; try++ {
		err := t.attempt(ctx)
		if try >= t.o.retry || ctx.Err() != nil || !t.passing(err) {
			return err
		}
		wait := t.delay(delay)
		if t.o.retryMax > 0 && time.Since(start)+wait > time.Duration(t.o.retryMax)*time.Second {
			return err
		}
		left := t.o.retry - try
		t.cu.warn(t.o, "Problem : %s. Will retry in %d seconds. %d retries left.", t.problem(err), int64(wait/time.Second), left)
		if e, ok := errors.AsType[*curlError](err); ok && t.cu.global.showError && e.code == 22 {
			fmt.Fprintf(t.cu.errs, "curl: %v\n", e)
		}
		if err := t.cu.Clock.Sleep(ctx, wait); err != nil {
			return err
		}
		if t.sink != nil {
			if err := t.sink.rewind(); err != nil {
				return curlErrorf(23, "Failed to truncate file")
			}
		}
		delay = min(2*delay, 10*time.Minute)
	}
}

// passing reports whether a failure may pass.
func (t *transfer) passing(err error) bool {
	e, failed := errors.AsType[*curlError](err)
	switch {
	case errors.Is(err, netpolicy.ErrDenied):
		return false
	case failed && (e.code == 2 || e.code == 3 || e.code == 1 || e.code == 23):
		return false
	case failed && (e.code == 28 || e.code == 6 || t.o.retryAll):
		return true
	case failed && e.code == 7:
		return t.o.retryRefused
	}
	if t.res == nil || failed && e.code != 22 {
		return false
	}
	switch t.res.StatusCode {
	case 408, 429, 500, 502, 503, 504:
		return true
	}
	return false
}

// delay returns how long to wait before the next attempt.
func (t *transfer) delay(delay time.Duration) time.Duration {
	if t.o.retryDelay > 0 {
		return time.Duration(t.o.retryDelay) * time.Second
	}
	if t.res != nil {
		if n, err := strconv.ParseInt(t.res.Header.Get("Retry-After"), 10, 32); err == nil && n > 0 {
			return time.Duration(n) * time.Second
		}
	}
	return delay
}

// problem returns what a warning calls a failure.
func (t *transfer) problem(err error) string {
	switch e, _ := errors.AsType[*curlError](err); {
	case e == nil || e.code == 22:
		return "HTTP error"
	case e.code == 28:
		return "timeout"
	case e.code == 7:
		return "connection refused"
	case e.code == 6:
		return "timeout"
	}
	return "(retrying all errors)"
}

// errConnect is the cause of the end of a connection that took too long.
var errConnect = errors.New("connection timed out")

// attempt makes the transfer once.
func (t *transfer) attempt(ctx context.Context) (err error) {
	o := t.o
	t.begun, t.redirects, t.headBytes, t.requested, t.connects, t.res, t.target, t.sent = time.Now(), 0, 0, 0, 0, nil, "", 0
	if o.maxTime > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, o.maxTime)
		defer cancel()
	}
	if t.url, err = o.parseURL(t.text, false); err != nil {
		return err
	}
	if t.url.User != "" && o.noUser {
		return curlErrorf(67, "Login denied")
	}
	if err := t.createETag(); err != nil {
		return err
	}
	if t.sink == nil {
		t.sink = newSink(t)
	}
	if err := t.findResume(); err != nil {
		return err
	}
	t.meter = newMeter(t)
	defer func() {
		if cerr := t.sink.close(err); err == nil {
			err = cerr
		}
		t.meter.end(err)
	}()
	return t.explain(ctx, t.follow(ctx))
}

// follow makes the requests, until there is a response that is not followed.
func (t *transfer) follow(ctx context.Context) error {
	r, err := t.firstRequest()
	if err != nil {
		return err
	}
	for {
		next, err := t.exchange(ctx, r)
		if err != nil || next == nil {
			return err
		}
		r = next
	}
}

// exchange makes one request and takes its response. It returns the request that
// follows, if any.
func (t *transfer) exchange(ctx context.Context, r *request) (next *request, err error) {
	defer r.close()
	t.url, t.method, t.res = r.url, r.method, nil
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	if d := t.o.connectTimeout; d > 0 {
		timer := time.AfterFunc(d, func() { cancel(errConnect) })
		defer timer.Stop()
		t.trace = &netpolicy.Trace{Connected: func() { timer.Stop() }}
	} else {
		t.trace = &netpolicy.Trace{}
	}
	defer t.keepPace(ctx, cancel)()
	if t.o.http1 {
		ctx = netpolicy.WithHTTP1(ctx)
	}
	if t.o.tls13 {
		ctx = netpolicy.WithTLS13(ctx)
	}
	if t.o.family != 0 {
		ctx = netpolicy.WithFamily(ctx, t.o.family)
	}
	req, err := r.http(netpolicy.WithTrace(ctx, t.trace))
	if err != nil {
		return nil, curlErrorf(3, "URL using bad/illegal format or missing URL")
	}
	t.requested += t.showRequest(req, r)
	res, err := t.cu.Net.RoundTrip(req)
	if err != nil {
		if cause := context.Cause(ctx); cause == errConnect || cause == errSlow {
			return nil, cause
		}
		return nil, err
	}
	defer res.Body.Close()
	t.res = res
	if !t.trace.Reused {
		t.connects++
	}
	t.takeHead(res)
	if err := t.saveETag(res); err != nil {
		return nil, err
	}
	if t.o.jar != nil {
		t.o.jar.store(r.url, res.Header, t.cu.Clock.Now())
	}
	if next, err = t.redirect(r, res); err != nil {
		return nil, err
	}
	if next != nil {
		_, err = io.Copy(io.Discard, io.LimitReader(res.Body, 64<<10)) // so that the connection can be used again
		return next, err
	}
	if err = t.take(ctx, res); err != nil && context.Cause(ctx) == errSlow {
		err = errSlow
	}
	return nil, err
}

// take takes the body of the last response.
func (t *transfer) take(ctx context.Context, res *http.Response) error {
	o := t.o
	failed := res.StatusCode >= 400 && !(o.resume != "" && res.StatusCode == 416)
	if failed && o.fail && !o.failWithBody {
		return curlErrorf(22, "The requested URL returned error: %d", res.StatusCode)
	}
	if o.resume != "" && t.resumed > 0 && res.StatusCode == http.StatusOK && t.upload == "" {
		return curlErrorf(33, "HTTP server doesn't seem to support byte ranges. Cannot resume.")
	}
	if o.resume != "" && res.StatusCode == 416 {
		return nil
	}
	if o.maxFileSize > 0 && res.ContentLength > o.maxFileSize {
		return curlErrorf(63, "Maximum file size exceeded")
	}
	if o.timeCond != "" && t.tooOld(res) {
		return nil
	}
	body, err := t.decoded(res)
	if err != nil {
		return err
	}
	t.meter.expect(res.ContentLength)
	if t.method != http.MethodHead {
		if err := t.copyBody(ctx, body, res); err != nil {
			return err
		}
	}
	if o.remoteTime {
		t.sink.setTime(res.Header.Get("Last-Modified"))
	}
	if failed && o.failWithBody {
		return curlErrorf(22, "The requested URL returned error: %d", res.StatusCode)
	}
	return nil
}

// copyBody writes the body to the output.
func (t *transfer) copyBody(ctx context.Context, body io.Reader, res *http.Response) error {
	buf := make([]byte, 64<<10)
	var got int64
	start := time.Now()
	for {
		n, err := body.Read(buf)
		if n > 0 {
			got += int64(n)
			t.pace.got.Add(int64(n))
			if t.o.maxFileSize > 0 && got > t.o.maxFileSize {
				return curlErrorf(63, "Maximum file size exceeded")
			}
			if werr := t.sink.write(buf[:n]); werr != nil {
				return werr
			}
			t.meter.add(n)
			if t.o.limitRate > 0 {
				due := time.Duration(float64(got) / float64(t.o.limitRate) * float64(time.Second))
				if ahead := due - time.Since(start); ahead > 0 {
					if err := t.cu.Clock.Sleep(ctx, ahead); err != nil {
						return err
					}
				}
			}
		}
		switch {
		case err == io.EOF:
			return nil
		case errors.Is(err, io.ErrUnexpectedEOF) && res.ContentLength >= 0:
			return curlErrorf(18, "transfer closed with %d bytes remaining to read", res.ContentLength-t.meter.wire(got))
		case errors.Is(err, io.ErrUnexpectedEOF):
			return curlErrorf(18, "transfer closed with outstanding read data remaining")
		case err != nil:
			return err
		}
	}
}

// explain turns the error of a transfer into curl's.
func (t *transfer) explain(ctx context.Context, err error) error {
	var e *curlError
	if err == nil || errors.As(err, &e) || errors.Is(err, vfs.EPIPE) {
		return err
	}
	took := time.Since(t.begun).Milliseconds()
	place := fmt.Sprintf("%s port %d", t.url.Host, t.url.Port)
	if text, ok := denied(err); ok {
		return &deniedCurl{curlError{7, "Failed to connect to " + place + ": " + text}, err}
	}
	var lookup *netpolicy.LookupError
	var handshake *netpolicy.HandshakeError
	var bad *netpolicy.URLError
	reason := netpolicy.Reason(err)
	switch {
	case t.cu.Ends(err) && !errors.Is(err, context.DeadlineExceeded):
		return err
	case errors.As(err, &bad):
		return curlErrorf(3, "URL using bad/illegal format or missing URL: %v", err)
	case errors.As(err, &lookup) && t.url.Addr.IsValid(): // of the other family
		return curlErrorf(7, "Couldn't connect to server")
	case errors.Is(err, errSlow):
		return curlErrorf(28, "Operation too slow. Less than %d bytes/sec transferred the last %d seconds", t.o.slowest(), t.o.patience())
	case errors.As(err, &lookup):
		return curlErrorf(6, "Could not resolve host: %s", lookup.Host)
	case errors.Is(err, errConnect), reason == "Connection timed out" && !t.connected():
		return curlErrorf(28, "Failed to connect to %s after %d ms: Timeout was reached", place, took)
	case errors.Is(err, context.DeadlineExceeded), reason == "Connection timed out":
		if t.res == nil {
			return curlErrorf(28, "Operation timed out after %d milliseconds with 0 bytes received", took)
		}
		length := ""
		if n := t.res.ContentLength; n >= 0 {
			length = fmt.Sprintf(" out of %d", n)
		}
		return curlErrorf(28, "Operation timed out after %d milliseconds with %d%s bytes received", took, t.meter.got, length)
	case errors.As(err, &handshake):
		return handshakeError(handshake)
	case reason != "" && !t.connected():
		return curlErrorf(7, "Failed to connect to %s after %d ms: Couldn't connect to server", place, took)
	case reason == "Connection reset by peer":
		return curlErrorf(56, "Recv failure: Connection reset by peer")
	case t.res == nil && (errors.Is(err, io.EOF) || strings.HasSuffix(err.Error(), "EOF")):
		return curlErrorf(52, "Empty reply from server")
	case strings.Contains(err.Error(), "malformed HTTP"):
		return curlErrorf(1, "Received HTTP/0.9 when not allowed")
	case strings.Contains(err.Error(), "server response headers exceeded"):
		return curlErrorf(56, "Too large response headers: more than %d bytes", 300<<10)
	case strings.Contains(err.Error(), "invalid header") || strings.Contains(err.Error(), "invalid method"):
		return curlErrorf(3, "%v", err)
	}
	return curlErrorf(56, "%v", err)
}

// A deniedCurl is the failure of a transfer that the policy denies.
type deniedCurl struct {
	curlError
	cause error
}

func (e *deniedCurl) Unwrap() []error { return []error{&e.curlError, e.cause} }

func (t *transfer) connected() bool { return t.trace != nil && t.trace.Remote.IsValid() }

// tooOld reports whether -z wants something newer than the response is.
func (t *transfer) tooOld(res *http.Response) bool {
	when, older, ok := t.condition()
	modified, err := http.ParseTime(res.Header.Get("Last-Modified"))
	if !ok || err != nil {
		return false
	}
	if older {
		return !modified.Before(when)
	}
	return !modified.After(when)
}

// takeHead keeps the head of a response and prints it where that is wanted.
func (t *transfer) takeHead(res *http.Response) {
	t.head = t.trace.Head
	if t.head == nil {
		t.head = headText(res)
	}
	t.headBytes += int64(len(t.head))
	t.showHead()
	if t.o.dumpHeader != "" {
		t.sink.dump(t.head)
	}
	if t.o.include || t.o.head {
		_ = t.sink.write(t.head)
	}
}

// headText makes the head of a response of HTTP/2.
func headText(res *http.Response) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "HTTP/%d %d \r\n", res.ProtoMajor, res.StatusCode)
	header := res.Header.Clone()
	if res.ContentLength >= 0 && header.Get("Content-Length") == "" && res.Request.Method == http.MethodHead {
		header.Set("Content-Length", strconv.FormatInt(res.ContentLength, 10))
	}
	for _, name := range sortedNames(header) {
		for _, v := range header[name] {
			fmt.Fprintf(&b, "%s: %s\r\n", strings.ToLower(name), v)
		}
	}
	b.WriteString("\r\n")
	return b.Bytes()
}
