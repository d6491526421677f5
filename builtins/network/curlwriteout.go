package network

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
)

// A variable is one of -w.
type variable struct {
	name  string
	value func(t *transfer, err *curlError) any // a string, an int64, a time.Duration, or nil
}

// variables returns those of -w, in the order of %{json}.
func variables() []variable {
	number := func(f func(*transfer) int64) func(*transfer, *curlError) any {
		return func(t *transfer, _ *curlError) any { return f(t) }
	}
	words := func(f func(*transfer) string) func(*transfer, *curlError) any {
		return func(t *transfer, _ *curlError) any {
			if s := f(t); s != "" {
				return s
			}
			return nil
		}
	}
	since := func(f func(*transfer) time.Time) func(*transfer, *curlError) any {
		return func(t *transfer, _ *curlError) any {
			if t.trace == nil || f(t).IsZero() || t.begun.IsZero() {
				return time.Duration(0)
			}
			return max(0, f(t).Sub(t.begun))
		}
	}
	status := number(func(t *transfer) int64 {
		if t.res == nil {
			return 0
		}
		return int64(t.res.StatusCode)
	})
	return []variable{
		{"content_type", words(func(t *transfer) string { return t.header("Content-Type") })},
		{"errormsg", func(_ *transfer, err *curlError) any {
			if err == nil {
				return nil
			}
			return err.text
		}},
		{"exitcode", func(_ *transfer, err *curlError) any {
			if err == nil {
				return int64(0)
			}
			return int64(err.code)
		}},
		{"filename_effective", words(func(t *transfer) string {
			if t.sink == nil {
				return ""
			}
			return t.sink.name
		})},
		{"http_code", status},
		{"http_connect", number(func(*transfer) int64 { return 0 })},
		{"http_version", func(t *transfer, _ *curlError) any {
			switch {
			case t.res == nil:
				return "0"
			case t.res.ProtoMajor == 2:
				return "2"
			}
			return fmt.Sprintf("%d.%d", t.res.ProtoMajor, t.res.ProtoMinor)
		}},
		{"local_ip", words(func(t *transfer) string { return address(t.trace != nil && t.trace.Local.IsValid(), t, true) })},
		{"local_port", number(func(t *transfer) int64 {
			if t.trace == nil {
				return 0
			}
			return int64(t.trace.Local.Port())
		})},
		{"method", words(func(t *transfer) string { return t.method })},
		{"num_connects", number(func(t *transfer) int64 { return int64(t.connects) })},
		{"num_headers", number(func(t *transfer) int64 { return max(0, int64(strings.Count(string(t.head), "\r\n"))-2) })},
		{"num_redirects", number(func(t *transfer) int64 { return int64(t.redirects) })},
		{"redirect_url", words(func(t *transfer) string { return t.target })},
		{"referer", words(func(t *transfer) string { return strings.TrimSuffix(t.o.referer, ";auto") })},
		{"remote_ip", words(func(t *transfer) string { return address(t.connected(), t, false) })},
		{"remote_port", number(func(t *transfer) int64 {
			if t.trace == nil {
				return 0
			}
			return int64(t.trace.Remote.Port())
		})},
		{"response_code", status},
		{"scheme", words(func(t *transfer) string {
			if t.url == nil {
				return ""
			}
			return strings.ToUpper(t.url.Scheme)
		})},
		{"size_download", number(func(t *transfer) int64 {
			if t.meter == nil {
				return 0
			}
			return t.meter.wire(t.meter.got)
		})},
		{"size_header", number(func(t *transfer) int64 { return t.headBytes })},
		{"size_request", number(func(t *transfer) int64 { return t.requested })},
		{"size_upload", number(func(t *transfer) int64 { return t.sent })},
		{"speed_download", number(func(t *transfer) int64 {
			if d := time.Since(t.begun).Seconds(); t.meter != nil && d > 0 {
				return int64(float64(t.meter.got) / d)
			}
			return 0
		})},
		{"speed_upload", number(func(t *transfer) int64 {
			if d := time.Since(t.begun).Seconds(); d > 0 {
				return int64(float64(t.sent) / d)
			}
			return 0
		})},
		{"ssl_verify_result", number(func(*transfer) int64 { return 0 })},
		{"time_appconnect", since(func(t *transfer) time.Time { return t.trace.Secured })},
		{"time_connect", since(func(t *transfer) time.Time { return t.trace.Opened })},
		{"time_namelookup", since(func(t *transfer) time.Time { return t.trace.Resolved })},
		{"time_pretransfer", since(func(t *transfer) time.Time { return t.trace.Opened })},
		{"time_redirect", func(*transfer, *curlError) any { return time.Duration(0) }},
		{"time_starttransfer", since(func(t *transfer) time.Time { return t.trace.First })},
		{"time_total", since(func(*transfer) time.Time { return time.Now() })},
		{"url", words(func(t *transfer) string { return t.shownURL(t.text) })},
		{"url_effective", words(func(t *transfer) string {
			if t.redirects > 0 {
				return t.url.String()
			}
			return t.shownURL(t.text)
		})},
		{"urlnum", number(func(t *transfer) int64 { return int64(t.number) })},
	}
}

