package network

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/limpet-sh/limpet/builtins"
)

// A curlOption is a row of curl's options.
type curlOption struct {
	letter string
	name   string
	value  string // what its value is called; "" for a switch
	help   string
	set    func(cu *curl, o *operation, value string, on bool) error
}

// A setter is for the options that set a field.
type setter = func(*curl, *operation, string, bool) error

func toggle(field func(*operation) *bool) setter {
	return func(_ *curl, o *operation, _ string, on bool) error { *field(o) = on; return nil }
}

func global(field func(*globalOptions) *bool) setter {
	return func(cu *curl, _ *operation, _ string, on bool) error { *field(&cu.global) = on; return nil }
}

func text(field func(*operation) *string) setter {
	return func(_ *curl, o *operation, v string, _ bool) error { *field(o) = v; return nil }
}

func list(field func(*operation) *[]string) setter {
	return func(_ *curl, o *operation, v string, _ bool) error { *field(o) = append(*field(o), v); return nil }
}

func number(field func(*operation) *int64) setter {
	return func(_ *curl, o *operation, v string, _ bool) error {
		n, err := strconv.ParseInt(v, 10, 64)
		if err != nil {
			return errors.New("expected a proper numerical parameter")
		}
		if n < 0 {
			return errors.New("expected a positive numerical parameter")
		}
		*field(o) = n
		return nil
	}
}

func seconds(field func(*operation) *time.Duration) setter {
	return func(_ *curl, o *operation, v string, _ bool) error {
		n, err := strconv.ParseFloat(v, 64)
		if err != nil || n < 0 || n > 1e9 {
			return errors.New("expected a proper numerical parameter")
		}
		*field(o) = time.Duration(n * float64(time.Second))
		return nil
	}
}

// refused is for the options that a sandbox cannot have.
func refused(reason string) setter {
	return func(*curl, *operation, string, bool) error { return errors.New("is refused: " + reason) }
}

const (
	noProxy  = "the network policy decides what is reached, without proxies"
	noVerify = "certificates are always verified"
	noAddr   = "the network policy decides what a name is"
)

// curlOptions returns all options.
func curlOptions() []curlOption {
	options := addListed(httpOptions(), elsewhereOptions, func(*curl, *operation, string, bool) error { return nil })
	for reason, list := range refusedOptions {
		options = addListed(options, list, refused(reason))
	}
	return options
}

