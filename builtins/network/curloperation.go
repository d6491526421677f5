package network

import (
	"net/http"
	"strings"
	"time"

	"github.com/limpet-sh/limpet/netpolicy"
)

// An operation is some URLs and the options for them: what stands between --next
// and --next.
type operation struct {
	urls    []string
	outputs []output
	uploads []string

	method    string
	headers   []string
	data      []byte
	hasData   bool
	isJSON    bool
	form      []formPart
	query     []string // of --url-query
	userAgent *string
	referer   string
	user      string
	bearer    string
	byteRange string
	resume    string
	timeCond  string
	writeOut  string

	cookies   []string
	cookieJar string
	jar       *jar

	outputDir  string
	dumpHeader string

	proto, protoRedir protocols
	protoDefault      string
	noProxy           string

	get, head, include, fail, failWithBody   bool
	location, trusted                        bool
	post301, post302, post303                bool
	bar                                      bool
	globoff, compressed, createDirs          bool
	junkSession, remoteHeader, remoteAll     bool
	remoteTime, removeOnError                bool
	basic, http1, tls12, noBuffer            bool
	retryAll, retryRefused                   bool
	retry, retryDelay, retryMax, maxFileSize int64
	limitRate                                int64
	speedLimit, speedTime                    int64
	paced                                    bool
	family                                   int // of addresses: 4 or 6; 0 means any
	tls13, noClobber, noUser                 bool
	etagSave, etagCompare                    string
	maxRedirs                                int
	maxTime, connectTimeout                  time.Duration

	fixed  http.Header // what the headers option sets
	remove map[string]bool
	body   []byte // of the form
	kind   string // its Content-Type
}

// An output is where the body of a URL goes.
type output struct {
	name   string
	remote bool
}

func newOperation() *operation { return &operation{maxRedirs: 50, basic: true} }

// addOutput is for the next URL that has no output.
func (o *operation) addOutput(out output) { o.outputs = append(o.outputs, out) }

// prepare checks what the options say together, and reads what they name.
func (o *operation) prepare(cu *curl) error {
	post := o.hasData && !o.get
	var what []string
	if o.head {
		what = append(what, "HEAD (-I, --head)")
	}
	if o.form != nil {
		what = append(what, "multipart formpost (-F, --form)")
	}
	if post {
		what = append(what, "POST (-d, --data)")
	}
	if len(o.uploads) > 0 {
		what = append(what, "PUT (-T, --upload-file)")
	}
	if len(what) > 1 {
		cu.warn(o, "You can only select one HTTP request method! You asked for both %s and %s.", what[1], what[0])
		return &curlError{2, ""}
	}
	if strings.ContainsAny(o.method, " \t\r\n") || strings.ContainsFunc(o.method, func(r rune) bool { return r < '!' || r > '~' }) {
		return curlErrorf(3, "method %q is not one", o.method)
	}
	if err := o.readHeaders(cu); err != nil {
		return err
	}
	if err := o.compareETag(cu); err != nil {
		return err
	}
	if o.form != nil {
		if err := o.makeForm(cu); err != nil {
			return err
		}
	}
	return o.openJar(cu)
}

// readHeaders reads the -H options.
func (o *operation) readHeaders(cu *curl) error {
	o.fixed, o.remove = http.Header{}, map[string]bool{}
	var lines []string
	for _, h := range o.headers {
		name, ok := strings.CutPrefix(h, "@")
		if !ok {
			lines = append(lines, h)
			continue
		}
		data, err := cu.readInput(name)
		if err != nil {
			cu.warn(o, "Failed to open %s", name)
			return curlErrorf(26, "Failed to open/read local data from file/application")
		}
		for line := range strings.Lines(string(data)) {
			if line = strings.TrimRight(line, "\r\n"); line != "" && line[0] != '#' {
				lines = append(lines, line)
			}
		}
	}
	for _, line := range lines {
		if strings.ContainsAny(line, "\r\n\x00") {
			return curlErrorf(3, "a header with a line break")
		}
		name, value, ok := strings.Cut(line, ":")
		value = strings.TrimLeft(value, " \t")
		if name = strings.TrimRight(name, " \t"); !ok {
			if name, ok = strings.CutSuffix(name, ";"); !ok {
				continue // as curl does
			}
		} else if value == "" {
			o.remove[strings.ToLower(name)] = true
			continue
		}
		if !validName(name) {
			return curlErrorf(3, "%q is not the name of a header", name)
		}
		o.fixed[headerKey(name)] = append(o.fixed[headerKey(name)], value)
	}
	return nil
}