func address(ok bool, t *transfer, local bool) string {
	switch {
	case !ok:
		return ""
	case local:
		return t.trace.Local.Addr().String()
	}
	return t.trace.Remote.Addr().String()
}

func (t *transfer) header(name string) string {
	if t.res == nil {
		return ""
	}
	return t.res.Header.Get(name)
}

// shownURL returns a URL as -w shows it: with its scheme and, where there is no
// path, a slash.
func (t *transfer) shownURL(text string) string {
	if t.url != nil && t.redirects == 0 && t.url.User == "" {
		return t.url.String() + t.url.Fragment
	}
	if !strings.Contains(text, "://") {
		text = "http://" + text
	}
	return text
}

// writeOut prints what -w says after a transfer.
func (t *transfer) writeOut(err error) {
	format := t.o.writeOut
	if format == "" {
		return
	}
	if name, ok := strings.CutPrefix(format, "@"); ok {
		data, rerr := t.cu.readInput(name)
		if rerr != nil {
			t.cu.warn(t.o, "Failed to open %s", name)
			return
		}
		format = strings.NewReplacer("\r", "", "\n", "").Replace(string(data))
	}
	failure, _ := errors.AsType[*curlError](err)
	var w io.Writer = t.cu.out
	for len(format) > 0 {
		i := strings.IndexAny(format, `%\`)
		if i < 0 || i == len(format)-1 {
			_, _ = io.WriteString(w, format)
			return
		}
		_, _ = io.WriteString(w, format[:i])
		format = format[i:]
		if format[0] == '\\' {
			text, ok := map[byte]string{'n': "\n", 't': "\t", 'r': "\r"}[format[1]]
			if !ok {
				text = format[:2]
			}
			_, _ = io.WriteString(w, text)
			format = format[2:]
			continue
		}
		format, w = t.directive(w, format, failure)
	}
}

// directive prints what a directive stands for, and returns the rest and where
// that goes.
func (t *transfer) directive(w io.Writer, format string, failure *curlError) (string, io.Writer) {
	name, rest, closed := strings.Cut(format[1:], "}")
	switch {
	case format[1] == '%':
		_, _ = io.WriteString(w, "%")
		return format[2:], w
	case strings.HasPrefix(name, "header{") && closed:
		_, _ = io.WriteString(w, t.header(name[len("header{"):]))
		return rest, w
	case format[1] != '{' || !closed:
		_, _ = io.WriteString(w, "%")
		return format[1:], w
	}
	switch name = name[1:]; name {
	case "stdout":
		return rest, t.cu.out
	case "stderr":
		return rest, t.cu.errs
	case "onerror":
		if failure == nil {
			return "", w
		}
		return rest, w
	case "json":
		_, _ = io.WriteString(w, t.writeOutJSON(failure))
		return rest, w
	case "header_json":
		_, _ = io.WriteString(w, t.headerJSON())
		return rest, w
	}
	for _, v := range variables() {
		if v.name == name {
			switch x := v.value(t, failure).(type) {
			case string:
				_, _ = io.WriteString(w, x)
			case int64:
				text := strconv.FormatInt(x, 10)
				if name == "http_code" || name == "response_code" || name == "http_connect" {
					text = fmt.Sprintf("%03d", x)
				}
				_, _ = io.WriteString(w, text)
			case time.Duration:
				fmt.Fprintf(w, "%.6f", x.Seconds())
			}
			return rest, w
		}
	}
	fmt.Fprintf(t.cu.errs, "curl: unknown --write-out variable: '%s'\n", name)
	return rest, w
}

// writeOutJSON returns all variables.
func (t *transfer) writeOutJSON(failure *curlError) string {
	var b strings.Builder
	b.WriteByte('{')
	for _, v := range variables() {
		value := v.value(t, failure)
		text := "null"
		switch x := value.(type) {
		case time.Duration:
			text = fmt.Sprintf("%.6f", x.Seconds())
		case nil:
		default:
			data, _ := json.Marshal(x)
			text = string(data)
		}
		fmt.Fprintf(&b, "%q:%s,", v.name, text)
	}
	fmt.Fprintf(&b, "\"curl_version\":%q}", "libcurl/"+curlVersion)
	return b.String()
}

// headerJSON returns the headers of the response.
func (t *transfer) headerJSON() string {
	if t.res == nil {
		return "{}"
	}
	var parts []string
	for _, name := range sortedNames(t.res.Header) {
		values, _ := json.Marshal(t.res.Header[name])
		parts = append(parts, fmt.Sprintf("%q:%s", strings.ToLower(name), values))
	}
	return "{" + strings.Join(parts, ",\n") + "\n}"
}