// httpOptions returns those that are about HTTP.
func httpOptions() []curlOption {
	family := func(n int) setter {
		return func(_ *curl, o *operation, _ string, _ bool) error { o.family = n; return nil }
	}
	paced := func(set setter) setter {
		return func(cu *curl, o *operation, v string, on bool) error { o.paced = true; return set(cu, o, v, on) }
	}
	return []curlOption{
		{"4", "ipv4", "", "use addresses of IPv4 only", family(4)},
		{"6", "ipv6", "", "use addresses of IPv6 only", family(6)},
		{"", "clobber", "", "write over files that there are, as always but after --no-clobber", func(_ *curl, o *operation, _ string, on bool) error { o.noClobber = !on; return nil }},
		{"", "disallow-username-in-url", "", "fail where a URL has a user", toggle(func(o *operation) *bool { return &o.noUser })},
		{"", "etag-compare", "file", "send the tag in a file, for a response only where it has changed", text(func(o *operation) *string { return &o.etagCompare })},
		{"", "etag-save", "file", "write the tag of the response to a file", text(func(o *operation) *string { return &o.etagSave })},
		{"Y", "speed-limit", "speed", "end what is slower than this", paced(number(func(o *operation) *int64 { return &o.speedLimit }))},
		{"y", "speed-time", "seconds", "for so long", paced(number(func(o *operation) *int64 { return &o.speedTime }))},
		{"1", "tlsv1", "", "use TLS 1.0 or later, as always", toggle(func(o *operation) *bool { return &o.tls12 })},
		{"", "tlsv1.0", "", "the same", toggle(func(o *operation) *bool { return &o.tls12 })},
		{"", "tlsv1.1", "", "use TLS 1.1 or later, as always", toggle(func(o *operation) *bool { return &o.tls12 })},
		{"", "tlsv1.3", "", "use TLS 1.3 or later", toggle(func(o *operation) *bool { return &o.tls13 })},
		{"A", "user-agent", "name", "send this User-Agent", func(_ *curl, o *operation, v string, _ bool) error { o.userAgent = &v; return nil }},
		{"", "basic", "", "use HTTP basic authentication", toggle(func(o *operation) *bool { return &o.basic })},
		{"b", "cookie", "data|file", "send cookies from a string or file", list(func(o *operation) *[]string { return &o.cookies })},
		{"c", "cookie-jar", "file", "write cookies to a file after the transfers", text(func(o *operation) *string { return &o.cookieJar })},
		{"C", "continue-at", "offset", "resume a transfer; - finds the offset", setResume},
		{"", "compressed", "", "ask for a compressed response and decompress it", toggle(func(o *operation) *bool { return &o.compressed })},
		{"", "connect-timeout", "seconds", "longest time for a connection", seconds(func(o *operation) *time.Duration { return &o.connectTimeout })},
		{"", "create-dirs", "", "make the directories of output files", toggle(func(o *operation) *bool { return &o.createDirs })},
		{"d", "data", "data", "send data in a POST", dataOption(plainData)},
		{"", "data-ascii", "data", "the same", dataOption(plainData)},
		{"", "data-binary", "data", "send data as it is in a POST", dataOption(binaryData)},
		{"", "data-raw", "data", "send data in a POST, @ too", dataOption(rawData)},
		{"", "data-urlencode", "data", "send URL-encoded data in a POST", dataOption(encodedData)},
		{"D", "dump-header", "filename", "write the headers to a file", text(func(o *operation) *string { return &o.dumpHeader })},
		{"e", "referer", "URL", "send this Referer", text(func(o *operation) *string { return &o.referer })},
		{"f", "fail", "", "fail on HTTP errors, without output", toggle(func(o *operation) *bool { return &o.fail })},
		{"", "fail-early", "", "stop at the first transfer that fails", func(cu *curl, _ *operation, _ string, on bool) error { cu.global.failEarly = on; return nil }},
		{"", "fail-with-body", "", "fail on HTTP errors, with output", toggle(func(o *operation) *bool { return &o.failWithBody })},
		{"F", "form", "name=content", "send a part of a multipart form", formOption(false)},
		{"", "form-string", "name=string", "the same, with no special characters", formOption(true)},
		{"g", "globoff", "", "take {} and [] in URLs as they are", toggle(func(o *operation) *bool { return &o.globoff })},
		{"G", "get", "", "put the data in the URL of a GET", toggle(func(o *operation) *bool { return &o.get })},
		{"h", "help", "", "show the options", setHelp},
		{"H", "header", "header", "send a header; @file has some", list(func(o *operation) *[]string { return &o.headers })},
		{"i", "include", "", "print the headers too", toggle(func(o *operation) *bool { return &o.include })},
		{"I", "head", "", "ask for the headers only", toggle(func(o *operation) *bool { return &o.head })},
		{"j", "junk-session-cookies", "", "ignore session cookies of files", toggle(func(o *operation) *bool { return &o.junkSession })},
		{"J", "remote-header-name", "", "with -O, use the name that the server says", toggle(func(o *operation) *bool { return &o.remoteHeader })},
		{"", "json", "data", "send JSON in a POST", dataOption(jsonData)},
		{"k", "insecure", "", "", refused(noVerify)},
		{"K", "config", "file", "read options from a file", func(cu *curl, o *operation, v string, _ bool) error { return errConfig(v) }},
		{"", "limit-rate", "speed", "longest rate of a transfer", setLimitRate},
		{"L", "location", "", "follow redirects", toggle(func(o *operation) *bool { return &o.location })},
		{"", "location-trusted", "", "the same, and send credentials to other hosts", func(_ *curl, o *operation, _ string, on bool) error { o.location, o.trusted = on, on; return nil }},
		{"m", "max-time", "seconds", "longest time of a transfer", seconds(func(o *operation) *time.Duration { return &o.maxTime })},
		{"", "max-filesize", "bytes", "largest file to fetch", number(func(o *operation) *int64 { return &o.maxFileSize })},
		{"", "max-redirs", "num", "most redirects to follow", func(_ *curl, o *operation, v string, _ bool) error {
			n, err := strconv.Atoi(v)
			if err != nil || n < -1 {
				return errors.New("expected a proper numerical parameter")
			}
			o.maxRedirs = n
			return nil
		}},
		{"N", "no-buffer", "", "do not buffer the output, which this one never does", toggle(func(o *operation) *bool { return &o.noBuffer })},
		{"", "noproxy", "list", "hosts to reach without a proxy, which are all", text(func(o *operation) *string { return &o.noProxy })},
		{"o", "output", "file", "write to a file", func(_ *curl, o *operation, v string, _ bool) error { o.addOutput(output{name: v}); return nil }},
		{"", "output-dir", "dir", "directory of output files", text(func(o *operation) *string { return &o.outputDir })},
		{"O", "remote-name", "", "write to a file named as the remote one", func(_ *curl, o *operation, _ string, _ bool) error { o.addOutput(output{remote: true}); return nil }},
		{"", "remote-name-all", "", "use -O for all URLs", toggle(func(o *operation) *bool { return &o.remoteAll })},
		{"", "oauth2-bearer", "token", "send a bearer token", text(func(o *operation) *string { return &o.bearer })},
		{"", "post301", "", "stay with POST after a 301", toggle(func(o *operation) *bool { return &o.post301 })},
		{"", "post302", "", "stay with POST after a 302", toggle(func(o *operation) *bool { return &o.post302 })},
		{"", "post303", "", "stay with POST after a 303", toggle(func(o *operation) *bool { return &o.post303 })},
		{"", "preproxy", "URL", "", refused(noProxy)},
		{"", "progress-meter", "", "show the progress meter", func(cu *curl, _ *operation, _ string, on bool) error { cu.global.noMeter = !on; return nil }},
		{"", "proto", "protocols", "allow only some protocols", setProto(func(o *operation) *protocols { return &o.proto })},
		{"", "proto-default", "protocol", "protocol of URLs without one", text(func(o *operation) *string { return &o.protoDefault })},
		{"", "proto-redir", "protocols", "allow only some protocols in redirects", setProto(func(o *operation) *protocols { return &o.protoRedir })},
		{"x", "proxy", "URL", "", refused(noProxy)},
		{"", "socks4", "host", "", refused(noProxy)},
		{"", "socks4a", "host", "", refused(noProxy)},
		{"", "socks5", "host", "", refused(noProxy)},
		{"", "socks5-hostname", "host", "", refused(noProxy)},
		{"q", "disable", "", "do not read ~/.curlrc; must come first", func(*curl, *operation, string, bool) error { return nil }},
		{"r", "range", "range", "ask for a part", text(func(o *operation) *string { return &o.byteRange })},
		{"R", "remote-time", "", "give the file the time of the remote one", toggle(func(o *operation) *bool { return &o.remoteTime })},
		{"", "remove-on-error", "", "remove the output file on errors", toggle(func(o *operation) *bool { return &o.removeOnError })},
		{"X", "request", "method", "use this method", text(func(o *operation) *string { return &o.method })},
		{"", "resolve", "host:port:addr", "", refused(noAddr)},
		{"", "connect-to", "host:port", "", refused(noAddr)},
		{"", "retry", "num", "try again after passing errors", number(func(o *operation) *int64 { return &o.retry })},
		{"", "retry-all-errors", "", "try again after all errors", toggle(func(o *operation) *bool { return &o.retryAll })},
		{"", "retry-connrefused", "", "try again after a refused connection", toggle(func(o *operation) *bool { return &o.retryRefused })},
		{"", "retry-delay", "seconds", "wait before trying again", number(func(o *operation) *int64 { return &o.retryDelay })},
		{"", "retry-max-time", "seconds", "longest time to try again in", number(func(o *operation) *int64 { return &o.retryMax })},
		{"s", "silent", "", "show neither meter nor errors", global(func(g *globalOptions) *bool { return &g.silent })},
		{"S", "show-error", "", "show errors with -s", global(func(g *globalOptions) *bool { return &g.showError })},
		{"", "stderr", "file", "write messages to a file", func(cu *curl, _ *operation, v string, _ bool) error { cu.global.stderr = v; return nil }},
		{"T", "upload-file", "file", "upload a file by PUT", list(func(o *operation) *[]string { return &o.uploads })},
		{"", "http1.1", "", "use HTTP/1.1", toggle(func(o *operation) *bool { return &o.http1 })},
		{"", "http2", "", "use HTTP/2 where the server can", func(_ *curl, o *operation, _ string, on bool) error { o.http1 = !on; return nil }},
		{"", "tlsv1.2", "", "use TLS 1.2 or later, as always", toggle(func(o *operation) *bool { return &o.tls12 })},
		{"u", "user", "user:password", "send a user and password", text(func(o *operation) *string { return &o.user })},
		{"", "url", "URL", "a URL to transfer", list(func(o *operation) *[]string { return &o.urls })},
		{"", "url-query", "data", "add data to the query of the URL", func(cu *curl, o *operation, v string, _ bool) error {
			part, err := encodedQuery(cu, v)
			o.query = append(o.query, part)
			return err
		}},
		{"v", "verbose", "", "show what is sent and received", global(func(g *globalOptions) *bool { return &g.verbose })},
		{"V", "version", "", "show the version", setVersion},
		{"w", "write-out", "format", "print this after a transfer; @file has it", text(func(o *operation) *string { return &o.writeOut })},
		{"z", "time-cond", "time", "fetch what is newer than a time or file", text(func(o *operation) *string { return &o.timeCond })},
		{"Z", "parallel", "", "make the transfers at the same time", func(cu *curl, _ *operation, _ string, on bool) error { cu.global.parallel = on; return nil }},
		{"", "parallel-max", "num", "most transfers at the same time", func(cu *curl, _ *operation, v string, _ bool) error {
			n, err := strconv.Atoi(v)
			if err != nil || n < 0 {
				return errors.New("expected a proper numerical parameter")
			}
			if cu.global.max = n; n < 1 || n > 300 {
				cu.global.max = 50
			}
			return nil
		}},
		{"#", "progress-bar", "", "show a bar as progress meter", toggle(func(o *operation) *bool { return &o.bar })},
		{":", "next", "", "begin the options of other URLs", func(*curl, *operation, string, bool) error { return errNext }},
	}
}