func validName(name string) bool {
	return name != "" && !strings.ContainsFunc(name, func(r rune) bool {
		return r <= ' ' || r >= 0x7f || strings.ContainsRune(`()<>@,;:\"/[]?={}`, r)
	})
}

// headerKey returns the name of a header as it is sent: as it is written, but for
// those that a request has by itself.
func headerKey(name string) string {
	switch c := http.CanonicalHeaderKey(name); c {
	case "Host", "User-Agent", "Content-Length", "Transfer-Encoding", "Connection", "Trailer", "Accept", "Content-Type",
		"Authorization", "Cookie", "Referer", "Range", "Accept-Encoding", "Expect":
		return c
	}
	return name
}

// requestMethod returns the method of the first request.
func (o *operation) requestMethod(upload string) string {
	switch {
	case o.method != "":
		return o.method
	case o.head:
		return http.MethodHead
	case upload != "":
		return http.MethodPut
	case o.form != nil || o.hasData && !o.get:
		return http.MethodPost
	}
	return http.MethodGet
}

// transfers returns the transfers of the URLs, each with its output.
func (o *operation) transfers(cu *curl) (all []*transfer, err error) {
	for i, text := range o.urls {
		out := output{remote: o.remoteAll}
		if i < len(o.outputs) {
			out = o.outputs[i]
		}
		uploads := []globbed{{}}
		if i < len(o.uploads) {
			uploads = []globbed{{url: o.uploads[i]}}
			if !o.globoff && o.uploads[i] != "" {
				if uploads, err = expandGlob(cu, o.uploads[i]); err != nil {
					return nil, err
				}
			}
		}
		urls := []globbed{{url: text}}
		if !o.globoff {
			if urls, err = expandGlob(cu, text); err != nil {
				return nil, err
			}
		}
		for _, u := range uploads {
			for _, g := range urls {
				t := &transfer{cu: cu, o: o, text: g.url, upload: u.url, out: out, number: cu.numbers}
				t.out.name = g.name(out.name, o.globoff)
				cu.numbers++
				all = append(all, t)
			}
		}
	}
	return all, nil
}

// parseURL parses a URL of the command line, in which the scheme may be missing.
func (o *operation) parseURL(text string, redirect bool) (*netpolicy.URL, error) {
	if text == "" {
		return nil, curlErrorf(3, "URL using bad/illegal format or missing URL")
	}
	scheme, _, ok := strings.Cut(text, "://")
	if !ok {
		scheme = o.protoDefault
		if scheme == "" {
			scheme = "http"
		}
		text = scheme + "://" + text
	}
	allowed := o.proto
	if redirect && o.protoRedir.set {
		allowed = o.protoRedir
	}
	if s := strings.ToLower(scheme); s != "http" && s != "https" || !allowed.allows(s) {
		if strings.Trim(s, "abcdefghijklmnopqrstuvwxyz0123456789+-.") != "" {
			return nil, curlErrorf(3, "URL using bad/illegal format or missing URL")
		}
		return nil, curlErrorf(1, "Protocol \"%s\" not supported or disabled in libcurl", s)
	}
	text = escapeHigh(text)
	u, err := netpolicy.ParseURL(text)
	if err != nil {
		return nil, badURL(err)
	}
	return u, nil
}

// badURL is the error for a URL. Where curl takes it and the policy does not, it
// says why.
func badURL(err error) error {
	text := "URL using bad/illegal format or missing URL"
	if why := err.Error(); !strings.HasPrefix(why, "a control") && !strings.HasPrefix(why, "no ") {
		text += ": " + why
	}
	return &curlError{3, text}
}

// escapeHigh percent-encodes the bytes of a path that are not ASCII.
func escapeHigh(text string) string {
	start := strings.Index(text, "://") + 3
	end := strings.IndexByte(text[start:], '/')
	if query := strings.IndexAny(text[start:], "?#"); end < 0 || query >= 0 && query < end {
		return text
	}
	tail := ""
	if query := strings.IndexAny(text[start:], "?#"); query >= 0 {
		text, tail = text[:start+query], text[start+query:]
	}
	var b strings.Builder
	b.WriteString(text[:start+end])
	for _, c := range []byte(text[start+end:]) {
		if c >= 0x80 {
			b.WriteString("%" + string("0123456789abcdef"[c>>4]) + string("0123456789abcdef"[c&15]))
		} else {
			b.WriteByte(c)
		}
	}
	return b.String() + tail
}