// errNext begins a new operation.
var errNext = errors.New("next")

// errConfig names a file of options to read.
type errConfig string

func (e errConfig) Error() string { return string(e) }

// describeCurl declares the options for who asks which there are.
func describeCurl(c *builtins.Call) {
	f := c.Flags()
	for _, o := range curlOptions() {
		if o.set == nil || o.help == "" {
			continue
		}
		names := strings.TrimPrefix(o.letter+","+o.name, ",")
		if o.value == "" {
			f.Do(names, o.help, func() error { return nil })
		} else {
			f.Func(names, o.help+": `"+strings.ToUpper(o.value)+"`", func(string) error { return nil })
		}
	}
}

func setHelp(cu *curl, _ *operation, _ string, _ bool) error {
	fmt.Fprint(cu.out, "Usage: curl [options...] <url>\n")
	for _, o := range curlOptions() {
		if o.help == "" {
			continue
		}
		name := "--" + o.name
		if o.value != "" {
			name += " <" + o.value + ">"
		}
		letter := "    "
		if o.letter != "" {
			letter = "-" + o.letter + ", "
		}
		fmt.Fprintf(cu.out, " %s%-30s %s\n", letter, name, o.help)
	}
	cu.global.ended = builtins.Exit(0)
	return cu.global.ended
}

func setVersion(cu *curl, _ *operation, _ string, _ bool) error {
	fmt.Fprintf(cu.out, "curl %s (limpet)\nProtocols: http https \nFeatures: HTTP2 IDN IPv6 Largefile libz SSL zstd\n", curlVersion)
	cu.global.ended = builtins.Exit(0)
	return cu.global.ended
}

func setResume(_ *curl, o *operation, v string, _ bool) error {
	if o.resume = v; v != "-" {
		if n, err := strconv.ParseInt(v, 10, 64); err != nil || n < 0 {
			return errors.New("expected a proper numerical parameter")
		}
	}
	return nil
}

func setLimitRate(_ *curl, o *operation, v string, _ bool) error {
	digits, scale := v, 1.0
	if v != "" {
		if i := strings.IndexByte("bkmg", v[len(v)-1]|0x20); i >= 0 {
			digits = v[:len(v)-1]
			for range i {
				scale *= 1024
			}
		}
	}
	n, err := strconv.ParseFloat(digits, 64)
	if err != nil || n < 0 {
		return errors.New("expected a proper numerical parameter")
	}
	o.limitRate = int64(n * scale)
	return nil
}

// protocols are those that are allowed of HTTP's two; zero means both.
type protocols struct{ set, http, https bool }

func (p protocols) allows(scheme string) bool {
	return !p.set || scheme == "http" && p.http || scheme == "https" && p.https
}

func setProto(field func(*operation) *protocols) setter {
	return func(cu *curl, o *operation, v string, _ bool) error {
		p := protocols{set: true, http: true, https: true}
		for item := range strings.SplitSeq(v, ",") {
			on := true
			name := strings.TrimLeft(item, "+-=")
			switch {
			case strings.HasPrefix(item, "-"):
				on = false
			case strings.HasPrefix(item, "="):
				p.http, p.https = false, false
			}
			switch strings.ToLower(name) {
			case "http":
				p.http = on
			case "https":
				p.https = on
			case "all":
				p.http, p.https = on, on
			default:
				cu.warn(o, "unrecognized protocol '%s'", name)
			}
		}
		*field(o) = p
		return nil
	}
}
